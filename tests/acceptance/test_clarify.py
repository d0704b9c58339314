"""What a question leaves open, over real folders: without a model, and with one over the wire."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

import fathom
from fathom import wiring
from fathom.asks import ClarifyQuestion
from fathom.clarification import OpenPoint
from fathom.errors import Conflict
from fathom.events import ApprovalAsked, Understood
from fathom.evidence import Query
from fathom.knowledge.knowledge_base import KnowledgeBase
from fathom.reasoners.extractive.clarify import clarify_question
from fathom.report import Report
from fathom.settings import Settings
from fathom_testing.model_server import ModelServer
from tests.support.model_settings import settings_for

EVALS = Path(__file__).parents[2] / "evals"
EVERYDAY = EVALS / "everyday"
FEES = ("verein-de", "Was zahlt eine Familie im Jahr?", "Beitragsordnung_2022.md", "Beitragsordnung_2026.md")
AT_HOME = ("kaisha-ja", "家で仕事できるのは週に何日まで?", "在宅勤務規程_2023_旧.md", "在宅勤務規程_2026.md")
TRAIN = ("office-en", "which class can I book on the train?", "travel-policy-2023.txt", "travel-policy-2026.md")


@pytest.fixture(params=["rule", "model"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    if request.param == "rule":
        yield wiring.load_settings(home=tmp_path / "home")
        return
    with ModelServer() as server:
        yield settings_for(tmp_path, server)


async def answered(
    settings: Settings, folder: Path, question: str, *, year: str = "", **limits: object
) -> tuple[Report, OpenPoint]:
    """The report of a run that is told which year it means, or to take the question as it stands; what it asked."""
    async with fathom.Fathom(settings) as running:
        asked = fathom.Question(question, documents=[folder], limits={"clarify": True, **limits})
        points = list[OpenPoint]()
        async with running.stream(asked) as run:
            async for stored in run:
                if isinstance(stored.event, ApprovalAsked):
                    points += stored.event.approval.open_points
                    (place,) = [n for n, each in enumerate(points[0].choices, start=1) if year in each.label][:1]
                    said = fathom.Answer(decision="answer", answers=(str(place),)) if year else None
                    await running.answer(run.run_id, said or fathom.Answer(decision="accept"))
                elif isinstance(stored.event, Understood):
                    assert year in stored.event.question
            report = await run.report()
        assert (await running.replay(run.run_id)).model_dump_json() == report.model_dump_json()
    (point,) = points
    return report, point


def read(report: Report) -> set[str]:
    """The names of the files that a report cites."""
    sources = {each.id: each for each in report.sources}
    return {name_of(sources[id].uri) for id in report.cited}


def name_of(uri: str) -> str:
    return unquote(uri.rpartition("/")[2])


@pytest.mark.parametrize(("folder", "question", "old", "new"), [FEES, AT_HOME, TRAIN])
async def test_what_is_answered_decides_which_version_is_told(
    settings: Settings, folder: str, question: str, old: str, new: str
) -> None:
    told = {}
    for year, name in (("2022" if "2022" in old else "2023", old), ("2026", new)):
        report, point = await answered(settings, EVERYDAY / folder, question, year=year)
        assert name in read(report)
        if report.reasoner.startswith("extractive"):  # other versions are told behind it
            sources = {each.id: name_of(each.uri) for each in report.sources}
            assert {sources[id] for id in report.claims[0].citations} == {name}
        assert len(point.choices) == 2 and report.clarified is not None
        assert report.query == question and year in report.clarified.question and not report.clarified.open
        told[year] = report.markdown
    assert len(set(told.values())) == 2


async def test_left_open_it_is_reported_as_it_stands_and_that_is_said(settings: Settings) -> None:
    folder, question, *_ = FEES
    report, point = await answered(settings, EVERYDAY / folder, question)
    assert report.clarified and report.clarified.question == question
    assert [each for each in report.limitations if point.told in each and "offen gelassen" in each]
    assert point.question == "Welches davon ist gemeint?" and read(report)


async def test_it_is_answered_after_a_restart_and_no_call_is_made_twice(settings: Settings) -> None:
    folder, question, _, new = FEES
    async with fathom.Fathom(settings) as first:
        asked = fathom.Question(question, documents=[EVERYDAY / folder], limits={"clarify": True})
        async with first.stream(asked) as run:
            async for stored in run:
                if isinstance(stored.event, ApprovalAsked):
                    break
        run_id = run.run_id
    async with fathom.Fathom(settings) as second:
        await second.answer(run_id, fathom.Answer(decision="answer", answers=("Beitragsordnung (2026)",)))
        with pytest.raises(Conflict):
            await second.answer(run_id, fathom.Answer(decision="accept"))
    async with fathom.Fathom(settings) as third:
        async with third.take_up(run_id) as run:
            report = await run.report()
        journal = await third.store.journal(run_id)
    assert report.clarified and report.clarified.answers == ("Beitragsordnung (2026)",)
    assert name_of(next(iter(report.sources)).uri) == new
    made = [(each.path, each.request) for each in journal]
    assert len(made) == len(set(made)) and report.usage.calls["ClarifyQuestion"] == 1


async def test_a_follow_up_knows_what_was_meant(settings: Settings) -> None:
    folder, question, _, new = FEES
    report, _ = await answered(settings, EVERYDAY / folder, question, year="2026")
    follow_up = await fathom.ask(report.run_id, "Und ein Kind?", settings=settings)
    assert follow_up.clarified is None and new in read(follow_up)


async def looked(home: Path) -> list[tuple[str, str]]:
    """The ids of everyday questions with the folder of each, as far as it is here, and what they leave open."""
    found = []
    for name in ("everyday_look.toml", "everyday_third_look.toml", "everyday_fourth_look.toml"):
        for each in tomllib.loads((EVALS / name).read_text(encoding="utf-8"))["question"]:
            if (EVERYDAY / each["corpus"]).is_dir():
                found.append(each)
    bases = {corpus: KnowledgeBase(home / f"{corpus}.db") for corpus in {each["corpus"] for each in found}}
    told = []
    for corpus, base in bases.items():
        await base.ingest([EVERYDAY / corpus])
        for each in found:
            if each["corpus"] == corpus:
                preview = await base.search(Query(text=each["query"]), limit=30)
                ask = ClarifyQuestion(
                    query=each["query"], language=each["language"], sources=(), preview=preview, today="2026-11-01"
                )
                points = clarify_question(ask).points
                told.append((each["id"], " | ".join(point.told for point in points)))
        await base.close()
    return told


async def test_clear_questions_are_not_asked_about(tmp_path: Path) -> None:
    told = await looked(tmp_path)
    open_ones = {id for id, point in told if point}
    versions = {"office-en-01", "office-en-07", "verein-de-07", "kaisha-ja-01", "commune-fr-01", "berghuette-de-01"}
    amiss = {"musique-fr-06", "tougei-ja-03", "tougei-ja-07"}  # clear, and asked about all the same
    assert len(told) > 70 and versions <= open_ones and len(open_ones - versions - amiss) <= 1, open_ones


@pytest.mark.parametrize(
    ("question", "choices"),
    [
        ("How large is Mercury?", ["Mercury (element)", "Mercury (planet)"]),
        ("How large is the planet Mercury?", []),
        ("How large is Venus?", []),
        ("How many people live in Norvik?", ["Norvik, Eastshire", "Norvik, Westshire"]),
        ("How many people live in Norvik in Westshire?", []),
        ("水星の大きさは？", ["水星（元素）", "水星（惑星）"]),
    ],
)
async def test_things_of_one_name_are_told_apart_unless_the_question_does(
    tmp_path: Path, question: str, choices: list[str]
) -> None:
    papers = {
        "a": "# Mercury (planet)\n\nMercury is 4,880 km large, and no other planet is as small.",
        "b": "# Mercury (element)\n\nMercury is a metal. An atom of it is 150 pm large.",
        "c": "# Venus\n\nVenus is 12,104 km large.",
        "d": "# Norvik, Westshire\n\n300 people live in Norvik.",
        "e": "# Norvik, Eastshire\n\n4,500 people live in Norvik.",
        "f": "# 水星（惑星）\n\n水星の大きさは直径4,880キロメートルである。",
        "g": "# 水星（元素）\n\n水星の大きさは原子で150ピコメートルである。",
    }
    for name, text in papers.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    base = KnowledgeBase(tmp_path / "knowledge.db")
    await base.ingest([*tmp_path.glob("*.md")])
    preview = await base.search(Query(text=question), limit=30)
    await base.close()
    language = "ja" if "水星" in question else "en"
    ask = ClarifyQuestion(query=question, language=language, sources=(), preview=preview, today="2026-11-01")
    points = clarify_question(ask).points
    assert sorted(each.label for point in points for each in point.choices) == sorted(choices)
    assert all(each.question.startswith(each.label) for point in points for each in point.choices)


async def test_whoever_waits_for_no_answer_goes_on_in_time(tmp_path: Path) -> None:
    folder, question, *_ = FEES
    settings = wiring.load_settings(home=tmp_path / "home")
    limits = {"clarify": True, "approval_time": 0.5}
    async with asyncio.timeout(60):
        report = await fathom.research(question, documents=[EVERYDAY / folder], limits=limits, settings=settings)
    assert report.clarified and report.clarified.open and "offen gelassen" in report.markdown
