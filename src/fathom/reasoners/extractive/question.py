"""A question taken apart by its own words: what it is about, what it asks, and what it names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from fathom.languages.clause import Clause
from fathom.languages.exclusions import without_exclusion
from fathom.languages.readers import heading, reader_of
from fathom.reasoners.extractive.names import kanji_names
from fathom.text.analysis import identifiers, query_terms
from fathom.text.characters import count_cjk
from fathom.text.common import telling

MAX_PARTS = 40
"""Clauses that are looked at; a question with more is a text, and its first ones say what it wants."""
ALONE, ALONE_IN_PAIRS = 1.0, 1.6
"""What the terms of a clause must say to be asked alone: as much as a rare word, which is a pair or two in Japanese."""
READ = 2_000
"""Characters that are taken apart; what is longer is a text, and its beginning says what it wants."""


@dataclass(frozen=True, kw_only=True)
class ReadQuestion:
    """What a reader sees in a question before knowing anything of the sources."""

    text: str
    """The question without what it leaves out, white space collapsed."""
    language: str
    """ISO 639-1 code."""
    left_out: str = ""
    """What the answer is not to be about."""
    background: str = ""
    """Sentences that ask nothing, and words that set the scene for all clauses."""
    clauses: tuple[Clause, ...]
    """What it asks, in order; at least one. One that says little by itself is joined to the one before it."""
    thorough: str = ""
    """The word that asks for a comprehensive answer, if any."""
    periods: tuple[str, ...] = ()
    """The periods that it names."""
    is_simple: bool = True
    """Whether it asks one thing, and no comprehensive answer."""
    ordered: bool = False
    """Whether it asks for one thing after the other: background, then state, then outlook."""

    @property
    def compares(self) -> bool:
        """Whether one of its clauses is a comparison."""
        return any(clause.compares for clause in self.clauses)


@lru_cache(maxsize=64)
def read_question(query: str, *, language: str) -> ReadQuestion:
    """The parts of `query`. Text in Japanese is read as such whatever `language` says.

    >>> [c.text for c in read_question("How does a cache fill, and which server empties it?", language="en").clauses]
    ['How does a cache fill', 'which server empties it']
    """
    text, left_out = without_exclusion(" ".join(query.split()))
    read = text[:READ]
    reader = reader_of(read, language)
    background, clauses = reader.clauses(read)
    once = {clause.text.casefold(): clause for clause in clauses if clause.text}
    asked = [*once.values()][:MAX_PARTS] or [Clause(text=text or query, heading=text or query)]
    thorough = reader.thorough(read)
    return ReadQuestion(
        text=text,
        language=language,
        left_out=left_out,
        background=background,
        clauses=tuple(_joined(asked, read, background, language=language)),
        thorough=thorough,
        is_simple=not thorough and len(asked) == 1,
        periods=reader.periods(read),
        ordered=reader.ordered(read),
    )


def asked_apart(query: str, *, language: str) -> list[str]:
    """The clauses of `query`, also those that say little by themselves."""
    read = " ".join(query.split())[:READ]
    return [clause.text for clause in reader_of(read, language).clauses(read)[1]]


def own_words(text: str, question: ReadQuestion) -> str:
    """What a part's search says without the part before it, which it carries along, where that says enough by itself.

    >>> asked = read_question("Please say who owns the barn, who mends the roof and who pays the baker", language="en")
    >>> own_words("who owns the barn who mends the roof", asked)
    'who mends the roof'
    """
    texts = {clause.text for clause in question.clauses}
    for clause in question.clauses:
        lead = text.removesuffix(clause.text).strip()
        if lead != text and lead in texts and not clause.refers and _says(clause, language=question.language) >= 1:
            return clause.text
    return text


def _joined(clauses: list[Clause], text: str, background: str, *, language: str) -> list[Clause]:
    """Clauses of a question of which each says enough to be asked alone.

    One that does not ("and what does that cost?") speaks of what the clause before it is about; the first goes with the
    one behind it, and where there is no other with the sentences that set its scene.
    """
    kept: list[tuple[Clause, float]] = []
    for clause in clauses:
        says = _says(clause, language=language)
        if kept and kept[-1][1] < 1 and not clause.leans and clause.is_plain and kept[-1][0].is_plain:
            before, said = kept[-1]
            kept[-1] = (_both(before, clause, text), max(said, says))
        elif kept and says < 1 and clause.is_plain:
            kept.append((replace(clause, leans=True), 1.0))
        else:
            kept.append((clause, says))
    return [
        clause if says >= 1 else replace(clause, text=f"{background} {clause.text}".strip()) for clause, says in kept
    ]


def _both(first: Clause, second: Clause, text: str) -> Clause:
    """Two clauses as one, in the words of the question."""
    start = text.find(first.text)
    end = text.find(second.text, start + len(first.text)) + len(second.text)
    both = text[start:end] if 0 <= start < end - len(second.text) else f"{first.text}, {second.text}"
    return replace(first, text=both, heading=heading(both))


def _says(clause: Clause, *, language: str) -> float:
    """What the words of a clause say, as a share of what they must to be asked alone; a name says enough."""
    if kanji_names(clause.text) or identifiers(clause.text):
        return 1.0
    terms = query_terms(f"{clause.topic} {clause.text}")
    least = ALONE_IN_PAIRS if any(map(count_cjk, terms)) else ALONE
    return sum(telling(term, language=language) for term in terms) / least
