"""The weights of the extractive reasoner, as benchmarks/fit_extractive.py writes them.

Fitted on evals/dev.toml: 81 answerable questions over 7 corpora, and
1749 pairs of a question and a corpus, or a part of one. By cross-validation over corpora it
wrongly abstains from 2 of 81 answerable questions, and
wrongly answers 2 of 15 that were written to be unanswerable and 22 of 375 that were asked of a wrong corpus.
"""

from __future__ import annotations

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
