"""A second look at the sentences that the comparison with their evidence left open: a model's, where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fathom.asks import CheckSupport, Doubt, Judgement
from fathom.engine.context import Context
from fathom.engine.steps.check import Judged, JudgedSection
from fathom.report import SupportStatus


async def look_again(context: Context, sections: tuple[JudgedSection, ...]) -> tuple[JudgedSection, ...]:
    """The sections with what a model says of their doubtful sentences: at most `max_checks`, in a single ask.

    Without a model, and when it gives no answer, all stays as it is.
    """
    judged = [sentence for section in sections for sentence in section.all_sentences()]
    places = doubtful(judged, most=context.run.limits.max_checks) if context.reasoner.metered else []
    if not places:
        return sections
    doubts = tuple(
        Doubt(
            sentence=sentence.text,
            evidence=sentence.evidence,
            status=sentence.verdict.status,
            reason=sentence.verdict.reason,
        )
        for sentence in (judged[place] for place in places)
    )
    ask = CheckSupport(query=context.run.query, language=context.run.language, doubts=doubts)
    verdict = await context.try_ask("report/check", ask, phase="report")
    if verdict is not None:
        for place, judgement in zip(places, verdict.judgements, strict=False):
            judged[place] = second(judged[place], judgement)
    again = iter(judged)
    return tuple(section.with_sentences(again) for section in sections)


def doubtful(judged: Sequence[Judged], *, most: int) -> list[int]:
    """The places of the sentences that cite something and are not supported by it, in the order of the report.

    When there are more than `most`, those that are supported in part are left out first.
    """
    open_to = [at for at, sentence in enumerate(judged) if sentence.cited and sentence.verdict.status != "supported"]
    worst_first = sorted(open_to, key=lambda at: judged[at].verdict.status == "partial")
    return sorted(worst_first[:most])


def second(sentence: Judged, judgement: Judgement) -> Judged:
    """The sentence as it stands after a model has judged it.

    A model may find the same in other words, but no number and no name that is not there: where one is missing it can
    only write the sentence anew, and what it writes has to stand the same comparison. What cites counts is supported
    when the comparison says so, and never by a model's word.
    """
    judged, open_to = judgement.status, sentence.verdict.open
    if sentence.tables and judged == "supported":
        judged = sentence.verdict.status
    if open_to and judged == "supported":
        return _as_judged(sentence, judged)
    if repaired := " ".join(judgement.repaired.split()):
        verdict = sentence.compared(repaired)
        anew = replace(sentence, text=repaired, verdict=verdict, repaired=True)
        if verdict.status == "supported" and any(char.isalnum() for char in repaired):
            return anew
        if verdict.status == "partial" and verdict.open and judged == "supported":
            return _as_judged(anew, judged)
    if open_to and judged not in ("uncited", sentence.verdict.status):
        return _as_judged(sentence, judged)
    return sentence


def _as_judged(sentence: Judged, status: SupportStatus) -> Judged:
    verdict = replace(sentence.verdict, status=status, reason="a model has judged so")
    return replace(sentence, verdict=verdict, judged_by="model")
