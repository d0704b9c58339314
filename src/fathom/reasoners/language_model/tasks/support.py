"""Whether sentences are borne out by what they cite, as a model judges that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from fathom.asks import Beside, CheckSupport, Doubt, Judgement, SupportVerdict
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.material import FRAME_TOKENS, TAG_TOKENS
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.reasoners.language_model.tasks.words import Number, shown_tokens

WHY_LENGTH = 200
"""Characters of what a model says for its verdict, at most."""
_NOTHING = Beside()
SENTENCE_TOKENS = 80
"""Room of a prompt for each of its sentences: a window that is small for what is asked is small for the answer too."""


class Judged(Wire):
    """What a model says of a sentence."""

    sentence: Number
    """Id of the sentence."""
    why: str = ""
    """What its evidence says to it, in a few words."""
    status: Literal["supported", "partial", "unsupported", "contradicted"]
    """The verdict on it."""
    repaired: str = ""
    """If it is not supported, the sentence as its evidence has it; else empty."""


class CheckSupportAnswer(Wire, title="CheckSupport"):
    """What a model says of all sentences."""

    judgements: list[Judged]
    """One per sentence."""


@dataclass(frozen=True)
class _Batch:
    """Sentences that are judged in one prompt."""

    doubts: tuple[int, ...]
    """Their places in the ask."""
    spans: dict[str, int]
    """The short id of each span that they cite, by its own."""


class CheckSupportTask(Task[CheckSupport, SupportVerdict]):
    """Sentences with their evidence in, a verdict on each out; all in one prompt when they fit."""

    name = "check_support"
    answer_tokens = 2_400
    prompt_tokens = 5_000

    def rule(self, ask: CheckSupport) -> SupportVerdict | None:
        """Without a doubt nothing is judged."""
        return None if ask.doubts else SupportVerdict()

    def drafts(self, ask: CheckSupport, *, room: int) -> Sequence[Draft[SupportVerdict]]:
        """As few prompts as hold the sentences; one whose evidence is too long for any keeps the verdict it has."""
        batches, left_out = _batches(ask.doubts, ask.beside, room - FRAME_TOKENS)
        drafts = []
        for number, batch in enumerate(batches):
            doubts = {at + 1: ask.doubts[at] for at in batch.doubts}
            variables = {"sentences": list(_shown(doubts, batch.spans, ask.beside))}
            read = partial(_read, ask, doubts)
            drafts.append(Draft(variables, CheckSupportAnswer, read, left_out=0 if number else left_out))
        return drafts

    def combine(self, ask: CheckSupport, answers: Sequence[SupportVerdict]) -> SupportVerdict:
        """Of each sentence the verdict of the prompt that it stood in."""
        stands = _as_they_are(ask)
        merged = list(stands)
        for answer in answers:
            for at, judgement in enumerate(answer.judgements):
                if judgement != stands[at]:
                    merged[at] = judgement
        return SupportVerdict(judgements=tuple(merged))


def _shown(
    doubts: Mapping[int, Doubt], spans: Mapping[str, int], beside: Mapping[str, Beside]
) -> Iterator[dict[str, Any]]:
    """The sentences as they are shown, each behind the evidence that none before it has named."""
    shown: set[str] = set()
    for id, doubt in doubts.items():
        new = {span.id: span for span in doubt.evidence if span.id not in shown}
        shown |= new.keys()
        yield {
            "id": id,
            "text": doubt.sentence,
            "evidence": [spans[span.id] for span in doubt.evidence],
            "spans": [
                {
                    "id": spans[span.id],
                    "place": span.locator,
                    "text": " ".join(span.quote.split()),
                    "beside": beside.get(span.id, _NOTHING),
                }
                for span in new.values()
            ],
            "facts": doubt.facts,
            "doubt": doubt.reason,
            "is_assessment": doubt.is_assessment,
        }


def _batches(doubts: Sequence[Doubt], beside: Mapping[str, Beside], room: int) -> tuple[list[_Batch], int]:
    batches: list[_Batch] = []
    left = left_out = 0
    least = min(range(len(doubts)), key=lambda at: _tokens(doubts[at], beside, ()))
    fits = any(_tokens(doubt, beside, ()) <= room for doubt in doubts)
    for at, doubt in enumerate(doubts):
        if _tokens(doubt, beside, ()) > room and (fits or at != least):
            left_out += 1
            continue
        full = bool(batches) and len(batches[-1].doubts) >= max(1, room // SENTENCE_TOKENS)
        if not batches or full or _tokens(doubt, beside, batches[-1].spans) > left:
            batches.append(_Batch((), {}))
            left = room
        last = batches[-1]
        left -= _tokens(doubt, beside, last.spans)
        spans = dict.fromkeys((*last.spans, *(span.id for span in doubt.evidence)))
        batches[-1] = _Batch((*last.doubts, at), {span: number for number, span in enumerate(spans, start=1)})
    return batches, left_out


def _tokens(doubt: Doubt, beside: Mapping[str, Beside], shown: Mapping[str, int] | tuple[()]) -> int:
    """What showing a sentence takes, with the evidence that is not shown yet."""
    new = {
        span.id: " ".join((span.locator, span.quote, *beside.get(span.id, _NOTHING).model_dump().values()))
        for span in doubt.evidence
        if span.id not in shown
    }
    texts = (f"{doubt.sentence} {doubt.reason}", *doubt.facts, *new.values())
    return sum(shown_tokens(text) + TAG_TOKENS for text in texts) + 2 * len(doubt.evidence)


def _as_they_are(ask: CheckSupport) -> tuple[Judgement, ...]:
    return tuple(Judgement(status=doubt.status) for doubt in ask.doubts)


def _read(ask: CheckSupport, doubts: Mapping[int, Doubt], wire: CheckSupportAnswer) -> Read[SupportVerdict]:
    """The first word on each sentence counts; one without a word stays as it is."""
    judgements = list(_as_they_are(ask))
    judged: set[int] = set()
    for each in wire.judgements:
        if each.sentence not in doubts or each.sentence in judged:
            continue
        judged.add(each.sentence)
        doubt = doubts[each.sentence]
        repaired = plain(each.repaired, [span.quote for span in doubt.evidence])
        stands = each.status == "supported" or repaired == doubt.sentence
        judgements[each.sentence - 1] = Judgement(
            status=each.status, why=" ".join(each.why.split())[:WHY_LENGTH], repaired="" if stands else repaired
        )
    if not judged:
        raise ValueError("`judgements` must hold one judgement for each sentence, under its id")
    invented = len({each.sentence for each in wire.judgements} - doubts.keys())
    return Read(SupportVerdict(judgements=tuple(judgements)), invented)
