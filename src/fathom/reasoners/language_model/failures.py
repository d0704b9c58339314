"""What went wrong at a provider, as an error of ours: in one line, without a key and without a word of the prompt."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

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
from fathom.services.failures import retry_after
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
_TIMEOUTS = frozenset({"TimeoutError", "TimeoutException", "APITimeoutError", "ModelTimeoutError"})
_CONNECTIONS = frozenset({"OSError", "RequestError", "APIConnectionError", "ModelConnectionError", "ClientError"})
_BROKEN = frozenset({"RemoteProtocolError", "ReadError", "ServerDisconnectedError", "ClientPayloadError"})
_IN_BODY = frozenset({"APIError", "ResponseError", "ModelAPIError"})
_UNREADABLE = frozenset({"APIResponseValidationError"})
_CODE = re.compile(r"""['"](?:code|status|status_code)['"]:\s*['"]?([45]\d\d)\b""")
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


@dataclass(frozen=True)
class Asked:
    """Who was asked for what, as far as an error needs to know it."""

    model: str
    """`provider:model`."""
    host: str
    """Of its server."""
    key: SecretStr | None
    """Blotted out wherever the provider quotes it."""
    key_setting: str
    """What holds the key: the name of a variable or setting."""
    unreachable: str
    """What to do when nothing answers."""
    missing: str
    """What to do when the model is not there."""
    structured: bool = True
    """Whether a way of asking was used that the provider may refuse."""
    parameters: frozenset[str] = frozenset()
    """Names of parameters that can be left out."""
    prompt: str = ""
    """What was sent; never quoted."""

    @property
    def who(self) -> str:
        """The subject of a sentence."""
        return f"The model '{inert(self.model, width=100)}' at {self.host}"


def http_errors() -> tuple[type[Exception], ...]:
    """The errors of the HTTP libraries that are in use; none of them is imported for this."""
    names = (("httpx", "HTTPError"), ("httpx2", "HTTPError"), ("aiohttp", "ClientError"))
    return tuple(getattr(sys.modules[module], name) for module, name in names if module in sys.modules)


def failure(error: BaseException, asked: Asked, *, seconds: float | None = None) -> ProviderError:
    """The error of ours that an exception of a provider's library stands for. `seconds` is how long was waited."""
    status, headers = _status(error), _headers(error)
    said = _said(error, asked)
    if status is not None:
        return _by_status(status, headers, said, asked)
    names = {kind.__name__ for each in _chain(error) for kind in type(each).__mro__}
    if names & _TIMEOUTS:
        return timed_out(asked, seconds)
    if names & _BROKEN:
        return broken_off(asked)
    if names & _CONNECTIONS:
        return Unreachable(f"{asked.who} cannot be reached: {asked.unreachable}.")
    if code := _CODE.search(said):  # a gateway that says so in the body of an answer
        return _by_status(int(code[1]), headers, said, asked)
    if names & _IN_BODY and not names & _UNREADABLE:  # in the middle of a stream there is no status
        return _by_status(429 if _BUSY.search(said) else _OVERLOADED, headers, said, asked)
    if parameter := _parameter(said, asked):
        return ParameterRefused(f"{asked.who} does not take {parameter}.", parameter=parameter)
    return MalformedReply(
        f"{asked.who} gave an answer that cannot be read ({type(error).__name__}): "
        "check that the address is that of a model's server."
    )


def timed_out(asked: Asked, seconds: float | None) -> TimedOut:
    """No answer in time."""
    within = "in time" if seconds is None else f"within {seconds:g} seconds"
    return TimedOut(f"{asked.who} gave no answer {within}: try again, or raise model_timeout.")


def stalled(asked: Asked, seconds: float) -> TimedOut:
    """A stream that has stopped flowing."""
    return TimedOut(f"{asked.who} stopped in the middle of its answer for {seconds:g} seconds: try again.")


def broken_off(asked: Asked) -> BrokenOff:
    """A stream that has ended too early."""
    return BrokenOff(f"{asked.who} broke off its answer: try again, or look into the server's log.")


def refused(asked: Asked) -> ContentRefused:
    """A model that will not answer."""
    return ContentRefused(f"{asked.who} declined to answer: set fallback_model to another one.")


