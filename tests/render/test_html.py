"""The report as HTML: what it says, what it quotes, and that it is one file."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Literal

import lxml.html
import pytest
from lxml.html import HtmlElement
from markdown_it import MarkdownIt

from fathom.render.html import article, render
from fathom.render.markdown import write
from fathom.report import Report, TextBlock, Usage
from fathom.text.phrases import phrases
from tests.support.composed_report import composed_report
from tests.support.whole_report import PAGE, SNAPSHOT, SNAPSHOTS, TABLE, whole_report

_LOCAL = re.compile(r"<file://")
_TARGET = re.compile(r"^\[S\d+\]: .*$", re.MULTILINE)
MARK = re.compile(r"\[S\d+\]")


def parsed(text: str) -> HtmlElement:
    return lxml.html.document_fromstring(text)


def having(page: HtmlElement, name: str) -> list[HtmlElement]:
    """The elements of a class."""
    return [each for each in page.iter() if name in str(each.get("class", "")).split()]


def told_in_markdown(markdown: str) -> Iterator[str]:
    """What each heading, sentence, item and cell of the Markdown says, without spaces and marks of citations."""
    parser = MarkdownIt("commonmark").enable("table")
    for token in parser.parse(_LOCAL.sub("<https://local.example", _TARGET.sub("", markdown))):  # it knows no `file:`
        lines: list[str] = [""]
        for each in token.children or ():
            if each.type in ("hardbreak", "softbreak"):
                lines.append("")
            elif each.type in ("text", "code_inline"):
                lines[-1] += each.content
        for line in lines if token.type == "inline" else ():
            for sentence in re.split(r"(?<=\])\s", line):
                yield _bare(sentence)


def _bare(text: str) -> str:
    return "".join(MARK.sub("", text).split())


def told_in_html(text: str) -> str:
    """What is read there, without the numbers of notes and the links to what other sources say."""
    page = parsed(text)
    for each in (*having(page, "refs"), *having(page, "dispute")):
        each.drop_tree()
    return _bare(page.text_content())


@pytest.mark.parametrize("made", [whole_report, composed_report])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_html_says_everything_that_the_markdown_says_in_its_order(
    made: Callable[..., Report], language: str
) -> None:
    report = made(language=language)
    unplaced = tuple(each.model_copy(update={"locator": ""}) for each in report.evidence)  # HTML has it in its notes
    markdown = write(report.model_copy(update={"evidence": unplaced}))
    for written in (render(report), article(report)):
        text, at = told_in_html(written), 0
        for told in told_in_markdown(markdown):
            found = text.find(told, at)
            assert found >= 0, f"{told} is not said behind {text[max(0, at - 60) : at]}"
            at = found + len(told)


def test_a_sentence_that_another_source_contradicts_says_so_where_it_stands() -> None:
    page = parsed(article(whole_report()))
    links = [link for claim in having(page, "claim") for link in having(claim, "dispute")]

    assert links
    assert {link.get("href") for link in links} <= {f"#{each.get('id')}" for each in having(page, "contradiction")}


def test_sentences_share_paragraphs_and_items_as_in_the_markdown() -> None:
    page = parsed(article(whole_report()))
    items = [[claim.get("data-claim") for claim in having(item, "claim")] for item in page.iter("li")]
    assert [each for each in items if each] == [["C4"], ["C5", "C6"]]
    paragraphs = [[claim.get("data-claim") for claim in having(each, "claim")] for each in page.iter("p")]
    assert [each for each in paragraphs if each] == [["C1"], ["C2"], ["C3"], ["C7"], ["C8", "C9"], ["C10"]]


def test_a_passage_stands_under_its_place_with_its_rows_in_a_table() -> None:
    report = whole_report()
    blocks = (TextBlock(kind="table", items=(("C4",), ("C5",)), head="C3", place="Sea › Depth"),)
    section = report.sections[1].model_copy(update={"blocks": blocks, "claims": ("C3", "C4", "C5"), "sections": ()})
    page = parsed(render(report.model_copy(update={"sections": (section,)})))
    assert having(page, "place")[0].text_content() == "Sea › Depth"
    table = having(page, "table")[0]
    assert [row.get("id") for row in table.iter("tr")] == ["C3", "C4", "C5"]
    assert len(list(table.iter("th"))) == 1 and len(list(table.iter("td"))) == 2
    refs = [ref.get("data-evidence") for part in having(page, "part")[:1] for ref in having(part, "ref")]
    assert refs == ["E1", "E3"], "each once, not in every row"
    backs = [str(back.get("href")) for back in having(page, "back")]
    assert [back for back in backs if back[1:3] in ("C3", "C4", "C5")] == ["#C3-E1", "#C4-E3"]


def test_each_paragraph_and_item_of_a_passage_shows_what_it_is_quoted_from() -> None:
    report = whole_report()
    shapes: list[tuple[Literal["paragraph", "list"], str]] = [("paragraph", "C4"), ("list", "C5")]
    blocks = tuple(TextBlock(kind=kind, items=((id,),), place="Sea › Depth") for kind, id in shapes)
    section = report.sections[1].model_copy(update={"blocks": blocks, "claims": ("C4", "C5"), "sections": ()})
    claims = [each.model_copy(update={"evidence": ("E3",)}) if each.id == "C5" else each for each in report.claims]
    page = parsed(render(report.model_copy(update={"sections": (section,), "claims": tuple(claims)})))
    told = {
        claim.get("id"): [ref.get("data-evidence") for ref in having(claim, "ref")] for claim in having(page, "claim")
    }
    assert told == {"C4": ["E3"], "C5": ["E3"]}


def test_headings_go_down_one_level_at_a_time_and_begin_with_the_title() -> None:
    page = parsed(render(whole_report()))
    levels = [int(str(each.tag)[1]) for each in page.iter("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_status_of_every_sentence_is_said_in_words() -> None:
    page = parsed(render(whole_report()))
    said = {}
    for claim in having(page, "claim"):
        (verdict,) = having(claim, "verdict")
        said[claim.get("data-status")] = verdict.text or verdict.get("aria-label")
    weak = {status: mark for status, mark in phrases("en").weak_mark.items() if status != "contradicted"}
    assert said == {"quoted": "quoted word for word", "supported": "supported by what it cites", **weak}


def test_a_report_that_only_quotes_has_no_marks_of_a_verdict() -> None:
    page = parsed(render(whole_report(quoted=7)))
    assert having(page, "checked")[0].text_content() == "7 passages quoted word for word from 3 sources."
    assert len(having(page, "verdict")) == 3, "what is not supported is still marked"


def test_a_footnote_shows_the_quotation_to_the_letter_in_its_context_and_all_that_says_where_it_stands() -> None:
    report = whole_report()
    page = parsed(render(report, snapshots=SNAPSHOTS))
    quoted = {each.id: each.quote for each in report.evidence}
    notes = {str(each.get("id")): each for each in having(page, "footnote")}
    assert list(notes) == ["E1", "E2", "E3", "E4", "E5"], "those that no sentence rests on have no note"
    for id, note in notes.items():
        (mark,) = note.iter("mark")
        assert mark.text_content() == quoted[id]
    around = {id: [each.text_content() for each in having(note, "context")] for id, note in notes.items()}
    assert around["E1"] == ["The sea is wide. ", ", as measured in 2021. It is cold there."]
    assert around["E4"] == ["group | records\n", "\nCloud | 40\nData | 3"], "lines of a table stay lines"
    assert around["E5"] == ["Some say that ", ". Others do not."]
    told = " ".join(notes["E5"].text_content().split())
    assert all(each in told for each in ("[S3] The deep [sea]", "Depth", "read 2026-01-02", "3" * 64))
    assert [link.get("href") for link in notes["E5"].iter("a")] == [
        *("#S3", "https://sea.example/deep?a=1&b=2"),
        *("#C7-E5", "#C8-E5", "#closed"),
    ]
    assert "file:///notes/海.md" in notes["E1"].text_content(), "a file's address is text, and readable"


def test_how_it_was_made_counts_calls_and_names_none_of_ours() -> None:
    report = whole_report().model_copy(update={"usage": Usage(calls={"extract_findings": 4, "describe": 1}, seconds=2)})

    made = " ".join(parsed(render(report)).get_element_by_id("made").text_content().split())

    assert "Calls5" in made and "extract_findings" not in made


def test_without_the_snapshots_or_with_others_a_footnote_shows_the_quotation_alone() -> None:
    report = whole_report()
    for snapshots in (None, {sha256: f"Other {text}" for sha256, text in SNAPSHOTS.items()}):
        page = parsed(render(report, snapshots=snapshots))
        assert not having(page, "context") and len(list(page.iter("mark"))) == 5


@pytest.mark.parametrize("made", [whole_report, composed_report])
def test_every_number_leads_to_its_note_and_back(made: Callable[[], Report]) -> None:
    page = parsed(render(made()))
    ids = [each.get("id") for each in page.iter() if each.get("id")]
    assert len(ids) == len(set(ids))
    for link in page.iter("a"):
        href = str(link.get("href"))
        assert not href.startswith("#") or href[1:] in ids or href == "#closed"
    for ref in having(page, "ref"):
        note = page.get_element_by_id(str(ref.get("href"))[1:])
        assert ref.text == str(note.get("id")).removeprefix("E")
        assert ref.get("id") is None or f"#{ref.get('id')}" in [link.get("href") for link in note.iter("a")]


def test_both_sides_of_a_contradiction_stand_side_by_side_with_their_dates() -> None:
    page = parsed(article(whole_report()))
    (contradiction,) = having(page, "contradiction")
    assert [" ".join(each.text_content().split()) for each in having(contradiction, "side")] == [
        "Your document [S1] says: “The sea is 10,935 m deep.”1",
        "The page [S3] (2021-05-06) says: “It is 11,034 m deep.”5",
    ]


def test_a_figure_is_a_table_with_headers_and_a_picture_that_the_file_holds() -> None:
    page = parsed(render(whole_report()))
    pictures = list(page.iter("img"))
    assert len(pictures) == 2 and all(each.get("alt") for each in pictures)
    for picture in pictures:
        kind, _, held = str(picture.get("src")).partition(",")
        assert kind == "data:image/svg+xml;base64" and base64.b64decode(held).startswith(b"<svg")
    tables = list(page.iter("table"))
    assert len(tables) == 2 and all(head.get("scope") for table in tables for head in table.iter("th"))
    assert [len(list(table.iter("tr"))) for table in tables] == [21, 4]
    assert "… and 5 more groups with 115 records" in page.text_content()


def test_the_file_needs_nothing_else_and_runs_nothing() -> None:
    text = render(whole_report(), snapshots=SNAPSHOTS)
    page = parsed(text)
    assert not list(page.iter("script", "link", "iframe", "object", "embed", "base", "form", "video", "audio"))
    assert all(str(each.get("src")).startswith("data:image/svg+xml;base64,") for each in page.iter() if each.get("src"))
    (style,) = page.iter("style")
    assert not re.search(r"url\(|@import|expression|https?:", style.text or "")
    policy = next(each.get("content") for each in page.iter("meta") if each.get("http-equiv"))
    digest = base64.b64encode(hashlib.sha256((style.text or "").encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert text.startswith("<!doctype html>") and text.endswith("</html>\n")


def test_the_language_of_the_report_is_that_of_the_file() -> None:
    page = parsed(render(whole_report(language="ja")))
    (told,) = page.iter("article")
    assert (page.getroottree().getroot().get("lang"), told.get("lang")) == ("ja", "ja")
    assert "注" in [each.text for each in page.iter("h2")]


def test_a_report_of_nothing_says_so() -> None:
    nothing: dict[str, Any] = {
        "claims": (),
        "sections": (),
        "figures": (),
        "contradictions": (),
        "evidence": (),
        "conclusions": (),
    }
    text = parsed(render(whole_report().model_copy(update=nothing))).text_content()
    assert phrases("en").nothing_yet in text
    complete = whole_report().model_copy(update={**nothing, "partial": None, "markdown": "# The sea\n"})
    assert phrases("en").nothing_found in parsed(render(complete)).text_content()


def test_the_same_report_gives_the_same_bytes() -> None:
    again = Report.model_validate_json(whole_report().model_dump_json())
    assert render(again, snapshots=SNAPSHOTS) == render(whole_report(), snapshots=SNAPSHOTS)
    assert {SNAPSHOT, TABLE, PAGE} == set(SNAPSHOTS.values())
