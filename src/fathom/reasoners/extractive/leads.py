"""Following a lead: from the passage that holds most of a question, by a name that it brings, to what holds the rest.

"Which waterfall is in the country where the Bubye River flows?" finds the page of the river, which says Zimbabwe; the
page of the falls shares one common word with the question, and Zimbabwe with the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from fathom.findings import Finding
from fathom.reasoners.extractive.coverage import words_of
from fathom.reasoners.extractive.names import Name, names_of
from fathom.text.analysis import query_terms, terms
from fathom.text.common import telling
from fathom.text.dates import MONTH
from fathom.text.sentences import sentences

HOPS, GAIN = 3, 0.15
"""Leads that are followed one after the other, and the share of a part's words that each must bring."""
TITLED = 2.0
"""What a passage counts whose document is called by the name, and not only mentions it."""
CALLED = 0.5
"""What it says besides that a document is called by the name alone."""
TELLS, SURE = 0.6, 0.9
"""What the terms of a name must say that leads on, and those of one that the part asks for."""
SEARCHES = 4
"""Names that are searched for at once."""
APART = 0.5
"""Documents for each passage, at least: in a manual, of which many passages are found, every second word leads on."""
_ASIDE = re.compile(r" \(|, ")
"""What tells a title from others of the same name stands behind this."""
_MONTH = re.compile(MONTH, re.IGNORECASE)


class LeadTrail:
    """What a part asks, and where the names in what was found for it lead."""

    def __init__(self, asked: str, found: Sequence[Finding], *, titles: Mapping[str, str], language: str) -> None:
        """`found` is what was found, best first; `titles` are those of the documents, by their digests."""
        self._text, self._language, self._found, self._titles = asked, language, found, titles
        self._asked = {term: telling(term, language=language) for term in query_terms(asked)}
        self._sure = [name for name in names_of(asked) if self._says(name.terms) >= SURE]
        self._held = {each.id: frozenset(terms(self._read(each))) for each in found}
        self._called = {page_of(each): frozenset(terms(titles.get(page_of(each), ""))) for each in found}

    def followed(self) -> list[Finding]:
        """The best of what was found, the best passage of each document that is called like something which the part
        names, and those that the leads lead to: what mentions a name of these and words that none of them does."""
        chain = [self._found[0]]
        chain += [each for each in self._asked_for() if page_of(each) != page_of(chain[0])]
        for _ in range(HOPS if len(self._called) >= APART * len(self._found) else 0):
            if (each := self._next(chain)) is None:
                break
            chain.append(each)
        return chain

    def searches(self) -> list[str]:
        """What to search for, where what was found lacks words of the part: each name that it brings with these words,
        first those beside most of what is asked."""
        chain = self.followed()
        lost = self._lost(chain)
        if sum(lost.values()) < GAIN * sum(self._asked.values()):
            return []
        beside: dict[str, float] = {}
        for each in reversed(chain):
            for said in (each.claim[begin:end] for begin, end in sentences(each.claim)):
                share = sum(weight for term, weight in self._asked.items() if term in set(terms(said)))
                for name in self._brought(said):
                    beside[name.text] = max(beside.get(name.text, 0.0), share)
        words = " ".join(words_of(self._text, lost.keys()))
        return [f"{name} {words}" for name in sorted(beside, key=lambda name: -beside[name])[:SEARCHES]]

    def _asked_for(self) -> list[Finding]:
        """The best passage of each document whose title, but for what tells it from others, stands in the part."""
        best: dict[str, Finding] = {}
        for each in self._found:
            name = _ASIDE.split(self._titles.get(page_of(each), ""))[0].strip()
            at = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self._text) if name and not name[0].islower() else None
            if at and (at.start() or " " in name) and self._says(query_terms(name)) >= TELLS:
                best.setdefault(name, each)
        return [each for name, each in best.items() if not any(name != other and name in other for other in best)]

    def _next(self, chain: Sequence[Finding]) -> Finding | None:
        lost, pages = self._lost(chain), {page_of(each) for each in chain}
        names = {frozenset(name.terms) for each in chain for name in self._brought(each.claim)}
        sure = [frozenset(name.terms) for name in self._sure if not lost.keys().isdisjoint(name.terms)]
        best, most = None, GAIN * sum(self._asked.values())
        for each in self._found:
            text, title = self._held[each.id], self._called[page_of(each)]
            by = [name for name in names if name <= text]
            if page_of(each) in pages or not (by or any(name <= text for name in sure)):
                continue
            gain = sum(weight * (1 + (term in title)) for term, weight in lost.items() if term in text)
            gain = (gain + CALLED * (title in by)) * (TITLED if any(name <= title for name in by) else 1.0)
            if gain > most:
                best, most = each, gain
        return best

    def _lost(self, chain: Iterable[Finding]) -> dict[str, float]:
        """The terms of the part that none of these holds, and what each says."""
        held = frozenset[str]().union(*(self._held[each.id] for each in chain))
        return {term: weight for term, weight in self._asked.items() if term not in held}

    def _brought(self, text: str) -> list[Name]:
        """What a text names and the part does not."""
        names = (name for name in names_of(text) if not self._asked.keys() >= set(name.terms))
        return [name for name in names if self._says(name.terms) >= TELLS and not _MONTH.fullmatch(name.text)]

    def _says(self, terms: Iterable[str]) -> float:
        return sum(telling(term, language=self._language) for term in terms)

    def _read(self, finding: Finding) -> str:
        """A passage with its headings and the title of its document."""
        above = (span.locator for span in finding.spans)
        return " \n".join((self._titles.get(page_of(finding), ""), *above, finding.claim))


def page_of(finding: Finding) -> str:
    """The document that a finding quotes first, by its digest."""
    return finding.evidence[0].document


def place_of(finding: Finding) -> tuple[str, int]:
    """Where that quotation begins: its document and the offset."""
    return finding.evidence[0].document, finding.evidence[0].start
