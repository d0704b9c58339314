"""The weights of the scorer, for features with mean 0 and deviation 1 within a question."""

from __future__ import annotations

from fathom.reasoners.extractive.features import NAMES

SENTENCE_COLUMNS = NAMES

SENTENCE: dict[str, float] = dict.fromkeys(NAMES, 0.0) | {
    "bias": -3.0,
    "sentence": 0.3, "sentence_cover": 0.3, "lead": 0.2, "block": 0.3, "passage": 0.3, "path": 0.3, "leaf": 0.2,
    "page": 0.2, "page_whole": 0.3, "near": 0.1, "sentence*block": 0.2, "sentence*passage": 0.2, "block*passage": 0.2,
    "wanted": 0.2, "cue_condition": 0.1, "cue_consequence": 0.1, "cue_modal": 0.1, "cue_definition": 0.1,
    "cue_default": 0.1,
    "example": -0.2, "table_row": -0.2, "leaning": -0.1,
}  # fmt: skip
"""Logistic regression: does this sentence hold a fact that the question asks for?"""

HELD_FROM = 0.3
"""Probability that the sources hold what is asked, from which findings are given."""