def _by_status(status: int, headers: Mapping[str, str], said: str, asked: Asked) -> ProviderError:
    told = f"{status}: {_quoted(said, asked)}"
    wait = f"wait, or set fallback_model ({told})"
    match status:
        case 403 if _REFUSED.search(said):
            return ContentRefused(f"{asked.who} declined to answer: set fallback_model to another one ({told}).")
        case 401 | 403:  # what a provider says of a key may quote it
            return Unauthorized(f"{asked.who} refuses access ({status}): set {asked.key_setting} to a valid key.")
        case 402:
            return Unauthorized(f"{asked.who} has no credit left ({status}): top up, or set another key.")
        case 404 | 405 if status == 404 and "model" in said.lower():
            return NoSuchModel(f"{asked.who} is not there: {asked.missing} ({told}).")
        case 404 | 405 | 301 | 302 | 307 | 308:
            return NoSuchModel(f"{asked.who} is not asked at this address: check base_url ({told}).")
        case 408 | 504:
            return TimedOut(f"{asked.who} gave no answer in time: try again ({told}).")
        case 429 if _NO_CREDIT.search(said):
            return Unauthorized(f"{asked.who} has no credit left ({status}): top up, or set another key.")
        case 429:
            after = retry_after(headers.get("retry-after"))
            if (milliseconds := retry_after(headers.get("retry-after-ms"))) is not None:
                after = milliseconds / 1_000
            if after is None and (delay := re.search(r"retryDelay\W+(\d+(?:\.\d+)?)s", said)):
                after = retry_after(delay[1])  # Google tells it in the body
            return RateLimited(f"{asked.who} is asked too often: {wait}.", retry_after=after)
    if status in (400, 413, 422) or status >= 500:
        if status == 413 or _TOO_LONG.search(said):
            return ContextTooLong(f"{asked.who} was sent more than fits its window ({told}): set model_window.")
        if status < 500 and (parameter := _parameter(said, asked)):
            return ParameterRefused(f"{asked.who} does not take {parameter} ({told}).", parameter=parameter)
        if status < 500 and _REFUSED.search(said):
            return ContentRefused(f"{asked.who} declined to answer: set fallback_model to another one ({told}).")
        if asked.structured and (status in (400, 422, 501) or _METHOD.search(said)):
            return MethodRefused(f"{asked.who} does not answer in this form ({told}).")
    if status >= 500:
        return ProviderFault(f"{asked.who} failed: try again, or look into the server's log ({told}).")
    if _NO_CREDIT.search(said):
        return Unauthorized(f"{asked.who} has no credit left ({status}): top up, or set another key.")
    return ProviderError(f"{asked.who} refuses the request: check the model and its settings ({told}).")


def _parameter(said: str, asked: Asked) -> str | None:
    """The parameter that is not taken, when the provider names one of ours."""
    if not _NOT_TAKEN.search(said):
        return None
    return next((name for name in sorted(asked.parameters) if re.search(rf"\b{name}", said)), None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and its causes."""
    while error is not None:
        yield error
        error = error.__cause__


def _status(error: BaseException) -> int | None:
    for each in _chain(error):
        for value in (getattr(each, "status_code", None), getattr(each, "code", None)):
            if isinstance(value, int) and 300 <= value < 600:
                return value
        if isinstance(value := getattr(getattr(each, "response", None), "status_code", None), int) and value >= 300:
            return value
    return None


def _headers(error: BaseException) -> Mapping[str, str]:
    # Ollama's library hides the error that has them
    for each in (*_chain(error), *_chain(error.__context__)):
        headers = getattr(getattr(each, "response", None), "headers", None)
        if isinstance(headers, Mapping):
            return {str(name).lower(): str(value) for name, value in headers.items()}
    return {}


def _said(error: BaseException, asked: Asked) -> str:
    """All that the provider says, for finding out what it means; the key is blotted out."""
    text = " ".join(f"{each} {getattr(each, 'body', '') or getattr(each, 'details', '')}" for each in _chain(error))
    key = asked.key.get_secret_value() if asked.key else ""
    return text.replace(key, "…") if key else text


def _quoted(said: str, asked: Asked) -> str:
    """What the provider says, short enough for a line; nothing when it quotes the prompt."""
    message: Any = re.search(r"""['"](?:message|error)['"]:\s*(?:'([^']+)'|"([^"]+)")""", said)
    line = inert((message[1] or message[2]) if message else said, width=160).rstrip(". ")
    for at in range(len(line) - _QUOTED):
        if line[at : at + _QUOTED] in asked.prompt:
            return "it quotes the request"
    return line or "no reason given"
