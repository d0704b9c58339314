"""Our own server over files, through the same port as anybody's."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from fathom.data.fields import FieldMapping
from fathom.data.profile import arguments_for
from fathom.data.requests import DataRequest, Filter
from fathom.data.servers import DataSource
from fathom.errors import ConfigurationError, ToolFailed
from fathom.settings import Settings
from fathom.tools import open_dataset
from tests.support.doubles.data_server import events
from tests.support.mcp_serving import scanned


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = events(165)
    path = tmp_path / "events.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


async def test_files_are_described_counted_and_scanned(table: Path) -> None:
    source = DataSource(name="events", paths=(str(table),), mapping={"events": FieldMapping(title="summary")})
    data = open_dataset(source, Settings(home=table.parent / "home"))
    try:
        described = await data.describe("India events by theme")
        profile = described.tools[0].profile
        asked = DataRequest(filters=(Filter(field="country", value="India"),), group_by=("event_theme",))
        counted = await data.call("analyze", arguments_for(profile, asked))
        records = await scanned(data, described, tool="analyze", size=100)
        with pytest.raises(ToolFailed, match="contry"):
            await data.call("analyze", arguments_for(profile, DataRequest(group_by=("contry",))))
    finally:
        await data.close()

    india = [event for event in events(165) if event["country"] == "India"]
    assert [tool.name for tool in described.tools] == ["analyze"]
    assert (described.total, described.mapping.id, described.address) == (165, "event_id", table.as_uri())
    assert described.mapping.title == "summary"
    country = described.field("country")
    assert country is not None
    assert country.matches == ("India",)
    assert described.terms["india"] > 0
    assert {bucket.key[0]: bucket.count for bucket in counted.aggregations[0].buckets} == {
        theme: sum(event["event_theme"] == theme for event in india) for theme in {e["event_theme"] for e in india}
    }
    assert (counted.matched, counted.total, counted.request) == (len(india), 165, asked)
    assert sorted(record.id for record in records) == [event["event_id"] for event in events(165)]


@pytest.mark.soak
async def test_a_mapping_corrects_what_is_found_and_must_fit(table: Path) -> None:
    settings = Settings(home=table.parent / "home")
    right = DataSource(name="events", paths=(str(table),), mapping={"events": FieldMapping(title="summary")})
    wrong = DataSource(name="events", paths=(str(table),), mapping={"events": FieldMapping(title="headline")})
    for source in (right, wrong):
        data = open_dataset(source, settings)
        try:
            if source is right:
                assert (await data.describe("")).mapping.title == "summary"
            else:
                with pytest.raises(ConfigurationError, match="headline"):
                    await data.describe("")
        finally:
            await data.close()


@pytest.mark.usefixtures("read_here")
async def test_the_table_that_fits_the_question_is_described_and_corrected_by_what_is_said_of_it(table: Path) -> None:
    (table.parent / "cities.csv").write_text("city,mayor\nOslo,Anne\nLima,Rafa\n", encoding="utf-8")
    (table.parent / "rivers.csv").write_text("river,length\nGlomma,621\nRimac,204\n", encoding="utf-8")
    paths = (str(table), *(str(table.parent / name) for name in ("cities.csv", "rivers.csv")))
    mapping = {"files": FieldMapping(title="summary"), "cities": FieldMapping(title="mayor")}
    mapping["rivers"] = FieldMapping(title="headline")
    data = open_dataset(DataSource(name="files", paths=paths, mapping=mapping), Settings(home=table.parent / "home"))
    try:
        events_table, cities = await data.describe("Events by theme"), await data.describe("Who is the mayor?")
        with pytest.raises(ConfigurationError, match="headline"):
            await data.describe("Which river has which length?")
    finally:
        await data.close()

    assert (events_table.table, events_table.total, events_table.mapping.title) == ("events", 165, "summary")
    assert (cities.table, cities.tables, cities.total) == ("cities", ("cities", "events", "rivers"), 2)
    assert cities.mapping.title == "mayor"
