"""The report as a Word file, an OpenDocument text and an e-book, read back by libraries that did not write them."""

from __future__ import annotations

import io
import re
import sys
import zipfile
from pathlib import Path

import docx
import pypandoc
import pytest

from fathom.errors import ConfigurationError, ProviderFault
from fathom.render.documents import INSTALL, can_convert, converted
from tests.support.whole_report import whole_report


def footnotes_of(data: bytes) -> list[str]:
    """The texts of the footnotes of a Word file, in their order, but for what draws the rule above them."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        xml = file.read("word/footnotes.xml").decode()
    found = re.findall(r'<w:footnote w:id="(\d+)".*?</w:footnote>', xml, re.DOTALL)
    notes = (re.search(rf'<w:footnote w:id="{id}".*?</w:footnote>', xml, re.DOTALL) for id in found)
    return ["".join(re.findall(r"<w:t[ >][^<]*?>?([^<>]*)</w:t>", note[0])) for note in notes if note]


def test_a_word_file_has_headings_tables_and_real_footnotes() -> None:
    report = whole_report()
    data = converted(report, "docx")
    document = docx.Document(io.BytesIO(data))

    assert document.core_properties.title == "The sea"
    headings = [
        each.text for each in document.paragraphs if ((each.style and each.style.name) or "").startswith("Head")
    ]
    assert headings[:3] == ["Summary", "How deep is the sea?", "Doubts"]
    assert [[cell.text for cell in row.cells] for row in document.tables[0].rows][:2] == [
        ["event_theme", "records"],
        ["group 1", "1"],
    ]
    quotes = {entry.id: entry.quote for entry in report.evidence}
    rests_on = [quotes[id] for claim in report.claims for id in claim.evidence if claim.id != "C5"]  # see C6
    notes = footnotes_of(data)
    assert len(notes) == len(rests_on)
    assert all(" ".join(quote.split()) in " ".join(note.split()) for quote, note in zip(rests_on, notes, strict=True))
    references = document.element.body.xpath(".//w:footnoteReference")
    assert len(references) == len(rests_on)


def test_a_word_file_leads_to_pages_and_to_no_file_of_this_machine() -> None:
    document = docx.Document(io.BytesIO(converted(whole_report(), "docx")))

    targets = {each.target_ref for each in document.part.rels.values() if each.is_external}
    assert targets == {"https://sea.example/deep?a=1&b=2"}


@pytest.mark.parametrize("ending", ["docx", "odt", "epub"])
def test_a_japanese_report_comes_back_with_its_words(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"report.{ending}"
    file.write_bytes(converted(whole_report(language="ja", outside=lambda text: f"{text}「海」"), ending))

    text = pypandoc.convert_file(str(file), "plain", extra_args=["--wrap=none"])

    for said in ("The sea is 10,935 m deep.「海」", "「It is cold there.」 — S1、Depth「海」、§Depth", "出典"):
        assert said in text
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        assert not any(
            b"file:" in archive.read(name) or b"/notes/" in archive.read(name) for name in archive.namelist()
        )


@pytest.mark.parametrize("ending", ["docx", "odt", "epub"])
def test_the_bytes_are_the_same_whenever_it_is_made(ending: str) -> None:
    assert converted(whole_report(), ending) == converted(whole_report(), ending)


@pytest.mark.parametrize(
    "hostile",
    ["<script>x</script>", "![x](/etc/passwd)", "```{=openxml}\n<w:p/>\n```", "\x00\ufffe\ud800", "&#xFFFE;&#0;"],
)
def test_what_stands_in_a_report_stays_text(hostile: str) -> None:
    report = whole_report(outside=lambda text: f"{text} {hostile}")

    document = docx.Document(io.BytesIO(converted(report, "docx")))

    assert not document.inline_shapes
    assert len(document.tables) == len(docx.Document(io.BytesIO(converted(whole_report(), "docx"))).tables)


def test_without_pandoc_a_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fathom.render.documents.find_spec", lambda _: None)

    assert not can_convert()
    with pytest.raises(ConfigurationError, match=re.escape(INSTALL)):
        converted(whole_report(), "docx")


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands in for a broken program")
def test_when_pandoc_fails_its_own_words_say_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "pandoc"
    broken.write_text("#!/bin/sh\necho 'out of luck' >&2\nexit 3\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setattr("pypandoc.get_pandoc_path", lambda: str(broken))

    with pytest.raises(ProviderFault, match=r"\(out of luck\)"):
        converted(whole_report(), "docx")
    broken.unlink()
    with pytest.raises(ConfigurationError, match=re.escape(INSTALL)):
        converted(whole_report(), "docx")
