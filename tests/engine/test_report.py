"""What a report says of the models that made it, and what its sections are written from."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fathom.asks import Ask, OutlineReport, SynthesizeSubtask, WriteSection
from fathom.engine.steps.write import answers
from fathom.findings import Statement, Synthesis
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
        stated: bool = False,
        asked: tuple[str, str] | None = None,
    ) -> None:
        """`asked` names the model that plans and the one that answers all else."""
        super().__init__(shape)
        self.asked_of = asked
        self.stood_in = stood_in
        self.invented = invented
        self.stated = stated

    async def answer(self, ask: Ask[FrozenModel], calls: Calls) -> Answered[FrozenModel]:  # type: ignore[override]
        if self.asked_of:
            usage = CallUsage(model=self.asked_of[ask.kind() != "PlanResearch"], tier=ask.tier, prompt_tokens=1)
            reply = ModelReply(text="", usage=usage)
            await calls.make(ModelCall(ask=ask.kind(), request=ask.digest(), expected=usage), partial(async_, reply))
        answered: Answered[Any] = await super().answer(ask, calls)
        answer = answered.answer
        if self.stated and isinstance(ask, SynthesizeSubtask):
            first = ask.findings[0]
            answer = answer.model_copy(update={"statements": (Statement(text=first.claim, findings=(first.id,)),)})
        if isinstance(ask, OutlineReport) and answer.sections:
            answer = answer.model_copy(update={"conclusion": answer.sections[0].findings[:1]})
        return Answered(
            answer,
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
    model = Model(stood_in="WriteSection")
    report = await run(tmp_path, model, language=language)
    sections = len(wrote(model))
    assert report.stand_ins == {"WriteSection": sections}
    assert phrases(language).stand_ins.format(count=sections) in report.limitations
    assert report.markdown.count(phrases(language).stand_ins.format(count=sections)) == 1


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_a_report_says_how_many_invented_citations_were_dropped(tmp_path: Path, language: str) -> None:
    report = await run(tmp_path, Model(invented="OutlineReport"), language=language)
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
    assert words.written_with.format(models=named).split("openai")[0] in report.markdown
    assert report.reasoner.startswith("simulated")


async def test_without_a_model_no_model_is_named(tmp_path: Path) -> None:
    report = await run(tmp_path, SimulatedReasoner())
    assert phrases("en").written_with.split("{")[0] not in report.markdown
    assert report.stand_ins == {}


def wrote(model: SimulatedReasoner) -> dict[str, WriteSection]:
    return {ask.section.heading: ask for ask in model.asks if isinstance(ask, WriteSection)}


async def test_summary_and_conclusion_are_written_from_the_answers_and_sections_from_their_findings(
    tmp_path: Path,
) -> None:
    model = Model(Shape(subtasks=3), stated=True)

    await run(tmp_path, model)

    asks = wrote(model)
    words = phrases("en")
    summary, conclusion, section = asks[words.summary], asks[words.conclusion], asks["Part 2"]
    assert len(summary.syntheses) == len(conclusion.syntheses) == 3
    cited = {id for synthesis in summary.syntheses for statement in synthesis.statements for id in statement.findings}
    assert {finding.id for finding in summary.findings} == cited
    assert {finding.id for finding in conclusion.findings} == cited | set(conclusion.section.findings)
    assert [each.subtask_id for each in section.syntheses] == [section.section.subtask_id]
    assert section.headings == ("Part 1", "Part 3")
    assert {finding.id for finding in section.findings} == set(section.section.findings)


async def test_the_lengths_of_the_sections_stay_within_that_of_the_report(tmp_path: Path) -> None:
    model = Model(Shape(subtasks=4, findings=8), stated=True)

    report = await run(tmp_path, model)

    lengths = {heading: ask.max_words for heading, ask in wrote(model).items()}
    assert sum(lengths.values()) <= report.limits.max_words
    assert all(length >= 20 for length in lengths.values())


async def test_without_statements_a_summary_that_the_outline_does_not_want_is_not_written(tmp_path: Path) -> None:
    model = SimulatedReasoner()
    await run(tmp_path, model)
    assert phrases("en").summary not in wrote(model)


def test_an_answer_includes_those_below_it_and_is_replaced_by_them_where_there_is_none() -> None:
    def synthesis(id: str, text: str = "It is so.") -> Synthesis:
        return Synthesis(subtask_id=id, text=text)

    told = [
        synthesis("task_1"),
        synthesis("task_1.1"),
        synthesis("task_2", ""),
        synthesis("task_2.1"),
        synthesis("task_10"),
    ]
    assert [each.subtask_id for each in answers(told)] == ["task_1", "task_2.1", "task_10"]
