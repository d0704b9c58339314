"""The commands that take the report of a run away, and a whole run in."""

from __future__ import annotations

from pathlib import Path

import click

from fathom import wiring
from fathom.cli.options import run_argument
from fathom.cli.output import Destinations, write_file
from fathom.cli.terminal import awaited, say
from fathom.errors import MissingAnswer
from fathom.text.harmless import inert


@click.command()
@run_argument
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(path_type=Path))
def export(run_id: str, files: tuple[Path, ...]) -> None:
    """Write the report of RUN, as it is stored, to each FILE in the form that its ending says.

    Nothing is made again and nothing is asked. `.md`, `.html` and `.json` are what --out, --html and --json of
    `research` write, `.footnotes.md` has a footnote for each quotation; `.docx`, `.odt`, `.epub` and `.pdf` are
    documents; `.bib`, `.ris` and `.csl.json` are its sources as BibTeX, RIS and CSL-JSON. `.zip` holds all of the run:
    `fathom import` opens it elsewhere.
    """
    from fathom.wiring.exports import ending_of

    forms = {file: ending_of(file.name) for file in files}
    for file in forms:
        Destinations(out=file).check()
    for path in awaited(_written(run_id, forms)):
        say(f"Report: {path}")


@click.command("import")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
def import_bundle(file: Path) -> None:
    """Store the run in FILE, a `.zip` that `fathom export` has written elsewhere.

    It is replayed first, and stored if that gives its report. Then it can be shown, exported and replayed; nothing of
    it is asked again, and no run takes anything over from it.
    """
    run, is_new = awaited(wiring.Fathom(wiring.load_settings()).take_in(file))
    say(f"{run.run_id} {'is imported' if is_new else 'is here already'}: {inert(run.title or run.query)}")


async def _written(run_id: str, forms: dict[Path, str]) -> list[Path]:
    """The files that hold the report now; none is written before each is made."""
    from fathom.wiring.exports import BUNDLE, exported
    from fathom.wiring.readings import records_listed, report_if_any, snapshots_cited

    async with wiring.opened_store() as store:
        run = await store.run(run_id)
        report = await report_if_any(store, run.run_id)
        if report is None:
            raise MissingAnswer(f"{run.run_id} has no report yet: `fathom resume {run.run_id}` writes it.")
        texts = await snapshots_cited(store, report)
        records = await records_listed(store, report)
    settings, others = wiring.load_settings(), {file: ending for file, ending in forms.items() if ending != "md"}
    made = {}
    for file, ending in others.items():
        if ending == BUNDLE:
            made[file] = await wiring.Fathom(settings).bundle(run.run_id)
        else:
            made[file] = await exported(report, ending, settings, snapshots=texts)
    for file, content in made.items():
        write_file(file, content)
    markdown = (Destinations(out=file).write(report, records=records) for file in forms if file not in made)
    return [*made, *(file for files in markdown for file in files)]
