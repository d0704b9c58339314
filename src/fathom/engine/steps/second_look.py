"""A second look at every sentence that is no whole quotation: a model's, where there is one, who reads the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fathom.asks import Beside, CheckSupport, Doubt, Judgement
from fathom.engine.context import Context
from fathom.engine.steps.check import Judged, JudgedSection
from fathom.errors import NotFound
from fathom.evidence import Evidence
from fathom.report import VERIFIED
from fathom.text.display import display
from fathom.text.sentences import sentences
from fathom.verification.disagreement import Pair
from fathom.verification.verdicts import Verdict

BESIDE = 300
"""Characters of a sentence beside a span, at most."""


async def look_again(
    context: Context, sections: tuple[JudgedSection, ...], pairs: Sequence[Pair]
) -> tuple[tuple[JudgedSection, ...], list[Pair]]:
    """The sections with what a model says of their sentences, at most `max_checks`, those with a doubt first; and those
    of the `pairs` of statements that, by what it says, cannot both be true.

    What it writes anew is held against the evidence once more, and judged once more where that does not settle it;
    what fails again stays as it was written, and is marked. Without a model, and without its answer, all stays.
    """
    judged = [sentence for section in sections for sentence in section.all_sentences()]
    most = context.run.limits.max_checks if context.reasoner.metered else 0
    places = open_to_a_judge(judged, most=most)
    set_against = dict(enumerate((_set_against(pair) for pair in pairs[:most]), start=len(judged)))
    said = await _said(context, "report/check", {place: judged[place] for place in places} | set_against)
    of_pairs = {place: said.pop(place).status for place in set_against if place in said}
    disagreeing = [
        pair
        for place, pair in zip(set_against, pairs, strict=False)
        if of_pairs.get(place, "contradicted") in ("contradicted", "unjudged")
    ]
    anew = {place: mended for place, judgement in said.items() if (mended := repaired(judged[place], judgement))}
    open_again = {place: mended for place, mended in anew.items() if mended.verdict.status not in VERIFIED}
    again = await _said(context, "report/check/repaired", open_again)
    for place, judgement in said.items():
        judged[place] = settled(judged[place], judgement, anew.get(place), again.get(place))
    after = iter(judged)
    return tuple(section.with_sentences(after) for section in sections), [*disagreeing, *pairs[len(set_against) :]]


def _set_against(pair: Pair) -> Judged:
    """What one side says, as a sentence that the other is the evidence of: they disagree where it contradicts it."""
    said, other = pair
    why = "the source seems to say otherwise: is it of the same thing, time and condition?"
    verdict = Verdict("unjudged", 0.0, why)
    return Judged(said.text, "paragraph", (other.finding,), (other.text,), verdict)


async def _said(context: Context, path: str, sentences: Mapping[int, Judged]) -> dict[int, Judgement]:
    """What a model says of sentences, by their places; nothing of those that it leaves out."""
    if not sentences:
        return {}
    doubts = tuple(
        Doubt(
            sentence=each.text,
            evidence=each.evidence,
            status=each.verdict.status,
            reason="" if each.verdict.status in VERIFIED else each.verdict.why,
            facts=each.facts,
            is_assessment=each.is_assessment,
        )
        for each in sentences.values()
    )
    beside = await _beside(context, (span for each in sentences.values() for span in each.evidence))
    ask = CheckSupport(query=context.run.query, language=context.run.language, doubts=doubts, beside=beside)
    verdict = await context.try_ask(path, ask, phase="report")
    return dict(zip(sentences, verdict.judgements, strict=False)) if verdict else {}


async def _beside(context: Context, spans: Iterable[Evidence]) -> dict[str, Beside]:
    """What stands beside spans, by their ids: of counts, and where no text is kept, nothing."""
    documents, texts = context.board.documents, dict[str, str]()
    found: dict[str, Beside] = {}
    for span in spans:
        document = documents.get(span.document)
        if span.id in found or document is None or document.kind == "dataset":
            continue
        if span.document not in texts:
            try:
                texts[span.document] = await context.store.snapshot(span.document)
            except NotFound:
                texts[span.document] = ""
        before, after = around(texts[span.document], span.start, span.end)
        shown = [display(each, document.markup) for each in (before, after)]
        found[span.id] = Beside(before=shown[0], after=shown[1], date=document.published or "")
    return found


def around(text: str, start: int, end: int) -> tuple[str, str]:
    r"""The sentences before and behind a stretch of a text, in its paragraph; empty where there is none, or a long one.

    >>> text = "Notes\n\nThe engine is old. It was never built. It is in London."
    >>> around(text, text.index("It was"), text.index(" It is"))
    ('The engine is old.', 'It is in London.')
    """
    head = text[max(0, start - BESIDE) : start].rpartition("\n\n")[2]
    tail = text[end : end + BESIDE].partition("\n\n")[0]
    ahead, behind = sentences(head), sentences(tail)
    # the outermost of several may be cut, and so may be the only one
    before = head[slice(*ahead[-1])] if ahead and (len(head) < BESIDE or len(ahead) > 1) else ""
    after = tail[slice(*behind[0])] if behind and (len(tail) < BESIDE or len(behind) > 1) else ""
    return before, after


def open_to_a_judge(judged: Sequence[Judged], *, most: int) -> list[int]:
    """The places of the sentences that cite something and are not proved right, in the order of the report.

    When there are more than `most`, those that nothing speaks against are left out first.
    """
    is_open = [
        at
        for at, each in enumerate(judged)
        if each.cited and not (each.verdict.is_proved and each.verdict.status in VERIFIED)
    ]
    doubtful_first = sorted(is_open, key=lambda at: judged[at].verdict.status in VERIFIED)
    return sorted(doubtful_first[:most])


def repaired(sentence: Judged, judgement: Judgement) -> Judged | None:
    """The sentence as a judge has written it anew, held against its evidence; `None` without such a one, and when its
    figures are proved wrong."""
    text = " ".join(judgement.repaired.split())
    if judgement.status in VERIFIED or not any(char.isalnum() for char in text):
        return None
    verdict = sentence.compared(text)
    refuted = verdict.is_proved and verdict.status not in VERIFIED
    return None if refuted else replace(sentence, text=text, verdict=verdict, repaired=True)


def settled(sentence: Judged, judgement: Judgement, anew: Judged | None, again: Judgement | None) -> Judged:
    """The sentence as it stands after a model has judged it: it may overrule every doubt but arithmetic on figures.

    Written anew (`anew`), it takes the place of the first where the words of the evidence, or the judge when asked
    `again`, bear it out.
    """
    if judgement == Judgement(status=sentence.verdict.status):
        return sentence  # the judge has said nothing of it
    if anew and anew.verdict.status in VERIFIED:
        return anew
    if anew and again and again.status in VERIFIED:
        return _as_judged(anew, again)
    return sentence if sentence.verdict.is_proved else _as_judged(sentence, judgement)


def _as_judged(sentence: Judged, judgement: Judgement) -> Judged:
    why = judgement.why or "a model judged so"
    return replace(sentence, verdict=replace(sentence.verdict, status=judgement.status, why=why, by="model"))
