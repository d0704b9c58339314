"""Tokens: secrets that let a client in, made here, shown once, and never kept."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from datetime import UTC, datetime, timedelta

from fathom.errors import StoreError, UsageError
from fathom.ports.tokens import Token, TokenStore
from fathom.text.harmless import inert

PREFIX = "fathom_"
"""How every token begins, so that whoever finds one in a log or a repository knows what it is."""
SEEN_EVERY = timedelta(hours=1)
"""How old the note of a token's use may get: a note per request would be a write per request."""
NAME_LENGTH = 80
"""Characters that the name of a token may have."""

_SECRET = re.compile(r"fathom_[A-Za-z0-9_-]{43}")
_DURATION = re.compile(r"([0-9]{1,5})\s*([hdwy])", re.IGNORECASE)
MOST_YEARS = 100
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "y": 24 * 365}

log = logging.getLogger(__name__)


def duration(text: str) -> timedelta:
    """How long a token is in force.

    >>> duration("30d"), duration("12h")
    (datetime.timedelta(days=30), datetime.timedelta(seconds=43200))

    Raises:
        UsageError: it is no duration.
    """
    match = _DURATION.fullmatch(text.strip())
    if not match or not int(match[1]):
        raise UsageError(f"'{text}' is no duration: write it like 12h, 30d, 8w or 1y.")
    hours = int(match[1]) * _HOURS[match[2].lower()]
    if hours > MOST_YEARS * _HOURS["y"]:
        raise UsageError(f"'{text}' is longer than {MOST_YEARS} years: leave it out for what has no end.")
    return timedelta(hours=hours)


def is_in_force(token: Token) -> bool:
    """Whether a token lets its owner in now."""
    return token.revoked_at is None and not _is_past(token.expires_at)


class Tokens:
    """The tokens of a service; or, of another store, the links of its reports, each named after a run.

    A token is 256 random bits, so SHA-256 is all that its digest needs: slow hashes are for passwords, which can be
    guessed, and nobody guesses one of 2^256. It is looked up by that digest, so that the time which a search takes
    tells of the digest of a wrong token and nothing of a right one.
    """

    def __init__(self, store: TokenStore) -> None:
        self._store = store

    async def create(self, name: str, *, expires: timedelta | None = None) -> tuple[Token, str]:
        """A new token and its secret, which nobody can ask for again.

        Raises:
            UsageError: the name is empty or too long.
            Conflict: a token of that name is in force.
        """
        if not name.strip() or inert(name) != name or len(name) > NAME_LENGTH:
            raise UsageError(f"The name of a token is one line of at most {NAME_LENGTH} characters.")
        if name.startswith((PREFIX, "tok_")):
            raise UsageError(f"'{name}' looks like a token itself: choose a name that says what the token is for.")
        secret = PREFIX + secrets.token_urlsafe(32)
        moment = datetime.now(UTC)
        token = Token(
            token_id=f"{self._store.prefix}_{secrets.token_hex(6)}",
            name=name,
            created_at=_written(moment),
            expires_at=_written(moment + expires) if expires else None,
        )
        await self._store.add(token, digest(secret))
        return token, secret

    async def check(self, secret: str) -> Token | None:
        """The token of a secret when it is in force, else `None`; that it is in use is noted now and then."""
        if not _SECRET.fullmatch(secret):
            return None
        token = await self._store.find(digest(secret))
        if token is None or not is_in_force(token):
            return None
        if token.used_at is None or _is_past(token.used_at, by=SEEN_EVERY):
            try:
                await self._store.seen(token.token_id)
            except StoreError as error:  # a full disk is no reason to keep its owner out
                log.warning("the use of a token cannot be noted: %s", error)
        return token

    async def is_still_in_force(self, token_id: str) -> bool:
        """Whether a token that was in force still is."""
        token = await self._store.get(token_id)
        return token is not None and is_in_force(token)

    async def all(self) -> list[Token]:
        """Every token, oldest first."""
        return await self._store.all()

    async def in_force(self) -> list[Token]:
        """Those that let somebody in."""
        return [token for token in await self._store.all() if is_in_force(token)]

    async def revoke(self, name: str) -> list[Token]:
        """Revoke the token with that id, or those in force with that name; they are out at their next request.

        Raises:
            NotFound: there is none.
        """
        return await self._store.revoke(name)


def digest(secret: str) -> bytes:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode()).digest()


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


def _is_past(moment: str | None, *, by: timedelta = timedelta()) -> bool:
    return moment is not None and datetime.fromisoformat(moment) + by <= datetime.now(UTC)
