"""Which sentence of a report is which of another one: the same words first, then the nearest words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from fathom.comparison.telling import Told
from fathom.comparison.words import weights

NEAR = 0.5
"""Share of their words that a sentence and its changed self have in common at least, when both answer the same part of
the question or cite the same source."""
NEAR_ELSEWHERE = 0.75
"""The same when they have neither in common."""


def matched(old: Sequence[Told], new: Sequence[Told]) -> dict[int, int]:
    """For sentences of the old report, by their places in it, the places of the same ones in the new report: each has
    one partner at most. The other way round the pairs are the same."""
    before, now = dict(enumerate(old)), dict(enumerate(new))
    pairs: dict[int, int] = {}

    def pair(a: int, b: int) -> None:
        if a in before and b in now:
            pairs[a] = b
            del before[a], now[b]

    for at_its_place in (True, False):  # one that is told twice is first looked for where it stood
        waiting = defaultdict[tuple[str, str], list[int]](list)
        for b in reversed(now):
            waiting[now[b].text, now[b].sentence.place * at_its_place].append(b)
        for a in list(before):
            if left := waiting[before[a].text, before[a].sentence.place * at_its_place]:
                pair(a, left.pop())
    for _, a, b in sorted(_near(before, now), key=lambda each: (-each[0], abs(each[1] - each[2]), each[1] + each[2])):
        pair(a, b)
    return pairs


def _near(old: Mapping[int, Told], new: Mapping[int, Told]) -> Iterator[tuple[float, int, int]]:
    """The pairs that are near enough, with the share of their words that they have in common (Dice, 1945)."""
    words = {at: weights(told.text) for at, told in new.items()}
    totals = {at: counted.total() for at, counted in words.items()}
    holding = defaultdict[str, list[int]](list)
    for at, counted in words.items():
        for word in counted:
            holding[word].append(at)
    for a, told in old.items():
        own = weights(told.text)
        total = own.total()
        for b in {b for word in _telling(own, holding) for b in holding[word]}:
            other, held = new[b], words[b]
            is_beside = told.sources & other.sources or (told.part and told.part == other.part)
            common = sum(min(count, held[word]) for word, count in own.items() if word in held)
            share = 2 * common / (total + totals[b])
            if share >= (NEAR if is_beside else NEAR_ELSEWHERE):
                yield share + (told.sentence.place == other.sentence.place) / 1_000, a, b


def _telling(words: Counter[str], holding: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """The rarest words of a text, of which another one holds at least one if it is near: what they leave out weighs too
    little to make up for them (prefix filtering, Chaudhuri et al., 2006)."""
    left = words.total()
    least = NEAR / (2 - NEAR) * left
    for word in sorted(words, key=lambda word: len(holding.get(word, ()))):
        if left < least:
            return
        if word in holding:
            yield word
        left -= words[word]
