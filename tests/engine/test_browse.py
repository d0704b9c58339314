"""The web in a run: each page is read once, nothing is asked twice, and a replay needs no web."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from fathom.events import PageRead
from fathom.testing.reasoner import Shape, jittered
from fathom.testing.web import SimulatedReader, SimulatedSearch, simulated_web
from tests.engine.lab import Lab

SHAPE = Shape(subtasks=4, dependencies={3: (1,)}, rounds=2, children={2: 2}, weak=("task_1",))


async def test_every_page_is_read_once_however_many_subtasks_want_it(tmp_path: Path) -> None:
    reader = SimulatedReader(latency=jittered(0.002))
    web = simulated_web(SimulatedSearch(pages=25), SimulatedSearch("beta", pages=25), reader=reader)
    async with Lab(tmp_path, SHAPE, web=web) as lab:
        report = await lab.start()
        told = Counter(event.url for event in await lab.events() if isinstance(event, PageRead))
        replayed = await lab.replay()
    assert replayed.model_dump_json() == report.model_dump_json()
    assert set(Counter(reader.asked).values()) == {1} == set(told.values())
    assert report.usage.pages == len(reader.asked) > 10
    assert {source.kind for source in report.sources} == {"file", "web"}
