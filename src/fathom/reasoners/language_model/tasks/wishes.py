"""HearWishes: what a question asks and how it wishes to be answered, as a model tells the two apart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Literal

from fathom.asks import HearWishes
from fathom.preferences import Length, LengthUnit, ReportForm, ReportPreferences
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.reasoners.language_model.tasks.words import line, lines

LENGTH = 160
"""Characters of a wish."""
MOST = 20
"""Wishes, and exclusions."""


class Heard(Wire, title="HearWishes"):
    """The topic and the wishes."""

    topic: str
    """What is asked, without the wishes."""
    wishes: list[str] = []
    """The words of the question that wish for something, copied."""
    audience: str = ""
    """For whom it is."""
    words: int = 0
    """At most so many words; 0 when nothing is said."""
    characters: int = 0
    """At most so many characters."""
    sentences: int = 0
    """At most so many sentences."""
    items: int = 0
    """At most so many points or rows."""
    form: ReportForm | Literal[""] = ""
    """How it is set."""
    tone: str = ""
    """How it sounds."""
    language: str = ""
    """ISO 639-1 code of the language that it is wished for in."""
    exclusions: list[str] = []
    """What is to be left out, each in a few words."""
    since: str = ""
    """The first day that it is about, YYYY-MM-DD."""
    until: str = ""
    """The day behind the last one."""
    region: str = ""
    """The place that it is about."""


class HearWishesTask(Task[HearWishes, ReportPreferences]):
    """A question in, its topic and its wishes out."""

    name = "hear_wishes"
    answer_tokens = 700
    prompt_tokens = 1_500

    def drafts(self, ask: HearWishes, *, room: int) -> Sequence[Draft[ReportPreferences]]:  # noqa: ARG002 - it is short
        """The question alone."""
        return [Draft({"follows": ask.follows}, Heard, partial(_preferences, ask))]


def _preferences(ask: HearWishes, heard: Heard) -> Read[ReportPreferences]:
    """What was heard; a wish that the question does not say letter by letter was invented, and without any of them
    there is none."""
    said = " ".join(ask.query.split()).casefold()
    given = lines(heard.wishes, most=MOST)
    wishes = tuple(each for each in given if each.casefold() in said)
    topic = " ".join(plain(heard.topic, [ask.query]).split())
    if not wishes:
        return Read(ReportPreferences(topic=ask.query), len(given))
    if not (topic or ask.follows):
        raise ValueError("`topic` must say what is asked")
    units: tuple[LengthUnit, ...] = ("words", "characters", "sentences", "items")
    lengths = ((unit, getattr(heard, unit)) for unit in units)
    code = heard.language.strip().lower()
    preferences = ReportPreferences(
        topic=topic,
        wishes=wishes,
        audience=line(plain(heard.audience, [ask.query]), LENGTH),
        lengths=tuple(Length(most=most, unit=unit) for unit, most in lengths if most > 0),
        form=heard.form or None,
        tone=line(plain(heard.tone), LENGTH),
        language=code if len(code) == 2 and code.isalpha() and code.isascii() else "",
        exclusions=lines(map(plain, heard.exclusions), most=MOST),
        since=_day(heard.since),
        until=_day(heard.until),
        region=line(plain(heard.region), LENGTH),
    )
    return Read(preferences, len(given) - len(wishes))


def _day(said: str) -> str:
    try:
        return date.fromisoformat(said.strip()).isoformat()
    except ValueError:
        return ""
