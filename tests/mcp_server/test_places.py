"""What the tools answer names the files of this machine, and not where on it they are."""

from __future__ import annotations

import pytest

from fathom.events import CallFailed, Failed, StoredEvent
from fathom.mcp_server.following import Watched
from tests.contracts import a_run

ERROR = "/home/ada/secret/notes.md cannot be read"


@pytest.mark.parametrize("event", [CallFailed(call="search knowledge", error=ERROR), Failed(error=ERROR)])
def test_what_goes_wrong_is_told_without_the_folders_of_this_machine(event: CallFailed | Failed) -> None:
    seen = Watched(a_run(status="failed", error=ERROR))

    told = seen.take(StoredEvent(run_id="run_one", seq=1, at="2026-11-27T12:00:00+00:00", event=event), after=0)

    assert told is not None and "notes.md cannot be read" in told.line
    assert seen.state.error == "notes.md cannot be read"
    assert "secret" not in f"{told} {seen.state}"
