"""A comparison of two reports as Markdown, on a terminal and as HTML."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from fathom.comparison.comparing import compared
from fathom.comparison.records import Comparison
from fathom.render.comparison import markdown, terminal
from fathom.render.html import compared as html
from fathom.report import Report
from fathom.text.own import REPORT_MARK
from tests.comparison.reports import claim, report, source
from tests.support.whole_report import whole_report

BREAK = "  "
EVIL = "[here](http://evil.example) <script>alert(1)</script> \x1b[31m **bold** `code` | cell"


def told(**more: str) -> Comparison:
    """What became of five sentences and three documents."""
    before = source("S1", "pump.md"), source("S2", "boiler.md")
    now = source("S1", "battery.md"), source("S2", "pump.md", sha256="1" * 64)
    old = report(
        ("Costs", [claim("The service costs 240 euros.", "S1"), claim("It is due in October.", "S1")]),
        ("Reserve", [claim("The service costs 240 euros.", "S1"), claim("The tank holds 1,500 litres.", "S2")]),
        sources=before,
        **more,
    )
    new = report(
        ("Costs", [claim("The service costs 265 euros.", "S2"), claim("It is due in October.", "S1", "S2")]),
        ("Reserve", [claim("The service costs 265 euros.", "S2"), claim("A battery stands by since May.", "S1")]),
        sources=now,
        **more,
    )
    return compared(old, new.model_copy(update={"run_id": "run_2"}))


def test_the_markdown_tells_what_differs_once_with_its_places_and_sources() -> None:
    assert (
        markdown.render(told())
        == f"""\
# What has changed: India events

Before: run_1, 2026-01-02 03:04{BREAK}
Now: run_2, 2026-01-02 03:04{BREAK}
Changed: 2, New: 1, Gone: 1, Cited otherwise: 1

## Changed

### Costs · Reserve

Before: The service costs ~~240~~ euros. [S1]{BREAK}
Now: The service costs **265** euros. [S2]

## New

### Reserve

- A battery stands by since May. [S1]

## Gone

### Reserve

- The tank holds 1,500 litres. [S2]

## Cited otherwise

### Costs

Before: It is due in October. [S1], quoted word for word{BREAK}
Now: It is due in October. [S1] [S2], quoted word for word

## Sources

| Now | Before | Sources | |
| --- | --- | --- | --- |
| S1 | – | battery.md | new |
| S2 | S1 | pump.md | changed |
| – | S2 | boiler.md | gone |

{REPORT_MARK}
"""
    )


def test_nothing_changed_is_said_and_nothing_else() -> None:
    same = report(("A", ["It is deep."]))

    told = markdown.render(compared(same, same))

    assert "Nothing has changed: every sentence is as it was." in told
    assert "##" not in told
    assert "Nothing has changed" in terminal.render(compared(same, same))


@pytest.mark.parametrize(
    ("language", "title"), [("ja", "変わった点"), ("de", "Was sich geändert hat"), ("fi", "What has")]
)
def test_it_is_told_in_the_language_of_the_report(language: str, title: str) -> None:
    comparison = told(language=language)

    assert markdown.render(comparison).startswith(f"# {title}")
    assert f'<html lang="{language}">' in html.render(comparison) and title in html.render(comparison)


def test_a_partial_report_and_another_question_are_said() -> None:
    old, new = report(("A", ["It is deep."])), report(("A", []), partial="max_calls", query="How wide?")

    told = markdown.render(compared(old, new))

    assert "India events by theme" in told and "How wide?" in told and "partial" in told


@pytest.mark.parametrize(("columns", "side_by_side"), [("120", True), ("80", False)])
def test_on_a_wide_terminal_both_stand_side_by_side(
    columns: str, side_by_side: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)

    plain = re.sub(r"\x1b\[[\d;]*m", "", terminal.render(told()))

    line = next(line for line in plain.splitlines() if "Before: The service costs 240 euros." in line)
    assert ("Now: The service costs 265 euros." in line) == side_by_side
    assert max(map(len, plain.splitlines())) <= int(columns)


def hostile() -> Comparison:
    """Two reports whose every text is made by somebody who means harm."""

    def made(evil: str) -> Report:
        sources = source("S1", "a.md", title=evil), source("S2", "b", uri=f"https://a.example/|{evil}", title=evil)
        texts = (f"{evil} costs 240 euros.", f"It is {evil} then.") if evil == EVIL else (f"{evil} costs 5.", evil)
        claims = [claim(text, "S1") for text in texts]
        return report((evil, claims), sources=sources, title=evil, query=evil)

    return compared(made(EVIL), made(EVIL.replace("alert(1)", "](http://evil.example)")))


def test_what_reports_say_is_material_in_every_format() -> None:
    shown = (
        MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown.render(hostile()))
    )
    links = re.findall(r'href="([^"]*)"', shown)

    assert "<script" not in shown and all(each.startswith("https://a.example/") for each in links), links
    assert "<script" not in html.render(hostile())
    assert "\x1b[31m " not in terminal.render(hostile())


def test_a_report_that_has_everything_is_the_same_as_itself_and_nothing_of_it_is_lost() -> None:
    comparison = compared(whole_report(), whole_report())

    assert comparison.unchanged and comparison.counts == {"same": 10 + 28 + 2}
    assert compared(whole_report(), report(("A", []))).counts["gone"] == 40
    assert Comparison.model_validate_json(comparison.model_dump_json()) == comparison
