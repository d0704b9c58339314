"""Composes the report's Markdown, in the order in which a reader needs its parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fathom.report import Claim, Contradiction, Figure, NotFoundEntry, SourceEntry
from fathom.text import typeset
from fathom.text.commonmark import inert
from fathom.text.own import REPORT_MARK
from fathom.text.phrases import Phrases

PARAGRAPH_SENTENCES = 6
"""A paragraph has at most this many sentences."""


@dataclass(frozen=True)
class Sentence:
    """A checked sentence, and how it is set."""

    claim: Claim
    form: Literal["paragraph", "lead_in", "item"] = "paragraph"
    opens: bool = False
    """It begins a paragraph: what it cites stands elsewhere than what the sentence before cites."""
    goes_on: bool = False
    """It belongs to the list item before: what both cite stands in one item of the source."""
    quoted: bool = False
    """It is of a passage that is told whole, whose paragraphs and lists are cited once each."""
    place: str = ""
    """Where the passage that it begins stands."""


@dataclass(frozen=True)
class Part:
    """A heading with the sentences told under it."""

    heading: str
    sentences: tuple[Sentence, ...] = ()
    parts: tuple[Part, ...] = ()
    subtask_id: str | None = None
    figures: tuple[Figure, ...] = ()
    """Shown below its sentences."""
    note: str = ""
    """Said under its heading."""

    def all_sentences(self) -> Iterator[Sentence]:
        """Its own sentences and those of its parts, in the order of the report."""
        yield from self.sentences
        for part in self.parts:
            yield from part.all_sentences()


@dataclass(frozen=True)
class Draft:
    """Everything that the Markdown shows."""

    title: str
    phrases: Phrases
    parts: tuple[Part, ...]
    not_found: tuple[NotFoundEntry, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    limitations: tuple[str, ...] = ()
    sources: tuple[SourceEntry, ...] = ()
    footer: tuple[str, ...] = ()
    notice: str = ""
    """Why the report is partial; stands at the top."""
    nothing_found: bool = field(default=False)
    """No source holds an answer, as far as the research went."""


def compose(draft: Draft) -> str:
    """The report as CommonMark, ending in a newline."""
    words = draft.phrases
    blocks = [f"# {inert(draft.title)}"]
    if draft.notice:
        blocks.append(f"> {draft.notice}")
    if draft.nothing_found:
        blocks.append(words.nothing_yet if draft.notice else words.nothing_found)
    for part in draft.parts:
        blocks += _part(part, words, level=2)
    if draft.not_found:
        items = [f"- {inert(entry.what)}" for entry in draft.not_found]
        blocks += [f"## {words.not_found}", words.not_found_intro, "\n".join(items)]
    if draft.contradictions:
        lines = (f"- {_contradiction(contradiction, words)}" for contradiction in draft.contradictions)
        blocks += [f"## {words.contradictions}", "\n".join(lines)]
    if draft.limitations:
        blocks += [f"## {words.limitations}", "\n".join(f"- {inert(line)}" for line in draft.limitations)]
    if draft.sources:
        blocks += [f"## {words.sources}", *typeset.source_list(draft.sources, words)]
    if draft.footer:
        blocks += ["---", "  \n".join(draft.footer)]
    return "\n\n".join([*blocks, REPORT_MARK]) + "\n"


def _part(part: Part, words: Phrases, *, level: int) -> Iterator[str]:
    if not any(part.all_sentences()):
        return
    yield f"{'#' * min(level, 6)} {inert(part.heading)}"
    if part.note:
        yield part.note
    yield from _blocks(part.sentences, words)
    for figure in part.figures:
        yield from typeset.figure_blocks(figure, words)
    for child in part.parts:
        yield from _part(child, words, level=level + 1)


def _blocks(sentences: Sequence[Sentence], words: Phrases) -> Iterator[str]:
    """Paragraphs and lists: sentences that belong together share a paragraph, items in a row share a list."""
    block: list[Sentence] = []
    for sentence in sentences:
        if block and not _goes_on(block, sentence):
            yield _set(block, words)
            block = []
        if sentence.place:
            yield f"**{inert(sentence.place)}**"
        block.append(sentence)
    if block:
        yield _set(block, words)


def _goes_on(block: Sequence[Sentence], sentence: Sentence) -> bool:
    if sentence.form != block[-1].form or sentence.form == "lead_in" or sentence.place:
        return False
    return sentence.form == "item" or not (sentence.opens or len(block) == PARAGRAPH_SENTENCES)


def _set(block: Sequence[Sentence], words: Phrases) -> str:
    last = block[-1]
    lines = [
        typeset.sentence(each.claim, words, is_marked=not each.quoted or (each is last and each.form != "lead_in"))
        for each in block
    ]
    if block[0].form != "item":
        return " ".join(lines)
    pairs = zip(block, lines, strict=True)
    return "".join((" " if sentence.goes_on else "\n- ") + line for sentence, line in pairs).lstrip()


def _contradiction(contradiction: Contradiction, words: Phrases) -> str:
    return " ".join(
        words.says_of(side.kind, side.source_id, inert(side.date), inert(side.claim)) for side in contradiction.sides
    )
