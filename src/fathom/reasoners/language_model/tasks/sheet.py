"""What a model is shown of the passages: the sentences that may answer, numbered, best first into the room there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fathom.asks import ExtractFindings
from fathom.evidence import Passage
from fathom.reasoners.extractive.extract import SAME
from fathom.reasoners.extractive.ranking import Ranked, locator_of
from fathom.reasoners.language_model.tasks.sources import has_web, told_of
from fathom.reasoners.language_model.tasks.words import line, shown_tokens
from fathom.text.display import display
from fathom.text.overlap import numbers, overlap

IN_CONTEXT = 4
"""Sentences, the best ones, that bring the rest of their section."""
NUMBER_TOKENS = 3
"""Of `[12] ` before a sentence."""
FRAME_TOKENS = 12
"""Of the tag around the sentences of a document, without its title."""
MISSES = 8
"""Sentences too long for what is left of the room before it counts as full."""
WORTH = 0.03
"""Share of the best score from which a sentence may tell something."""
SNIPPET = 160
"""Characters of the best place of a passage that is not shown."""
GAP = "…"
"""Stands where a section has more than is shown."""


@dataclass(frozen=True)
class SheetLine:
    """One line of a section: a numbered sentence, or what must be read before it, or a gap."""

    text: str
    number: int | None = None
    leads: bool = False
    """Whether it must be read before what stands under it."""


@dataclass(frozen=True)
class ShownSection:
    """What is shown of a section."""

    heading: str
    """Its heading path."""
    lines: tuple[SheetLine, ...]


@dataclass(frozen=True)
class ShownDocument:
    """What is shown of a document."""

    about: Mapping[str, str]
    """What stands above it (see `told_of`)."""
    sections: tuple[ShownSection, ...]


@dataclass(frozen=True)
class Sheet:
    """What one prompt shows."""

    numbered: dict[int, Ranked]
    """The sentences that may be cited, by their numbers."""
    documents: tuple[ShownDocument, ...]


class Reader:
    """Lays the ranked places of an ask out on sheets; a place stands on one of them."""

    def __init__(self, ask: ExtractFindings, ranking: Sequence[Ranked]) -> None:
        self._documents = {document.sha256: document for document in ask.documents}
        speaks = has_web(ask.documents)
        self._about = {document.sha256: told_of(document, speaks=speaks) for document in ask.documents}
        self._left = list(ranking)
        self._in_order: dict[str, list[Ranked]] = {}
        for ranked in sorted(ranking, key=lambda ranked: _start(ranked)):
            self._in_order.setdefault(ranked.passage.id, []).append(ranked)
        self._best = max((ranked.score for ranked in ranking), default=0.0)
        self._shown: set[str] = set()
        self._taken: set[int] = set()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to show."""
        return not self._left

    @property
    def unread(self) -> list[Ranked]:
        """The best place of each passage that was not shown, or not where it may tell something, best first."""
        best: dict[str, Ranked] = {}
        for ranked in self._left:
            if ranked.passage.id not in self._shown or ranked.score >= WORTH * self._best:
                best.setdefault(ranked.passage.id, ranked)
        return list(best.values())

    @property
    def left_out(self) -> int:
        """How many of these passages may tell something (see `WORTH`)."""
        return sum(ranked.score >= WORTH * self._best for ranked in self.unread)

    def hit(self, ranked: Ranked) -> dict[str, str]:
        """A passage as a hit: what stands above it, and its best place."""
        about = {**self._about[ranked.passage.document], "section": self._heading(ranked.passage)}
        return {**{name: text for name, text in about.items() if text}, "snippet": line(ranked.line.text, SNIPPET)}

    def sheet(self, *, room: int, first: int) -> Sheet:
        """The best of what is left, as much of it as fits into `room` tokens, but one sentence at least.

        Numbers count from `first` in the order of reading: documents as their best sentence ranks, then as they stand.
        """
        chosen = self._fill(room)
        order = {ranked.passage.document: at for at, ranked in reversed(list(enumerate(chosen)))}
        reading = sorted(chosen, key=lambda ranked: (order[ranked.passage.document], _start(ranked)))
        numbered = dict(enumerate(reading, start=first))
        documents: dict[str, dict[str, list[tuple[int, Ranked]]]] = {}
        for number, ranked in numbered.items():
            sections = documents.setdefault(ranked.passage.document, {})
            sections.setdefault(ranked.passage.id, []).append((number, ranked))
        return Sheet(
            numbered,
            tuple(
                ShownDocument(self._about[document], tuple(map(self._section, sections.values())))
                for document, sections in documents.items()
            ),
        )

    def _fill(self, room: int) -> list[Ranked]:
        page = _Page(room)
        passed: list[Ranked] = []
        misses = 0
        for at, ranked in enumerate(self._left):
            if misses == MISSES:
                passed += self._left[at:]
                break
            if page.says(ranked):
                continue
            if not page.take(ranked, cost=self._cost(ranked, page), anyway=not page.chosen):
                passed.append(ranked)
                misses += 1
                continue
            if len(page.chosen) <= IN_CONTEXT:
                for beside in self._beside(ranked):
                    if id(beside) not in self._taken and not page.says(beside):
                        page.take(beside, cost=self._cost(beside, page))
        self._taken |= {id(ranked) for ranked in page.chosen}
        self._left = [ranked for ranked in passed if id(ranked) not in self._taken]
        self._shown |= {ranked.passage.id for ranked in page.chosen}
        return page.chosen

    def _cost(self, ranked: Ranked, page: _Page) -> int:
        """Tokens that the page grows by."""
        passage = ranked.passage
        cost = shown_tokens(ranked.line.text) + NUMBER_TOKENS
        if passage.document not in page.shown:
            cost += sum(map(shown_tokens, self._about[passage.document].values())) + FRAME_TOKENS
        if passage.id not in page.shown:
            cost += shown_tokens(self._heading(passage))
        if (lead := ranked.lead) and (passage.id, lead.start) not in page.leads:
            cost += shown_tokens(passage.quote(lead.start, lead.end))
        return cost

    def _beside(self, ranked: Ranked) -> Iterable[Ranked]:
        """The other sentences of its section."""
        return (other for other in self._in_order[ranked.passage.id] if other is not ranked)

    def _section(self, section: Sequence[tuple[int, Ranked]]) -> ShownSection:
        passage = section[0][1].passage
        document = self._documents[passage.document]
        here = {id(ranked): at for at, ranked in enumerate(self._in_order[passage.id])}
        lines: list[SheetLine] = []
        last: Ranked | None = None
        for number, ranked in section:
            if last is not None and here[id(ranked)] > here[id(last)] + 1:
                lines.append(SheetLine(GAP))
            lead = ranked.lead
            if lead and not (last and (last.lead == lead or _holds(last, lead.start, lead.end))):
                lines.append(SheetLine(display(passage.quote(lead.start, lead.end), document.markup), leads=True))
            lines.append(SheetLine(ranked.line.text, number))
            last = ranked
        return ShownSection(self._heading(passage), tuple(lines))

    def _heading(self, passage: Passage) -> str:
        """The heading path of a passage without the title of its document, which stands above."""
        path, title = locator_of(passage), self._documents[passage.document].title
        return "" if path == title else path.removeprefix(f"{title} › ")


@dataclass
class _Page:
    """What is chosen for a sheet so far."""

    room: int
    chosen: list[Ranked] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)
    """Documents and passages."""
    leads: set[tuple[str, int]] = field(default_factory=set)

    def says(self, ranked: Ranked) -> bool:
        """Whether the same stands there already, with the same numbers: two that differ in these contradict."""
        mine = numbers(ranked.terms)
        return any(
            ranked is other or (overlap(ranked.terms, other.terms) > SAME and mine == numbers(other.terms))
            for other in self.chosen
        )

    def take(self, ranked: Ranked, *, cost: int, anyway: bool = False) -> bool:
        """Put it down if there is room."""
        if cost > self.room and not anyway:
            return False
        self.room -= cost
        self.chosen.append(ranked)
        self.shown |= {ranked.passage.document, ranked.passage.id}
        if lead := ranked.lead:
            self.leads.add((ranked.passage.id, lead.start))
        return True


def _start(ranked: Ranked) -> tuple[int, int]:
    return ranked.line.start, ranked.line.end


def _holds(ranked: Ranked, start: int, end: int) -> bool:
    return ranked.line.start <= start and end <= ranked.line.end
