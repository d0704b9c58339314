"""What records say: each one where a list is asked for, else the sentences of their texts that answer best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from fathom.asks import ExtractFindings
from fathom.data.fields import FieldMapping
from fathom.data.requests import Filter
from fathom.data.snapshots import RecordPlace, ValueSpan, field_name, one_line, records_in, value_text
from fathom.evidence import Evidence, Passage, SourceDescription
from fathom.findings import Finding, Findings
from fathom.reasoners.extractive.data.asking import described
from fathom.reasoners.extractive.data.constructions import said
from fathom.reasoners.extractive.data.kinds import RECORD
from fathom.reasoners.extractive.data.naming import record_words
from fathom.reasoners.extractive.data.question import DataQuestion, read_data_question
from fathom.reasoners.extractive.data.words import words_of_name
from fathom.text.analysis import query_terms, terms
from fathom.text.phrases import phrases
from fathom.text.sentences import sentences
from fathom.text.typeset import BAR

EXAMPLES = 3
"""Records of a batch that are told when the question has no words that would tell them apart."""
MOST_RECORDS = 12
"""Records that are told where no list is asked for."""
EXAMPLE = 0.1
"""Relevance of such a record."""
LISTED = 0.8
"""Relevance of a record of a list: all are worth the same."""
UNSURE = 0.2
"""Relevance of a record that may be asked about."""
SURE = 0.95
"""Confidence in what a field of a record says."""
ENOUGH = 0.5
"""Share of the question's terms that a sentence must hold."""
LONGEST = 500
"""Characters of the longest sentence that is told."""
IN_BRACKETS = 3
"""Fields that are told behind the title of a listed record."""
COLUMNS, COLUMNS_FROM = 8, 3
"""Columns of a table of records, at most and at least."""
NO_CELL = "–"
"""Stands where a record has no value."""
DAY = 10
"""Characters of a date that tell the day."""


def extract_records(ask: ExtractFindings) -> Findings:
    """Findings of a page of records, best first, with their quotes to the letter; each record is told once.

    How relevant one is depends on its record and the question, so that it compares across pages. Of what asks for what
    no sentence tells, the records are told as they are.
    """
    source = next((each for each in ask.sources if each.kind == "dataset"), None)
    shown = (source.titles, source.holds, source.headings) if source else ((), (), ())
    question, words = _read(ask.query, ask.focus or ask.subtask.description, *shown, ask.mapping)
    here = {passage.document for passage in ask.passages}
    # of a scan all that is known stands on other pages
    known = {finding.id for finding in ask.known if finding.evidence[0].document in here}
    found = [] if question.lists else _answering(ask, question, words)
    found = found or _as_they_are(ask, question, words, fields=shown[0])
    return Findings(findings=tuple(each for each in found if each.id not in known)[: ask.max_findings])


def _as_they_are(
    ask: ExtractFindings, question: DataQuestion, words: frozenset[str], *, fields: Sequence[str]
) -> list[Finding]:
    """The records of a list, and those that conditions leave; where nothing was counted as the question was not surely
    understood, also those that it may be about. Of others than a list, and than a few that are left, those come first
    that hold more of the question."""
    counted = any(each.fact for each in ask.known)
    unsure = question.touches and not (counted or question.told) and bool(question.beyond or question.unknown)
    if not (question.lists or question.filters or unsure):
        return []
    matching = list(_matching(ask, question))
    columns = _columns(ask, fields, [record for _, record in matching])
    found = [_row(ask, columns, *each) if columns else _listed(ask, question, *each) for each in matching]
    few = not found[EXAMPLES:]
    if (question.lists and (few or not question.extreme)) or (question.filters and few):
        return found
    if not (unsure or question.is_open):  # the counts answer
        return []
    some = [each.model_copy(update={"relevance": UNSURE + _share(words, each)}) for each in found]
    return sorted(some, key=lambda each: -each.relevance)[:MOST_RECORDS]


