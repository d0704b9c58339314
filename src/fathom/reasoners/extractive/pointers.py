"""Where what was found leads: to what has a document of its own, to what several documents bring up, to who would know.

An overview says "put snubbers on", and how they go on stands in a note that shares no word with the question. Such a
note is known by its title, which the overview says; a topic by being brought up again and again; and somebody by being
named where the figure or the hour that is asked for is not.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote

from fathom.asks import AssessDepth
from fathom.evidence import Passage
from fathom.findings import Finding
from fathom.reasoners.extractive.names import kanji_names, names_of
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.wanted import Wanted, differ, holds, values_of, wanted_of
from fathom.text.analysis import query_terms, terms
from fathom.text.characters import CJK, HAN, KATAKANA, count_cjk
from fathom.text.common import telling

TELLS, TELLS_IN_PAIRS = 1.3, 2.4
"""What the words of a lead must say that the question does not, and what its pairs of characters must."""
BEARS = 0.3
"""Share of the relevance of the best finding from which another one may bring a topic up."""
CLOSE = 0.8
"""The same, from which what another document says is read for what it names."""
BEARING = 12
"""Findings, the best ones, that may."""
SEVERAL = 3
"""Documents that bring a topic up which has no document of its own: then the web is asked."""
FEW = 4
"""Documents that may hold a lead: what stands everywhere, as the name of the house, leads nowhere."""
RARE = 8
"""Passages that may hold the rarest of its words."""
OWN = 2
"""The same, of what a document is called: that document and the one that names it; one more, where it is called nothing
else."""
WHOLE = 0.8
"""Share of a title that is the whole of it."""
MOSTLY = 0.6
"""Share of the most words of a question that a piece holds, from which another one counts as much."""
TOUCHES, COVERS = 0.3, 0.5
"""Share of what the words of a question say from which a piece is about it, and from which it tells what is asked."""
SHORT = 600
"""Characters of a passage in which everything stands in one place."""
MEASURES: tuple[Wanted, ...] = ("amount", "time")
"""What documents may differ in, whatever is asked."""
MOST = 3
LONGEST = 5
"""Words of a lead; characters are counted as half a word."""
_UNIT = re.compile(rf"[{HAN}{KATAKANA}々ー]|[^\W_{CJK}]+(?:[-'’.][^\W_{CJK}]+)*")
_DEFINED = re.compile(r"\W{0,3}(?P<name>[A-Z][\w-]+(?: [\w-]+){0,2}) (?:=|\|) ")
"""What a line says the meaning of, and the first cell of a row."""
_TITLE_ENDS = re.compile(r"\s[-–—|(]|[:(（：｜|]")


@dataclass(frozen=True)
class _Words:
    """A text as words, or as single Chinese and Japanese characters, each with its place."""

    text: str
    keys: tuple[str, ...]
    places: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, text: str) -> _Words:
        found = list(_UNIT.finditer(text))
        keys = tuple(match[0] if count_cjk(match[0]) else (terms(match[0]) or [match[0]])[0] for match in found)
        return cls(text, keys, tuple(match.span() for match in found))

    def runs(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Every stretch of neighbouring words, as keys and as it is written."""
        for start in range(len(self.keys)):
            for end in range(start + 2, min(len(self.keys), start + 2 * LONGEST) + 1):
                gap = self.text[self.places[end - 2][1] : self.places[end - 1][0]]
                if len(gap) > 1 or (gap and gap not in " の-・"):
                    break
                yield self.keys[start:end], self.text[self.places[start][0] : self.places[end - 1][1]]


