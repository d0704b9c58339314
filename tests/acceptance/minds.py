"""A model that knows what the seeds' examples do: how it divides, what it finds shallow, what a discovery adds.

It speaks over the wire and decides on moves alone; what it reads and writes is what the model server says of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from fathom_testing.model_server import ModelServer, mind
from fathom_testing.model_server.answers import Prompt, known
from fathom_testing.model_server.answers.tags import tags, text_of


@dataclass
class Mind:
    """What is decided, by what is asked."""

    parts: Sequence[Mapping[str, Any]]
    """Of the plan, in the shape of the wire."""
    shallow: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """By the question of a part: the verdicts of its rounds, in order; behind them it is answered."""
    looks_for: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By the question of a part: words of the sentences that bear on it; without them, what the server finds."""
    discoveries: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By the question of a part that has ended: how the plan changes."""
    _judged: dict[str, int] = field(default_factory=dict)

    def plan(self, _: Prompt) -> dict[str, Any]:
        """The parts."""
        divided = len(self.parts) > 1
        return {"is_complex": divided, "strategy": "aspect" if divided else "none", "parts": [*map(dict, self.parts)]}

    def read(self, prompt: Prompt) -> dict[str, Any]:
        """What the server finds, with our verdict."""
        part = tags(prompt.user, "part")[0].text
        round = self._judged[part] = self._judged.get(part, 0) + 1
        verdicts = self.shallow.get(part, ())
        verdict = verdicts[round - 1] if round <= len(verdicts) else {"depth": "adequate", "sufficient": True}
        changes = {"changes_plan": part in self.discoveries}
        told = known_answer("ExtractFindings", prompt)
        if wanted := self.looks_for.get(part):
            lines = [(int(at), text) for at, text in _LINE.findall(prompt.user) if any(word in text for word in wanted)]
            told["findings"] = [{"claim": "", "cites": [at], "relevance": 8} for at, _ in lines]
            told["answer"] = [{"text": text, "cites": [at]} for at, text in lines[:2]]
        return {**told, "evaluation": {**verdict, **changes}}

    def revise(self, prompt: Prompt) -> dict[str, Any]:
        """What a discovery adds."""
        return dict(self.discoveries.get(text_of(prompt.user, "finished"), {"revise": False, "impact": 0.0}))

    @contextmanager
    def at_work(self) -> Iterator[ModelServer]:
        """A server that thinks so."""
        own = {**_KNOWN, "PlanResearch": self.plan, "ExtractFindings": self.read, "RevisePlan": self.revise}
        with pytest.MonkeyPatch.context() as patch, ModelServer() as server:
            patch.setattr(mind, "known", lambda: own)
            yield server
            assert [call.error for call in server.calls if call.error] == []


_KNOWN = dict(known())
_LINE = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)


def known_answer(ask: str, prompt: Prompt) -> dict[str, Any]:
    """What the server says of its own."""
    return _KNOWN[ask](prompt)


def settings_of(server: ModelServer) -> dict[str, Any]:
    """Settings under which it is asked, and nobody else."""
    return {"model": "openai:fathom-test", "base_url": f"{server.url}/v1"}


def part(question: str, *queries: str, focus: str = "", after: tuple[int, ...] = (), importance: float = 0.9) -> Any:
    """A part of a plan, in the shape of the wire."""
    return {
        "question": question,
        "focus": focus,
        "queries": [*queries],
        "after": [*after],
        "importance": importance,
    }


def shallow(*areas: str, missing: tuple[str, ...] = (), queries: tuple[str, ...] = ()) -> Any:
    """The verdict that a part is shallow, in the shape of the wire."""
    return {
        "reasoning": "general statements alone",
        "depth": "superficial",
        "sufficient": False,
        "areas": [*areas],
        "missing": [*missing],
        "queries": [*queries],
    }
