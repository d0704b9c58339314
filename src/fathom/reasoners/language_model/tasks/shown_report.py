"""What a model is shown to write or check a report: the sheet, and the findings by part with their numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from urllib.parse import unquote

from markupsafe import Markup

from fathom.asks import PartOfReport, WriteReport
from fathom.evidence import Document
from fathom.findings import Finding
from fathom.prompts import escaped
from fathom.reasoners.language_model.tasks.sources import speaker
from fathom.reasoners.language_model.tasks.words import line
from fathom.sheet import Sheet

HIGH = 8
"""Relevance, of 10, from which a finding must be in the report."""
CLAIM_LENGTH = 600
"""Characters of a claim, at most."""


def shown_sheet(sheet: Sheet, only: Collection[int] | None = None) -> Markup:
    """The sheet, or the sentences with these numbers."""
    lines: list[str] = []
    at: Document | None = None
    section = lead = ""
    is_led, shown = False, set[str]()
    for number, document, sentence in sheet:
        if only is not None and number not in only:
            continue
        if document.document is not at:
            lines += ["</document>"] if at else []
            at, section, lead, is_led, shown = document.document, "", "", False, set()
            lines.append(_opening(at))
            lines += [f"({document.left_out} more rows of this table are not shown)"] if document.left_out else []
        place = section_of(at, sentence.evidence[0].locator)
        if place != section and not sentence.computed:
            section = place
            lines += [f"# {escaped(place)}"] if place else []
        if sentence.lead != lead:
            was_led, lead, is_led = is_led, sentence.lead, bool(sentence.lead) and sentence.lead not in shown
            lines += [f"> {escaped(lead)}"] if is_led else [">"] if was_led else []
        shown.add(sentence.text)
        computed = "(computed) " if sentence.computed else ""
        lines.append(f"[{number}] {computed}{escaped(' '.join(sentence.text.split()))}")
    lines += ["</document>"] if at else []
    return Markup("\n".join(["<sheet>", *lines, "</sheet>"]))


def section_of(document: Document, locator: str) -> str:
    """The headings that a sentence is under, without the title that its document has already."""
    return locator.removeprefix(document.title).removeprefix(" › ")


def file_of(document: Document) -> str:
    """The name of a file, unless its title says it."""
    name = unquote(document.uri.rpartition("/")[2]) if document.kind == "file" else ""
    return "" if name.rpartition(".")[0] in document.title or name == document.title else name


def _opening(document: Document) -> str:
    said = {
        "title": document.title,
        "file": file_of(document),
        "date": document.published[:10],
        "from": speaker(document.model_copy(update={"published": ""})).removesuffix(", no date"),
    }
    attributes = (f'{name}="{_attribute(value)}"' for name, value in said.items() if value)
    return f"<document {' '.join(attributes)}>"


def _attribute(value: str) -> str:
    return escaped(" ".join(value.split())).replace('"', "&quot;")


class ShownFindings:
    """The findings of a report's parts, with the numbers of the sentences that they cite."""

    def __init__(self, ask: WriteReport) -> None:
        self._ask = ask
        best = max((each.relevance for part in ask.parts for each in part.findings), default=1.0)
        self._scale = 10 / max(1.0, best)
        self.numbers: dict[str, tuple[int, ...]] = {}
        """Of each finding, by its id, those of its sentences."""
        of: dict[str, list[int]] = {}
        for number, _, sentence in ask.sheet:
            for id in sentence.findings:
                of.setdefault(id, []).append(number)
        self.numbers = {id: tuple(found) for id, found in of.items()}
        self._texts = {number: " ".join(sentence.text.split()) for number, _, sentence in ask.sheet}

    @cached_property
    def all(self) -> tuple[Finding, ...]:
        """Every finding that is on the sheet, each claim once, of each part the most relevant first."""
        found: dict[str, Finding] = {}
        for part in self._ask.parts:
            for each in sorted(part.findings, key=lambda each: -each.relevance):
                if each.id in self.numbers:
                    found.setdefault(" ".join(each.claim.casefold().split()), each)
        return tuple(found.values())

    def points(self, finding: Finding) -> int:
        """How much it matters, 0 to 10."""
        return min(10, round(self._scale * finding.relevance))

    def must(self, finding: Finding) -> bool:
        """Whether it has to be in the report."""
        return self.points(finding) >= HIGH

    def of_parts(self, *, numbered: bool = False, room: int | None = None) -> Markup:
        """The findings part by part, the most relevant that `room` characters hold; `numbered`, without their sentences
        and under their places in `all`."""
        lines = ["<findings>"]
        places = {finding.id: at for at, finding in enumerate(self.all, start=1)}
        kept = _fitting(self.all, room) if room is not None else {each.id for each in self.all}
        for part in self._ask.parts:
            lines.append(f'<part asks="{_attribute(part.subtask.description)}">')
            for finding in sorted(part.findings, key=lambda each: -each.relevance):
                if finding.id in places and finding.id in kept:
                    lines.append(self._line(finding, places[finding.id] if numbered else 0))
            lines += self._frame(part, answers=not numbered)
            lines.append("</part>")
        lines += [] if numbered else self._contradictions()
        return Markup("\n".join([*lines, "</findings>"]))

    def of_some(self, findings: Sequence[Finding]) -> Markup:
        """Some of them, in their order."""
        return Markup("\n".join(["<findings>", *(self._line(each, 0) for each in findings), "</findings>"]))

    def around(self) -> Markup:
        """What the lead, the disagreements and the limits need: answers, contradictions and what is missing."""
        lines = [line for part in self._ask.parts for line in self._frame(part, answers=True)]
        return Markup("\n".join(["<findings>", *lines, *self._contradictions(), "</findings>"]))

    def framed(self) -> set[int]:
        """The numbers that `around` names."""
        answers = (each for part in self._ask.parts if part.synthesis for each in part.synthesis.statements)
        named = [id for each in answers for id in each.findings]
        return {at for id in (*named, *(id for pair in self._ask.contradictions for id in pair)) for at in self._of(id)}

    def _of(self, id: str) -> tuple[int, ...]:
        return self.numbers.get(id, ())

    def _line(self, finding: Finding, place: int) -> str:
        numbers = self.numbers[finding.id]
        claim = line(finding.claim, CLAIM_LENGTH)
        if not place and len(numbers) == 1 and claim == self._texts[numbers[0]]:
            claim = ""  # the sheet says it to the letter
        named = f"({place}) " if place else ""
        marks = "" if place else f" [{', '.join(map(str, numbers))}]"
        return f"{named}{self.points(finding)} {escaped(claim)}{marks}".replace("  ", " ")

    def _frame(self, part: PartOfReport, *, answers: bool) -> Iterator[str]:
        if part.synthesis:
            for statement in part.synthesis.statements if answers else ():
                numbers = dict.fromkeys(at for id in statement.findings for at in self._of(id))
                if numbers:
                    yield f"answer: {escaped(statement.text)} [{', '.join(map(str, numbers))}]"
            yield from (f"caveat: {escaped(each)}" for each in part.synthesis.caveats)
        yield from (f"missing: {escaped(each)}" for each in part.missing)

    def _contradictions(self) -> Iterator[str]:
        shown: list[frozenset[int]] = []
        for pair in self._ask.contradictions:
            sides = [self._of(id) for id in pair]
            both = frozenset(number for side in sides for number in side)
            if all(sides) and not any(both <= other or other <= both for other in shown):
                shown.append(both)
                yield " and ".join(f"[{', '.join(map(str, side))}]" for side in sides).join(("contradiction: ", ""))


def _fitting(findings: Sequence[Finding], room: int) -> set[str]:
    kept = set[str]()
    for each in sorted(findings, key=lambda each: -each.relevance):
        room -= len(line(each.claim, CLAIM_LENGTH)) + 12
        if room < 0:
            break
        kept.add(each.id)
    return kept
