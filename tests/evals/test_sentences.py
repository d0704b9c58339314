"""Right and wrong sentences with their evidence: without a model, and with a judge who is never mistaken."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fathom.asks import Judgement
from fathom.evidence import Evidence
from fathom.findings import Finding
from fathom.report import VERIFIED
from fathom.verification.judged import Judged, open_to_a_judge, repaired, settled
from fathom.verification.verdicts import check

PAIRS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "evals" / "sentences.jsonl").read_text("utf-8").splitlines()
]


def judged(text: str, evidence: list[str]) -> Judged:
    spans = tuple(Evidence(document="0" * 64, start=0, end=len(quote), quote=quote) for quote in evidence)
    finding = Finding(subtask_id="task_1", claim=text, evidence=spans)
    return Judged(text, "paragraph", (finding,), tuple(evidence), check(text, evidence))


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
def test_with_a_perfect_judge_every_good_sentence_stands_as_written_and_no_wrong_one_stands_unmarked(
    repairs: bool,
) -> None:
    stands = 0
    for each in PAIRS:
        good, wrong = judged(each["good"], each["evidence"]), judged(each["wrong"], each["evidence"])
        assert open_to_a_judge([wrong], most=1) == [0]
        fine = Judgement(status="supported", why="it says so")
        bad = Judgement(status="contradicted", why="it says otherwise", repaired=each["good"] if repairs else "")
        after = settled(good, fine, repaired(good, fine), None)
        stands += after.text == each["good"] and after.verdict.status in VERIFIED
        mended = settled(wrong, bad, repaired(wrong, bad), fine)
        assert mended.text == each["good"] if repairs else mended.verdict.status not in VERIFIED, each
    assert stands == len(PAIRS)
