"""The archive of pages keeps its contract, and keeps its file as it should be."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import StoreError
from fathom.evidence import Query
from fathom.knowledge.archive import Archive
from tests.contracts import ArchiveOpener, PageArchiveContract, a_page


class TestArchive(PageArchiveContract):
    @pytest.fixture
    def open_archive(self, tmp_path: Path) -> ArchiveOpener:
        return lambda: Archive(tmp_path / "web.sqlite3")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "web.sqlite3"


def rows(path: Path, table: str) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    finally:
        connection.close()


async def test_a_text_is_stored_once_however_many_addresses_have_it(path: Path) -> None:
    archive = Archive(path)
    for number in range(5):
        await archive.keep_page(a_page(f"https://copy{number}.example/"))
    await archive.close()

    assert (rows(path, "documents"), rows(path, "pages")) == (1, 5)


def handed_over(monkeypatch: pytest.MonkeyPatch, archive: Archive, *, writes: int) -> asyncio.Event:
    """Is set once the writer of an archive has got so many writes from now on."""
    came, got, write = asyncio.Event(), list[Any](), archive._writer.write

    async def counted(work: Any) -> Any:
        got.append(work)
        if len(got) == writes:
            came.set()
        return await write(work)

    monkeypatch.setattr(archive._writer, "write", counted)
    return came


async def test_pages_that_come_at_once_share_a_transaction(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = Archive(path)
    await archive.keep_page(a_page())
    all_came = handed_over(monkeypatch, archive, writes=8)
    begun: list[str] = []
    with archive._database.write() as connection:  # the writer must wait, and what comes meanwhile gathers
        connection.set_trace_callback(begun.append)
        pages = [
            asyncio.create_task(archive.keep_page(a_page(f"https://x.example/{n}", f"Sea {n}.\n"))) for n in range(8)
        ]
        await asyncio.wait_for(all_came.wait(), 60)
    await asyncio.gather(*pages)
    await archive.close()

    assert rows(path, "pages") == 9
    assert sum(statement.startswith("BEGIN") for statement in begun) < 8


async def test_a_page_that_cannot_be_stored_does_not_take_others_with_it(path: Path) -> None:
    archive = Archive(path)
    await archive.keep_page(a_page())
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TRIGGER no_bad_page BEFORE INSERT ON pages WHEN new.title = 'bad' "
            "BEGIN SELECT raise(ABORT, 'no'); END"
        )
    connection.close()

    outcomes = await asyncio.gather(
        *(archive.keep_page(a_page(f"https://x.example/{title}", title=title)) for title in ("one", "bad", "two")),
        return_exceptions=True,
    )

    assert [isinstance(outcome, StoreError) for outcome in outcomes] == [False, True, False]
    assert await archive.page("https://x.example/two")
    await archive.close()


async def test_whoever_stops_waiting_does_not_stop_the_writing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = Archive(path)
    await archive.keep_page(a_page("https://b.example/"))
    came = handed_over(monkeypatch, archive, writes=1)
    with archive._database.write():  # the writer must wait
        waiting = asyncio.create_task(archive.keep_page(a_page()))
        await asyncio.wait_for(came.wait(), 60)
        waiting.cancel()
        await asyncio.sleep(0)
    await archive.close()

    assert rows(path, "pages") == 2


async def test_a_term_that_most_pages_hold_still_counts(path: Path) -> None:
    archive = Archive(path)
    texts = ["Land, land and land.\n", "Land and hills.\n", "Hills and hills.\n"]
    kept = [
        await archive.keep_page(a_page(f"https://x.example/{number}", text, title="Notes"))
        for number, text in enumerate(texts)
    ]

    found = await archive.search(Query(text="land"), within=[page.document.sha256 for page in kept], limit=5)

    assert [passage.text + "\n" for passage in found.passages] == texts[:2]
    assert found.passages[1].score > 0.5
    await archive.close()


@pytest.mark.parametrize("content", [b"not a database" * 100, b""], ids=["damaged", "a folder"])
async def test_a_file_that_cannot_be_used_is_named(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    if content:
        path.write_bytes(content)
    else:
        path.mkdir()
    archive = Archive(path)

    with pytest.raises(StoreError, match=r"The archive of pages '.*web\.sqlite3'") as failed:
        await archive.keep_page(a_page())
    assert "\n" not in str(failed.value)
    await archive.close()


async def test_a_file_of_a_newer_version_is_left_alone(path: Path) -> None:
    archive = Archive(path)
    await archive.keep_page(a_page())
    await archive.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()

    newer = Archive(path)
    with pytest.raises(StoreError, match="newer version of Fathom"):
        await newer.page("https://a.example/sea")
    await newer.close()
