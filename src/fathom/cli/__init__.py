"""The command line: it answers on standard output and talks on standard error.

Nothing heavy is imported here: a command is imported when it is called, and what it needs after its first line.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from fathom.cli.terminal import INTERRUPTED, complain
from fathom.cli.traces import traces_sent
from fathom.errors import FathomError, UsageError
from fathom.version import __version__

TRACES_SECONDS = 2.0
"""How long the end of a command may wait for its traces to be sent."""
GARBAGE_AFTER = 100_000
"""New objects after which cycles among them are looked for; with the usual 700 that is a tenth of a short command, most
of whose objects are imported and stay."""

COMMANDS: dict[str, tuple[str, str]] = {
    "research": ("fathom.cli.research:research", "Research a question and write a cited, checked report."),
    "plan": (
        "fathom.cli.research:plan",
        "Show the plan for a question and what it would take, without carrying it out.",
    ),
    "ask": ("fathom.cli.research:ask", "Ask a follow-up to a run; what its thread has read is asked first."),
    "update": ("fathom.cli.research:update", "Research a question over today's sources, and show what has changed."),
    "fork": (
        "fathom.cli.research:fork",
        "Repeat a run as a new one, with another question or offline if you like.",
    ),
    "check": ("fathom.cli.check:check", "Check each sentence of a text against documents."),
    "runs": ("fathom.cli.runs:runs", "List the runs, newest first."),
    "show": ("fathom.cli.runs:show", "Show how a run went and where it stands."),
    "approve": ("fathom.cli.steering:approve", "Answer what a run is waiting for: accept, edit, plan again, reject."),
    "steer": ("fathom.cli.steering:steer", "Steer a run under way: skip a part, go deeper, or write the report now."),
    "resume": ("fathom.cli.research:resume", "Continue a run that did not finish; nothing is asked twice."),
    "replay": ("fathom.cli.research:replay", "Write the report of a run again from its journal; nothing is asked."),
    "export": (
        "fathom.cli.export:export",
        "Export the report of a run as a document, or its sources as a bibliography.",
    ),
    "import": ("fathom.cli.export:import_bundle", "Import a run that `fathom export` has written elsewhere as a .zip."),
    "compare": ("fathom.cli.compare:compare", "Show two reports side by side: what is new, gone and changed."),
    "sources": ("fathom.cli.sources:sources", "List what a run has read: cited, not cited, and left out."),
    "source": ("fathom.cli.sources:source", "Show a source as it was read, with what is cited from it marked."),
    "delete": ("fathom.cli.runs:delete", "Delete a run and everything that belongs only to it."),
    "prune": ("fathom.cli.prune:prune", "Delete old runs and free their space."),
    "ingest": ("fathom.cli.knowledge:ingest", "Read files and folders into the knowledge base."),
    "kb": ("fathom.cli.knowledge:kb", "List, search, empty and delete knowledge bases."),
    "dataset": ("fathom.cli.dataset:dataset", "Describe files of structured data, or serve them over MCP."),
    "serve": ("fathom.cli.serve:serve", "Serve the page and the API, and carry out the research asked for there."),
    "mcp": ("fathom.cli.mcp:mcp", "Serve research as an MCP server, for agents and editors."),
    "token": ("fathom.cli.token:token", "Create, list and revoke the tokens that let clients into the service."),
    "share": ("fathom.cli.token:share", "Create a link that opens the report of a run, and nothing else."),
    "doctor": ("fathom.cli.doctor:doctor", "Check the setup: what is configured, what is missing and what to do."),
    "prompts": ("fathom.cli.prompts:prompts", "Show the prompts that language models are given."),
    "eval": ("fathom.cli.evaluate:evaluate_command", "Score the reports for a set of questions."),
    "completion": ("fathom.cli.completion:completion", "Print the script for command completion in a shell."),
}
"""Every command: where it is, and what it does in one sentence."""
SECTIONS = {"research": "Research", "runs": "Runs", "ingest": "Documents and data", "serve": "Service and setup"}
"""The sections of the help by the command that each begins with."""


class _Commands(click.Group):
    """Commands by name, each imported when it is asked for."""

    def __init__(self, table: Mapping[str, tuple[str, str]], **attributes: Any) -> None:
        super().__init__(**attributes)
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in self._table:
            return None
        module, _, attribute = self._table[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not args[0].startswith("-") and args[0] not in self._table:
            raise click.exceptions.NoSuchCommand(args[0], possibilities=self._table, ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        rows = [(name, sentence) for name, (_, sentence) in self._table.items()]
        starts = [at for at, (name, _) in enumerate(rows) if name in SECTIONS]
        for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
            with formatter.section(SECTIONS[rows[start][0]]):
                formatter.write_dl(rows[start:end])


commands = _Commands(
    COMMANDS,
    name="fathom",
    help="Deep research in your documents and on the web: every claim cited, every citation checked.",
    epilog="Start with: fathom research 'How does … work?' --docs ./notes",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    no_args_is_help=True,
)
click.version_option(__version__, prog_name="fathom", message="%(prog)s %(version)s")(commands)


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run a command and end the process.

    Exits with 0 when it is done, 1 when a run failed, 2 when the usage or the configuration is wrong, 130 when it was
    interrupted. What Fathom raises on purpose is one line; a bug keeps its traceback.
    """
    gc.set_threshold(GARBAGE_AFTER)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # to look for some, it reads every package installed
    try:
        _check_text(sys.argv[1:] if args is None else args)
        with traces_sent(within=TRACES_SECONDS):
            code = commands.main(args, prog_name="fathom", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        code = 0
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "fathom"
        code = complain(f"{error.format_message()} Try `{where} --help`.", code=2)
    except click.ClickException as error:
        code = complain(error.format_message(), code=2)
    except FathomError as error:
        from fathom.cli.options import in_flags  # loads the settings, which few commands do without

        code = complain(in_flags(str(error)), code=error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        code = complain("Stopped. What was finished is kept.", code=INTERRUPTED)
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and "can't start new thread" not in str(error):
            raise
        lacks = "memory" if isinstance(error, MemoryError) else "room for threads"
        code = complain(
            f"The machine has no {lacks} left: end other programs, then try again. What was finished is kept.", code=1
        )
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        code = complain(f"The disk is full: {error}. Free some space and try again; nothing finished is lost.", code=1)
    _flush()
    if "duckdb" not in sys.modules:  # it counts what is left
        gc.freeze()  # the end of a process need not look for cycles, a fifth of what importing costs
    sys.exit(code if isinstance(code, int) else 0)


def _check_text(args: Sequence[str]) -> None:
    """Refuse what the shell gave as bytes that are no text: no database keeps it, and no report shows it."""
    for arg in args:
        if any("\ud800" <= char <= "\udfff" for char in arg):
            raise UsageError(f"The argument '{arg}' is not UTF-8. Write it in UTF-8.")


def _flush() -> None:
    """Hand on what was printed; whoever stopped reading it does not want the rest."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
