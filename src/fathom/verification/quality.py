"""How far sources can be relied on: how many of them are independent, who speaks, and how old it is."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fathom.evidence import Document, SourceNature
from fathom.findings import Finding
from fathom.text.analysis import query_terms
from fathom.text.characters import count_cjk
from fathom.text.numbers import numbers
from fathom.verification.doubts import negates

AGREES = 0.2
"""Share of the doubt that each further independent origin takes away."""
ALONE: dict[SourceNature, float] = {
    "official": 1.0,
    "academic": 1.0,
    "reference": 0.98,
    "news": 0.95,
    "other": 0.9,
    "vendor": 0.88,
    "forum": 0.85,
}
"""What is left of the confidence in what a single page says, by who speaks there."""
STALE_YEARS = 3
"""A page older than this may be out of date."""
STALE, STALE_AND_CURRENT = 0.97, 0.85
"""What is left of the confidence in what only such pages say; the second where it is asked what is current."""
SAME = 0.8
"""Share of the terms of the longer of two sentences that both must hold to state the same."""
LEAST_TERMS, LEAST_WIDE = 4, 8
"""Terms that a sentence must have to be compared; the second in Chinese, Japanese and Korean."""


@dataclass(frozen=True)
class Quality:
    """What is known of the sources of a run. Documents are named by the `sha256` of their texts."""

    documents: Mapping[str, Document]
    findings: Sequence[Finding] = ()
    """Every finding of the run."""
    copies: Mapping[str, str] = field(default_factory=dict)
    """What near-copies of a text share."""
    today: str = ""
    """The day on which the run was created (ISO 8601 date)."""
    is_current: bool = False
    """Whether the question asks for what is current."""
    outdated: frozenset[str] = frozenset()
    """Pages that a newer source contradicts."""

    def copy_of(self, sha256: str) -> str:
        """What near-copies share: of a text without one, itself."""
        return self.copies.get(sha256, sha256)

    def site_of(self, sha256: str) -> str:
        """Whose page it is; a local file is its own site, and so is a dataset, however often it was asked."""
        document = self.documents[sha256]
        match document.kind:
            case "web":
                return document.site or sha256
            case "dataset":
                return document.uri
            case "file":
                return sha256

    def are_independent(self, one: str, other: str) -> bool:
        """Whether neither site nor text is the same."""
        return self.site_of(one) != self.site_of(other) and self.copy_of(one) != self.copy_of(other)

    def origins(self, texts: Iterable[str]) -> int:
        """The most of them that are independent of each other, each of the other's site and of its text.

        A maximum matching of sites and texts (Kuhn, 1955): what copies and what stands on one site counts once.
        """
        sites: dict[str, dict[str, None]] = {}
        for sha256 in texts:
            sites.setdefault(self.site_of(sha256), {})[self.copy_of(sha256)] = None
        taken: dict[str, str] = {}
        return sum(_is_placed(site, sites, taken, set()) for site in sites)

    def behind(self, sentence: str, cited: Iterable[str]) -> frozenset[str]:
        """The texts that a sentence rests on, and those of findings that state the same."""
        found = frozenset(cited)
        if not found:
            return found
        stated = _Stated.of(sentence)
        return found | {document for document, other in self._stated if stated.is_same(other)}

    @cached_property
    def _stated(self) -> list[tuple[str, _Stated]]:
        return [(finding.evidence[0].document, _Stated.of(finding.claim)) for finding in self.findings]

    def is_stale(self, sha256: str) -> bool:
        """Whether it is a page, and known to be old."""
        document = self.documents[sha256]
        return document.kind == "web" and bool(document.published) and document.published[:10] < self._stale_before

    @cached_property
    def _stale_before(self) -> str:
        return f"{int(self.today[:4]) - STALE_YEARS:04}{self.today[4:10]}" if self.today else ""

    def rests_on_stale(self, texts: Iterable[str]) -> bool:
        """Whether all are old pages, where that matters: asked what is current, or contradicted by a newer source."""
        old = [self.is_stale(sha256) and (self.is_current or sha256 in self.outdated) for sha256 in texts]
        return bool(old) and all(old)

    def rests_on_one_page(self, texts: Iterable[str]) -> bool:
        """Whether all of them are pages of one origin."""
        texts = list(texts)
        return bool(texts) and self.origins(texts) == 1 and all(self.documents[id].kind == "web" for id in texts)

    def is_weak(self, texts: Iterable[str]) -> bool:
        """Whether all of them are pages of one origin that nobody vouches for, or that is out of date."""
        texts = list(texts)
        return self.rests_on_one_page(texts) and self.confidence(1.0, texts) < ALONE["news"]

    def confidence(self, confidence: float, texts: Iterable[str]) -> float:
        """The confidence in what these texts say, from that in what one of them says."""
        texts = list(texts)
        origins = self.origins(texts)
        if origins > 1:
            confidence = 1 - (1 - confidence) * (1 - AGREES) ** (origins - 1)
        elif self.rests_on_one_page(texts):
            confidence *= max(ALONE[self.documents[id].nature or "other"] for id in texts)
        if texts and all(map(self.is_stale, texts)):
            confidence *= STALE_AND_CURRENT if self.rests_on_stale(texts) else STALE
        return confidence


@dataclass(frozen=True)
class _Stated:
    """A sentence, read for comparison."""

    terms: frozenset[str]
    numbers: frozenset[str]
    is_negated: bool
    least: int

    @classmethod
    def of(cls, text: str) -> _Stated:
        folded = unicodedata.normalize("NFKC", text).casefold()
        least = LEAST_WIDE if count_cjk(folded) else LEAST_TERMS
        return cls(frozenset(query_terms(text)), frozenset(numbers(folded)), negates(folded), least)

    def is_same(self, other: _Stated) -> bool:
        if self.numbers != other.numbers or self.is_negated != other.is_negated:
            return False
        if min(len(self.terms), len(other.terms)) < max(self.least, other.least):
            return False
        return len(self.terms & other.terms) >= SAME * max(len(self.terms), len(other.terms))


def _is_placed(site: str, sites: Mapping[str, Iterable[str]], taken: dict[str, str], tried: set[str]) -> bool:
    """Give a site one of its texts, when need be by giving other sites other ones of theirs."""
    for text in sites[site]:
        if text not in tried:
            tried.add(text)
            if text not in taken or _is_placed(taken[text], sites, taken, tried):
                taken[text] = site
                return True
    return False
