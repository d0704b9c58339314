"""A second look at every sentence that is no whole quotation: a model's, where there is one, who reads the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fathom.asks import Beside, CheckSupport, Judgement
from fathom.composing.numbering import JudgedSection
from fathom.engine.context import Context
from fathom.engine.sources import text_of
from fathom.evidence import Evidence
from fathom.report import VERIFIED
from fathom.text.display import display
from fathom.text.sentences import sentences
from fathom.verification.disagreement import Pair
from fathom.verification.judged import Judged, open_to_a_judge, repaired, set_against, settled

BESIDE = 300
"""Characters of a sentence beside a span, at most."""


async def look_again(
    context: Context, sections: tuple[JudgedSection, ...], pairs: Sequence[Pair]
) -> tuple[tuple[JudgedSection, ...], list[Pair]]:
    """The sections with what a model says of their sentences, those with a doubt first; and those of the `pairs` of
    statements that, by what it says, cannot both be true. It is asked of `max_checks` at most, of pairs last.

    What it writes anew is held against the evidence once more, and judged once more where that does not settle it;
    what fails again stays as it was written, and is marked. Without a model, and without its answer, all stays.
    """
    judged = [sentence for section in sections for sentence in section.all_sentences()]
    most = context.run.limits.max_checks if context.reasoner.metered else 0
    places = open_to_a_judge(judged, most=most)
    pairwise = dict(enumerate(map(set_against, pairs[: most - len(places)]), start=len(judged)))
    said = await _said(context, "report/check", {place: judged[place] for place in places} | pairwise)
    of_pairs = {place: said.pop(place).status for place in pairwise if place in said}
    disagreeing = [
        pair
        for place, pair in zip(pairwise, pairs, strict=False)
        if of_pairs.get(place, "contradicted") in ("contradicted", "unjudged")
    ]
    anew = {place: mended for place, judgement in said.items() if (mended := repaired(judged[place], judgement))}
    open_again = {place: mended for place, mended in anew.items() if mended.verdict.status not in VERIFIED}
    again = await _said(context, "report/check/repaired", open_again)
    for place, judgement in said.items():
        judged[place] = settled(judged[place], judgement, anew.get(place), again.get(place))
    after = iter(judged)
    return tuple(section.with_sentences(after) for section in sections), [*disagreeing, *pairs[len(pairwise) :]]


async def _said(context: Context, path: str, sentences: Mapping[int, Judged]) -> dict[int, Judgement]:
    """What a model says of sentences, by their places; nothing of those that it leaves out."""
    if not sentences:
        return {}
    beside = await _beside(context, (span for each in sentences.values() for span in each.evidence))
    ask = context.about(CheckSupport, doubts=tuple(each.doubt for each in sentences.values()), beside=beside)
    verdict = await context.try_ask(path, ask, phase="report")
    return dict(zip(sentences, verdict.judgements, strict=False)) if verdict else {}


async def _beside(context: Context, spans: Iterable[Evidence]) -> dict[str, Beside]:
    """What stands beside spans, by their ids: of counts, and where no text is kept, nothing."""
    documents, texts = context.state.material.documents, dict[str, str]()
    found: dict[str, Beside] = {}
    for span in spans:
        document = documents.get(span.document)
        if span.id in found or document is None or document.kind == "dataset":
            continue
        if span.document not in texts:
            texts[span.document] = await text_of(context, span.document)
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
