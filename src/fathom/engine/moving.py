"""A run whose answers name places of one machine, told without them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from fathom.asks import Ask
from fathom.engine.context import Context
from fathom.engine.journal import ANSWER, FAILED
from fathom.frozen import json_digest, request_digest
from fathom.ports import JournalEntry
from fathom.text.places import unplaced


@dataclass(eq=False)
class Moved(Context):
    """Finds what was asked under its old name, and takes down under which it is found from now on."""

    before: Mapping[str, str] = field(default_factory=dict)
    """What each new name stands for."""
    requests: dict[str, str] = field(default_factory=dict)
    """The new digest of each request by the old one."""

    def digest(self, ask: Ask[Any]) -> str:
        """That of the ask with the old names in it."""
        now = ask.digest()
        old = json_digest(mapped(ask.model_dump(mode="json"), lambda text: self.before.get(text, text)))
        asked = [(self.run.reasoner, ask.kind()), (ANSWER, ask.kind())]
        attempts = ((), *((f"attempt {number}",) for number in range(2, self.run.attempt + 1)))
        for before, behind in product(asked, attempts):
            self.requests[request_digest(*before, old, *behind)] = request_digest(*before, now, *behind)
        return old


def mapped(value: Any, change: Callable[[str], str]) -> Any:
    """JSON with each text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [mapped(each, change) for each in value]
    if isinstance(value, dict):
        return {name: mapped(each, change) for name, each in value.items()}
    return value


def renamed(entry: JournalEntry, places: Mapping[str, str]) -> str:
    """The answer of a call, with other names for places; what a failed one says tells no folder."""
    told = json.loads(entry.answer)
    change = unplaced if entry.kind == FAILED else lambda text: places.get(text, text)
    changed = mapped(told, change)
    return entry.answer if changed == told else json.dumps(changed)
