"""The check of doubtful sentences: what the comparison of their words says, and no repair."""

from __future__ import annotations

from typing import Any

from fathom.verification.verdicts import check
from fathom_testing.model_server.answers import ANSWERS, Prompt
from fathom_testing.model_server.answers.tags import tags


def check_support(prompt: Prompt) -> dict[str, Any]:
    """Each sentence by the evidence that it names."""
    evidence = {tag.id: tag.text for tag in tags(prompt.user, "span")}
    judgements = []
    for tag in tags(prompt.user, "sentence"):
        named = [evidence[int(id)] for id in tag.attributes["evidence"].split()]
        verdict = check(tag.text, named)
        status = {"quoted": "supported", "unjudged": "partial"}.get(verdict.status, verdict.status)
        judgements.append({"sentence": tag.id, "why": verdict.why, "status": status, "repaired": ""})
    return {"judgements": judgements}


ANSWERS.update({"CheckSupport": check_support})
