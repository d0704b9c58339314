"""A question taken apart by its own words: what it is about, what it asks, and what it names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from fathom.reasoners.extractive import english, japanese
from fathom.reasoners.extractive.clause import Clause

MAX_PARTS = 40
"""Clauses that are looked at; a question with more is a text, and its first ones say what it wants."""
READ = 2_000
"""Characters that are taken apart; what is longer is a text, and its beginning says what it wants."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a reader sees in a question before knowing anything of the sources."""

    text: str
    """The question, white space collapsed."""
    language: str
    """ISO 639-1 code."""
    background: str = ""
    """Sentences that ask nothing, and words that set the scene for all clauses."""
    clauses: tuple[Clause, ...]
    """What it asks, in order; at least one."""
    thorough: str = ""
    """The word that asks for a comprehensive answer, if any."""
    periods: tuple[str, ...] = ()
    """The periods that it names."""
    ordered: bool = False
    """Whether it asks for one thing after the other: background, then state, then outlook."""

    @property
    def compares(self) -> bool:
        """Whether one of its clauses is a comparison."""
        return any(clause.compares for clause in self.clauses)


@lru_cache(maxsize=64)
def read_question(query: str, *, language: str) -> Question:
    """The parts of `query`. Text in Japanese is read as such whatever `language` says.

    >>> [c.text for c in read_question("How does a cache fill, and what empties it?", language="en").clauses]
    ['How does a cache fill', 'what empties it']
    """
    text = " ".join(query.split())
    read = text[:READ]
    reader = japanese if language == "ja" or japanese.looks_japanese(read) else english
    background, clauses = reader.clauses(read)
    return Question(
        text=text,
        language=language,
        background=background,
        clauses=tuple(_without_repetition(clauses)[:MAX_PARTS]) or (Clause(text=text or query, heading=text or query),),
        thorough=reader.thorough(read),
        periods=reader.periods(read),
        ordered=reader.ordered(read),
    )


def _without_repetition(clauses: list[Clause]) -> list[Clause]:
    seen: dict[str, Clause] = {}
    for clause in clauses:
        key = clause.text.casefold()
        if key in seen:
            clause = replace(clause, named=clause.named or seen[key].named)
        seen[key] = clause
    return list(seen.values())
