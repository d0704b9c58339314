"""The short formats of a report."""

from __future__ import annotations

import re
from typing import Any

import pytest

from fathom.composing.sections import Sentence
from fathom.findings import StatementForm
from fathom.render import formats
from fathom.report import Claim
from fathom.text.own import REPORT_MARK
from fathom.text.phrases import phrases
from tests.support.figures import bars, report_of, section


def claim(id: str, text: str, *cited: str, **changed: Any) -> Claim:
    fields = {
        "id": id,
        "text": text,
        "citations": cited,
        "evidence": (),
        "status": "supported",
        "verified": True,
        "confidence": 0.9,
    }
    return Claim.model_validate(fields | changed)


WEAK = {"status": "unsupported", "verified": False}


def test_a_summary_tells_what_answers_first_and_cites_only_its_own_sources() -> None:
    text = formats.get("summary")(report_of(bars({"AI": 50.0})))
    assert text.startswith("# India events\n\n## Summary\n\nAI is the most frequent theme with 50 records. [S1]\n")
    assert "- Everything here rests on a single source." in text
    assert "- [S1] events: event" in text and "[S2]" not in text and "31 %" not in text
    assert "events: 165 of 165 matching records read (of 100,000); 3 counts over all that match" in text
    assert text.endswith(f"\n{REPORT_MARK}\n")


def test_points_are_the_key_findings_with_their_marks() -> None:
    claims = (
        claim("C1", "Two things follow:", "S1"),
        claim("C2", "It is dark.", "S1", lead_in="Two things follow:"),
        claim("C3", "It is 31 % cold.", "S2", **WEAK),
    )
    set_as = (Sentence(claims[0], form="lead_in"), Sentence(claims[1], form="item"), Sentence(claims[2]))
    report = report_of(claims=claims, sections=(section("Summary", *set_as, role="summary"),))
    points = [
        line
        for line in formats.get("bullets")(report).splitlines()
        if line.startswith("- ") and not line.startswith("- [S")
    ]
    assert points == ["- Two things follow: It is dark. [S1]", "- It is 31 % cold. [S2] (not supported)"]
    assert "Two things follow: [S1]\n\n- It is dark. [S1]\n\nIt is" in formats.get("summary")(report)


@pytest.mark.parametrize("style", ["summary", "bullets"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_short_format_of_an_empty_report_says_that_nothing_was_found(style: str, language: str) -> None:
    empty = {"key_findings": (), "conclusions": (), "language": language}
    report = report_of(language=language).model_copy(update={**empty, "claims": (), "sections": ()})
    words = phrases(language)
    assert words.nothing_found in formats.get(style)(report)
    partial = report.model_copy(update={"partial": "max_calls"})
    assert f"> {words.partial['max_calls']}\n\n{words.nothing_yet}" in formats.get(style)(partial)


@pytest.mark.parametrize("style", ["summary", "bullets"])
def test_text_from_outside_stays_text(style: str) -> None:
    evil = "<b>Look</b> [here](http://evil.example) [S9] ![x](http://evil.example/x.png)"
    claims = (claim("C1", evil, "S1"),)
    told = section(evil, Sentence(claims[0], place=evil), role="summary")
    text = formats.get(style)(report_of(claims=claims, sections=(told,), title=evil))
    assert not re.search(r"(?<!\\)<b>|\]\(http|(?<!`)\[S9\]", text)


def test_a_japanese_summary_speaks_japanese() -> None:
    text = formats.get("summary")(report_of(language="ja"))
    assert (
        "## 要約" in text
        and "events：該当レコード165件のうち165件を読解（全100,000件）、該当レコード全体の集計3件" in text
    )


def test_what_only_comes_close_is_counted_with_all_else_that_is_told() -> None:
    report = report_of(claims=(claim("C1", "Breakfast is free.", "S1"),), outcome="closest")
    assert sum(report.verdicts.model_dump().values()) == len(report.claims)


def test_a_summary_sets_a_passage_as_its_document_sets_it() -> None:
    claims = (
        claim("C1", "Room | Price", "S1"),
        claim("C2", "small | 12", "S1"),
        claim("C3", "Breakfast is free.", "S1"),
    )
    forms: tuple[StatementForm, ...] = ("lead_in", "row", "paragraph")
    told = tuple(Sentence(each, form=form, place="Rooms") for each, form in zip(claims, forms, strict=True))
    report = report_of(claims=claims, sections=(section("Answer", *told, role="summary"),))
    table = "| Room | Price |\n| --- | --- |\n| small | 12 |"
    assert f"## Answer\n\n**Rooms** [S1]\n\n{table}\n\nBreakfast is free.\n" in formats.get("summary")(report)
