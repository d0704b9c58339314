"""The parts of a question, by its own words: what each asks in words that stand alone, and what it needs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fathom.languages import readers
from fathom.languages.clause import Clause
from fathom.languages.english import forms
from fathom.languages.packs import either, pack_for, packs
from fathom.reasoners.extractive.question import ReadQuestion
from fathom.text.analysis import query_terms, terms
from fathom.text.reach import speaks_of_own

BESIDES = 0.8
"""Importance of what is asked beside something that is asked for by name."""
_ASKING_START = re.compile(r"^(?:how|what|why|when|where|who|which|is|are|do|does|can|should)\b", re.IGNORECASE)
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
_CHANGE = re.compile(either("parts.change"), re.IGNORECASE)
_EACH = re.compile(either("parts.each"))
_BESIDE = re.compile(
    "|".join(re.escape(each.says("clauses")["beside"]).replace(r"\{\}", ".*") + "$" for each in packs())
)


@dataclass(frozen=True, kw_only=True)
class PlannedPart:
    """A subtask in the making."""

    description: str
    words: str
    """What its query says."""
    focus: str
    importance: float = 1.0
    needs: tuple[int, ...] = ()
    """Positions of the parts that it builds on."""


def divide(
    question: ReadQuestion, *, texts: Sequence[str], limit: int, leaning: bool = True
) -> tuple[str, list[PlannedPart]]:
    """One part for each thing that the question asks, names or stresses, and for each period that it lists.

    A comparison needs the parts for its sides, where these do not stand together. A period needs the one before it when
    the question asks how one led to the other (history, change, evolution), in every language; periods that are only
    listed are independent. Stages need the stage before. What is asked for by name has importance 1.0, and all else
    then less. A part that leans on the one before it carries that along, unless it is not `leaning`: words that say
    little in a text ("how many records per city") say all of data.
    """
    clauses = _absorb(question.clauses)
    resolved = _resolve(clauses, leaning=leaning)
    named = any(clause.named for clause in clauses)
    spread = len(clauses) + sum(len(clause.items) for clause in clauses) <= limit
    changes = bool(_CHANGE.search(question.text))
    temporal = False
    parts: list[PlannedPart] = []
    for clause, description in resolved:
        importance = BESIDES if named and not clause.named else 1.0
        first = len(parts)
        if clause.items and (spread or len(resolved) == 1) and not _stand_together(clause, texts):
            parts += [_item(item, clause, importance=importance) for item in clause.items[:limit]]
        if clause.periods and not clause.items and len(clause.periods) <= limit:
            temporal = True
            for at, words in enumerate(clause.periods):
                part = _period(words, clause.topic, importance=importance)
                parts.append(replace(part, needs=(first + at - 1,) if changes and at else ()))
        elif not clause.items or clause.compares or not spread:
            needs = tuple(range(first, len(parts))) if clause.compares else ()
            focus = clause.heading
            parts.append(
                PlannedPart(
                    description=description, words=words_of(clause), focus=focus, importance=importance, needs=needs
                )
            )
    strategy = "comparative" if question.compares else "aspect"
    if not question.compares and (temporal or len(question.periods) > 1):
        strategy = "temporal"
    elif question.ordered and not question.compares:
        strategy = "sequential"
        parts = [replace(part, needs=(at - 1,) if at else ()) for at, part in enumerate(parts)]
    return strategy, _fit(parts, limit)


def _stand_together(clause: Clause, texts: Sequence[str]) -> bool:
    """Whether the sides of a comparison stand in one text, which then tells more of it than what is told of each."""
    sides = [frozenset(query_terms(item)) for item in clause.items]
    return clause.compares and any(all(side <= held for side in sides) for held in map(frozenset, map(terms, texts)))


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


def _resolve(clauses: Sequence[Clause], *, leaning: bool) -> list[tuple[Clause, str]]:
    """Every clause with its topic, or else one before it: as words that stand alone the clause that "it" speaks of,
    and to be searched with, whatever it says, the one that began. What is one's own goes with nothing else: searches of
    the web would tell it."""
    resolved: list[tuple[Clause, str]] = []
    asked = " ".join(clause.text for clause in clauses)
    began = before = Clause(text="", heading="")
    is_own = False
    for clause in clauses:
        is_said = clause.stressed or clause.heading.endswith("?")
        said = clause.heading if is_said else readers.sentence(clause.text, asked)
        lead = clause.topic
        refers = (clause.refers or (leaning and clause.leans)) and bool(before.text)
        if refers and not lead:
            clause = replace(clause, topic=before.text)
            lead = forms.short(before.heading).rstrip("?")
        elif began.text and leaning and clause.is_plain and not lead and is_own == speaks_of_own(clause.text):
            before, clause = clause, replace(clause, topic=began.text)
        elif not clause.stressed:
            began, before, is_own = clause, clause, speaks_of_own(clause.text)
        if lead:
            said = said[:1].lower() + said[1:] if _ASKING_START.match(said) else said
            said = readers.under(lead, said, asked)
        resolved.append((clause, said))
    return resolved


def heading_of(clause: Clause) -> str:
    """A clause as the heading of all that is told, the topic before it included."""
    if not clause.topic:
        return clause.heading
    said = clause.heading[:1].lower() + clause.heading[1:] if clause.heading[1:2].islower() else clause.heading
    return readers.under(clause.topic, said, clause.text)


def words_of(clause: Clause) -> str:
    """What a query for a clause says: its words, and the topic that it carries."""
    return f"{clause.topic} {clause.text}".strip()


def _period(words: str, topic: str, *, importance: float) -> PlannedPart:
    """The part for one of several periods."""
    said = readers.heading(words)
    description = readers.under(topic, said, words) if topic else said
    return PlannedPart(description=description, words=f"{topic} {words}".strip(), focus=said, importance=importance)


def _item(item: str, clause: Clause, *, importance: float) -> PlannedPart:
    """The part for one of the things that a clause names."""
    name = readers.titled(item, clause.text)
    if clause.compares:
        others = [other for other in clause.items if other != item]
        description = f"{name}{_beside(others, clause.text)}"
        words = item if clause.respect in item else f"{item} {clause.respect}"
    elif clause.topic and item in clause.text:
        description, words = readers.under(clause.topic, item, clause.text), f"{clause.topic} {item}"
    elif clause.topic:
        asked = clause.text
        for pattern, one in _SINGULAR:  # `what do they do` becomes `what does it do`
            asked = pattern.sub(one, asked)
        description, words = f"{item}{pack_for(item + asked).says('clauses')['colon']}{asked}", f"{item} {asked}"
    else:
        narrowed = _narrowed(clause.text, clause.items, item)
        description = readers.sentence(_EACH.sub("", narrowed))
        words = forms.asked_for(narrowed)
    return PlannedPart(description=description, words=words, focus=name, importance=importance)


def _beside(others: Sequence[str], within: str) -> str:
    """What a side of a comparison is set against."""
    says, (*most, last) = pack_for(within).says("clauses"), others
    return str(says["beside"].format(says["joins"].join([says["comma"].join(most), last] if most else [last])))


def own_side(description: str) -> str:
    """The description of a part without what it is set against.

    >>> own_side("Selorstadin (compared with Orlunholmin)"), own_side("青葉沢大橋（月見崎大橋との比較）")
    ('Selorstadin', '青葉沢大橋')
    """
    return _BESIDE.sub("", description)


def _narrowed(text: str, items: Sequence[str], item: str) -> str:
    """The clause about one item of its list: `explain a, b and c` becomes `explain a`."""
    start = text.find(items[0])
    end = text.rfind(items[-1]) + len(items[-1])
    return f"{text[:start]}{item}{text[end:]}" if 0 <= start < end else f"{item} {text}"


def _fit(parts: list[PlannedPart], limit: int) -> list[PlannedPart]:
    """At most `limit` parts: the last of the less important ones are joined, so that nothing that was asked is lost."""
    excess = len(parts) - limit + 1
    if excess < 2:
        return parts
    low = [at for at, part in enumerate(parts) if part.importance < 1]
    joining = low[-excess:] if len(low) >= excess else list(range(len(parts)))[-excess:]
    rest = [parts[at] for at in joining]
    joined = PlannedPart(
        description="; ".join(part.description for part in rest),
        words=" ".join(part.words for part in rest),
        focus=" · ".join(dict.fromkeys(part.focus for part in rest[:2])) + (" · …" if len(rest) > 2 else ""),
        importance=max(part.importance for part in rest),
        needs=tuple(need for part in rest for need in part.needs),
    )
    kept: list[PlannedPart] = []
    home: list[int] = []  # where each part is now
    for at, part in enumerate(parts):
        home.append(home[joining[0]] if at in joining[1:] else len(kept))
        kept += [] if at in joining[1:] else [joined if at == joining[0] else part]
    return [
        replace(part, needs=tuple(sorted({home[need] for need in part.needs if home[need] < at})))
        for at, part in enumerate(kept)
    ]
