"""What a question asks of a dataset, in English and Japanese."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.data.fields import DataField, DatasetDescription, FieldMapping
from fathom.reasoners.extractive.data.question import DataQuestion, caveats_of, looked_up, read_data_question
from fathom.reasoners.extractive.data.views import views_of
from fathom.text.when import when
from tests.reasoners.extractive.schemas import EVENTS, イベント

ATHLETES = DatasetDescription(
    name="athlete",
    address="file:///athlete.csv",
    fields=(
        DataField(name="Year", type="number", minimum=2000, maximum=2012, distinct=13),
        DataField(name="Venue", type="text"),
    ),
    total=18,
)
TODAY = "2026-11-22"
Y2024 = "start_date gte 2024-01-01; start_date lt 2025-01-01"

ENGLISH = [
    # question, filters, groups, histogram, statistics
    ("India events by theme", "country eq India", "event_theme", "", ""),
    ("How many events took place in India in 2024?", f"country eq India; {Y2024}", "", "", ""),
    ("List all AI events in Japan", "event_theme eq AI; country eq Japan", "", "", ""),
    ("Which country has the most events?", "", "country", "", ""),
    ("What are the top 5 themes in Germany?", "country eq Germany", "event_theme", "", ""),
    ("Indian workshops per year", "country eq India; format eq Workshop", "", "start_date year", ""),
    ("events since March 2023 by country and theme", "start_date gte 2023-03-01", "country event_theme", "", ""),
    ("How did the number of events develop over time?", "", "", "start_date year", ""),
    ("Compare India and Japan by theme", "country in India,Japan", "event_theme country", "", ""),
    ("average attendance by country", "", "country", "", "attendance"),
    (
        "What is the total attendance of Health conferences in Berlin?",
        "event_theme eq Health; format eq Conference; city eq Berlin",
        "",
        "",
        "attendance",
    ),
    ("events with more than 100 attendees", "attendance gt 100", "", "", ""),
    ("events with a ticket price below 20 in Tokyo", "city eq Tokyo; ticket_price lt 20", "", "", ""),
    ("attendance between 50 and 200", "attendance gte 50; attendance lte 200", "", "", ""),
    ("How many events mention quantum computing?", "event_description contains quantum computing", "", "", ""),
    ("Which events are about solar power?", "event_description contains solar power", "", "", ""),
    ("events not in India", "country ne India", "", "", ""),
    ("Which themes are popular outside of Japan?", "country ne Japan", "event_theme", "", ""),
    (
        "all themes except AI and Health by country",
        "event_theme not_in AI,Health",
        "event_theme country",
        "",
        "",
    ),
    ("online events by theme", "is_online eq True", "event_theme", "", ""),
    ("events that are not online", "is_online eq False", "", "", ""),
    ("What share of events in India are about AI?", "country eq India", "event_theme", "", ""),
    ("What percentage of events are in Germany?", "", "country", "", ""),
    ("events between 2020 and 2022 by format", "start_date gte 2020-01-01; start_date lt 2023-01-01", "format", "", ""),
    ("monthly events in 2024", Y2024, "", "start_date month", ""),
    ("When do most Climate events happen?", "event_theme eq Climate", "", "start_date year", ""),
    ("machine learning meetups", "event_theme eq Machine Learning; format eq Meetup", "", "", ""),
    ("How many different cities are there?", "", "city", "", ""),
    ("trend of AI events by country", "event_theme eq AI", "country", "start_date year", ""),
    ("top three countries by attendance", "", "country", "", "attendance"),
    ("Which month has the most events?", "", "", "start_date month", ""),
    ("How does AI compare with other themes?", "", "event_theme", "", ""),
    (
        "Which events had at least 1,000 attendees last year?",
        "start_date gte 2025-01-01; start_date lt 2026-01-01; attendance gte 1000",
        "",
        "",
        "",
    ),
    ("overview", "", "", "", ""),
    ("Which countries have more than 100 events?", "", "country", "", ""),
]
JAPANESE = [
    ("インドのイベントをテーマ別に", "国 eq インド", "テーマ", "", ""),
    ("2024年のイベントは何件ですか", "開催日 gte 2024-01-01; 開催日 lt 2025-01-01", "", "", ""),
    ("2023年3月以降の国別件数", "開催日 gte 2023-03-01", "国", "", ""),
    ("日本以外のイベントをテーマ別に教えてください", "国 ne 日本", "テーマ", "", ""),
    ("イベント数の推移", "", "", "開催日 year", ""),
    ("月別のイベント数", "", "", "開催日 month", ""),
    ("どの国のイベントが最も多いですか", "", "国", "", ""),
    ("上位3テーマは何ですか", "", "テーマ", "", ""),
    ("AIのイベントをすべて一覧にしてください", "テーマ eq AI", "", "", ""),
    ("参加者数が100人以上のイベント", "参加者数 gte 100", "", "", ""),
    ("料金が20円未満のイベントを列挙してください", "料金 lt 20", "", "", ""),
    ("「量子」を含むイベントは何件ありますか", "説明 contains 量子", "", "", ""),
    ("国ごとの平均参加者数", "", "国", "", "参加者数"),
    ("インドと日本を比較してください", "国 in インド,日本", "国", "", ""),
    (
        "昨年の健康イベントの合計参加者数",
        "テーマ eq 健康; 開催日 gte 2025-01-01; 開催日 lt 2026-01-01",
        "",
        "",
        "参加者数",
    ),
    ("インドのイベントのうちAIの割合", "国 eq インド", "テーマ", "", ""),
    ("テーマごとの推移", "", "テーマ", "開催日 year", ""),
    ("2020年から2022年までの各国のイベント数", "開催日 gte 2020-01-01; 開催日 lt 2023-01-01", "国", "", ""),
]


def read(query: str, dataset: DatasetDescription) -> DataQuestion:
    return read_data_question(query, dataset, today=TODAY)


def shown(question: DataQuestion) -> tuple[str, str, str, str]:
    """The question as a row of the tables above."""

    def value(given: object) -> str:
        return ",".join(map(str, given)) if isinstance(given, tuple) else str(given)

    filters = "; ".join(f"{each.field} {each.op} {value(each.value)}" for each in question.filters)
    over = question.histogram
    return (
        filters,
        " ".join(question.group_by),
        f"{over.field} {over.interval}" if over else "",
        " ".join(question.statistics),
    )


@pytest.mark.parametrize(("query", "filters", "groups", "histogram", "statistics"), ENGLISH)
def test_a_question_is_read_against_the_fields(
    query: str, filters: str, groups: str, histogram: str, statistics: str
) -> None:
    assert shown(read(query, EVENTS)) == (filters, groups, histogram, statistics)


@pytest.mark.parametrize(("query", "filters", "groups", "histogram", "statistics"), JAPANESE)
def test_a_question_in_japanese_is_read_against_the_fields(
    query: str, filters: str, groups: str, histogram: str, statistics: str
) -> None:
    assert shown(read(query, イベント)) == (filters, groups, histogram, statistics)


@pytest.mark.parametrize(
    ("query", "dataset"),
    [
        ("List all AI events in Japan", EVENTS),
        ("Which events are about solar power?", EVENTS),
        ("How many events mention quantum computing?", EVENTS),
        ("Show me every workshop in Brazil", EVENTS),
        ("AIのイベントをすべて一覧にしてください", イベント),
        ("「量子」を含むイベントは何件ありますか", イベント),
    ],
)
def test_what_needs_every_record_promises_a_scan(query: str, dataset: DatasetDescription) -> None:
    assert read(query, dataset).promises_scan


@pytest.mark.parametrize(
    ("query", "dataset"),
    [
        ("India events by theme", EVENTS),
        ("How many events took place in India?", EVENTS),
        ("List the themes", EVENTS),
        ("Which country has the most events?", EVENTS),
        ("Describe the events in India", EVENTS),
        ("どの国のイベントが最も多いですか", イベント),
    ],
)
def test_what_counts_answer_promises_no_scan(query: str, dataset: DatasetDescription) -> None:
    assert not read(query, dataset).promises_scan


def test_reasons_stand_in_texts() -> None:
    assert read("Why are attendees dissatisfied?", EVENTS).needs_texts
    assert not read("average attendance by country", EVENTS).needs_texts


def test_the_number_of_groups_is_taken_from_the_question() -> None:
    for query, dataset, top in (("What are the top 5 themes?", EVENTS, 5), ("上位3テーマは何ですか", イベント, 3)):
        (view,) = views_of(read(query, dataset), dataset)

        assert view.top_n == top


def test_periods_side_by_side_are_counted_year_by_year() -> None:
    question = read("Compare 2023 with 2024", EVENTS)

    assert question.histogram is not None
    assert question.histogram.interval == "year"


@pytest.mark.parametrize(
    ("query", "years"),
    [
        ("How many competitions in 2002 compared to 2005?", [2002, 2005]),
        ("bangkok, thailand held the 2002 asian junior championships. what was the next year?", [2002, 2027]),
        ("Competitions in May 2002 and July 2005", []),
        ("2002年と2005年の大会数を比べて", [2002, 2005]),
    ],
)
def test_years_side_by_side_are_counted_one_by_one_in_a_field_of_years_too(query: str, years: list[int]) -> None:
    question = read(query, ATHLETES)
    asked = [each.value for view in views_of(question, ATHLETES) for each in view.filters if each.op == "eq"]

    assert asked == years


def test_to_ask_how_many_years_there_are_is_to_count_by_year() -> None:
    assert read("How many years had a competition?", ATHLETES).group_by == ("Year",)


@pytest.mark.parametrize(
    ("query", "bounds"),
    [
        ("How many competitions until July 2005?", [("lt", 2006)]),
        ("How many competitions before July 2005?", [("lt", 2006)]),
        ("How many competitions in July 2005?", [("gte", 2005), ("lt", 2006)]),
        ("How many competitions until 2005?", [("lt", 2006)]),
        ("How many competitions before 2005?", [("lt", 2005)]),
        ("How many competitions after July 2005?", [("gte", 2005)]),
        ("2005年7月までの大会数は？", [("lt", 2006)]),
        ("How many competitions from May 2002 to March 2005?", [("gte", 2002), ("lt", 2006)]),
    ],
)
def test_in_a_field_of_years_every_year_counts_that_overlaps_the_time(
    query: str, bounds: list[tuple[str, int]]
) -> None:
    question = read(query, ATHLETES)

    assert [(each.op, each.value) for each in question.filters] == bounds


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("in March 2023", "2023-03-01", "2023-04-01"),
        ("on 3 May 2024", "2024-05-03", "2024-05-04"),
        ("after 2020", "2021-01-01", None),
        ("before 2021", None, "2021-01-01"),
        ("until 2021", None, "2022-01-01"),
        ("in the second quarter of 2024", "2024-04-01", "2024-07-01"),
        ("in the first half of 2024", "2024-01-01", "2024-07-01"),
        ("2024年第2四半期", "2024-04-01", "2024-07-01"),
        ("in the 1990s", "1990-01-01", "2000-01-01"),
        ("from 2019 to 2021", "2019-01-01", "2022-01-01"),
        ("in the past three months", "2026-08-22", "2026-11-23"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("more than 2000 attendees", None, None),
        ("2024年度", "2024-04-01", "2025-04-01"),
        ("過去3年間", "2023-11-22", "2026-11-23"),
        ("2022年以前", None, "2023-01-01"),
        ("2024年19月", "2024-01-01", "2025-01-01"),
    ],
)
def test_days_are_understood(text: str, since: str | None, until: str | None) -> None:
    found = when(text, today=TODAY)

    assert (found.since and found.since.isoformat(), found.until and found.until.isoformat()) == (since, until)


ORDERS = DatasetDescription(
    name="orders",
    address="file:///orders.csv",
    fields=(
        DataField(name="order_id", type="id"),
        DataField(name="order_date", type="date", minimum="2023-01-01", maximum="2025-06-30"),
        DataField(name="product", type="text"),
        DataField(name="genre", type="category", values=("Drama", "Comedy", "Horror"), distinct=3),
        DataField(name="priority", type="category", values=("urgent", "low"), distinct=2),
        DataField(name="closed", type="date"),
        DataField(name="temperature_c", type="number"),
    ),
)
貸出 = DatasetDescription(
    name="貸出記録",
    address="file:///loans.csv",
    fields=(
        DataField(name="会員", type="category", values=("鈴木", "田中"), distinct=2),
        DataField(name="書名", type="text"),
        DataField(name="貸出日", type="date", minimum="2024-04-02", maximum="2024-07-20"),
        DataField(name="延滞", type="category", values=("いいえ", "はい"), distinct=2),
    ),
)
PRICES = DatasetDescription(
    name="prices",
    address="file:///prices.csv",
    fields=(
        DataField(name="item", type="text", matches=("12mm drill",), distinct=10),
        DataField(name="category", type="category", values=("Drills", "Paint"), distinct=2),
        DataField(name="price_gbp", type="number", minimum=0.12, maximum=39.5, distinct=10),
        DataField(name="stock", type="number", minimum=0, maximum=900, distinct=10),
    ),
    mapping=FieldMapping(title="item"),
    total=10,
)
Y2024_ORDERS = "order_date gte 2024-01-01; order_date lt 2025-01-01"
UNDERSTOOD = [
    # question, dataset, filters, what is left out
    ("How many orders were placed in 2024?", ORDERS, Y2024_ORDERS, ""),
    ("How many orders were above 75 degrees?", ORDERS, "temperature_c gt 75", ""),
    ("Compare dramas and comedies: which are higher?", ORDERS, "genre in Drama,Comedy", ""),
    ("How many urgent orders are still open?", ORDERS, "priority eq urgent", "open"),
    ("How many orders are already closed?", ORDERS, "", "closed"),
    ("How many splendid orders were there in 2024?", ORDERS, Y2024_ORDERS, "splendid"),
    ("How many orders from mongolia were there?", ORDERS, "", "mongolia"),
    ("Mongolia orders by genre", ORDERS, "", "Mongolia"),
    ("orders about lanterns by genre", ORDERS, "product contains lantern", ""),
    (
        "List all events that mention solar power or zero trust or data quality",
        EVENTS,
        "event_description contains solar power,zero trust,data quality",
        "",
    ),
    (
        "List all events that mention solar power, wind, and tides",
        EVENTS,
        "event_description contains solar power,wind,tide",
        "",
    ),
    (
        "List all events that mention wind and tides",
        EVENTS,
        "event_description contains wind; event_description contains tide",
        "",
    ),
    ("売上参加者数の国別の合計は?", イベント, "", "売上"),
    ("2024年に行われたイベントは何件?", イベント, "開催日 gte 2024-01-01; 開催日 lt 2025-01-01", ""),
    ("モンゴルで開催されたイベントは何件?", イベント, "説明 contains モンゴル", ""),
    ("太陽光発電に関するイベントの一覧", イベント, "説明 contains 太陽光発電", ""),
    ("鈴木の貸出をすべて一覧にして", 貸出, "会員 eq 鈴木", ""),
    ("貸出記録の一覧", 貸出, "", ""),
    ("鈴木さんは何冊借りましたか", 貸出, "会員 eq 鈴木", ""),
    ("延滞している貸出は何件ですか", 貸出, "延滞 eq はい", ""),
    ("5月以降の貸出", 貸出, "貸出日 gte 2024-05-01", ""),
    ("what does the 12mm drill cost?", PRICES, "item eq 12mm drill", ""),
    ("cheapest drill", PRICES, "category eq Drills", ""),
    ("how many items cost more than 10?", PRICES, "price_gbp gt 10", ""),
    ("which items are out of stock?", PRICES, "stock eq 0", ""),
    ("what does the chainsaw cost?", PRICES, "", "chainsaw"),
]


@pytest.mark.parametrize(("query", "dataset", "filters", "left_out"), UNDERSTOOD)
def test_only_what_names_something_is_a_condition_and_the_rest_is_said_to_be_left_out(
    query: str, dataset: DatasetDescription, filters: str, left_out: str
) -> None:
    question = looked_up(read(query, dataset), dataset)

    assert shown(question)[0] == filters
    assert " ".join(question.left_out) == left_out
    assert bool(caveats_of(question, "en")) == bool(left_out)


def test_what_is_left_out_is_said_in_the_language_of_the_run() -> None:
    question = looked_up(read("How many splendid orders were there?", ORDERS), ORDERS)

    assert caveats_of(question, "en") == ("“splendid” was not understood and is left out.",)
    assert caveats_of(question, "ja") == ("「splendid」は解釈できなかったため、条件に含めていません。",)


@pytest.mark.parametrize("day", ["2024-02-30", "31 April 2024", "February 29, 2023", "2024年2月30日"])
def test_a_day_that_does_not_exist_counts_nothing(day: str) -> None:
    question = read(f"How many orders were placed on {day}?", ORDERS)

    assert (question.no_day, question.touches) == (day, False)
    assert day in caveats_of(question, "en")[0]


NAMES = st.one_of(
    st.sampled_from(["theme", "国", "of", "event_theme", "2024", "(", "a|b", "x.y", "Σ", "日", "is", "year", "人数"]),
    st.text(min_size=1, max_size=12),
)
TYPES = st.sampled_from(["text", "category", "number", "date", "boolean", "id", "url", "other"])
FIELDS = st.builds(
    DataField,
    name=NAMES,
    type=TYPES,
    values=st.lists(NAMES, max_size=4).map(tuple),
    matches=st.lists(NAMES, max_size=2).map(tuple),
    minimum=st.sampled_from([None, 1, "2020-01-01", "2020-13-45"]),
)
WORDS = st.sampled_from(
    "by theme per year list all events how many average total in 2024 since 2020 except not India top 5 more than 100 "
    "over time between 20 and 30 「量子」を含む 以外 国別 推移 最も 何件 ( [ \\ ? 9999-99-99 Q4".split(" ")
)
QUESTIONS = st.one_of(st.lists(WORDS, max_size=12).map(" ".join), st.text(max_size=80))


@given(QUESTIONS, st.lists(FIELDS, max_size=6).map(tuple), NAMES)
@settings(deadline=None, max_examples=max(50, settings().max_examples // 5))
def test_any_question_is_read_against_any_fields(query: str, fields: tuple[DataField, ...], name: str) -> None:
    names = {field.name for field in fields}
    dataset = DatasetDescription(
        name=name, address="mcp:x", fields=fields, mapping=FieldMapping(date=name, text=(name,))
    )
    question = read_data_question(query, dataset, today=TODAY)

    assert {each.field for each in question.filters} <= names
    assert {*question.group_by, *question.statistics} <= names
    assert question == read_data_question(query, dataset, today=TODAY)
