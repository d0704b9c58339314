"""A model server that is gone for a while: the run waits for it, says so, and a report made without it is partial."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

import fathom
from fathom.events import CallFailed
from fathom.ports import RunRecord
from fathom.reasoners.language_model import model as models
from fathom.reasoners.language_model.policy import Backoff
from fathom.report import Report
from fathom.wiring.adapters import opened_store
from fathom_testing.model_server import Entry, ModelServer
from tests.support.corpus import QUESTION, corpus
from tests.support.model_settings import settings_for


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "PROBE_SECONDS", 0.02)
    monkeypatch.setattr(Backoff.__new__, "__defaults__", (0.0, 30.0, 60.0))


async def record(settings: fathom.Settings, run_id: str) -> RunRecord:
    async with opened_store(settings) as store:
        return await store.run(run_id)


async def gone_after(
    folder: Path, server: ModelServer, kind: str, *, stop: bool = False
) -> tuple[Report, list[str], fathom.Settings]:
    """The report of a run whose server goes when the first event of a kind comes, and what was said of it.

    With `stop` the run is stopped as soon as that is said; else the server is there again then.
    """
    settings = settings_for(folder, server, cache=False)
    told = list[str]()
    back = ModelServer(port=server.port, log_prompts=True)
    try:
        async with fathom.stream(QUESTION, documents=[corpus(folder)], settings=settings) as run:
            async for stored in run:
                if stored.event.kind == kind and not told:
                    await asyncio.to_thread(server.__exit__, None, None, None)
                if isinstance(stored.event, CallFailed) and "waited for" in stored.event.error:
                    told.append(stored.event.error)
                    if stop:
                        run.stop()
                    else:
                        back.__enter__()
            return await run.report(), told, settings
    finally:
        if told and not stop:
            back.__exit__(None, None, None)
            server._log.entries += back.calls


def answered(server: ModelServer) -> Counter[tuple[str, ...]]:
    calls: list[Entry] = [call for call in server.calls if call.status == 200]
    return Counter(tuple(call.prompt) for call in calls)


@pytest.mark.parametrize("kind", ["planned", pytest.param("extracted", marks=pytest.mark.soak)])
async def test_a_run_goes_on_with_its_model_once_its_server_is_back(tmp_path: Path, kind: str) -> None:
    server = ModelServer(latency=0.02, log_prompts=True).__enter__()
    report, told, settings = await gone_after(tmp_path, server, kind)

    assert (report.partial, report.stand_ins) == (None, {})
    assert len(told) == 1 and "cannot be reached" in told[0] and "600 seconds at most" in told[0]
    assert max(answered(server).values()) == 1, "what was answered is not asked again"
    assert (await record(settings, report.run_id)).status == "completed"


@pytest.mark.parametrize("kind", ["planned", pytest.param("extracted", marks=pytest.mark.soak)])
async def test_a_run_that_is_stopped_while_it_waits_ends_at_once_and_is_partial(tmp_path: Path, kind: str) -> None:
    server = ModelServer(latency=0.02, log_prompts=True).__enter__()
    report, _, settings = await gone_after(tmp_path, server, kind, stop=True)
    assert report.partial in ("cancelled", "unavailable")
    assert (await record(settings, report.run_id)).status == "partial"


async def test_a_report_made_for_want_of_a_model_is_partial_and_resume_asks_for_what_stood_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "GONE_SECONDS", 0.05)
    server = ModelServer(latency=0.02, log_prompts=True).__enter__()
    settings = settings_for(tmp_path, server, cache=False)
    async with fathom.stream(QUESTION, documents=[corpus(tmp_path)], settings=settings) as run:
        async for stored in run:
            if stored.event.kind == "planned":
                await asyncio.to_thread(server.__exit__, None, None, None)
        report = await run.report()

    assert report.partial == "unavailable" and report.stand_ins and report.claims
    assert "could not be reached" in report.markdown
    assert (await record(settings, report.run_id)).status == "partial"
    assert (await fathom.replay(report.run_id, settings=settings)).model_dump_json() == report.model_dump_json()

    with ModelServer(port=server.port, log_prompts=True) as back:
        whole = await fathom.resume(report.run_id, settings=settings)
        assert (whole.partial, whole.stand_ins) == (None, {})
        assert max((answered(server) + answered(back)).values()) == 1
