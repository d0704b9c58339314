"""Streams of events: how many a client may hold open, and when they end before their session does."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections import Counter
from contextlib import suppress
from typing import NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fathom.api.problems import TOO_MANY, problem
from fathom.api.security.asking import client_of, is_stream, token_of
from fathom.errors import StoreError
from fathom.sessions.tokens import Tokens

LOOK_SECONDS = 2.0
"""How often it is looked whether the tokens of open streams are still in force."""
RETRY_SECONDS = 10
"""When a client that holds too many open may try again."""
LAST_SECONDS = 0.5
"""How long a viewer may take for the end of its stream."""

log = logging.getLogger(__name__)


class _Open(NamedTuple):
    client: str
    token_id: str
    until: asyncio.Timeout


class OpenStreams:
    """The streams that are open in this process, each of which can be ended."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._open: set[_Open] = set()
        self._of_client: Counter[str] = Counter()
        self._ending = False
        self._looking: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._open)

    def held_by(self, client: str) -> int:
        """How many a client holds open."""
        return self._of_client[client]

    def add(self, client: str, token_id: str, until: asyncio.Timeout) -> _Open:
        """A stream begins; `until` is what ends it."""
        stream = _Open(client, token_id, until)
        self._open.add(stream)
        self._of_client[client] += 1
        if self._ending:
            _end(stream)
        if token_id and (self._looking is None or self._looking.done()):
            nobody = contextvars.Context()  # it looks for all, not for the request that came first
            self._looking = asyncio.create_task(self._look(), name="tokens of streams", context=nobody)
        return stream

    def remove(self, stream: _Open) -> None:
        """A stream has ended."""
        self._open.discard(stream)
        self._of_client -= Counter([stream.client])  # drops who holds none

    def end(self) -> None:
        """End them all, and each that is still to come: the service ends."""
        self._ending = True
        for stream in self._open:
            _end(stream)

    async def _look(self) -> None:
        """End the streams whose token has been revoked, or has expired, for as long as any has one."""
        while token_ids := {stream.token_id for stream in self._open if stream.token_id}:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                out = {each for each in token_ids if not await self._tokens.is_still_in_force(each)}
            except StoreError as error:
                log.warning("tokens cannot be looked up: %s", error)
                continue
            for stream in self._open:
                if stream.token_id in out:
                    _end(stream)


def _end(stream: _Open) -> None:
    if not stream.until.expired():
        stream.until.reschedule(asyncio.get_running_loop().time())


class Streams:
    """Counts the streams of events, and ends one at its last whole frame: its viewer comes back when it may."""

    def __init__(self, app: ASGIApp, streams: OpenStreams, *, most: int) -> None:
        self._app = app
        self._streams = streams
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_stream(scope):
            await self._app(scope, receive, send)
            return
        client = client_of(scope)
        if self._streams.held_by(client) >= self._most:
            line = f"{self._most} streams of events are open already, which is all that one client may hold."
            await problem(TOO_MANY, line, headers={"Retry-After": str(RETRY_SECONDS)})(scope, receive, send)
            return
        begun = whole = False

        async def sending(message: Message) -> None:
            nonlocal begun, whole
            begun = True
            whole = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        try:
            async with asyncio.timeout(None) as until:
                stream = self._streams.add(client, token_of(scope), until)
                try:
                    await self._app(scope, receive, sending)
                finally:
                    self._streams.remove(stream)
        except TimeoutError:
            if not until.expired():
                raise
            if begun and not whole:
                with suppress(TimeoutError):  # a viewer that takes nothing in is broken off by the server
                    async with asyncio.timeout(LAST_SECONDS):
                        await send({"type": "http.response.body", "body": b"", "more_body": False})
            elif not begun:
                line = "The service ends, or the token is no longer in force."
                await problem(TOO_MANY, line, headers={"Retry-After": str(RETRY_SECONDS)})(scope, receive, send)
