"""What can be done with a question or a run, each opening and closing what it takes (see `Fathom`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from fathom.settings import Settings
from fathom.wiring.again import Update
from fathom.wiring.fathom import Fathom, OnEvent, OnIngest, Prospect
from fathom.wiring.question import Again, Changes, Question, QuestionOptions
from fathom.wiring.running import RunStream

if TYPE_CHECKING:
    from fathom.comparison.records import Comparison
    from fathom.report import Estimate, Report
    from fathom.steering import Answer, Approval, Command
    from fathom.verification.texts import CheckedText


def stream(
    query: str, *, settings: Settings | None = None, on_ingest: OnIngest | None = None, **asked: Unpack[QuestionOptions]
) -> RunStream:
    """Research a question, and see what happens on the way (see `RunStream`)."""
    return Fathom(settings).stream(Question(query, **asked), on_ingest=on_ingest)


async def research(
    query: str, *, settings: Settings | None = None, on_event: OnEvent | None = None, **asked: Unpack[QuestionOptions]
) -> Report:
    """Research a question (see `Fathom.research`).

    report = await fathom.research("How does … work?", documents=["./notes"])
    print(report.markdown)
    """
    return await Fathom(settings).research(Question(query, **asked), on_event=on_event)


async def plan_for(query: str, *, settings: Settings | None = None, **asked: Unpack[QuestionOptions]) -> Prospect:
    """The plan for a question and what it will take, without doing it (see `Fathom.plan`)."""
    return await Fathom(settings).plan(Question(query, **asked))


def take_up(run_id: str, *, settings: Settings | None = None, **changes: Unpack[Changes]) -> RunStream:
    """Go on with a run that was stopped, killed or limited (see `Fathom.take_up`)."""
    return Fathom(settings).take_up(run_id, **changes)


async def resume(
    run_id: str, *, settings: Settings | None = None, on_event: OnEvent | None = None, **changes: Unpack[Changes]
) -> Report:
    """Go on with a run that was stopped, killed or limited, to its report (see `Fathom.resume`)."""
    return await Fathom(settings).resume(run_id, on_event=on_event, **changes)


async def approvals(run_id: str, *, settings: Settings | None = None) -> tuple[Approval, ...]:
    """What a run waits for its person to approve (see `Fathom.approvals`)."""
    return await Fathom(settings).approvals(run_id)


async def answer(
    run_id: str, said: Answer, *, approval_id: str | None = None, settings: Settings | None = None
) -> Approval:
    """Answer what a run waits for (see `Fathom.answer`)."""
    return await Fathom(settings).answer(run_id, said, approval_id=approval_id)


async def expected(
    run_id: str, said: Answer, *, approval_id: str | None = None, settings: Settings | None = None
) -> Estimate:
    """What a run would take by its plan if that was edited so (see `Fathom.expected`)."""
    return await Fathom(settings).expected(run_id, said, approval_id=approval_id)


async def steer(
    run_id: str, command: Command, subtask_id: str | None = None, *, settings: Settings | None = None
) -> None:
    """Tell a run that is under way what to do otherwise (see `Fathom.steer`)."""
    await Fathom(settings).steer(run_id, command, subtask_id)


async def replay(run_id: str, *, settings: Settings | None = None) -> Report:
    """The report of a run, made again from its journal (see `Fathom.replay`)."""
    return await Fathom(settings).replay(run_id)


def branch_off(
    run_id: str,
    *,
    update: bool = False,
    settings: Settings | None = None,
    on_ingest: OnIngest | None = None,
    **again: Unpack[Again],
) -> RunStream:
    """Research a run again, as a new run (see `Fathom.branch_off`)."""
    return Fathom(settings).branch_off(run_id, update=update, on_ingest=on_ingest, **again)


async def fork(
    run_id: str, *, settings: Settings | None = None, on_event: OnEvent | None = None, **again: Unpack[Again]
) -> Report:
    """Research a run again, to its report (see `Fathom.fork`).

    report = await fathom.fork("run_…", question="And how does … work?")
    """
    return await Fathom(settings).fork(run_id, on_event=on_event, **again)


async def update(
    run_id: str, *, settings: Settings | None = None, on_event: OnEvent | None = None, **changes: Unpack[Changes]
) -> Update:
    """Ask the question of a run anew, and see what has changed since (see `Fathom.update`).

    report, comparison = await fathom.update("run_…")
    """
    return await Fathom(settings).update(run_id, on_event=on_event, **changes)


async def compare(old: str, new: str | None = None, *, settings: Settings | None = None) -> Comparison:
    """The reports of two runs side by side (see `Fathom.compare`)."""
    return await Fathom(settings).compare(old, new)


def ask_on(
    run_id: str,
    question: str = "",
    *,
    about: str = "",
    settings: Settings | None = None,
    on_ingest: OnIngest | None = None,
    **changes: Unpack[Changes],
) -> RunStream:
    """Ask a question that follows a run, and see what happens on the way (see `Fathom.ask_on`)."""
    return Fathom(settings).ask_on(run_id, question, about=about, on_ingest=on_ingest, **changes)


async def ask(
    run_id: str,
    question: str = "",
    *,
    about: str = "",
    settings: Settings | None = None,
    on_event: OnEvent | None = None,
    **changes: Unpack[Changes],
) -> Report:
    """Ask a question that follows a run, to its report (see `Fathom.ask`).

    report = await fathom.ask("run_…", "And which of them is cheaper?")
    """
    return await Fathom(settings).ask(run_id, question, about=about, on_event=on_event, **changes)


async def check(
    text: str | Path,
    *,
    documents: Sequence[Path | str] | None = None,
    limits: Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    on_ingest: OnIngest | None = None,
) -> CheckedText:
    """Hold each sentence of a text against documents (see `Fathom.check`)."""
    return await Fathom(settings).check(text, documents=documents, limits=limits, on_ingest=on_ingest)
