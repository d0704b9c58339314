"""ClarifyQuestion by the names of documents: which of those that share one is meant, or which version of one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from fathom.asks import ClarifyQuestion, PlanResearch
from fathom.clarification import MOST_CHOICES, Choice, OpenPoint, OpenPoints, led_by
from fathom.evidence import Document
from fathom.languages.packs import either
from fathom.reasoners.extractive.plan import plan_research
from fathom.reasoners.extractive.question import read_question
from fathom.text.analysis import query_terms, terms
from fathom.text.phrases import phrases
from fathom.text.reach import asks_for_current
from fathom.text.versions import YEAR, replaced_documents
from fathom.text.when import when

NAMESAKES, VERSIONS = 8, 4
"""Documents, the best for the question, among which others of one name, and other versions of the first, are looked
for."""
PARTS = 6
"""Of a plan that is made to see whether it is another one."""
_BESIDE_THE_NAME = re.compile(
    r"^(?P<name>[^(（,，:：]+?)\s*(?:[(（](?P<within>[^()（）]+)[)）]|[,，]\s*(?P<behind>\S.*))$"
)
_OF_CHANGE = re.compile(either("parts.change"), re.IGNORECASE)


def clarify_question(ask: ClarifyQuestion) -> OpenPoints:
    """One point at most: which of the documents is meant. None where the question tells, or the plan stays the same."""
    best = best_documents(ask)
    meant = _namesakes(best[:NAMESAKES], ask.query) or ([] if _tells_when(ask) else _versions(best[:VERSIONS]))
    titles = list(dict.fromkeys(each.title for each in meant))[:MOST_CHOICES]
    if len(titles) < 2:
        return OpenPoints()
    choices = tuple(Choice(label=each, question=led_by(each, ask.query)) for each in titles)
    return OpenPoints(points=changing(ask, [OpenPoint(question=phrases(ask.language).which_is_meant, choices=choices)]))


def best_documents(ask: ClarifyQuestion) -> list[Document]:
    """What was found for the question as it stands, the best first."""
    documents = {each.sha256: each for each in ask.preview.documents}
    return [documents[id] for id in dict.fromkeys(each.document for each in ask.preview.passages)]


def changing(ask: ClarifyQuestion, points: Iterable[OpenPoint]) -> tuple[OpenPoint, ...]:
    """The points by which the plan, as made by rule, is another one, with the choices that each make their own."""
    kept, plans = list[OpenPoint](), {_plan(ask, ask.query)}
    for point in points:
        choices = list[Choice]()
        for choice in point.choices:
            if (plan := _plan(ask, choice.question)) not in plans:
                plans.add(plan)
                choices.append(choice)
        if choices:
            kept.append(point.model_copy(update={"choices": tuple(choices)}))
    return tuple(kept)


def _plan(ask: ClarifyQuestion, query: str) -> tuple[frozenset[str], ...]:
    """What each part of the plan for a question searches for."""
    parts = plan_research(PlanResearch.like(ask, query=query, max_questions=PARTS)).subtasks
    return tuple(frozenset(term for query in part.queries for term in query_terms(query.text)) for part in parts)


def _namesakes(best: Sequence[Document], query: str) -> list[Document]:
    """Documents on what bears one name, which the question says without what tells them apart: `Mercury (planet)`."""
    asked = set(terms(query))
    named: dict[tuple[str, ...], dict[Document, set[str]]] = {}
    for document in best:
        found = _BESIDE_THE_NAME.match(document.title)
        name = tuple(terms(found["name"] if found else document.title))
        if name and asked.issuperset(name):
            beside = terms(found["within"] or found["behind"]) if found else []
            named.setdefault(name, {})[document] = {*beside} - {*name}
    for sharing in named.values():
        common = set.intersection(*sharing.values())
        if len(sharing) > 1 and not any((own - common) & asked for own in sharing.values()):
            return list(sharing)
    return []


def _versions(best: Sequence[Document]) -> list[Document]:
    """The best document with those that are other versions of it."""
    newer = replaced_documents({each.sha256: each for each in best})
    first = best[0].sha256 if best else ""
    family = {first, *newer.get(first, ()), *(old for old, known in newer.items() if first in known)}
    return [each for each in best if each.sha256 in family]


def _tells_when(ask: ClarifyQuestion) -> bool:
    """Whether the question says of when it speaks, or of what has changed."""
    query = unicodedata.normalize("NFKC", ask.query)
    tells = bool(when(query, today=ask.today).places or YEAR.search(query) or _OF_CHANGE.search(query))
    return tells or asks_for_current(query, today=ask.today) or read_question(query, language=ask.language).compares
