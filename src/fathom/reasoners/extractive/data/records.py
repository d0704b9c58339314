"""What records say: each one where a list is asked for, else the sentences of their texts that answer best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from fathom.asks import ExtractFindings
from fathom.data.fields import FieldMapping
from fathom.data.requests import Filter
from fathom.data.snapshots import PlacedRecord, Stretch, field_name, records_in, value_text
from fathom.evidence import Evidence, Passage, SourceDescription
from fathom.findings import Finding, Findings
from fathom.reasoners.extractive.data.asked import OVERVIEW
from fathom.reasoners.extractive.data.asking import described
from fathom.reasoners.extractive.data.kinds import RECORD
from fathom.reasoners.extractive.data.naming import record_words
from fathom.reasoners.extractive.data.question import DataQuestion, read_data_question
from fathom.reasoners.extractive.data.words import words_of_name
from fathom.text.analysis import query_terms, terms
from fathom.text.phrases import phrases
from fathom.text.sentences import sentences

EXAMPLES = 3
"""Records of a batch that are told when the question has no words that would tell them apart."""
EXAMPLE = 0.1
"""Relevance of such a record."""
LISTED = 0.8
"""Relevance of a record of a list: all are worth the same."""
SURE = 0.95
"""Confidence in what a field of a record says."""
ENOUGH = 0.5
"""Share of the question's terms that a sentence must hold."""
LONGEST = 500
"""Characters of the longest sentence that is told."""
IN_BRACKETS = 3
"""Fields that are told behind the title of a listed record."""
DAY = 10
"""Characters of a date that tell the day."""


def extract_records(ask: ExtractFindings) -> Findings:
    """Findings of a page of records, best first, with their quotes to the letter; each record is told once.

    How relevant one is depends on its record and the question alone, so that it compares across pages. Of what names
    records and asks for what no sentence tells, these records are told as they are.
    """
    question, words = _wanted(ask)
    here = {passage.document for passage in ask.passages}
    # of a scan all that is known stands on other pages
    known = {finding.id for finding in ask.known if finding.evidence[0].document in here}
    found = [] if question.lists else _answering(ask, question, words)
    if not found and (question.lists or question.filters):
        found = list(_listed(ask, question))
    return Findings(findings=tuple(each for each in found if each.id not in known)[: ask.max_findings])


def _wanted(ask: ExtractFindings) -> tuple[DataQuestion, frozenset[str]]:
    source = next((each for each in ask.sources if each.kind == "dataset"), None)
    shown = (source.titles, source.headings) if source else ((), ())
    return _read(ask.query, ask.focus or ask.subtask.description, *shown, ask.mapping)


@lru_cache(maxsize=16)
def _read(
    query: str, focus: str, fields: tuple[str, ...], values: tuple[str, ...], mapping: FieldMapping | None
) -> tuple[DataQuestion, frozenset[str]]:
    """The question read against a dataset, and its terms that tell records apart; the same for every page of it."""
    source = SourceDescription(name="data", kind="dataset", documents=0, titles=fields, headings=values)
    dataset = described(source, mapping=mapping)
    answered = set(record_words(dataset)).union(*(words_of_name(field) for field in fields))
    answered.update(term for text in (*fields, *values) for term in terms(text))
    question = read_data_question(query, dataset)
    words = (query_terms(each.words) for each in (question, read_data_question(focus, dataset)))
    return question, next(filter(None, (frozenset(each) - answered for each in words)), frozenset())


def _matching(ask: ExtractFindings, question: DataQuestion) -> Iterator[tuple[Passage, PlacedRecord]]:
    for passage in ask.passages:
        for record in records_in(passage.text):
            if all(_fits(record, passage.text, each) for each in question.filters):
                yield passage, record


def _fits(record: PlacedRecord, text: str, given: Filter) -> bool:
    """Whether a record of `text` has the values that are named, for tools that cannot be told them.

    Days and numbers are left to the tools: how they are written differs too much.
    """
    span = record.fields.get(field_name(given.field))
    if span is None:
        return given.op not in ("eq", "in", "contains") or not record.fields
    held = text[span.start : span.end].casefold()
    several = given.value if isinstance(given.value, tuple) else (given.value,)
    values = [value_text(value).casefold() for value in several if value is not None]
    match given.op:
        case "eq" | "in":
            return held in values
        case "ne" | "not_in":
            return held not in values
        case "contains":
            return any(value in held for value in values)
        case _:
            return True


def _title(passage: Passage, record: PlacedRecord, mapping: FieldMapping) -> Evidence:
    """What names a record: its title, else its id as it stands at its head."""
    span = record.fields.get(field_name(mapping.title or ""))
    if span is None or span.end <= span.start:
        span = Stretch(record.start + 2, record.start + 2 + len(record.id))
    return _evidence(passage, record, span)


def _evidence(passage: Passage, record: PlacedRecord, span: Stretch) -> Evidence:
    """The quote of a span of a record; spans count from the beginning of the passage."""
    return Evidence(
        document=passage.document,
        start=passage.start + span.start,
        end=passage.start + span.end,
        quote=passage.text[span.start : span.end],
        locator=f"{RECORD}{record.id}",
    )


