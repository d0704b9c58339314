"""Right and wrong sentences beside their evidence, judged by rule."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from fathom.report import VERIFIED
from fathom.verification.verdicts import check

PAIRS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "evals" / "sentences.jsonl").read_text("utf-8").splitlines()
]


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
