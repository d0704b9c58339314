"""What an earlier run has read, as the sources of another."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.browsing import ArchivedPage, WebQuery
from fathom.errors import NotFound
from fathom.evidence import Document, Markup, Query, text_digest
from fathom.knowledge.archive import Archive
from fathom.knowledge.offline import ArchiveSearch, FrozenArchive
from fathom.knowledge.snapshots import SnapshotKnowledge, Snapshots, read_again
from fathom.ports import Retriever
from fathom.reading.readers import read_bytes
from fathom.text.own import REPORT_MARK
from tests.contracts import RetrieverContract, a_page
from tests.support.retriever_pages import PAGES

MARKUPS: list[Markup] = ["plain", "markdown", "rst"]


def a_document(name: str, text: str, markup: Markup) -> Document:
    return Document(
        sha256=text_digest(text),
        uri=f"file:///gone/{name}",
        title=name,
        kind="file",
        markup=markup,
        language="en",
        retrieved_at="2026-01-01T00:00:00+00:00",
    )


def given_by(*documents: tuple[Document, str]) -> Snapshots:
    async def snapshots() -> AsyncIterator[tuple[Document, str]]:
        for each in documents:
            yield each

    return snapshots


class TestSnapshotKnowledge(RetrieverContract):
    @pytest.fixture
    async def retriever(self) -> AsyncIterator[Retriever]:
        read = {name: read_bytes(text.encode(), Path(name).suffix) for name, text in PAGES.items()}
        texts = {content.text: (name, content.markup) for name, content in read.items()}
        knowledge = SnapshotKnowledge(
            given_by(*((a_document(name, text, markup), text) for text, (name, markup) in texts.items()))
        )
        yield knowledge
        await knowledge.close()

    @pytest.fixture
    async def nothing_in_it(self) -> AsyncIterator[Retriever]:
        knowledge = SnapshotKnowledge(given_by())
        yield knowledge
        await knowledge.close()

    @pytest.fixture
    def query(self) -> Query:
        return Query(text="deep sea", context="How deep is the sea?")


async def test_a_document_is_found_as_the_one_that_it_was() -> None:
    document = a_document("sea.md", "# The sea\n\nIt is **deep**.\n", "markdown")
    knowledge = SnapshotKnowledge(given_by((document, "# The sea\n\nIt is **deep**.\n")))

    found = await knowledge.search(Query(text="deep sea"), limit=5)

    assert found.documents == (document,)
    assert [passage.text for passage in found.passages] == ["It is **deep**."]
    await knowledge.close()


@given(text=st.text(), markup=st.sampled_from(MARKUPS))
def test_a_snapshot_is_read_again_to_the_letter(text: str, markup: Markup) -> None:
    read = read_again(text, markup)

    assert (read.text, read.markup) == (text, markup)
    assert all(0 <= block.start < block.end <= len(text) for block in read.blocks)


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffThe sea.\n",
        "\x00The sea.\n",
        "\x1b$B$3\x1b(B The sea.\n",
        "The \ud800sea.\n",
        f"The sea.\n{REPORT_MARK}\n",
    ],
    ids=ascii,
)
@pytest.mark.parametrize("markup", MARKUPS)
def test_what_a_reader_would_take_for_something_else_is_read_again_all_the_same(text: str, markup: Markup) -> None:
    read = read_again(text, markup)
    assert read.text == text
    assert read.blocks


@pytest.fixture
async def archive(tmp_path: Path) -> AsyncIterator[Archive]:
    archive = Archive(tmp_path / "web.sqlite3")
    yield archive
    await archive.close()


async def read_pages(archive: Archive) -> dict[str, ArchivedPage]:
    """Three pages of a run, of which two have the same text, and one of another run."""
    pages = [
        a_page("https://a.example/deep", "The deep sea is deep.\n", published="2026-01-01"),
        a_page("https://b.example/deep", "The deep sea is deep.\n", published="2026-01-01"),
        a_page("https://sub.c.example/", "The sea is salt, and it is wide, and it is blue.\n", published="2024-01-01"),
    ]
    kept = {page.url: await archive.keep_page(page) for page in pages}
    await archive.keep_page(a_page("https://d.example/", "The deep deep deep sea.\n"))
    return kept


async def test_a_search_offline_finds_the_pages_of_the_run_alone(archive: Archive) -> None:
    pages = await read_pages(archive)
    search = ArchiveSearch(archive, pages)

    found = await search.search(WebQuery(text="deep sea"))

    assert [hit.url for hit in found.hits] == list(pages)
    assert [hit.score for hit in found.hits][:2] == [1.0, 1.0]
    assert (found.hits[0].title, found.hits[0].published) == ("The sea", "2026-01-01")
    assert "deep" in found.hits[0].snippet
    assert found == await search.search(WebQuery(text="deep sea"))
    assert (await search.search(WebQuery(text="glass"))).hits == ()


@pytest.mark.parametrize(
    ("rules", "urls"),
    [
        ({"limit": 1}, ["https://a.example/deep"]),
        ({"allow": ("c.example",)}, ["https://sub.c.example/"]),
        ({"deny": ("a.example", "c.example")}, ["https://b.example/deep"]),
        ({"since": "2025-01-01"}, ["https://a.example/deep", "https://b.example/deep"]),
    ],
)
async def test_a_search_offline_keeps_to_what_is_asked(
    archive: Archive, rules: dict[str, object], urls: list[str]
) -> None:
    search = ArchiveSearch(archive, await read_pages(archive))
    query = WebQuery.model_validate({"text": "deep sea", **rules})

    assert [hit.url for hit in (await search.search(query)).hits] == urls


async def test_a_frozen_archive_holds_the_pages_as_they_were(archive: Archive) -> None:
    pages = await read_pages(archive)
    frozen = FrozenArchive(archive, pages)
    changed = await archive.keep_page(a_page("https://a.example/deep", "The sea is gone.\n"))

    page = await frozen.page("https://a.example/deep")

    assert page == pages["https://a.example/deep"].model_copy(update={"cached": True})
    assert await frozen.page("https://d.example/") is None
    assert await frozen.confirm_page("https://a.example/deep", at="2027-01-01T00:00:00+00:00") == page
    with pytest.raises(NotFound):
        await frozen.confirm_page("https://d.example/", at="2027-01-01T00:00:00+00:00")
    within = [changed.document.sha256]
    assert (await frozen.search(Query(text="sea"), within=within, limit=5)).passages == ()
    assert (await frozen.describe("sea", within=within)).documents == 0
