"""Figures of the service for Prometheus, counted anew by each process."""

from __future__ import annotations

from typing import get_args

from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from fathom.api.depends import OfFathom, OfFeed
from fathom.ports import RunStatus
from fathom.version import __version__

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds; a stream of events lasts as long as its session and is beyond them all."""

router = APIRouter(include_in_schema=False)


class Metrics:
    """What is counted. Its labels are names of our own alone, so that no client can make more of them."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "fathom_requests", "Requests answered.", ["method", "route", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "fathom_request_seconds",
            "How long an answer took.",
            ["method", "route"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._events = Counter("fathom_events_sent", "Events sent to viewers.", registry=self.registry)
        self._sessions = Gauge("fathom_sessions", "Sessions in the store.", ["status"], registry=self.registry)
        self._running = Gauge("fathom_sessions_running", "Sessions under way in this process.", registry=self.registry)
        self._viewers = Gauge("fathom_viewers", "Streams of events that are open.", registry=self.registry)
        Gauge("fathom_build", "Version of Fathom.", ["version"], registry=self.registry).labels(__version__).set(1)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request has been answered."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def sent(self, body: bytes) -> None:
        """A part of a stream has been sent, whose frames each tell an event; the data of one has no line break."""
        if body.startswith(b"id: "):
            self._events.inc(body.count(b"\nevent: "))

    def shown(self, *, sessions: dict[RunStatus, int], running: int, viewers: int) -> bytes:
        """All of it, as Prometheus reads it, with how things stand now."""
        for status in get_args(RunStatus):
            self._sessions.labels(status).set(sessions.get(status, 0))
        self._running.set(running)
        self._viewers.set(viewers)
        return generate_latest(self.registry)


@router.get("/metrics")
async def metrics(request: Request, fathom: OfFathom, feed: OfFeed) -> Response:
    """The figures of this process, and how many sessions the store holds."""
    state = request.app.state
    shown = state.metrics.shown(
        sessions=await fathom.store.counts(),
        running=state.worker.running if state.worker is not None else 0,
        viewers=feed.viewers,
    )
    return Response(shown, media_type=CONTENT_TYPE_LATEST)
