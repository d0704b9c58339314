"""The records of a page as a model is shown them: the short fields on one line, each sentence of prose on its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fathom.asks import ExtractFindings
from fathom.data.fields import FieldMapping
from fathom.data.snapshots import field_name, records_in
from fathom.evidence import Block, Evidence, Passage
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
    """Of the field; empty for a line that is none."""
    text: str
    """The value."""
    evidence: Evidence
    """The same with its name, as it stands in the snapshot."""

    @property
    def shown(self) -> str:
        """With its name, on a line with others."""
        value = line(self.text, VALUE_LENGTH)
        return f"{self.name}: {value}" if self.name else value


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
        return BETWEEN.join(field.shown for field in self.fields)

    @property
    def quote(self) -> str:
        """What it says, when no other words are found for it."""
        if self.is_prose or self.title is None:
            return self.text
        others = (field.shown for field in self.fields if field is not self.title)
        return BETWEEN.join((self.title.text, *others))

    @property
    def lead_in(self) -> Evidence | None:
        """What must be read before a sentence of its prose: the title of the record."""
        if not self.is_prose or self.title is None or self.title.text in self.text:
            return None
        whole = self.title.evidence
        return whole.model_copy(update={"start": whole.end - len(self.title.text), "quote": self.title.text})


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
    ask = ask.model_copy(update={"passages": tuple(map(_with_blocks, ask.passages))})
    worth: dict[str, float] = {}
    for ranked in rank(ask):
        worth.setdefault(ranked.passage.id, ranked.score)
    least = min(worth.values(), default=1.0)
    for passage in ask.passages:
        score = worth.get(passage.id, least)
        name, fields = _fields(passage)
        unsaid = _unsaid(ask.mapping)
        short = [field for field in fields if _is_short(field, ask.mapping) and field.name not in unsaid]
        title = _title(passage, fields, ask.mapping)
        lines = [RecordLine(title, tuple(short), score, is_prose=False)] if short else []
        room = RECORD_TOKENS - sum(shown_tokens(each.text) + NUMBER_TOKENS for each in lines)
        long = [field for field in fields if field not in short and field.name not in unsaid]
        prose = [sentence for field in long for sentence in _sentences(field)]
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


def _with_blocks(passage: Passage) -> Passage:
    """A record with its values as blocks; what has some already stays as it is."""
    if passage.blocks:
        return passage
    blocks = tuple(
        Block(kind="paragraph", start=passage.start + value.start, end=passage.start + value.end)
        for record in records_in(passage.text)[:1]
        for value in record.fields.values()
        if value.end > value.start
    )
    return passage.model_copy(update={"blocks": blocks})


def _fields(passage: Passage) -> tuple[str, list[Field]]:
    """The name of a record and its fields; of what a tool has said in words, its lines."""
    head, text = passage.text.partition("\n")[0], passage.text
    begins = passage.start + len(head)
    is_record = head.startswith("# ") and all(block.start >= begins for block in passage.blocks)
    name = head.removeprefix("# ") if is_record else ""
    locator = f"record {name}" if is_record else " › ".join(passage.headings)
    found = []
    for block in passage.blocks:
        at = text.rfind("\n", 0, block.start - passage.start) + 1
        field, colon, _ = text[at : block.start - passage.start].rpartition(": ")
        start = passage.start + at if is_record and colon else block.start  # a bare value tells nothing
        quote = passage.quote(start, block.end)
        if (value := passage.quote(block.start, block.end)).strip():
            evidence = Evidence(document=passage.document, start=start, end=block.end, quote=quote, locator=locator)
            found.append(Field(line(field, 80), value, evidence))
    return name, found


def _unsaid(mapping: FieldMapping | None) -> set[str]:
    """Fields that tell nothing: the id, under which the record is shown, and its address."""
    return {field_name(name) for name in (mapping.id, mapping.url) if name} if mapping is not None else set()


def _is_short(field: Field, mapping: FieldMapping | None) -> bool:
    is_text = mapping is not None and field.name in map(field_name, mapping.text) and field.name != mapping.title
    return word_count(field.text) <= SHORT_WORDS and len(field.text) <= 2 * VALUE_LENGTH and not is_text


def _title(passage: Passage, fields: Sequence[Field], mapping: FieldMapping | None) -> Field | None:
    names = [field_name(mapping.title)] if mapping is not None and mapping.title else []
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
