"""A report that a model has composed (runs of sentences, cells, steps, a disagreement, conclusions) in every format."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import docx
import lxml.html
import pypandoc
import pytest
from lxml.html import HtmlElement
from pydantic import ValidationError

from fathom.comparison.comparing import compared
from fathom.render import formats
from fathom.render.comparison import markdown
from fathom.render.documents import converted
from fathom.render.html import article, render
from fathom.report import ClaimClause, TableCell, TextBlock
from tests.support.composed_report import Language, composed_report, texts


def body(text: str) -> str:
    """The report up to its sources."""
    return text.partition("\n\n## Sources\n")[0]


def test_the_markdown_marks_once_what_several_sentences_or_cells_cite() -> None:
    text = composed_report().markdown

    assert (
        body(text)
        == """\
# Backups: which tool, and what to do next

## Summary

The team chose Borg. Restores are tested every quarter. [S2] Four tests a year would make restic the dearer choice. \
[S1] [S2]°

## How they compare

|  | Borg [S1] | restic [S1] | to weigh |
| --- | --- | --- | --- |
| monthly cost | 48 EUR | 71 EUR | Borg is cheaper [S1]° |
| full restore | free | 380 EUR (not supported) | four a year [S2] |
| 100 GB | 46 min | 58 min |  |

## Conclusion

1. Keep the key in a second place. Jonas alone has it. [S2]
2. Go on with the quarterly restore tests. [S2]

## Where sources disagree

