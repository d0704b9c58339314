"""The commands around tokens and links: who may ask a service, and who may read one of its reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from fathom import wiring
from fathom.cli.options import Format, format_option, run_argument
from fathom.cli.terminal import awaited, counted, print_json, print_rows, say
from fathom.ports.tokens import SHARED

if TYPE_CHECKING:
    from datetime import timedelta

    from fathom.ports.tokens import Token


@click.group()
def token() -> None:
    """Make, list and revoke the tokens that let clients into the service."""


@token.command()
@click.argument("name")
@click.option("--expires", metavar="DURATION", help="How long it is in force: 12h, 30d, 8w, 1y. [until it is revoked]")
def create(name: str, expires: str | None) -> None:
    """Make a token NAME and print it; it cannot be shown again."""
    from fathom.sessions.tokens import Tokens, duration

    async def work(lasts: timedelta | None) -> tuple[Token, str]:
        async with wiring.opened_tokens(wiring.load_settings()) as store:
            return await Tokens(store).create(name, expires=lasts)

    made, secret = awaited(work(duration(expires) if expires is not None else None))
    click.echo(secret)
    lasts = _lasts(made)
    say(f"The token '{made.name}' is in force{lasts}. Keep it now: it is not stored and cannot be shown again.")


@token.command("list")
@format_option
def list_tokens(format: Format) -> None:
    """List the tokens, oldest first."""
    _list(format, "There are no tokens. Make one with `fathom token create NAME`.")


@token.command()
@click.argument("name", metavar="NAME|ID")
def revoke(name: str) -> None:
    """Revoke the token NAME or ID; whoever has it is out at once."""
    _revoke(name, "token")


@click.group()
def share() -> None:
    """Make, list and revoke the links that open one report to whoever has them, and nothing else."""


@share.command("create")
@run_argument
@click.option("--expires", metavar="DURATION", help="How long it is in force: 12h, 30d, 8w, 1y. [until it is revoked]")
def create_link(run_id: str, expires: str | None) -> None:
    """Make a link to the report of RUN and print it; it cannot be shown again.

    `fathom serve` answers at it: where it is reached under another name, that takes the place of the address printed.
    """
    from fathom.sessions.tokens import Tokens, duration

    lasts, settings = duration(expires) if expires is not None else None, wiring.load_settings()

    async def work() -> tuple[Token, str]:
        async with wiring.Fathom(settings) as fathom:
            run = await fathom.store.run(run_id)
            await fathom.store.report(run.run_id)
            return await Tokens(fathom.links).create(run.run_id, expires=lasts)

    made, secret = awaited(work())
    click.echo(f"http://{settings.serve_host}:{settings.serve_port}{SHARED}{secret}")
    say(f"Whoever has this link can read the report of {made.name}{_lasts(made)}; it cannot be shown again.")


@share.command("list")
@format_option
def list_links(format: Format) -> None:
    """List the links, oldest first."""
    _list(format, "There are no links. Make one with `fathom share create RUN`.", links=True)


@share.command("revoke")
@click.argument("name", metavar="RUN|ID")
def revoke_link(name: str) -> None:
    """Revoke the link ID, or every link to the report of RUN; they open nothing from now on."""
    _revoke(name, "link", links=True)


def _list(format: Format, none: str, *, links: bool = False) -> None:
    async def work() -> list[Token]:
        async with wiring.opened_tokens(wiring.load_settings(), links=links) as store:
            return await store.all()

    found = awaited(work())
    if format == "json":
        print_json([{**each.model_dump(mode="json"), "status": _status(each)} for each in found])
    elif found:
        print_rows(
            (each.token_id, _status(each), f"made {_day(each.created_at)}", _used(each), _until(each), each.name)
            for each in found
        )
    else:
        say(none)


def _revoke(name: str, what: str, *, links: bool = False) -> None:
    async def work() -> Sequence[Token]:
        async with wiring.opened_tokens(wiring.load_settings(), links=links) as store:
            return await store.revoke(name)

    revoked = awaited(work())
    say(f"{counted(len(revoked), what)} revoked: {', '.join(each.token_id for each in revoked)}.")


def _status(token: Token) -> str:
    from fathom.sessions.tokens import is_in_force

    if token.revoked_at:
        return "revoked"
    return "in force" if is_in_force(token) else "expired"


def _lasts(token: Token) -> str:
    """How long it is in force."""
    return f" until {_day(token.expires_at)}" if token.expires_at else " until it is revoked"


def _used(token: Token) -> str:
    return f"used {_day(token.used_at)}" if token.used_at else "not used"


def _until(token: Token) -> str:
    return f"until {_day(token.expires_at)}" if token.expires_at else "no end"


def _day(moment: str | None) -> str:
    return (moment or "")[:10]
