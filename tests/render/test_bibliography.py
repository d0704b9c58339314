"""The sources of a report, read back by libraries that did not write them."""

from __future__ import annotations

import json
import re
from typing import Any

import pypandoc
import pytest
import rispy
from bibtexparser.entrypoint import parse_string
from bibtexparser.middlewares import LatexDecodingMiddleware
from hypothesis import given
from hypothesis import strategies as st

from fathom.render import formats
from fathom.report import Report
from fathom.text.harmless import inert
from tests.support.whole_report import whole_report

HOSTILE = (
    "{", "}", "}}", "\\", "\\}", "{\\", "\\input{x}", "%", "100% & more", "$x$", "a_b^c~d#", '"', "@misc{x,", "a\nb",
    "a\r\nTY  - BOOK", "a\u2028ER  - ", "a\x85b", "\x1b[31m", "変数の「スコープ」", "ﬁ é", "--", "=", ",",
)  # fmt: skip
TITLES = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=8), min_size=1, max_size=6).map("".join)


def titled(title: str, **changed: Any) -> Report:
    """A report whose cited sources are called that."""
    report = whole_report()
    sources = tuple(source.model_copy(update={"title": title, **changed}) for source in report.sources)
    return report.model_copy(update={"sources": sources})


def of_bibtex(text: str) -> list[dict[str, str]]:
    """What a program finds in it: TeX as the characters that it stands for, but for an address, which is none."""
    library, plain = parse_string(text, append_middleware=[LatexDecodingMiddleware()]), parse_string(text)
    assert not library.failed_blocks and not library.comments and not library.strings
    found = [{"key": each.key, **{field.key: str(field.value) for field in each.fields}} for each in library.entries]
    for entry, raw in zip(found, plain.entries, strict=True):
        entry.update({field.key: str(field.value) for field in raw.fields if field.key == "url"})
    return found


def test_every_source_that_the_report_names_is_there_in_all_three() -> None:
    report = whole_report()
    keys = [f"{report.run_id}_{source.id}" for source in report.named]

    assert [item["id"] for item in json.loads(formats.get("csl")(report))] == keys
    assert [entry["key"] for entry in of_bibtex(formats.get("bibtex")(report))] == keys
    assert [entry["id"] for entry in rispy.loads(formats.get("ris")(report))] == keys
    assert len({*keys}) == len(keys) == 3


def test_a_page_is_told_with_its_address_its_dates_and_whose_it_is() -> None:
    report = whole_report()

    [item] = [each for each in json.loads(formats.get("csl")(report)) if each["type"] == "webpage"]
    assert item["URL"] == "https://sea.example/deep?a=1&b=2"
    assert item["issued"] == {"date-parts": [[2021, 5, 6]]}
    assert item["accessed"]["date-parts"][0] == [int(part) for part in report.named[2].retrieved_at[:10].split("-")]
    assert (item["title"], item["container-title"]) == ("The deep [sea]", "sea.example")
    [entry] = [each for each in of_bibtex(formats.get("bibtex")(report)) if "url" in each]
    assert (entry["url"], entry["year"], entry["organization"]) == (item["URL"], "2021", "sea.example")
    assert entry["urldate"] == report.named[2].retrieved_at[:10]
    [record] = [each for each in rispy.loads(formats.get("ris")(report)) if "urls" in each]
    assert (record["type_of_reference"], record["urls"]) == ("ELEC", [item["URL"]])
    assert (record["title"], record["year"], record["date"]) == ("The deep [sea]", "2021", "2021/05/06")
    assert entry["note"] == record["notes"][0] == item["note"]


def test_authors_are_told_and_a_family_name_where_a_comma_shows_it() -> None:
    report = titled("Depth", authors=("Lovelace, Ada", "山田 花子", "The Sea {and} Land"))

    item, *_ = json.loads(formats.get("csl")(report))
    family = {"family": "Lovelace", "given": "Ada"}
    assert item["author"] == [family, {"literal": "山田 花子"}, {"literal": "The Sea {and} Land"}]
    told = "  author = {Lovelace, Ada and {山田 花子} and {The Sea \\{and\\} Land}},\n"
    assert formats.get("bibtex")(report).count(told) == 3
    record, *_ = rispy.loads(formats.get("ris")(report))
    assert record["authors"] == ["Lovelace, Ada", "山田 花子", "The Sea {and} Land"]
    assert not any("Lovelace" in note for note in record.get("notes", ()))


