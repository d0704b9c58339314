"""Small datasets, as they describe themselves, for tests of the extractive reasoner."""

from __future__ import annotations

from fathom.data.fields import DataField, DatasetDescription, DataTool, FieldMapping, ToolProfile
from fathom.reasoners.extractive.data.naming import values_in

ANALYZE = DataTool(
    name="analyze",
    profile=ToolProfile(
        filters="filters",
        filters_as="list",
        group_by="group_by",
        date_histogram="date_histogram",
        statistics="statistics",
        top_n="top_n",
        page_size="page_size",
        cursor="search_after",
    ),
    returns_records=True,
)
EVENTS = DatasetDescription(
    name="events",
    address="file:///events.csv",
    title="events.csv",
    tools=(ANALYZE,),
    total=1_000,
    mapping=FieldMapping(
        id="event_id",
        title="event_title",
        text=("event_description",),
        date="start_date",
        category=("event_theme", "country", "format"),
    ),
    fields=(
        DataField(name="event_id", type="id"),
        DataField(name="event_title", type="text"),
        DataField(name="event_description", type="text"),
        DataField(
            name="event_theme",
            type="category",
            values=("AI", "Health", "Climate", "Finance", "Machine Learning"),
            distinct=5,
        ),
        DataField(name="country", type="category", values=("India", "Japan", "Germany", "Brazil"), distinct=4),
        DataField(name="city", type="category", values=("Delhi", "Tokyo", "Berlin"), distinct=40),
        DataField(name="format", type="category", values=("Conference", "Workshop", "Meetup"), distinct=3),
        DataField(name="start_date", type="date", minimum="2019-01-01", maximum="2026-06-30"),
        DataField(name="attendance", type="number", minimum=3, maximum=9_000, distinct=2_000),
        DataField(name="ticket_price", type="number", minimum=0, maximum=500, distinct=400),
        DataField(name="is_online", type="boolean"),
        DataField(name="url", type="url"),
    ),
)
イベント = DatasetDescription(
    name="events",
    address="file:///events.csv",
    title="イベント一覧",
    tools=(ANALYZE,),
    total=1_000,
    mapping=FieldMapping(id="ID", title="名称", text=("説明",), date="開催日", category=("テーマ", "国")),
    fields=(
        DataField(name="ID", type="id"),
        DataField(name="名称", type="text"),
        DataField(name="説明", type="text"),
        DataField(name="テーマ", type="category", values=("AI", "健康", "気候", "金融"), distinct=4),
        DataField(name="国", type="category", values=("インド", "日本", "ドイツ"), distinct=3),
        DataField(name="開催日", type="date", minimum="2019-01-01", maximum="2026-06-30"),
        DataField(name="参加者数", type="number"),
        DataField(name="料金", type="number"),
    ),
)


def asked(dataset: DatasetDescription, query: str) -> DatasetDescription:
    """The dataset as it describes itself for a question: each field tells which of its values the question names."""
    named: dict[str, list[str]] = {}
    for each in values_in(query, dataset):
        named.setdefault(each.field.name, []).append(str(each.value))
    fields = (
        field.model_copy(update={"matches": tuple(dict.fromkeys(named.get(field.name, ())))})
        for field in dataset.fields
    )
    return dataset.model_copy(update={"fields": tuple(fields)})