@lru_cache(maxsize=16)
def _read(
    query: str,
    focus: str,
    fields: tuple[str, ...],
    holds: tuple[str, ...],
    values: tuple[str, ...],
    mapping: FieldMapping | None,
) -> tuple[DataQuestion, frozenset[str]]:
    """The question read against a dataset, and its terms that tell records apart; the same for every page of it."""
    source = SourceDescription(name="data", kind="dataset", documents=0, titles=fields, holds=holds, headings=values)
    dataset = described(source, mapping=mapping)
    answered = set(record_words(dataset)).union(*(words_of_name(field) for field in fields))
    answered.update(term for text in (*fields, *values) for term in terms(text))
    question = read_data_question(query, dataset)
    words = (query_terms(each.words) for each in (question, read_data_question(focus, dataset)))
    return question, next(filter(None, (frozenset(each) - answered for each in words)), frozenset())


def _share(words: frozenset[str], finding: Finding) -> float:
    """How much of the question's own words a record holds, as what it adds to the relevance of its row."""
    return round(0.1 * len(words & set(terms(finding.claim))) / len(words), 6) if words else 0.0


def _matching(ask: ExtractFindings, question: DataQuestion) -> Iterator[tuple[Passage, RecordPlace]]:
    for passage in ask.passages:
        for record in records_in(passage.text):
            if all(_fits(record, passage.text, each) for each in question.filters):
                yield passage, record


def _fits(record: RecordPlace, text: str, given: Filter) -> bool:
    """Whether a record of `text` has the values that are named, for tools that cannot be told them.

    Days and numbers are left to the tools: how they are written differs too much.
    """
    span = record.fields.get(field_name(given.field))
    if span is None:
        return given.op not in ("eq", "in", "contains") or not record.fields
    held = text[span.start : span.end].casefold()
    several = given.value if isinstance(given.value, tuple) else (given.value,)
    values = [value_text(value).casefold() for value in several if value is not None]
    if given.op == "contains":
        return any(value in held for value in values)
    wanted = {"eq": True, "in": True, "ne": False, "not_in": False}.get(given.op)
    return wanted is None or (held in values) is wanted


def _title(passage: Passage, record: RecordPlace, mapping: FieldMapping) -> Evidence:
    """What names a record: its title, else its id as it stands at its head."""
    span = record.fields.get(field_name(mapping.title or ""))
    if span is None or span.end <= span.start:
        span = ValueSpan(record.start + 2, record.start + 2 + len(record.id))
    return _evidence(passage, record, span)


def _evidence(passage: Passage, record: RecordPlace, span: ValueSpan) -> Evidence:
    """The quote of a span of a record; spans count from the beginning of the passage."""
    return Evidence(
        document=passage.document,
        start=passage.start + span.start,
        end=passage.start + span.end,
        quote=passage.text[span.start : span.end],
        locator=f"{RECORD}{record.id}",
    )


def _columns(ask: ExtractFindings, fields: Iterable[str], records: Sequence[RecordPlace]) -> tuple[str, ...]:
    """The fields of a table of records that any of them has, texts left out; none where that is no table, or points are
    wished for."""
    mapping = ask.mapping or FieldMapping()
    kept = (field_name(each) for each in fields if each == mapping.title or each not in mapping.text)
    columns = tuple(name for name in kept if any(name in each.fields for each in records))[:COLUMNS]
    return columns if len(columns) >= COLUMNS_FROM and not said("points", ask.query) else ()


def _row(ask: ExtractFindings, columns: tuple[str, ...], passage: Passage, record: RecordPlace) -> Finding:
    """A record as a row of such a table."""
    spans = (record.fields.get(name) for name in columns)
    cells = (one_line(passage.text[span.start : span.end]) if span else "" for span in spans)
    return Finding(
        subtask_id=ask.subtask.subtask_id,
        claim=BAR.join(cell or NO_CELL for cell in cells),
        evidence=(_evidence(passage, record, ValueSpan(record.start, record.end)),),
        confidence=SURE,
        relevance=LISTED,
        facets=columns,
    )


