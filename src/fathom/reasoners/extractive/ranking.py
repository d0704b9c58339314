"""Every line of the passages, ranked by the stretch that it stands in and by its own words: what a model is shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, zip_longest

from fathom.asks import ExtractFindings
from fathom.evidence import Evidence, Passage, Span
from fathom.findings import Finding
from fathom.languages.dangling import dangles, is_text
from fathom.reasoners.extractive.facets import Facet
from fathom.reasoners.extractive.relevance import matches, scored_stretches
from fathom.reasoners.extractive.stretches import ENDS, Stretch, StretchLine, numbered_from
from fathom.text.analysis import terms

OWN = 0.5
"""What its own match, and that of its lead-in, adds to the score of the stretch that a sentence stands in."""
FOUND, HALF = 1.5, 5
"""What it adds that the search found the passage first; half of it for one after so many others."""
GOOD, POWER = 4.0, 8
"""A sum that counts as 1, and the power of what it is measured by: sentences of one page differ little."""
_ROW = re.compile(r"(?:\A|\n)(\d{1,7})\t\Z")
"""The number that a row of a workbook stands behind."""
_MARKS = re.compile(r"[¶\u200b\uf0c1]+|(?<![#§])[#§]++\s*+$")
_FACETS = 6
"""Terms that a line is said to serve."""
SHORTEST = 3
"""Words of the shortest line that is a statement."""


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """A sentence, an item or a row with what it is worth."""

    stretch: Stretch
    """The passage that it is of."""
    line: StretchLine
    lead: Span | None
    """What must be read before it."""
    terms: Counter[str]
    score: float
    """How well it answers, for comparison with others of the same question."""
    facet: Facet
    """The part of the subtask that it answers best."""

    @property
    def passage(self) -> Passage:
        """What the search has found."""
        return self.stretch.passage

    @property
    def served(self) -> tuple[str, ...]:
        """The terms of its facet that it holds, the heaviest first."""
        held = set(self.facet.own).intersection(self.terms)
        return tuple(sorted(held, key=lambda term: (-self.facet.weights.get(term, 0), term)))[:_FACETS]

    @property
    def evidence(self) -> Evidence:
        """The quote."""
        said, line = evidence_of(self.passage, self.line.start, self.line.end), self.line
        block = Span(start=line.start, end=line.end) if line.form == "item" else None
        return said.model_copy(update={"block": block})

    @property
    def lead_in(self) -> Evidence | None:
        """What must be read before it, as a quotation."""
        return evidence_of(self.passage, self.lead.start, self.lead.end) if self.lead else None


def rank(ask: ExtractFindings, *, stated: Iterable[Finding] = ()) -> list[Ranked]:
    """Every sentence, item and row, without those that `stated` rest on first: the best for each query, and for each
    thing that is missing, in turn, so that none of them buries the rest. Other words of the question do not count."""
    known = {(each.evidence[0].document, each.evidence[0].start, each.evidence[0].end) for each in stated}
    stretches, by_facet = scored_stretches(ask.model_copy(update={"query": ask.subtask.description}), ask.missing)
    under = {passage.id: _under(passage) for passage in ask.passages}
    found = [
        (stretch, at, line, _led(line, lead, under[stretch.passage.id]))
        for at, stretch in enumerate(stretches)
        for line, lead in _lines(stretch)
        if (stretch.document, line.start, line.end) not in known
    ]
    texts = [Counter(terms(line.text)) for _, _, line, _ in found]
    leads = [
        Counter(terms(stretch.passage.quote(lead.start, lead.end))) if lead else Counter()
        for stretch, _, _, lead in found
    ]
    ranks = {passage.id: rank for rank, passage in reversed(list(enumerate(ask.passages)))}
    best: dict[int, Ranked] = {}
    orders: list[list[int]] = []
    for facet, scores in by_facet:
        matched = matches(facet, [own + lead for own, lead in zip(texts, leads, strict=True)])
        here: list[float] = []
        for number, ((stretch, at, line, lead), own) in enumerate(zip(found, matched, strict=True)):
            score = OWN * own + FOUND * HALF / (HALF + ranks[stretch.passage.id]) + scores[at][1]
            here.append((score / GOOD) ** POWER)
            if number not in best or here[-1] > best[number].score:
                best[number] = Ranked(
                    stretch=stretch, line=line, lead=lead, terms=texts[number], score=here[-1], facet=facet
                )
        places = [(ranks[stretch.passage.id], line.start) for stretch, _, line, _ in found]
        orders.append(sorted(range(len(found)), key=lambda number: (-here[number], places[number])))
    return [best[number] for number in dict.fromkeys(chain.from_iterable(zip(*orders, strict=True)))]


def _lines(stretch: Stretch) -> Iterator[tuple[StretchLine, Span | None]]:
    """What a passage says line by line, with what must be read before: the lead-in of a list, the head of a table, the
    sentence before a pronoun. What announces a list, the head of a table, and code are no statements."""
    before: StretchLine | None = None
    for line, behind in zip_longest(stretch.lines, stretch.lines[1:]):
        lead = line.lead_in
        if before and before.block == line.block and dangles(line.text) and not dangles(before.text):
            lead = Span(start=before.start, end=before.end)
        announces = line.text.endswith((":", "：")) and not (behind and behind.form == "code")
        is_said = line.form != "head" and line.kind != "code" and not announces
        if is_said and line.words >= SHORTEST and is_text(line.text):
            yield line, lead
        before = line


def _led(line: StretchLine, lead: Span | None, under: Mapping[int, Span | None]) -> Span | None:
    """What must be read before a line: the nearest of what leads it in and the item that it stands under."""
    if line.block not in under:
        return lead
    head = under[line.block]
    return lead if lead and head and lead.start >= head.start else head


def _under(passage: Passage) -> dict[int, Span | None]:
    """The numbered item that each block stands under, by where it begins, if text stands between such items, as in
    minutes: they are its headings, end no sentence, and stand under nothing themselves."""
    found: dict[int, Span | None] = {}
    below: dict[int, Span | None] = {}
    head: Span | None = None
    for block in passage.blocks:
        start = numbered_from(passage, block.start) if block.kind == "list_item" else block.start
        if start < block.start:
            found |= {**below, block.start: None} if below else {}
            is_sentence = passage.quote(block.start, block.end).endswith(ENDS)
            below, head = {}, None if is_sentence else Span(start=start, end=block.end)
        elif block.kind == "heading":
            head = None
        elif head:
            below[block.start] = head
    return found | below if found else {}


def evidence_of(passage: Passage, start: int, end: int) -> Evidence:
    """A span of a passage as a quotation."""
    locator = locator_of(passage)
    if row := _ROW.search(passage.text, 0, max(0, start - passage.start)):
        locator = ", ".join(filter(None, (locator, f"row {row[1]}")))
    return Evidence(document=passage.document, start=start, end=end, quote=passage.quote(start, end), locator=locator)


def locator_of(passage: Passage) -> str:
    """The heading path of a passage, as one line."""
    return " › ".join(filter(None, (" ".join(_MARKS.sub(" ", heading).split()) for heading in passage.headings)))
