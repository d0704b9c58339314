"""Passages read as what could be told: sentences, list items, definitions and table rows that a reader understands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fathom.evidence import Block, BlockKind, Markup, Passage, Span
from fathom.reasoners.extractive.boilerplate import is_boilerplate
from fathom.reasoners.extractive.wording import (
    dangles,
    goes_on,
    is_text,
    is_whole,
    points_elsewhere,
    states_before_colon,
)
from fathom.text.analysis import terms
from fathom.text.characters import count_cjk
from fathom.text.display import display, word_count
from fathom.text.sentences import sentences

LONGEST = 90
"""Words of the longest candidate."""
SHORTEST: dict[BlockKind, int] = {"paragraph": 4, "quote": 5, "list_item": 3, "definition": 3, "table_row": 3}
"""Words of the shortest candidate; what is not in the table is never told."""
_LONG_ROW = 30
_BARE_WORDS = 8
_TITLE_WORDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something that could be told, and where it stands."""

    start: int
    """Offset of the quote in the snapshot."""
    end: int
    """Offset behind it."""
    claim: str
    """The quote as a reader sees it."""
    words: int
    """Length of the claim in words."""
    kind: BlockKind
    """The block's kind."""
    lead_in: Span | None
    """What must be read before: the block's own lead-in, or the sentence before a pronoun."""
    block: int
    """Which block of the passage it stands in."""
    place: int
    """Which sentence of the block it is, 0 first."""
    terms: Counter[str]
    """Terms of the claim."""
    lead_terms: frozenset[str]
    """Terms of the lead-in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A passage, read."""

    candidates: tuple[Candidate, ...]
    """What it could tell, in order."""
    whole: frozenset[str]
    """Terms of the passage."""
    path: frozenset[str]
    """Terms of the headings."""


def read(passage: Passage, *, markup: Markup) -> Reading:
    """What `passage` could tell. The same passage is read once."""
    return _read(PassageKey(passage), markup)


class PassageKey:
    """A passage as a key: its span names its text, and its score does not matter."""

    __slots__ = ("name", "passage")

    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self.name = (passage.document, passage.start, passage.end, passage.headings, passage.blocks)

    def __hash__(self) -> int:
        return hash(self.name[:3])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PassageKey) and self.name == other.name


@lru_cache(maxsize=4096)
def _read(key: PassageKey, markup: Markup) -> Reading:
    passage = key.passage
    blocks = [block for block in passage.blocks if passage.start <= block.start < block.end <= passage.end]
    whole: set[str] = set()
    found: list[Candidate] = []
    for at, block in enumerate(blocks):
        if block.kind != "heading":
            whole.update(terms(passage.quote(block.start, block.end)))
        if block.kind in SHORTEST:
            found += _Told(passage, blocks, at, markup).candidates()
    return Reading(
        candidates=tuple(found),
        whole=frozenset(whole),
        path=frozenset(term for heading in passage.headings for term in terms(heading)),
    )


