"""Runs in which a capable model was played by hand, answered again from their transcripts: nothing that matters is lost
between what was found and what is written, and what is written is checked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import fathom
from fathom.report import Report
from fathom_testing.model_server import ModelServer, mind
from fathom_testing.model_server.answers import known
from tests.acceptance.transcripts.transcript import HERE, Transcript, unmarked
from tests.support.honest import faults_of
from tests.support.injected_runs import snapshots
from tests.support.model_settings import settings_for

HIGH = 0.75
"""Relevance from which a finding has to be in the report: eight and more of ten points."""
RESEARCH = ("ExtractFindings", "Reflect", "RevisePlan", "HearWishes", "GeneratePerspectives")


class Run(NamedTuple):
    """A transcript, and what it is answered over."""

    name: str
    documents: str
    calls: int
    """Calls besides the extractions: the plan, a look back, the report, its check."""


RUNS = [Run("a", "notes", 4), Run("d", "notes", 4)]


async def replayed(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Transcript, Report]:
    """The run answered from its transcript, over the wire; its report has no fault that can be seen from outside."""
    transcript = Transcript.read(run.name)
    answers = {**known(), **transcript.answers}
    monkeypatch.setattr(mind, "known", lambda: answers)
    with ModelServer() as server:
        settings = settings_for(folder, server, model_window=128_000)
        more: dict[str, Any] = {"documents": [HERE / run.documents]}
        report = await fathom.research(transcript.question, settings=settings, **more)
        assert [call.error for call in server.calls if call.error] == []
    assert faults_of(report, await snapshots(settings, report)) == []
    return transcript, report


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
async def test_what_was_found_is_what_is_written(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transcript, report = await replayed(run, tmp_path, monkeypatch)

    lost = [each.claim for each in report.findings if each.relevance >= HIGH and each.fate == "left_out"]
    assert lost == []
    assert report.stand_ins == {} and report.partial is None
    assert transcript.asked.total() <= transcript.asked["ExtractFindings"] + run.calls
    assert [claim.text for claim in report.claims if not claim.verified] == []
    kinds = Counter(block.kind for section in report.sections for block in section.blocks)
    assert kinds["table"] and kinds["steps"] and report.contradictions


async def test_planted_mistakes_are_mended_or_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transcript, report = await replayed(Run("planted", "notes", 4), tmp_path, monkeypatch)

    claims = {unmarked(claim.text): claim for claim in report.claims}
    planted = [claims.get(unmarked(each["text"])) for each in transcript.planted]
    missed = [claim.text for claim in planted if claim and claim.verified and not claim.repaired]
    # of a moved citation the words are right: it is mended where it cites something else now
    moved = [each["text"] for each in transcript.planted if each["kind"].startswith("source")]
    missed = [text for text in missed if unmarked(text) not in map(unmarked, moved)]
    assert missed == []
    assert sum(claim.repaired for claim in report.claims) >= len(transcript.planted)
