"""S3.2: an opinion, and an open question that leaves out the popular answers."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.asking import CORPORA, Ran, ask

FULFILMENT = (
    "Beyond popular practices like gratitude or meditation, what's a scientifically validated yet underutilized "
    "approach for "
    "profoundly transforming one's sense of fulfillment, authenticity, and daily motivation?"
)


@pytest.fixture(scope="module")
def opinion(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    home = tmp_path_factory.mktemp("home")
    return asyncio.run(ask("Who's the best player in the NBA?", home, documents=CORPORA / "nba"))


def test_every_view_of_an_opinion_is_told_by_whoever_holds_it(opinion: Ran) -> None:
    by = {source.id: source.title for source in opinion.report.sources}
    held = {
        name: {by[id] for claim in opinion.cited if name in claim.text for id in claim.citations}
        for name in ("Jokić", "Gilgeous-Alexander", "Dončić")
    }
    assert all(len(titles) == 1 for titles in held.values()), held
    assert len(set.union(*held.values())) == 3
    assert "by lot" not in opinion.report.markdown, "the draft is beside the question"


@pytest.mark.xfail(
    strict=True,
    reason="one of three views stands alone under “Answer”, the others under “More on this”, and nothing says that "
    "the "
    "sources differ: who is best by whom should stand side by side",
)
def test_no_single_view_stands_as_the_answer(opinion: Ran) -> None:
    answer = {id for section in opinion.report.sections if section.role == "summary" for id in section.claims}
    told = " ".join(claim.text for claim in opinion.cited if claim.id in answer)
    assert opinion.report.contradictions or sum(name in told for name in ("Jokić", "Gilgeous", "Dončić")) >= 2


@pytest.fixture(scope="module")
def approach(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return asyncio.run(ask(FULFILMENT, tmp_path_factory.mktemp("home"), documents=CORPORA / "fulfilment"))


def test_an_approach_that_few_use_is_found_with_its_evidence(approach: Ran) -> None:
    assert approach.told("best possible self", "scientifically validated") and approach.told(
        "meta-analysis of 29 trials"
    )
    assert "spokes" not in approach.report.markdown


def test_what_the_question_leaves_out_is_no_part_and_not_the_answer(approach: Ran) -> None:
    assert approach.plan.execution_mode == "simple"
    assert "Eight weeks" not in approach.first(3) and "journal" not in approach.first(3)
