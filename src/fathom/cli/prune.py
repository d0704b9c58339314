"""The command that removes what is old."""

from __future__ import annotations

import click

from fathom import wiring
from fathom.cli.terminal import awaited, counted, say, size

_SECONDS = {"h": 3_600, "d": 86_400, "w": 7 * 86_400}


def _seconds(_context: click.Context, _option: click.Parameter, age: str) -> float:
    count, unit = age[:-1], age[-1:]
    if not (count.isascii() and count.isdecimal() and len(count) < 7 and unit in _SECONDS):
        raise click.BadParameter("an age is written like 90d, 12w or 36h.")
    return float(count) * _SECONDS[unit]


@click.command()
@click.option(
    "--older",
    metavar="AGE",
    callback=_seconds,
    required=True,
    help="How long ago they last changed, at least: 90d, 12w.",
)
@click.option("--keep-reports", is_flag=True, help="Leave the reports and what they cite; only replays are lost.")
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
def prune(older: float, keep_reports: bool, dry_run: bool) -> None:
    """Remove runs that nobody has touched for so long, with their journals, events, texts and checkpoints, and pages of
    the web that no run uses any more; then give the space back. A run that is at work or waiting is never touched.
    """
    from fathom.wiring.pruning import prune as work

    gone, freed = awaited(work(older, wiring.load_settings(), keep_reports=keep_reports, dry_run=dry_run))
    would, what = ("would be " if dry_run else ""), "All but the report of " if keep_reports else ""
    say(f"{what}{counted(len(gone), 'run')} {would}removed, {size(freed)} {would}given back.")
