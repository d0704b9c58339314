"""A session again, and what has changed, as an agent asks for it."""

from __future__ import annotations

from tests.mcp_server.conftest import Served, call, refusal
from tests.support.serving import QUESTION


async def test_a_session_is_updated_and_what_has_changed_is_told(served: Served) -> None:
    file = served.home.parent / "notes" / "engines.md"
    async with served.stdio(env=served.slow(0)) as client:
        (engines,) = (each for each in (await call(client, "list_sources"))["documents"] if each["title"] == "Engines")
        asked = {"question": QUESTION, "documents": [engines["id"]], "effort": "quick", "wait_seconds": 60}
        first = (await call(client, "research", **asked))["session"]["session_id"]
        file.write_text(file.read_text(encoding="utf-8").replace("in 1837", "in 1834"), encoding="utf-8")

        again = await call(client, "update", session_id=first, wait_seconds=60)
        new = again["session"]["session_id"]
        told = await call(client, "compare", session_id=new)
        back = await call(client, "compare", session_id=first, earlier_id=new)

        assert again["report"]["claims"] and "`compare`" in again["next"]
        assert (told["unchanged"], told["left_out"]) == (False, "")
        assert "in ~~1837~~" in told["text"] and "in **1834**" in told["text"]
        assert "in ~~1834~~" in back["text"] and "in **1837**" in back["text"]
        assert "updates no other run" in await refusal(client, "compare", session_id=first)
        assert "run_000000000000" in await refusal(client, "update", session_id="run_000000000000")
