"""Which sentence of a report is which of another one: the same words first, then the nearest words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence

from fathom.comparison.telling import Told
from fathom.comparison.words import units

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
    words = {at: units(told.text) for at, told in new.items()}
    holding = defaultdict[str, list[int]](list)
    for at, counted in words.items():
        for word in counted:
            holding[word].append(at)
    for a, told in old.items():
        own, shared = units(told.text), Counter[int]()
        for word, count in own.items():
            for b in holding.get(word, ()):
                shared[b] += min(count, words[b][word])
        for b, common in shared.items():
            share = 2 * common / (own.total() + words[b].total())
            other = new[b]
            is_beside = bool(told.sources & other.sources) or (bool(told.part) and told.part == other.part)
            if share >= (NEAR if is_beside else NEAR_ELSEWHERE):
                yield share + (told.place == other.place) / 1_000, a, b


def _nearest_first(pair: tuple[float, int, int]) -> tuple[float, int, int]:
    share, a, b = pair
    return -share, abs(a - b), a + b
