"""Which sentence of a report is which of another one: the same words first, then the nearest words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

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
    pairs: dict[int, int] = {}
    for key in (_where_and_what, _what):  # one that is told twice is first looked for where it stood
        _pair_equal(old, new, pairs, key)
    taken = set(pairs.values())
    left_old = {at: told for at, told in enumerate(old) if at not in pairs}
    left_new = {at: told for at, told in enumerate(new) if at not in taken}
    for _, a, b in sorted(_near(left_old, left_new), key=_nearest_first):
        if a not in pairs and b not in taken:
            pairs[a] = b
            taken.add(b)
    return pairs


def _where_and_what(told: Told) -> Hashable:
    return told.place, told.text


def _what(told: Told) -> Hashable:
    return told.text


def _pair_equal(
    old: Sequence[Told], new: Sequence[Told], pairs: dict[int, int], key: Callable[[Told], Hashable]
) -> None:
    """Add to `pairs` those that are equal by `key`, in their order."""
    taken, waiting = set(pairs.values()), defaultdict[Hashable, list[int]](list)
    for at in reversed(range(len(new))):
        if at not in taken:
            waiting[key(new[at])].append(at)
    for at, told in enumerate(old):
        if at not in pairs and waiting[key(told)]:
            pairs[at] = waiting[key(told)].pop()


def _near(old: dict[int, Told], new: dict[int, Told]) -> Iterator[tuple[float, int, int]]:
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
        for b in sorted({b for word in _telling(own, holding) for b in holding[word]}):
            other = new[b]
            is_beside = bool(told.sources & other.sources) or (bool(told.part) and told.part == other.part)
            least = (NEAR if is_beside else NEAR_ELSEWHERE) * (total + totals[b]) / 2
            if min(total, totals[b]) < least:
                continue
            held = words[b]
            common = sum(min(count, held[word]) for word, count in own.items() if word in held)
            if common >= least:
                yield 2 * common / (total + totals[b]) + (told.place == other.place) / 1_000, a, b


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


def _nearest_first(pair: tuple[float, int, int]) -> tuple[float, int, int]:
    share, a, b = pair
    return -share, abs(a - b), a + b
