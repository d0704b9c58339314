"""The words of a report in HTML that its Markdown has not: its notes, its table of contents, how it was made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fathom.languages.packs import pack
from fathom.report import SupportStatus


@dataclass(frozen=True, kw_only=True)
class Words:
    """What stands in the HTML besides the phrases of the report. `{…}` marks what `str.format` fills in."""

    contents: str
    """Heading of the table of contents."""
    skip: str
    """Link past the table of contents."""
    notes: str
    """Heading of the footnotes."""
    made: str
    """Heading of how the report was made."""
    disputed: str
    """Link from a sentence to what other sources say."""
    question: str
    """Before the question, when the title is another."""
    understood: str
    """The question as it was understood, when the run has asked what it means."""
    note: str
    """Names a footnote, for who cannot see its number: `{number}`."""
    back: str
    """Link back to the sentence: `{number}` is the how-manieth that cites the note."""
    close: str
    """Closes a note that stands over the text."""
    checked: str
    """The sentences that were checked: `{claims}`."""
    status: dict[SupportStatus, str]
    """What the mark behind a sentence means."""
    sources: str
    """How many sources are cited: `{count}`."""
    digest: str
    """Before the digest of a snapshot."""
    picture: str
    """What a picture shows, for who cannot see it: `{title}`."""
    answered_by: str
    """What answered the asks."""
    models: str
    """Models, with the number of their answers."""
    calls: str
    """How many calls."""
    tokens: str
    """Tokens sent and received."""
    told_tokens: str
    """`{sent}` and `{received}`."""
    cost: str
    """US dollars."""
    seconds: str
    """Wall time."""
    told_seconds: str
    """`{seconds}`."""
    date: str
    """When the report was written."""
    run: str
    """The run's id."""


@cache
def words(language: str) -> Words:
    """The words of a language, given as an ISO 639-1 code; of one that has none, the English ones.

    >>> words("ja").notes, words("fr").contents, words("fi").notes
    ('注', 'Sommaire', 'Notes')
    """
    return Words(**pack(language).says("page"))
