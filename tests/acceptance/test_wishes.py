"""S3.5: how a question wishes to be answered is heard in its words, and done by rule as far as a rule can."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

import fathom
from fathom.events import Allocated, Planned, StoredEvent
from fathom.render.html import render as as_html
from fathom.report import Report
from fathom.settings import load_settings
from fathom.text.display import word_count
from fathom.wiring import opened_store

COFFEE = """# Coffee at the office

In 2018 the office bought a filter machine for 400 euros. The filter machine makes ten cups of coffee at a time.

In 2021 the filter machine was replaced by an espresso machine for 1,900 euros. The espresso machine needs descaling.

On 3 May 2023 the service contract of the espresso machine was renewed for three years. It costs 240 euros a year.

## Cleaning the machine

- Empty the drip tray of the machine every evening.
- Rinse the steam wand of the machine after each use.

## Descaling the machine

The machine is descaled with citric acid every two months.
"""
JAPANESE = """# 自治会の会費

2018年に会費は月額300円でした。会費は班長が集めます。

2022年4月に会費は月額400円に上がりました。会費の振込は口座でもできます。

## 会費の免除

75歳以上の一人暮らしの世帯は会費が免除されます。
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "coffee.md").write_text(COFFEE, encoding="utf-8")
    (folder / "kaihi.md").write_text(JAPANESE, encoding="utf-8")
    return folder


def research(question: str, notes: Path, **options: object) -> tuple[Report, list[str]]:
    """The report, and the queries that were asked."""
    queries: list[str] = []

    def note(stored: StoredEvent) -> None:
        if isinstance(stored.event, Allocated):
            queries.extend(text for texts in stored.event.queries.values() for text in texts)

    async def run() -> Report:
        async with fathom.Fathom(load_settings(home=notes.parent / "home")) as engine:
            asked = fathom.Question(question, documents=[notes], **options)  # type: ignore[arg-type]
            return await engine.research(asked, on_event=note)

    return asyncio.run(run()), queries


def body(report: Report) -> list[str]:
    """The lines between the title and the notes and sources below."""
    text = re.split(r"\n## (?:Sources|Limitations|出典|注意点|Quellen|Einschränkungen)\n", report.markdown)[0]
    return [line for line in text.splitlines() if line.strip() and not line.startswith("# ")]


def test_points_are_as_many_as_were_wished_for_and_no_more(notes: Path) -> None:
    report, queries = research("What did the coffee machines at the office cost, in two bullet points?", notes)

    points = [line for line in body(report) if not line.startswith("#")]
    assert len(points) == 2 and all(line.startswith("- ") for line in points)
    assert "bullet" not in " ".join((report.title, *queries)).casefold()
    assert report.query.endswith("in two bullet points?") and report.preferences is not None
    assert report.preferences.topic == "What did the coffee machines at the office cost?"


@pytest.mark.parametrize("most", [15, 25, 40])
def test_a_report_is_never_longer_than_wished_and_ends_with_a_sentence(notes: Path, most: int) -> None:
    report, _ = research(f"How is the espresso machine cleaned and descaled, in at most {most} words?", notes)

    told = " ".join((report.title, *body(report)))
    assert 0 < word_count(told.replace("#", "")) <= most
    quotes = " ".join(entry.quote for entry in report.evidence)
    assert report.claims and all(claim.text in " ".join(quotes.split()) for claim in report.claims)


def test_what_fits_into_no_length_is_said(notes: Path) -> None:
    report, _ = research("How is the espresso machine descaled, in one word?", notes)

    assert not report.claims
    assert any("short enough" in line for line in report.limitations)


def test_a_timeline_has_its_dates_in_order_and_within_the_period(notes: Path) -> None:
    report, _ = research("Give me a timeline of the coffee machines at the office, only since 2020.", notes)

    (section,) = report.sections
    (block,) = section.blocks
    assert section.heading == "Timeline" and list(block.labels) == sorted(block.labels)
    assert block.labels[0] == "2021" and "2023-05-03" in block.labels
    assert "- **2021**: In 2021 the filter machine was replaced" in report.markdown and "2018" not in report.markdown
    assert "<b>2021</b>: " in as_html(report)


