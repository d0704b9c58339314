"""Whole runs played from answers that were written by hand: what is right arrives as it was written, what is wrong does
not arrive unmarked."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom.report import Report
from fathom_testing.model_server import ModelServer, mind
from fathom_testing.model_server.answers import known
from tests.acceptance.played.fleet import ENGLISH, JAPANESE, TEXTS
from tests.acceptance.played.play import Play
from tests.acceptance.played.sales import CSV, SALES
from tests.support.honest import faults_of
from tests.support.injected_runs import snapshots
from tests.support.model_settings import settings_for


async def played(play: Play, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """The report of the run, over the wire."""
    documents = folder / "documents"
    documents.mkdir()
    for name, text in ({"sales.csv": CSV} if play is SALES else TEXTS).items():
        (documents / name).write_text(text, encoding="utf-8")
    tables, papers = ([documents / "sales.csv"], ()) if play is SALES else ((), [documents])
    own = {**known(), **play.answers}
    monkeypatch.setattr(mind, "known", lambda: own)
    with ModelServer() as server:
        settings = settings_for(folder, server)
        limits = {"max_words": 1_500, "max_reflections": 0, "max_revisions": 0}
        report = await fathom.research(play.question, documents=papers, data=tables, settings=settings, limits=limits)
        assert [call.error for call in server.calls if call.error] == []
        assert faults_of(report, await snapshots(settings, report)) == []
    return report


@pytest.mark.parametrize("play", [ENGLISH, JAPANESE, SALES], ids=["recommendation", "japanese-over-english", "data"])
async def test_every_good_sentence_arrives_as_written_and_no_error_unmarked(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = await played(play, tmp_path, monkeypatch)

    claims = {claim.text: claim for claim in report.claims}
    good = [text for text in play.said if text not in play.errors]
    assert [text for text in good if text not in claims] == [], "left out or changed"
    assert [text for text in good if not claims[text].verified] == [], "marked although they are right"
    for text, verdict in play.errors.items():
        if verdict.repaired:
            assert text not in claims and claims[verdict.repaired].repaired and claims[verdict.repaired].verified
        else:
            assert claims[text].status == verdict.status and not claims[text].verified
    assert {text for text, claim in claims.items() if claim.is_assessment} == {
        each.text
        for each in (*play.summary, *(s for part in play.parts for s in part.section), *play.conclusion)
        if each.is_assessment
    }
