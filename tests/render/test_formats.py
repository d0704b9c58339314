"""The formats of a finished report."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest

from fathom.errors import ConfigurationError
from fathom.limits import Limits
from fathom.render import formats
from fathom.render.json import schema
from fathom.report import Claim, Coverage, Estimate, Report, ReportSection, SourceEntry, Usage

REPORT = Report(
    run_id="run_1",
    query="変数のスコープとは？",
    language="ja",
    mode="simple",
    created_at="2026-01-01T00:00:00+00:00",
    title="スコープ",
    markdown="# スコープ\n\n- 名前が見える範囲。 [S1]\n\n\x1b]0;owned\x07[red]not markup[/red]\n",
    key_findings=("C1",),
    conclusions=(),
    limitations=(),
    suggestions=(),
    sections=(ReportSection(heading="要約", claims=("C1",)),),
    claims=(
        Claim(
            id="C1",
            text="名前が見える範囲。",
            citations=("S1",),
            evidence=("E1",),
            status="supported",
            verified=True,
            confidence=0.9,
        ),
    ),
    evidence=(),
    findings=(),
    syntheses=(),
    sources=(),
    subtasks=(),
    not_found=(),
    contradictions=(),
    coverage=Coverage(),
    usage=Usage(),
    limits=Limits(),
    estimate=Estimate(),
    partial=None,
)


def test_json_is_the_report_to_the_letter_and_fits_its_published_schema() -> None:
    text = formats.get("json")(REPORT)
    assert Report.model_validate_json(text) == REPORT
    assert "スコープ" in text and text.endswith("}\n")
    jsonschema.validate(json.loads(text), schema(), cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize("missing", ["claims", "partial", "schema_version"])
def test_a_report_without_a_promised_field_does_not_fit_the_schema(missing: str) -> None:
    whole = json.loads(formats.get("json")(REPORT))
    del whole[missing]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(whole, schema(), cls=jsonschema.Draft202012Validator)


def test_markdown_is_the_report_s_own() -> None:
    assert formats.get("markdown")(REPORT) == REPORT.markdown


def test_a_report_on_a_terminal_keeps_its_words_and_none_of_their_escapes() -> None:
    shown = formats.get("terminal")(REPORT)
    assert "[red]not markup[/red]" in shown and "名前が見える範囲。 [S1]" in shown
    assert not re.search(r"\x1b\]|\x07", shown)  # the colours are ours, the rest of the escapes would not be


SOURCES = (
    SourceEntry(
        id="S1",
        uri="file:///notes/scope.md",
        title="Names",
        kind="file",
        sha256="0",
        retrieved_at="2026",
    ),
    SourceEntry(id="S2", uri="https://a.example/x", title="Web", kind="web", sha256="1", retrieved_at="2026"),
)
CITED = REPORT.model_copy(
    update={
        "language": "en",
        "sources": SOURCES,
        "markdown": "# Scope\n\n## Answer\n\n```\n\n## Sources\n\n```\n\nWhere a name is seen. [S1]\n\n## Sources\n\n"
        "- [S1] Names\n- [S2] Web\n\n---\n\nSentences checked: 1.\n\n"
        "[S1]: <file:///notes/scope.md>\n[S2]: <https://a.example/x&#27;]8;;evil>\n\n<!-- written by Fathom -->\n",
    }
)


@pytest.fixture
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.mark.usefixtures("_colours")
def test_the_answer_stands_last_on_a_terminal_behind_its_sources() -> None:
    shown = formats.get("terminal")(CITED)
    assert shown.index("Names") < shown.index("Sentences checked") < shown.index("Where a name is seen.")


@pytest.mark.usefixtures("_colours")
def test_links_on_a_terminal_open_the_sources_and_steer_nothing() -> None:
    shown = formats.get("terminal")(CITED)
    links = re.findall(r"\x1b\]8;id=\d+;([^\x1b]*)\x1b\\", shown)
    assert links[0] == links[2] == "file:///notes/scope.md" and links[1].startswith("https://a.example/x")
    left = re.sub(r"\x1b\]8;(id=\d+)?;[!-~]*\x1b\\|\x1b\[[\d;]*m", "", shown)
    assert "\x1b" not in left and "evil" not in left and "Where a name is seen. [S1]" in left


def test_a_terminal_that_takes_no_links_is_told_the_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    shown = formats.get("terminal")(CITED)
    assert "S1 file:///notes/scope.md" in shown and "Where a name is seen. [S1] " in shown and "\x1b" not in shown


def test_an_unknown_format_is_told_with_those_there_are() -> None:
    with pytest.raises(
        ConfigurationError,
        match=r"Did you mean 'markdown'\? Known: bibtex, bullets, csl, footnotes, json, markdown, ris, summary, ",
    ):
        formats.get("markdwon")
