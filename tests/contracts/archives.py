"""What every archive of pages promises."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fathom.browsing import PageLink, SearchHit, SearchResults
from fathom.errors import NotFound
from fathom.evidence import Query, Retrieval, text_digest
from fathom.ports.web import Page, PageArchive
from fathom.reading.readers import read_bytes
from tests.contracts.retrievers import HOSTILE, QUERIES

ArchiveOpener = Callable[[], PageArchive]

SEA = "# The sea\n\nThe sea is salt.\n\n## Depth\n\nThe deep sea has two parts:\n\n- the shelf\n- the deep plain\n"
TIDES = "# Tides\n\nThe sea rises and falls.\n\n## Causes\n\nThe moon draws the deep sea.\n"
UMI = "# 深い海\n\n海は深い。deep sea の意味である。\n"
SEARCH = SearchResults(
    provider="tavily",
    hits=(SearchHit(url="https://a.example/", title="The sea", snippet="深い", score=0.5, published="2026-01-02"),),
    cost_usd=0.008,
)
SEVERAL = settings(
    deadline=None,
    max_examples=max(12, settings().max_examples // 5),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)


def a_page(url: str = "https://a.example/sea", text: str = SEA, **changes: str) -> Page:
    """A page whose text is Markdown."""
    read = read_bytes(text.replace("\x00", "\x01").encode(), ".md")  # a file with a NUL is none of text
    page = Page(
        url=url,
        address=url,
        content=replace(read, text=text),
        title="The sea",
        language="en",
        retrieved_at="2026-01-01T00:00:00+00:00",
        published="2025-12-24",
        nature="reference",
        etag='"1"',
        last_modified="Wed, 24 Dec 2025 00:00:00 GMT",
        likeness="abc",
        links=(PageLink(url="https://a.example/tides", text="潮", beside="See 潮."),),
    )
    return replace(page, **changes)  # type: ignore[arg-type]


def long_ago() -> str:
    return (datetime.now(UTC) - timedelta(hours=1)).isoformat()


def soon() -> str:
    return (datetime.now(UTC) + timedelta(hours=1)).isoformat()


class PageArchiveContract:
    """A subclass gives the fixture `open_archive`: each call opens the same archive again, as another process would."""

    @pytest.fixture
    async def archive(self, open_archive: ArchiveOpener) -> AsyncIterator[PageArchive]:
        archive = open_archive()
        yield archive
        await archive.close()

    async def test_a_search_is_remembered_until_it_is_too_old(self, archive: PageArchive) -> None:
        assert await archive.results("ab", since=long_ago()) is None

        await archive.keep_results("ab", SEARCH)

        known = await archive.results("ab", since=long_ago())
        assert known == SEARCH.model_copy(update={"cached": True, "cost_usd": 0.0})
        assert await archive.results("ab", since=soon()) is None
        assert await archive.results("cd", since=long_ago()) is None

    async def test_the_last_answer_to_a_search_stands(self, archive: PageArchive) -> None:
        await archive.keep_results("ab", SEARCH)
        await archive.keep_results("ab", SearchResults(provider="brave"))
        known = await archive.results("ab", since=long_ago())
        assert known is not None
        assert (known.provider, known.hits) == ("brave", ())

    async def test_a_page_is_remembered_with_all_that_was_known_of_it(self, archive: PageArchive) -> None:
        page = a_page(address="https://www.example.org/the/sea")
        assert await archive.page(page.url) is None

        kept = await archive.keep_page(page)

        assert not kept.cached
        assert await archive.page(page.url) == kept.model_copy(update={"cached": True})
        assert (kept.url, kept.characters) == (page.url, len(SEA))
        assert (kept.etag, kept.last_modified, kept.likeness) == (page.etag, page.last_modified, page.likeness)
        assert kept.links == page.links
        document = kept.document
        assert (document.sha256, document.kind, document.uri) == (text_digest(SEA), "web", page.address)
        assert (document.title, document.language, document.markup) == ("The sea", "en", "markdown")
        assert (document.retrieved_at, document.published) == (page.retrieved_at, page.published)
        assert (document.nature, document.site) == ("reference", "example.org")
        assert await archive.snapshot(document.sha256) == SEA

    async def test_a_page_that_has_changed_leaves_its_old_snapshot_behind(self, archive: PageArchive) -> None:
        old = await archive.keep_page(a_page())
        new = await archive.keep_page(a_page(text=SEA + "\nMore.\n", retrieved_at="2026-02-01T00:00:00+00:00"))

        assert (await archive.page(old.url)) == new.model_copy(update={"cached": True})
        assert await archive.snapshot(old.document.sha256) == SEA
        found = await archive.search(Query(text="deep sea"), within=[old.document.sha256], limit=5)
        assert [document.sha256 for document in found.documents] == [old.document.sha256]

    async def test_a_page_that_is_as_it_once_was_points_there_again(self, archive: PageArchive) -> None:
        await archive.keep_page(a_page())
        await archive.keep_page(a_page(text="Gone.\n"))
        again = await archive.keep_page(a_page(retrieved_at="2026-03-01T00:00:00+00:00", etag='"3"'))

        known = await archive.page(again.url)
        assert known is not None
        assert (known.document.sha256, known.etag) == (text_digest(SEA), '"3"')
        assert known.document.retrieved_at == "2026-03-01T00:00:00+00:00"

    async def test_a_text_with_two_addresses_is_a_document_of_each(self, archive: PageArchive) -> None:
        one = await archive.keep_page(a_page("https://a.example/"))
        other = await archive.keep_page(a_page("https://b.example/", title="Copied"))

        assert one.document.sha256 == other.document.sha256
        assert (one.document.site, other.document.site) == ("a.example", "b.example")
        known = await archive.page("https://b.example/")
        assert known is not None
        assert (known.document.uri, known.document.title) == ("https://b.example/", "Copied")
        found = await archive.search(Query(text="deep sea"), within=[one.document.sha256], limit=50)
        assert len(found.documents) == 1
        assert len({passage.text for passage in found.passages}) == len(found.passages)

    async def test_a_page_that_its_server_confirms_is_as_good_as_read_anew(self, archive: PageArchive) -> None:
        kept = await archive.keep_page(a_page())
        confirmed = await archive.confirm_page(kept.url, at="2026-04-01T00:00:00+00:00")

        assert confirmed == await archive.page(kept.url)
        assert confirmed.document == kept.document.model_copy(update={"retrieved_at": "2026-04-01T00:00:00+00:00"})
        with pytest.raises(NotFound):
            await archive.confirm_page("https://never.example/", at="2026-04-01T00:00:00+00:00")

    async def test_only_the_named_snapshots_are_searched(self, archive: PageArchive) -> None:
        sea, tides, umi = await self._three(archive)
        query = Query(text="deep sea")

        for within in ([sea], [sea, umi], [tides, tides, "00" * 32], [sea, tides, umi]):
            found = await archive.search(query, within=within, limit=50)
            assert {document.sha256 for document in found.documents} == set(within) - {"00" * 32}
            await check_passages(archive, found, limit=50)
        assert await archive.search(query, within=[], limit=50) == Retrieval()
        assert await archive.search(query, within=[sea], limit=0) == Retrieval()

    async def test_what_other_runs_have_read_changes_nothing(self, archive: PageArchive) -> None:
        within = await self._three(archive)
        query = Query(text="deep sea", context="What draws the plain?")
        before = await archive.search(query, within=within, limit=50)
        described = await archive.describe("deep sea", within=within)

        for number in range(20):
            await archive.keep_page(a_page(f"https://x.example/{number}", f"The deep sea, part {number}.\n"))

        assert await archive.search(query, within=within, limit=50) == before
        assert await archive.search(query, within=within[::-1], limit=50) == before
        assert await archive.describe("deep sea", within=within) == described

    async def test_the_best_passage_comes_first(self, archive: PageArchive) -> None:
        within = await self._three(archive)
        found = await archive.search(Query(text="moon causes tides"), within=within, limit=3)
        assert "moon draws" in found.passages[0].text

    async def test_it_describes_the_named_snapshots(self, archive: PageArchive) -> None:
        sea, tides, _ = await self._three(archive)

        described = await archive.describe("moon of the deep sea", within=[sea, tides])

        assert (described.name, described.kind, described.documents) == ("web", "web", 2)
        assert described.languages == {"en": 2}
        assert described.term_passages["moon"] == 1
        assert described.cover == 1.0
        assert "Causes" in described.headings
        only_sea = await archive.describe("moon of the deep sea", within=[sea])
        assert only_sea.term_passages["moon"] == 0
        assert 0 < only_sea.cover < 1
        assert only_sea.revision != described.revision
        nothing = await archive.describe("moon", within=[])
        assert (nothing.documents, nothing.passages, nothing.cover, nothing.titles) == (0, 0, 0.0, ())

    async def test_what_is_kept_is_there_for_the_next_process(self, open_archive: ArchiveOpener) -> None:
        first, second = open_archive(), open_archive()
        kept = await first.keep_page(a_page())
        await first.keep_results("ab", SEARCH)

        assert await second.page(kept.url) == kept.model_copy(update={"cached": True})
        assert await second.results("ab", since=long_ago()) is not None
        await first.close()
        assert await second.snapshot(kept.document.sha256) == SEA
        await second.close()

    async def test_many_writes_at_once_are_all_kept(self, open_archive: ArchiveOpener) -> None:
        archives = [open_archive() for _ in range(3)]
        pages = [a_page(f"https://x.example/{number}", f"The sea, part {number}.\n") for number in range(30)]

        kept = await asyncio.gather(*(archive.keep_page(page) for page in pages for archive in archives))

        for page in kept:
            known = await archives[0].page(page.url)
            assert known is not None
            assert known.document.sha256 == page.document.sha256
        for archive in archives:
            await archive.close()

    async def test_a_page_that_was_never_read_is_not_found(self, archive: PageArchive) -> None:
        for unknown in ("ab" * 32, "", "%", "../secret"):
            with pytest.raises(NotFound):
                await archive.snapshot(unknown)
            assert await archive.page(unknown) is None

    @pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))
    async def test_no_words_break_it(self, archive: PageArchive, text: str) -> None:
        kept = await archive.keep_page(a_page(text=f"# {text}\n\nThe sea. {text}\n", title=text))
        await archive.keep_results(text, SEARCH)
        within = [kept.document.sha256]

        found = await archive.search(Query(text=text, context=text), within=[*within, text], limit=5)

        await check_passages(archive, found, limit=5)
        assert (await archive.describe(text, within=within)).documents == 1
        assert await archive.results(text, since=long_ago()) is not None

    @SEVERAL
    @given(texts=st.lists(st.text(max_size=200), min_size=1, max_size=4), text=QUERIES, limit=st.integers(1, 12))
    async def test_whatever_is_kept_and_asked_the_answer_is_sound(
        self, archive: PageArchive, texts: list[str], text: str, limit: int
    ) -> None:
        within = []
        for number, each in enumerate(texts):
            body = f"{text}\n\n{each}".encode("utf-8", "replace").decode()
            kept = await archive.keep_page(a_page(f"https://y.example/{number}", body))
            assert await archive.snapshot(kept.document.sha256) == body
            assert text_digest(body) == kept.document.sha256
            within.append(kept.document.sha256)

        found = await archive.search(Query(text=text, context=text), within=within, limit=limit)

        await check_passages(archive, found, limit=limit)
        assert {document.sha256 for document in found.documents} <= set(within)
        assert found == await archive.search(Query(text=text, context=text), within=within, limit=limit)
        assert Retrieval.model_validate_json(found.model_dump_json()) == found

    async def _three(self, archive: PageArchive) -> list[str]:
        """Digests of three snapshots."""
        pages = (
            a_page("https://a.example/sea", SEA),
            a_page("https://a.example/tides", TIDES, title="Tides"),
            a_page("https://umi.example/", UMI, title="深い海", language="ja"),
        )
        return [(await archive.keep_page(page)).document.sha256 for page in pages]


async def check_passages(archive: PageArchive, found: Retrieval, *, limit: int) -> None:
    """Hold a retrieval to what the nouns promise."""
    passages = found.passages
    assert len(passages) <= limit
    assert [passage.score for passage in passages] == sorted((passage.score for passage in passages), reverse=True)
    assert len({passage.text for passage in passages}) == len(passages)
    held = [document.sha256 for document in found.documents]
    assert len(set(held)) == len(held)
    assert set(held) == {passage.document for passage in passages}
    for passage in passages:
        text = await archive.snapshot(passage.document)
        assert text_digest(text) == passage.document
        assert passage.text
        assert passage.text == text[passage.start : passage.end]
        for block in passage.blocks:
            assert passage.start <= block.start < block.end <= passage.end
