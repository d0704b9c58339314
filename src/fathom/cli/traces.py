"""The traces of a command: sent behind its back, and given a moment at its end."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def traces_sent(*, within: float) -> Iterator[None]:
    """Around a command that may be traced: its end waits at most `within` seconds for what is still to be sent.

    What cannot be sent is dropped without a word. For a process of our own only, for it sets variables of LangSmith.
    """
    if not any(name.startswith(("LANGSMITH_", "LANGCHAIN_", "OTEL_")) for name in os.environ):
        yield
        return
    _let_go()
    try:
        yield
    finally:
        _send(within)


def _let_go() -> None:
    """See that nothing that sends traces holds up the exit, or talks on standard error."""
    import logging

    # LangSmith's client sends by threads that an exit waits for: compressed traces always, others by default
    os.environ.setdefault("LANGSMITH_USE_DAEMON", "true")
    os.environ.setdefault("LANGSMITH_DISABLE_RUN_COMPRESSION", "true")
    for name in ("langsmith", "langchain_core", "opentelemetry", "urllib3"):
        logging.getLogger(name).addHandler(logging.NullHandler())


def _send(seconds: float) -> None:
    from threading import Thread

    from fathom import telemetry

    deadline = time.monotonic() + seconds
    senders = [telemetry.close]
    if client := getattr(sys.modules.get("langsmith.run_trees"), "_CLIENT", None):
        senders.append(client.flush)
    # side by side, for one that is out of reach must not take the other one's time; neither keeps a deadline
    threads = [Thread(target=sender, daemon=True) for sender in senders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
