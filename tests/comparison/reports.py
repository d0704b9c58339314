"""Reports of a few sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fathom.composing.sections import Sentence
from fathom.report import Claim, Report, SourceEntry
from tests.support.figures import report_of, section


def source(id: str, name: str, *, sha256: str = "0" * 64, **more: Any) -> SourceEntry:
    """A document that was read."""
    read = {"retrieved_at": "2026-01-02T03:04:05+00:00", "kind": "file"}
    return SourceEntry.model_validate(
        {**read, "id": id, "uri": f"file:///notes/{name}", "title": name, "sha256": sha256, **more}
    )


def claim(text: str, *cites: str, **more: Any) -> Claim:
    """A sentence that cites these."""
    judged = {"id": "", "evidence": (), "status": "quoted", "verified": True, "confidence": 0.9, "subtask_id": "task_1"}
    return Claim.model_validate({**judged, "text": text, "citations": cites, **more})


def report(*sections: tuple[str, Sequence[Claim | str]], **more: Any) -> Report:
    """A report of these sections; a sentence without more cites `S1`."""
    numbered: list[Claim] = []
    told = []
    for heading, claims in sections:
        own: list[Claim] = []
        for each in claims:
            each = claim(each, "S1") if isinstance(each, str) else each
            own.append(each.model_copy(update={"id": f"C{len(numbered) + len(own) + 1}"}))
        numbered += own
        told.append(section(heading, *map(Sentence, own)))
    fields: dict[str, Any] = {"sources": (source("S1", "notes.md"),), "sections": tuple(told)}
    made = report_of(claims=tuple(numbered) or (claim("x", id="C1"),) * 2, **{**fields, **more})
    return made.model_copy(update={"claims": tuple(numbered)})
