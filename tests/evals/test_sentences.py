"""Right and wrong sentences with their evidence: without a model, and with a judge who is never mistaken."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fathom.composing.sheet import sheet_of
from fathom.report import VERIFIED
from fathom.verification.units import UnitJudge
from fathom.verification.verdicts import check
from fathom.written import Clause, Place, Unit, WrongUnit
from tests.support.researched import Page, material

PAIRS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "evals" / "sentences.jsonl").read_text("utf-8").splitlines()
]


def judge_of(evidence: list[str]) -> UnitJudge:
    """A judge of units that may cite these sentences."""
    page = Page("\n".join(evidence))
    finding = page.finding(*evidence)
    return UnitJudge(sheet_of(material([finding], [page.document]), {}), {finding.id: finding}, {})


def test_there_are_150_sentences_of_every_kind_in_several_languages() -> None:
    assert len(PAIRS) == 75
    assert all(each["good"] != each["wrong"] for each in PAIRS)
    kinds = Counter((each["language"], each["kind"]) for each in PAIRS)
    assert len(kinds) == 18 and min(kinds.values()) >= 2


def test_without_a_model_few_wrong_ones_are_called_right_and_few_right_ones_wrong() -> None:
    found = {
        label: Counter(check(each[label], each["evidence"]).status for each in PAIRS) for label in ("good", "wrong")
    }
    assert sum(found["wrong"][status] for status in VERIFIED) <= 0.05 * len(PAIRS)
    assert found["good"]["unsupported"] + found["good"]["contradicted"] <= 0.05 * len(PAIRS)


@pytest.mark.parametrize("repairs", [True, False])
def test_with_a_perfect_check_every_good_sentence_stays_as_written_and_no_wrong_one_stays_unmarked(
    repairs: bool,
) -> None:
    place = Place("lead.1")
    kept = 0
    for each in PAIRS:
        judge = judge_of(each["evidence"])
        cites = tuple(range(1, len(each["evidence"]) + 1))
        good, wrong = (Unit(clauses=(Clause(text=each[label], cites=cites),)) for label in ("good", "wrong"))
        unit, after = judge.settled(place, good, judge.judged(place, good), None, is_read=True)
        kept += unit == good and after.verdict.status in VERIFIED
        found = WrongUnit(id=place.id, kind="not_said", why="it says otherwise", repair=good if repairs else None)
        mended, marked = judge.settled(place, wrong, judge.judged(place, wrong), found, is_read=True)
        assert mended == good if repairs else marked.verdict.status not in VERIFIED, each
    assert kept == len(PAIRS)
