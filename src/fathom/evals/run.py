"""Runs a set of questions through the real thing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from fathom import wiring
from fathom.errors import FathomError, UsageError
from fathom.evals.questions import EvalQuestion, load_questions
from fathom.evals.result import EvalResult
from fathom.evals.score import Score, score
from fathom.report import Report
from fathom.settings import Settings


async def evaluate(
    file: Path,
    *,
    corpora: Path,
    settings: Settings,
    limit: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> EvalResult:
    """Ask every question of its own corpus, one after the other, and score the reports.

    Each corpus is ingested once, into a knowledge base of its own below `corpora/.fathom`: neither the user's
    documents nor the other corpora weigh in, and a second evaluation finds the corpora ingested.

    Args:
        limit: Stop after this many questions.
        progress: Told in a line what is being done.

    Raises:
        UsageError: the set is wrong, or a corpus is not there.
    """
    questions = load_questions(file)[:limit]
    names = checked_corpora(questions, corpora)
    home = corpora / ".fathom"
    for name in names:
        progress(f"ingesting {name}")
        await wiring.ingest([corpora / name], settings=settings.model_copy(update={"home": home, "kb": name}))
    scores = []
    for number, question in enumerate(questions, 1):
        progress(f"{number}/{len(questions)} {question.id}")
        own = settings.model_copy(update={"home": home, "kb": question.corpus})
        scores.append(await ask(question, corpora / question.corpus, settings=own))
    return EvalResult(file=str(file), scores=tuple(scores))


def checked_corpora(questions: Sequence[EvalQuestion], corpora: Path) -> list[str]:
    """Names of the corpora that the questions are asked of.

    Raises:
        UsageError: one is not there.
    """
    names = list(dict.fromkeys(question.corpus for question in questions))
    if missing := [name for name in names if not (corpora / name).is_dir()]:
        raise UsageError(
            f"There is no corpus {missing[0]} in {corpora}. Fetch it: `python evals/fetch_corpora.py {corpora}`."
        )
    return names


async def ask(question: EvalQuestion, corpus: Path, *, settings: Settings) -> Score:
    """Research a question with the documents of a folder, and score the report; an error is a score too."""
    started = time.perf_counter()
    try:
        report = await wiring.research(question.query, documents=[corpus], settings=settings)
    except FathomError as error:  # the other questions still count
        return Score(
            question=question.id,
            corpus=question.corpus,
            language=question.language,
            answerable=not question.unanswerable,
            facts_missed=tuple(fact.name for fact in question.facts),
            pages_missed=question.pages,
            seconds=time.perf_counter() - started,
            error=str(error),
        )
    seconds = time.perf_counter() - started
    return score(report, question, snapshots=await _snapshots(report, settings=settings), seconds=seconds)


async def _snapshots(report: Report, *, settings: Settings) -> dict[str, str]:
    async with wiring.opened_store(settings) as store:
        return {source.sha256: await store.snapshot(source.sha256) for source in report.sources}
