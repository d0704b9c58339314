"""The records of a page as a model is shown them: the short fields on one line, each sentence of prose on its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fathom.asks import ExtractFindings
from fathom.data.fields import FieldMapping
from fathom.data.snapshots import records_in
from fathom.evidence import Evidence, Passage
from fathom.reasoners.extractive.ranking import rank
from fathom.reasoners.language_model.tasks.words import line, shown_tokens
from fathom.text.analysis import query_terms, terms
from fathom.text.display import word_count
from fathom.text.sentences import sentences

RECORD_TOKENS = 220
"""Of a record: its fields, and the sentences that share most with what is asked."""
FRAME_TOKENS = 12
"""Of the tag around a record."""
NUMBER_TOKENS = 3
"""Of `[12] ` before a line."""
SHORT_WORDS = 12
"""Words of the longest field that stands on the line of the short ones."""
VALUE_LENGTH = 120
"""Characters of a value there."""
BETWEEN = " · "
"""Stands between them."""


@dataclass(frozen=True)
class Field:
    """A value, or a sentence of it, and where it stands."""

    name: str
    text: str
    evidence: Evidence


@dataclass(frozen=True)
class RecordLine:
    """A line that may be cited."""

    title: Field | None
    """What a person would call its record."""
    fields: tuple[Field, ...]
    """What stands on it."""
    score: float
    """How much it answers, as ranked."""
    is_prose: bool

    @property
    def text(self) -> str:
        """As it is shown."""
        if self.is_prose:
            return self.fields[0].text
        return BETWEEN.join(f"{field.name}: {line(field.text, VALUE_LENGTH)}" for field in self.fields)

    @property
    def quote(self) -> str:
        """What it says, when no other words are found for it."""
        if self.is_prose or self.title is None or self.title in self.fields[:1]:
            return self.text
        return f"{self.title.text}{BETWEEN}{self.text}"


@dataclass(frozen=True)
class ShownRecord:
    """A record and the lines of it that are shown."""

    name: str
    lines: tuple[RecordLine, ...]
    tokens: int


def shown_records(ask: ExtractFindings) -> Iterator[ShownRecord]:
    """Each record with its short fields and the sentences that share most with what is asked."""
    wanted = set(
        query_terms(
            " ".join((ask.query, ask.subtask.description, ask.focus, *(each.question for each in ask.questions)))
        )
    )
    worth: dict[str, float] = {}
    for ranked in rank(ask):
        worth.setdefault(ranked.place.passage.id, ranked.score)
    for passage in ask.passages:
        score = worth.get(passage.id, 1.0)  # as much as the average place
        name, fields = _fields(passage)
        short = [field for field in fields if _is_short(field, ask.mapping)]
        title = _title(passage, fields, ask.mapping)
        lines = [RecordLine(title, tuple(short), score, is_prose=False)] if short else []
        room = RECORD_TOKENS - sum(shown_tokens(each.text) + NUMBER_TOKENS for each in lines)
        prose = [sentence for field in fields if field not in short for sentence in _sentences(field)]
        chosen: set[int] = set()
        for at in sorted(range(len(prose)), key=lambda at: -len(wanted.intersection(terms(prose[at].text)))):
            cost = shown_tokens(prose[at].text) + NUMBER_TOKENS
            if cost <= room or not (chosen or lines):
                chosen.add(at)
                room -= cost
        lines += [RecordLine(title, (prose[at],), score, is_prose=True) for at in sorted(chosen)]
        if lines:
            tokens = FRAME_TOKENS + shown_tokens(name)
            yield ShownRecord(name, tuple(lines), tokens + sum(shown_tokens(e.text) + NUMBER_TOKENS for e in lines))


def _fields(passage: Passage) -> tuple[str, list[Field]]:
    """The name of a record and its fields; of a passage that is none, its lines."""
    placed = next(iter(records_in(passage.text)), None)
    if placed is None:
        name, spans = "", [("", block.start, block.end) for block in passage.blocks]
    else:
        name = placed.id
        spans = [(each, passage.start + at.start, passage.start + at.end) for each, at in placed.fields.items()]
    locator = f"record {name}" if name else " › ".join(passage.headings)
    found = []
    for field, start, end in spans:
        text = passage.quote(start, end)
        if not text.strip():
            continue
        before = len(field) + 2 if field else 0  # the name belongs to what is quoted: a bare value tells nothing
        quote = passage.quote(start - before, end)
        evidence = Evidence(document=passage.document, start=start - before, end=end, quote=quote, locator=locator)
        found.append(Field(line(field, 80), text, evidence))
    return name, found


def _is_short(field: Field, mapping: FieldMapping | None) -> bool:
    is_text = mapping is not None and field.name in mapping.text and field.name != mapping.title
    return word_count(field.text) <= SHORT_WORDS and len(field.text) <= 2 * VALUE_LENGTH and not is_text


def _title(passage: Passage, fields: Sequence[Field], mapping: FieldMapping | None) -> Field | None:
    names = [mapping.title] if mapping is not None and mapping.title else []
    heading = passage.headings[-1] if passage.headings else ""
    return next((field for field in fields if field.name in names or field.text == heading), None)


def _sentences(field: Field) -> list[Field]:
    """The sentences of a value, each with its own place."""
    evidence, before = field.evidence, len(field.evidence.quote) - len(field.text)
    found = []
    for start, end in sentences(field.text):
        quote = field.text[start:end]
        at = evidence.start + before
        span = evidence.model_copy(update={"start": at + start, "end": at + end, "quote": quote})
        found.append(Field(field.name, line(quote, 10_000), span))
    return found
