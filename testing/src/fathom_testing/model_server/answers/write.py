"""Summing up: what is shown is told in its own words."""

from __future__ import annotations

from typing import Any

from fathom.reasoners.extractive.synthesize import TOLD
from fathom_testing.model_server.answers import ANSWERS, Prompt
from fathom_testing.model_server.answers.tags import tags


def synthesize_subtask(prompt: Prompt) -> dict[str, Any]:
    """The first findings, word for word."""
    lists, shown = tags(prompt.user, "list"), tags(prompt.user, "finding")
    alone = [tag for tag in shown if not any(each.start < tag.start < each.end for each in lists)]
    told = (alone or shown)[:TOLD]
    return {
        "answer": [{"text": tag.text, "cites": [tag.id]} for tag in told],
        "confidence": 0.7 if told else 0.0,
        "contradictions": [],
        "caveats": [],
    }


ANSWERS.update({"SynthesizeSubtask": synthesize_subtask})