# ── Records of a list ──────────────────────────────────────────────────────────────────────────────────────────────


def _listed(ask: ExtractFindings, question: DataQuestion) -> Iterator[Finding]:
    """Each record by its title, with what is asked of it, its date and its category behind."""
    mapping = ask.mapping or FieldMapping()
    fixed = {each.field for each in question.filters if each.op == "eq"} | {mapping.title, None}
    behind = dict.fromkeys((*question.statistics, *question.group_by, mapping.date, *mapping.category))
    names = [name for name in behind if name and name not in fixed]
    comma = phrases(ask.language).comma
    for passage, record in _matching(ask, question):
        title = _title(passage, record, mapping)
        spans = [(name, record.fields.get(field_name(name))) for name in names]
        details = [
            _evidence(
                passage, record, Stretch(span.start, min(span.end, span.start + DAY)) if name == mapping.date else span
            )
            for name, span in spans
            if span and span.end > span.start
        ][:IN_BRACKETS]
        said = comma.join(each.quote for each in details)
        yield Finding(
            subtask_id=ask.subtask.subtask_id,
            claim=f"{title.quote} ({said})" if said else title.quote,
            evidence=(title, *details),
            confidence=SURE,
            relevance=LISTED,
        )


# ── Sentences that answer ──────────────────────────────────────────────────────────────────────────────────────────


def _answering(ask: ExtractFindings, question: DataQuestion, words: frozenset[str]) -> list[Finding]:
    """The best sentence of each record that holds enough of what is asked, the best first.

    A question without words of its own gets a few examples of what it names.
    """
    mapping = ask.mapping or FieldMapping()
    if words:
        best = (_best_of(ask, *each, words, mapping) for each in _matching(ask, question))
        return sorted((each for each in best if each), key=lambda each: -each.relevance)
    if question.filters or question.group_by or OVERVIEW.search(question.text):
        return list(_examples(ask, question, mapping))
    return []


def _examples(ask: ExtractFindings, question: DataQuestion, mapping: FieldMapping) -> Iterator[Finding]:
    """The first sentence of a few records, each of another group."""
    by = field_name((question.group_by or mapping.category or ("",))[0])
    seen: set[str] = set()
    for passage, record in _matching(ask, question):
        group = record.fields.get(by)
        value = passage.text[group.start : group.end] if group else ""
        texts = (span for name in mapping.text if (span := record.fields.get(field_name(name))))
        first = next((each for span in texts for each in sentences(passage.text, start=span.start, end=span.end)), None)
        if value not in seen and first and first[1] - first[0] <= LONGEST:
            seen.add(value)
            yield _told(ask, passage, record, Stretch(*first), mapping)
        if len(seen) >= EXAMPLES:
            return


def _best_of(
    ask: ExtractFindings, passage: Passage, record: PlacedRecord, words: frozenset[str], mapping: FieldMapping
) -> Finding | None:
    """The sentence of a record that holds most of the question; none when no one holds enough."""
    named = words & set(terms(_title(passage, record, mapping).quote))
    best: tuple[float, Stretch, frozenset[str]] | None = None
    for span in _prose(record, passage.text, mapping):
        for start, end in sentences(passage.text, start=span.start, end=span.end):
            held = words & set(terms(passage.text[start:end]))
            # what the title names, the sentence need not say again; but it must say something itself
            share = (len(held) + 0.5 * len(named - held)) / len(words) if held else 0.0
            if end - start <= LONGEST and share >= ENOUGH and (best is None or share > best[0]):
                best = (share, Stretch(start, end), held)
    if best is None:
        return None
    return _told(ask, passage, record, best[1], mapping, share=best[0], held=sorted(best[2]))


def _told(
    ask: ExtractFindings,
    passage: Passage,
    record: PlacedRecord,
    span: Stretch,
    mapping: FieldMapping,
    *,
    share: float = 0.0,
    held: Sequence[str] = (),
) -> Finding:
    """A sentence of a record, led by what the record is called unless it says so itself; an example without a share."""
    title, quote = _title(passage, record, mapping), _evidence(passage, record, span)
    return Finding(
        subtask_id=ask.subtask.subtask_id,
        claim=" ".join(quote.quote.split()),
        evidence=(quote,),
        lead_in=None if title.quote.casefold() in quote.quote.casefold() else title,
        confidence=round(0.6 + 0.35 * share, 4),
        relevance=round(share or EXAMPLE, 6),
        facets=tuple(held),
    )


def _prose(record: PlacedRecord, text: str, mapping: FieldMapping) -> list[Stretch]:
    """The texts of a record, and its title; without a mapping every value with several words."""
    names = [*mapping.text, *([mapping.title] if mapping.title else [])]
    spans = [record.fields[field_name(name)] for name in names if field_name(name) in record.fields]
    spans = spans or [span for span in record.fields.values() if " " in text[span.start : span.end].strip()]
    return [span for span in spans if span.end > span.start]
