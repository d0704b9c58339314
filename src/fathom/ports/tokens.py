"""The promise about tokens: what a client shows to be let in, of which the store never knows the secret."""

from __future__ import annotations

from typing import Protocol

from fathom.frozen import FrozenModel

SHARED = "/shared/"
"""What stands before the secret of a link in the addresses of a service."""


class Token(FrozenModel):
    """A token as a list shows it; the secret is with its owner alone."""

    token_id: str
    """`tok_`, or of a link `lnk_`, and 12 characters."""
    name: str
    """What it is for, or whose it is; of a link the run that it opens the report of."""
    created_at: str
    """ISO 8601, UTC."""
    expires_at: str | None = None
    """The moment from which on it lets nobody in; `None` for never."""
    revoked_at: str | None = None
    """When it was revoked."""
    used_at: str | None = None
    """When it was last seen in use, to the hour or so."""


class TokenStore(Protocol):
    """Tokens, each found by the digest of its secret. What a method has returned from is durable."""

    prefix: str
    """What the ids of its tokens begin with."""

    async def add(self, token: Token, digest: bytes) -> None:
        """Store a new token.

        Raises:
            Conflict: a token of that name is in force.
        """
        ...

    async def find(self, digest: bytes) -> Token | None:
        """The token of a secret, also one that is revoked or has expired; `None` when there is none."""
        ...

    async def get(self, token_id: str) -> Token | None:
        """The token with that id."""
        ...

    async def all(self) -> list[Token]:
        """Every token, oldest first."""
        ...

    async def revoke(self, name: str) -> list[Token]:
        """Revoke the token with that id, or those in force with that name; those that were revoked before stay so.

        Raises:
            NotFound: there is none.
        """
        ...

    async def seen(self, token_id: str) -> None:
        """Note that a token is in use."""
        ...
