"""A dataset to direct research over, and the asks of one subtask that is researched in it."""

from __future__ import annotations

from typing import Any, get_args

from fathom.asks import AnalyzeGaps, Ask, DirectDataset, GeneratePerspectives, ValidateFindings
from fathom.data.fields import DataField, DatasetDescription, DataTool, FieldMapping
from fathom.data.profile import profile_of
from fathom.data.requests import DataRequest, Filter
from fathom.data.results import Aggregation, Bucket
from fathom.data.turns import AgentLine, AgentName, AggregationResult, ResearchState, SubQuestion
from fathom.evidence import Document, Evidence, Retrieval, Span
from fathom.findings import Finding
from fathom.plan import Subtask
from fathom.ports import Reasoner
from tests.contracts.material import a_source
from tests.support.doubles.calls import answer_of

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "table": {"type": "string"},
        "filters": {"type": "array", "description": "Conditions: {field, op, value}."},
        "group_by": {"type": "array", "items": {"type": "string"}},
        "date_histogram": {"type": "object"},
        "statistics": {"type": "array"},
        "top_n": {"type": "integer"},
        "samples_per_bucket": {"type": "integer"},
        "page_size": {"type": "integer", "maximum": 100},
        "search_after": {"type": "array"},
    },
}
ANALYZE = DataTool(
    name="analyze",
    description="Counts events, or returns them page by page.",
    input_schema=SCHEMA,
    profile=profile_of(SCHEMA),
    returns_records=True,
)
LOOK_UP = DataTool(
    name="look_up",
    description="Tells what is known of a venue.",
    input_schema={"properties": {"venue": {"type": "string"}, "year": {"type": "integer"}}, "required": ["venue"]},
)
FIELDS = (
    DataField(name="event_id", type="id", distinct=2_000),
    DataField(name="event_title", type="text", distinct=1_990),
    DataField(name="summary", type="text", distinct=2_000),
    DataField(
        name="event_theme",
        type="category",
        distinct=4,
        values=("AI", "Cloud", "Security", "Health"),
        description="Topic.",
    ),
    DataField(name="country", type="category", distinct=3, values=("Japan", "India", "Kenya"), matches=("India",)),
    DataField(name="event_date", type="date", distinct=700, minimum="2022-01-03", maximum="2024-12-30"),
    DataField(name="attendees", type="number", missing=12, minimum=10, maximum=900),
    DataField(name="is_online", type="boolean", values=("false", "true")),
)
EVENTS = DatasetDescription(
    name="events",
    address="file:///events.csv",
    title="events.csv",
    tools=(ANALYZE, LOOK_UP),
    refused={"delete_all": "it destroys something"},
    fields=FIELDS,
    mapping=FieldMapping(id="event_id", title="event_title", text=("summary",), category=("event_theme", "country")),
    total=2_000,
    terms={"event": 3, "india": 1, "theme": 1},
)
IN_INDIA = DataRequest(filters=(Filter(field="country", value="India"),), group_by=("event_theme",))
AGENTS = tuple(
    AgentLine(name=name, fetches=name in ("aggregator", "scanner"), line=f"Does what a {name} does.")
    for name in get_args(AgentName)
)
QUESTIONS = (
    SubQuestion(id="sq_1", question="Which themes do events in India have?"),
    SubQuestion(id="sq_2", question="Which theme has the most events?", priority=2),
)
ASKED = {"en": "India events by theme", "ja": "インドのイベントのテーマ別の件数"}


def a_count(counts: dict[str, int], request: DataRequest = IN_INDIA, *, tool: str = "analyze") -> AggregationResult:
    """What was counted."""
    buckets = tuple(Bucket(key=(key,), count=count) for key, count in counts.items())
    matched = sum(counts.values())
    return AggregationResult(
        document="c" * 64,
        request=request,
        tool=tool,
        aggregation=Aggregation(
            type="group_by", fields=request.group_by, buckets=buckets, total_docs=matched, distinct=len(buckets)
        ),
        matched=matched,
        total=2_000,
        head=Span(start=0, end=10),
        rows=tuple(Span(start=10 * at, end=10 * at + 9) for at in range(1, len(buckets) + 1)),
    )


