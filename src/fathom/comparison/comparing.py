"""Compares two reports."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from fathom.comparison.matching import matched
from fathom.comparison.records import ComparedRun, Comparison, SentencePair, SentenceState, SourcePair
from fathom.comparison.telling import Told, source_key, told_by
from fathom.comparison.words import pieces
from fathom.report import Report, SourceEntry
from fathom.text.places import names


def compared(old: Report, new: Report) -> Comparison:
    """What of `old` is in `new`, what has changed, and what is new or gone: sentence by sentence, and by source."""
    sentences = tuple(_sentence_pairs(told_by(old), told_by(new)))
    counts = Counter(pair.state for pair in sentences)
    told = names(source.uri for each in (old, new) for source in each.sources)
    before, now = (
        {source_key(source): source.model_copy(update={"uri": told[source.uri]}) for source in each.sources}
        for each in (old, new)
    )
    return Comparison(
        old=ComparedRun.like(old),
        new=ComparedRun.like(new),
        unchanged=counts.keys() <= {"same", "moved"},
        counts=counts,
        sentences=sentences,
        sources=tuple(_source_pair(before.get(key), now.get(key)) for key in now | before),
    )


def _sentence_pairs(old: list[Told], new: list[Told]) -> Iterator[SentencePair]:
    """In the order of `new`; what is gone behind what it stood behind."""
    partners = matched(old, new)
    before = {b: old[a] for a, b in partners.items()}
    behind, last = defaultdict[int, list[Told]](list), -1
    for at, told in enumerate(old):
        last = partners.get(at, last)
        if at not in partners:
            behind[last].append(told)
    for at in range(-1, len(new)):
        if at >= 0:
            yield _pair(before.get(at), new[at])
        yield from (_pair(gone, None) for gone in behind[at])


def _pair(old: Told | None, new: Told | None) -> SentencePair:
    texts = [each.sentence.text for each in (old, new) if each]
    before, now = old and old.sentence, new and new.sentence
    return SentencePair(state=_state(old, new), old=before, new=now, pieces=pieces(texts[0], texts[-1]))


def _state(old: Told | None, new: Told | None) -> SentenceState:
    if old is None or new is None:
        return "gone" if old else "new"
    if old.text != new.text:
        return "changed"
    if old.sources != new.sources or old.sentence.status != new.sentence.status:
        return "recited"
    return "same" if old.sentence.place == new.sentence.place else "moved"


def _source_pair(old: SourceEntry | None, new: SourceEntry | None) -> SourcePair:
    if old and new:
        return SourcePair(state="same" if old.sha256 == new.sha256 else "changed", old=old, new=new)
    return SourcePair(state="gone" if old else "new", old=old, new=new)
