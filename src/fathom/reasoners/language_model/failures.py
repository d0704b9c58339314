"""What went wrong at a provider, as an error of ours: in one line, without a key and without a word of the prompt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import httpx

from fathom.errors import (
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
from fathom.reasoners.language_model.providers import Options, Provider, Trouble
from fathom.services.failures import reason, retry_after
from fathom.text.harmless import inert

_TOO_LONG = re.compile(
    r"context[ _](length|window|size)|exceed_context|maximum context|prompt is too long|input is too long"
    r"|too many tokens|exceeds? the maximum number of tokens|token limit|input (length|tokens).{0,20}exceed"
    r"|request_too_large|reduce the length",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"content[ _-]?(filter|policy|management)|responsible ?ai|safety|prohibited|moderat|flagged", re.IGNORECASE
)
_NO_CREDIT = re.compile(r"insufficient_(quota|credit|balance)|credit balance|billing|out of credit", re.IGNORECASE)
_METHOD = re.compile(r"response_format|json_schema|json_object|output_config|grammar|schema|\btools?\b", re.IGNORECASE)
_NOT_TAKEN = re.compile(
    r"unsupported|not support|not allowed|not permitted|unknown|unrecognized|unexpected|extra inputs"
    r"|deprecated|only the default|must be 1|cannot be used",
    re.IGNORECASE,
)
_CODE = re.compile(r'"(?:code|status|status_code)":\s*"?([45]\d\d)\b')
_BUSY = re.compile(r"rate.?limit|too many requests", re.IGNORECASE)
_OVERLOADED = 529
_QUOTED = 24
"""Characters in a row that a provider's message may share with the prompt."""


class NoSuchModel(ProviderError):
    """The provider does not have the model, or nothing answers at that path."""


class MethodRefused(ProviderError):
    """The provider does not take this way of asking for a structured answer."""


class ParameterRefused(ProviderError):
    """The provider does not take a parameter for this model."""

    def __init__(self, message: str, *, parameter: str) -> None:
        super().__init__(message)
        self.parameter = parameter
        """Its name."""


class BrokenOff(Unreachable):
    """The connection ended in the middle of the answer."""

    charged = True


class Asked(NamedTuple):
    """What was asked of whom, as far as an error needs to know it."""

    provider: Provider
    options: Options = Options()
    prompt: str = ""
    """What was sent; never quoted."""

    @property
    def who(self) -> str:
        """The subject of a sentence."""
        name = f"{self.provider.name}:{self.provider.model}"
        return f"The model '{inert(name, width=100)}' at {self.provider.place.host}"


def failure(error: Exception, asked: Asked, *, seconds: float) -> ProviderError:
    """The error of ours that an exception on the way to an answer stands for. `seconds` is how long was waited."""
    match error:
        case httpx.HTTPStatusError(response=reply):
            return _by_status(reply.status_code, reply.headers, reply.text[:100_000], asked)
        case Trouble():
            return _told_within(str(error), asked)
        case TimeoutError() | httpx.TimeoutException():
            return TimedOut(
                f"{asked.who} gave no answer within {seconds:g} seconds: try again, or raise model_timeout."
            )
        case httpx.RemoteProtocolError() | httpx.ReadError():
            return broken_off(asked)
        case httpx.TransportError() | OSError():
            return Unreachable(f"{asked.who} cannot be reached: {asked.provider.unreachable}.")
    return _unreadable(asked, type(error).__name__)


def stalled(asked: Asked, seconds: float) -> TimedOut:
    """A stream that has stopped flowing."""
    return TimedOut(f"{asked.who} stopped in the middle of its answer for {seconds:g} seconds: try again.")


def broken_off(asked: Asked) -> BrokenOff:
    """A stream that has ended too early."""
    return BrokenOff(f"{asked.who} broke off its answer: try again, or look into the server's log.")


def refused(asked: Asked) -> ContentRefused:
    """A model that will not answer."""
    return ContentRefused(f"{asked.who} declined to answer: set fallback_model to another one.")


