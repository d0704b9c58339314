"""The commands that look at runs and remove them."""

from __future__ import annotations

from typing import Any

import click

from fathom import wiring
from fathom.cli.calls import print_calls
from fathom.cli.findings import findings_of, print_findings
from fathom.cli.options import Format, format_option, run_argument
from fathom.cli.terminal import awaited, counted, duration, moment, print_json, print_rows, say, shortfall
from fathom.errors import NotFound
from fathom.ports import RunRecord
from fathom.report import Report
from fathom.sessions.outcome import outcome_of
from fathom.text.harmless import inert
from fathom.wiring.calls import CallMade, calls_of


@click.command()
@click.option("--limit", metavar="N", type=click.IntRange(min=1), default=100, help="At most this many. [100]")
@click.option("--kb", metavar="NAME", default="", help="Only those of this knowledge base.")
@format_option
def runs(limit: int, kb: str, format: Format) -> None:
    """List the runs, newest first."""
    found = awaited(_runs(limit, kb))
    if format == "json":
        print_json([_record(run) for run in found])
    elif found:
        rows = ((run.run_id, moment(run.created_at), _standing(run), _asked(run)) for run in found)
        print_rows(rows, headings=("RUN", "ASKED", "STATUS", "QUESTION"), flexible=2)
    else:
        say(
            f"No run belongs to the knowledge base '{kb}'."
            if kb
            else "There are no runs yet. Start one with `fathom research QUESTION --docs PATH`."
        )


@click.command()
@run_argument
@click.option("--state", is_flag=True, help="Also show the state of the graph and every call in the journal.")
@click.option("--calls", is_flag=True, help="Show each call instead: ask, tier, model, tokens, cost, seconds.")
@click.option("--findings", is_flag=True, help="Show each finding instead: where it went, its claims and its sources.")
@format_option
def show(run_id: str, state: bool, calls: bool, findings: bool, format: Format) -> None:
    """Show how RUN went and where it stands: its parts and its counts; with --state, what is inside.

    With `--format json` it is one object, the run's record with its subtasks and events; with `--calls` or
    `--findings`, an array.
    """
    if calls:
        made = awaited(_calls(run_id))
        if format == "json":
            print_json([call.model_dump(mode="json") for call in made])
        else:
            print_calls(made)
        return
    if findings:
        report = awaited(_report(run_id))
        if format == "json":
            print_json(findings_of(report))
        else:
            print_findings(report)
        return
    run, seen = awaited(_look(run_id, state=state))
    if format == "json":
        print_json(seen)
        return
    for line in _told(run, seen):
        click.echo(line)


@click.command()
@run_argument
def delete(run_id: str) -> None:
    """Delete RUN: its journal, events and report, and the texts that no other run uses."""

    async def remove() -> str:
        async with wiring.opened_store() as store:
            run = await store.run(run_id)
            await store.delete_run(run.run_id)
        await wiring.forget_checkpoints(run.run_id, wiring.load_settings())
        return run.run_id

    say(f"{awaited(remove())} is deleted.")


def _standing(run: RunRecord) -> str:
    """How it stands, with what it waits for its person to approve, or why it is incomplete."""
    why = ", ".join({each.about: None for each in run.waiting_for}) or shortfall(run.partial or "")
    return f"{outcome_of(run).told} ({why})" if why else outcome_of(run).told


def _record(run: RunRecord) -> dict[str, Any]:
    """The run's record, with how the run stands and what it follows."""
    return {
        **run.model_dump(mode="json"),
        **{name: getattr(run, name) for name in ("standing", "follows", "about", "thread", "kb", "imported")},
        "outcome": outcome_of(run).model_dump(),
    }


def _asked(run: RunRecord) -> str:
    """What a run asks, where it comes from, and which one it follows, or is an update of."""
    said = [f"({each})" for each in ("imported" if run.imported else "", _base_gone(run)) if each]
    if "update_of" in run.sources:
        said.append(f"(updates {run.earlier})")
    if run.follows:
        said.append(f"(follows {run.follows}{f' on {run.about}' if run.about else ''})")
    return "  ".join((run.query, *said))


