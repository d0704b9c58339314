"""What a question is and must be, the limits that it is answered under, and the id of its run."""

from __future__ import annotations

import secrets
import time
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from pydantic import ValidationError

from fathom.errors import ConfigurationError, UsageError
from fathom.limits import Effort, Limits
from fathom.plan import Mode
from fathom.registry import did_you_mean
from fathom.settings import Settings

if TYPE_CHECKING:
    from fathom.data.servers import Server


CHECKING, OPENING, EMBEDDING = 0.25, 0.5, 0.125
"""Shares of `max_time`: when it is no longer waited for whether the models can be asked, when no further document is
read and research begins, and what an embedder is given for a query."""


class Patience:
    """How long a run, from now on, may take for what comes before its research."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.max_time
        self._asked = time.monotonic()

    def until(self, share: float) -> float | None:
        """Seconds that are left until that share of the time is up; `None` without a limit."""
        return None if self._most is None else max(0.0, self._asked + share * self._most - time.monotonic())


def taken_since(asked: float, limits: Limits) -> float:
    """Seconds since a run was asked for that count as its own: research gets its part also on a slow machine."""
    taken = time.monotonic() - asked
    return min(taken, OPENING * limits.max_time) if limits.max_time else taken


class QuestionOptions(TypedDict, total=False):
    """What may be said of a question besides its words: the arguments of whatever is done with one."""

    documents: Sequence[Path | str] | None
    """Files and folders to read in first, and to keep to; without them, the whole knowledge base, unless data are given
    and no knowledge base is named."""
    data: Sequence[Path | str] | None
    """Files and folders of structured data, each a dataset."""
    mcp: Sequence[str | Server] | None
    """MCP servers: an address, a command, a name out of the settings, or a `Server`; and sources of your own: a name,
    or `module:attribute` (see `fathom.ports.connector`)."""
    mode: Mode
    """One question, or a plan of several."""
    effort: Effort | None
    """How much to do; without it, what the settings say."""
    limits: Mapping[str, Any] | None
    """Those that differ from the limits of the effort, by name."""
    template: Path | str | None
    """The outline of the report: a file of Markdown, or such a text (see `fathom.wiring.template`)."""


class Changes(TypedDict, total=False):
    """What may be changed of a run when it goes on, or is made again."""

    limits: Mapping[str, Any] | None
    """Those that replace its own, by name."""
    models: Mapping[str, Any] | None
    """Settings of language models that replace its own, by name: `{"model": "ollama:llama3.1"}`."""


class Again(Changes, total=False):
    """What may be otherwise in a run that is made again, as a new one."""

    offline: bool
    """Keep to what the run has read: its pages, and the documents that it has found evidence in. Nothing is searched,
    requested or read anew."""
    question: str | None
    """Asked in place of that of the run."""


@dataclass(frozen=True)
class Question:
    """What is asked, of what, and how it is to be answered (see `QuestionOptions`); nothing of it is checked yet."""

    text: str
    """The question, in any language."""
    _: KW_ONLY
    documents: Sequence[Path | str] | None = None
    data: Sequence[Path | str] | None = None
    mcp: Sequence[str | Server] | None = None
    mode: Mode = "auto"
    effort: Effort | None = None
    limits: Mapping[str, Any] | None = None
    template: Path | str | None = None
    knowledge: bool = True
    """Whether documents are asked; without them, the web or data alone."""
    settings: Settings | None = None
    """Those of its run, where they differ from those of whoever carries it out."""


def checked_query(query: str, limits: Limits) -> str:
    """The question without control characters, and with white space only between words: one space or one end of a line.

    Raises:
        UsageError: it is empty, too long, or has no letter and no digit.
    """
    text = "".join(char if unicodedata.category(char) not in {"Cc", "Cs"} or char == "\n" else " " for char in query)
    cleaned = "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))
    if not cleaned:
        raise UsageError("The question is empty. Ask something, for example 'How does X work, and when does it fail?'.")
    if len(cleaned) > limits.max_query_length:
        raise UsageError(
            f"The question has {len(cleaned):,} characters and may have {limits.max_query_length:,}. "
            "Shorten it, or raise `max_query_length`."
        )
    if not any(unicodedata.category(char)[0] in "LN" for char in cleaned):
        raise UsageError("The question has no letter and no digit in it. Ask it in words.")
    return cleaned


def limits_for(settings: Settings, changes: Mapping[str, Any] | None = None, *, effort: Effort | None = None) -> Limits:
    """The limits of the effort in force, changed by the settings and then by `changes`.

    Raises:
        ConfigurationError: names the limit that is wrong, and why.
    """
    return changed_limits(Limits.for_effort(effort or settings.effort), {**settings.limits, **(changes or {})})


def changed_limits(limits: Limits, changes: Mapping[str, Any]) -> Limits:
    """The limits with `changes`, by name; errors as for `limits_for`."""
    try:
        return Limits.model_validate({**limits.model_dump(), **changes})
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        if first["type"] == "extra_forbidden":
            known = did_you_mean(name, list(Limits.model_fields))
            raise ConfigurationError(f"There is no limit '{name}'.{known}") from error
        raise ConfigurationError(f"Limit '{name}' is wrong: {first['msg'].removeprefix('Value error, ')}.") from error


def new_run_id(now: float | None = None) -> str:
    """`run_` and 12 characters: nine of the time in milliseconds, so that ids sort by it, and three of chance.

    >>> new_run_id(0.0)[:-3] < new_run_id(1.0)[:-3]
    True
    """
    milliseconds = int((time.time() if now is None else now) * 1000)
    return f"run_{_base32(milliseconds, 9)}{_base32(secrets.randbelow(32**3), 3)}"


def _base32(number: int, length: int) -> str:
    """Crockford's base 32 in lower case: no letter that is taken for a digit."""
    return "".join("0123456789abcdefghjkmnpqrstvwxyz"[number >> 5 * place & 31] for place in reversed(range(length)))
