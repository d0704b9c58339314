"""How a process ends that is told to: in time, whatever it is doing."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)
END_SECONDS = 3.0
"""When a service ends at the latest: what is finished is durable, the rest is resumed."""


@contextmanager
def told_to_end(
    first: Callable[[int], object], *, last: Callable[[int], NoReturn], within: Mapping[signal.Signals, float]
) -> Iterator[None]:
    """In the block a first SIGINT or SIGTERM calls `first`, and a second one `last` at once.

    Args:
        first: Told the signal, in the main thread, in the middle of whatever that is doing.
        last: Ends the process; told the signal too.
        within: The seconds after which a first signal ends it too, also behind the block.
    """
    heard = False

    def hear(told: int, _: object) -> None:
        nonlocal heard
        number = signal.Signals(told)
        if heard:
            last(number)
        heard = True
        first(number)
        if number in within:
            patience = threading.Timer(within[number], last, [number])
            patience.daemon = True
            patience.start()

    before = {number: signal.signal(number, hear) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end(code: int) -> NoReturn:
    """End this process now, and the programs that it has started; what is finished is durable.

    A thread in the middle of a computation, or one that waits for input, cannot be ended in any other way.
    """
    try:
        sys.stderr.flush()
        if programs := sys.modules.get("fathom.tools.stdio"):
            programs.kill_all()
    finally:
        os._exit(code)
