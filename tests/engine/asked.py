"""What a run in a lab waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from fathom.report import Report
from fathom.steering import Approval
from tests.support.lab import Lab

T = TypeVar("T")


async def until(look: Callable[[], Awaitable[T | None]]) -> T:
    """What is looked for, once it is there."""
    async with asyncio.timeout(20):
        while True:
            if (found := await look()) is not None:
                return found
            await asyncio.sleep(0.02)


async def asked(lab: Lab, *, about: str = "", but: str = "") -> Approval:
    """What the run waits for, once it does."""

    async def look() -> Approval | None:
        waits = [each for run in await lab.store.runs() for each in run.waiting_for]
        return next((each for each in waits if about in ("", each.about) and each.id != but), None)

    return await until(look)


async def broken_off(run: asyncio.Future[Report]) -> None:
    """End the process of a run in the middle of it."""
    run.cancel()
    await asyncio.wait([run])
