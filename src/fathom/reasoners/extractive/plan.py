"""Plans: which subtasks answer a question, by its own words and by what the sources turn out to hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fathom.asks import PlanResearch
from fathom.evidence import Query
from fathom.plan import MasterPlan, Strategy, Subtask
from fathom.reasoners.extractive.clause import Clause
from fathom.reasoners.extractive.english import subject
from fathom.reasoners.extractive.holdings import headings_about
from fathom.reasoners.extractive.question import Question, read_question
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.topic import topic_of
from fathom.text.analysis import query_terms
from fathom.text.characters import count_cjk
from fathom.text.stopwords import ASKING_WORDS, ENGLISH_STOP_WORDS

LONG_QUESTION = 200
"""Characters from which a question counts as complex when it divides at all."""
QUERIES = 5
"""Queries of a subtask that asks several things at once."""
_ANTECEDENT_WORDS = 4
_PRONOUN = re.compile(
    r"\b(it|they|them|one)\b(?!\s+(?:of|is\s+most|[a-z]+s?\s+(?:be|can)\b))|\b(its|their)\b", re.IGNORECASE
)
_SINGULAR = [
    (re.compile(pattern, re.IGNORECASE), one)
    for pattern, one in (
        (r"\bdo\s+they\b", "does it"),
        (r"\bare\s+they\b", "is it"),
        (r"\bhave\s+they\b", "has it"),
        (r"\bthe[ym]\b", "it"),
        (r"\btheir\b", "its"),
    )
]
_CHANGE = re.compile(
    r"\b(?:evol|chang|histor|develop|transition|became|since)\w*|変遷|経緯|変化|推移|発展", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True)
class Part:
    """A subtask in the making."""

    description: str
    words: str
    """What its query says."""
    focus: str
    importance: float = 1.0
    needs: tuple[int, ...] = ()
    """Positions of the parts that it builds on."""


def plan_research(ask: PlanResearch) -> MasterPlan:
    """One subtask for a simple question; else one for each thing that it asks."""
    question = read_question(ask.query, language=ask.language)
    rarity = Rarity.over(ask.sources)
    texts = [passage.text for passage in ask.preview.passages]
    topic = question.clauses[0].topic or topic_of(question.text, texts=texts, rarity=rarity)
    whole = Part(description=question.text, words=question.text, focus=_titled(topic) or question.clauses[0].heading)
    criteria = _criteria(question)
    if ask.mode == "simple":
        return _simple(question, whole, "simple mode was asked for")
    strategy, parts = _divide(question, texts=texts, rarity=rarity, limit=ask.max_questions)
    thorough = bool(question.thorough) or ask.mode == "hierarchical" or len(question.text) > LONG_QUESTION
    if len(parts) < 2 and thorough and ask.max_questions > 1:
        strategy, parts = "hierarchical", _by_headings(ask, question, topic=topic, whole=whole)
    if ask.mode == "hierarchical":
        criteria.append("hierarchical mode was asked for")
    if len(parts) < 2 or not criteria:
        reason = "it asks one thing" if not criteria else f"{'; '.join(criteria)}; but nothing to divide it by"
        return _simple(question, whole, reason)
    subtasks = tuple(
        Subtask(
            subtask_id=f"task_{at + 1}",
            description=part.description,
            focus_area=part.focus,
            priority=at + 1,
            dependencies=tuple(f"task_{need + 1}" for need in part.needs),
            estimated_importance=part.importance,
            queries=(Query(text=part.words, context=question.text),),
        )
        for at, part in enumerate(parts)
    )
    return MasterPlan(
        is_complex=True,
        complexity_reasoning="; ".join(criteria),
        execution_mode="hierarchical",
        strategy=strategy,
        subtasks=subtasks,
        overall_strategy=f"{strategy}: {' · '.join(part.focus for part in parts)}",
    )


def _simple(question: Question, whole: Part, reason: str) -> MasterPlan:
    """One subtask that asks all clauses at once."""
    texts = list(dict.fromkeys(filter(None, (_words(clause) for clause in question.clauses))))
    if len(texts) < 2:
        texts = [question.text]
    subtask = Subtask(
        subtask_id="task_1",
        description=whole.description,
        focus_area=whole.focus,
        estimated_importance=1.0,
        queries=tuple(Query(text=text, context=question.text) for text in _at_most(texts, QUERIES)),
    )
    return MasterPlan(
        is_complex=False,
        complexity_reasoning=reason,
        subtasks=(subtask,),
        overall_strategy=whole.focus,
    )


def _at_most(texts: list[str], limit: int) -> list[str]:
    """The last ones joined, so that none is lost."""
    return texts if len(texts) <= limit else [*texts[: limit - 1], " ".join(texts[limit - 1 :])]


def _criteria(question: Question) -> list[str]:
    """What makes the question complex, in words."""
    met = []
    if len(question.clauses) > 1:
        met.append(f"asks {len(question.clauses)} things")
    if question.compares:
        met.append("compares")
    if any(len(clause.items) > 1 for clause in question.clauses):
        met.append("names several things")
    if len(question.periods) > 1:
        met.append(f"spans periods ({', '.join(question.periods)})")
    if question.thorough:
        met.append(f"wants a comprehensive answer ({question.thorough})")
    if question.sides:
        met.append(f"needs internal and external knowledge ({', '.join(question.sides)})")
    if len(question.text) > LONG_QUESTION:
        met.append(f"is longer than {LONG_QUESTION} characters")
    return met


# ── By the question's own words ────────────────────────────────────────────────────────────────────────────────────


def _divide(question: Question, *, texts: Sequence[str], rarity: Rarity, limit: int) -> tuple[Strategy, list[Part]]:
    clauses = _absorb(question.clauses)
    resolved = list(_resolve(clauses, texts=texts, rarity=rarity))
    named = any(clause.named for clause in clauses)
    items = sum(len(clause.items) for clause in clauses)
    spread = len(clauses) + items <= limit
    parts: list[Part] = []
    for clause in resolved:
        importance = 0.8 if named and not clause.named else 1.0
        first = len(parts)
        if clause.items and (spread or len(resolved) == 1):
            for item in clause.items[:limit]:
                parts.append(_item(item, clause, importance=importance))
        if not clause.items or clause.compares or not spread:
            needs = tuple(range(first, len(parts))) if clause.compares else ()
            parts.append(
                Part(
                    description=_described(clause),
                    words=_words(clause),
                    focus=_short(clause.heading),
                    importance=importance,
                    needs=needs,
                )
            )
    strategy: Strategy = "comparative" if question.compares else "aspect"
    if len(parts) == 1 and len(question.periods) > 1:
        strategy, parts = "temporal", _by_periods(question)
    elif len(question.periods) > 1 and not question.compares:
        strategy = "temporal"
    elif question.ordered and not question.compares:
        strategy = "sequential"
    if strategy == "sequential" or (strategy == "temporal" and _CHANGE.search(question.text)):
        parts = [replace(part, needs=(at - 1,) if at else ()) for at, part in enumerate(parts)]
    return strategy, _fit(parts, limit)


def _absorb(clauses: Sequence[Clause]) -> list[Clause]:
    """Clauses about each item of a list become one: `a and b: what do they do and how are they tuned`."""
    kept: list[Clause] = []
    for clause in clauses:
        last = kept[-1] if kept else None
        if last and last.items and not last.compares and clause.topic and clause.topic == last.topic and clause.refers:
            kept[-1] = replace(last, text=f"{last.text}, {clause.text}")
        else:
            kept.append(clause)
    return kept


def _resolve(clauses: Sequence[Clause], *, texts: Sequence[str], rarity: Rarity) -> list[Clause]:
    """Every clause with the topic that it carries over from the clauses before it."""
    resolved: list[Clause] = []
    antecedent = ""
    for clause in clauses:
        own = [term for term in query_terms(clause.text) if rarity.of(term) > 1]
        thin = len(own) < 2
        if clause.topic:
            resolved.append(_named(clause, clause.topic))
        elif antecedent and (clause.refers or thin) and antecedent.casefold() not in clause.text.casefold():
            resolved.append(_named(replace(clause, topic=antecedent), antecedent))
        else:
            resolved.append(clause)
        if not antecedent or not thin:
            found = topic_of(clause.text, texts=texts, rarity=rarity) or ", ".join(clause.items)
            antecedent = clause.topic or found or antecedent or subject(clause.text)
    return resolved


def _named(clause: Clause, antecedent: str) -> Clause:
    """The clause with a short antecedent in the place of its pronoun, when there is exactly one."""
    pronouns = list(_PRONOUN.finditer(clause.text))
    if not clause.refers or len(pronouns) != 1 or len(antecedent.split()) > _ANTECEDENT_WORDS:
        return clause
    at = pronouns[0]
    word = f"{antecedent}'s" if at[2] else antecedent
    text = f"{clause.text[: at.start()]}{word}{clause.text[at.end() :]}"
    heading = _PRONOUN.sub(word, clause.heading, count=1)
    return replace(clause, text=text, heading=heading, topic="")


def _described(clause: Clause) -> str:
    """The clause in words that stand alone."""
    if not clause.topic:
        return _sentence(clause.text)
    return f"{clause.topic}{_colon(clause.topic)}{clause.text}"


def _sentence(text: str) -> str:
    """With a capital, unless the first word may be a name that has none."""
    first = text.split(" ", 1)[0].lower()
    return text[:1].upper() + text[1:] if first in ENGLISH_STOP_WORDS | ASKING_WORDS else text


def _words(clause: Clause) -> str:
    return f"{clause.topic} {clause.text}".strip()


def _item(item: str, clause: Clause, *, importance: float) -> Part:
    """The part for one of the things that a clause names."""
    if clause.compares:
        description, words = f"{item}{_colon(item + clause.text)}{clause.heading}", item
    elif clause.topic:
        asked = _of_one(clause.text)
        description, words = f"{item}{_colon(item + asked)}{asked}", f"{item} {asked}"
    else:
        words = description = _narrowed(clause.text, clause.items, item)
    return Part(
        description=_sentence(description),
        words=words,
        focus=_short(item),
        importance=importance,
    )


def _narrowed(text: str, items: Sequence[str], item: str) -> str:
    """The clause about one item of its list: `explain a, b and c` becomes `explain a`."""
    start = text.find(items[0])
    end = text.rfind(items[-1]) + len(items[-1])
    return f"{text[:start]}{item}{text[end:]}" if 0 <= start < end else f"{item} {text}"


def _of_one(text: str) -> str:
    """What is asked of several things, asked of one: `what do they do` becomes `what does it do`."""
    for pattern, one in _SINGULAR:
        text = pattern.sub(one, text)
    return text


def _by_periods(question: Question) -> list[Part]:
    text = question.clauses[0].text
    return [
        Part(description=f"{text} ({period})", words=f"{period} {text}", focus=period[:1].upper() + period[1:])
        for period in question.periods
    ]


def _fit(parts: list[Part], limit: int) -> list[Part]:
    """At most `limit` parts: the last ones are joined, so that nothing that was asked is lost."""
    if len(parts) <= limit:
        return parts
    kept, rest = parts[: limit - 1], parts[limit - 1 :]
    joined = Part(
        description="; ".join(part.description for part in rest),
        words=" ".join(part.words for part in rest),
        focus=rest[0].focus,
        importance=max(part.importance for part in rest),
        needs=tuple(sorted({need for part in rest for need in part.needs if need < limit - 1})),
    )
    return [*kept, joined]


# ── By what the sources hold ───────────────────────────────────────────────────────────────────────────────────────


def _by_headings(ask: PlanResearch, question: Question, *, topic: str, whole: Part) -> list[Part]:
    """The topic as a whole, then what the headings of the sources divide it into."""
    found = headings_about(
        topic or question.text,
        passages=ask.preview.passages,
        rarity=Rarity.over(ask.sources),
        limit=ask.max_questions - 1,
    )
    if not found:
        return [whole]
    mark = _colon(question.text)
    name = whole.focus
    return [
        replace(whole, focus=name),
        *(
            Part(description=f"{name}{mark}{heading}", words=f"{name} {heading}", focus=heading, importance=0.6)
            for heading in found
        ),
    ]


def _titled(topic: str) -> str:
    """A topic as a heading: with a capital, unless it holds anything but plain words."""
    plain = topic.replace(" ", "").replace("-", "").isalpha()
    return _short(topic[:1].upper() + topic[1:] if plain and topic.isascii() else topic)


def _short(heading: str) -> str:
    """A heading of at most twelve words."""
    words = heading.split()
    return heading if len(words) <= 12 else " ".join(words[:12]) + " …"


def _colon(text: str) -> str:
    return "：" if count_cjk(text) else ": "
