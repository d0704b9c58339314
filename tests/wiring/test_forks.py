"""A run again as a new one: asked anew, or from nothing but what the first one has read."""

from __future__ import annotations

import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

import fathom
from fathom import wiring
from fathom.errors import ConfigurationError, FathomError, NotFound, UsageError
from fathom.knowledge.archive import Archive
from fathom.ports import RunRecord
from fathom.ports.web import Page, Web
from fathom.report import Report
from fathom.settings import Settings
from fathom.wiring import offline, opening
from tests.contracts import a_page
from tests.support.doubles.web import SimulatedReader, SimulatedSearch, hit, simulated_web

QUESTION = "What is a scope, how are exceptions handled, and how many units does the deep tide hold?"
BY_SOCKET = {"socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto", "socket.sendmsg"}

opened: list[str] = []
"""What was done with sockets of the network while the process is being watched."""
watching = False


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook, which hears of every socket in the process; the event loop's own pair is none of the network."""
    if watching and (event in BY_SOCKET or (event == "socket.__new__" and arguments[1] != socket.AF_UNIX)):
        opened.append(event)


sys.addaudithook(watch)


@pytest.fixture
def no_sockets() -> Iterator[None]:
    """No socket of the network is opened from here on."""
    global watching
    opened.clear()
    watching = True
    yield
    watching = False
    assert opened == []


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return wiring.load_settings(home=tmp_path / "home")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "names.md").write_text("# Names\n\nA scope defines the **visibility** of a name within a block.\n")
    (folder / "errors.rst").write_text("Exceptions\n==========\n\nExceptions are handled by the except clause.\n")
    (folder / "page.html").write_text("<h1>Blocks</h1><p>A block is a scope of its own.</p>")
    return folder


@pytest.fixture
async def parent(settings: Settings, notes: Path) -> Report:
    """The report of a run, whose documents are gone since."""
    report = await fathom.research(QUESTION, documents=[notes], settings=settings)
    assert report.claims
    shutil.rmtree(notes)
    shutil.rmtree(settings.home / "knowledge")
    return report


async def record(run_id: str, settings: Settings) -> RunRecord:
    async with wiring.opened_store(settings) as store:
        return await store.run(run_id)


async def kept_texts(report: Report, settings: Settings) -> dict[str, str]:
    """What the run of a report has kept of its documents, by digest."""
    async with wiring.opened_store(settings) as store:
        return {sha256: await store.snapshot(sha256) for sha256 in await store.snapshots(report.run_id)}


async def holds(report: Report, texts: dict[str, str]) -> None:
    """Hold every quote of a report to the texts that it may rest on."""
    assert report.claims
    digests = {source.id: source.sha256 for source in report.sources}
    for each in report.evidence:
        assert texts[digests[each.source_id]][each.start : each.end] == each.quote


async def test_a_fork_offline_rests_on_what_the_run_has_kept_although_the_files_are_gone(
    parent: Report, settings: Settings
) -> None:
    forked = await fathom.fork(parent.run_id, offline=True, settings=settings)

    assert forked.run_id != parent.run_id
    await holds(forked, await kept_texts(parent, settings))
    assert {source.uri for source in forked.sources} <= {source.uri for source in parent.sources}
    assert {source.retrieved_at for source in forked.sources} <= {source.retrieved_at for source in parent.sources}
    assert {claim.text for claim in forked.claims} >= {claim.text for claim in parent.claims}


@pytest.mark.usefixtures("no_sockets")
async def test_a_fork_offline_opens_no_socket(parent: Report, settings: Settings) -> None:
    assert (await fathom.fork(parent.run_id, offline=True, settings=settings)).claims


def test_whoever_watches_for_sockets_would_see_one() -> None:
    global watching
    watching = True
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
    watching = False
    assert {"socket.__new__", "socket.bind"} <= set(opened)


