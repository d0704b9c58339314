"""The options of a command in sections of its help."""

from __future__ import annotations

from itertools import groupby

import click

from fathom.cli.options import group_of
from fathom.limits import Limits

_SECTIONS = {
    "Question": ("effort", "mode", "template"),
    "Sources": ("docs", "data_paths", "mcp", "mcp_tools", "mcp_headers", "mapping", "kb"),
    "Output": ("out", "json_file", "html_file", "style", "format", "quiet"),
    "Web": (),
    "Model": (),
    "Service": (),
    "Approval": ("approve", "clarify", "approval_time"),
    "Limits": ("static_plan", *Limits.model_fields),
    "Other": (),
}
"""The sections, and the options in them that no setting tells of; whatever is nowhere else is in the last."""
_OF_SETTINGS = {"web": "Web", "models": "Model", "service": "Service"}


class Sectioned(click.Command):
    """A command whose help has its options in sections, when they are of several."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write them."""
        order = list(_SECTIONS)
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        options.sort(key=lambda option: order.index(_section(option.name or "")))
        for section, some in groupby(options, key=lambda option: _section(option.name or "")):
            with formatter.section(section):
                formatter.write_dl([record for option in some if (record := option.get_help_record(ctx))])


class Told(click.Group):
    """A group whose help has the whole first sentence of each command."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(limit=300)) for name, each in self.commands.items()])


def _section(name: str) -> str:
    known = (section for section, names in _SECTIONS.items() if name in names)
    return _OF_SETTINGS.get(group_of(name)) or next(known, "Other")
