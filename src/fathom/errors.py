"""Every error Fathom raises on purpose, named after what the caller can do next.

FathomError
├── UsageError            what was asked for cannot be done as asked: an empty question, a missing path
│   ├── NotFound          no run, document or report has that name
│   └── Unreadable        a file holds nothing that can be read: the rest goes on
├── ConfigurationError    the operator can fix it: a key, a name, a missing extra
├── ProviderError         the outside failed: a model, a search, a page, a tool
│   ├── RateLimited       try again after `retry_after` seconds
│   ├── Unavailable       no usable answer in time
│   └── MalformedReply    an answer, but not in the promised shape
├── StoreError            the disk or the database failed; what was durable is still there
│   ├── Fenced            another process has taken the run over
│   └── MissingAnswer     a replay needs an answer that the journal does not hold
└── LimitReached          a limit that the caller set; what was found so far stands
"""

from __future__ import annotations

from typing import ClassVar


class FathomError(Exception):
    """Base of all of them; its text is one line that says what happened, to what, and what to do."""

    exit_code: ClassVar[int] = 1
    """What the command line exits with: 2 for usage and configuration, 1 for a run that failed."""


class UsageError(FathomError):
    """What was asked for cannot be done as asked."""

    exit_code = 2


class NotFound(UsageError):
    """No run, document or report has that name."""


class Unreadable(UsageError):
    """A file holds nothing that can be read; the text is the reason, as in "`name`: reason"."""


class ConfigurationError(FathomError):
    """The operator can fix it: a key, a name, a missing extra."""

    exit_code = 2


class ProviderError(FathomError):
    """The outside failed: a model, a search, a page, a tool."""


class RateLimited(ProviderError):
    """The provider asked us to wait."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds to wait; `None` when the provider did not say."""


class Unavailable(ProviderError):
    """No usable answer in time."""


class MalformedReply(ProviderError):
    """An answer, but not in the promised shape."""


class StoreError(FathomError):
    """The disk or the database failed; what was durable is still there."""


class Fenced(StoreError):
    """Another process has taken the run over; this one must stop writing to it."""


class MissingAnswer(StoreError):
    """A replay needs an answer that the journal does not hold."""


class LimitReached(FathomError):
    """A limit that the caller set binds; what was found so far stands."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason)
        self.reason = reason


StopReason = str
"""Why a run ended early, as it stands in `partial`: `max_calls`, `max_time`, `cancelled`, …"""
