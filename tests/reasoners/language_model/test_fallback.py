"""A fallback model that holds less than the model it stands in for."""

from __future__ import annotations

from typing import get_args

from fathom.asks import SynthesizeSubtask
from fathom.evidence import Evidence
from fathom.findings import Finding
from fathom.limits import Tier
from fathom.plan import Subtask
from fathom.prompts import Prompts
from fathom.reasoners.language_model import LanguageModelReasoner
from fathom.reasoners.language_model.model import Model
from fathom.reasoners.language_model.models import Models, models_from
from fathom.reasoners.language_model.pace import ModelPace
from fathom.settings import Settings
from fathom_testing.model_server import ModelServer
from tests.reasoners.language_model.asking import QUICK
from tests.support.doubles.calls import DirectCalls

WINDOW = 3_000


def finding(number: int) -> Finding:
    quote = f"Mooring {number} lies where the current of the strait turns round with each of the {number} tides."
    evidence = Evidence(document="0" * 64, start=200 * number, end=200 * number + len(quote), quote=quote)
    return Finding(subtask_id="task_1", claim=quote, evidence=(evidence,), relevance=1 / number)


ASK = SynthesizeSubtask(
    query="Where do the moorings lie?",
    language="en",
    subtask=Subtask(subtask_id="task_1", description="Where do the moorings lie?"),
    findings=tuple(map(finding, range(1, 121))),
)


async def test_a_fallback_model_with_a_smaller_window_gets_a_prompt_that_it_holds() -> None:
    with ModelServer(models=["big", "small"], faults=[{"fault": "refusal", "model": "big"}]) as server:
        settings = Settings(model="openai:big", fallback_model="openai:small", base_url=f"{server.url}/v1")
        made = models_from(settings, backoff=QUICK)
        big = made.for_tier("balanced")
        assert made.fallback is not None
        small = Model(made.fallback.provider, pace=ModelPace(), window=WINDOW)
        tiers: dict[Tier, Model] = dict.fromkeys(get_args(Tier), big)
        reasoner = LanguageModelReasoner(Models(tiers, fallback=small, backoff=QUICK), Prompts())
        answered = await reasoner.answer(ASK, DirectCalls())
        await reasoner.close()

    asked = [call for call in server.calls if call.model == "small"]
    assert answered.stood_in == "" and answered.left_out and len(asked) == 1
    assert max(call.prompt_tokens for call in server.calls if call.model == "big") > WINDOW > asked[0].prompt_tokens
