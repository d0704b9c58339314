"""Faults on a script: which call fails, and how."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any, Literal, get_args

from pydantic import Field, ValidationError

from fathom.errors import ConfigurationError
from fathom.frozen import FrozenModel
from fathom_testing.model_server.talk import Request

Status = Literal["401", "429", "500", "503", "529"]
Fault = Literal[
    Status,
    "timeout",
    "reset",
    "slow",
    "cut_stream",
    "stall_stream",
    "malformed_json",
    "wrong_schema",
    "empty",
    "only_thoughts",
    "refusal",
    "invented_ids",
    "obeys_page",
    "endless",
    "no_usage",
    "no_json_schema",
    "no_json_mode",
    "no_tools",
    "context_too_long",
]
STATUSES: tuple[str, ...] = get_args(Status)


class Rule(FrozenModel):
    """Which calls fail, and how. All that is said of a call must hold; the first rule that strikes counts."""

    fault: Fault
    """What happens to the call."""
    ask: str = ""
    """Only calls of this ask: the title of their schema, `text`, `tools`, `models` or `embeddings`."""
    protocol: str = ""
    """Only calls by this protocol: `openai`, `responses`, `ollama` or `anthropic`."""
    model: str = ""
    """Only calls to this model."""
    at: tuple[int, ...] = ()
    """The first of the calls that the rule is about is 1."""
    every: int = Field(default=0, ge=0)
    """Each call of which the number can be divided by this."""
    share: float = Field(default=1.0, ge=0, le=1)
    """Part of the calls, by chance."""
    seed: int = 0
    """Which calls chance takes."""
    times: int | None = None
    """No more often than this."""
    retry_after: float | None = None
    """Seconds in the header `retry-after` of a 429, 503 or 529."""
    seconds: float | None = None
    """How long `slow` adds, and `timeout` and `stall_stream` hang; 5 and 3600 when not said."""
    window: int = Field(default=0, ge=0)
    """Tokens that `context_too_long` lets pass."""
    filtered: bool = False
    """Whether a `refusal` comes from a filter: OpenAI's finish reason `content_filter`."""


class Script:
    """The rules of a server, with a count of what they have seen."""

    def __init__(self, rules: Iterable[Rule | dict[str, Any]] = ()) -> None:
        """Take rules, or objects that are rules.

        Raises:
            ConfigurationError: one is none.
        """
        self._rules = [rule if isinstance(rule, Rule) else _rule(rule) for rule in rules]
        self._seen = [0] * len(self._rules)
        self._struck = [0] * len(self._rules)

    @classmethod
    def read(cls, path: Path) -> Script:
        """The rules in a file: TOML with `[[rules]]`, or JSON with a list, alone or as `rules`.

        Raises:
            ConfigurationError: it is neither, or holds something else.
        """
        try:
            text = path.read_text(encoding="utf-8")
            value = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"The faults in {path} cannot be read: {error}.") from error
        rules = value.get("rules") if isinstance(value, dict) else value
        if not isinstance(rules, list):
            raise ConfigurationError(f"{path} holds no list of `rules`.")
        return cls(rules)

    def strike(self, protocol: str, ask: str, request: Request | None) -> Rule | None:
        """The rule that this call falls under; `request` is `None` for a listing."""
        found = None
        model = request.model if request else ""
        for index, rule in enumerate(self._rules):
            if rule.protocol not in ("", protocol) or rule.model not in ("", model) or rule.ask not in ("", ask):
                continue
            if not _can(rule, request, listed=rule.ask == ask):
                continue
            self._seen[index] += 1
            if found is None and self._is_hit(index, rule):
                self._struck[index] += 1
                found = rule
        return found

    def _is_hit(self, index: int, rule: Rule) -> bool:
        number = self._seen[index]
        return (
            (rule.times is None or self._struck[index] < rule.times)
            and (not rule.at or number in rule.at)
            and (not rule.every or number % rule.every == 0)
            and (rule.share == 1 or Random(f"{rule.seed}/{index}/{number}").random() < rule.share)
        )


def _rule(value: dict[str, Any]) -> Rule:
    try:
        return Rule.model_validate(value)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise ConfigurationError(f"{value} is no rule for faults: {wrong}.") from error


def _can(rule: Rule, request: Request | None, *, listed: bool) -> bool:
    """Whether the fault can befall the call: a model that has no tools only fails when they are asked for."""
    if request is None:
        return listed
    match rule.fault:
        case "no_json_schema":
            return request.native is not None
        case "no_json_mode":
            return request.json_mode
        case "no_tools":
            return bool(request.tools)
        case "context_too_long":
            return request.prompt_tokens > rule.window
        case _:
            return True
