"""The options that several commands share; those for limits are made from the fields of `Limits`."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin

import click
from click.shell_completion import CompletionItem
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from fathom.cli.terminal import awaited
from fathom.errors import FathomError, UsageError
from fathom.frozen import descriptions
from fathom.limits import STATIC, Effort, Limits
from fathom.plan import Mode
from fathom.settings import Settings, load_settings
from fathom.settings.flags import Flag, Group
from fathom.text.harmless import inert

if TYPE_CHECKING:
    from fathom.ports import RunRecord

F = TypeVar("F", bound=Callable[..., Any])
Format = Literal["text", "json"]

_GIVEN, _STATIC = "fathom.limits", "fathom.static_plan"


def limit_options(function: F, names: Collection[str] = tuple(Limits.model_fields)) -> F:
    """One option per field of `Limits`, or for some of them; the command gets those that were given as `limits`, by
    name."""

    @functools.wraps(function)
    def with_limits(**parameters: Any) -> Any:
        meta = click.get_current_context().meta
        limits = meta.get(_GIVEN, {})
        limits = _with_static(limits) if meta.get(_STATIC) else limits
        return function(**parameters, limits=limits)

    command: Callable[..., Any] = with_limits
    if "max_depth" in names:
        command = click.option(
            "--static-plan",
            is_flag=True,
            help="Keep to the plan: no drill-down and no revision. The same as --max-depth 1 --max-revisions 0.",
            expose_value=False,
            callback=_keep_static,
        )(command)
    for name, field in reversed(Limits.model_fields.items()):
        if name not in names:
            continue
        is_flag = field.annotation is bool
        command = click.option(
            f"--{name.replace('_', '-')}",
            name,
            is_flag=is_flag,
            default=None,
            metavar=None if is_flag else _metavar(name, field),
            help=descriptions(Limits)[name] + ("" if is_flag else f" [{_default(field)}]"),
            expose_value=False,
            callback=_keep,
            shell_complete=functools.partial(_words_of, field),
        )(command)
    return command  # type: ignore[return-value]


def _keep(ctx: click.Context, param: click.Parameter, value: str | bool | None) -> None:
    """Check a limit against its field and keep it; `none` is no limit, where the field knows that."""
    if value is None or param.name is None:
        return
    try:
        checked = Limits.model_validate({param.name: None if value == "none" else value})
    except ValidationError as error:
        reason = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise click.BadParameter(f"'{value}': {reason}.", ctx=ctx, param=param) from error
    ctx.meta.setdefault(_GIVEN, {})[param.name] = getattr(checked, param.name)


def _keep_static(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    ctx.meta[_STATIC] = value


def _with_static(given: dict[str, Any]) -> dict[str, Any]:
    """The limits that were given, with those that keep the plan as it is."""
    for name, least in STATIC.items():
        if given.get(name, least) != least:
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"--static-plan contradicts {flag} {given[name]}: leave one of them out.")
    return {**given, **STATIC}


def _metavar(name: str, field: FieldInfo) -> str:
    if words := _words(field):
        return "|".join(words)
    special = {
        "max_time": "DURATION",
        "approval_time": "DURATION",
        "max_tokens": "TOKENS",
        "max_cost": "USD",
        "approve": "plan,drilldown,revision",
    }
    return special.get(name) or ("N" if int in {field.annotation, *get_args(field.annotation)} else "0..1")


def _default(field: FieldInfo) -> str:
    return "no limit" if field.default is None else "nothing" if field.default == () else f"{field.default}"


def _words(field: FieldInfo) -> tuple[str, ...]:
    """The values of a limit that is one of a few words."""
    return get_args(field.annotation) if get_origin(field.annotation) is Literal else ()


def _words_of(field: FieldInfo, _: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(word) for word in _words(field) if word.startswith(incomplete)]


# ── Models ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@functools.cache
def _flags() -> dict[str, Flag]:
    """The flags of the settings that have one, by the name of the setting."""
    found = {
        name: next((each for each in field.metadata if isinstance(each, Flag)), None)
        for name, field in Settings.model_fields.items()
    }
    return {
        name: replace(flag, name=f"--{flag.name or name.replace('_', '-')}") for name, flag in found.items() if flag
    }


def group_of(name: str) -> str:
    """What the setting of that name is about, when it has a flag; else empty."""
    return _flags()[name].group if name in _flags() else ""


_SOURCES = {"documents": "--docs PATH", "data": "--data PATH", "mcp": "--mcp"}


def in_flags(line: str) -> str:
    """What Fathom says with the names of settings and limits in backticks, as the command line calls them.

    >>> in_flags("Shorten it, or raise `max_query_length`; `this` stays.")
    'Shorten it, or raise --max-query-length; `this` stays.'
    """
    named = {name: flag.name for name, flag in _flags().items()}
    limits = {name: f"--{name.replace('_', '-')}" for name in Limits.model_fields}
    return re.sub(r"`(\w+)`", lambda found: {**named, **limits, **_SOURCES}.get(found[1], found[0]), line)


def model_options(function: F) -> F:
    """One option per setting of language models; the command gets those that were given as `models`, by name."""
    return _setting_options(function, "models")


def web_options(function: F) -> F:
    """One option per setting of the web; the command gets those that were given as `web`, by name."""
    return _setting_options(function, "web")


def service_options(function: F) -> F:
    """One option per setting of the service; the command gets those that were given as `service`, by name."""
    return _setting_options(function, "service")


def _setting_options(function: F, group: Group) -> F:
    @functools.wraps(function)
    def with_settings(**parameters: Any) -> Any:
        given = click.get_current_context().meta.get(f"fathom.{group}", {})
        return function(**parameters, **{group: given})

    command: Callable[..., Any] = with_settings
    for name, flag in reversed(_flags().items()):
        if flag.group != group:
            continue
        command = click.option(
            flag.name,
            name,
            metavar=flag.metavar or None,
            is_flag=not flag.metavar,
            flag_value=None if flag.metavar else flag.value,
            type=click.Path(path_type=Path) if Path in get_args(Settings.model_fields[name].annotation) else None,
            multiple=flag.is_repeated,
            default=None,
            help=flag.told or descriptions(Settings)[name],
            expose_value=False,
            callback=functools.partial(_keep_setting, group),
        )(command)
    return command  # type: ignore[return-value]


def _keep_setting(group: str, ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value is None or value == () or param.name is None:
        return
    if isinstance(value, str) and not value.strip():
        raise click.BadParameter("it is empty: leave it out, or give it a value.", ctx=ctx, param=param)
    ctx.meta.setdefault(f"fathom.{group}", {})[param.name] = value


def search_option(function: F) -> F:
    """`--search NAMES`, as `search`, for a command that is not about one question."""
    told = descriptions(Settings)["search"]
    return click.option("--search", metavar="NAMES", help=told)(function)


# ── Shared options ─────────────────────────────────────────────────────────────────────────────────────────────────


kb_option = click.option("--kb", metavar="NAME", help="Name of the knowledge base. [default]")
effort_option = click.option(
    "--effort", type=click.Choice(get_args(Effort)), help="How far to go: sets the limits below. [standard]"
)
mode_option = click.option(
    "--mode",
    type=click.Choice(get_args(Mode)),
    default="auto",
    help="One question, or a plan of several; `auto` decides by the question. [auto]",
)
template_option = click.option(
    "--template",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The outline of the report: Markdown whose headings are its sections, each with a line, if you like, that "
    "says what belongs there.",
)
docs_option = click.option(
    "--docs",
    metavar="PATH",
    type=click.Path(path_type=Path),
    multiple=True,
    help="File or folder to read, and to keep to; may be given several times. Without it: the knowledge base.",
)
format_option = click.option(
    "--format", type=click.Choice(get_args(Format)), default="text", help="How the list is written. [text]"
)


def _runs_that_begin_so(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from fathom import wiring

    async def runs() -> list[RunRecord]:
        async with wiring.opened_store() as store:
            return await store.runs()

    try:
        known = awaited(runs())
    except FathomError:  # a shell that completes has no place for a complaint
        return []
    return [CompletionItem(run.run_id, help=inert(run.query)) for run in known if run.run_id.startswith(incomplete)]


run_argument = click.argument("run_id", metavar="RUN", shell_complete=_runs_that_begin_so)
"""A run's id, or a beginning of it that no other run shares."""


def settings_in_force(web: dict[str, Any], models: dict[str, Any], **others: Any) -> Settings:
    """The settings with what the flags change; with --no-web the process is sealed from here on.

    Raises:
        UsageError: flags contradict each other.
        ConfigurationError: a setting is wrong.
    """
    from fathom.wiring.seal import sealed

    if models.get("no_web") and web:
        raise UsageError("--no-web forbids what the other flags ask of the web: leave out one of them.")
    asked_for = {**web, "web": True} if "search" in web else web  # who names providers wants them asked
    settings = load_settings(**others, **asked_for, **models)
    if web and settings.no_web:
        raise UsageError("no_web is set and forbids what the flags ask of the web: unset it, or leave them out.")
    if "search" in web and not settings.search:
        raise UsageError("--search names no provider: write it like `--search tavily,searxng`, or leave it out.")
    if web and not settings.web:
        raise UsageError("The web is left alone unless it is asked for: add --web, or set FATHOM_WEB=true.")
    if settings.no_web:
        sealed()
    return settings