class Pointers:
    """The leads of the findings of a subtask."""

    def __init__(self, ask: AssessDepth) -> None:
        self._language = ask.language
        self._asked = frozenset(query_terms(f"{ask.query} {ask.subtask.description}"))
        self._wanted = wanted_of(ask.subtask.description if ask.subtask.queries else ask.query)
        if any(source.kind == "dataset" for source in ask.sources):
            self._wanted = [kind for kind in self._wanted if kind != "amount"]  # which the data are asked for
        self._may_browse = any(source.kind == "web" for source in ask.sources)
        best = sorted(ask.findings, key=lambda finding: -finding.relevance)
        first, most = _page(best[0]), best[0].relevance
        self._read = [each for each in best if _page(each) == first or each.relevance >= CLOSE * most]
        self._several = [each for each in best if each.relevance >= BEARS * most][:BEARING]
        pages = {_page(each) for each in best}
        self._whole = [passage for passage in ask.beside.passages if passage.document in pages]
        self._beside = [passage for passage in ask.beside.passages if passage.document not in pages]
        self._titles = {document.sha256: document.title for document in ask.beside.documents}
        self._names = {document.sha256: _name(document.uri) for document in ask.beside.documents}
        self._rarity = Rarity.over(ask.sources)
        self._called = [(passage, *self._titles_of(passage)) for passage in self._beside]
        self._held: dict[str, set[str]] = defaultdict(set)
        for finding in best:
            self._held[_page(finding)].update(terms(finding.claim))
        for passage in ask.beside.passages:
            self._held[passage.document].update(terms(f"{self._titles[passage.document]}\n{passage.text}"))

    def details(self) -> list[str]:
        """What the findings name and other documents are called: the title, as far as it is said."""
        heads = (_head(title) for _, titles, _ in self._called for title in titles)
        lines = {" ".join(line.casefold().split()): _Words.of(line) for line in heads if line}
        found: dict[str, float] = {}
        for finding in self._read:
            for piece in finding.pieces:
                if piece.form in ("row", "head"):
                    continue
                runs = {keys for keys, _ in _Words.of(piece.text).runs()}
                for own in lines.values():
                    said = max((pair for pair in own.runs() if pair[0] in runs), key=_length, default=None)
                    if not said or _length(said) < len(own.keys) / 2 or not self._leads(said[1]):
                        continue
                    if self._is_title(said[1]) and self._pages_with(said[1]) <= OWN + (
                        _length(said) >= WHOLE * len(own.keys)
                    ):
                        found[said[1]] = max(found.get(said[1], 0.0), self._says(said[1]))
        return self._distinct(found)

    def topics(self) -> list[str]:
        """What several documents bring up beside what is asked, and that does not, where there is more on it."""
        pages: dict[tuple[str, ...], set[str]] = defaultdict(set)
        beside: dict[tuple[str, ...], str] = {}
        for page, text in self._bearing():
            bears = self._share(text) >= TOUCHES
            for keys, said in _Words.of(text).runs():
                pages[keys].add(page)
                if bears:
                    beside.setdefault(keys, said)
        found: dict[str, float] = {}
        for keys, text in beside.items():
            own = len(pages[keys])
            if own < 2 or not self._leads(text) or self._pages_with(text) > FEW:
                continue
            if self._is_title(text) or (self._may_browse and own >= SEVERAL):
                found[text] = self._says(text)
        return self._distinct(found)

    def _bearing(self) -> Iterator[tuple[str, str]]:
        """What bears on the question, paragraph by paragraph, with the document; whole, where a finding has a part."""
        pages = {_page(each) for each in self._several}
        for finding in self._several:
            yield from ((_page(finding), piece.text) for piece in finding.pieces)
        for passage in self._whole:
            if passage.document in pages:
                yield from ((passage.document, line) for line in passage.text.split("\n"))

    def people(self) -> list[str]:
        """Who or what is named where the figure, the hour or the number that is asked for is not, and stands beside one
        elsewhere."""
        first = self._telling(self._read)
        return self._beside_one(first, [kind for kind in self._wanted if not all(holds(kind, text) for text in first)])

    def contested(self) -> list[str]:
        """What is named where documents tell different figures or hours, and stands beside another one elsewhere."""
        for kind in self._wanted or MEASURES:
            told = [
                (_page(finding), values, text)
                for finding in self._several
                for text in self._telling([finding])
                if self._share(text) >= COVERS and (values := values_of(kind, text))
            ]
            apart = {
                page
                for page, one, _ in told
                if any(page != other_page and differ(one, other) for other_page, other, _ in told)
            }
            if apart:
                beside = [text for page, text in self._bearing() if page in apart and self._touches(text)]
                return self._beside_one(beside, [kind], may_browse=False)
        return []

    def _touches(self, text: str) -> bool:
        return len(self._asked & set(query_terms(text))) > 1

    def _share(self, text: str) -> float:
        """Of what the words of the question say, how much a text holds."""
        said = {term: telling(term, language=self._language) for term in self._asked}
        return sum(said[term] for term in said.keys() & set(terms(text))) / (sum(said.values()) or 1.0)

    def _telling(self, findings: Sequence[Finding]) -> list[str]:
        """The pieces of findings that hold most of what is asked, or nearly so much."""
        pieces = [(len(self._asked & set(terms(p.text))), p.text) for each in findings for p in each.pieces]
        most = max((count for count, _ in pieces), default=0)
        return [text for count, text in pieces if count >= max(1, most * MOSTLY)]

    def _beside_one(self, texts: Sequence[str], kinds: Collection[Wanted], *, may_browse: bool = True) -> list[str]:
        """The name in some texts that stands beside something of such a kind in a document that was not told."""
        names = list(dict.fromkeys(name for text in texts for name in self._named(text))) if kinds else []
        beside = {name: self._says(name) for name in names if self._elsewhere(name, kinds)}
        if not beside and may_browse and self._may_browse and len(names) <= MOST:
            beside = {name: self._says(name) for name in names if self._leads(name)}
        return self._distinct(beside)[:1]

    def _named(self, text: str) -> list[str]:
        names = [name.text for name in names_of(text)] + kanji_names(text)
        names += [defined["name"]] if (defined := _DEFINED.match(text)) else []
        return [
            name
            for name in dict.fromkeys(names)
            if not self._asked.issuperset(query_terms(name)) and self._says(name) >= 0.6
            if self._pages_with(name) <= FEW and self._is_rare(name) and not holds("time", name)
        ]

    def _elsewhere(self, name: str, kinds: Collection[Wanted]) -> bool:
        """Whether a document that was not told has a name and what is asked for in one place."""
        last = set(query_terms(name.split()[-1]) if name.isascii() else query_terms(name))
        return any(
            last <= set(terms(line)) and any(holds(kind, line) for kind in kinds)
            for passage in self._beside
            for line in _places(passage)
        )

    def _is_title(self, text: str) -> bool:
        """Whether one document that was not told is called so: what several are called is the name of the house."""
        wanted = {term for term in query_terms(text) if term not in self._asked}
        called = {passage.document for passage, _, said in self._called if any(wanted <= own for own in said)}
        return len(called) == 1

    def _titles_of(self, passage: Passage) -> tuple[list[str], list[set[str]]]:
        """What a passage stands under, and its terms: title and name of its document, and the headings that it speaks
        of."""
        held = set(terms(passage.text))
        found = [self._titles[passage.document], self._names[passage.document]]
        found += [heading for heading in passage.headings if not held.isdisjoint(query_terms(heading))]
        return found, [set(terms(title)) for title in found]

    def _leads(self, text: str) -> bool:
        """Whether words say enough that the question does not, and stand in few places."""
        return self._is_rare(text) and self._says(text) >= (TELLS_IN_PAIRS if count_cjk(text) else TELLS)

    def _is_rare(self, text: str) -> bool:
        """Whether few passages can hold them all."""
        counts = [self._rarity.count(term) for term in query_terms(text) if self._rarity.knows(term)]
        return min(counts, default=0) <= RARE

    def _says(self, text: str) -> float:
        own = [term for term in query_terms(text) if term not in self._asked]
        words = sum(telling(term, language=self._language) for term in own if not term[0].isdigit())
        return words + 0.6 * (bool(words) and any(term[0].isdigit() for term in own))

    def _pages_with(self, text: str) -> int:
        wanted = set(query_terms(text))
        return sum(wanted <= held for held in self._held.values())

    def _distinct(self, found: dict[str, float]) -> list[str]:
        """The best first, none within another."""
        kept: list[str] = []
        for text in sorted(found, key=lambda text: (-found[text], text)):
            own = set(query_terms(text))
            if not any(own <= set(query_terms(other)) or own >= set(query_terms(other)) for other in kept):
                kept.append(text)
        return kept[:MOST]


def _page(finding: Finding) -> str:
    return finding.evidence[0].document


def _name(uri: str) -> str:
    """What the file at an address is called."""
    return unquote(PurePosixPath(uri).stem).replace("-", " ").replace("_", " ")


def _head(title: str) -> str:
    """A title without what stands behind a dash, a colon or a bracket."""
    return _TITLE_ENDS.split(title.replace("-", " ") if " " not in title else title)[0].strip()


def _length(run: tuple[tuple[str, ...], str]) -> int:
    return len(run[0])


def _places(passage: Passage) -> Iterable[str]:
    """The lines of a passage; of a short one all together."""
    return [passage.text] if len(passage.text) <= SHORT else passage.text.split("\n")