async def test_a_fork_says_whose_it_is_and_can_be_resumed_replayed_and_forked(
    parent: Report, settings: Settings
) -> None:
    async with fathom.branch_off(parent.run_id, offline=True, settings=settings) as run:
        async for stored in run:
            if stored.event.kind == "planned":
                break
    broken_off = await record(run.run_id, settings)
    assert (broken_off.sources["fork_of"], broken_off.sources["offline"]) == (parent.run_id, parent.run_id)
    assert broken_off.query == QUESTION

    resumed = await fathom.resume(run.run_id, settings=settings)

    assert resumed == await fathom.replay(run.run_id, settings=settings)
    texts = await kept_texts(parent, settings)
    await holds(resumed, texts)
    for is_offline in (True, False):
        again = await fathom.fork(resumed.run_id, offline=is_offline, settings=settings)
        await holds(again, texts)


async def test_a_fork_is_replayed_when_its_run_is_gone_but_cannot_go_on(parent: Report, settings: Settings) -> None:
    forked = await fathom.fork(parent.run_id, offline=True, settings=settings)
    async with fathom.branch_off(parent.run_id, offline=True, settings=settings) as unfinished:
        pass
    async with wiring.opened_store(settings) as store:
        await store.delete_run(parent.run_id)

    assert await fathom.replay(forked.run_id, settings=settings) == forked
    with pytest.raises(NotFound, match=parent.run_id):
        await fathom.resume(unfinished.run_id, settings=settings)


async def test_a_fork_keeps_the_limits_of_its_run_but_for_those_that_are_given(
    parent: Report, settings: Settings
) -> None:
    forked = await fathom.fork(parent.run_id, offline=True, limits={"max_words": 120}, settings=settings)

    assert forked.limits == parent.limits.model_copy(update={"max_words": 120})
    with pytest.raises(ConfigurationError, match="There is no limit 'max_word'"):
        await fathom.fork(parent.run_id, offline=True, limits={"max_word": 1}, settings=settings)


async def test_a_fork_that_is_not_offline_asks_the_same_documents_anew(settings: Settings, notes: Path) -> None:
    first = await fathom.research(QUESTION, documents=[notes], settings=settings)
    (notes / "names.md").write_text("# Names\n\nA scope is where a name is visible, says the new text.\n")

    forked = await fathom.fork(first.run_id, settings=settings)

    assert "says the new text" in forked.markdown
    assert (await record(forked.run_id, settings)).sources["paths"] == [str(notes)]
    shutil.rmtree(notes)
    with pytest.raises(UsageError, match="There is no file or folder"):
        await fathom.fork(first.run_id, settings=settings)


async def test_a_run_that_has_kept_nothing_cannot_be_forked_offline(settings: Settings, notes: Path) -> None:
    empty = await fathom.research("Wie tief ist Wasser?", documents=[notes], settings=settings)
    assert not empty.sources
    before = len(await all_runs(settings))

    with pytest.raises(UsageError, match="has kept nothing"):
        await fathom.fork(empty.run_id, offline=True, settings=settings)
    with pytest.raises(NotFound):
        await fathom.fork("run_none", offline=True, settings=settings)

    assert len(await all_runs(settings)) == before


async def all_runs(settings: Settings) -> list[RunRecord]:
    async with wiring.opened_store(settings) as store:
        return await store.runs()


# ── With the web ───────────────────────────────────────────────────────────────────────────────────────────────────


BOTH = "When was the Orbex protocol approved, and how many units of water does the deep tide hold?"
TIDES = {
    "https://one.example/": "Tides of the deep\n\nThe deep tide holds 300 units of water, as was measured in 2019.\n",
    "https://two.example/": "On tides\n\nThe tide of the shelf is shallow. A deep tide holds more units than that.\n",
}


