"""Whether a run is traced: by LangSmith and OpenTelemetry, as their own variables say, within what `no_web` allows."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fathom import telemetry
from fathom.engine.tracing import langchain_may_follow
from fathom.urls import is_loopback

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_LOG = logging.getLogger("fathom")


@contextmanager
def tracing_allowed(*, no_web: bool) -> Iterator[None]:
    """Within the block runs are traced as the environment says; with `no_web`, only to this machine."""
    with ExitStack() as stack:
        if no_web and langchain_may_follow() and not _langsmith_stays_here():
            from langsmith.run_helpers import tracing_context

            stack.enter_context(tracing_context(enabled=False))
        stack.enter_context(telemetry.exporting(_tracer(no_web=no_web)))
        yield


def _langsmith_stays_here() -> bool:
    """Whether all that LangSmith might be sent goes to this machine; `False` when that cannot be told."""
    from langsmith import run_trees
    from langsmith.run_helpers import get_tracing_context

    named = [_langsmith("ENDPOINT")]
    if client := get_tracing_context()["client"] or run_trees._CLIENT:
        named = [client.api_url]
    elsewhere = ("RUNS_ENDPOINTS", "TRACING_MODE", "OTEL_ENABLED", "OTEL_ONLY")
    return all(map(stays_here, named)) and not any(map(_langsmith, elsewhere))


def _langsmith(name: str) -> str:
    return os.environ.get(f"LANGSMITH_{name}") or os.environ.get(f"LANGCHAIN_{name}") or ""


def stays_here(address: str) -> bool:
    """Whether a request to `address` does not leave this machine, through a proxy neither.

    >>> stays_here("http://127.0.0.1:4318"), stays_here("https://api.smith.langchain.com"), stays_here("")
    (True, False, False)
    """
    if not address:
        return False
    from urllib.request import getproxies, proxy_bypass

    try:
        parts = urlsplit(address.strip())
        host = parts.hostname or ""
    except ValueError:
        return False
    proxies = getproxies()
    proxied = parts.scheme in proxies or "all" in proxies
    return is_loopback(host) and (not proxied or bool(proxy_bypass(host)))


def _tracer(*, no_web: bool) -> Tracer | None:
    address = telemetry.endpoint()
    if no_web:  # where the exporters of a program send to, nobody can tell
        return _exporter() if address and stays_here(address) else None
    return telemetry.tracer_of_program() or (_exporter() if address else None)


@cache
def _exporter() -> Tracer | None:
    try:
        return telemetry.exporter_of_environment()
    except ImportError:
        _LOG.warning(
            "OTEL_… asks for traces, but OpenTelemetry is not installed: pip install 'fathom-research[otel]', or set "
            "OTEL_SDK_DISABLED=true."
        )
        return None
