"""What the operations are given: the service's own parts, and ids that are ids."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Request

from fathom.sessions.feed import Feed
from fathom.sessions.library import Library
from fathom.sessions.service import Sessions
from fathom.wiring import Resources


def _resources(request: Request) -> Resources:
    resources: Resources = request.app.state.resources
    return resources


def _sessions(request: Request) -> Sessions:
    sessions: Sessions = request.app.state.sessions
    return sessions


def _feed(request: Request) -> Feed:
    feed: Feed = request.app.state.feed
    return feed


def _library(request: Request) -> Library:
    sessions: Sessions = request.app.state.sessions
    return sessions.library


OfResources = Annotated[Resources, Depends(_resources)]
OfSessions = Annotated[Sessions, Depends(_sessions)]
OfFeed = Annotated[Feed, Depends(_feed)]
OfLibrary = Annotated[Library, Depends(_library)]

SessionId = Annotated[
    str, Path(pattern=r"^run_[0-9a-hjkmnp-tv-z]{12}$", description="Id of the session.", examples=["run_01m8qz4bnk7d"])
]
