"""The Markdown of a report."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from fathom.composing.sections import Sentence
from fathom.errors import Unreadable
from fathom.findings import StatementForm
from fathom.reading.readers import read_bytes
from fathom.render.markdown import bold, write
from fathom.report import Claim, EvidenceEntry, SourceEntry
from fathom.text.commonmark import inert
from tests.support.figures import naming, plain, report_of, section
from tests.support.hostile import HOSTILE

RENDERER = MarkdownIt("commonmark").enable(["strikethrough", "table"])


def shown(markdown: str) -> tuple[str, set[str]]:
    """The text that a reader sees, and the tags that set it."""
    page = RENDERER.render(markdown)
    tags = set(re.findall(r"<(\w+)", page))
    return html.unescape(re.sub(r"<[^>]*>", "", page)), tags


@pytest.mark.parametrize("text", HOSTILE)
def test_text_from_outside_can_add_no_markup(text: str) -> None:
    assert shown(inert(text))[1] <= {"p", "code"}


fragments = st.lists(st.sampled_from([*HOSTILE, " ", "a", "_", "*", "`", "\\", "[", "]", "(", ")", "<", "!", "~", "&"]))


@given(fragments.map("".join) | st.text(max_size=60))
@example("```[click](http://evil.example)```http://evil.example/ and www.evil.example")
@example("[click](http://evil.example)`&nbsp;&lt;")
def test_any_text_is_shown_as_it_is(text: str) -> None:
    seen, tags = shown(inert(text))
    assert tags <= {"p", "code"}
    assert _bare(seen) == _bare(inert_free(text))


@given(fragments.map("".join) | st.text(max_size=60))
@example("weird]name[")
@example("a\\]")
def test_any_title_of_a_source_stands_as_it_is_behind_one_link_to_it(title: str) -> None:
    address = "https://example.org/page"
    source = SourceEntry(id="S1", uri=address, title=title, sha256="0" * 64, retrieved_at="2026-01-01", kind="file")
    markdown = naming(source)
    entry = next(line for line in markdown.splitlines() if line.startswith("- [S1]"))
    page = RENDERER.render(f"{entry}\n\n[S1]: <{address}>")
    assert re.findall(r'<a href="([^"]*)">(.*)</a>', page) == [(address, "S1")]
    assert _bare(html.unescape(re.sub(r"<[^>]*>", "", page))) == _bare(f"S1 {inert_free(title)}")


def inert_free(text: str) -> str:
    """The text without the characters that are never shown."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", "", text)


def _bare(text: str) -> str:
    """Without spaces and code ticks, which may be set otherwise."""
    return re.sub(r"[\s`]", "", text)


def test_a_forged_citation_does_not_look_like_one() -> None:
    assert inert("trust me [S1]") == "trust me `[S1]`"


def test_identifiers_stay_readable() -> None:
    assert inert("max_connections, __init__ and *args") == "max_connections, `__init__` and `*args`"


def test_emphasis_in_a_plain_text_is_shown_with_its_stars() -> None:
    assert shown(inert("a *scope* is *a block"))[0].strip() == "a *scope* is *a block"


def test_a_report_is_no_source() -> None:
    report = write(report_of().model_copy(update={"claims": (), "sections": ()}))
    with pytest.raises(Unreadable, match="report of Fathom"):
        read_bytes(report.encode(), ".md")


def sentence(text: str, form: StatementForm, *, goes_on: bool = False, place: str = "") -> Sentence:
    claim = Claim(
        id=text, text=text, citations=("S1",), evidence=("E1",), status="supported", verified=True, confidence=1.0
    )
    return Sentence(claim, form, goes_on=goes_on, place=place)


def test_sentences_of_one_list_item_stay_in_one_bullet() -> None:
    told = (
        sentence("Three limits apply:", "lead_in"),
        sentence("The first.", "item"),
        sentence("It has a reason.", "item", goes_on=True),
        sentence("The second.", "item"),
    )
    page = plain(section("h", *told), claims=tuple(each.claim for each in told), sources=())
    assert "Three limits apply: [S1]\n\n- The first. It has a reason. [S1]\n- The second. [S1]\n" in page


def test_a_passage_is_cited_where_its_place_is_told_its_rows_are_a_table_and_its_rules_keep_their_numbers() -> None:
    place = "Lease › Rooms"
    told = (
        sentence("Room | Price", "lead_in", place=place),
        sentence("a | b [x](http://evil.example)", "row", place=place),
        sentence("| 12 | [S9]", "row", place=place),
        sentence("5. Pets: one cat.", "item", place=place),
        sentence("6. Keys: three.", "item", place=place),
    )
    page = plain(section("h", *told), claims=tuple(each.claim for each in told), sources=())
    seen, tags = shown(page)
    assert "**Lease › Rooms** [S1]\n\n| Room | Price |" in page and page.count("[S1]") == 1
    assert "5. Pets: one cat.\n6. Keys: three.\n" in page
    assert {"table", "th", "td", "ol", "li"} <= tags and not {"a", "ul"} & tags
    assert "12" in seen and "[S9]" in seen


def test_each_mark_of_a_citation_leads_to_its_source() -> None:
    fields = {"title": "Sea", "sha256": "0" * 64, "retrieved_at": "2026-01-01"}
    pages = {"S1": "notes/sea.md", "S2": "https://sea.example/a b"}
    sources = tuple(SourceEntry(id=id, uri=uri, kind="web", **fields) for id, uri in pages.items())
    claim = sentence("It is deep.", "paragraph").claim.model_copy(update={"citations": ("S1", "S2")})
    page = plain(claim, sources=sources)

    assert "It is deep. [S1] [S2]\n" in page
    told = next(line for line in RENDERER.render(page).splitlines() if "It is deep." in line)
    assert re.findall('<a href="([^"]*)">(S[12])</a>', told) == [
        ("notes/sea.md", "S1"),
        ("https://sea.example/a%20b", "S2"),
    ]


def test_the_list_of_sources_names_the_parts_that_are_cited_of_a_document() -> None:
    source = SourceEntry(id="S1", uri="sea.md", title="Sea", sha256="0" * 64, retrieved_at="2026-01-01", kind="file")
    places = ("Depth", "Cold [S9]", "", "Depth", "Salt", "End")
    evidence = tuple(
        EvidenceEntry(id=f"E{at}", source_id="S1", quote="x", start=0, end=1, locator=place)
        for at, place in enumerate(places)
    )
    claim = sentence("It is told.", "paragraph").claim.model_copy(update={"evidence": [each.id for each in evidence]})
    page = plain(claim, sources=(source,), evidence=evidence)
    assert "- [S1] Sea: Depth, Cold `[S9]`, Salt, …\n" in page
    quoted = plain(claim, sources=(source,), evidence=evidence, quoted=1)
    assert "- [S1] Sea\n" in quoted, "the text says where each passage stands"


@given(fragments.map("".join) | st.text(max_size=60))
def test_bold_changes_no_character_of_a_text(text: str) -> None:
    seen, tags = shown(bold(text))
    assert tags <= {"p", "code", "strong"}
    assert _bare(seen) == _bare(inert_free(text))


@pytest.mark.parametrize("text", ["はい。", "1. E2 (glass bit!) means: drain.", "x (see [S1]) y", "£55. Included:"])
def test_a_line_in_bold_is_bold(text: str) -> None:
    assert "strong" in shown(bold(text))[1]