class _Told:
    """One block of a passage, cut into what could be told."""

    def __init__(self, passage: Passage, blocks: Sequence[Block], at: int, markup: Markup) -> None:
        self.passage, self.markup = passage, markup
        self.at, self.block = at, blocks[at]
        self.after = blocks[at + 1] if at + 1 < len(blocks) else None
        self.spans = self._spans()
        self.lead = self._lead(blocks)

    def shown(self, span: tuple[int, int]) -> str:
        return display(self.passage.quote(*span), self.markup)

    def candidates(self) -> Iterator[Candidate]:
        lead_text = self.shown((self.lead.start, self.lead.end)) if self.lead else ""
        lead_terms = frozenset(terms(lead_text))
        for place, (start, end) in enumerate(self.spans):
            end = self._trimmed(start, end)
            claim = self.shown((start, end))
            words = word_count(claim)
            if not self._tells(claim, place, words=words, cut=end < self.spans[place][1]):
                continue
            lead, text = self.lead, lead_text
            if dangles(claim) and not (place == 0 and lead):
                reach = self._reach_back(place)
                if reach is None:
                    continue
                if lead is None:
                    lead, text = reach, self.shown((reach.start, reach.end))
                else:
                    start = reach.start
                    claim = self.shown((start, end))
                    words = word_count(claim)
            if words > LONGEST:
                continue
            if end < self.spans[place][1] and self.block.kind != "list_item":
                claim += "。" if count_cjk(claim[-1]) else "."
            yield Candidate(
                start=start,
                end=end,
                claim=claim,
                words=words,
                kind=self.block.kind,
                lead_in=lead,
                block=self.at,
                place=place,
                terms=Counter(terms(claim)),
                lead_terms=lead_terms if text is lead_text else frozenset(terms(text)),
            )

    def _spans(self) -> list[tuple[int, int]]:
        """The sentences of the block; a short table row stays whole."""
        block = self.block
        if block.kind == "table_row" and word_count(self.shown((block.start, block.end))) <= _LONG_ROW:
            return [(block.start, block.end)]
        return self._sentences(block)

    def _sentences(self, block: Block) -> list[tuple[int, int]]:
        offset, text = self.passage.start, self.passage.text
        found = []
        cell = block.start
        if block.kind == "table_row":
            while (bar := text.find(" | ", cell - offset, block.end - offset)) >= 0:
                found += sentences(text, start=cell - offset, end=bar)
                cell = bar + offset + 3
        found += sentences(text, start=cell - offset, end=block.end - offset)
        return [(start + offset, end + offset) for start, end in found]

    def _lead(self, blocks: Sequence[Block]) -> Span | None:
        """The block's lead-in; of a nested list the short item above it, of a long row its first cell."""
        block = self.block
        lead = block.lead_in
        if block.kind == "table_row" and len(self.spans) > 1:
            first = self.spans[0]
            return Span(start=first[0], end=first[1]) if word_count(self.shown(first)) <= _BARE_WORDS else None
        if block.kind == "list_item" and lead is None and block.level:
            above = next(
                (b for b in blocks[self.at - 1 :: -1] if b.kind == "list_item" and b.level < block.level), None
            )
            if self.at and above and word_count(self.shown((above.start, above.end))) <= _BARE_WORDS:
                return Span(start=above.start, end=above.end)
        if block.kind == "paragraph" and lead and word_count(self.shown((lead.start, lead.end))) <= _TITLE_WORDS:
            return None  # the title of a note
        return lead

    def _trimmed(self, start: int, end: int) -> int:
        """Without the semicolon of an item, or the colon before code."""
        text = self.passage.quote(start, end)
        if self.block.kind != "table_row" and text.endswith((";", ",", "；", "、")):
            return end - 1
        code_follows = self.after is None or self.after.kind == "code" or end < self.block.end
        if text.endswith((":", "：")) and code_follows and states_before_colon(self.shown((start, end))):
            return end - 1
        return end

    def _tells(self, claim: str, place: int, *, words: int, cut: bool) -> bool:
        """Whether a stretch of text is a statement, and no fragment, pointer or bare name."""
        kind = self.block.kind
        if words < SHORTEST[kind] or points_elsewhere(claim) or not is_text(claim):
            return False
        if is_boilerplate(claim):
            return False
        if claim.endswith((":", "：")) or (place == 0 and kind == "paragraph" and goes_on(claim)):
            return False
        if kind in ("paragraph", "quote"):
            return is_whole(claim) or (cut and words >= 2 * SHORTEST[kind])
        return len(self.spans) == 1 or kind == "table_row" or is_whole(claim)

    def _reach_back(self, place: int) -> Span | None:
        """The sentence before, which says what `it` is; `None` when it does not stand there."""
        if place == 0 or dangles(self.shown(self.spans[place - 1])):
            return None
        start, end = self.spans[place - 1]
        return Span(start=start, end=end)
