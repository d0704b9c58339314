"""How far findings answer a question, by the words that a reader meets in them and around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field

from fathom.data.turns import AggregationResult, SubQuestion
from fathom.evidence import Document
from fathom.findings import WEAK_BELOW, Finding
from fathom.languages.packs import either, words
from fathom.reasoners.extractive.data.kinds import RECORD
from fathom.reasoners.extractive.data.words import WIDE_WORDS, meaning_of
from fathom.reasoners.extractive.parts import own_side
from fathom.text.analysis import query_terms, terms
from fathom.text.characters import HAN, KATAKANA, count_cjk

GOOD = 0.25
"""Share of a question's terms that a finding must hold to count for it."""
_HOW = re.compile(
    r"\bhow\s+(?:long|far|fast|quickly|deep|high|tall|big|large|small|heavy|old|wide|hot|cold|soon|often|much|many)\b",
    re.IGNORECASE,
)
"""What is answered by a figure, and not by saying it again."""
_HIRAGANA = re.compile("[ぁ-ゖ]")
_WORD = re.compile(rf"[{HAN}]+|[{KATAKANA}]+|[^\s,;:?!()\"“”、。？！「」（）：；・ぁ-ゖ{HAN}{KATAKANA}]+")
_BY_COUNTING = frozenset(term for word in words("counting.words") for term in terms(word))
"""Terms of a question that a count answers without saying them."""
_COUNTING_PHRASES = re.compile(either("counting.phrases"))
"""The same where words do not stand apart."""


@dataclass(frozen=True)
class Grounds:
    """What findings rest on, as far as that tells what they are about and how much stands behind them."""

    about: dict[str, frozenset[str]] = field(default_factory=dict)
    """Terms of what was asked of a dataset, by the snapshot of the answer."""
    sites: dict[str, str] = field(default_factory=dict)
    """Whose page a document is, by `sha256`; of any other document nothing."""

    @classmethod
    def of_documents(cls, documents: Iterable[Document]) -> Grounds:
        """What the documents tell."""
        known = list(documents)
        return cls(
            about={each.sha256: frozenset(terms(each.title)) for each in known if each.kind == "dataset"},
            sites={each.sha256: each.site for each in known if each.kind == "web" and each.site},
        )

    @classmethod
    def of_results(cls, results: Iterable[AggregationResult]) -> Grounds:
        """What the counts tell."""
        return cls(about={each.document: frozenset(terms(asked_for(each))) for each in results})

    def is_count(self, finding: Finding) -> bool:
        """Whether it states what was counted, over all records that match."""
        return any(
            evidence.document in self.about and not evidence.locator.startswith(RECORD) for evidence in finding.evidence
        )

    def held_by(self, finding: Finding) -> frozenset[str]:
        """Every term that a reader meets: in the claim, its lead-in, its quotes and headings, and what was asked."""
        held = set(terms(finding.claim))
        for span in finding.spans:
            held.update(terms(f"{span.locator} {span.quote}"), self.about.get(span.document, ()))
        return frozenset(held)

    def sources(self, findings: Iterable[Finding]) -> int:
        """Independent sources behind findings: documents, sites, records; a count rests on all that it has counted."""
        found: set[str] = set()
        counted = 0
        for finding in findings:
            if self.is_count(finding):
                counted = WEAK_BELOW
            for evidence in finding.evidence:
                if evidence.locator.startswith(RECORD):
                    found.add(evidence.locator)
                elif evidence.document not in self.about:
                    found.add(self.sites.get(evidence.document, evidence.document))
        return len(found) + counted


def asked_for(result: AggregationResult) -> str:
    """The fields, values and groups of a count, as text."""
    request = result.request
    filters = (f"{each.field} {each.value}" for each in request.filters)
    keys = (" ".join(bucket.key) for bucket in result.aggregation.buckets)
    names = (*result.aggregation.fields, *request.statistics)
    return "\n".join((*names, *filters, *keys))


