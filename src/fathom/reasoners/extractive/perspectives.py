"""How different readers would look at a topic: a table of seven, and what each asks of anything."""

from __future__ import annotations

import re

from fathom.asks import GeneratePerspectives
from fathom.languages.packs import either, pack_for
from fathom.languages.readers import titled, under
from fathom.plan import Perspective, Perspectives
from fathom.reasoners.extractive.question import read_question
from fathom.text.analysis import identifiers

KEYWORDS = 5
"""Keywords of a perspective."""
_CUES = {
    reader: re.compile(either(f"readers.{reader}"), re.IGNORECASE)
    for reader in ("newcomer", "engineer", "business", "scientist", "lawyer", "historian", "analyst")
}
"""Words of a topic that a kind of readers asks about."""


def generate_perspectives(ask: GeneratePerspectives) -> Perspectives:
    """The kinds of readers whose words the topic uses most; of others, the first ones.

    Nothing is claimed, and nothing is planned from it: what each asks is put before the topic's name.
    """
    says = pack_for(ask.topic, ask.language).says("perspectives")
    own = f"{ask.topic}\n{ask.domain}" + "\ndataset" * any(source.kind == "dataset" for source in ask.sources)
    cues = {name: {match[0].casefold() for match in words.finditer(own)} for name, words in _CUES.items()}
    chosen = sorted(cues, key=lambda name: -len(cues[name]))[: ask.num_perspectives]
    first = read_question(ask.topic, language=ask.language).clauses[0]
    topic = titled((first.topic or first.heading).removeprefix("the "), ask.topic)
    keywords = tuple(dict.fromkeys((topic, *identifiers(ask.topic))))[:KEYWORDS]
    found = []
    for reader in chosen:
        name, focus, *asked = says["readers"][reader].split(" | ")
        questions = tuple(under(topic, each, ask.topic) for each in asked)
        found.append(Perspective(name=name, focus=focus, questions=questions, keywords=keywords))
    said = ", ".join(dict.fromkeys(cue for reader in chosen for cue in sorted(cues[reader])))
    return Perspectives(perspectives=tuple(found), reasoning=says["said"].format(said) if said else says["none"])
