"""What a run asks its person before it goes on, and what a person may tell a run that is under way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator

from fathom.clarification import MOST, OpenPoint, clarified
from fathom.errors import UsageError
from fathom.frozen import FrozenModel, later
from fathom.limits import Approvable
from fathom.plan import MasterPlan, Subtask, check_graph
from fathom.report import Estimate
from fathom.text.harmless import inert

About = Approvable | Literal["question"]
"""What a run waits with for its person: an approval, or an answer to what its question leaves open."""
Decision = Literal["accept", "edit", "again", "reject", "answer"]
Command = Literal["skip", "deeper", "write"]
"""Leave a part out, look further into it, or research no more and write now."""
LONGEST = 2_000
"""Characters of a part, and of a remark."""
LONGEST_ANSWER = 300
"""Characters of what is said to something that a question leaves open."""


class Approval(FrozenModel):
    """Something that a run would do, and waits with until its person has answered or the time for that is up."""

    id: str
    """Names it within the run: `question_1`, `plan_1`, `drilldown_task_2`, `revision_1`."""
    about: About
    """What is to be approved."""
    subtask_id: str | None = None
    """The subtask that would be drilled into, or has led to the revision; `None` of a plan and of the question."""
    open_points: tuple[OpenPoint, ...] = later(())
    """What the question leaves open; left so, it is researched as it stands."""
    proposed: tuple[Subtask, ...] = ()
    """The parts of the plan, or the subtasks that would be added."""
    removed: tuple[str, ...] = ()
    """Ids of the subtasks that a revision would leave out."""
    reason: str = ""
    """Why that is proposed, in a sentence."""
    estimate: Estimate | None = None
    """What the run would take by the plan; `None` of all else."""
    until: str | None = None
    """When the run goes on as proposed if nobody answers (ISO 8601, UTC); `None` when it waits for ever."""


class EditedPart(FrozenModel):
    """A part of an edited plan; their order is that of the plan."""

    subtask_id: str = Field(default="", pattern=r"^(task_\d{1,9})?$")
    """Of a part that was proposed, its id; empty of a new one, unless others are to depend on it."""
    description: str = Field(max_length=LONGEST)
    """The sub-question, in words that stand alone."""
    dependencies: tuple[str, ...] | None = Field(default=None, max_length=200)
    """Ids of the parts whose findings it needs; `None` leaves them as they were."""
    estimated_importance: float | None = Field(default=None, ge=0, le=1)
    """Its share of the budget; `None` leaves it as it was, and gives a new part all."""


class Answer(FrozenModel, defer_build=False):  # a body of a request, as `SessionRequest`
    """What the person of a run says to an approval."""

    decision: Decision
    """`accept` goes on as proposed, `reject` does not. A plan may also be replaced by `parts`: `edit`; or be made
    `again`, with a remark. What the question leaves open is given an `answer`, or accepted as it stands."""
    parts: tuple[EditedPart, ...] = Field(default=(), max_length=200)
    """The plan as it is to be, of an `edit`."""
    remark: str = Field(default="", max_length=LONGEST)
    """What to do otherwise, of an `again`."""
    answers: Annotated[tuple[Annotated[str, Field(max_length=LONGEST_ANSWER)], ...], Field(max_length=MOST)] = later(())
    """To each open point, of an `answer`: the number of a choice, or own words; empty leaves it open."""

    @model_validator(mode="after")
    def _means_one_thing(self) -> Answer:
        if self.parts and self.decision != "edit":
            raise ValueError("parts belong to an edit")
        if self.remark and self.decision != "again":
            raise ValueError("a remark belongs to `again`")
        if self.answers and self.decision != "answer":
            raise ValueError("answers belong to `answer`")
        if self.decision == "answer" and not any(map(inert, self.answers)):
            raise ValueError("`answer` needs an answer to one point at least: accept the question as it stands instead")
        if self.decision == "again" and not inert(self.remark):
            raise ValueError("`again` needs a remark: what is to be otherwise")
        return self


class Given(FrozenModel):
    """An answer, and whose it is."""

    answer: Answer
    """What was said."""
    by: Literal["person", "time"] = "person"
    """`time` when nobody has answered in time."""


def check_answer(approval: Approval, answer: Answer, *, most: int) -> None:
    """Refuse an answer that cannot be carried out; a plan may have at most `most` parts.

    Raises:
        UsageError: says what is wrong with it.
    """
    if approval.about == "question" and answer.decision not in ("accept", "answer"):
        raise UsageError("What the question leaves open is answered, or accepted as it stands.")
    if answer.decision == "answer":
        given, asked = answer.answers, approval.open_points
        if len(given) > len(asked):
            raise UsageError(f"{approval.id} asks {len(asked) or 'nothing'}, and {len(given)} answers are given.")
        in_words(approval, answer)
    if approval.about != "plan" and answer.decision in ("edit", "again"):
        raise UsageError(f"Only a plan is edited or made again: accept or reject the {approval.about}.")
    if answer.decision == "edit":
        if len(answer.parts) > most:
            raise UsageError(
                f"The plan has {len(answer.parts)} parts and the run may have {most} subtasks: drop some, or raise "
                "`max_subtasks`."
            )
        edited(approval.proposed, answer.parts)


def in_words(approval: Approval, answer: Answer) -> Answer:
    """An answer with the words of a choice in place of its number: whoever reads it later may see others."""
    said = clarified("", approval.open_points, answer.answers).answers if answer.answers else ()
    return answer.model_copy(update={"answers": said})


def edited(proposed: Sequence[Subtask], parts: Sequence[EditedPart]) -> tuple[Subtask, ...]:
    """The parts of a plan as they are wanted, by their new places; one that says the same as before keeps all.

    A part that is reworded or new is searched for in its own words.

    Raises:
        UsageError: there is none, one is empty, two have one id, or the dependencies lead nowhere or form a circle.
    """
    if not parts:
        raise UsageError("The plan has no part left: leave one, or reject it.")
    known = {each.subtask_id: each for each in proposed}
    number = max(int(id.removeprefix("task_")) for id in (*known, *(each.subtask_id or "task_0" for each in parts)))
    made = []
    for place, part in enumerate(parts, start=1):
        number += not part.subtask_id
        id = part.subtask_id or f"task_{number}"
        if not (said := inert(part.description)):
            raise UsageError(f"Part {place} of the plan is empty: say what it asks, or drop it.")
        before = known.get(id)
        subtask = before if before and inert(before.description) == said else None
        if subtask is None:
            needs, weight = (before.dependencies, before.estimated_importance) if before else ((), 1.0)
            subtask = Subtask(
                subtask_id=id,
                description=said,
                dependencies=needs,
                estimated_importance=weight,
                reason="reworded by the user" if before else "added by the user",
            )
        changes = part.model_dump(include={"dependencies", "estimated_importance"}, exclude_none=True)
        made.append(subtask.model_copy(update={**changes, "priority": place}))
    kept = {each.subtask_id for each in made}
    for at, (part, subtask) in enumerate(zip(parts, made, strict=True)):
        if part.dependencies is None:  # of what was dropped, nobody need wait any more
            needs = tuple(each for each in subtask.dependencies if each in kept)
            made[at] = subtask.model_copy(update={"dependencies": needs})
    try:
        check_graph(tuple(made))
    except ValueError as error:
        raise UsageError(f"The plan cannot be carried out: {error}.") from error
    return tuple(made)


def with_parts(plan: MasterPlan, subtasks: tuple[Subtask, ...]) -> MasterPlan:
    """The plan with other parts."""
    several = len(subtasks) > 1
    changes = {
        "is_complex": several,
        "execution_mode": "hierarchical" if several else "simple",
        "strategy": (plan.strategy or "aspect") if several else None,
        "subtasks": subtasks,
    }
    return plan.model_copy(update=changes)
