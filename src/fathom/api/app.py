"""The application: every router, the problem documents, the page, and the description of it all."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from operator import attrgetter

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from fathom.api import (
    checking,
    docs,
    events,
    knowledge,
    page,
    planning,
    problems,
    results,
    sessions,
    sharing,
    sources,
    steering,
    system,
)
from fathom.api import datasets as data
from fathom.api.openapi import describe
from fathom.sessions.datasets import ServedDataset
from fathom.sessions.feed import Feed
from fathom.sessions.service import Sessions
from fathom.sessions.worker import Worker
from fathom.version import __version__
from fathom.wiring import Fathom

DESCRIPTION = """\
Fathom answers questions from documents, the web and datasets. Every claim of a report is cited, and every citation is
checked.

A session is one question on its way to its report. It is carried out whether or not anybody looks on; all that is known
of it is stored, and its events are numbered, so that a viewer who comes late or again misses nothing.

Failures are problem documents (RFC 9457, `application/problem+json`).
"""
TAGS = [
    {"name": "sessions", "description": "Research sessions."},
    {"name": "results", "description": "Results of a session: report, findings and sources."},
    {"name": "knowledge", "description": "The knowledge bases and datasets that sessions may use."},
    {"name": "service", "description": "The service itself: what it offers, and its health."},
]
_EARLY = (
    "fathom.datasets.formats",
    "fathom.engine.run",
    "fathom.reasoners.extractive",
    "fathom.text.language",
    "fathom.wiring.opening",
)
"""Modules that would otherwise be loaded by the first request."""


def create_app(
    fathom: Fathom,
    *,
    worker: Worker | None = None,
    datasets: Sequence[ServedDataset] = (),
    access: Callable[[FastAPI], None] | None = None,
) -> FastAPI:
    """The application of a service, which keeps nothing that its store does not hold.

    Args:
        fathom: What the sessions share; open for as long as the application is used.
        worker: Who carries sessions out in this process, told at once of what waits; run by whoever serves.
        datasets: What sessions may ask by name.
        access: Puts what guards the service around the application; without it, everybody is let in.
    """
    for name in _EARLY:
        importlib.import_module(name)
    app = FastAPI(
        title="Fathom",
        version=__version__,
        description=DESCRIPTION,
        openapi_tags=TAGS,
        openapi_url=None,  # served by `docs`, which makes it beside the loop
        docs_url=None,  # both of FastAPI's own load scripts from another host
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=attrgetter("name"),
    )
    app.state.fathom = fathom
    app.state.worker = worker
    app.state.sessions = Sessions(fathom, worker=worker, datasets=datasets)
    app.state.sessions.library.uploads.sweep()  # what was half received when the service was killed
    app.state.feed = Feed(fathom.store)
    for each in (sessions, planning, steering, events, results, sharing, sources):
        app.include_router(each.router)
    for each in (knowledge, data, checking, system):
        app.include_router(each.router)
    app.include_router(docs.router)
    app.include_router(page.router)
    describe(app)
    problems.install(app)
    app.add_middleware(GZipMiddleware, compresslevel=6)  # it leaves the stream of events alone
    if access is not None:
        access(app)
    return app
