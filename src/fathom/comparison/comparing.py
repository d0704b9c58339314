"""Compares two reports."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from fathom.comparison.matching import matched
from fathom.comparison.records import ComparedRun, Comparison, SentencePair, SentenceState, SourcePair, SourceState
from fathom.comparison.telling import Told, source_key, told_by
from fathom.comparison.words import pieces
from fathom.report import Report


def compared(old: Report, new: Report) -> Comparison:
    """What of `old` is in `new`, what has changed, and what is new or gone: sentence by sentence, and by source."""
    sentences = tuple(_sentence_pairs(told_by(old), told_by(new)))
    counts = Counter(pair.state for pair in sentences)
    return Comparison(
        old=ComparedRun.like(old),
        new=ComparedRun.like(new),
        unchanged=counts.keys() <= {"same", "moved"},
        counts=counts,
        sentences=sentences,
        sources=tuple(_source_pairs(old, new)),
    )


def _sentence_pairs(old: list[Told], new: list[Told]) -> Iterator[SentencePair]:
    """In the order of `new`; what is gone behind what it stood behind."""
    partners = matched(old, new)
    behind, last = defaultdict[int, list[Told]](list), -1
    for at, told in enumerate(old):
        if at in partners:
            last = partners[at]
        else:
            behind[last].append(told)
    before = {b: old[a] for a, b in partners.items()}
    for at in range(-1, len(new)):
        if at >= 0:
            yield _pair(before.get(at), new[at])
        yield from (SentencePair(state="gone", old=gone.sentence, new=None) for gone in behind[at])


def _pair(old: Told | None, new: Told) -> SentencePair:
    if old is None:
        return SentencePair(state="new", old=None, new=new.sentence)
    state = _state(old, new)
    told = pieces(old.sentence.text, new.sentence.text) if state == "changed" else ()
    return SentencePair(state=state, old=old.sentence, new=new.sentence, pieces=told)


def _state(old: Told, new: Told) -> SentenceState:
    if old.text != new.text:
        return "changed"
    if old.sources != new.sources or old.sentence.status != new.sentence.status:
        return "recited"
    return "same" if old.place == new.place else "moved"


def _source_pairs(old: Report, new: Report) -> Iterator[SourcePair]:
    """The sources of `new` in its order, then those that only `old` rests on."""
    before = {source_key(source): source for source in old.sources}
    for source in new.sources:
        known = before.pop(source_key(source), None)
        state: SourceState = "new"
        if known:
            state = "same" if known.sha256 == source.sha256 else "changed"
        yield SourcePair(state=state, old=known, new=source)
    yield from (SourcePair(state="gone", old=source, new=None) for source in before.values())
