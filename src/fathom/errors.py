"""Every error Fathom raises on purpose, named after what the caller can do next.

FathomError
├── UsageError            what was asked for cannot be done as asked: an empty question, a missing path
│   ├── NotFound          no run, document or report has that name
│   ├── Conflict          it cannot be done as things stand: the run is under way, the key is taken
│   └── Unreadable        a file holds nothing that can be read: the rest goes on
├── ConfigurationError    the operator can fix it: a key, a name, a missing extra
├── ProviderError         the outside failed: a model, a search, a page, a tool
│   ├── RateLimited       try again after `retry_after` seconds
│   ├── Unavailable       no usable answer in time
│   │   ├── TimedOut      it took too long, or a stream stalled
│   │   ├── Unreachable   no connection
│   │   └── ProviderFault the provider failed: its status says so
│   ├── Unauthorized      the key is missing, wrong or not allowed to
│   ├── ContextTooLong    what was sent does not fit the model's window
│   ├── ContentRefused    the model or its provider will not answer that
│   ├── MalformedReply    an answer, but not in the promised shape
│   ├── PageError         a page gives nothing to quote: it alone is left out
│   │   ├── PageRefused   it may not be read: its address, its host, or what robots.txt says
│   │   ├── PageTooLarge  it is larger, or comes slower, than is allowed
│   │   └── NoEvidence    an error page, a consent wall, or nothing to read
│   ├── ToolError         a tool of a dataset gives nothing: this call alone is lost
│   │   ├── ToolRefused   it may not be called: it can change things, or was not allowed
│   │   ├── ToolFailed    it says that it failed: at its arguments, or at its data
│   │   └── ResultTooLarge what it returned is more than is allowed: ask for less
│   └── BudgetSpent       the report has nothing left to spend: it is finished without a model
├── StoreError            the disk or the database failed; what was durable is still there
│   ├── Damaged           something stored has rotted: the rest goes on, or the text says what to do
│   ├── Fenced            another process has taken the run over
│   └── MissingAnswer     a replay needs an answer that the journal does not hold
├── Rejected              the person of a run does not want its plan to be carried out
└── LimitReached          a limit that the caller set; what was found so far stands
"""

from __future__ import annotations

from typing import ClassVar


class FathomError(Exception):
    """Base of all of them; its text is one line that says what happened, to what, and what to do."""

    exit_code: ClassVar[int] = 1
    """What the command line exits with: 2 for usage and configuration, 1 for a run that failed."""
    kind: str = "other"
    """What has failed, for a page that says it in words of its own."""


class UsageError(FathomError):
    """What was asked for cannot be done as asked."""

    exit_code = 2


class NotFound(UsageError):
    """No run, document or report has that name."""


class Conflict(UsageError):
    """It cannot be done as things stand: the run is under way, or the key belongs to another request."""


class Unreadable(UsageError):
    """A file holds nothing that can be read; the text is the reason, as in "`name`: reason"."""


class ConfigurationError(FathomError):
    """The operator can fix it: a key, a name, a missing extra."""

    exit_code = 2
    kind = "set_up"


class ProviderError(FathomError):
    """The outside failed: a model, a search, a page, a tool."""

    kind = "outside"
    charged: ClassVar[bool] = False
    """Whether the provider may charge for the call although it failed."""


class RateLimited(ProviderError):
    """The provider asked us to wait."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds to wait; `None` when the provider did not say."""


class Unavailable(ProviderError):
    """No usable answer in time."""


class TimedOut(Unavailable):
    """It took too long, or a stream stalled."""

    charged = True


class Unreachable(Unavailable):
    """No connection."""


class ProviderFault(Unavailable):
    """The provider failed: its status says so."""


class Unauthorized(ProviderError):
    """The key is missing, wrong or not allowed to do that."""

    kind = "set_up"


LOST = (RateLimited, Unavailable, Unauthorized)
"""The provider was not there for it: asked again another time, it may be."""


class ContextTooLong(ProviderError):
    """What was sent does not fit the model's window."""


class ContentRefused(ProviderError):
    """The model or its provider will not answer that."""

    charged = True


class MalformedReply(ProviderError):
    """An answer, but not in the promised shape."""

    charged = True


class PageError(ProviderError):
    """A page gives nothing to quote; it alone is left out."""


class PageRefused(PageError):
    """It may not be read: its address is not public, its host is excluded, or robots.txt says so."""


class PageTooLarge(PageError):
    """It is larger, or comes slower, than is allowed."""


class NoEvidence(PageError):
    """An error page, a consent wall, or nothing to read."""


class ToolError(ProviderError):
    """A tool of a dataset gives nothing; this call alone is lost."""


class ToolRefused(ToolError):
    """It may not be called: it can change things, it was not allowed, or there is no such tool."""


class ToolFailed(ToolError):
    """It says that it failed: at its arguments, or at its data."""


class ResultTooLarge(ToolError):
    """What it returned is more than is allowed: ask for less."""


class BudgetSpent(ProviderError):
    """The report has nothing left to spend: it is finished without a model."""


class StoreError(FathomError):
    """The disk or the database failed; what was durable is still there."""

    kind = "store"


class Damaged(StoreError):
    """Something is not as it was stored; the text says what is lost and what to do."""


class Fenced(StoreError):
    """Another process has taken the run over; this one must stop writing to it."""


class MissingAnswer(StoreError):
    """A replay needs an answer that the journal does not hold."""


class Rejected(FathomError):
    """The person of a run does not want its plan to be carried out."""

    kind = "declined"


class LimitReached(FathomError):
    """A limit that the caller set binds; what was found so far stands."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason)
        self.reason = reason


StopReason = str
"""Why a run ended early, as it stands in `partial`: `max_calls`, `max_time`, `cancelled`, …"""
SKIPPED: StopReason = "skipped"
"""Why a part of it did: its person wanted it left out."""
