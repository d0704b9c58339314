"""Writing and checking a report: the sentences of the sheet, word for word, in the forms that they have there."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from fathom.text.display import word_count
from fathom.text.typeset import BAR, cells_of
from fathom.verification.verdicts import check
from fathom.written import units_of
from fathom_testing.model_server.answers import ANSWERS, Prompt
from fathom_testing.model_server.answers.tags import Tag, tags, text_of

_LINE = re.compile(r"^\[(\d+)\]!? (?:\(computed\) )?(.+)$")
_FINDING = re.compile(r"^(?:\((\d+)\) )?(\d+) .*?(?:\[([\d, ]+)\])?$")
_LENGTH = re.compile(r"About ([\d,]+) (words|characters)")
_HEADING = re.compile(r"^  - (.+?)(?:: .*)?$", re.MULTILINE)
MUST = 8
"""Points from which a finding is told however long the report becomes."""
ROWS = 3
"""Rows from which they are a table."""


class Shown(NamedTuple):
    """A sentence of the sheet."""

    text: str
    lead: str
    """The line behind `>` that it is under."""
    document: int


class Found(NamedTuple):
    """A finding of the prompt."""

    id: int
    points: int
    numbers: tuple[int, ...]


# ── What is shown ──────────────────────────────────────────────────────────────────────────────────────────────────


def _sheet(prompt: Prompt) -> dict[int, Shown]:
    """Every sentence by its number."""
    shown: dict[int, Shown] = {}
    for at, document in enumerate(tags(next(iter(tags(prompt.user, "sheet"))).inner, "document")):
        lead = ""
        for line in document.inner.strip().splitlines():
            if line.startswith((">", "# ")):
                lead = html.unescape(line.removeprefix(">").strip()) if line[0] == ">" else lead
            elif match := _LINE.match(line):
                shown[int(match[1])] = Shown(html.unescape(match[2]), lead, at)
    return shown


def _findings(material: str) -> list[Found]:
    """The lines of findings, in order: the most relevant of a part first."""
    matches = filter(None, map(_FINDING.match, material.splitlines()))
    return [Found(int(each[1] or 0), int(each[2]), _numbers(each[3])) for each in matches]


def _listed(prompt: Prompt) -> str:
    """The lines of the findings, escaped as they came."""
    return next((tag.inner for tag in tags(prompt.user, "findings")), "")


def _numbers(listed: str | None) -> tuple[int, ...]:
    return tuple(map(int, (listed or "").split(","))) if listed else ()


def _said(material: str, kind: str) -> list[str]:
    """What the lines of a kind, such as `answer: …`, say."""
    lines = (line.partition(": ") for line in material.splitlines())
    return [html.unescape(text) for name, _, text in lines if name == kind]


def _words(count: str, unit: str) -> int:
    return int(count.replace(",", "")) // (2 if unit == "characters" else 1)


# ── What is written ────────────────────────────────────────────────────────────────────────────────────────────────


def _blocks(numbers: Sequence[int], sheet: dict[int, Shown]) -> list[dict[str, Any]]:
    """These sentences, those under one line together: rows as a table, others as a list, the rest as paragraphs."""
    led = groupby(numbers, key=lambda number: (sheet[number].document, sheet[number].lead))
    together: dict[tuple[int, str], list[int]] = {}
    for place, own in led:
        together.setdefault(place if place[1] else (-1, f"{len(together)}"), []).extend(own)
    return [_block(own, sheet) for own in together.values()]


def _block(own: Sequence[int], sheet: dict[int, Shown]) -> dict[str, Any]:
    lead = sheet[own[0]].lead
    if BAR in lead and len(own) >= ROWS:
        rows = [[f"{cell} [{number}]" for cell in cells_of(sheet[number].text)] for number in own]
        return {"kind": "table", "columns": list(cells_of(lead)), "rows": rows}
    marked = [_marked(number, sheet) for number in own]
    if lead and BAR not in lead:
        return {"kind": "list", "text": lead, "items": marked}
    return {"kind": "paragraph", "text": " ".join(marked)}


def _marked(number: int, sheet: dict[int, Shown]) -> str:
    """A sentence with its number before the full stop."""
    text = sheet[number].text
    stop = re.search(r"[.!?。！？]?$", text)
    at = stop.start() if stop else len(text)
    return f"{text[:at]} [{number}]{text[at:]}"


def _sections(headings: Iterable[str], parts: Iterable[Sequence[int]], sheet: dict[int, Shown]) -> list[dict[str, Any]]:
    made = zip(headings, parts, strict=True)
    return [{"heading": heading, "blocks": _blocks(own, sheet)} for heading, own in made if own]


def report(prompt: Prompt) -> dict[str, Any]:
    """The best sentence of each part, then the others part by part, as many as there is room for."""
    sheet, parts = _sheet(prompt), tags(prompt.user, "part")
    length = _LENGTH.search(prompt.user)
    room = _words(length[1], length[2]) if length else 950
    told: set[int] = set()
    lead: list[int] = []
    bodies: list[list[int]] = []
    for part in parts:
        found = _findings(part.inner)
        first = [n for each in found for n in each.numbers if n not in told and not sheet[n].lead][:1]
        told |= set(first)
        lead += first
        bodies.append([])
        for number, points in ((number, each.points) for each in found for number in each.numbers):
            words = word_count(sheet[number].text)
            if number not in told and (points >= MUST or words <= room / len(parts) - _length(bodies[-1], sheet)):
                told.add(number)
                bodies[-1].append(number)
    wanted = _HEADING.findall(prompt.user)
    headings = wanted if len(wanted) == len(parts) else [part.attributes["asks"] for part in parts]
    return {
        "title": "",
        "lead": [_marked(number, sheet) for number in lead],
        "sections": _sections(headings, bodies, sheet),
        **_around(prompt, sheet),
    }


def _length(numbers: Iterable[int], sheet: dict[int, Shown]) -> int:
    return sum(word_count(sheet[number].text) for number in numbers)


def _around(prompt: Prompt, sheet: dict[int, Shown]) -> dict[str, Any]:
    """Both sides of what is marked as a contradiction, what is missing and the caveats."""
    found = _listed(prompt)
    sides = [tuple(map(int, re.findall(r"\d+", each))) for each in _said(found, "contradiction")]
    return {
        "disagreements": [" ".join(_marked(number, sheet) for number in each if number in sheet) for each in sides],
        "next_steps": [],
        "limits": list(dict.fromkeys((*_said(found, "caveat"), *_said(found, "missing")))),
    }


def plan(prompt: Prompt) -> dict[str, Any]:
    """A section for each part that has findings."""
    parts = tags(prompt.user, "part")
    wanted = _HEADING.findall(prompt.user)
    headings = wanted if len(wanted) == len(parts) else [part.attributes["asks"] for part in parts]
    found = [[each.id for each in _findings(part.inner)] for part in parts]
    return {
        "title": "",
        "sections": [
            {"heading": heading, "says": "", "form": "paragraphs", "words": 150, "findings": own}
            for heading, own in zip(headings, found, strict=True)
            if own
        ],
    }


def sections(prompt: Prompt) -> dict[str, Any]:
    """The sections that are named, with the findings in their order, as many in each as it has room for."""
    sheet, wanted = _sheet(prompt), tags(prompt.user, "write")
    numbers = list(dict.fromkeys(number for each in _findings(_listed(prompt)) for number in each.numbers))
    share = -(-len(numbers) // len(wanted))
    parts = [numbers[at * share : (at + 1) * share] for at in range(len(wanted))]
    return {"sections": _sections([tag.attributes["heading"] for tag in wanted], parts, sheet)}


def frame(prompt: Prompt) -> dict[str, Any]:
    """The answers to the parts; without any, what each section cites first."""
    sheet = _sheet(prompt)
    cited = (re.findall(r"\[(?:so )?(\d+)", each) for each in text_of(prompt.user, "written").split("\n# "))
    first = [_marked(int(numbers[0]), sheet) for numbers in cited if numbers and int(numbers[0]) in sheet]
    return {"title": "", "lead": _said(_listed(prompt), "answer") or first, **_around(prompt, sheet)}


def simple(prompt: Prompt) -> dict[str, Any]:
    """Every fact, word for word."""
    facts = filter(None, map(_LINE.match, prompt.user.splitlines()))
    return {"sentences": [f"{html.unescape(each[2])} [{each[1]}]" for each in facts]}


# ── What is checked ────────────────────────────────────────────────────────────────────────────────────────────────


def wrong(prompt: Prompt) -> dict[str, Any]:
    """The units that a comparison of their words with what they cite refutes, without a repair."""
    sheet = _sheet(prompt)
    return {"wrong": [found for unit in tags(prompt.user, "unit") for found in _wrong(unit, sheet)]}


def _wrong(tag: Tag, sheet: dict[int, Shown]) -> Iterator[dict[str, Any]]:
    for unit in units_of(tag.text):
        named = [f"{sheet[number].lead} {sheet[number].text}".strip() for number in unit.cites if number in sheet]
        verdict = check(unit.text, named)
        if unit.cites and not unit.is_conclusion and verdict.status in ("unsupported", "contradicted"):
            kind = "opposite" if verdict.status == "contradicted" else "not_said"
            yield {"unit": tag.attributes["id"], "kind": kind, "why": verdict.why, "repair": ""}
            return


ANSWERS.update(
    {
        "WriteReport": report,
        "PlanReport": plan,
        "WriteSections": sections,
        "FrameReport": frame,
        "WriteSimple": simple,
        "CheckReport": wrong,
    }
)