def _told_within(said: str, asked: Asked) -> ProviderError:
    """What a server means that has answered with a success, and says in its answer that it was none."""
    if code := _CODE.search(said):
        return _by_status(int(code[1]), {}, said, asked)
    if asked.options.streamed:
        return _by_status(429 if _BUSY.search(said) else _OVERLOADED, {}, said, asked)
    return _unreadable(asked, "an error")


def _unreadable(asked: Asked, what: str) -> MalformedReply:
    return MalformedReply(
        f"{asked.who} gave an answer that cannot be read ({what}): check that the address is that of a model's server."
    )


def _by_status(status: int, headers: Mapping[str, str], said: str, asked: Asked) -> ProviderError:
    place = asked.provider.place
    if place.key:
        said = said.replace(place.key.get_secret_value(), "…")
    told = f"{status}: {_quoted(said, asked)}"
    no_credit = Unauthorized(f"{asked.who} has no credit left ({status}): top up, or set another key.")
    declined = ContentRefused(f"{asked.who} declined to answer: set fallback_model to another one ({told}).")
    match status:
        case 403 if _REFUSED.search(said):
            return declined
        case 401 | 403:  # what a provider says of a key may quote it
            return Unauthorized(f"{asked.who} refuses access ({status}): set {place.key_setting} to a valid key.")
        case 402:
            return no_credit
        case 404 if "model" in said.lower():
            return NoSuchModel(f"{asked.who} is not there: {asked.provider.missing} ({told}).")
        case 404 | 405 | 301 | 302 | 307 | 308:
            return NoSuchModel(f"{asked.who} is not asked at this address: check base_url ({told}).")
        case 408 | 504:
            return TimedOut(f"{asked.who} gave no answer in time: try again ({told}).")
        case 429 if _NO_CREDIT.search(said):
            return no_credit
        case 429:
            why = f"{asked.who} is asked too often: wait, or set fallback_model ({told})."
            return RateLimited(why, retry_after=_wait(headers, said))
    if status in (400, 413, 422) or status >= 500:
        if status == 413 or _TOO_LONG.search(said):
            return ContextTooLong(f"{asked.who} was sent more than fits its window ({told}): set model_window.")
        if status < 500 and (parameter := _parameter(said, asked)):
            return ParameterRefused(f"{asked.who} does not take {parameter} ({told}).", parameter=parameter)
        if status < 500 and _REFUSED.search(said):
            return declined
        if asked.options.method != "text" and (status in (400, 422, 501) or _METHOD.search(said)):
            return MethodRefused(f"{asked.who} does not answer in this form ({told}).")
    if status >= 500:
        return ProviderFault(f"{asked.who} failed: try again, or look into the server's log ({told}).")
    if _NO_CREDIT.search(said):
        return no_credit
    return ProviderError(f"{asked.who} refuses the request: check the model and its settings ({told}).")


def _wait(headers: Mapping[str, str], said: str) -> float | None:
    """Seconds that a busy provider asks us to wait."""
    if (milliseconds := retry_after(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1_000
    after = retry_after(headers.get("retry-after"))
    if after is None and (delay := re.search(r"retryDelay\W+(\d+(?:\.\d+)?)s", said)):
        return retry_after(delay[1])  # Google tells it in the body
    return after


def _parameter(said: str, asked: Asked) -> str | None:
    """The parameter that is not taken, when the provider names one of ours."""
    if not _NOT_TAKEN.search(said):
        return None
    sent = asked.provider.parameters - asked.options.without
    return next((name for name in sorted(sent) if re.search(rf"\b{name}", said)), None)


def _quoted(said: str, asked: Asked) -> str:
    """What the provider says, short enough for a line; nothing when it quotes the prompt."""
    is_json = said.lstrip().startswith(("{", "["))
    line = reason(said.encode()).strip() if is_json else inert(said[:1_000], width=160).rstrip(". ")
    for at in range(len(line) - _QUOTED):
        if line[at : at + _QUOTED] in asked.prompt:
            return "it quotes the request"
    return line or "no reason given"
