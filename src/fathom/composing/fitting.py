"""Whether what was read fits what a question wishes: not about what it excludes, within its period, in its region."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from fathom.evidence import Document, Passage
from fathom.findings import Finding
from fathom.languages.kanji import of_the_common_era
from fathom.preferences import ReportPreferences
from fathom.text.analysis import query_terms, terms

ABOUT = 0.66
"""Share of the words of an exclusion of three or more that a text about it holds; of a shorter one it holds all."""
ELSEWHERE = 0.5
"""What is left of the relevance of a finding that does not name the region."""
YEAR = re.compile(r"(?<![\d.,/#-])((?:1[5-9]|20)\d\d)(?:年(?:(1[0-2]|0?[1-9])月)?)?(?![\d%]|[.,]\d)")
"""A year, and the month behind it where that is told in numbers."""


class Fit:
    """The wishes that choose among what was read."""

    def __init__(self, preferences: ReportPreferences) -> None:
        self._wished = preferences

    @cached_property
    def _excluded(self) -> list[tuple[str, frozenset[str], float]]:
        found = ((each.casefold(), frozenset(query_terms(each))) for each in self._wished.exclusions)
        return [(said, own, len(own) * ABOUT if len(own) > 2 else len(own)) for said, own in found]

    @cached_property
    def _region(self) -> frozenset[str]:
        return frozenset(query_terms(self._wished.region))

    def is_excluded(self, text: str) -> bool:
        """Whether a text speaks of what the question excludes."""
        if not self._excluded:
            return False
        folded, held = text.casefold(), frozenset(terms(text))
        return any(said in folded or (own and len(own & held) >= least) for said, own, least in self._excluded)

    def is_outside(self, text: str) -> bool:
        """Whether a text names years, and none that the question is about."""
        if not (self._wished.since or self._wished.until):
            return False
        years = [int(match[1]) for match in YEAR.finditer(of_the_common_era(text))]
        return bool(years) and not any(map(self._covers, years))

    def _covers(self, year: int) -> bool:
        since, until = self._wished.since, self._wished.until
        return (not since or f"{year}-12-31" >= since) and (not until or f"{year}-01-01" < until)

    def is_there(self, *texts: str) -> bool:
        """Whether any of these texts names the region, if the question has one."""
        return not self._region or any(self._region <= frozenset(terms(text)) for text in texts)

    def passages(self, found: Sequence[Passage], documents: Mapping[str, Document]) -> list[Passage]:
        """Those that may be read: what is headed by an exclusion is left out, and a page of another time; a passage
        that names other years alone, or not the region, stands behind the others."""

        def is_wanted(each: Passage) -> bool:
            document = documents[each.document]
            return not (
                self.is_outside(document.published) or any(map(self.is_excluded, (document.title, *each.headings)))
            )

        def rank(each: Passage) -> tuple[bool, bool]:
            return self.is_outside(each.text), not self.is_there(
                each.text, documents[each.document].title, *each.headings
            )

        return sorted(filter(is_wanted, found), key=rank)

    def weighed(self, finding: Finding, documents: Mapping[str, Document]) -> Finding:
        """A finding as it counts: one that names other years alone, or not the region, for less."""
        above = (text for span in finding.spans for text in (span.locator, documents[span.document].title))
        share = 1.0 if self.is_there(finding.claim, *above) else ELSEWHERE
        share *= ELSEWHERE if self.is_outside(finding.claim) else 1.0
        return finding if share == 1.0 else finding.model_copy(update={"relevance": finding.relevance * share})
