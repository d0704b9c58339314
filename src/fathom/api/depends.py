"""What the operations are given: the service's own parts, ids that are ids, and time as long as somebody waits."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import Depends, HTTPException, Path, Request

from fathom.sessions.feed import Feed
from fathom.sessions.library import Library
from fathom.sessions.service import Sessions
from fathom.wiring import Fathom

T = TypeVar("T")

LOOK_SECONDS = 0.25
"""How often it is looked whether somebody still waits."""


def _fathom(request: Request) -> Fathom:
    fathom: Fathom = request.app.state.fathom
    return fathom


def _sessions(request: Request) -> Sessions:
    sessions: Sessions = request.app.state.sessions
    return sessions


def _feed(request: Request) -> Feed:
    feed: Feed = request.app.state.feed
    return feed


def _library(request: Request) -> Library:
    sessions: Sessions = request.app.state.sessions
    return sessions.library


OfFathom = Annotated[Fathom, Depends(_fathom)]
OfSessions = Annotated[Sessions, Depends(_sessions)]
OfFeed = Annotated[Feed, Depends(_feed)]
OfLibrary = Annotated[Library, Depends(_library)]

SessionId = Annotated[
    str, Path(pattern=r"^run_[0-9a-hjkmnp-tv-z]{12}$", description="Id of the session.", examples=["run_01m8qz4bnk7d"])
]


async def while_waited_for(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The outcome of `work`, which is broken off when the client has left.

    Raises:
        HTTPException: nobody waits any more; nobody hears it either.
    """
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            await asyncio.wait([task], timeout=LOOK_SECONDS)
            if not task.done() and await request.is_disconnected():
                raise HTTPException(400, "The client has broken off.")
        return task.result()
    finally:
        task.cancel()
        await asyncio.wait([task])
