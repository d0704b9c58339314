"""The weights of the extractive reasoner, as benchmarks/fit_extractive.py writes them.

Fitted on evals/dev.toml: 81 answerable questions with 478 facts over 7 corpora, and
1749 pairs of a question and a corpus, or a part of one. By cross-validation over corpora they tell
64% of the facts in a report of 950 words; they wrongly abstain from 2 of 81 answerable questions, and
wrongly answer 2 of 15 that were written to be unanswerable and 22 of 375 that were asked of a wrong corpus.
"""

from __future__ import annotations

SENTENCE: dict[str, float] = {
    "sentence": 0.120,
    "sentence_own": 0.205,
    "sentence_names": 0.022,
    "sentence_whole": 0.066,
    "before": 0.027,
    "lead": 0.147,
    "block": 0.117,
    "block_whole": 0.035,
    "near": 0.038,
    "passage": -0.008,
    "passage_whole": -0.050,
    "passage_order": -0.024,
    "path": 0.143,
    "leaf": 0.047,
    "leaf_share": 0.095,
    "page": 0.166,
    "page_whole": 0.210,
    "page_title": 0.022,
    "title_share": 0.154,
    "page_parts": 0.148,
    "page_passages": 0.252,
    "page_rank": 0.259,
    "rank": 0.397,
    "sentence*block": -0.093,
    "sentence*passage": -0.059,
    "sentence*path": -0.025,
    "block*passage": 0.026,
    "passage*page": 0.174,
    "path*lead": -0.017,
    "either*passage": 0.040,
    "wanted": 0.041,
    "first": 0.204,
    "early": 0.031,
    "length": 0.112,
    "short": -0.131,
    "list_item": 0.160,
    "definition": 0.042,
    "table_row": -0.260,
    "quote": -0.081,
    "leaning": -0.071,
    "example": -0.008,
    "brackets": -0.099,
    "cue_condition": -0.005,
    "cue_default": 0.073,
    "cue_consequence": 0.031,
    "cue_contrast": 0.024,
    "cue_modal": 0.158,
    "cue_number": -0.036,
    "cue_definition": -0.052,
    "cue_reason": 0.016,
    "cue_action": -0.051,
    "cue_identifier": 0.121,
}
"""Linear scorer of sentences, on features with mean 0 and deviation 1 within a question."""

HELD: dict[str, float] = {
    "passage": 5.881,
    "third_passage": 5.354,
    "heading": 5.252,
    "missing": -1.216,
    "missing_sure": -3.487,
    "missing_elsewhere": -2.243,
    "wide": 1.336,
    "terms": 1.180,
    "size": -0.577,
    "bias": -3.800,
}
"""Logistic regression on the signs that the sources hold what is asked."""

HELD_FROM = 0.25
"""Probability from which a subtask gets findings."""

TOLD_FROM = 0.4
"""The same, that at least one subtask must reach for anything to be told."""