@given(st.lists(TITLES, min_size=1, max_size=3))
def test_a_name_ends_no_field_whatever_stands_in_it(names: list[str]) -> None:
    report = titled("Depth", authors=tuple(names))

    assert [each.get("title") for each in rispy.loads(formats.get("ris")(report))] == ["Depth"] * 3
    assert [len(each["author"]) for each in json.loads(formats.get("csl")(report))] == [len(names)] * 3
    assert [each["title"] for each in of_bibtex(formats.get("bibtex")(report))] == ["Depth"] * 3


def test_what_is_not_known_is_left_out() -> None:
    report = titled("Depth", published="", retrieved_at="", site="")

    for item in json.loads(formats.get("csl")(report)):
        assert not {"issued", "accessed", "container-title"} & item.keys()
    assert not {"year", "urldate"} & {name for entry in of_bibtex(formats.get("bibtex")(report)) for name in entry}


def test_a_local_file_is_named_and_its_folder_is_not_told() -> None:
    report = titled("Depth", uri="file:///home/me/secret/notes%20%E6%B5%B7.md")

    for format in ("csl", "bibtex", "ris"):
        text = formats.get(format)(report)
        assert "secret" not in text and "file:" not in text
    [entry, *_] = rispy.loads(formats.get("ris")(report))
    assert entry["notes"] == ["notes 海.md"]
    assert "urls" not in entry


@pytest.mark.parametrize("address", ["javascript:alert(1)", "https://a.example/{b}\\c", "https://a.example/a b"])
def test_an_address_can_neither_run_nor_end_its_field(address: str) -> None:
    entries = of_bibtex(formats.get("bibtex")(titled("Depth", uri=address)))

    assert len(entries) == 3
    assert all(re.fullmatch(r"https://a\.example/[\w%]+", each["url"]) for each in entries if "url" in each)
    assert any("url" in each for each in entries) == address.startswith("https")


@given(TITLES)
def test_a_title_comes_back_as_it_is_whatever_stands_in_it(title: str) -> None:
    report, told = titled(title), inert(title).encode("utf-8", "replace").decode()

    assert [each.get("title", "") for each in json.loads(formats.get("csl")(report))] == [told] * 3
    records = rispy.loads(formats.get("ris")(report))
    assert [each.get("title", "").strip() for each in records] == [told] * 3
    assert len(of_bibtex(formats.get("bibtex")(report))) == 3


@given(TITLES)
def test_the_braces_of_bibtex_match_whatever_stands_in_a_title(title: str) -> None:
    depth = 0
    for char in formats.get("bibtex")(titled(title)):
        depth += {"{": 1, "}": -1}.get(char, 0)
        assert depth >= 0
    assert depth == 0


@pytest.mark.parametrize("title", [each for each in HOSTILE if each.count("{") == each.count("}")])
def test_bibtex_shows_the_characters_of_a_title(title: str) -> None:
    text = formats.get("bibtex")(titled(f"a {title} b"))

    assert json.loads(pypandoc.convert_text(text, "csljson", format="bibtex"))[0]["title"] == inert(f"a {title} b")


def test_pandoc_takes_the_items_for_what_they_are() -> None:
    report = whole_report()

    back = json.loads(pypandoc.convert_text(formats.get("csl")(report), "csljson", format="csljson"))

    assert back == json.loads(formats.get("csl")(report))


def test_a_report_without_sources_gives_an_empty_list() -> None:
    report = whole_report().model_copy(update={"claims": (), "figures": (), "contradictions": ()})

    assert json.loads(formats.get("csl")(report)) == []
    assert (formats.get("bibtex")(report), formats.get("ris")(report)) == ("", "")
