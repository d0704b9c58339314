"""What is done about each way in which a model can fail: one table."""

from __future__ import annotations

from typing import NamedTuple

from fathom.errors import (
    BudgetSpent,
    ContentRefused,
    ContextTooLong,
    MalformedReply,
    ProviderError,
    ProviderFault,
    RateLimited,
    TimedOut,
    Unauthorized,
    Unreachable,
)
from fathom.reasoners.language_model.failures import NoSuchModel


class Policy(NamedTuple):
    """What is done about one kind of failure, in this order."""

    tries: int
    """How often the same request is sent, the first time included."""
    out_of_order: bool = False
    """Whether the model is not asked again in this process: every later ask fails at once with the same error."""
    another_model: bool = True
    """Whether the fallback model is asked then."""


POLICIES: dict[type[ProviderError], Policy] = {
    RateLimited: Policy(tries=4),
    TimedOut: Policy(tries=2),
    Unreachable: Policy(tries=3),
    ProviderFault: Policy(tries=3),
    Unauthorized: Policy(tries=1, out_of_order=True),
    NoSuchModel: Policy(tries=1, out_of_order=True),
    ContextTooLong: Policy(tries=1, another_model=False),
    ContentRefused: Policy(tries=1),
    MalformedReply: Policy(tries=1),
    BudgetSpent: Policy(tries=1, another_model=False),
}
"""The nine kinds, and the model that is not there.

A malformed answer is shown to the model once, with what is wrong with it, before another model is asked: that is a
request of its own, not a further try. A spent budget ends all asking; what is missing is answered without a model.
"""


def policy_for(error: ProviderError) -> Policy:
    """The policy of the kind that `error` is of; a failure of no known kind is not tried again.

    >>> policy_for(TimedOut("")).tries, policy_for(ProviderError("")).tries
    (2, 1)
    """
    for kind in type(error).__mro__:
        if policy := POLICIES.get(kind):
            return policy
    return Policy(tries=1)


class Backoff(NamedTuple):
    """How long to wait before the same request is sent again, in seconds."""

    first: float = 0.5
    """Before the second try; it doubles with each further one."""
    longest: float = 30.0
    """Of one wait. Who asks us to wait longer is not asked again for this answer."""
    total: float = 60.0
    """Of all waits for one answer together."""

    def wait(self, error: ProviderError, *, tries: int, waited: float) -> float | None:
        """Seconds to wait after `tries` tries of which the last ended in `error`; `None` says to give up.

        What the provider asks for counts, else it is twice as long each time, so that equal runs wait alike.

        >>> [Backoff().wait(TimedOut(""), tries=1, waited=0), Backoff().wait(TimedOut(""), tries=2, waited=0.5)]
        [0.5, None]
        """
        if tries >= policy_for(error).tries:
            return None
        asked = error.retry_after if isinstance(error, RateLimited) else None
        seconds = asked if asked is not None else min(self.first * 2 ** (tries - 1), self.longest)
        return seconds if seconds <= self.longest and waited + seconds <= self.total else None
