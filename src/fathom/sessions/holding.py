"""Holding a folder, so that nobody else changes what is in it: in this process or in another."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fathom.locks import locked
from fathom.sqlite_file import private_folder

_LOOKS_EVERY = 0.05


@asynccontextmanager
async def held(folder: Path) -> AsyncIterator[None]:
    """Hold a folder, which is made when it is not there; whoever else wants to waits."""
    private_folder(folder)
    while (lock := locked(folder)) is None:  # noqa: ASYNC110 - it may be held by another process
        await asyncio.sleep(_LOOKS_EVERY)
    try:
        yield
    finally:
        os.close(lock)
