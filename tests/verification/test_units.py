"""What a check may change in the units of a report, and what it may not."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.composing.sheet import sheet_of
from fathom.findings import Finding
from fathom.report import VERIFIED
from fathom.verification.judged import Judged
from fathom.verification.units import STATUS, UnitJudge, lead_ins
from fathom.written import (
    Mistake,
    Place,
    Unit,
    WrittenBlock,
    WrittenReport,
    WrittenSection,
    WrongUnit,
    unit_of,
)
from tests.support.counted import counted
from tests.support.researched import Page, material

PAGE = Page(
    "Borg keeps backups for about 90 days, since April 2025. Ada Lovelace had asked for it.\n\n"
    "The old system kept them for 30 days and cost 48 EUR a month.",
    title="Backups",
)
"""Its sentences are 1 to 3; no finding cites the second."""
KEPT, OLD = PAGE.text.split(". ")[0] + ".", PAGE.text.split("\n\n")[1]
FINDINGS = (PAGE.finding(KEPT, confidence=0.9), PAGE.finding(OLD, confidence=0.7))
THEMES = counted({"AI": 50, "Cloud": 40, "Security": 30})
COUNTED = THEMES.finding("AI has 50 records.", 0, matched=True)


def judge_of(*findings: Finding) -> UnitJudge:
    research = material(findings, [PAGE.document], counts=[THEMES])
    texts = {PAGE.document.sha256: PAGE.text}
    return UnitJudge(sheet_of(research, texts), {each.id: each for each in findings}, research.results)


JUDGE, COUNTING = judge_of(*FINDINGS), judge_of(COUNTED)
FACT = 5
"""Of what was computed from the counts: it comes after three rows and the line that says how many match."""


def settled(
    said: str,
    kind: Mistake | None = None,
    repair: str = "",
    *,
    label: str = "",
    is_read: bool = True,
    judge: UnitJudge = JUDGE,
) -> tuple[Unit, Judged]:
    """A unit after the check; `kind` is what it found wrong."""
    place, unit = Place("s1.1.1", label), unit_of(said)
    mended = unit_of(repair) if repair else None
    found = WrongUnit(id=place.id, kind=kind, why="it says so", repair=mended) if kind else None
    return judge.settled(place, unit, judge.judged(place, unit), found, is_read=is_read)


def told(unit: Unit, judged: Judged) -> tuple[str, str, str]:
    return unit.said, judged.verdict.status, judged.verdict.by


PARAPHRASE = "Since April 2025 backups by Borg are kept for 90 days [1]."


def test_what_was_read_and_not_found_wrong_is_supported_by_the_model_and_what_was_not_read_keeps_its_verdict() -> None:
    assert told(*settled(PARAPHRASE)) == (PARAPHRASE, "supported", "model")
    assert told(*settled(PARAPHRASE, is_read=False)) == (PARAPHRASE, "unjudged", "rule")


@pytest.mark.parametrize("kind", get_args(Mistake))
def test_what_is_wrong_and_has_no_repair_is_marked_by_its_mistake(kind: Mistake) -> None:
    unit, judged = settled(PARAPHRASE, kind)
    assert told(unit, judged) == (PARAPHRASE, STATUS[kind], "model")
    assert (judged.verdict.why, judged.repaired, STATUS[kind] in VERIFIED) == ("it says so", False, False)


@pytest.mark.parametrize("repair", ["", "It is otherwise [2].", f"{KEPT[:-1]} [1], or not."])
def test_a_true_unit_keeps_its_words_whatever_a_check_says(repair: str) -> None:
    quoted = f"{KEPT[:-1]} [1]."
    assert told(*settled(quoted, "opposite", repair)) == (quoted, "quoted", "rule")


def test_a_repair_takes_the_place_of_what_was_wrong_with_the_verdict_of_the_rules_or_else_of_the_model() -> None:
    wrong = "The old system kept backups for 20 days [3]."
    quoting, judged = settled(wrong, "number", "The old system kept them for 30 days [3].")
    assert (told(quoting, judged), judged.repaired) == (
        ("The old system kept them for 30 days [3].", "quoted", "model"),
        True,
    )
    other = "Before, backups were there for 30 days [3]."
    assert told(*settled(wrong, "number", other)) == (other, "supported", "model")


def test_a_repair_may_cite_another_sentence_of_the_sheet() -> None:
    unit, judged = settled("Ada Lovelace had asked for it [3].", "source", "Ada Lovelace had asked for it [2].")
    assert (unit.cites, judged.verdict.status, judged.findings) == ((2,), "quoted", ())


@pytest.mark.parametrize(
    "repair",
    [
        "The old system kept backups for 700 days [3].",  # a figure that is nowhere
        "The old system kept them for 30 days.",  # cites nothing
    ],
)
def test_a_repair_that_the_rules_refute_is_refused_and_the_unit_is_marked(repair: str) -> None:
    wrong = "The old system kept backups for 20 days [3]."
    unit, judged = settled(wrong, "number", repair)
    assert (*told(unit, judged), judged.repaired) == (wrong, "contradicted", "model", False)


@pytest.mark.parametrize(
    ("repair", "is_taken"),
    [
        (f"{KEPT[:-1]} [1].", True),
        ("Since April 2025 Borg has kept backups for about 90 days [1].", True),
        ("Backups by Borg are kept for about 90 days [1].", False),  # the date is gone
        ("Since April 2025 backups are kept for about 90 days [1].", False),  # the name is gone
        ("Since April 2025 backups by Borg are kept for a while [1].", False),  # the figure is gone
    ],
)
def test_a_repair_that_loses_a_date_a_name_or_a_figure_of_its_source_is_refused(repair: str, is_taken: bool) -> None:
    unit, judged = settled(PARAPHRASE, "hedge", repair)
    assert (unit.said, judged.repaired) == ((repair, True) if is_taken else (PARAPHRASE, False))
    assert is_taken or judged.verdict.status == "partial"


def test_a_repair_may_lose_what_the_cited_sentences_do_not_have() -> None:
    repair = "Borg keeps backups for about 90 days [1]."
    unit, _ = settled("In 1999 backups by Borg of Kyoto were kept for 90 days [1].", "too_broad", repair)
    assert unit.said == repair


@pytest.mark.parametrize("value", ["30 days [3]", "48 EUR a month [3]", "The old system [3]"])
def test_a_cell_is_never_proved_by_words_alone(value: str) -> None:
    assert settled(value, label="Borg | kept", is_read=False)[1].verdict.status == "unjudged"
    assert settled(value, is_read=False)[1].verdict.status == "quoted"
    assert told(*settled(value, label="Borg | kept")) == (value, "supported", "model")
    assert told(*settled(value, "source", label="Borg | kept")) == (value, "unsupported", "model")


def test_a_part_of_a_sentence_is_no_proof_and_may_be_marked() -> None:
    assert told(*settled("The old system kept them for 30 days [3].", "too_broad"))[1] == "partial"


def test_a_conclusion_is_open_until_it_is_read() -> None:
    said = "It is three times as long as before [so 1, 3]."
    assert [settled(said, is_read=read)[1].verdict.status for read in (False, True)] == ["unjudged", "supported"]
    assert settled(said)[1].is_assessment


def test_what_cites_nothing_is_unsupported_unless_whoever_has_read_the_sheet_finds_nothing_against_it() -> None:
    said = "The documents read say nothing of tapes."
    assert told(*settled(said, is_read=False)) == (said, "unsupported", "rule")
    assert told(*settled(said)) == (said, "supported", "model")
    assert told(*settled(said, "opposite")) == (said, "contradicted", "model")
    assert settled(said, "too_broad", "They say little of tapes.")[0].said == "They say little of tapes."


# ── Sentences as findings ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_sentence_is_as_sure_as_the_surest_finding_that_cites_it_and_a_neighbour_less() -> None:
    assert [JUDGE.line(number).confidence for number in (1, 2, 3)] == [0.9, 0.6, 0.7]
    assert [JUDGE.behind(number) for number in (1, 2, 3)] == [(FINDINGS[0].id,), (), (FINDINGS[1].id,)]
    _, judged = settled(f"{OLD[:-1]} [3, 2].")
    assert [each.claim for each in judged.cited] == [OLD, "Ada Lovelace had asked for it."]
    assert [span.quote for span in judged.evidence] == [OLD, "Ada Lovelace had asked for it."]


# ── Counts ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (f"AI has 50 records [{FACT}].", "supported"),
        ("AI and Cloud have 90 records together [so 1, 2].", "unjudged"),
        ("AI and Cloud have 91 records together [1, 2].", "unsupported"),
    ],
)
def test_figures_are_compared_with_all_cells_of_the_counts(said: str, status: str) -> None:
    _, judged = settled(said, is_read=False, judge=COUNTING)
    assert (judged.verdict.status, judged.verdict.by) == (status, "rule")


def test_no_check_can_make_a_wrong_figure_right() -> None:
    wrong = "AI and Cloud have 91 records together [1, 2]."
    assert told(*settled(wrong, judge=COUNTING)) == (wrong, "unsupported", "rule")
    for still in ("AI and Cloud have 92 records together [1, 2].", "Together they have 92 records [so 1, 2]."):
        assert settled(wrong, "number", still, judge=COUNTING)[0].said == wrong
    right = "AI and Cloud have 90 records together [1, 2]."
    assert told(*settled(wrong, "number", right, judge=COUNTING)) == (right, "supported", "model")


def test_beside_counts_another_source_may_say_what_they_do_not_and_a_check_decides() -> None:
    judge = judge_of(FINDINGS[1], COUNTED)
    said = "AI has 50 records; the old system of May 2024 cost 48 EUR [3, 1]."
    _, judged = settled(said, is_read=False, judge=judge)
    assert judged.verdict.status == "unsupported" and not judged.verdict.is_proved
    assert told(*settled(said, judge=judge)) == (said, "supported", "model")


# ── Whatever is said ───────────────────────────────────────────────────────────────────────────────────────────────

TEXTS = st.lists(
    st.sampled_from("the old Borg system keeps 90 30 31 days 700 not never Poseidon since April 2025 about".split()),
    min_size=1,
    max_size=12,
).map(" ".join)


@given(TEXTS, TEXTS, st.sampled_from([None, *get_args(Mistake)]), st.booleans())
def test_a_unit_stays_or_is_repaired_and_a_rule_vouches_for_no_figure_that_is_not_cited(
    text: str, repair: str, kind: Mistake | None, is_read: bool
) -> None:
    unit, judged = settled(f"{text} [1].", kind, f"{repair} [3].", is_read=is_read)
    assert unit.said in (f"{text} [1].", f"{repair} [3].") and judged.text == unit.text
    assert judged.repaired == (unit.said != f"{text} [1].") or text == repair
    if judged.verdict.status in VERIFIED and judged.verdict.by == "rule":
        assert not {"700", "31", "Poseidon"} & set(unit.text.rstrip(".").split())


def test_what_leads_in_a_list_and_cites_nothing_is_told_with_what_is_cited_below_it() -> None:
    def block(kind: str, text: str) -> WrittenBlock:
        items = ((unit_of("the first [1]"), unit_of("more [3]")), (unit_of("the second [2]"),))
        return WrittenBlock.model_validate({"kind": kind, "text": (unit_of(text),), "items": items})

    blocks = (block("list", "Two things follow:"), block("steps", "It is done so [2]:"))
    report = WrittenReport(sections=(WrittenSection(heading="h", blocks=blocks),))
    assert lead_ins(report) == {"s1.1.1": (1, 3, 2)}


@pytest.mark.parametrize(("said", "status"), [("It is so:", "supported"), ("It holds 700 of them:", "unsupported")])
def test_a_lead_in_needs_no_citation_unless_it_has_a_figure_of_its_own(said: str, status: str) -> None:
    judged = JUDGE.leading(Place("s1.1.1"), unit_of(said), (1, 3))
    assert (judged.verdict.status, judged.evidence) == (status, ())