@pytest.fixture
def web(settings: Settings, notes: Path, monkeypatch: pytest.MonkeyPatch) -> Web:
    """A simulated web over the real archive, which runs use when their rules do not say that they are offline.

    It knows one part of the question, and a document the other.
    """
    (notes / "orbex.md").write_text("# The Orbex protocol\n\nThe board approved the Orbex protocol in May 2017.\n")
    search = SimulatedSearch(hits=lambda _: [hit(url, title="Tides") for url in TIDES])
    reader = SimulatedReader(texts=TIDES)
    simulated = simulated_web(search, reader=reader, archive=Archive(settings.home / "web.sqlite3"))

    async def open_web(stack: AsyncExitStack, rules: Any, settings: Settings, **_: Any) -> Web:
        return await offline.offline_web(stack, rules, settings) if rules.offline else simulated

    monkeypatch.setattr(opening, "rules_for", lambda _: simulated.rules)
    monkeypatch.setattr(opening, "opened_web", open_web)
    return simulated


async def test_a_fork_offline_reads_the_pages_as_its_run_has_read_them(
    settings: Settings, notes: Path, web: Web
) -> None:
    first = await fathom.research(BOTH, documents=[notes], settings=settings)
    pages = {source.uri: source for source in first.sources if source.kind == "web"}
    assert pages and any(source.kind == "file" for source in first.sources)
    shutil.rmtree(notes)
    for url in pages:  # meanwhile another run reads each page anew, and none is as it was
        await web.archive.keep_page(a_page(url, "The deep tide holds nothing any more.\n"))
    assert isinstance(web.searches[0], SimulatedSearch) and isinstance(web.reader, SimulatedReader)
    asked, read = len(web.searches[0].asked), len(web.reader.asked)

    forked = await fathom.fork(first.run_id, offline=True, settings=settings)

    assert (len(web.searches[0].asked), len(web.reader.asked)) == (asked, read)
    assert {source.kind for source in forked.sources} == {"file", "web"}
    texts = await kept_texts(forked, settings)
    await holds(forked, texts)
    assert not any("any more" in text for text in texts.values())
    was = {page.uri: page.sha256 for page in pages.values()}
    assert all(was.get(source.uri, source.sha256) == source.sha256 for source in forked.sources)
    assert await fathom.replay(forked.run_id, settings=settings) == forked
    again = await fathom.fork(forked.run_id, offline=True, settings=settings)
    await holds(again, texts | await kept_texts(again, settings))


@pytest.mark.usefixtures("web", "no_sockets")
async def test_a_fork_offline_of_a_run_on_the_web_opens_no_socket(settings: Settings, notes: Path) -> None:
    first = await fathom.research(BOTH, documents=[notes], settings=settings)
    assert (await fathom.fork(first.run_id, offline=True, settings=settings)).claims


async def test_without_its_archive_a_fork_has_the_documents_alone(settings: Settings, notes: Path, web: Web) -> None:
    first = await fathom.research(BOTH, documents=[notes], settings=settings)
    await web.archive.close()
    for file in settings.home.glob("web.sqlite3*"):
        file.unlink()

    forked = await fathom.fork(first.run_id, offline=True, settings=settings)

    assert {source.kind for source in forked.sources} == {"file"}


@pytest.mark.usefixtures("web")
async def test_what_an_offline_run_may_not_read_it_does_not_read(settings: Settings, notes: Path) -> None:
    first = await fathom.research(BOTH, documents=[notes], settings=settings)
    forked = await record((await fathom.fork(first.run_id, offline=True, settings=settings)).run_id, settings)
    rules = wiring.rules_of(forked)
    assert rules is not None and rules.offline == first.run_id

    async with AsyncExitStack() as stack:
        closed = await offline.offline_web(stack, rules, settings)
        page: Page = a_page("https://elsewhere.example/")
        for attempt in (closed.reader.read(page.url), closed.archive.keep_page(page)):
            with pytest.raises(FathomError, match="read"):
                await attempt
        assert await closed.archive.page(page.url) is None
