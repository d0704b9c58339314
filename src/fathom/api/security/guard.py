"""Puts every guard around the application, in order."""

from __future__ import annotations

from functools import partial

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from fathom.api import metrics
from fathom.api.listening import ListeningHost
from fathom.api.logs import Requests
from fathom.api.metrics import Metrics
from fathom.api.security import access
from fathom.api.security.asking import METHODS, Middleware, around
from fathom.api.security.bodies import Bodies
from fathom.api.security.headers import BrowserRules
from fathom.api.security.origins import ASKED_HEADERS, TOLD_HEADERS, HostNames, OwnPage, checked_origins
from fathom.api.security.rates import RateBudget, Rates
from fathom.api.security.streams import OpenStreams, Streams
from fathom.errors import ConfigurationError
from fathom.sessions.tokens import Tokens
from fathom.settings import Settings


class Guard:
    """Guards one service (see `create_app`).

    Args:
        place: Where it listens: any but this machine's own address asks for a token.

    Raises:
        ConfigurationError: an origin that may use the API is none.
    """

    def __init__(self, settings: Settings, tokens: Tokens, place: ListeningHost) -> None:
        self.token_needed = settings.serve_require_token or not place.is_loopback
        self.streams = OpenStreams(tokens)
        self.starts = RateBudget("sessions", settings.serve_new_sessions)
        """Sessions and estimates that each client may ask for."""
        self._settings = settings
        self._tokens = tokens
        self._place = place
        self._origins = checked_origins(settings.serve_origins)

    def __call__(self, app: FastAPI) -> None:
        """Guard the application, and give it the door and the figures."""
        app.state.login_required = self.token_needed
        app.state.door = access.Door(self._tokens)
        app.state.metrics = Metrics()
        app.include_router(access.router)
        if hasattr(app.state, "feed"):  # it is the service itself, and no other face of it
            app.include_router(metrics.router)
        app.add_middleware(around, guards=self._guards(app))

    async def check(self) -> None:
        """See that somebody can be let in.

        Raises:
            ConfigurationError: a token is needed, and none is in force.
        """
        if self.token_needed and not await self._tokens.in_force():
            reason = "with `serve_require_token`" if self._place.is_loopback else f"on {self._place.host}"
            raise ConfigurationError(
                f"Nobody could be let in {reason}: make a token with `fathom token create NAME`, then start again."
            )

    def _guards(self, app: FastAPI) -> list[Middleware]:
        """The outermost first; what costs nothing comes before what asks the store."""
        settings = self._settings
        guards: list[Middleware] = [
            partial(Requests, metrics=app.state.metrics),
            BrowserRules,
            partial(HostNames, place=self._place, names=settings.serve_names),
            partial(OwnPage, origins=self._origins),
        ]
        if self._origins:
            guards.append(partial(_shared, origins=self._origins))
        if self.token_needed:
            guards.append(partial(access.TokenNeeded, door=app.state.door))
        return [
            *guards,
            partial(Rates, requests=settings.serve_rate, starts=self.starts),
            partial(Bodies, upload_mb=settings.serve_upload_mb),
            partial(Streams, streams=self.streams, most=settings.serve_viewers),
        ]


def _shared(app: ASGIApp, origins: tuple[str, ...]) -> ASGIApp:
    """The application for pages of other origins, too; a token they send by themselves, for no cookie goes along."""
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=[method for method in METHODS if method != "OPTIONS"],
        allow_headers=ASKED_HEADERS,
        expose_headers=TOLD_HEADERS,
        allow_credentials=False,
        max_age=600,
    )
