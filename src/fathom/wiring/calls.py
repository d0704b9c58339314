"""What a run has called, as its journal tells it: each call with what it took, and what all of them took together."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Literal

from fathom.frozen import FrozenModel
from fathom.limits import Tier
from fathom.ports import JournalEntry

_TO_A_MODEL = re.compile(r"/model(/\d+)?$")


class CallMade(FrozenModel):
    """One call to the outside, or to a reasoner without models."""

    number: int
    """Order of completion, 1 first."""
    path: str
    """Where in the run: `task_1/r0/extract`."""
    ask: str
    """Name of the ask that it served, `search` or `describe`."""
    tier: Tier | None = None
    """The tier that a model was asked for; `None` for all else."""
    model: str | None = None
    """`provider:model`; `None` for all else."""
    prompt_tokens: int = 0
    """Tokens sent to the model."""
    completion_tokens: int = 0
    """Tokens received from it."""
    cost_usd: float | None = None
    """US dollars; `None` when the price is not known, and without a model."""
    seconds: float
    """How long it took."""
    outcome: Literal["answered", "cached", "failed"] = "answered"
    """`cached`: an earlier answer was used, and nothing was paid."""
    error: str = ""
    """Why it failed, in a line."""


def calls_of(journal: Iterable[JournalEntry]) -> list[CallMade]:
    """The calls of a run, in order of completion; its decisions are none, nor are answers that were made of calls."""
    from fathom.engine.journal import ANSWER, DECIDE  # a command's first line comes before the engine

    made = [entry for entry in journal if entry.kind not in {DECIDE, ANSWER}]
    return [_call(number, entry) for number, entry in enumerate(made, start=1)]


def _call(number: int, entry: JournalEntry) -> CallMade:
    from fathom.engine.journal import FAILED

    path, ask, error = entry.path, entry.kind, ""
    if entry.kind == FAILED:
        failure = json.loads(entry.answer)
        _, _, path = entry.path.split("/", 2)
        ask, error = failure["kind"], failure["message"]
    usage, outcome = entry.usage, "failed" if entry.kind == FAILED else "answered"
    told: dict[str, Any] = {"number": number, "ask": ask, "seconds": round(entry.seconds, 3), "error": error}
    if usage is None:
        return CallMade(path=path, outcome=outcome, **told)
    told |= {"cost_usd": usage.cost_usd if usage.priced else None, "outcome": "cached" if usage.cached else outcome}
    return CallMade.like(usage, path=_TO_A_MODEL.sub("", path), **told)
