"""The weights of the extractive reasoner, as benchmarks/fit_extractive.py writes them.

Fitted on evals/dev.toml: 81 answerable questions with 478 facts over 7 corpora, and
390 pairs of a question and a corpus that does not answer it. By cross-validation over corpora they tell
64% of the facts in a report of 950 words; at `TOLD_FROM` they wrongly abstain from 2 of 81 of the
answerable questions and wrongly answer 20 of 390 of the other pairs.
"""

from __future__ import annotations

SENTENCE: dict[str, float] = {
    "sentence": 0.119,
    "sentence_own": 0.199,
    "sentence_names": 0.018,
    "sentence_whole": 0.074,
    "before": 0.026,
    "lead": 0.149,
    "block": 0.113,
    "block_whole": 0.045,
    "near": 0.041,
    "passage": -0.002,
    "passage_whole": -0.059,
    "passage_order": -0.028,
    "path": 0.144,
    "leaf": 0.043,
    "leaf_share": 0.092,
    "page": 0.166,
    "page_whole": 0.209,
    "page_title": 0.021,
    "title_share": 0.153,
    "page_parts": 0.148,
    "page_passages": 0.251,
    "page_rank": 0.262,
    "rank": 0.396,
    "sentence*block": -0.089,
    "sentence*passage": -0.061,
    "sentence*path": -0.026,
    "block*passage": 0.021,
    "passage*page": 0.178,
    "path*lead": -0.022,
    "either*passage": 0.038,
    "wanted": 0.048,
    "first": 0.201,
    "early": 0.031,
    "length": 0.116,
    "short": -0.129,
    "list_item": 0.158,
    "definition": 0.040,
    "table_row": -0.257,
    "quote": -0.081,
    "leaning": -0.080,
    "example": -0.008,
    "brackets": -0.100,
    "cue_condition": -0.007,
    "cue_default": 0.072,
    "cue_consequence": 0.031,
    "cue_contrast": 0.015,
    "cue_modal": 0.153,
    "cue_number": -0.035,
    "cue_definition": -0.052,
    "cue_reason": 0.017,
    "cue_action": -0.050,
    "cue_identifier": 0.112,
}
"""Linear scorer of sentences, on features with mean 0 and deviation 1 within a question."""

HELD: dict[str, float] = {
    "page": 3.146,
    "passage": 5.825,
    "third_passage": 3.406,
    "heading": 3.240,
    "absent_wide": -0.049,
    "missing": -2.428,
    "missing_sure": -5.254,
    "missing_elsewhere": -2.995,
    "wide": 3.883,
    "terms": 0.617,
    "bias": -7.777,
}
"""Logistic regression on the signs that the sources hold what is asked."""

HELD_FROM = 0.3
"""Probability from which a subtask gets findings."""

TOLD_FROM = 0.5
"""The same, that at least one subtask must reach for anything to be told."""
