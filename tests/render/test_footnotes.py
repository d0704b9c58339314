"""Markdown whose marks are footnotes, read back by Pandoc."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pypandoc
import pytest

from fathom.render import formats
from fathom.render.documents import READS
from fathom.render.footnotes import render
from fathom.render.markdown import write
from fathom.report import Report
from tests.support.whole_report import whole_report


def footnotes(report: Report) -> str:
    return formats.get("footnotes")(report)


def elements(text: str) -> Iterator[dict[str, Any]]:
    """Everything that Pandoc finds in it."""

    def within(part: Any) -> Iterator[dict[str, Any]]:
        if isinstance(part, dict):
            yield part
        for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            yield from within(each)

    yield from within(json.loads(pypandoc.convert_text(text, "json", format=READS))["blocks"])


def notes(text: str) -> list[str]:
    """What stands in each footnote, in the order of the text."""
    found = (json.dumps({"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": each["c"]})
             for each in elements(text) if each.get("t") == "Note")  # fmt: skip
    return [pypandoc.convert_text(each, "plain", format="json", extra_args=["--wrap=none"]).strip() for each in found]


def test_every_quotation_that_a_sentence_rests_on_is_a_footnote_of_it() -> None:
    report = whole_report()

    found = notes(footnotes(report))

    quotes = {entry.id: entry.quote for entry in report.evidence}
    at_the_end = "C5"  # of its item: the sentence behind it rests on the same
    rests_on = [quotes[id] for claim in report.claims for id in claim.evidence if claim.id != at_the_end]
    assert len(found) == len(rests_on) == 9
    assert all(" ".join(quote.split()) in note for quote, note in zip(rests_on, found, strict=True))


def test_a_note_tells_the_source_and_the_place_and_leads_to_a_page() -> None:
    text = footnotes(whole_report())

    assert "[^1]: “It is 10,935 m deep at its deepest point” — S1, Depth, §Depth\n" in text
    sea = "[The deep \\[sea\\]](<https://sea.example/deep?a=1&b=2>)"
    assert f"[^4]: “the sea is 11,034 m deep” — S3, {sea}, §Depth\n" in text
    assert "[^5]: “AI | 50” — S2, events: by theme, group = AI\n" in text
    assert "/notes/" not in text and "/data/" not in text


@pytest.mark.parametrize(
    ("locator", "told"), [("Page 3", "S1, Depth, Page 3"), ("", "S1, Depth"), ("A › B", "S1, Depth, §A › B")]
)
def test_a_page_says_that_it_is_one(locator: str, told: str) -> None:
    report = whole_report()
    placed = tuple(entry.model_copy(update={"locator": locator}) for entry in report.evidence)

    assert f"” — {told}\n" in footnotes(report.model_copy(update={"evidence": placed}))


def test_a_file_without_headings_has_its_line() -> None:
    report = whole_report()
    entry = report.evidence[0]
    [file] = [source for source in report.sources if source.id == entry.source_id]
    text = f"One.\n\nTwo.\n{entry.quote}"
    placed = (entry.model_copy(update={"locator": "", "start": text.index(entry.quote)}), *report.evidence[1:])

    told = render(report.model_copy(update={"evidence": placed}), snapshots={file.sha256: text})

    assert f"{' '.join(entry.quote.split())}” — S1, Depth, L4\n" in told


def test_a_japanese_report_quotes_in_its_own_way() -> None:
    assert "[^1]: 「It is 10,935 m deep at its deepest point」 — S1、Depth、§Depth\n" in footnotes(
        whole_report(language="ja")
    )


def test_but_for_its_marks_it_is_the_report_s_own_text() -> None:
    report = whole_report()
    texts = [text.split("\n---\n")[0] for text in (write(report), footnotes(report))]

    plain, noted = (re.sub(r" ?\[(?:S\d|\^\d+)\]", "", text) for text in texts)

    assert noted == plain


@pytest.mark.parametrize("hostile", ["x[^1]", "[^1]: forged", "x[^1]\n\n[^1]: forged", "^[a note]", "[^n1] [^1]", "[^"])
def test_no_text_from_outside_can_add_a_footnote_or_take_one(hostile: str) -> None:
    report = whole_report(outside=lambda text: f"{text} {hostile}")
    report = report.model_copy(update={"markdown": write(report)})
    quoted = tuple(each.model_copy(update={"quote": f"{each.quote}{hostile}"}) for each in report.evidence)

    found = notes(footnotes(report.model_copy(update={"evidence": quoted})))

    assert len(found) == 9
    assert all(note.startswith("“") and " — " in note for note in found)


def test_a_report_of_an_older_version_loses_no_sentence() -> None:
    report = whole_report()
    older = tuple(section.model_copy(update={"blocks": ()}) for section in report.sections)

    text = footnotes(report.model_copy(update={"sections": older}))

    assert all(
        claim.text in text for section in report.sections for claim in report.claims if claim.id in section.claims
    )
