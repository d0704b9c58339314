"""The commands that tell a run something from any terminal: answers to what it waits for, and what to do otherwise."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import get_args

import click
from pydantic import TypeAdapter, ValidationError

from fathom import wiring
from fathom.cli.options import Format, format_option, run_argument
from fathom.cli.terminal import awaited, complain, print_json, say
from fathom.errors import Conflict, UsageError
from fathom.plan import Subtask
from fathom.steering import Answer, Command, EditedPart


@click.command()
@run_argument
@click.argument("approval_id", metavar="[ID]", required=False)
@click.option(
    "--edit",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Carry out this plan; `-` is read from standard input.",
)
@click.option("--again", metavar="TEXT", help="Have it planned again, and say what should change.")
@click.option(
    "--answer",
    "answers",
    metavar="TEXT",
    multiple=True,
    help="Answer what the question leaves open: the number of a choice, or own words. Once for each that is asked.",
)
@click.option("--reject", is_flag=True, help="Decline it.")
@click.option("--show", is_flag=True, help="Show what it is waiting for, and answer nothing.")
@format_option
def approve(
    run_id: str,
    approval_id: str | None,
    edit: Path | None,
    again: str | None,
    answers: tuple[str, ...],
    reject: bool,
    show: bool,
    format: Format,
) -> int:
    """Answer what RUN is waiting for: accept it, unless an option says otherwise.

    ID names one of several approvals that it waits for. A plan to --edit is an array of its parts, in their order, as
    `--show --format json` and `fathom plan --format json` write them; a new part needs a `description` alone. What the
    question leaves open is taken as it stands when that is accepted.
    """
    if sum((edit is not None, again is not None, bool(answers), reject, show)) > 1:
        raise UsageError("--edit, --again, --answer, --reject and --show exclude each other: give one of them.")
    if show:
        _show(run_id, approval_id, format)
        return 0
    try:
        said = _said(edit, again, answers, reject=reject)
        asked = awaited(wiring.answer(run_id, said, approval_id=approval_id))
    except Conflict as error:
        return complain(str(error), code=1)
    say(f"The {asked.about} {asked.id}: {said.decision}.")
    return 0


@click.command()
@run_argument
@click.argument("command", type=click.Choice(get_args(Command)))
@click.argument("subtask_id", metavar="[PART]", required=False)
def steer(run_id: str, command: Command, subtask_id: str | None) -> int:
    """Tell RUN, which is under way, what to do otherwise.

    `skip task_2` leaves that part out: what was found for it stays. `deeper task_2` looks into it further, whatever is
    thought of its depth. `write` ends the research and has the report written from what was found.
    `fathom show RUN` names the parts.
    """
    try:
        awaited(wiring.steer(run_id, command, subtask_id))
    except Conflict as error:
        return complain(str(error), code=1)
    say("Passed on: the run acts on it within seconds.")
    return 0


def _said(edit: Path | None, again: str | None, answers: tuple[str, ...], *, reject: bool) -> Answer:
    if edit is not None:
        return Answer(decision="edit", parts=_parts(edit))
    try:
        if again is not None:
            return Answer(decision="again", remark=again)
        if answers:
            return Answer(decision="answer", answers=answers)
    except ValidationError as error:
        raise UsageError(f"That is not an answer: {error.errors()[0]['msg'].removeprefix('Value error, ')}.") from error
    return Answer(decision="reject" if reject else "accept")


def _parts(file: Path) -> tuple[EditedPart, ...]:
    """The parts of an edited plan. What else is known of a part that was proposed may stand there too."""
    try:
        text = sys.stdin.buffer.read() if file == Path("-") else file.read_bytes()
        given = json.loads(text)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise UsageError(f"{file} is not JSON: {error}.") from error
    beside = Subtask.model_fields.keys() - EditedPart.model_fields.keys()
    if not isinstance(given, list):
        raise UsageError(f"{file} holds no array of parts.")
    for each in given:
        for name in beside.intersection(each) if isinstance(each, dict) else ():
            del each[name]
    try:
        return TypeAdapter(tuple[EditedPart, ...]).validate_python(given)
    except ValidationError as error:
        first = error.errors()[0]
        where = f"part {int(first['loc'][0]) + 1}" + "".join(f", {name}" for name in first["loc"][1:])
        raise UsageError(f"{file} is not a plan: {where}: {first['msg']}.") from error


def _show(run_id: str, approval_id: str | None, format: Format) -> None:
    waits = [each for each in awaited(wiring.approvals(run_id)) if approval_id in (None, each.id)]
    if format == "json":
        print_json([each.model_dump(mode="json") for each in waits])
        return
    from fathom.cli.clarifying import told
    from fathom.cli.planning import Proposal

    for each in waits:
        shown = told(each, slice(None)) if each.open_points else Proposal(each).lines()
        click.echo("\n".join((each.id, *shown, "")))
    if not waits:
        say("It is not waiting for anything.")
