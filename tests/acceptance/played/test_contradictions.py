"""A model settles whether two statements that seem to disagree do."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom_testing.model_server import ModelServer, mind
from fathom_testing.model_server.answers import known
from tests.acceptance.played.play import Part, Play, Says, Verdict
from tests.support.model_settings import settings_for

LONG, SHORT = "Audit logs are retained for 180 days.", "Audit logs are kept for 90 days."


def run(*, errors: dict[str, Verdict]) -> Play:
    told = [Says(LONG, ["180 days"]), Says(SHORT, ["90 days"])]
    part = Part(
        question="How long are audit logs kept?",
        focus="Audit logs",
        queries=["audit logs kept days", "audit logs retained"],
        claims=told,
        section=told,
    )
    return Play(question=part.question, parts=[part], summary=[], conclusion=[], errors=errors)


@pytest.mark.parametrize(
    ("said_of", "most", "told"),
    [({LONG: "contradicted", SHORT: "contradicted"}, 100, 1), ({}, 100, 0), ({}, 0, 1)],
    ids=["disagree", "agree", "nobody-is-asked"],
)
async def test_statements_are_set_against_each_other_only_when_the_judge_finds_that_they_disagree(
    said_of: dict[str, str], most: int, told: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in {"handbook": LONG, "policy": SHORT}.items():
        (tmp_path / f"{name}.md").write_text(f"# {name.title()} on logs\n\n{text}\n", encoding="utf-8")
    play = run(errors={text: Verdict(status) for text, status in said_of.items()})
    monkeypatch.setattr(mind, "known", lambda: {**known(), **play.answers})
    with ModelServer() as server:
        papers = [tmp_path / "handbook.md", tmp_path / "policy.md"]
        limits = {"max_checks": most}
        settings = settings_for(tmp_path, server)
        report = await fathom.research(play.question, documents=papers, settings=settings, limits=limits)

    assert len(report.contradictions) == told and len(play.left) <= most
