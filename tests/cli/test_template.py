"""A report after one's own outline, and what is no outline."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.wiring.template import MOST_CHARACTERS, template_of
from tests.cli.conftest import Call

OUTLINE = "# Names, in short\n\n## Binding\nWhat assignment does.\n\n## Errors <!-- if any -->\n"


def test_a_report_has_the_headings_of_its_template(call: Call, here: Path, notes: Path) -> None:
    (here / "outline.md").write_text(OUTLINE, encoding="utf-8")
    done = call("research", "Names in Python", "--docs", notes, "--template", "outline.md", "--quiet")

    headings = [line for line in done.out.splitlines() if line.startswith("#")]
    assert headings[:2] == ["# Names, in short", "## Binding"]
    assert set(headings[2:]) <= {"## Errors", "## What the sources do not hold", "## Limitations", "## Sources"}


def test_a_plan_has_a_part_for_each_heading(call: Call, here: Path, notes: Path) -> None:
    (here / "outline.md").write_text(OUTLINE, encoding="utf-8")
    done = call("plan", "Names in Python, in two sentences", "--docs", notes, "--template", "outline.md")

    assert "Binding (What assignment does.)" in done.out and "a heading of the template" in done.out
    assert "Wished for: at most: 2 sentences." in done.out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "has no heading"),
        (b"no heading at all\n", "has no heading"),
        (b"\xff\xfe\x00bad", "is no text in UTF-8"),
        (b"## a\n\x00\n", "is no text in UTF-8"),
        (b"## a\n" + b"x" * MOST_CHARACTERS, "is too large"),
        (b"## a\n" + "あ".encode() * 4 * MOST_CHARACTERS, "is too large"),
        (b"".join(b"## part %d\n" % number for number in range(21)), "has 21 headings"),
        (b"## Cost\n\n## cost\n", "twice"),
    ],
)
def test_what_is_no_template_is_said_in_one_line(
    call: Call, here: Path, notes: Path, content: bytes, said: str
) -> None:
    (here / "outline.md").write_bytes(content)
    done = call("plan", "Names", "--docs", notes, "--template", "outline.md")

    assert done.code == 2 and said in done.err and len(done.err.splitlines()) == 1


def test_a_template_is_neither_a_document_nor_the_report(call: Call, here: Path, notes: Path) -> None:
    (here / "outline.md").write_text(OUTLINE, encoding="utf-8")
    given = ("research", "Names", "--docs", notes, "--template")

    missing = call(*given, "nowhere.md")
    document = call(*given, notes / "naming.md")
    itself = call(*given, "outline.md", "--out", "outline.md")

    assert [each.code for each in (missing, document, itself)] == [2, 2, 2]
    assert "There is no template" in missing.err
    assert "is one of the documents" in document.err
    assert "written over its template" in itself.err
    assert (here / "outline.md").read_text(encoding="utf-8") == OUTLINE


def test_a_single_heading_of_the_first_level_is_a_section_where_nothing_deeper_follows() -> None:
    assert [each.heading for each in template_of("# Only").sections] == ["Only"]
    both = template_of("# One\n\n# Two\n")
    assert (both.title, [each.heading for each in both.sections]) == ("", ["One", "Two"])
