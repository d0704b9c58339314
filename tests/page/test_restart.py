"""The server dies in the middle of sessions: they go on by themselves, and nobody who looks on misses anything."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import httpx
import pytest

from fathom_testing.model_server import ModelServer
from tests.page.conftest import LATENCY, SLOW, with_model
from tests.page.person import LOST, Person
from tests.support.page_material import QUESTION, documents
from tests.support.page_serving import Service, Viewer, ask, ended

FEW, MANY = 1, 5
"""Sessions at once."""
VIEWERS = 2


@pytest.mark.asyncio(loop_scope="session")
async def test_killed_sessions_go_on_by_themselves_and_every_viewer_sees_each_event_once(
    service: Service, waiting_model: ModelServer, person: Person
) -> None:
    """One of the viewers is the page, which finds the server again by itself."""
    page = person.page
    person.expects(LOST)
    await person.starts(f"{QUESTION} The page looks on.")
    await page.get_by_role("region", name="Plan").get_by_role("listitem").nth(1).wait_for()
    await _killed(service, waiting_model, sessions=FEW, at=[0.5])
    await page.locator(".claim a.ref").first.wait_for()
    async with service.client() as client:
        (session,) = await ended(client, page.url.rpartition("/")[2])
    assert session["status"] == "completed"


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
async def test_whenever_and_however_often_it_is_killed_nothing_is_missed(tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    with ModelServer(latency=SLOW) as model:
        service = Service(tmp_path / "home", environment=with_model(model))
        service.fathom("ingest", documents(tmp_path))
        service.start()
        try:
            moments = [chance.uniform(0.0, 4.0) for _ in range(chance.randrange(1, 4))]
            await _killed(service, model, sessions=MANY, at=moments)
        finally:
            service.stop()


async def _killed(service: Service, model: ModelServer, *, sessions: int, at: list[float]) -> None:
    """Some sessions with viewers in a server that is killed after so many seconds, and again."""
    async with service.client(limits=httpx.Limits(max_connections=None)) as client:
        ids = [await ask(client, f"{QUESTION} This is number {number}.") for number in range(sessions)]
        viewers = [Viewer(id) for id in ids for _ in range(VIEWERS)]
        following = asyncio.gather(*(viewer.follow(client) for viewer in viewers))
        for seconds in at:
            await asyncio.sleep(seconds)
            service.kill()
            service.start()
        model.latency = LATENCY
        await following
        all_ended = await ended(client, *ids)
        assert [session["status"] for session in all_ended] == ["completed"] * sessions
        for viewer, session in zip(viewers, [each for each in all_ended for _ in range(VIEWERS)], strict=True):
            assert viewer.missed_nothing, viewer.seen
            assert (viewer.end, viewer.seen[-1]) == ("completed", session["last_event"])
            assert viewer.kinds[-1] == "finished"
        for id in ids:
            report = (await client.get(f"/api/research/sessions/{id}/report.json")).json()
            assert report["claims"] and all(claim["verified"] for claim in report["claims"])
