"""Meaning beside words: which passage stands first, when a part is answered, and whom a model is not asked about."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fathom.asks import ExtractFindings
from fathom.evidence import Query
from fathom.findings import ANSWERED, Findings
from fathom.plan import Subtask
from fathom.reasoners.extractive import ExtractiveReasoner
from fathom.settings import Settings
from fathom.wiring import open_reasoner
from tests.support.doubles.calls import answer_of
from tests.support.reasoner_pages import extract, page

QUESTION = "How is a garden pump cleaned?"
CARE = page("Care", ("paragraph", "Take the pump out of the pond and rinse its filter under the tap every month."))
SHOP = page(
    "Shop", ("paragraph", "A garden pump is cleaned by nobody here: this shop sells each garden pump as it is.")
)


class Told:
    """An embedder that is told how near each passage is to everything that is asked."""

    name = "told"
    dimensions = 2
    address = ""

    def __init__(self, near: dict[str, float], *, multilingual: bool = False) -> None:
        self.near, self.multilingual = near, multilingual
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, float]]:
        self.asked += texts
        cosines = [
            next((near for title, near in self.near.items() if text.startswith(f"{title}.")), 1.0) for text in texts
        ]
        return [(cosine, (1 - cosine**2) ** 0.5) for cosine in cosines]

    async def close(self) -> None: ...


async def found(ask: ExtractFindings, embedder: Told | None) -> Findings:
    reasoner = ExtractiveReasoner()
    reasoner.embedder = embedder
    return await answer_of(reasoner, ask)


async def test_what_a_part_has_come_across_is_compared_by_its_own_name() -> None:
    ask = extract(QUESTION, CARE, SHOP)
    lead = Subtask(
        subtask_id="task_1.1", parent_id="task_1", depth=1, description=f"{QUESTION}: filter", focus_area="filter"
    )
    for queries, asked in (((Query(text="filter"),), "filter"), ((), f"{QUESTION}: filter")):
        told = Told({})
        await found(ask.model_copy(update={"subtask": lead.model_copy(update={"queries": queries})}), told)
        assert told.asked[0] == asked


async def test_the_passage_that_is_nearer_in_meaning_goes_before_one_with_more_of_the_words() -> None:
    ask = extract(QUESTION, CARE, SHOP)
    by_words = await found(ask, None)
    with_meaning = await found(ask, Told({"Care": 0.9, "Shop": 0.1}))

    assert "shop sells" in by_words.findings[0].claim
    assert "rinse its filter" in with_meaning.findings[0].claim
    assert with_meaning == await found(ask, Told({"Care": 0.9, "Shop": 0.1}))


@pytest.mark.parametrize(
    ("near", "answered"),
    [
        ({"Care": 0.7, "Shop": 0.7}, True),
        ({"Care": 0.5, "Shop": 0.5}, False),  # none stands out, and none is near enough by itself
        ({"Care": 0.1, "Shop": 0.5}, True),
        ({"Care": 0.05, "Shop": 0.3}, False),
    ],
)
async def test_what_holds_the_words_answers_only_if_it_is_near_or_stands_out(
    near: dict[str, float], answered: bool
) -> None:
    told = (await found(extract(QUESTION, CARE, SHOP), Told(near))).findings

    assert told, "what the words find is shown as what comes closest"
    assert (max(each.confidence for each in told) >= ANSWERED) is answered


async def test_a_passage_bears_on_a_question_by_its_meaning_alone_and_not_by_its_words_alone() -> None:
    note = page("Note", ("paragraph", "Hang everything below the roof before winter comes."))
    ask = extract(QUESTION, CARE, SHOP, note)

    def told(answer: Findings) -> set[str]:
        return {each.claim.split()[0] for each in answer.findings}

    assert told(await found(ask, None)) == {"Take", "A"}
    assert told(await found(ask, Told({"Care": 0.5, "Shop": 0.1, "Note": 0.4}))) == {"Take", "Hang"}
    assert told(await found(ask, Told({"Care": 0.1, "Shop": 0.2, "Note": 0.1}))) == {"A"}, "the nearest is no refusal"


@pytest.mark.parametrize(("multilingual", "asked"), [(False, False), (True, True)])
async def test_an_english_model_is_not_asked_about_other_languages(multilingual: bool, asked: bool) -> None:
    ask = extract(QUESTION, CARE, SHOP).model_copy(update={"language": "de"})
    embedder = Told({"Care": 0.9, "Shop": 0.1}, multilingual=multilingual)
    told = await found(ask, embedder)

    assert bool(embedder.asked) is asked
    assert (told == await found(ask, None)) is not asked


def test_answers_with_a_model_are_not_taken_for_those_without() -> None:
    plain, with_model = open_reasoner(Settings()), open_reasoner(Settings(ranker="ollama:nomic-embed-text"))

    assert plain.version == ExtractiveReasoner.version
    assert with_model.version == f"{plain.version} with ollama:nomic-embed-text"