def _base_gone(run: RunRecord) -> str:
    """That its knowledge base has been deleted; empty while it has not."""
    settings = wiring.load_settings().model_copy(update={"kb": run.kb})
    is_gone = run.kb and not run.imported and not wiring.knowledge_file(settings).exists()
    return f"knowledge base '{run.kb}' deleted" if is_gone else ""


async def _runs(limit: int, kb: str) -> list[RunRecord]:
    async with wiring.opened_store() as store:
        return await store.runs(limit=limit, kb=kb)


async def _calls(run_id: str) -> list[CallMade]:
    async with wiring.opened_store() as store:
        return calls_of(await store.journal((await store.run(run_id)).run_id))


async def _report(run_id: str) -> Report:
    async with wiring.opened_store() as store:
        return await store.report((await store.run(run_id)).run_id)


async def _look(run_id: str, *, state: bool) -> tuple[RunRecord, dict[str, Any]]:
    """The run, and its record with all that is known about it; its subtasks have the names of the report's JSON.

    With `state` also `journal`, every call without its answer, and `graph`, the last checkpoint, if it has one.
    """
    from fathom.sessions.progress import RunProgress, counts  # every event, which a listing has no use for

    async with wiring.opened_store() as store:
        run = await store.run(run_id)
        events = await store.events(run.run_id)
        journal = await store.journal(run.run_id)
        try:
            report = await store.report(run.run_id)
        except NotFound:
            report = None
    view = RunProgress()
    for event in events:
        view.take(event)
    seen = {
        **_record(run),
        "subtasks": [
            {name: value for name, value in vars(row).items() if name not in {"step", "started", "ended"}}
            for row in view.tree()
        ],
        "claims": counts(view.checked) if view.checked else None,
        "title": report.title if report else None,
        "calls": len(calls_of(journal)),
        "error": view.error,
        "troubles": view.troubles,
        "events": [event.model_dump(mode="json") for event in events],
    }
    if state:
        seen["journal"] = [entry.model_dump(mode="json", exclude={"answer"}) for entry in journal]
        seen["graph"] = await wiring.last_checkpoint(run.run_id, wiring.load_settings())
    return run, seen


def _told(run: RunRecord, seen: dict[str, Any]) -> list[str]:
    """The same for a person."""
    facts = {
        "run": seen["run_id"],
        "question": inert(seen["query"]),
        **({"follows": f"{seen['follows']} {seen['about']}".strip()} if seen["follows"] else {}),
        "status": _standing(run),
        "asked": moment(seen["created_at"]),
        **({"imported": moment(seen["imported"])} if seen["imported"] else {}),
        **({"documents": gone} if (gone := _base_gone(run)) else {}),
        "took": f"{duration(seen['seconds'])}, {counted(seen['calls'], 'call')}",
        "report": inert(seen["title"]) if seen["title"] else "none yet",
        "sentences": seen["claims"] or "–",
    }
    if seen["error"] and run.failure != "declined":
        facts["error"] = seen["error"]
    lines = [f"{name:<10}{value}" for name, value in facts.items()]
    lines.append("")
    for subtask in seen["subtasks"]:
        indent = "  " * subtask["depth"]
        lines.append(f"{indent}{subtask['subtask_id']}  {subtask['description']}")
        doing = f": {subtask['doing']}" if subtask["doing"] != subtask["status"] else ""
        lines.append(f"{indent}  {subtask['status']}, {counted(subtask['findings'], 'finding')}{doing}")
    lines += [*([""] if seen["troubles"] else []), *seen["troubles"]]
    if "journal" in seen:
        lines += ["", *(f"{call['seq']:>5}  {call['seconds']:7.3f} s  {call['path']}" for call in seen["journal"])]
        lines += ["", *(f"{name:<12}{value}" for name, value in (seen["graph"] or {}).items())]
    lines.append("")
    lines.append(_next(seen))
    return lines


def _next(seen: dict[str, Any]) -> str:
    """What can be done with the run now."""
    if seen["status"] == "completed":
        return f"Its report: fathom replay {seen['run_id']}"
    if seen["waiting_for"]:
        return f"Waiting for you: fathom approve {seen['run_id']} --show"
    return f"To continue: fathom resume {seen['run_id']}"