- The comparison measures 61 % saved. [S1] The minutes say 40 % more. [S2]"""
    )
    assert "\n\n---\n\n° a conclusion drawn from the sources named  \nSentences checked: 16" in text


def test_the_same_in_japanese_without_blanks_between_sentences() -> None:
    text = composed_report(language="ja").markdown

    assert "チームはBorgを選んだ。復元は四半期ごとに試験されている。 [S2] 年4回の試験" in text
    assert "| 月額 | 48ユーロ | 71ユーロ | Borgが安い [S1]° |" in text
    assert "\n1. 鍵をもう一か所に保管する。鍵を持つのはヨナスだけである。 [S2]\n" in text
    assert "- 比較表では61%の削減である。 [S1] 議事録では40%多いとされる。 [S2]\n" in text
    assert "\n° 示した出典から導いた結論  \n" in text


@pytest.mark.parametrize("style", ["markdown", "footnotes", "summary", "bullets", "terminal"])
def test_the_sign_of_a_conclusion_is_explained(style: str) -> None:
    assert "° a conclusion drawn from the sources named" in formats.get(style)(composed_report())


def test_a_report_without_conclusions_does_not_explain_their_sign() -> None:
    facts = tuple(claim.model_copy(update={"is_assessment": False}) for claim in composed_report().claims)

    report = composed_report(claims=facts)

    assert "°" not in report.markdown and "°" not in formats.get("summary")(report)


def test_a_point_made_of_a_cell_says_its_row_and_its_column() -> None:
    report = composed_report()
    table = report.sections[1].model_copy(update={"role": "summary"})

    points = formats.get("bullets")(composed_report(sections=(table,)))

    assert "\n- monthly cost | Borg | 48 EUR [S1]\n" in points
    assert "\n- full restore | restic | 380 EUR [S1] (not supported)\n" in points


def test_on_a_terminal_the_table_has_its_columns_and_the_steps_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    lines = [line.strip() for line in formats.get("terminal")(composed_report()).splitlines()]

    assert any(re.fullmatch(r"monthly cost +48 EUR +71 EUR +Borg is cheaper \[S1\]°", line) for line in lines)
    assert "1 Keep the key in a second place. Jonas alone has it. [S2]" in lines


def test_a_table_whose_rows_are_uneven_is_refused() -> None:
    with pytest.raises(ValidationError, match="more or fewer cells"):
        TextBlock(kind="table", columns=("a", "b"), rows=((TableCell(text="1"),),))


# ── HTML ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def parsed(language: Language = "en") -> HtmlElement:
    return lxml.html.document_fromstring(render(composed_report(language=language), snapshots=texts(language)))


def having(page: HtmlElement, name: str) -> list[HtmlElement]:
    return [each for each in page.iter() if name in str(each.get("class", "")).split()]


def shown_marks(element: HtmlElement) -> list[str]:
    """The numbers and sources that are seen without asking for them."""
    refs = (ref for refs in having(element, "refs") if "quiet" not in str(refs.get("class")) for ref in refs.iter("a"))
    return [str(each.text) for each in (*refs, *having(element, "source-mark"))]


def test_a_table_has_headers_and_each_of_its_claims_can_be_followed() -> None:
    page = parsed()
    (box,) = having(page, "composed")
    heads = [each for each in box.iter("th") if each.get("scope") == "col"]

    assert box.get("role") == "region" and box.get("tabindex") == "0"
    assert box.get("aria-label") == "How they compare, Borg, restic, to weigh"
    assert [(" ".join(each.text_content().split()), shown_marks(each)) for each in heads] == [
        ("Borg [S1]", ["[S1]"]),
        ("restic [S1]", ["[S1]"]),
        ("to weigh", []),
    ]
    assert [mark.get("href") for head in heads for mark in having(head, "source-mark")] == ["#S1", "#S1"]
    assert [each.text for each in box.iter("th") if each.get("scope") == "row"] == [
        "monthly cost",
        "full restore",
        "100 GB",
    ]
    cells = {str(each.get("id")): each for each in having(box, "claim")}
    assert [shown_marks(each) for each in cells.values()] == [[], [], ["1", "2"], [], [], ["9"], [], []]
    rests_on = {id: [ref.get("data-evidence") for ref in having(each, "ref")] for id, each in cells.items()}
    assert rests_on == {claim.id: list(claim.evidence) for claim in composed_report().claims if claim.id in cells}
    assert cells["C8"].get("data-status") == "unsupported" and "(not supported)" in cells["C8"].text_content()


def test_sentences_that_rest_on_the_same_quotation_show_its_number_once() -> None:
    page = parsed()
    (steps,) = (each for each in page.iter("ol") if having(each, "claim"))

    assert [(" ".join(item.text_content().split()), shown_marks(item)) for item in steps.iter("li")] == [
        ("Keep the key in a second place.11 Jonas alone has it.11", ["11"]),
        ("Go on with the quarterly restore tests.9", ["9"]),
    ]


def test_a_stretch_that_cites_something_of_its_own_has_its_footnotes_behind_it() -> None:
    report = composed_report()
    step = next(each for each in report.claims if each.text.startswith("Go on with"))
    first, other = report.claims[0].evidence[0], step.evidence[0]
    clauses = (
        ClaimClause(text="Go on with the quarterly ", citations=("S1",), evidence=(first, other)),
        ClaimClause(text="restore tests.", evidence=(other,), citations=step.citations, is_assessment=True),
    )
    changed = step.model_copy(update={"clauses": clauses, "evidence": (first, other)})
    claims = tuple(changed if each.id == step.id else each for each in report.claims)
    text = render(report.model_copy(update={"claims": claims}), snapshots=texts("en"))
    page = lxml.html.document_fromstring(text)
    (shown,) = (each for each in having(page, "claim") if each.get("data-claim") == step.id)
    assert [each.text for each in having(shown, "said")] == ["Go on with the quarterly", "restore tests."]
    assert shown.get("data-words") == step.text
    assert [each.get("data-evidence") for each in having(shown, "ref")] == [first, other, other]
    assert [each.get("id") for each in having(shown, "ref")] == [f"{step.id}-{first}", f"{step.id}-{other}", None]
    assert len(having(shown, "conclusion")) == 1


def test_the_sign_of_a_conclusion_says_what_it_means() -> None:
    signs = having(parsed(), "conclusion")

    assert [(each.text, each.get("aria-label"), each.get("title")) for each in signs] == [
        ("°", "a conclusion drawn from the sources named", "a conclusion drawn from the sources named")
    ] * 2


def test_a_disagreement_is_told_in_the_sentences_that_a_model_has_written() -> None:
    page = parsed()
    (box,) = having(page, "contradiction")

    assert [each.get("data-claim") for each in having(box, "claim")] == ["C15", "C16"]
    assert not having(box, "side") and not having(box, "dispute")


def test_a_sentence_that_a_section_says_too_has_its_name_there_alone() -> None:
    report = composed_report()
    (differs,) = report.contradictions
    again = differs.model_copy(update={"claims": ("C1", *differs.claims)})

    page = lxml.html.document_fromstring(article(composed_report(contradictions=(again,))))

    ids = [each.get("id") for each in page.iter() if each.get("id")]
    assert len(ids) == len(set(ids))
    assert len([each for each in having(page, "claim") if each.get("data-claim") == "C1"]) == 2


# ── Documents and comparisons ──────────────────────────────────────────────────────────────────────────────────────


def test_a_word_file_has_the_table_the_numbered_steps_and_a_footnote_for_each_quotation() -> None:
    data = converted(composed_report(), "docx")
    document = docx.Document(io.BytesIO(data))

    (table,) = document.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["", "Borg", "restic", "to weigh"],
        ["monthly cost", "48 EUR", "71 EUR", "Borg is cheaper°"],
        ["full restore", "free", "380 EUR (not supported)", "four a year"],
        ["100 GB", "46 min", "58 min", ""],
    ]
    steps = [each.text for each in document.paragraphs if each._p.pPr is not None and each._p.pPr.numPr is not None]
    assert steps[:2] == [
        "Keep the key in a second place. Jonas alone has it.",
        "Go on with the quarterly restore tests.",
    ]
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        notes = re.sub(r"<[^>]+>", "", file.read("word/footnotes.xml").decode())
    assert all(entry.quote in notes for entry in composed_report().evidence)


@pytest.mark.parametrize("ending", ["odt", "epub"])
def test_other_documents_have_all_of_it(ending: str, tmp_path: Path) -> None:
    report = composed_report(language="ja")
    file = tmp_path / f"report.{ending}"
    file.write_bytes(converted(report, ending))

    text = re.sub(r"\s", "", pypandoc.convert_file(str(file), "plain", extra_args=["--wrap=none"]))

    for claim in report.claims:
        assert re.sub(r"^1\.|\s", "", claim.text) in text


def test_two_reports_are_compared_cell_by_cell_with_the_names_of_row_and_column() -> None:
    report = composed_report()
    dearer = tuple(each.model_copy(update={"text": "52 EUR"}) if each.id == "C4" else each for each in report.claims)
    rows = report.sections[1].blocks[0].rows
    row = (rows[0][0], rows[0][1].model_copy(update={"text": "52 EUR"}), *rows[0][2:])
    block = report.sections[1].blocks[0].model_copy(update={"rows": (row, *rows[1:])})
    changed = report.sections[1].model_copy(update={"blocks": (block,)})
    sections = (report.sections[0], changed, report.sections[2])

    text = markdown.render(compared(report, composed_report(claims=dearer, sections=sections)))

    assert "Before: monthly cost | Borg | ~~48~~ EUR [S1]" in text and "Now: monthly cost | Borg | **52** EUR" in text
    assert compared(report, report).counts == {"same": 16}
    places = {pair.sentence.claim: pair.sentence.place for pair in compared(report, report).sentences}
    assert (places["C4"], places["C15"]) == ("How they compare", "Where sources disagree")
