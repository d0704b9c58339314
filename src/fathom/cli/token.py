"""The commands around tokens: who may ask a service that is reached from other machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from fathom import wiring
from fathom.cli.options import Format, format_option
from fathom.cli.sections import Told
from fathom.cli.terminal import awaited, counted, print_json, print_rows, say

if TYPE_CHECKING:
    from datetime import timedelta

    from fathom.ports.tokens import Token


@click.group(cls=Told)
def token() -> None:
    """Create, list and revoke the tokens that let clients into the service."""


@token.command()
@click.argument("name")
@click.option("--expires", metavar="DURATION", help="How long it is in force: 12h, 30d, 8w, 1y. [until it is revoked]")
def create(name: str, expires: str | None) -> None:
    """Create a token NAME and print it; it cannot be shown again."""
    from fathom.sessions.tokens import Tokens, duration

    async def work(lasts: timedelta | None) -> tuple[Token, str]:
        async with wiring.opened_tokens(wiring.load_settings()) as store:
            return await Tokens(store).create(name, expires=lasts)

    made, secret = awaited(work(duration(expires) if expires is not None else None))
    click.echo(secret)
    until = f"until {_day(made.expires_at)}" if made.expires_at else "until it is revoked"
    say(f"The token '{made.name}' is in force {until}. Keep it now: it is not stored and cannot be shown again.")


@token.command("list")
@format_option
def list_tokens(format: Format) -> None:
    """List the tokens, oldest first."""

    async def work() -> list[Token]:
        async with wiring.opened_tokens(wiring.load_settings()) as store:
            return await store.all()

    found = awaited(work())
    if format == "json":
        print_json([{**each.model_dump(mode="json"), "status": _status(each)} for each in found])
    elif found:
        rows = (
            (each.token_id, _status(each), f"made {_day(each.created_at)}", _used(each), _until(each), each.name)
            for each in found
        )
        print_rows(rows, headings=("TOKEN", "STATUS", "MADE", "LAST USED", "EXPIRES", "NAME"))
    else:
        say("There are no tokens. Make one with `fathom token create NAME`.")


@token.command()
@click.argument("name", metavar="NAME|ID")
def revoke(name: str) -> None:
    """Revoke the token NAME or ID; whoever has it is out at once."""

    async def work() -> Sequence[Token]:
        async with wiring.opened_tokens(wiring.load_settings()) as store:
            return await store.revoke(name)

    revoked = awaited(work())
    say(f"{counted(len(revoked), 'token')} revoked: {', '.join(each.token_id for each in revoked)}.")


def _status(token: Token) -> str:
    from fathom.sessions.tokens import is_in_force

    if token.revoked_at:
        return "revoked"
    return "in force" if is_in_force(token) else "expired"


def _used(token: Token) -> str:
    return f"used {_day(token.used_at)}" if token.used_at else "not used"


def _until(token: Token) -> str:
    return f"until {_day(token.expires_at)}" if token.expires_at else "no end"


def _day(moment: str | None) -> str:
    return (moment or "")[:10]
