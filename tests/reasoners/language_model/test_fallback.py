"""A fallback model that holds less than the model it stands in for."""

from __future__ import annotations

from typing import Any, get_args

from fathom.asks import Ask, ValidateFindings
from fathom.data.turns import SubQuestion
from fathom.limits import Tier
from fathom.ports import Answered
from fathom.prompts import Prompts
from fathom.reasoners.language_model import LanguageModelReasoner
from fathom.reasoners.language_model.model import Model
from fathom.reasoners.language_model.models import Models, models_from
from fathom.reasoners.language_model.pace import ModelPace
from fathom.settings import Settings
from fathom_testing.model_server import ModelServer
from tests.reasoners.language_model.asking import QUICK
from tests.support.doubles.calls import DirectCalls
from tests.support.researched import Page, material, write_ask

WINDOW = 3_000


PAGE = Page(
    " ".join(
        f"Mooring {number} is where the current of the strait turns round with each of the {number} tides."
        for number in range(1, 121)
    )
)
FINDINGS = tuple(PAGE.finding(f"{text}.", relevance=1 / at) for at, text in enumerate(PAGE.text[:-1].split(". "), 1))
ASK = ValidateFindings(
    query="Where are the moorings?",
    language="en",
    findings=FINDINGS,
    questions=(SubQuestion(id="task_1", question="Where are the moorings?"),),
)


async def answered(ask: Ask[Any], *, fault: dict[str, Any]) -> tuple[Answered[Any], ModelServer]:
    """What becomes of an ask of which the first model answers nothing, and the server that both are on."""
    with ModelServer(models=["big", "small"], faults=[{**fault, "model": "big"}]) as server:
        settings = Settings(model="openai:big", fallback_model="openai:small", base_url=f"{server.url}/v1")
        made = models_from(settings, backoff=QUICK)
        big = made.for_tier("balanced")
        assert made.fallback is not None
        small = Model(made.fallback.provider, pace=ModelPace(), window=WINDOW)
        tiers: dict[Tier, Model] = dict.fromkeys(get_args(Tier), big)
        reasoner = LanguageModelReasoner(Models(tiers, fallback=small, backoff=QUICK), Prompts())
        answer = await reasoner.answer(ask, DirectCalls())
        await reasoner.close()
    return answer, server


async def test_a_fallback_model_with_a_smaller_window_gets_a_prompt_that_it_holds() -> None:
    answer, server = await answered(ASK, fault={"fault": "refusal"})

    asked = [call for call in server.calls if call.model == "small"]
    assert answer.stood_in == "" and answer.left_out and len(asked) == 1
    assert max(call.prompt_tokens for call in server.calls if call.model == "big") > WINDOW > asked[0].prompt_tokens


async def test_a_report_is_written_in_prompts_that_the_fallback_model_holds_too() -> None:
    ask = write_ask(material(FINDINGS, [PAGE.document]), max_words=300)
    answer, server = await answered(ask, fault={"fault": "refusal"})

    assert answer.answer.sections and {call.model for call in server.calls} == {"big", "small"}
    assert max(call.prompt_tokens for call in server.calls) <= WINDOW
