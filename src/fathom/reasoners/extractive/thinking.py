"""The thread in which rules are worked out, apart from the event loop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from fathom.outcomes import in_thread_of

T = TypeVar("T")

_THINKING = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fathom-thinking")
"""Of all runs of the process: more threads would be no faster, and each takes its turn from the event loop."""


async def thinking(work: Callable[[], T]) -> T:
    """What `work` returns."""
    return await in_thread_of(_THINKING, work)