def test_what_has_no_dates_is_no_timeline_and_the_report_says_so(notes: Path) -> None:
    (notes / "coffee.md").write_text("# Tea\n\nGreen tea is brewed with water of 80 degrees.\n", encoding="utf-8")
    (notes / "kaihi.md").unlink()
    report, _ = research("How is green tea brewed, as a timeline?", notes)

    assert report.claims and any("no timeline" in line for line in report.limitations)


def test_a_table_has_a_row_for_what_each_part_is_told(notes: Path) -> None:
    report, _ = research("Compare the filter machine and the espresso machine at the office in a table", notes)

    rows = [line for line in body(report) if line.startswith("|")]
    assert rows[:2] == ["| Part | What the sources say |", "| --- | --- |"] and len(rows) > 3
    labels = [row.split("|")[1].strip() for row in rows[2:]]
    assert len(set(labels)) > 1 and labels == sorted(labels, key=labels.index), "those of a side stand together"
    assert '<th scope="row">' in as_html(report)


def test_what_is_excluded_is_neither_told_nor_searched(notes: Path) -> None:
    report, queries = research("How is the espresso machine cared for? Do not mention the steam wand.", notes)

    assert "steam wand" not in report.markdown.casefold() and "wand" not in " ".join(queries)
    assert "descaled" in report.markdown


def test_the_reports_own_words_are_in_the_language_that_was_wished_for(notes: Path) -> None:
    report, queries = research("How is the espresso machine descaled? In German, please.", notes)

    assert report.language == "de" and "## Quellen" in report.markdown and "German" not in " ".join(queries)
    assert any("auf Deutsch" in line for line in report.limitations)
    assert "citric acid" in report.markdown, "what is quoted stays as it is"


def test_a_reader_that_only_a_model_can_write_for_is_told_of(notes: Path) -> None:
    report, _ = research(
        "How is the espresso machine descaled? Keep it friendly, for a manager who knows nothing.", notes
    )

    assert [line for line in report.limitations if "a manager who knows nothing" in line and "friendly" in line]


def test_japanese_wishes_are_heard_and_kept(notes: Path) -> None:
    report, queries = research(
        "自治会の会費はいくらですか。100字以内で、箇条書きでお願いします。免除の話は除いて", notes
    )

    told = "".join((report.title, *body(report)))
    assert len(re.sub(r"[#\s-]|\[S\d+\]", "", told)) <= 100 and "免除" not in told
    assert all(line.startswith(("- ", "## ")) for line in body(report))
    assert not re.search("箇条書き|字以内|除いて", " ".join((report.title, *queries)))
    assert "月額400円" in report.markdown


def test_a_question_without_wishes_asks_for_none(notes: Path) -> None:
    report, _ = research("How is the espresso machine descaled?", notes)

    assert report.preferences is None and "preferences" not in report.model_dump(mode="json")
    assert "HearWishes" not in report.usage.calls


def test_what_was_heard_stands_in_the_plan_and_is_the_same_when_it_is_replayed(notes: Path) -> None:
    question = "What did the coffee machines cost? Three sentences at most, without mentioning the contract."
    report, _ = research(question, notes)

    async def again() -> tuple[Report, list[StoredEvent]]:
        async with fathom.Fathom(load_settings(home=notes.parent / "home")) as engine:
            async with opened_store(load_settings(home=notes.parent / "home")) as store:
                events = await store.events(report.run_id)
            return await engine.replay(report.run_id), events

    replayed, events = asyncio.run(again())
    (planned,) = (stored.event for stored in events if isinstance(stored.event, Planned))
    assert replayed.model_dump_json() == report.model_dump_json()
    assert planned.plan.preferences == report.preferences and report.usage.calls["HearWishes"] == 1
    assert report.preferences is not None and report.preferences.exclusions == ("contract",)


def test_a_report_after_ones_own_outline_has_its_headings_in_its_order(notes: Path) -> None:
    outline = "# Coffee, in short\n\n## Descaling\nHow often, with what.\n\n## Cost\n\n## Cleaning\n"
    report, _ = research("The coffee machines at the office", notes, template=outline)

    assert report.title == "Coffee, in short"
    assert [section.heading for section in report.sections] == ["Descaling", "Cost", "Cleaning"]
    told = {
        section.heading: " ".join(c.text for c in report.claims if c.id in section.told) for section in report.sections
    }
    assert "citric acid" in told["Descaling"] and "1,900 euros" in told["Cost"] and "drip tray" in told["Cleaning"]