@dataclass(frozen=True)
class Cover:
    """How far a question is answered."""

    share: float
    """0 to 1: the part of its terms that the findings hold."""
    findings: tuple[Finding, ...]
    """Those that count for it, in their order."""
    missing: tuple[str, ...]
    """Its words that none of them holds, as it writes them."""


class Covering:
    """Findings held against questions: what each finding holds is read once."""

    def __init__(self, findings: Sequence[Finding], grounds: Grounds) -> None:
        self._findings = [(finding, grounds.held_by(finding)) for finding in findings]
        self._grounds = grounds

    def of(self, question: SubQuestion) -> Cover:
        """How far a question is answered by what was found for it, and for what it depends on.

        A question that is no subtask has no findings of its own: all that hold enough of it count. What a count answers
        by being one (`how many`, `distribution`) it need not say, and a field may be called by another word for it.
        """
        text = _HOW.sub("how", own_side(question.question))
        own = [(finding, held) for finding, held in self._findings if _belongs(finding, question)]
        counts = [held for finding, held in own if self._grounds.is_count(finding)]
        wanted = _terms(_by_fields(text, frozenset[str]().union(*counts)) if counts else text)
        if counts:
            wanted = wanted - _BY_COUNTING or wanted
        good = [(finding, held) for finding, held in own if len(wanted & held) >= GOOD * len(wanted)]
        union = frozenset[str]().union(*(held for _, held in good))
        share = (len(wanted & union) / len(wanted) if wanted else 1.0) if good else 0.0
        missing = words_of(text, wanted - union)
        return Cover(share=round(share, 4), findings=tuple(each for each, _ in good), missing=missing)

    def beside(self, questions: Iterable[SubQuestion], query: str) -> tuple[Finding, ...]:
        """The findings that share no term with the question or any part of it; another script is not judged."""
        texts = [query, *(question.question for question in questions)]
        wanted = frozenset(term for text in texts for term in query_terms(text))
        wide = count_cjk(query) > 0

        def is_beside(finding: Finding, held: frozenset[str]) -> bool:
            if not wanted or wanted & held or (count_cjk(finding.claim) > 0) != wide:
                return False
            by_fields = (_by_fields(text, held) for text in texts if self._grounds.is_count(finding))
            return not any(held.intersection(query_terms(text)) for text in by_fields)

        return tuple(finding for finding, held in self._findings if is_beside(finding, held))


def _by_fields(asked: str, held: frozenset[str]) -> str:
    """A question with its words for a field that is held put by the name of the field: `topic`, `テーマ`."""
    called = {meaning: term for term in sorted(held) if (meaning := meaning_of(term))}
    for word in (*words_of(asked), *(word for word in WIDE_WORDS if word in asked)):
        if term := called.get(meaning_of(word)):
            asked = asked.replace(word, f" {term} ")
    return _COUNTING_PHRASES.sub(" ", asked)


def _belongs(finding: Finding, question: SubQuestion) -> bool:
    if not question.id.startswith("task_"):
        return True
    whose = (question.id, *question.depends_on)
    return any(finding.subtask_id == id or finding.subtask_id.startswith(f"{id}.") for id in whose)


def _terms(text: str) -> frozenset[str]:
    """The terms of a question; pairs with hiragana are left out where others remain: they are endings."""
    wanted = frozenset(query_terms(text))
    return frozenset(term for term in wanted if not _HIRAGANA.search(term)) or wanted


def words_of(text: str, among: Set[str] | None = None) -> tuple[str, ...]:
    """The words of a text that say what it is about, as written; only those all of whose terms are `among` these.

    >>> words_of("How does a cache fill, and what empties it?", among={"fill", "cach"})
    ('cache', 'fill')
    """
    found = []
    for word in _WORD.findall(text):
        own = query_terms(word)
        if own and (among is None or among >= set(own)) and (word.isascii() or len(word) > 1):
            found.append(word.strip("'’.").removesuffix("'s"))
    return tuple(dict.fromkeys(found))
