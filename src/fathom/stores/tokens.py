"""Tokens in the file of the runs: a digest each, and never a secret."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from fathom.errors import Conflict, NotFound
from fathom.ports.tokens import Token
from fathom.stores.database import RunDatabase, reads, writes
from fathom.stores.sqlite import now

_COLUMNS = "token_id, name, created_at, expires_at, revoked_at, used_at"
_IN_FORCE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)"


class SqliteTokenStore:
    """The tokens of one machine. It shares the file, and the connection, with the run store."""

    prefix, table = "tok", "tokens"
    one_each = True
    """Whether names tell those in force apart."""

    def __init__(self, database: RunDatabase) -> None:
        self.database = database

    @writes
    def add(self, db: sqlite3.Connection, token: Token, digest: bytes) -> None:
        """Store a new token (see `TokenStore`)."""
        named = f"SELECT 1 FROM {self.table} WHERE name = ? AND {_IN_FORCE}"
        if self.one_each and db.execute(named, (token.name, now())).fetchone():
            raise Conflict(
                f"A token '{token.name}' is in force already: choose another name, or revoke it with "
                f"`fathom token revoke {token.name}`."
            )
        db.execute(
            f"INSERT INTO {self.table} (digest, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (digest, *token.model_dump().values()),
        )

    async def find(self, digest: bytes) -> Token | None:
        """The token of a secret, also one that is revoked or has expired."""
        return await self._one("digest = ?", digest)

    async def get(self, token_id: str) -> Token | None:
        """The token with that id."""
        return await self._one("token_id = ?", token_id)

    async def _one(self, where: str, value: str | bytes) -> Token | None:
        def work(db: sqlite3.Connection) -> Token | None:
            return next(_tokens(db.execute(f"SELECT {_COLUMNS} FROM {self.table} WHERE {where}", (value,))), None)

        return await self.database.read(work)

    @reads
    def all(self, db: sqlite3.Connection) -> list[Token]:
        """Every token, oldest first."""
        return list(_tokens(db.execute(f"SELECT {_COLUMNS} FROM {self.table} ORDER BY created_at, token_id")))

    @writes
    def revoke(self, db: sqlite3.Connection, name: str) -> list[Token]:
        """Revoke the token with that id, or those in force with that name."""
        moment = now()
        chosen = f"token_id = ?1 OR (name = ?1 AND {_IN_FORCE.replace('?', '?2')})"
        ids = [id for (id,) in db.execute(f"SELECT token_id FROM {self.table} WHERE {chosen}", (name, moment))]
        if not ids:
            raise NotFound(f"No token in force is named '{name}': `fathom token list` lists them.")
        db.executemany(
            f"UPDATE {self.table} SET revoked_at = coalesce(revoked_at, ?) WHERE token_id = ?",
            [(moment, id) for id in ids],
        )
        marks = ", ".join("?" * len(ids))
        return list(_tokens(db.execute(f"SELECT {_COLUMNS} FROM {self.table} WHERE token_id IN ({marks})", ids)))

    async def seen(self, token_id: str) -> None:
        """Note that a token is in use."""
        await self.database.write(
            lambda db: db.execute(f"UPDATE {self.table} SET used_at = ? WHERE token_id = ?", (now(), token_id))
        )


class SqliteLinkStore(SqliteTokenStore):
    """The links of one machine: tokens that are named after the run of which they open the report, in a table of their
    own, so that none lets anybody into anything else; a run may have several, and takes them along when it is deleted.
    """

    prefix, table = "lnk", "links"
    one_each = False


def _tokens(rows: Iterable[tuple[Any, ...]]) -> Iterator[Token]:
    return (Token(**dict(zip(_COLUMNS.split(", "), row, strict=True))) for row in rows)
