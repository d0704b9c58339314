"""Spans for OpenTelemetry, by its conventions for generative AI: names and figures, never a prompt or a document.

Off, and free of charge, until `exporting` names a tracer; OpenTelemetry is imported only then.
"""

from __future__ import annotations

import contextvars
import os
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Literal, Protocol

from fathom.version import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

Value = str | bool | int | float | Sequence[str]
"""What an attribute of a span may be."""
NAME = "fathom"
"""Of the service and of the tracer."""

_TRACER: contextvars.ContextVar[Tracer | None] = contextvars.ContextVar("fathom_tracer", default=None)


class TraceSpan(Protocol):
    """What happens, while it happens."""

    def set_attributes(self, attributes: Mapping[str, Value], /) -> None:
        """Add what is known by now."""
        ...


class _Nothing:
    def set_attributes(self, attributes: Mapping[str, Value], /) -> None:
        """Nobody looks."""


_NOTHING = _Nothing()


@contextmanager
def exporting(tracer: Tracer | None) -> Iterator[None]:
    """Within the block, spans go to `tracer`; with `None` there are none."""
    token = _TRACER.set(tracer)
    try:
        yield
    finally:
        _TRACER.reset(token)


@contextmanager
def span(
    name: str, attributes: Mapping[str, Value] | None = None, *, kind: Literal["internal", "client"] = "internal"
) -> Generator[TraceSpan, None, None]:
    """A span below the one that is current. An error that leaves the block is told by its type alone."""
    tracer = _TRACER.get()
    if tracer is None:
        yield _NOTHING
        return
    from opentelemetry.trace import SpanKind, StatusCode

    with tracer.start_as_current_span(
        name,
        kind=SpanKind.CLIENT if kind == "client" else SpanKind.INTERNAL,
        attributes=attributes,
        record_exception=False,  # its text may quote a model or a document
        set_status_on_exception=False,
    ) as live:
        try:
            yield live
        except BaseException as error:
            live.set_attribute("error.type", type(error).__qualname__)
            live.set_status(StatusCode.ERROR)
            raise


def search_span(source: str) -> AbstractContextManager[TraceSpan]:
    """A source is searched."""
    what = {"operation.name": "execute_tool", "tool.name": source, "tool.type": "datastore"}
    return span(f"execute_tool {source}", {f"gen_ai.{name}": value for name, value in what.items()}, kind="client")


def carry_to(context: contextvars.Context) -> None:
    """Let spans made in `context` stand below the current one."""
    tracer = _TRACER.get()
    if tracer is None:
        return
    from opentelemetry.context import attach, get_current

    context.run(_TRACER.set, tracer)
    context.run(attach, get_current())


# ── Where spans go ─────────────────────────────────────────────────────────────────────────────────────────────────


def endpoint() -> str | None:
    """The address that the environment names for spans; `None` when it asks for none."""
    named = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT")
    exporters = os.environ.get("OTEL_TRACES_EXPORTER", "otlp" if named else "none")
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or "otlp" not in exporters.split(","):
        return None
    return named or "http://localhost:4318"


def exporter_of_environment() -> Tracer:
    """Sends spans by OTLP over HTTP to where the variables of OpenTelemetry say, in the background.

    Raises:
        ImportError: the extra `otel` is not installed.
    """
    return _provider().get_tracer(NAME, __version__)


def tracer_of_program() -> Tracer | None:
    """Of the program that Fathom is a part of; `None` when that has not set up OpenTelemetry."""
    sdk = sys.modules.get("opentelemetry.sdk.trace")
    if sdk is None:
        return None
    from opentelemetry.trace import get_tracer_provider

    provider = get_tracer_provider()
    return provider.get_tracer(NAME, __version__) if isinstance(provider, sdk.TracerProvider) else None


@cache
def _provider() -> TracerProvider:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    own = Resource({"service.name": NAME, "service.version": __version__})
    provider = TracerProvider(resource=Resource.create().merge(own).merge(OTELResourceDetector().detect()))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def close() -> None:
    """Send what is still to be sent, however long it takes; at the end of a process, once."""
    if _provider.cache_info().currsize:
        _provider().shutdown()
