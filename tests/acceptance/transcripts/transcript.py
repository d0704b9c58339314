"""A run that a capable model was played in by hand, answered again from its transcript.

A transcript has each answer with the numbered sentences that its prompt showed. Today they may have others,
so numbers are translated by their sentences, and one whose sentence is not shown any more is left out and counted.
"""

from __future__ import annotations

import gzip
import html
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fathom_testing.model_server.answers import Prompt

HERE = Path(__file__).parent
_LINE = re.compile(r"^\[(\d+)\]!? (?:\(computed\) )?(.*)$", re.MULTILINE)
_PART = re.compile(r"<part[^>]*>(.*?)</part>", re.DOTALL)
_MARK = re.compile(r"\s*\[(so )?(\d+(?:, ?\d+)*)\]")
_UNIT = re.compile(r'<unit id="([^"]*)"[^>]*>(.*?)</unit>')
_CITING = ("cites", "contradictions")


def sentences(material: str) -> dict[str, str]:
    """The numbered sentences of a prompt, by their numbers."""
    return {number: html.unescape(text).strip() for number, text in _LINE.findall(material)}


def unmarked(text: str) -> str:
    """A text without its citation marks, its final stop and its white space."""
    return "".join(_MARK.sub("", text).split()).rstrip(".")


def part(material: str) -> str:
    """The part of the question that a prompt is about; empty where it is about all of it."""
    found = _PART.search(material)
    return html.unescape(found[1]).strip() if found and "<findings>" not in material else ""


@dataclass
class Transcript:
    """The answers of a run, in their order."""

    name: str
    question: str
    calls: list[dict[str, Any]]
    """`kind`, `part`, `numbers` (its sentences), of a check `units`, and `response` of each."""
    planted: list[dict[str, str]] = field(default_factory=list)
    """The mistakes that a script has put into its report: `kind`, and the `text` that is wrong."""
    asked: Counter[str] = field(default_factory=Counter)
    """Prompts that were answered from it, by kind."""
    lost: list[str] = field(default_factory=list)
    """Sentences that an answer cites and today's prompt does not show."""
    _given: Counter[tuple[str, str]] = field(default_factory=Counter)

    @classmethod
    def read(cls, name: str) -> Transcript:
        """The transcript of that name."""
        with gzip.open(HERE / name / "transcript.json.gz", "rt", encoding="utf-8") as file:
            return cls(name, **json.load(file))

    @property
    def answers(self) -> Mapping[str, Callable[[Prompt], Any]]:
        """Answerers for the model server, by the title of the schema."""
        return {kind: self._answerer(kind) for kind in dict.fromkeys(call["kind"] for call in self.calls)}

    def _answerer(self, kind: str) -> Callable[[Prompt], Any]:
        def answer(prompt: Prompt) -> Any:
            about = part(prompt.user)
            calls = [call for call in self.calls if call["kind"] == kind]
            own = [call for call in calls if call["part"] == about] or calls
            call = own[min(self._given[kind, about], len(own) - 1)]
            self._given[kind, about] += 1
            self.asked[kind] += 1
            today = {text: number for number, text in reversed(sentences(prompt.user).items())}
            response = self._translated(call["response"], call["numbers"], today)
            if units := call.get("units"):  # the places of a report's units may be others today
                places = {unmarked(text): id for id, text in _UNIT.findall(html.unescape(prompt.user))}
                for wrong in response["wrong"]:
                    wrong["unit"] = places.get(unmarked(units[wrong["unit"]]), wrong["unit"])
            return response

        return answer

    def _translated(self, value: Any, then: Mapping[str, str], today: Mapping[str, str], name: str = "") -> Any:
        def number(old: object) -> str | None:
            new = today.get(then.get(str(old), ""))
            self.lost += [] if new else [then.get(str(old), f"[{old}]")]
            return new

        def mark(match: re.Match[str]) -> str:
            new = [found for old in re.findall(r"\d+", match[2]) if (found := number(old))]
            return f" [{match[1] or ''}{', '.join(new)}]" if new else ""

        if isinstance(value, dict):
            return {key: self._translated(each, then, today, key) for key, each in value.items()}
        if isinstance(value, list) and name in _CITING and value and all(isinstance(each, int) for each in value):
            return [int(new) for each in value if (new := number(each))]
        if isinstance(value, list):
            return [self._translated(each, then, today, name) for each in value]
        return _MARK.sub(mark, value) if isinstance(value, str) and name not in ("unit", "kind") else value
