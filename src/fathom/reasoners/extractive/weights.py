"""The weights of the extractive reasoner, as benchmarks/fit_extractive.py writes them.

Fitted on evals/dev.toml: 81 answerable questions with 478 facts over 7 corpora, and
390 pairs of a question and a corpus that does not answer it. By cross-validation over corpora they tell
63% of the facts in a report of 950 words; at `TOLD_FROM` they wrongly abstain from 3 of 81 of the
answerable questions and wrongly answer 18 of 390 of the other pairs.
"""

from __future__ import annotations

SENTENCE: dict[str, float] = {
    "sentence": 0.128,
    "sentence_own": 0.192,
    "sentence_names": 0.045,
    "sentence_whole": 0.084,
    "before": 0.042,
    "lead": 0.178,
    "block": 0.110,
    "block_whole": 0.049,
    "near": 0.050,
    "passage": 0.006,
    "passage_whole": -0.037,
    "passage_order": -0.034,
    "path": 0.168,
    "leaf": 0.060,
    "leaf_share": 0.072,
    "page": 0.170,
    "page_whole": 0.205,
    "page_title": 0.021,
    "title_share": 0.134,
    "page_parts": 0.114,
    "page_passages": 0.265,
    "page_rank": 0.298,
    "rank": 0.368,
    "sentence*block": -0.100,
    "sentence*passage": -0.054,
    "sentence*path": -0.036,
    "block*passage": 0.018,
    "passage*page": 0.168,
    "path*lead": -0.041,
    "either*passage": 0.019,
    "wanted": 0.049,
    "first": 0.223,
    "early": 0.033,
    "length": 0.109,
    "short": -0.140,
    "list_item": 0.156,
    "definition": 0.041,
    "table_row": -0.264,
    "quote": -0.082,
    "leaning": -0.105,
    "example": -0.005,
    "brackets": -0.094,
    "cue_condition": -0.016,
    "cue_default": 0.074,
    "cue_consequence": 0.029,
    "cue_contrast": 0.003,
    "cue_modal": 0.145,
    "cue_number": -0.031,
    "cue_definition": -0.055,
    "cue_reason": 0.032,
    "cue_action": -0.055,
    "cue_identifier": 0.118,
}
"""Linear scorer of sentences, on features with mean 0 and deviation 1 within a question."""

HELD: dict[str, float] = {
    "page": 3.131,
    "passage": 5.947,
    "third_passage": 3.840,
    "heading": 3.104,
    "absent_wide": -0.282,
    "missing": -2.390,
    "missing_sure": -5.108,
    "missing_elsewhere": -3.120,
    "wide": 4.002,
    "terms": 0.907,
    "bias": -8.693,
}
"""Logistic regression on the signs that the sources hold what is asked."""

HELD_FROM = 0.3
"""Probability from which a subtask gets findings."""

TOLD_FROM = 0.5
"""The same, that at least one subtask must reach for anything to be told."""
