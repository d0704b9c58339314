"""Following a lead: from the passage that holds most of a question, by a name that it brings, to what holds the rest.

"Which waterfall is in the country where the Bubye River flows?" finds the page of the river, which says Zimbabwe; the
page of the falls shares one common word with the question, and Zimbabwe with the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fathom.findings import Finding
from fathom.reasoners.extractive.names import names_of
from fathom.text.analysis import query_terms, terms
from fathom.text.common import telling

HOPS, GAIN = 2, 0.15
"""Leads that are followed one after the other, and the share of a part's words that each must bring."""
TITLED = 2.0
"""What a passage counts whose document is called by the name, and not only mentions it."""
TELLS, FEW = 0.6, 6
"""What the terms of a name must say, for a month leads nowhere, and how many passages may mention it."""


class Trail:
    """What a part asks, and where names lead that it does not know."""

    def __init__(self, asked: str, *, titles: Mapping[str, str], language: str) -> None:
        """`titles` are those of the documents, by their digests."""
        self._asked = {term: telling(term, language=language) for term in query_terms(asked)}
        self._named = [frozenset(name.terms) for name in names_of(asked)]
        self._titles = titles
        self._language = language

    def followed(self, told: Sequence[Finding], found: Sequence[Finding]) -> list[Finding]:
        """The first of what is told, the best passage of each document that is called like something which the part
        names, and those that the leads lead to: what mentions a name of these and words that nothing told does."""
        pages = {frozenset(terms(self._titles[page_of(each)])): each for each in reversed(found)}
        named = dict.fromkeys(pages[name] for name in self._named if name in pages)
        chain = [told[0], *(each for each in named if page_of(each) != page_of(told[0]))]
        held = frozenset[str]().union(*map(self._terms, (*told, *chain)))
        for _ in range(HOPS):
            if (each := self._next(chain, found, held)) is None:
                break
            chain.append(each)
            held |= self._terms(each)
        return chain

    def _next(self, chain: Sequence[Finding], found: Sequence[Finding], held: frozenset[str]) -> Finding | None:
        lost = {term: weight for term, weight in self._asked.items() if term not in held}
        least = GAIN * sum(self._asked.values())
        if sum(lost.values()) < least:
            return None
        texts, names, pages = list(map(self._terms, found)), self._names(chain), {page_of(each) for each in chain}
        names = {name for name in names if sum(text >= name for text in texts) <= FEW}
        best, most = None, least
        for each, text in zip(found, texts, strict=True):
            title = frozenset(terms(self._titles[page_of(each)]))
            gain = sum(lost[term] for term in lost.keys() & text)
            gain *= TITLED if any(title >= name for name in names) else 1.0
            if gain > most and page_of(each) not in pages and any(text >= name for name in names):
                best, most = each, gain
        return best

    def _names(self, chain: Sequence[Finding]) -> set[frozenset[str]]:
        """What the passages name and the part does not."""
        return {
            frozenset(name.terms)
            for each in chain
            for name in names_of(each.claim)
            if not self._asked.keys() >= set(name.terms)
            and sum(telling(term, language=self._language) for term in name.terms) >= TELLS
        }

    def _terms(self, finding: Finding) -> frozenset[str]:
        """Of a passage with its headings and the title of its document."""
        above = (span.locator for span in finding.spans)
        return frozenset(terms(" \n".join((self._titles[page_of(finding)], *above, finding.claim))))


def page_of(finding: Finding) -> str:
    """The document that a finding quotes first, by its digest."""
    return finding.evidence[0].document


def place_of(finding: Finding) -> tuple[str, int]:
    """Where that quotation begins: its document and the offset."""
    return finding.evidence[0].document, finding.evidence[0].start
