"""What a report says of the models that made it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fathom.asks import Ask
from fathom.frozen import FrozenModel
from fathom.ports import Answered, Calls, CallUsage, ModelCall, ModelReply
from fathom.report import Report
from fathom.text.phrases import phrases
from tests.support.doubles.reasoner import Shape, SimulatedReasoner
from tests.support.lab import Lab


class Model(SimulatedReasoner):
    """Answers like a reasoner with a model: of some asks another one has answered, in some there were invented ids."""

    metered = True

    def __init__(
        self,
        shape: Shape | None = None,
        *,
        stood_in: str = "",
        invented: str = "",
        asked: tuple[str, str] | None = None,
    ) -> None:
        """`asked` names the model that plans and the one that answers all else."""
        super().__init__(shape)
        self.asked_of = asked
        self.stood_in = stood_in
        self.invented = invented

    async def answer(self, ask: Ask[FrozenModel], calls: Calls) -> Answered[FrozenModel]:  # type: ignore[override]
        if self.asked_of:
            usage = CallUsage(model=self.asked_of[ask.kind() != "PlanResearch"], tier=ask.tier, prompt_tokens=1)
            reply = ModelReply(text="", usage=usage)
            await calls.make(ModelCall(ask=ask.kind(), request=ask.digest(), expected=usage), partial(async_, reply))
        answered: Answered[Any] = await super().answer(ask, calls)
        return Answered(
            answered.answer,
            stood_in="it said nothing" if ask.kind() == self.stood_in else "",
            invented=2 if ask.kind() == self.invented else 0,
        )


async def async_(reply: ModelReply) -> ModelReply:
    return reply


async def run(folder: Path, reasoner: SimulatedReasoner, *, language: str = "en", **models: str) -> Report:
    async with Lab(folder) as lab:
        lab.reasoner = reasoner
        await lab.create()
        fence = await lab.store.acquire("run_one")
        await lab.store.update_run("run_one", fence=fence, language=language, models=models)
        return await lab.resume()


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_a_report_says_how_many_tasks_no_model_answered(tmp_path: Path, language: str) -> None:
    report = await run(tmp_path, Model(stood_in="ExtractFindings"), language=language)
    read = len(report.subtasks)
    assert report.stand_ins == {"ExtractFindings": read}
    said = phrases(language).stand_ins.format(count=read)
    assert f"{said} it said nothing" in report.limitations
    assert report.markdown.count(said) == 1


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_a_report_says_how_many_invented_citations_were_dropped(tmp_path: Path, language: str) -> None:
    report = await run(tmp_path, Model(invented="WriteReport"), language=language)
    assert phrases(language).invented.format(count=2) in report.limitations


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_the_footer_names_the_models_that_have_answered_once(tmp_path: Path, language: str) -> None:
    models = {"model": "ollama:small_one_", "model_strong": "openai:big", "fallback_model": "openai:idle"}
    model = Model(asked=("openai:big", "ollama:small_one_"))
    report = await run(tmp_path, model, language=language, **models)
    words = phrases(language)
    named = f"ollama:`small_one_`{words.comma}openai:big"
    assert report.markdown.count("openai:big") == 1 and "idle" not in report.markdown
    assert report.usage.models == {"ollama:small_one_": len(model.asks) - 1, "openai:big": 1}
    assert words.made_with["report"].format(models=named).split("openai")[0] in report.markdown
    assert report.reasoner.startswith("simulated")


async def test_without_a_model_no_model_is_named(tmp_path: Path) -> None:
    report = await run(tmp_path, SimulatedReasoner())
    assert phrases("en").made_with["report"].split("{")[0] not in report.markdown
    assert report.stand_ins == {}
