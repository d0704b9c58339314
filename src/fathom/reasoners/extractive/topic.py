"""The phrase that names what words are about, found by how the sources write it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.reasoners.extractive.rarity import Rarity
from fathom.text.analysis import query_terms
from fathom.text.characters import CJK

_MAX_WORDS = 4
_TIMES = 2
_EDGE_SHARE = 0.4
_WORD = re.compile(r"[^\s,;:?!()\"“”]+(?:\(\))?")
_CJK_PHRASE = re.compile(f"(?:[{CJK}]|[A-Za-z][\\w.+-]*+|(?<=[A-Za-z]) (?=[A-Za-z]))+")
_PARTICLES = re.compile(r"(?:[はがをにでともへや]|から|まで|より|など|について|する|した|して|される|された)+")
_EDGE = frozenset(
    "a an the of in on at to for from by with and or my our your their its is are do does did be as".split()
)


def topic_of(words: str, *, texts: Sequence[str], rarity: Rarity) -> str:
    """The run of words that names their subject best, or nothing.

    That is the run, at most four words long, that holds the rarest term of `words` and stands in the texts at
    least twice; the longest such run wins.

    >>> page = "Asynchronous commit is fast. With asynchronous commit a crash may lose data."
    >>> topic_of("how asynchronous commit loses data", texts=[page], rarity=Rarity({}, passages=1))
    'asynchronous commit'
    """
    runs = _cjk_runs(words) if re.search(f"[{CJK}]", words) else _runs(words)
    joined = " ".join(texts).casefold()
    best, best_value = "", (0.0, 0)
    for run in runs:
        found = [term for term in query_terms(run) if not rarity.is_absent(term)]
        if not _holds_together(run, rarity):
            continue
        times = joined.count(run.casefold())
        if not found or times < _TIMES:
            continue
        value = (max(rarity.of(term) for term in found) + 0.5 * sum(sorted(map(rarity.of, found))[:-1]), len(run))
        if value > best_value:
            best, best_value = run, value
    return best


def _holds_together(run: str, rarity: Rarity) -> bool:
    """Whether no word at an edge of the run is much more common than its rarest: `use submodules` is not a name."""
    words = run.split()
    if len(words) < 2:
        return True
    weights = [max(map(rarity.of, query_terms(word)), default=0.0) for word in words]
    return min(weights[0], weights[-1]) >= _EDGE_SHARE * max(weights)


def _runs(words: str) -> list[str]:
    found = []
    for piece in re.split(r"(?<![,;:?!()\"“”])[,;:?!()\"“”]+(?:\s|$)", words):
        tokens = _WORD.findall(piece)
        for size in range(1, _MAX_WORDS + 1):
            for at in range(len(tokens) - size + 1):
                run = tokens[at : at + size]
                edges = {run[0].lower(), run[-1].lower()}
                if not edges & _EDGE and query_terms(run[0]) and query_terms(run[-1]):
                    found.append(" ".join(run))
    return found


def _cjk_runs(words: str) -> list[str]:
    found = []
    for piece in _CJK_PHRASE.findall(words):
        found += [part.strip("の ") for part in _PARTICLES.split(piece) if part and len(part.strip("の ")) > 1]
    return found
