"""The reasoner as a whole: what it sends fits, and what no model answers is answered all the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from fathom.errors import ContentRefused, LimitReached, MalformedReply, TimedOut
from fathom.reasoners.extractive import ExtractiveReasoner
from fathom.reasoners.language_model import LanguageModelReasoner, from_settings
from fathom.settings import Settings
from fathom_testing.model_server import ModelServer
from tests.contracts.asking import extract_ask, walk
from tests.contracts.material import SEA, TIDES, a_page, together
from tests.contracts.reasoners import HELD, QUESTIONS
from tests.support.doubles.calls import DirectCalls, answer_of

BASINS = (
    "Aleut Banda Canary Cayman Chile Fiji Guinea Iberia Japan Kuril Labrador Natal Perth Romanche Somali Tonga".split()
)
PARTS = "rise plain trench ridge shelf slope vent canyon".split()
MUCH = together(
    *(
        a_page(
            f"The {name} basin",
            {
                "Depth": [
                    f"The sea over the {name} {part} is {n * 211 + at * 37} metres deep, and {other} lies beside it."
                    for at, (part, other) in enumerate(zip(PARTS, BASINS[n:] + BASINS, strict=False))
                ]
            },
        )
        for n, name in enumerate(BASINS, start=1)
    ),
    a_page("The sea", SEA),
    a_page("Tides", TIDES),
)


class FullCalls(DirectCalls):
    """A run that may spend no more."""

    async def make(self, *_: Any, **__: Any) -> Any:
        raise LimitReached("max_tokens")


@asynccontextmanager
async def reasoner_on(server: ModelServer, **settings: Any) -> AsyncIterator[LanguageModelReasoner]:
    made = from_settings(Settings(model="openai:fathom-test", base_url=f"{server.url}/v1", **settings))
    # a test does not wait for a provider that fails by design
    made.models.backoff = replace_first(made.models.backoff)
    try:
        yield made
    finally:
        await made.close()


def replace_first(backoff: Any) -> Any:
    """The same without waiting."""
    return backoff._replace(first=0.0)


@pytest.mark.parametrize("window", [4_096, 8_192])
async def test_every_prompt_fits_a_small_window_with_room_for_its_answer(window: int) -> None:
    with ModelServer(window=window) as server:
        async with reasoner_on(server, model_window=window) as reasoner:
            for ask, _ in await walk(ExtractiveReasoner(), QUESTIONS["en"], MUCH):
                answered = await reasoner.answer(ask, DirectCalls())
                assert answered.stood_in == "", ask.kind()
        assert {call.status for call in server.calls if call.model} == {200}


async def test_what_a_small_window_cannot_show_is_shown_in_several_prompts_and_counted() -> None:
    ask = extract_ask(MUCH)
    with ModelServer() as server:
        async with reasoner_on(server, model_window=3_000) as small, reasoner_on(server) as large:
            split, whole = DirectCalls(), DirectCalls()
            in_parts = await small.answer(ask, split)
            at_once = await large.answer(ask, whole)

    assert len(split.made) > len(whole.made) == 1
    assert in_parts.answer.evaluation is None and at_once.answer.evaluation is not None
    assert in_parts.answer.findings and in_parts.left_out > 0


async def test_a_model_with_a_wide_window_is_shown_more() -> None:
    ask = extract_ask(MUCH)
    shown = []
    for window in (16_384, 128_000):
        with ModelServer() as server:
            async with reasoner_on(server, model_window=window) as reasoner:
                await reasoner.answer(ask, DirectCalls())
        shown.append(sum(call.prompt_tokens for call in server.calls))

    narrow, wide = shown
    assert narrow < wide


async def test_a_window_that_is_smaller_than_told_is_met_with_less() -> None:
    with ModelServer(window=3_500) as server:
        async with reasoner_on(server, model_window=16_384) as reasoner:
            answered = await reasoner.answer(extract_ask(MUCH), DirectCalls())

    assert answered.stood_in == "" and answered.answer.findings


@pytest.mark.parametrize("fault", ["500", "429", "empty", "malformed_json", "refusal", "wrong_schema", "reset"])
async def test_what_no_model_answers_the_extractive_reasoner_does_and_says_why(fault: str) -> None:
    ask = extract_ask(HELD)
    rules = [{"fault": fault, "every": 1, "retry_after": 0} if fault == "429" else {"fault": fault, "every": 1}]
    with ModelServer(faults=rules) as server:
        async with reasoner_on(server, model_window=16_384) as reasoner:
            answered = await reasoner.answer(ask, DirectCalls())

    assert "openai:fathom-test" in answered.stood_in and "\n" not in answered.stood_in
    assert answered.answer == await answer_of(ExtractiveReasoner(), ask)


async def test_a_run_that_may_spend_no_more_is_told_so_and_answered_by_nobody() -> None:
    with ModelServer() as server:
        async with reasoner_on(server) as reasoner:
            with pytest.raises(LimitReached):
                await reasoner.answer(extract_ask(HELD), FullCalls())


async def test_what_takes_no_model_to_know_is_asked_of_none() -> None:
    ask = extract_ask(HELD).model_copy(update={"passages": (), "documents": ()})
    with ModelServer() as server:
        async with reasoner_on(server) as reasoner:
            calls = DirectCalls()
            answered = await reasoner.answer(ask, calls)

    assert (answered.answer.findings, calls.made) == ((), [])


async def test_a_model_that_fails_again_and_again_is_left_alone_for_a_while() -> None:
    with ModelServer(faults=[{"fault": "500", "every": 1}]) as server:
        async with reasoner_on(server, model_window=16_384) as reasoner:
            for _ in range(10):
                answered = await reasoner.answer(extract_ask(HELD), DirectCalls())
                assert "try again" in answered.stood_in and answered.answer.findings
            asked = len([call for call in server.calls if call.model])

    assert asked == 4 * 3, "four asks of three tries each"


async def test_only_failures_in_a_row_that_another_prompt_would_meet_too_leave_a_model_alone() -> None:
    with ModelServer() as server:
        async with reasoner_on(server) as reasoner:
            model = reasoner.models.for_tier("fast")
            for _ in range(3):
                model.has_failed(TimedOut("slow"))
            model.has_answered()
            for error in [TimedOut("slow"), ContentRefused("no"), MalformedReply("?"), ContentRefused("no")]:
                model.has_failed(error)
            model.has_failed(TimedOut("slow"))
            model.see_whether_in_order()
            model.has_failed(TimedOut("slow again"))
            with pytest.raises(TimedOut, match="slow again"):
                model.see_whether_in_order()
