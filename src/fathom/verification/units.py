"""The units of a written report beside the sentences that they cite: what rules say, and what comes of a check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from fathom.data.turns import AggregationResult
from fathom.evidence import Document
from fathom.findings import Finding, StatementForm
from fathom.report import VERIFIED, SupportStatus
from fathom.sheet import Sheet, SheetDocument, SheetSentence
from fathom.text.analysis import identifiers
from fathom.text.numbers import numbers
from fathom.verification.doubts import doubts_of
from fathom.verification.judged import Judged, Stretch, counted_cells
from fathom.verification.quotations import folded
from fathom.verification.verdicts import Verdict, check, check_counts
from fathom.written import Clause, Mistake, Place, Unit, WrittenReport, WrongUnit

NEIGHBOUR = 0.6
"""Confidence in a sentence that no finding cites."""
STATUS: dict[Mistake, SupportStatus] = {
    "number": "contradicted",
    "date": "contradicted",
    "name": "contradicted",
    "opposite": "contradicted",
    "hedge": "partial",
    "cause": "partial",
    "too_broad": "partial",
    "source": "unsupported",
    "not_said": "unsupported",
}
"""How a unit is marked whose mistake could not be repaired."""
KEEPS: frozenset[Mistake] = frozenset({"hedge", "cause", "source", "too_broad"})
"""Mistakes whose repair has to keep every figure and name that the cited sentences have."""


class UnitJudge:
    """Compares units with the sentences of a sheet."""

    def __init__(self, sheet: Sheet, findings: Mapping[str, Finding], results: Mapping[str, AggregationResult]) -> None:
        """`findings` are those of the run by their ids, `results` counts by the `sha256` of their snapshots."""
        self._findings, self._results = findings, results
        self._places = {number: (document, sentence) for number, document, sentence in sheet}
        self._lines: dict[int, Finding] = {}

    def line(self, number: int) -> Finding:
        """A sentence of the sheet as a finding: its own words on its span, as sure as the surest that cites it."""
        if number not in self._lines:
            document, sentence = self._places[number]
            behind = [self._findings[id] for id in sentence.findings if id in self._findings]
            best = max(behind, key=lambda each: each.confidence, default=None)
            near = best or next(self._near(document))
            self._lines[number] = Finding(
                subtask_id=near.subtask_id,
                claim=sentence.text,
                evidence=sentence.evidence,
                lead_in=near.lead_in if best and sentence.lead else None,
                confidence=best.confidence if best else NEIGHBOUR,
                relevance=near.relevance,
                fact=best.fact if best and sentence.computed else None,
            )
        return self._lines[number]

    def _near(self, document: SheetDocument) -> Iterator[Finding]:
        """The findings that rest on a document."""
        for sentence in document.sentences:
            yield from (self._findings[id] for id in sentence.findings if id in self._findings)

    def behind(self, number: int) -> tuple[str, ...]:
        """Ids of the findings that a sentence is evidence of."""
        return self._places[number][1].findings

    def judged(self, place: Place, unit: Unit, *, form: StatementForm = "paragraph") -> Judged:
        """A unit, and what rules say of it."""
        cited = tuple(map(self.line, unit.cites))
        places = [self._places[number] for number in unit.cites]
        counted = dict.fromkeys(d.document.sha256 for d, _ in places if d.document.sha256 in self._results)
        spans = tuple(_read(s) for d, s in places if d.document.sha256 not in self._results)
        facts = tuple(each.claim for each in cited if each.fact)
        cells = tuple(line for sha256 in counted for line in counted_cells(self._results[sha256]))
        titles = tuple(text for d, s in places for text in titles_of(d.document, s))
        verdict = (
            check_counts(unit.text, facts, cells, (*spans, *titles))
            if cells
            else check(unit.text, spans, titles=titles)
        )
        whole = {folded(each).rstrip(" .。") for d, s in places for each in (s.text, _read(s))}
        is_whole = not place.label and folded(unit.text).rstrip(" .。") in whole
        if verdict.status in VERIFIED and not is_whole and not (cells and verdict.is_proved):
            # a part of a sentence may leave out what matters, and a cell is of its row and column
            verdict = replace(verdict, is_proved=False)
        if spans and verdict.status == "unsupported":  # beside counts it cites what may say it
            verdict = replace(verdict, is_proved=False)
        if unit.is_conclusion and cited and not verdict.is_proved:
            verdict = replace(verdict, status="unjudged")
        elif place.label and verdict.status in VERIFIED and not verdict.is_proved:
            verdict = replace(verdict, status="unjudged", why="words cannot tell of what row and column it is")
        return Judged(
            unit.text,
            form,
            cited,
            spans,
            verdict,
            facts=facts,
            cells=cells,
            is_assessment=unit.is_conclusion,
            behind=tuple(dict.fromkeys(id for number in unit.cites for id in self.behind(number))),
            stretches=self._stretches(unit),
        )

    def _stretches(self, unit: Unit) -> tuple[Stretch, ...]:
        own = unit.stretches
        parts = (Stretch(each.text, tuple(map(self.line, each.cites)), each.is_conclusion) for each in own)
        return tuple(parts) if len(own) > 1 else ()

    def leading(self, place: Place, unit: Unit, below: tuple[int, ...]) -> Judged:
        """What leads in a list or a table: it needs no citation as long as it has no figure that is not below it."""
        judged = self.judged(place, Unit(clauses=(Clause(text=unit.text, cites=below),)))
        if judged.verdict.status in ("unsupported", "contradicted"):
            return self.judged(place, unit)
        verdict = Verdict("supported", 1.0, "it leads in what follows", is_proved=True)
        return Judged(unit.text, "paragraph", (), (), verdict)

    def settled(
        self, place: Place, unit: Unit, by_rule: Judged, wrong: WrongUnit | None, *, is_read: bool
    ) -> tuple[Unit, Judged]:
        """A unit as it is after the check: as it was, as it was repaired, or marked."""
        verdict = by_rule.verdict
        if verdict.is_proved and verdict.status in VERIFIED:
            return unit, by_rule
        if wrong is None:
            if not is_read or verdict.is_proved or (verdict.status in VERIFIED and unit.cites):
                return unit, by_rule
            why = "it follows from what it cites" if unit.is_conclusion else "it was compared with what it cites"
            why = why if unit.cites else "nothing in the documents read speaks against it"
            return unit, replace(by_rule, verdict=replace(verdict, status="supported", why=why, by="model"))
        if wrong.repair is not None and (anew := self.rewritten(place, unit, wrong)):
            return wrong.repair, replace(anew, form=by_rule.form, repaired=True)
        if verdict.is_proved:  # wrong by arithmetic
            return unit, by_rule
        marked = replace(verdict, status=STATUS[wrong.kind], why=wrong.why or wrong.kind, by="model", is_proved=False)
        return unit, replace(by_rule, verdict=marked)

    def rewritten(self, place: Place, unit: Unit, wrong: WrongUnit) -> Judged | None:
        """What is known of the repair of a unit; `None` where rules refuse it: one whose figures are nowhere, or that
        lost a figure or a name that the cited sentences have."""
        if wrong.repair is None or (unit.cites and not wrong.repair.cites):
            return None
        anew = self.judged(place, wrong.repair)
        if self._is_refused(unit, wrong, anew):
            return None
        status: SupportStatus = anew.verdict.status if anew.verdict.status in VERIFIED else "supported"
        verdict = replace(anew.verdict, status=status, why=wrong.why or "it was repaired", by="model")
        return replace(anew, verdict=verdict)

    def _is_refused(self, unit: Unit, wrong: WrongUnit, anew: Judged) -> bool:
        """Whether rules speak against a repair."""
        places = [self._places[number] for number in dict.fromkeys((*unit.cites, *_cites(wrong.repair)))]
        if anew.verdict.status == "unsupported" and anew.verdict.is_proved:
            return True
        if places and anew.verdict.status in ("unsupported", "contradicted") and not anew.is_assessment:
            titles = [text for document, sentence in places for text in titles_of(document.document, sentence)]
            strange = doubts_of(anew.text, [_read(sentence) for _, sentence in places], titles=titles).figures
            if set(strange) - numbers(folded(unit.text)):  # which it had before: a table may have its unit elsewhere
                return True
        return wrong.kind in KEEPS and _loses(unit.text, anew.text, " ".join(_said(*place) for place in places))


def _cites(unit: Unit | None) -> tuple[int, ...]:
    return unit.cites if unit else ()


def _loses(before: str, after: str, source: str) -> bool:
    """Whether a repair lacks a figure or a name of the unit that the cited sentences have."""
    old, new, read = map(folded, (before, after, source))
    names = filter(read.__contains__, map(folded, identifiers(before)))
    return bool(numbers(old) & numbers(read) - numbers(new)) or any(name not in new for name in names)


def titles_of(document: Document, sentence: SheetSentence) -> tuple[str, ...]:
    """What a reader knows of a sentence besides its words: title, file, date and headings."""
    name = document.uri.rpartition("/")[2] if document.kind == "file" else ""
    return tuple(filter(None, (document.title, name, document.published, sentence.evidence[0].locator, sentence.lead)))


def _read(sentence: SheetSentence) -> str:
    return " ".join(filter(None, (sentence.lead, sentence.text)))


def _said(document: SheetDocument, sentence: SheetSentence) -> str:
    return " ".join((*titles_of(document.document, sentence), sentence.text))


def lead_ins(report: WrittenReport) -> dict[str, tuple[int, ...]]:
    """The places of what leads in a list or a table and cites nothing, with what is cited below it."""
    found: dict[str, tuple[int, ...]] = {}
    for at, section in enumerate(report.sections, start=1):
        for number, block in enumerate(section.blocks, start=1):
            units = [unit for item in (*block.items, *block.rows) for unit in item]
            cites = tuple(dict.fromkeys(number for unit in units for number in unit.cites))
            for place, unit in enumerate(block.text, start=1):
                if cites and not unit.cites:
                    found[f"s{at}.{number}.{place}"] = cites
    return found
