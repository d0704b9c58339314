"""A model whose answers were written by hand: what an excellent one would say, with errors planted in it.

It speaks through the model server, over the wire. What it cites is named by words of it, and found in the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fathom_testing.model_server.answers import Prompt

_LINE = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)
_FINDING = re.compile(r'<finding id="(\d+)"[^>]*>(.*?)</finding>', re.DOTALL)
_PART = re.compile(r"<part[^>]*>(.*?)</part>", re.DOTALL)
_OUTLINED = re.compile(r'<part id="(\d+)" asks="[^"]*">(.*?)</part>', re.DOTALL)
_SENTENCE = re.compile(r'<sentence id="(\d+)"[^>]*>(.*?)</sentence>', re.DOTALL)


class Says(NamedTuple):
    """A sentence, and words of all that it cites."""

    text: str
    cites: Sequence[str]
    is_assessment: bool = False


class Verdict(NamedTuple):
    """What the judge says of a planted error."""

    status: str
    repaired: str = ""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of the question, with all that the model says of it."""

    question: str
    focus: str
    queries: Sequence[str]
    claims: Sequence[Says] = ()
    """What it finds."""
    section: Sequence[Says] = ()
    """What it writes of it."""
    groups: Sequence[str] = ()
    """Of a table, the fields whose values make the groups that it counts."""


@dataclass(frozen=True, kw_only=True)
class Play:
    """A whole run."""

    question: str
    parts: Sequence[Part]
    summary: Sequence[Says]
    conclusion: Sequence[Says]
    errors: Mapping[str, Verdict]
    """The sentences of the summary, the sections and the conclusion that are wrong."""
    left: list[str] = field(default_factory=list)
    """What the judge was shown, in order."""

    @property
    def said(self) -> list[str]:
        """All sentences that are written."""
        told = [*self.summary, *(each for part in self.parts for each in part.section), *self.conclusion]
        return [each.text for each in told]

    @property
    def answers(self) -> dict[str, Callable[[Prompt], dict[str, Any]]]:
        """By the title of the schema."""
        return {
            "PlanResearch": self._plan,
            "DirectDataset": self._direct,
            "SynthesizeSubtask": self._synthesize,
            "ExtractFindings": self._extract,
            "OutlineReport": self._outline,
            "WriteSection": self._write,
            "CheckSupport": self._judge,
        }

    def _plan(self, prompt: Prompt) -> dict[str, Any]:
        if (
            f"<question>{self.question}</question>" not in prompt.user
        ):  # what is asked of the data, taken apart once more
            return {"is_complex": False, "parts": [{"question": part.question} for part in self.parts[:1]]}
        parts = [{"question": each.question, "focus": each.focus, "queries": [*each.queries]} for each in self.parts]
        return {"is_complex": True, "strategy": "aspect", "parts": parts}

    def _extract(self, prompt: Prompt) -> dict[str, Any]:
        part = self._asked(prompt)
        shown = {int(number): text for number, text in _LINE.findall(prompt.user)}
        claims = [(each.text, _cited(each.cites, shown)) for each in part.claims]
        return {
            "findings": [{"claim": text, "cites": cites, "confidence": 0.9} for text, cites in claims],
            "answer": [{"text": text, "cites": cites} for text, cites in claims[:2]],
            "evaluation": {"depth": "deep", "sufficient": True},
        }

    def _direct(self, prompt: Prompt) -> dict[str, Any]:
        if "Counts: 0." not in prompt.user:
            return {"agents": [{"agent": "synthesizer"}]}
        count = {"agent": "aggregator", "group_by": [*self._asked(prompt).groups], "statistics": ["revenue"]}
        return {"agents": [count]}

    def _synthesize(self, prompt: Prompt) -> dict[str, Any]:
        shown = {int(id): text for id, text in _FINDING.findall(prompt.user)}
        told = [{"text": each.text, "cites": _cited(each.cites, shown)} for each in self._asked(prompt).claims]
        return {"answer": told, "confidence": 0.9}

    def _asked(self, prompt: Prompt) -> Part:
        asked = _PART.search(prompt.user)
        return next(each for each in self.parts if asked and each.question == asked[1])

    def _outline(self, prompt: Prompt) -> dict[str, Any]:
        ids = {
            int(number): [int(id) for id, _ in _FINDING.findall(text)]
            for number, text in _OUTLINED.findall(prompt.user)
        }
        firsts = [found[0] for found in ids.values() if found]
        sections = [
            {"heading": part.focus, "part": number, "findings": ids[number], "sections": []}
            for number, part in enumerate(self.parts, start=1)
            if ids.get(number)
        ]
        return {"title": self.question, "summary": firsts, "sections": sections, "conclusion": firsts}

    def _write(self, prompt: Prompt) -> dict[str, Any]:
        if "Write the summary" in prompt.system:
            told: Iterable[Says] = self.summary
        elif "Write the conclusion" in prompt.system:
            told = self.conclusion
        else:
            told = next(part.section for part in self.parts if f'heading="{part.focus}"' in prompt.user)
        shown = {int(id): text for id, text in _FINDING.findall(prompt.user)}
        return {
            "statements": [
                {
                    "text": each.text,
                    "cites": _cited(each.cites, shown),
                    "assessment": each.is_assessment,
                    "form": "paragraph",
                }
                for each in told
            ]
        }

    def _judge(self, prompt: Prompt) -> dict[str, Any]:
        judgements = []
        for id, text in _SENTENCE.findall(prompt.user):
            self.left.append(text)
            verdict = self.errors.get(text, Verdict("supported"))
            judgements.append(
                {"sentence": int(id), "why": "as read", "status": verdict.status, "repaired": verdict.repaired}
            )
        return {"judgements": judgements}


def _cited(words: Sequence[str], shown: Mapping[int, str]) -> list[int]:
    """The numbers of what holds the words.

    Raises:
        LookupError: nothing that is shown holds them.
    """
    found = []
    for each in words:
        numbers = [number for number, text in shown.items() if each in text]
        if not numbers:
            raise LookupError(f"nothing that is shown holds {each!r}: {list(shown.values())}")
        found.append(numbers[0])
    return list(dict.fromkeys(found))