COUNTED = a_count({"AI": 80, "Cloud": 60, "Security": 25})


def direct_ask(query: str = ASKED["en"], *, language: str = "en", **changes: Any) -> DirectDataset:
    """The first turn of research over the events."""
    fields = {
        "query": query,
        "language": language,
        "subtask": Subtask(subtask_id="task_1", description=query),
        "dataset": EVENTS,
        "agents": AGENTS,
        "state": ResearchState(total=2_000),
        "today": "2026-01-01",
    }
    return DirectDataset(**{**fields, **changes})


def counted(**changes: Any) -> ResearchState:
    """The state behind a count that most of what matches was not fetched for."""
    fields = {
        "turn": 2,
        "total": 2_000,
        "matched": 165,
        "fetched": 20,
        "aggregations": 1,
        "findings": 3,
        "sources": 20,
        "needs_full_scan": True,
        "max_records": 300,
        "sub_questions": QUESTIONS,
        "done": ("decomposer: 2 sub-questions", "aggregator: 1 count"),
    }
    return ResearchState(**{**fields, **changes})


async def walk_data(reasoner: Reasoner, language: str) -> list[tuple[Ask[Any], Any]]:
    """Three turns of research over the events: nothing is known; much is left; all was read."""
    query = ASKED[language]
    asks = (
        direct_ask(query, language=language),
        direct_ask(
            query,
            language=language,
            state=counted(
                errors=("look_up: it failed: no such venue",), question_confidence={"sq_1": 0.8}, confidence=0.4
            ),
            results=(COUNTED,),
            findings=(a_finding("AI is the theme of 80 of 165 events in India."),),
        ),
        direct_ask(
            query,
            language=language,
            state=counted(turn=3, fetched=165, scanned=165, needs_full_scan=False, findings=9),
            results=(COUNTED,),
        ),
    )
    return [(ask, await answer_of(reasoner, ask)) for ask in asks]


async def walk_whole(
    reasoner: Reasoner, query: str, found: Retrieval, findings: tuple[Finding, ...], *, language: str
) -> list[tuple[Ask[Any], Any]]:
    """How experts would look at the question, and what is thought of all that was found."""
    common = {"query": query, "language": language}
    questions = (SubQuestion(id="task_1", question=query), SubQuestion(id="task_2", question="Who says so?"))
    asks: tuple[Ask[Any], ...] = (
        GeneratePerspectives.model_validate({**common, "topic": query, "sources": (a_source(query, found),)}),
        ValidateFindings.model_validate(
            {**common, "findings": findings, "questions": questions, "documents": found.documents}
        ),
        AnalyzeGaps.model_validate(
            {**common, "findings": findings, "questions": questions, "docs_processed": len(found.documents)}
        ),
    )
    return [(ask, await answer_of(reasoner, ask)) for ask in asks]


def a_finding(claim: str, *, document: str = "d", confidence: float = 0.8, relevance: float = 1.0) -> Finding:
    """A claim in the words of its document."""
    sha256 = (document * 64)[:64]
    evidence = Evidence(document=sha256, start=0, end=len(claim), quote=claim, locator="Page")
    return Finding(subtask_id="task_1", claim=claim, evidence=(evidence,), confidence=confidence, relevance=relevance)


def a_document(name: str = "d", **changes: Any) -> Document:
    """The document of `a_finding`."""
    fields = {
        "sha256": (name * 64)[:64],
        "uri": f"file:///{name}.md",
        "title": f"Page {name}",
        "kind": "file",
        "language": "en",
        "retrieved_at": "",
    }
    return Document(**{**fields, **changes})
