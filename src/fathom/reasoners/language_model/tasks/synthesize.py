"""What a subtask's findings amount to, as a model sums them up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from fathom.asks import SynthesizeSubtask
from fathom.findings import Statement, Synthesis, without_numbers
from fathom.reasoners.extractive.synthesize import synthesize
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.material import (
    FRAME_TOKENS,
    Form,
    Item,
    Said,
    answer_items,
    fitting_items,
    grouped,
    ids_to_cite,
    items_of,
    numbered,
    statement_of,
)
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.reasoners.language_model.tasks.words import Number, Share, fitting, line, lines, shown_tokens
from fathom.verification.doubts import missing

CAVEATS = 3
"""Most caveats that a synthesis may have of its own."""
QUESTIONS_SHARE = 0.2
"""Most of the room that the research questions take."""


class SynthesizeSubtaskAnswer(Wire, title="SynthesizeSubtask"):
    """What a model says of a subtask."""

    answer: list[Said]
    """The answer, most important statement first; empty when no finding bears on the question."""
    confidence: Share = 0.5
    """Probability that the answer is right and complete, 0 to 1."""
    contradictions: list[list[Number]] = []
    """Pairs of ids of findings that cannot both be true."""
    caveats: list[str] = []
    """What a reader must know before relying on the answer, each in a sentence; mostly none."""


class SynthesizeSubtaskTask(Task[SynthesizeSubtask, Synthesis]):
    """Findings in, statements on them out."""

    name = "synthesize_subtask"
    answer_tokens = 1_000
    prompt_tokens = 4_000

    def rule(self, ask: SynthesizeSubtask) -> Synthesis | None:
        """Nothing amounts to nothing, and a single finding to itself."""
        if not ask.findings and not any(child.findings for child in ask.children):
            return Synthesis(subtask_id=ask.subtask.subtask_id, text="")
        if len(ask.findings) == 1 and not ask.children:
            (only,) = ask.findings
            stated = (Statement(text=only.claim, findings=(only.id,)),)
            return synthesize(ask).model_copy(update={"statements": stated})
        return None

    def drafts(self, ask: SynthesizeSubtask, *, room: int) -> Sequence[Draft[Synthesis]]:
        """One prompt: what the children amount to, then the findings, best first."""
        below = [item for child in ask.children for item in answer_items(child, child.findings)]
        questions = fitting([line(each.question, 300) for each in ask.questions], round(room * QUESTIONS_SHARE))
        frame = FRAME_TOKENS + sum(map(shown_tokens, (ask.subtask.description, *questions)))
        shown, left_out = fitting_items([*below, *items_of(ask.findings)], room - frame)
        items = numbered(shown)
        variables = {
            "subtask": ask.subtask.description,
            "questions": questions,
            "format": ask.format,
            "groups": grouped(items),
            "data": any(item.figures for item in shown),
        }
        read = partial(_read, ask, items)
        return (Draft(variables, SynthesizeSubtaskAnswer, read, left_out=left_out),)


def _read(ask: SynthesizeSubtask, items: Mapping[int, Item], wire: SynthesizeSubtaskAnswer) -> Read[Synthesis]:
    form: Form = "item" if ask.format == "bullet_points" else "paragraph"
    read = [statement_of(said, items, form=form) for said in wire.answer]
    stated = tuple(statement for statement, _ in read if statement and statement.findings)
    if wire.answer and not stated:
        raise ValueError(f"every statement of `answer` must cite findings that it rests on: {ids_to_cite(items)}")
    pairs, strangers = _pairs(wire.contradictions, items)
    caveats = (*(caveat for child in ask.children for caveat in child.caveats), *_borne_out(ask, wire.caveats, items))
    inherited = (pair for child in ask.children for pair in child.contradictions)
    synthesis = Synthesis(
        subtask_id=ask.subtask.subtask_id,
        text=" ".join(statement.text for statement in stated),
        findings=tuple(dict.fromkeys(id for statement in stated for id in statement.findings)),
        confidence=wire.confidence if stated else 0.0,
        contradictions=tuple(dict.fromkeys((*pairs, *inherited))),
        caveats=tuple(dict.fromkeys(caveats)) if stated else (),
        statements=stated,
    )
    return Read(synthesis, sum(invented for _, invented in read) + strangers)


def _pairs(pairs: Sequence[Sequence[int]], items: Mapping[int, Item]) -> tuple[list[tuple[str, str]], int]:
    """The pairs as ids of findings, and how many of the ids stand for nothing."""
    strangers = sum(id not in items for pair in pairs for id in pair)
    found = []
    for pair in pairs:
        ids = [items[id].findings[0] for id in pair if id in items]
        if len(ids) == 2 and ids[0] != ids[1]:
            found.append((ids[0], ids[1]))
    return found, strangers


def _borne_out(ask: SynthesizeSubtask, caveats: Sequence[str], items: Mapping[int, Item]) -> list[str]:
    """Caveats as they may stand in a report without a citation: with no number that no evidence has, and no name that
    no finding has."""
    held = [text for finding in ask.findings for text in finding.held]
    held += [without_numbers(text) for item in items.values() for text in item.texts]
    plain_ones = lines((plain(caveat, held) for caveat in caveats), most=CAVEATS)
    return [caveat for caveat in plain_ones if not missing(caveat, held)]
