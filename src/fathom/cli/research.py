"""The commands that end in a report: research, resume, replay; and plan, which stops before the work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from fathom import wiring
from fathom.cli.data_options import DataOptions, data_options
from fathom.cli.options import (
    Format,
    docs_option,
    effort_option,
    format_option,
    kb_option,
    limit_options,
    mode_option,
    model_options,
    run_argument,
    settings_in_force,
    template_option,
    web_options,
)
from fathom.cli.output import STDOUT, Destinations, compared_text, output_options, print_text
from fathom.cli.sections import Sectioned
from fathom.cli.spending import expected, leaving, spent
from fathom.cli.terminal import INTERRUPTED, awaited, counted, print_json, say, shortfall
from fathom.errors import UsageError
from fathom.limits import Effort, Limits
from fathom.plan import Mode
from fathom.report import Report
from fathom.text.harmless import inert
from fathom.version import __version__
from fathom.wiring.seal import Seal, seal_of_process


@click.command(
    cls=Sectioned,
    epilog="Ctrl-C finishes what is under way and writes a partial report; a second Ctrl-C stops at once.",
)
@click.argument("question")
@docs_option
@data_options
@output_options
@effort_option
@mode_option
@template_option
@kb_option
@web_options
@model_options
@limit_options
def research(
    question: str,
    docs: tuple[Path, ...],
    data: DataOptions,
    destinations: Destinations,
    quiet: bool,
    effort: Effort | None,
    mode: Mode,
    template: Path | None,
    kb: str | None,
    web: dict[str, Any],
    models: dict[str, Any],
    limits: dict[str, Any],
) -> int:
    """Research QUESTION and write a cited, checked report.

    The report goes to standard output or to --out; on a terminal it is also kept below `reports/`.
    QUESTION may be `-`: it is then read from standard input. --data also takes the name of data that were uploaded to
    the knowledge base.
    """
    settings = settings_in_force(web, models, kb=kb, effort=effort, data_mapping=data.mapping)
    asked = _asked(question, docs, data, mode, template, limits, settings)
    destinations.spare(template)
    if not quiet:
        say(f"Fathom {__version__} researches: {inert(asked.text, width=300)}")
    from fathom.cli.follow import followed  # what is heavy comes after the first line
    from fathom.cli.ingesting import IngestBar

    with IngestBar(quiet=quiet) as bar:
        stream = wiring.Fathom(settings).stream(asked, on_ingest=bar.progress)
        return followed(stream, partial(_deliver, destinations=destinations, quiet=quiet), quiet=quiet, bar=bar)


@click.command(cls=Sectioned)
@run_argument
@output_options
@model_options
@limit_options
def resume(
    run_id: str,
    destinations: Destinations,
    quiet: bool,
    models: dict[str, Any],
    limits: dict[str, Any],
) -> int:
    """Continue RUN, which was stopped, killed or limited; nothing that is finished is asked for again.

    Limits and models given here replace those of the run. RUN may be shortened to a beginning that no other run shares.
    """
    settings_in_force({}, {"no_web": models.get("no_web")})
    run_id = awaited(_whole_id(run_id))
    if not quiet:
        say(f"Fathom {__version__} continues {run_id}")
    from fathom.cli.follow import followed

    stream = wiring.take_up(run_id, limits=limits, models=models)
    return followed(stream, partial(_deliver, destinations=destinations, quiet=quiet), quiet=quiet)


@click.command(cls=Sectioned)
@run_argument
@click.option("--question", metavar="TEXT", help="Ask this in place of the question of RUN; `-` is standard input.")
@click.option("--offline", is_flag=True, help="Use only what RUN has read: no search, no request, no file.")
@output_options
@model_options
@limit_options
def fork(
    run_id: str,
    question: str | None,
    offline: bool,
    destinations: Destinations,
    quiet: bool,
    models: dict[str, Any],
    limits: dict[str, Any],
) -> int:
    """Research the question of RUN again, or another one, as a new run with the same settings and sources.

    With --offline its sources are the pages that RUN has read and the documents that it has found evidence in, as they
    were then. Limits and models given here replace those of RUN.
    """
    question = None if question is None else _text(question)
    told = f": {inert(question, width=300)}" if question else ", from what it has read" if offline else ""
    begin = partial(wiring.branch_off, limits=limits, models=models, offline=offline, question=question)
    deliver = partial(_deliver, destinations=destinations, quiet=quiet)
    return _out_of(run_id, f"researches {{}} again{told}", begin, deliver, quiet=quiet, models=models)


@click.command(cls=Sectioned)
@run_argument
@output_options
@model_options
@limit_options
def update(
    run_id: str,
    destinations: Destinations,
    quiet: bool,
    models: dict[str, Any],
    limits: dict[str, Any],
) -> int:
    """Research the question of RUN over what its sources hold today, and show what has changed since.

    It is a new run with the same settings. Its report goes where that of `research` goes; what has changed follows on
    standard output, unless the JSON does. What a model has answered before is not paid for again.
    """

    def deliver(report: Report) -> int:
        code = _deliver(report, destinations=destinations, quiet=quiet)
        if destinations.json_file != STDOUT:
            changes = compared_text(awaited(wiring.compare(report.run_id)))
            print_text(f"\n{changes}" if destinations.out in (None, STDOUT) else changes)
        return code

    begin = partial(wiring.branch_off, limits=limits, models=models, update=True)
    said = "researches {} again, over what its sources hold today"
    return _out_of(run_id, said, begin, deliver, quiet=quiet, models=models)


def _out_of(
    run_id: str,
    said: str,
    begin: Callable[..., wiring.RunStream],
    deliver: Callable[[Report], int],
    *,
    quiet: bool,
    models: dict[str, Any],
) -> int:
    """Make a new run out of an earlier one, whose id stands at `{}` in what is `said`."""
    settings_in_force({}, {"no_web": models.get("no_web")})
    run_id = awaited(_whole_id(run_id))
    if not quiet:
        say(f"Fathom {__version__} {said.replace('{}', run_id, 1)}")
    from fathom.cli.follow import followed
    from fathom.cli.ingesting import IngestBar

    with IngestBar(quiet=quiet) as bar:
        return followed(begin(run_id, on_ingest=bar.progress), deliver, quiet=quiet, bar=bar)


@click.command(cls=Sectioned)
@run_argument
@click.argument("question", default="")
@click.option("--about", metavar="C7", default="", help="Research this sentence of RUN's report further.")
@output_options
@model_options
@limit_options
def ask(
    run_id: str,
    question: str,
    about: str,
    destinations: Destinations,
    quiet: bool,
    models: dict[str, Any],
    limits: dict[str, Any],
) -> int:
    """Ask QUESTION after RUN, as a new run with the same settings and sources that follows it.

    QUESTION may lean on what was asked before: "and which of them is cheaper?". What the thread has read answers first;
    only what that does not answer is researched. With --about, a sentence of RUN's report is researched further, and
    there need be no QUESTION. Limits and models given here replace those of RUN.
    """
    question = _text(question)
    if not question.strip() and not about:
        raise UsageError("The question is empty. Ask something, or name a sentence with --about.")
    said = f"follows up on {f'{about} of ' if about else ''}{{}}{': ' if question else ''}{inert(question, width=300)}"
    begin = partial(wiring.ask_on, question=question, about=about, limits=limits, models=models)
    deliver = partial(_deliver, destinations=destinations, quiet=quiet)
    return _out_of(run_id, said, begin, deliver, quiet=quiet, models=models)


@click.command(cls=Sectioned)
@run_argument
@output_options
def replay(run_id: str, destinations: Destinations, quiet: bool) -> None:
    """Write the report of RUN again from its journal: no call is made, and the bytes are the same."""
    _deliver(awaited(wiring.replay(run_id)), destinations=destinations, quiet=quiet)


@click.command(cls=Sectioned)
@click.argument("question")
@docs_option
@data_options
@effort_option
@mode_option
@template_option
@kb_option
@web_options
@model_options
@limit_options
@format_option
def plan(
    question: str,
    docs: tuple[Path, ...],
    data: DataOptions,
    effort: Effort | None,
    mode: Mode,
    template: Path | None,
    kb: str | None,
    web: dict[str, Any],
    models: dict[str, Any],
    limits: dict[str, Any],
    format: Format,
) -> None:
    """Show the plan for QUESTION and what it will take, without doing it.

    With `--format json` it is an array of the subtasks, with the names of the report's JSON.
    """
    settings = settings_in_force(web, models, kb=kb, effort=effort, data_mapping=data.mapping)
    asked = _asked(question, docs, data, mode, template, limits, settings)
    prospect = awaited(wiring.Fathom(settings).plan(asked))
    if format == "json":
        print_json([subtask.model_dump(mode="json") for subtask in prospect.plan.subtasks])
    else:
        click.echo("\n".join(_planned(prospect)))


async def _whole_id(run_id: str) -> str:
    """The id of a run, which may be shortened: it is there."""
    async with wiring.opened_store() as store:
        return (await store.run(run_id)).run_id


def _asked(
    text: str,
    docs: Sequence[Path],
    data: DataOptions,
    mode: Mode,
    template: Path | None,
    limits: dict[str, Any],
    settings: wiring.Settings,
) -> wiring.Question:
    """What is asked, once everything is refused that can be before the work begins."""
    files, servers = data.files(settings), data.servers(settings)
    question = wiring.Question(
        _text(text), documents=docs or None, data=files, mcp=servers, mode=mode, limits=limits, template=template
    )
    return replace(question, text=wiring.checked(question, settings).text)


def _text(question: str) -> str:
    """What is asked: `-` stands for standard input."""
    return sys.stdin.buffer.read().decode("utf-8", "replace") if question == "-" else question


def _deliver(report: Report, *, destinations: Destinations, quiet: bool) -> int:
    """Write the report, and say where it is, what it is worth and what to do when it is partial; returns the exit code.

    A run that was interrupted ends like one, with its partial report.
    """
    snapshots, records = awaited(_beside(report, with_texts=destinations.html_file is not None))
    written = destinations.write(report, snapshots, records)
    code = INTERRUPTED if report.partial == "cancelled" else 0
    if quiet:
        return code
    for path in written:
        say(f"Report: {path}")
    if lacks := destinations.lacks_pictures(report):
        say(lacks)
    say(_worth(report))
    for line in spent(report):
        say(line)
    if seal := seal_of_process():
        say(_sealed(seal))
    if report.partial:
        say(_partial(report))
    return code


async def _beside(report: Report, *, with_texts: bool) -> tuple[dict[str, str] | None, dict[str, list[dict[str, str]]]]:
    """The texts that the report cites, if they are wanted, and all records of what it lists a part of."""
    from fathom.wiring.readings import records_listed, snapshots_cited

    async with wiring.opened_store() as store:
        texts = await snapshots_cited(store, report) if with_texts else None
        return texts, await records_listed(store, report)


def _worth(report: Report) -> str:
    """`Run run_… : 34 sentences checked, 34 supported; 12 sources; 42 calls in 5.1 s.`"""
    verdicts = {status: count for status, count in report.verdicts.model_dump().items() if count}
    checked = "nothing found, nothing claimed"
    if report.quoted:
        checked = f"{counted(report.quoted, 'passage')} quoted word for word"
    elif verdicts:
        told = ", ".join(f"{count} {status}" for status, count in verdicts.items())
        checked = f"{counted(sum(verdicts.values()), 'sentence')} checked: {told}"
    sources, calls = len(report.cited), sum(report.usage.calls.values())
    seconds = f"{report.usage.seconds:.1f} s"
    took = f"{counted(calls, 'call')} in {seconds}"
    if not report.estimate.model_calls_high:
        took = f"{took} (estimated: {expected(report.estimate)})"
    return f"Run {report.run_id}: {checked}; {counted(sources, 'source')}; {took}."


def _sealed(seal: Seal) -> str:
    """That nothing has left, and what wanted to."""
    if not seal.refused:
        return "Nothing has left this machine: no connection to elsewhere was asked for, and none would have been made."
    hosts = ", ".join(dict.fromkeys(seal.refused))
    return f"Nothing has left this machine: {counted(len(seal.refused), 'connection')} refused, to {hosts}."


def _partial(report: Report) -> str:
    reason = report.partial or ""
    more = f" --{reason.replace('_', '-')} …" if reason in Limits.model_fields else ""
    return f"The report is incomplete ({shortfall(reason)}). To continue: fathom resume {report.run_id}{more}"


def _planned(prospect: wiring.Prospect) -> list[str]:
    """The plan for a person: a line for each subtask, then what it will take and what would leave the machine."""
    plan = prospect.plan
    lines = [inert(f"{plan.execution_mode}: {plan.overall_strategy or plan.complexity_reasoning}")]
    lines += [f"Wished for: {inert(plan.preferences.told)}."] if plan.preferences else []
    lines.append("")
    for subtask in plan.subtasks:
        lines.append(f"{subtask.subtask_id}  {inert(subtask.description)}")
        after = f", after {', '.join(subtask.dependencies)}" if subtask.dependencies else ""
        why = f"; {inert(subtask.reason)}" if subtask.reason else ""
        lines.append(f"        importance {subtask.estimated_importance:.2f}{after}{why}")
    lines += ["", f"It takes {expected(prospect.estimate)}.", *map(inert, leaving(prospect.destinations))]
    if prospect.run_id:
        lines.append(f"The plan is kept. To start it: fathom resume {prospect.run_id}")
    return lines
