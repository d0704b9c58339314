"""Stores that fail when a test wants them to, and locks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import StoreError
from fathom.ports import RunStore

WRITES = {"record", "emit", "update_run", "save_report", "add_snapshot"}


class FaultyStore:
    """A run store that fails like a full disk: from some write on, or one method once.

    `at_report` begins to count when the report is to be saved; `counted` is the only write that counts.
    """

    def __init__(
        self,
        store: RunStore,
        *,
        fail_after: int | None = None,
        fail_once: str = "",
        at_report: bool = False,
        counted: str = "",
    ) -> None:
        self._store = store
        self._left = fail_after
        self._once = fail_once
        self._counted = counted
        self._armed = not at_report

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name not in WRITES:
            return method
        return self._guarded(name, method)

    def _guarded(self, name: str, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def call(*args: Any, **kwargs: Any) -> Any:
            self._armed = self._armed or name == "save_report"
            if self._left is not None:
                self._left -= self._counted in ("", name)
                if self._left < 0:
                    raise StoreError("The store fails: the disk is full.")
            if self._armed and name == self._once:
                self._once = ""
                raise StoreError(f"The store fails in {name}: the disk is full.")
            return await method(*args, **kwargs)

        return call


def nobody_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where files cannot be locked: nobody sees who is at work."""

    def refuse(path: Path, **_: object) -> int:
        raise OSError(f"{path} cannot be locked")

    monkeypatch.setattr("fathom.stores.presence.locked", refuse)
