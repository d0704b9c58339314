"""How the journal keeps the failure of a call, so that whoever follows it later meets the same error."""

from __future__ import annotations

from typing import Any

from fathom import errors
from fathom.errors import ProviderError, RateLimited


def stored(kind: str, error: ProviderError) -> dict[str, Any]:
    """The failure of a call of that kind, as JSON."""
    failure: dict[str, Any] = {"kind": kind, "error": type(error).__name__, "message": str(error)}
    if isinstance(error, RateLimited):
        failure["retry_after"] = error.retry_after
    return failure


def revived(failure: dict[str, Any]) -> ProviderError:
    """The error that a stored failure tells of; of a class that Fathom does not know, its base class."""
    if failure["error"] == RateLimited.__name__:
        return RateLimited(failure["message"], retry_after=failure["retry_after"])
    kind: type[ProviderError] = getattr(errors, failure["error"], ProviderError)
    return kind(failure["message"])
