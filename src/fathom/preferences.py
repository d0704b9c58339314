"""How a question wishes to be answered: what was heard in its own words, and the outline of whoever brings one."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fathom.frozen import FrozenModel

ReportForm = Literal[
    "comprehensive",
    "paragraphs",
    "bullets",
    "table",
    "timeline",
    "brief",
    "executive_summary",
    "decision_brief",
    "literature_review",
]
"""How the report is set, and so which kind of report it is: a timeline is both."""
LengthUnit = Literal["words", "characters", "sentences", "items"]
BRIEF: frozenset[ReportForm] = frozenset({"brief", "executive_summary", "decision_brief"})
"""The forms that tell the answer and nothing besides."""
BRIEF_WORDS = 250
"""Words of such a report, where nobody says how many."""


class Length(FrozenModel):
    """How long the report may be."""

    most: int = Field(ge=1)
    """At most so many."""
    unit: LengthUnit
    """Of what: of all that stands above the list of sources, or of its sentences or points."""


class ReportPreferences(FrozenModel):
    """How the report is to be written. What is empty was not wished for."""

    topic: str
    """The question without its wishes: what is planned, searched and set as a heading."""
    wishes: tuple[str, ...] = ()
    """The wishes in the words of the question, in its order."""
    audience: str = ""
    """For whom it is, in the words of the question."""
    lengths: tuple[Length, ...] = ()
    """How long it may be, each unit once."""
    form: ReportForm | None = None
    """How it is set."""
    tone: str = ""
    """How it sounds, in the words of the question."""
    language: str = ""
    """ISO 639-1 code of the language that it is to be written in."""
    exclusions: tuple[str, ...] = ()
    """What it is not to be about."""
    since: str = ""
    """The first day that it is about (ISO 8601 date)."""
    until: str = ""
    """The day behind the last one (ISO 8601 date)."""
    region: str = ""
    """The place that matters."""

    @property
    def told(self) -> str:
        """What was heard, on one line, as a person reads it."""
        said = {
            "form": (self.form or "").replace("_", " "),
            "at most": ", ".join(f"{length.most:,} {length.unit}" for length in self.lengths),
            "for": self.audience,
            "tone": self.tone,
            "language": self.language,
            "without": ", ".join(self.exclusions),
            "from": self.since,
            "before": self.until,
            "region": self.region,
        }
        return "; ".join(f"{name}: {value}" for name, value in said.items() if value)

    @property
    def words(self) -> int | None:
        """How many words it may have, as far as its lengths tell; a character of Japanese is half a word."""
        characters = self.most("characters")
        given = (self.most("words"), characters and -(-characters // 2), BRIEF_WORDS if self.form in BRIEF else None)
        return min(filter(None, given), default=None)

    def most(self, unit: LengthUnit) -> int | None:
        """How many of a unit it may have; `None` when that was not wished."""
        return min((length.most for length in self.lengths if length.unit == unit), default=None)


class TemplateSection(FrozenModel):
    """A heading of a report's outline, and what belongs there."""

    heading: str = Field(min_length=1)
    """As it is to stand in the report."""
    hint: str = ""
    """What belongs under it."""


class ReportTemplate(FrozenModel):
    """The outline of a report."""

    title: str = ""
    """Title of the report; empty when the question gives it."""
    sections: tuple[TemplateSection, ...] = Field(min_length=1)
    """In order."""
