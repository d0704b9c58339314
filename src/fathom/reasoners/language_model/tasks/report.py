"""WriteReport: one call that sees everything; where that does not fit, a plan, its sections, and their frame.

A model whose answers do not have the form is asked section by section, in the simplest form that there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from fathom.asks import WriteReport
from fathom.errors import BudgetSpent, ProviderError, Unauthorized
from fathom.findings import Finding
from fathom.reasoners.language_model.task import Draft, Put, Read, Stepwise, Wire
from fathom.reasoners.language_model.tasks.shown_report import ShownFindings, shown_sheet
from fathom.reasoners.language_model.tasks.words import Number, Whole, line, lines, one_of, picked
from fathom.reasoners.language_model.tasks.written_units import (
    FORMS,
    HEADING,
    UNMARKED,
    FrameText,
    ReportText,
    SectionsText,
    UnitReader,
    share_unmarked,
    texts_of,
)
from fathom.text.characters import count_cjk
from fathom.written import Clause, Unit, WrittenBlock, WrittenReport, WrittenSection

ONE_CALL_WORDS = 3_000
"""Words of a report that one call writes, at most."""
GROUP_WORDS = 1_200
"""Words of the sections that one call writes together, at most."""
SHARE = 0.85
"""Most of the window that a prompt and its answer take together."""
TOKENS_OF_A_WORD, SLACK_TOKENS = 3.0, 800
"""Of an answer, its numbers and its form included; the room for it has as many tokens again as `SLACK_TOKENS`."""
LEAD_SHARE, FRAME_SHARE = 1 / 9, 1 / 3
LEAST_LEAD, MOST_LEAD = 60, 110
"""Words of the answer at the head of a report: short enough to be read at one go, however long the report is."""
PLAN_TOKENS = 2_400
"""Of the answer that plans a report."""
FACTS = 12
"""Findings that a section in the simple form is given, at most."""
SMALL = 9
"""Billions of parameters up to which a model is asked in the simple form."""
_SIZE = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d+)?)b(?![a-z])", re.IGNORECASE)


class PlannedSection(Wire):
    """A section."""

    heading: str
    """What it holds, in a few words."""
    says: str = ""
    """What it says, in a sentence."""
    form: Annotated[str, one_of(["paragraphs", "list", "steps", "table"])] = "paragraphs"
    """How it is set."""
    words: Whole = 150
    """Its length."""
    findings: list[Number]
    """Numbers of its findings."""


class ReportPlan(Wire, title="PlanReport"):
    """The sections of a report."""

    title: str = ""
    """Its subject, in a few words."""
    sections: list[PlannedSection]
    """In order."""


class SimpleSection(Wire, title="WriteSimple"):
    """A section as a small model writes it."""

    sentences: list[str]
    """Each with the numbers of its facts in brackets."""


@dataclass(frozen=True)
class _Section:
    """A section to write."""

    heading: str
    says: str
    form: str
    words: int
    findings: tuple[Finding, ...]


class WriteReportTask(Stepwise[WriteReport, WrittenReport]):
    """Sheet and findings in, a typed report out."""

    name = "write_report"

    async def answer(self, ask: WriteReport, put: Put) -> Read[WrittenReport]:
        """In one call, in several, or section by section in the simple form: the first that gives a report.

        Raises:
            ProviderError: none of them did.
        """
        writing = _Writing(ask, put)
        ways = [writing.in_sections, writing.simply]
        if writing.is_small:
            ways = [writing.simply]
        elif writing.fits_in_one:
            ways.insert(0, writing.whole)
        failure: ProviderError | None = None
        best: tuple[float, Read[WrittenReport]] | None = None
        for way in ways:
            try:
                read = await way()
            except (BudgetSpent, Unauthorized) as error:
                failure = error
                break
            except ProviderError as error:
                failure = failure or error
                continue
            lack = share_unmarked(read.answer) + read.is_cut
            if best is None or lack < best[0]:
                best = (lack, read)
            if lack <= UNMARKED:
                break
        if best is None:
            assert failure is not None, "a way returns or raises"
            raise failure
        return best[1]


class _Writing:
    """One report while it is written."""

    def __init__(self, ask: WriteReport, put: Put) -> None:
        self._ask, self._put = ask, put
        self._shown = ShownFindings(ask)
        self._texts = texts_of(ask.sheet)
        self._invented = 0
        """Numbers that were dropped from what is written in the present way."""
        self._wide = count_cjk(ask.query) > 0 or ask.language in ("ja", "zh", "ko")
        size = [float(found) for found in _SIZE.findall(put.model)]
        self.is_small = bool(size) and size[-1] <= SMALL

    async def _asked(self, draft: Draft[Any], words: int, *, tokens: int = 0) -> Any:
        """The answer to a prompt that has so many words, or takes so many tokens."""
        read = await self._put(draft, answer_tokens=tokens or self._room(words))
        self._invented += read.invented
        return read.answer

    # ── In one call ────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def fits_in_one(self) -> bool:
        """Whether one call can see everything and write everything."""
        words = self._ask.max_words
        if words > ONE_CALL_WORDS or self._room(words) > self._put.max_output:
            return False
        return self._put.tokens(self._whole_draft()) + TOKENS_OF_A_WORD * words <= SHARE * self._put.window

    def _whole_draft(self) -> Draft[WrittenReport]:
        words = self._ask.max_words
        variables = {
            "sheet": shown_sheet(self._ask.sheet),
            "findings": self._shown.of_parts(),
            "outline": self._outline,
            "length": self._length(words),
            "lead": self._lead,
            "frame": self._length(round(words * FRAME_SHARE)),
        }
        return Draft(variables, ReportText, self._read_whole, streamed=True)

    def _read_whole(self, wire: ReportText) -> Read[WrittenReport]:
        reader = UnitReader(self._texts)
        report = reader.report(wire)
        if not any(unit.cites for _, unit in report.units()):
            raise ValueError("every sentence, item and cell must end with the numbers that it rests on, such as [3, 7]")
        return Read(report, reader.invented)

    async def whole(self) -> Read[WrittenReport]:
        """The report in one call."""
        read: Read[WrittenReport] = await self._put(self._whole_draft(), answer_tokens=self._room(self._ask.max_words))
        return read

    # ── In several ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def in_sections(self) -> Read[WrittenReport]:
        """A plan, groups of sections that see what is written, and the frame from all of it."""
        self._invented = 0
        plan, title = await self._planned()
        written: list[WrittenSection] = []
        for group in self._groups(plan):
            try:
                written += await self._group(group, plan, written)
            except (BudgetSpent, Unauthorized):
                raise
            except ProviderError:
                written += await self._simple_ones(group)
        frame = await self._framed(written, title)
        return Read(frame.model_copy(update={"sections": tuple(written)}), self._invented)

    async def _planned(self) -> tuple[list[_Section], str]:
        words = round(self._ask.max_words * (1 - FRAME_SHARE))
        draft = None
        for share in (None, 0.5, 0.25):
            room = None if share is None else round(share * self._put.window * 3)
            draft = self._plan_draft(words, room)
            if self._put.tokens(draft) <= SHARE * self._put.window:
                break
        assert draft is not None, "one was made"
        planned: tuple[list[_Section], str] = await self._asked(draft, 0, tokens=PLAN_TOKENS)
        return planned

    def _plan_draft(self, words: int, room: int | None) -> Draft[Any]:
        variables = {
            "findings": self._shown.of_parts(numbered=True, room=room),
            "outline": self._outline,
            "words": self._count(words),
            "unit": self._unit,
        }
        return Draft(variables, ReportPlan, partial(self._read_plan, words), prompt="plan_report")

    def _read_plan(self, words: int, wire: ReportPlan) -> Read[Any]:
        findings = dict(enumerate(self._shown.all, start=1))
        placed: set[int] = set()
        made: list[_Section] = []
        invented = 0
        for each in wire.sections:
            _, unknown = picked(each.findings, findings)
            own = [number for number in dict.fromkeys(each.findings) if number in findings and number not in placed]
            placed |= set(own)
            invented += unknown
            if own:
                made.append(
                    _Section(
                        line(each.heading, HEADING),
                        line(each.says, 300),
                        each.form if each.form in (*FORMS, "paragraphs") else "paragraphs",
                        each.words // 2 if self._wide else each.words,
                        tuple(findings[number] for number in own),
                    )
                )
        if not made:
            raise ValueError(f"`sections` must place the findings; their numbers are 1 to {len(findings)}")
        for number, finding in findings.items():  # one that matters has a place, whatever the plan forgot
            if number not in placed and self._shown.must(finding):
                near = max(range(len(made)), key=lambda at: sum(f.root == finding.root for f in made[at].findings))
                made[near] = _Section(**{**vars(made[near]), "findings": (*made[near].findings, finding)})
        total = sum(max(20, each.words) for each in made)
        scaled = [
            _Section(**{**vars(each), "words": min(self._most, round(words * max(20, each.words) / total))})
            for each in made
        ]
        return Read((scaled, line(wire.title, HEADING)), invented)

    def _groups(self, plan: Sequence[_Section]) -> Iterator[list[_Section]]:
        """The sections in few groups, each with as many words and as much evidence as one call holds."""
        group: list[_Section] = []
        for section in plan:
            tried = [*group, section]
            words = sum(each.words for each in tried)
            draft = self._group_draft(tried, plan, ())
            evidence = self._put.tokens(draft)
            fits = words <= GROUP_WORDS and self._room(words) <= self._put.max_output
            if group and not (fits and evidence + self._room(words) <= SHARE * self._put.window):
                yield group
                group = [section]
            else:
                group = tried
        if group:
            yield group

    def _group_draft(
        self, group: Sequence[_Section], plan: Sequence[_Section], written: Sequence[WrittenSection]
    ) -> Draft[Any]:
        findings = [finding for section in group for finding in section.findings]
        variables = {
            "sheet": shown_sheet(self._ask.sheet, self._evidence(findings)),
            "findings": self._shown.of_some(findings),
            "plan": [each.heading for each in plan],
            "written": list(_as_text(written)),
            "sections": [
                {"heading": each.heading, "says": each.says, "form": each.form, "length": self._length(each.words)}
                for each in group
            ],
        }
        return Draft(variables, SectionsText, self._read_sections, prompt="write_sections", streamed=True)

    async def _group(
        self, group: Sequence[_Section], plan: Sequence[_Section], written: Sequence[WrittenSection]
    ) -> tuple[WrittenSection, ...]:
        words = sum(each.words for each in group)
        draft = self._group_draft(group, plan, written)
        while (
            written and self._put.tokens(draft) + self._room(words) > self._put.window
        ):  # what was written first is left out
            written = written[1:]
            draft = self._group_draft(group, plan, written)
        sections: tuple[WrittenSection, ...] = await self._asked(draft, words)
        named = [each.heading for each in group]
        if len(sections) == len(named):  # the plan has named them
            sections = tuple(
                each.model_copy(update={"heading": name}) for each, name in zip(sections, named, strict=True)
            )
        return sections

    def _read_sections(self, wire: SectionsText) -> Read[Any]:
        reader = UnitReader(self._texts)
        sections = reader.sections(wire.sections)
        if share_unmarked(WrittenReport(sections=sections)) > UNMARKED:
            raise ValueError(
                "`sections` must hold what was asked for, every sentence with the numbers that it rests on"
            )
        return Read(sections, reader.invented)

    def _evidence(self, findings: Iterable[Finding]) -> set[int]:
        """The numbers of what findings cite, and of the sentences beside them."""
        own = {number for each in findings for number in self._shown.numbers[each.id]}
        beside = {number + step for number in own for step in (-1, 1)}
        place = {number: document.document.sha256 for number, document, _ in self._ask.sheet}
        near = {number for number in beside if any(place.get(number) == place.get(number + step) for step in (-1, 1))}
        return own | (near & place.keys())

    async def _framed(self, written: Sequence[WrittenSection], title: str) -> WrittenReport:
        """What goes around the sections; by rule where the model cannot say it."""
        cited = {number for _, unit in WrittenReport(sections=tuple(written)).units() for number in unit.cites}
        must = {number for each in self._shown.all if self._shown.must(each) for number in self._shown.numbers[each.id]}
        named = cited | must | self._shown.framed()
        words = round(self._ask.max_words * FRAME_SHARE)
        for numbers in (named, self._shown.framed()):
            variables = {
                "sheet": shown_sheet(self._ask.sheet, numbers),
                "written": list(_as_text(written)),
                "findings": self._shown.around(),
                "length": self._length(words),
                "lead": self._lead,
            }
            draft = Draft(variables, FrameText, self._read_frame, prompt="frame_report", streamed=True)
            if self._put.tokens(draft) + self._room(words) <= self._put.window:
                try:
                    frame: WrittenReport = await self._asked(draft, words)
                    return frame if frame.title else frame.model_copy(update={"title": title})
                except (BudgetSpent, Unauthorized):
                    raise
                except ProviderError:
                    break
        return self._by_rule(title)

    def _read_frame(self, wire: FrameText) -> Read[Any]:
        reader = UnitReader(self._texts)
        report = reader.report(ReportText(**{**wire.model_dump(), "sections": []}))
        if not report.lead or share_unmarked(WrittenReport(lead=report.lead)) > 0.5:
            raise ValueError("`lead` must answer the question, every sentence with the numbers that it rests on")
        return Read(report, reader.invented)

    # ── In the simple form ─────────────────────────────────────────────────────────────────────────────────────────

    async def simply(self) -> Read[WrittenReport]:
        """A section a part, from claims alone; around them what needs no model.

        Raises:
            ProviderError: no section could be written.
        """
        self._invented = 0
        words = min(self._most, round(self._ask.max_words * (1 - FRAME_SHARE) / max(1, len(self._ask.parts))))
        parts = (part.subtask for part in self._ask.parts)
        sections = [
            _Section(part.focus_area or part.description, "", "paragraphs", words, own)
            for part in parts
            if (own := tuple(each for each in self._shown.all if each.subtask_id == part.subtask_id))
        ]
        written = await self._simple_ones(sections)
        return Read(self._by_rule("").model_copy(update={"sections": tuple(written)}), self._invented)

    async def _simple_ones(self, sections: Sequence[_Section]) -> list[WrittenSection]:
        """Those of the sections that can be written so.

        Raises:
            ProviderError: none could.
        """
        written: list[WrittenSection] = []
        failure: ProviderError | None = None
        for section in sections:
            try:
                written += filter(None, [await self._simple(section)])
            except (BudgetSpent, Unauthorized):
                raise
            except ProviderError as error:
                failure = error
        if failure is not None and not written:
            raise failure
        return written

    async def _simple(self, section: _Section) -> WrittenSection | None:
        """A section from at most `FACTS` claims, numbered from 1."""
        given = dict(enumerate(section.findings[:FACTS], start=1))
        variables = {
            "facts": {
                number: {"text": line(each.claim, 400), "must": self._shown.must(each)}
                for number, each in given.items()
            },
            "heading": section.heading,
            "length": self._length(section.words),
        }
        draft = Draft(variables, SimpleSection, partial(self._read_simple, given), prompt="write_simple")
        units = await self._asked(draft, section.words)
        block = WrittenBlock(kind="paragraph", text=units)
        return WrittenSection(heading=section.heading, blocks=(block,)) if units else None

    def _read_simple(self, given: Mapping[int, Finding], wire: SimpleSection) -> Read[Any]:
        numbers = {fact: self._shown.numbers[each.id] for fact, each in given.items()}
        texts = {
            fact: " ".join((given[fact].claim, *map(self._texts.__getitem__, own))) for fact, own in numbers.items()
        }
        reader = UnitReader(texts)
        units = []
        for unit in reader.sentences(wire.sentences):
            cites = tuple(number for fact in unit.cites for number in numbers[fact])
            units.append(Unit(clauses=(Clause(text=unit.text, cites=tuple(dict.fromkeys(cites))),)))
        if not any(unit.cites for unit in units):
            raise ValueError(f"each sentence must end with the numbers of its facts, [1] to [{len(given)}]")
        return Read(tuple(units), reader.invented)

    def _by_rule(self, title: str) -> WrittenReport:
        """What goes around sections without a model: answers to the parts, contradicting claims, what is missing."""
        lead: list[Unit] = []
        claims = {each.id: each for each in self._shown.all}
        for part in self._ask.parts:
            for statement in part.synthesis.statements[:1] if part.synthesis else ():
                lead += self._cited(statement.text, statement.findings)
        pairs = [
            (*self._cited(claims[one].claim, [one]), *self._cited(claims[other].claim, [other]))
            for one, other in self._ask.contradictions
            if one in claims and other in claims
        ]
        missing = lines((each for part in self._ask.parts for each in part.missing), most=6)
        limits = tuple((Unit(clauses=(Clause(text=each),)),) for each in missing)
        return WrittenReport(title=title, lead=tuple(lead), disagreements=tuple(filter(None, pairs)), limits=limits)

    def _cited(self, text: str, findings: Iterable[str]) -> tuple[Unit, ...]:
        cites = tuple(dict.fromkeys(at for id in findings for at in self._shown.numbers.get(id, ())))
        return (Unit(clauses=(Clause(text=text, cites=cites),)),) if cites else ()

    # ── Lengths ────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def _outline(self) -> Sequence[Any]:
        return self._ask.template.sections if self._ask.template else ()

    @property
    def _unit(self) -> str:
        return "characters" if self._wide else "words"

    def _count(self, words: int) -> int:
        return 2 * words if self._wide else words

    def _length(self, words: int) -> str:
        return f"{self._count(words):,} {self._unit}"

    @property
    def _lead(self) -> str:
        return self._length(min(MOST_LEAD, max(LEAST_LEAD, round(self._ask.max_words * LEAD_SHARE))))

    @property
    def _most(self) -> int:
        """Words that an answer has room for."""
        room = min(self._put.max_output, SHARE * self._put.window) - SLACK_TOKENS
        return max(40, round(room / TOKENS_OF_A_WORD / (1.3 if self._wide else 1)))

    def _room(self, words: int) -> int:
        """Tokens of an answer of that length."""
        return round(TOKENS_OF_A_WORD * words * (1.3 if self._wide else 1)) + SLACK_TOKENS


def _as_text(written: Iterable[WrittenSection]) -> Iterator[str]:
    """Sections as a model reads them again: headings and units with their numbers."""
    for section in written:
        yield f"# {section.heading}"
        for block in section.blocks:
            if block.text:
                yield " ".join(unit.said for unit in block.text)
            yield from (f"- {' '.join(unit.said for unit in item)}" for item in block.items)
            if block.rows:
                yield " | ".join(block.columns)
            yield from (" | ".join(cell.said for cell in row) for row in block.rows)
