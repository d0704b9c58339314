"""The text of a section, as a model writes it on the findings that it is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from fathom.asks import WriteSection
from fathom.findings import Statement
from fathom.reasoners.extractive.write import write_section
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.material import (
    FRAME_TOKENS,
    SPEAKER_TOKENS,
    Form,
    Item,
    Said,
    answer_items,
    grouped,
    ids_to_cite,
    in_batches,
    items_of,
    numbered,
    sources_of,
    speakers,
    statement_of,
)
from fathom.reasoners.language_model.tasks.sources import has_data
from fathom.reasoners.language_model.tasks.words import fitting, shown_tokens
from fathom.report import Section
from fathom.text.display import word_count

BEST = 3
"""Findings of a subtask that stand for its answer when nobody has put it into statements."""
SLACK = 1.15
"""How far a text may be longer than asked for; statements beyond are left off."""
MOST_WORDS = 0.28
"""Words that a prompt may ask for, by the tokens of its room."""
LEAST_WORDS, LONGEST = 20, 1_000
"""Of what a prompt asks for, and the most that an answer holds."""
ANSWER_SHARE = 6
"""Most of the room, as its part, that the answer which the summary tells takes beside a section's findings."""
HEADINGS, HEADING_TOKENS = 20, 200
"""Most headings of other sections that are shown, and the tokens that they may take."""


class Stated(Said):
    """A statement and how it is set."""

    assessment: bool = False
    """Whether it weighs, concludes or recommends, and stands in none of the findings itself."""
    form: Form = "paragraph"
    """`paragraph` for running text; `lead_in` for the sentence before a list; `item` for each entry of the list."""


class WriteSectionAnswer(Wire, title="WriteSection"):
    """A section as a model writes it."""

    statements: list[Stated]
    """The text of the section, in order."""


class WriteSectionTask(Task[WriteSection, Section]):
    """Findings in, statements on them out; of a long section in several prompts, one after the other in the text."""

    name = "write_section"
    answer_tokens = 2_400
    prompt_tokens = 4_000

    def rule(self, ask: WriteSection) -> Section | None:
        """With one subtask its answer is the summary, and there is nothing to conclude from."""
        if not ask.findings:
            return Section()
        if ask.role == "section" or len(ask.syntheses) != 1:
            return None
        if ask.role == "conclusion":
            return Section()
        (only,) = ask.syntheses
        given = {finding.id for finding in ask.findings}
        stated = [statement for statement in only.statements if given.issuperset(statement.findings)]
        if not stated:
            return write_section(ask)
        return Section(statements=_within(stated, ask.max_words))

    def drafts(self, ask: WriteSection, *, room: int) -> Sequence[Draft[Section]]:
        """The findings in the order of the outline; with little room several prompts, each for a stretch of them."""
        items = _answers(ask) if ask.role != "section" else items_of(ask.findings, ask.documents, quoted=True)
        sources = sources_of(ask.findings)
        frame = FRAME_TOKENS + shown_tokens(ask.section.heading)
        frame += min(room // 4, SPEAKER_TOKENS * len(speakers((item.source for item in items), sources, ask.documents)))
        headings = tuple(fitting(ask.headings[:HEADINGS], min(HEADING_TOKENS, room // 8)))
        stated = [statement.text for synthesis in ask.syntheses for statement in synthesis.statements]
        answer = tuple(fitting(stated if ask.role == "section" else [], room // ANSWER_SHARE))
        frame += sum(map(shown_tokens, (*headings, *answer)))
        # words to write for each word that is shown; a small window holds short prompts and short answers
        rate = ask.max_words / sum(item.words for item in items)
        batches, too_long = in_batches(items, room - frame, words=min(LONGEST, MOST_WORDS * room) / rate)
        rate = ask.max_words / sum(item.words for batch in batches for item in batch)
        drafts = []
        for number, batch in enumerate(batches):
            given, words = numbered(batch), max(LEAST_WORDS, round(rate * sum(item.words for item in batch)))
            variables = {
                "role": ask.role,
                "heading": ask.section.heading,
                "headings": headings,
                "answer": answer,
                "max_words": words,
                "continued": number > 0,
                "groups": grouped(given),
                "data": has_data(ask.documents),
                "speakers": speakers((item.source for item in batch), sources, ask.documents),
            }
            read = partial(_read, ask, given, words)
            drafts.append(Draft(variables, WriteSectionAnswer, read, left_out=0 if number else too_long, streamed=True))
        return drafts

    def combine(self, ask: WriteSection, answers: Sequence[Section]) -> Section:  # noqa: ARG002 - theirs say it all
        """The text of all, in order."""
        return Section(statements=tuple(statement for answer in answers for statement in answer.statements))


def _answers(ask: WriteSection) -> tuple[Item, ...]:
    """What each subtask amounts to, then what the outline has chosen besides."""
    findings = {finding.id: finding for finding in ask.findings}
    sources = sources_of(ask.findings)
    items: list[Item] = []
    for synthesis in ask.syntheses:
        if synthesis.statements:
            items += answer_items(synthesis, findings)
        else:
            best = [findings[id] for id in synthesis.findings if id in findings][:BEST]
            items += items_of(best, ask.documents, sources=sources)
    told = {id for item in items for id in item.findings}
    others = [findings[id] for id in ask.section.findings if id in findings and id not in told]
    items += items_of(others, ask.documents, sources=sources)
    return tuple(items) or items_of(ask.findings, ask.documents)


def _read(ask: WriteSection, items: Mapping[int, Item], max_words: int, wire: WriteSectionAnswer) -> Read[Section]:
    read = [statement_of(said, items, form=said.form, is_assessment=said.assessment) for said in wire.statements]
    stated = _led([statement for statement, _ in read if statement])
    if not any(statement.findings for statement in stated) and (stated or ask.role != "conclusion"):
        raise ValueError(
            f"`statements` must tell the findings, each statement citing those it rests on: {ids_to_cite(items)}"
        )
    return Read(Section(statements=_within(stated, max_words * SLACK)), sum(invented for _, invented in read))


def _led(stated: Sequence[Statement]) -> list[Statement]:
    """The statements, where a lead-in that cites nothing cites what stands in its list."""
    led: list[Statement] = []
    for at, statement in enumerate(stated):
        if statement.form == "lead_in" and not statement.findings:
            below: list[str] = []
            for item in stated[at + 1 :]:
                if item.form != "item":
                    break
                below += item.findings
            statement = statement.model_copy(update={"findings": tuple(dict.fromkeys(below))})
        led.append(statement)
    return led


def _within(stated: Sequence[Statement], max_words: float) -> tuple[Statement, ...]:
    """The statements up to that length, the first one in any case."""
    kept: list[Statement] = []
    words = 0
    for statement in stated:
        words += word_count(statement.text)
        if kept and words > max_words:
            break
        kept.append(statement)
    return tuple(kept)
