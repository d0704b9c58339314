"""No word of a question is dropped, and nothing is counted that was not asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.asks import AllocateQueries, DirectDataset
from fathom.data.fields import DataField, DatasetDescription
from fathom.data.results import Aggregation, Bucket
from fathom.data.sources import as_source
from fathom.data.titles import title_of
from fathom.data.turns import AgentLine, Aggregate, AggregationResult, DatasetTurn, ResearchState, Scan, SubQuestion
from fathom.evidence import Query, SourceDescription, Span
from fathom.plan import Subtask
from fathom.reasoners.extractive.allocate import allocate_queries
from fathom.reasoners.extractive.data.direct import direct_dataset
from fathom.reasoners.extractive.data.question import DataQuestion, looked_up, read_data_question
from fathom.reasoners.extractive.data.views import views_of
from fathom.text.analysis import query_terms
from tests.reasoners.extractive.schemas import EVENTS, asked, イベント

PEOPLE = DatasetDescription(
    name="people",
    address="file:///people.csv",
    tools=EVENTS.tools,
    fields=(
        DataField(name="person_id", type="id"),
        DataField(name="name", type="text"),
        DataField(name="age", type="number", minimum=18, maximum=80, distinct=63),
        DataField(name="occupation", type="category", values=("Engineer", "Nurse"), distinct=2),
        DataField(name="married", type="boolean"),
        DataField(name="salary", type="number", minimum=20_000, maximum=120_000, distinct=400),
    ),
)
DATA = EVENTS.model_copy(
    update={
        "fields": tuple(
            field.model_copy(update={"values": (*field.values, "Data")}) if field.name == "event_theme" else field
            for field in EVENTS.fields
        )
    }
)
AGENTS = tuple(
    AgentLine(name=name, fetches=False, line=name)
    for name in ("decomposer", "aggregator", "scanner", "validator", "synthesizer")
)


def read(query: str, dataset: DatasetDescription) -> DataQuestion:
    return looked_up(read_data_question(query, dataset, today="2026-11-22"), dataset)


def conditions(query: str, dataset: DatasetDescription) -> list[str]:
    found = (
        f"{each.field} {each.op} {','.join(map(str, each.value)) if isinstance(each.value, tuple) else each.value}"
        for each in read(query, dataset).filters
    )
    return sorted(found)


def views(query: str, dataset: DatasetDescription = EVENTS) -> list[str]:
    """What is counted, each in a line; `how many` where nothing but the number of records is."""
    found = views_of(read(query, dataset), dataset)
    titles = (title_of("", view.model_copy(update={"filters": ()})).strip(": ") or "how many" for view in found)
    return list(titles)


@pytest.mark.parametrize(
    ("query", "dataset", "unknown"),
    [
        ("Events by theme in Mongolia", EVENTS, ["Mongolia"]),
        ("How many events were cancelled in New Zealand?", EVENTS, ["cancelled", "New Zealand"]),
        ("events by continent", EVENTS, ["continent"]),
        ("How many events took place in India in 2024?", EVENTS, []),
        ("Which country has the most events?", EVENTS, []),
        ("How has the number of AI events changed over the years?", EVENTS, []),
        ("event EV-77", EVENTS, ["EV-77"]),
        ("sessions of version 2.3", EVENTS, ["sessions", "version", "2.3"]),
        ("モンゴルのイベントをテーマ別に教えてください", イベント, ["モンゴル"]),
        ("2023年の月別のイベント数の推移", イベント, []),
        ("日本で参加者数が最も多いイベントはどれですか", イベント, []),
        ("中国のイベント", イベント, ["中国"]),
        ("人材の育成について述べたイベント", イベント, ["人材", "育成"]),
        ("日本", EVENTS, ["日本"]),
        ("国別の年間件数", イベント, []),
        ("Which countries have more than 400 events?", EVENTS, []),
    ],
)
def test_every_word_is_accounted_for(query: str, dataset: DatasetDescription, unknown: list[str]) -> None:
    found = [each.text for each in read_data_question(query, dataset).unknown]

    assert [word.rstrip("s") for word in found] == [word.rstrip("s") for word in unknown]


@pytest.mark.parametrize(
    ("query", "dataset", "expected"),
    [
        ("Events by theme in Mongolia", EVENTS, "event_description contains Mongolia"),
        ("モンゴルの件数", イベント, "説明 contains モンゴル"),
        ("Data events in India", DATA, "country eq India; event_theme eq Data"),
        ("data on events in India", DATA, "country eq India"),
        ("neither in India nor in Japan", EVENTS, "country not_in India,Japan"),
        ("events between March and May 2024", EVENTS, "start_date gte 2024-03-01; start_date lt 2024-06-01"),
        ("events from Jan to Mar 2023", EVENTS, "start_date gte 2023-01-01; start_date lt 2023-04-01"),
        ("events in 2021 and 2023", EVENTS, "start_date in 2021,2023"),
        (
            "How many events were there in March?",
            EVENTS,
            f"start_date in {','.join(f'{y}-03' for y in range(2019, 2027))}",
        ),
        ("2023年3月から5月までの件数", イベント, "開催日 gte 2023-03-01; 開催日 lt 2023-06-01"),
        ("How many people are under 25?", PEOPLE, "age lt 25"),
        ("people older than 60", PEOPLE, "age gt 60"),
        ("unmarried nurses", PEOPLE, "married eq False; occupation eq Nurse"),
        ("How many married people are there?", PEOPLE, "married eq True"),
        ("people over 3 metres", PEOPLE, ""),
    ],
)
def test_what_names_something_is_a_condition_and_never_nothing(
    query: str, dataset: DatasetDescription, expected: str
) -> None:
    assert "; ".join(conditions(query, dataset)) == expected


@pytest.mark.parametrize(
    ("query", "dataset", "counts"),
    [
        ("How many events are there?", EVENTS, ["how many"]),
        ("How many events took place in India in 2024?", EVENTS, ["how many"]),
        ("How many events were there in Atlantis?", EVENTS, ["how many"]),
        ("How many events were there per month in 2023?", EVENTS, ["start_date / month"]),
        ("What did people say about costs at AI events in Japan in 2024?", EVENTS, ["how many"]),
        ("Compare India and Japan by theme", EVENTS, ["country", "event_theme", "event_theme"]),
        ("How many events in 2021 and in 2023?", EVENTS, ["how many", "how many"]),
        ("events in 2021 and 2023 by theme", EVENTS, ["event_theme", "event_theme"]),
        ("Which country had more events, India or Japan?", EVENTS, ["country"]),
        ("2023 events by country and theme", EVENTS, ["country × event_theme"]),
        ("India events", EVENTS, ["event_theme", "start_date / year"]),
        ("India events in 2024", EVENTS, ["event_theme", "start_date / month"]),
        ("Give me an overview of the data", EVENTS, ["event_theme", "country", "start_date / year"]),
        ("What is in this dataset?", EVENTS, ["event_theme", "country", "start_date / year"]),
        ("イベントは全部で何件ありますか", イベント, ["how many"]),
        ("データの概要を教えてください", イベント, ["テーマ", "国", "開催日 / year"]),
        ("インドと日本をテーマ別に比較してください", イベント, ["国", "テーマ", "テーマ"]),
        ("Which theme has the highest average attendance in Germany?", EVENTS, ["event_theme; Σ attendance"]),
        ("Which event in Japan had the highest attendance?", EVENTS, ["Σ attendance"]),
        ("Who is the oldest person?", PEOPLE, ["Σ age"]),
        ("How many people are named Maria?", PEOPLE, ["how many"]),
        ("Which events mention solar power in their description?", EVENTS, ["how many"]),
    ],
)
def test_only_what_is_asked_is_counted(query: str, dataset: DatasetDescription, counts: list[str]) -> None:
    assert views(query, dataset) == counts


def test_groups_that_are_ranked_by_a_number_are_all_looked_at() -> None:
    (view,) = views_of(read("top 3 cities by attendance", EVENTS), EVENTS)

    assert (view.group_by, view.statistics, view.top_n) == (("city",), ("attendance",), 40)


@pytest.mark.parametrize(
    ("query", "is_sure"),
    [
        ("How many nurses took part in splendid races?", True),
        ("How many people took part in splendid races?", False),
        ("What is the difference between nurses and engineers?", False),
        ("How many people are there?", True),
        ("Who was the first nurse?", False),
    ],
)
def test_a_count_is_sure_only_where_little_is_left_beside_its_conditions(query: str, *, is_sure: bool) -> None:
    assert read(query, PEOPLE).is_sure is is_sure


# ── Turns ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def turn(
    query: str,
    state: ResearchState,
    dataset: DatasetDescription = EVENTS,
    results: tuple[AggregationResult, ...] = (),
) -> DatasetTurn:
    return direct_dataset(
        DirectDataset(
            query=query,
            language="en",
            subtask=Subtask(subtask_id="task_1", description=query, queries=(Query(text=query),)),
            dataset=asked(dataset, query),
            agents=AGENTS,
            state=state,
            results=results,
            today="2026-11-22",
        )
    )


def agents_of(directed: DatasetTurn) -> list[str]:
    return [call.agent for call in directed.sub_agent_calls]


@pytest.mark.parametrize("query", ["What is the capital of Mongolia?", "Who won the World Cup in 2022?"])
def test_what_touches_nothing_of_the_data_counts_nothing(query: str) -> None:
    first = turn(query, ResearchState(turn=1))

    assert (agents_of(first), first.tool_calls) == (["synthesizer"], ())


def test_what_the_texts_mention_is_looked_for() -> None:
    knows = EVENTS.model_copy(update={"terms": dict.fromkeys(query_terms("won World Cup"), 3)})
    calls = turn("Who won the World Cup?", ResearchState(turn=1), knows).sub_agent_calls
    scan = next(each for each in calls if isinstance(each, Scan))

    assert [each.value for each in scan.request.filters] == ["won", "World Cup"]


def test_sub_questions_add_nothing_to_a_precise_question() -> None:
    asked_besides = (SubQuestion(id="sq_1", question="How do the records develop over start_date?"),)
    state = ResearchState(turn=2, matched=2_000, sub_questions=asked_besides, done=("turn 1: analyze",))

    def histograms(query: str) -> list[str]:
        calls = turn(query, state).sub_agent_calls
        return [each.date_histogram.field for each in calls if isinstance(each, Aggregate) and each.date_histogram]

    assert histograms("India events by theme") == []
    assert histograms("Give me an overview of all events") == ["start_date"]


def test_when_no_record_matches_nothing_more_is_counted() -> None:
    state = ResearchState(turn=2, matched=0, done=("turn 1: analyze",))

    assert agents_of(turn("Events in Atlantis", state)) == ["synthesizer"]


def test_the_record_with_the_most_is_read_once_the_most_is_known() -> None:
    query = "Which event in Japan had the highest attendance?"
    first = turn(query, ResearchState(turn=1))
    (call,) = first.tool_calls
    request = views_of(read(query, EVENTS), EVENTS)[0]
    bucket = Bucket(key=(), count=9, statistics={"attendance": {"max": 900.0, "min": 3.0}})
    most = AggregationResult(
        document="0" * 64,
        request=request,
        tool="analyze",
        aggregation=Aggregation(type="statistics", buckets=(bucket,)),
        head=Span(start=0, end=1),
    )
    state = ResearchState(turn=2, matched=9, needs_full_scan=True, done=("turn 1: analyze",))
    scan = next(each for each in turn(query, state, results=(most,)).sub_agent_calls if isinstance(each, Scan))

    assert call.arguments["statistics"] == ["attendance"]
    assert [(each.field, each.op, each.value) for each in scan.request.filters] == [
        ("country", "eq", "Japan"),
        ("attendance", "gte", 900.0),
    ]


def test_a_record_that_is_named_is_read_and_nothing_is_counted_by() -> None:
    unique = DataField(name="ticket", type="text", distinct=1_000, matches=("BUG-12",))
    bugs = EVENTS.model_copy(update={"fields": (*EVENTS.fields, unique)})
    question = read("What is BUG-12 about?", bugs)

    assert (question.needs_texts, views("What is BUG-12 about?", bugs)) == (True, ["how many"])


# ── Beside documents ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("query", "is_asked"),
    [
        ("How many events are there in India?", True),
        ("India events by theme", True),
        ("What does our travel policy say about hotels in India?", False),
        ("How many planets are there?", False),
        ("Which format is said to suit beginners?", False),
    ],
)
def test_data_are_asked_beside_documents_only_when_the_question_touches_them(query: str, *, is_asked: bool) -> None:
    documents = SourceDescription(name="knowledge", kind="file", documents=9, passages=90, cover=0.9)
    ask = AllocateQueries(
        query=query,
        language="en",
        subtask=Subtask(subtask_id="task_1", description=query, queries=(Query(text=query),)),
        sources=(documents, as_source(asked(EVENTS, query), query)),
        max_queries=3,
    )
    names = [each.source for each in allocate_queries(ask).allocations]

    assert ("events" in names) is is_asked
    assert "knowledge" in names


# ── Whatever is asked ──────────────────────────────────────────────────────────────────────────────────────────────

WORDS = st.sampled_from(
    "events in India Mongolia by theme 2024 zebra 100 モンゴル の 件数 EV-9 not ? “ over How many".split()
)


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_nothing_that_is_asked_breaks_the_reading(query: str) -> None:
    for dataset in (EVENTS, イベント, PEOPLE):
        assert all(view.top_n >= 1 for view in views_of(read(query, dataset), dataset))


@given(st.sampled_from(["Mongolia", "Atlantis", "zebras", "ISO-9001"]), st.sampled_from(["", " by theme", " in 2024"]))
def test_a_word_that_is_unknown_is_never_left_out(word: str, rest: str) -> None:
    query = f"How many events about India and {word}{rest}?"
    question = read(query, EVENTS)
    said = " ".join(str(each.value) for each in question.filters)

    assert word.rstrip("s") in said


def test_a_word_for_the_records_is_not_looked_for() -> None:
    assert read("events and records", EVENTS).unknown == ()


def test_a_number_that_is_no_year_is_no_condition_on_a_year() -> None:
    season = DataField(name="season", type="number", minimum=1998, maximum=2012, distinct=15)
    seasons = PEOPLE.model_copy(update={"fields": (season, DataField(name="second", type="text"))})

    assert conditions("How many seasons have more than 10 second places?", seasons) == []
    assert conditions("How many records have a season over 2005?", seasons) == ["season gt 2005"]