def _listed(ask: ExtractFindings, question: DataQuestion, passage: Passage, record: RecordPlace) -> Finding:
    """A record by its title, with what is asked of it, its date and its category behind."""
    mapping = ask.mapping or FieldMapping()
    title, details = _title(passage, record, mapping), []
    fixed = {each.field for each in question.filters if each.op == "eq"} | {mapping.title}
    for name in dict.fromkeys((*question.statistics, *question.group_by, mapping.date or "", *mapping.category)):
        span = record.fields.get(field_name(name)) if name not in fixed else None
        if span and span.end > span.start:
            end = min(span.end, span.start + DAY) if name == mapping.date else span.end
            details.append(_evidence(passage, record, ValueSpan(span.start, end)))
    said = phrases(ask.language).comma.join(each.quote for each in details[:IN_BRACKETS])
    return Finding(
        subtask_id=ask.subtask.subtask_id,
        claim=f"{title.quote} ({said})" if said else title.quote,
        evidence=(title, *details[:IN_BRACKETS]),
        confidence=SURE,
        relevance=LISTED,
    )


def _answering(ask: ExtractFindings, question: DataQuestion, words: frozenset[str]) -> list[Finding]:
    """The best sentence of each record that holds enough of what is asked, the best first.

    A question without words of its own gets a few examples of what it names, each of another group.
    """
    mapping = ask.mapping or FieldMapping()
    is_text = mapping.text or not ask.mapping
    if not (is_text and (words or question.group_by or said("overview", question.text))):
        return []
    by = field_name((question.group_by or mapping.category or ("",))[0])
    found: dict[object, Finding] = {}
    for passage, record in _matching(ask, question):
        group = record.fields.get(by)
        key = len(found) if words else passage.text[group.start : group.end] if group else ""
        if key not in found and (words or len(found) < EXAMPLES) and (best := _best_of(ask, passage, record, words)):
            found[key] = best
    return sorted(found.values(), key=lambda each: -each.relevance)


def _best_of(ask: ExtractFindings, passage: Passage, record: RecordPlace, words: frozenset[str]) -> Finding | None:
    """The sentence of a record that holds most of the question, the first where it has no words; none when no one holds
    enough. It is led by what the record is called unless it says so itself."""
    mapping = ask.mapping or FieldMapping()
    title = _title(passage, record, mapping)
    named = words & set(terms(title.quote))
    best: tuple[float, ValueSpan, frozenset[str]] | None = None
    for span in _prose(record, passage.text, mapping, with_title=bool(words)):
        for start, end in sentences(passage.text, start=span.start, end=span.end):
            held = words & set(terms(passage.text[start:end]))
            # what the title names, the sentence need not say again; but it must say something itself
            share = (len(held) + 0.5 * len(named - held)) / len(words) if held else 0.0
            if end - start <= LONGEST and (share >= ENOUGH or not words) and (best is None or share > best[0]):
                best = (share, ValueSpan(start, end), held)
    if best is None:
        return None
    share, span, held = best
    quote = _evidence(passage, record, span)
    return Finding(
        subtask_id=ask.subtask.subtask_id,
        claim=" ".join(quote.quote.split()),
        evidence=(quote,),
        lead_in=None if title.quote.casefold() in quote.quote.casefold() else title,
        confidence=round(0.6 + 0.35 * share, 4),
        relevance=round(share or EXAMPLE, 6),
        facets=tuple(sorted(held)),
    )


def _prose(record: RecordPlace, text: str, mapping: FieldMapping, *, with_title: bool) -> list[ValueSpan]:
    """The texts of a record, and its title; without a mapping every value with several words."""
    names = map(field_name, (*mapping.text, *([mapping.title] if mapping.title and with_title else [])))
    spans = [record.fields[name] for name in names if name in record.fields]
    if with_title and not spans:
        spans = [span for span in record.fields.values() if " " in text[span.start : span.end].strip()]
    return [span for span in spans if span.end > span.start]
