"""How different readers would look at a topic: what each asks, in the topic's own words, and searches for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.asks import GeneratePerspectives
from fathom.plan import Perspective, Perspectives
from fathom.reasoners.extractive.holdings import clean_heading
from fathom.reasoners.extractive.parts import titled
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.readers import READERS, Reader
from fathom.reasoners.extractive.subjects import named_subject
from fathom.reasoners.extractive.topic import topic_of
from fathom.text.analysis import identifiers, query_terms, terms
from fathom.text.characters import count_cjk

OF_TOPIC = 3
"""What a cue in the topic or its field weighs, beside 1 for one in the headings of the sources."""
OF_HEADINGS = 2
"""Cues in headings that count: they tell what the sources hold, not what is asked."""
KEYWORDS = 5
"""Keywords of a perspective."""
WORDS = 4
"""Words that stand for a topic that nothing names."""
_ASKS = re.compile(r"^(?:how|what|why|when|where|who|which|is|are|do|does|did|can|should)\b|[?？]$", re.IGNORECASE)


def generate_perspectives(ask: GeneratePerspectives) -> Perspectives:
    """The kinds of readers whose words the topic uses most, each with what such a reader asks of anything.

    Nothing is claimed: questions are built from the topic's words, keywords are taken from it and from the headings of
    the sources that share a word with it.
    """
    wide = ask.language == "ja" or count_cjk(ask.topic) > 0
    topic, headings = _name_of(ask), _headings(ask)
    own = f"{ask.topic}\n{ask.domain}" + "\ndataset" * any(source.kind == "dataset" for source in ask.sources)
    found = [[*_cues(reader, [own]) * OF_TOPIC, *_cues(reader, headings)[:OF_HEADINGS]] for reader in READERS]
    chosen = sorted(range(len(READERS)), key=lambda at: (-len(found[at]), at))[: ask.num_perspectives]
    cues = list(dict.fromkeys(cue for at in chosen for cue in found[at]))
    return Perspectives(
        perspectives=tuple(_perspective(READERS[at], topic, ask, headings, wide=wide) for at in chosen),
        reasoning=_reason(cues, wide=wide),
    )


def _reason(cues: Sequence[str], *, wide: bool) -> str:
    if wide:
        return (
            f"話題と資料の語に最も合う読み手です（{'、'.join(cues)}）。"
            if cues
            else "特定の読み手を示す語はありません。"
        )
    return (
        f"Their words stand in the topic or its sources: {', '.join(cues)}." if cues else "No word points to a reader."
    )


def _cues(reader: Reader, texts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(match[0].casefold() for text in texts for match in reader.cues.finditer(text)))


def _perspective(
    reader: Reader, topic: str, ask: GeneratePerspectives, headings: Sequence[str], *, wide: bool
) -> Perspective:
    told, colon = (reader.japanese, "：") if wide else (reader.english, ": ")
    fitting = sorted(headings, key=lambda heading: not reader.cues.search(heading))
    return Perspective(
        name=told.name,
        focus=told.focus,
        questions=tuple(f"{topic}{colon}{question}" for question in told.questions),
        keywords=tuple(dict.fromkeys((topic, *identifiers(ask.topic), *fitting)))[:KEYWORDS],
    )


def _name_of(ask: GeneratePerspectives) -> str:
    """What a topic is called: what it or its sources name, else its heading, else its first words that matter."""
    question = read_question(ask.topic, language=ask.language)
    first = question.clauses[0]
    texts = [text for source in ask.sources for text in (*source.titles, *source.headings)]
    rarity = Rarity.over(ask.sources)
    found = first.topic or named_subject(first.text) or topic_of(question.text, texts=texts, rarity=rarity)
    if not found and count_cjk(question.text):
        found = topic_of(question.text, texts=[question.text] * 2, rarity=rarity)  # its own longest phrase
    if not found and not _ASKS.search(first.heading):
        found = first.heading
    if not found:
        found = " ".join([word.strip("?,;:.") for word in first.text.split() if query_terms(word)][:WORDS])
    return titled((found or question.text).removeprefix("the "), ask.topic)


def _headings(ask: GeneratePerspectives) -> list[str]:
    """Headings and titles of the sources that share a word with the topic and say something else besides."""
    wanted = set(query_terms(ask.topic))
    found: dict[str, None] = {}
    for source in ask.sources:
        for heading in (*source.headings, *source.titles):
            text = clean_heading(heading)
            held = set(terms(text))
            if wanted & held and held - wanted:
                found[text] = None
    return list(found)
