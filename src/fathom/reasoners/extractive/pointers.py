"""Where what was found leads: to what has a document of its own, to what several documents bring up, to who would know.

An overview says "put snubbers on", and how they go on stands in a note that shares no word with the question. Such a
note is known by its title, which the overview says; a topic by being brought up again and again; and somebody by being
named where the figure or the hour that is asked for is not.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote

from fathom.asks import AssessDepth
from fathom.evidence import Passage
from fathom.findings import Finding
from fathom.languages.wanted import Wanted, holds, is_open, wanted_of
from fathom.reasoners.extractive.leads import page_of
from fathom.reasoners.extractive.names import kanji_names, names_of
from fathom.reasoners.extractive.rarity import Rarity
from fathom.text.analysis import query_terms, terms
from fathom.text.characters import CJK, HAN, KATAKANA, count_cjk
from fathom.text.common import telling
from fathom.text.sentences import sentences

TELLS, TELLS_IN_PAIRS = 1.3, 2.4
"""What the words of a lead must say that the question does not, and what its pairs of characters must."""
BEARS = 0.3
"""Share of the relevance of the best finding from which another one may bring a topic up."""
CLOSE = 0.8
"""The same, from which what another document than that of the best says is read for what it names."""
BEARING = 12
"""Findings, the best ones, that may."""
SEVERAL = 3
"""Documents that bring a topic up which has no document of its own: then the web is asked."""
FEW = 6
"""Documents that may hold a lead: what stands everywhere, as the name of the house, leads nowhere."""
RARE = 6
"""Passages that may hold the rarest of its words."""
NAMES, NAMES_IN_PAIRS = 0.9, 2.0
"""What the words of a name must say, or its pairs of characters, with which a line begins."""
HEAD, GOES_ON = 80, 3
"""Characters of a line that are looked at, and words that must follow what it begins with."""
OWN = 2
"""The same, of what a document is called: that document and the one that names it; one more, where it is called nothing
else."""
MOSTLY = 0.6
"""Share of the most words of a question that a piece holds, from which another one counts as much."""
TOUCHES, TOUCHES_IN_PAIRS = 0.25, 0.15
"""Share of what the words of a question say from which a piece is about it."""
SHORT = 600
"""Characters of a passage in which everything stands in one place."""
MOST = 3
LONGEST = 5
"""Words of a lead; characters are counted as half a word."""
_UNIT = re.compile(rf"[{HAN}{KATAKANA}々ー]|[^\W_{CJK}]+(?:[-'’.][^\W_{CJK}]+)*")
_MARK = re.compile(r"^[\W\d]*[.)|、]?\s*(?=\S)")
"""Before a line: marks, and its number."""
_DEFINED = re.compile(r"\W{0,3}(?:(?:[Tt]he|[Aa]n?) )?(?P<name>[A-Z][\w-]+(?: [\w-]+){0,2}) (?:=|\|) ")
"""What a line says the meaning of, and the first cell of a row."""
JOINS = frozenset(" の-・&")
"""What may stand between the words of a lead."""
_ARTICLES = frozenset(("the", "a", "an", "our", "der", "die", "das", "le", "la", "les"))
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
        """Every stretch of neighbouring words, as keys and as it is written; of characters, whole compounds alone."""
        for start in range(len(self.keys)):
            for end in range(start + 1, min(len(self.keys), start + 2 * LONGEST) + 1):
                gap = self._gap(end - 1) if end > start + 1 else ""
                if gap and gap not in JOINS:
                    break
                if self._is_whole(start, end):
                    yield self.keys[start:end], self.text[self.places[start][0] : self.places[end - 1][1]]

    def _gap(self, at: int) -> str:
        return self.text[self.places[at - 1][1] : self.places[at][0]] if 0 < at < len(self.keys) else " "

    def _is_whole(self, start: int, end: int) -> bool:
        """Whether no compound is cut: a word is whole, and so are characters that no other one touches."""
        cut = [at for at in (start, end) if not self._gap(at) and 0 < at < len(self.keys)]
        return not any(count_cjk(self.keys[at]) and count_cjk(self.keys[at - 1]) for at in cut)


class Pointers:
    """The leads of the findings of a subtask."""

    def __init__(self, ask: AssessDepth) -> None:
        self._language = ask.language
        asked = dict.fromkeys(query_terms(f"{ask.query} {ask.subtask.description}"))
        self._asked = {term: telling(term, language=ask.language) for term in asked}
        """The terms of the question, and what each says."""
        self._least = TOUCHES_IN_PAIRS if count_cjk(ask.query) else TOUCHES
        self._is_open = is_open(ask.query)
        self._wanted = wanted_of(ask.subtask.description)
        self._may_browse = any(source.kind == "web" for source in ask.sources)
        best = sorted(ask.findings, key=lambda finding: -finding.relevance)
        self._first, most = page_of(best[0]), best[0].relevance
        self._read = [each for each in best if page_of(each) == self._first or each.relevance >= CLOSE * most]
        self._several = [each for each in best if each.relevance >= BEARS * most][:BEARING]
        told = {self._first, *(page_of(each) for each in best if each.relevance >= CLOSE * most)}
        self._all = ask.beside.passages
        self._beside = [passage for passage in self._all if passage.document not in told]
        self._titles = {document.sha256: document.title for document in ask.beside.documents}
        self._files = {document.sha256: unquote(PurePosixPath(document.uri).stem) for document in ask.beside.documents}
        self._rarity = Rarity.over(ask.sources)
        self._called = [(passage, *self._titles_of(passage)) for passage in self._beside]
        self._begins: set[tuple[str, ...]] = set()
        """What titles begin with."""
        self._openings: dict[tuple[str, ...], bool] = {}
        """What titles, lines and sentences of what was not told begin with, and whether it is a whole title."""
        for passage in self._beside:
            for line in passage.text.split("\n"):
                for begin, end in sentences(line):
                    self._openings.update((keys, False) for keys in _opening(line[begin:end], goes_on=GOES_ON))
        for title in {title for _, titles, _ in self._called for title in titles}:
            keys = [*_opening(_TITLE_ENDS.split(title)[0].strip(), goes_on=0)]
            self._openings.update((each, each == keys[-1]) for each in keys)
            self._begins.update(keys)
        self._held: dict[str, set[str]] = defaultdict(set)
        for passage in self._all:
            self._held[passage.document].update(terms(f"{self._titles[passage.document]}\n{passage.text}"))

    @property
    def _opens(self) -> str:
        """The paragraph of the first document that says most of what is asked: it opens what is listed there. Nothing,
        where an item does, which stands for itself."""
        pieces = [piece for each in self._several if page_of(each) == self._first for piece in each.pieces]
        best = max(pieces, key=lambda piece: self._share(piece.text))
        return best.text if best.form == "paragraph" else ""

    @property
    def _is_answered(self) -> bool:
        """Whether what is asked for is told: a figure, an hour, or all that one look can tell. What to do is more."""
        first = self._telling(self._read)
        return not self._is_open and all(any(holds(kind, text) for text in first) for kind in self._wanted)

    def details(self) -> list[str]:
        """What the best findings name and something else is called, or begins with: there it says what it is."""
        found: dict[str, float] = {}
        for finding in [] if self._is_answered else self._read:
            for said in self._bearing_on(finding):
                for keys, text in _Words.of(said).runs():
                    if (whole := self._openings.get(keys)) is None or not self._names_it(text):
                        continue
                    is_called = keys in self._begins and self._is_title(text)
                    if not is_called and len(keys) == 1 and not self._named(f"the {text}"):
                        continue
                    if self._pages_with(text) <= (FEW if is_called else OWN + whole):
                        found[text] = self._says(text) + len(keys) / 100 + is_called
        return self._distinct(found)

    def _bearing_on(self, finding: Finding) -> list[str]:
        """The pieces of a finding that bear on the question, by themselves or by what they stand under."""
        above = " ".join((self._titles.get(page_of(finding), ""), *(span.locator for span in finding.spans)))
        lead = finding.lead_in.quote if finding.lead_in else ""
        under, least = self._share(f"{above} {lead}"), self._least
        if page_of(finding) == self._first:
            under = max(under, self._share(self._opens))
        return [
            piece.text
            for piece in finding.pieces
            if (piece.form == "item" and under >= least) or self._share(piece.text) >= least
        ]

    def _names_it(self, text: str) -> bool:
        """Whether words are enough of a name to be looked up where a line begins with them."""
        is_own = self._pages_with(text) <= OWN or self._is_title(text)
        least = (NAMES if is_own else NAMES_IN_PAIRS) if count_cjk(text) else NAMES
        return self._is_rare(text) and self._says(text) >= least

    def topics(self) -> list[str]:
        """What several documents bring up beside what is asked, and that does not, where there is more on it: for who
        decides, or asks what to do; a fact that is asked for has no such topics."""
        if not self._is_open:
            return []
        pages: dict[tuple[str, ...], set[str]] = defaultdict(set)
        beside: dict[tuple[str, ...], str] = {}
        for page, text, bears in self._bearing():
            for keys, said in _Words.of(text).runs():
                pages[keys].add(page)
                if bears:
                    beside.setdefault(keys, said)
        found: dict[str, float] = {}
        for keys, text in beside.items():
            own = len(pages[keys])
            if own < 2 or not self._names_it(text):
                continue
            is_long = len(keys) > (2 if count_cjk(text) else 1)
            if own < SEVERAL:
                more = keys in self._begins and is_long and self._is_title(text)
            else:
                more = len(keys) > 1 and (
                    self._is_title(text) or (is_long and (self._may_browse or keys in self._openings))
                )
            if more:
                found[text] = self._says(text) + own
        return self._distinct(found)

    def _bearing(self) -> Iterator[tuple[str, str, bool]]:
        """What may bear on the question, paragraph by paragraph, with the document, and whether it does: by itself, or
        as a paragraph of what is told first; whole, where a finding has a part."""
        pages = {page_of(each) for each in self._several}
        for finding in self._several:
            bearing = set(self._bearing_on(finding))
            yield from ((page_of(finding), piece.text, piece.text in bearing) for piece in finding.pieces)
        for passage in (each for each in self._all if each.document in pages):
            for line in passage.text.split("\n"):
                yield passage.document, line, self._share(line) >= self._least

    def people(self) -> list[str]:
        """Who or what is named where the figure, the hour or the number that is asked for is not, and stands beside one
        elsewhere."""
        first, told = self._telling(self._read or self._several[:1]), self._telling(self._several)
        return self._beside_one(first, [kind for kind in self._wanted if not any(holds(kind, text) for text in told)])

    def _share(self, text: str) -> float:
        """Of what the words of the question say, how much a text holds."""
        held = set(terms(text))
        told = sum(weight for term, weight in self._asked.items() if term in held)
        return told / (sum(self._asked.values()) or 1.0)

    def _telling(self, findings: Sequence[Finding]) -> list[str]:
        """The pieces of findings that hold most of what is asked, or nearly so much."""
        pieces = [(len(self._asked.keys() & terms(p.text)), p.text) for each in findings for p in each.pieces]
        most = max((count for count, _ in pieces), default=0)
        return [text for count, text in pieces if count >= max(1, most * MOSTLY)]

    def _beside_one(self, texts: Sequence[str], kinds: Collection[Wanted]) -> list[str]:
        """The name in some texts that stands beside something of such a kind in a document that was not told."""
        names = [name for text in texts for name in self._named(text)] if kinds else []
        known = [*names, *(role for text in texts for role in self._roles(text) if "contact" in kinds)]
        beside = {name: self._says(name) + len(name) / 1_000 for name in known if self._elsewhere(name, kinds)}
        if not beside and self._may_browse and len(set(names)) <= MOST:
            rare = ((name, self._says(name)) for name in names if self._is_rare(name))
            beside = {name: says for name, says in rare if says >= (TELLS_IN_PAIRS if count_cjk(name) else TELLS)}
        return self._distinct(beside)[:1]

    def _named(self, text: str) -> list[str]:
        names = [name.text for name in names_of(text)] + kanji_names(text)
        names += [defined["name"]] if (defined := _DEFINED.match(text)) else []
        return [
            name
            for name in dict.fromkeys(names)
            if not self._asked.keys() >= {*query_terms(name)} and self._says(name) >= 0.6
            if self._pages_with(name) <= FEW and self._is_rare(name) and not holds("time", name)
        ]

    def _roles(self, text: str) -> Iterator[str]:
        """The words of a text that one other document has: who is to be reached need not be named."""
        for keys, said in _Words.of(text).runs():
            is_rare = self._is_rare(said) and self._pages_with(said) == OWN
            if is_rare and keys[0] not in _ARTICLES and self._says(said) > 0:
                yield said

    def _elsewhere(self, name: str, kinds: Collection[Wanted]) -> bool:
        """Whether a document that was not told has a name and what is asked for in one place."""
        is_person = name.isascii() and name.istitle()
        last = set(query_terms(name.split()[-1]) if is_person else query_terms(name))
        texts = (each.text for each in self._beside)
        lines = (line for text in texts for line in ([text] if len(text) <= SHORT else text.split("\n")))
        return any(last <= set(terms(line)) and any(holds(kind, line) for kind in kinds) for line in lines)

    def _is_title(self, text: str) -> bool:
        """Whether one document that was not told is called so: what several are called is the name of the house."""
        wanted = {term for term in query_terms(text) if term not in self._asked}
        called = {passage.document for passage, _, said in self._called if any(wanted <= own for own in said)}
        return len(called) == 1

    def _titles_of(self, passage: Passage) -> tuple[list[str], list[set[str]]]:
        """What a passage stands under, and its terms: title and name of its document, and the headings that it speaks
        of."""
        held = set(terms(passage.text))
        found = [self._titles[passage.document], re.sub("[-_]", " ", self._files[passage.document])]
        found += [heading for heading in passage.headings if not held.isdisjoint(query_terms(heading))]
        return found, [set(terms(title)) for title in found]

    def _is_rare(self, text: str) -> bool:
        """Whether few passages can hold them all."""
        counts = [self._rarity.count(term) for term in query_terms(text) if self._rarity.knows(term)]
        return min(counts, default=0) <= RARE

    def _says(self, text: str) -> float:
        own = [term for term in query_terms(text) if term not in self._asked]
        words = sum(telling(term, language=self._language) for term in own if not term[0].isdigit())
        return words + 0.8 * (bool(words) and any(term[0].isdigit() for term in own))

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


def _opening(line: str, *, goes_on: int) -> Iterator[tuple[str, ...]]:
    """What a line begins with that goes on for some words: one word and more, without a number and an article."""
    words = _Words.of(_MARK.sub("", line[:HEAD]))
    start = 1 if words.keys[:1] and words.keys[0] in _ARTICLES else 0
    for end in range(start + 1, min(len(words.keys) - goes_on, start + 2 * LONGEST) + 1):
        yield words.keys[start:end]
