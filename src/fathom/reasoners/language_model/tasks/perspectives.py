"""GeneratePerspectives: who would look at a topic in ways of their own, as a model sees that."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from fathom.asks import GeneratePerspectives
from fathom.plan import Perspective, Perspectives
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.reasoners.language_model.tasks.sources import shown_sources
from fathom.reasoners.language_model.tasks.words import line, lines, searches, shown_tokens

NAME_LENGTH = 60
FOCUS_LENGTH = 160
QUESTIONS = 4
"""Questions of each."""
KEYWORDS = 6
"""Keywords of each."""


class Seen(Wire):
    """One way to look at it."""

    name: str
    """Who that is, in a few words."""
    focus: str
    """What they would look at, in a few words."""
    questions: list[str] = []
    """One to three questions that they would ask, in words that stand alone."""
    keywords: list[str] = []
    """One to five searches."""


class Perceived(Wire, title="GeneratePerspectives"):
    """Several ways to look at it."""

    reasoning: str = ""
    """Why these, in a sentence."""
    perspectives: list[Seen]
    """The most telling first."""


class GeneratePerspectivesTask(Task[GeneratePerspectives, Perspectives]):
    """A topic in, ways to look at it out."""

    name = "generate_perspectives"
    answer_tokens = 900
    prompt_tokens = 1_800

    def drafts(self, ask: GeneratePerspectives, *, room: int) -> Sequence[Draft[Perspectives]]:
        """The topic and what the sources say of themselves."""
        variables = {
            "topic": ask.topic,
            "domain": line(ask.domain, FOCUS_LENGTH),
            "num_perspectives": ask.num_perspectives,
            "sources": shown_sources(ask.sources, room=max(0, room - shown_tokens(ask.topic))),
        }
        return [Draft(variables, Perceived, partial(_perspectives, ask))]


def _perspectives(ask: GeneratePerspectives, wire: Perceived) -> Read[Perspectives]:
    found: dict[str, Perspective] = {}
    for seen in wire.perspectives:
        name = line(plain(seen.name), NAME_LENGTH)
        if name and name.casefold() not in found:
            found[name.casefold()] = Perspective(
                name=name,
                focus=line(plain(seen.focus), FOCUS_LENGTH),
                questions=lines(map(plain, seen.questions), most=QUESTIONS),
                keywords=tuple(searches(seen.keywords, most=KEYWORDS)),
            )
    if not found:
        raise ValueError("`perspectives` must hold at least one with a name")
    kept = tuple(found.values())[: ask.num_perspectives]
    return Read(Perspectives(perspectives=kept, reasoning=line(plain(wire.reasoning), 300)))
