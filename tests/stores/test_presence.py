"""Who is at work on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fathom.locks import locked
from fathom.stores.presence import Presence


def test_who_only_asks_whether_somebody_is_at_work_keeps_nobody_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moment in which another process has the file locked to see that nobody else has."""
    one, pauses = Presence(tmp_path), list[float]()
    asked = locked(one._path("worker"), flags=os.O_RDWR | os.O_CREAT)
    assert asked is not None

    def passes(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            os.close(asked)

    monkeypatch.setattr("fathom.stores.presence.time.sleep", passes)

    assert one.sign_on("worker")
    assert Presence(tmp_path).is_alive("worker")
    assert not Presence(tmp_path).sign_on("worker"), "somebody is at work by that name"
    one.close()
    assert Presence(tmp_path).sign_on("worker")
