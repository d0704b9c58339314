"""What has rotted in a knowledge base is found, is said in one line, and is read again when that is asked for."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fathom.errors import Damaged
from fathom.evidence import Query
from fathom.knowledge import database
from fathom.knowledge.knowledge_base import KnowledgeBase
from fathom.sqlite_file import SqliteFile

CHANGES = {
    "a title": "UPDATE documents SET title = 'Another' WHERE path LIKE '%a.md'",
    "a place": "UPDATE chunks SET start = start + 1 WHERE id = 1",
    "terms": "UPDATE chunk_terms SET body = replace(body, 'lighthous', 'lighthouz') WHERE id = 1",
    "a text": "UPDATE documents SET text = CAST(substr(text, 1, 9) || x'00' || substr(text, 11) AS BLOB) WHERE id = 1",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Light\n\nThe lighthouse is 40 metres high.\n")
    (folder / "b.md").write_text("# Harbour\n\nThe harbour beside the lighthouse was closed in 1958.\n")
    return folder


async def found(path: Path) -> list[str]:
    """What a search in the file finds, best first."""
    kb = KnowledgeBase(path)
    try:
        return [passage.text for passage in (await kb.search(Query(text="lighthouse"), limit=5)).passages]
    finally:
        await kb.close()


async def a_file(folder: Path) -> Path:
    kb = KnowledgeBase(folder.parent / "kb.sqlite3")
    await kb.ingest([folder])
    await kb.close()
    return kb.path


def change(path: Path, statement: str) -> None:
    """Change what is stored behind its back."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(statement).rowcount >= 1
        connection.commit()


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("what", CHANGES)
async def test_a_document_that_has_rotted_is_said_and_read_again(
    folder: Path, what: str, size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await a_file(folder)
    right = await found(path)
    change(path, CHANGES[what])
    monkeypatch.setattr(database, "CHECKED_BYTES", 8_000_000 if size == "small" else 0)
    if (what, size) != ("terms", "large"):  # in large files, what ranks is looked through by the doctor alone
        with pytest.raises(Damaged, match=r"damaged.*fathom ingest --again") as caught:
            await found(path)
        assert "\n" not in str(caught.value)

    kb = KnowledgeBase(path)
    assert await kb.mend() == 1
    assert (await kb.ingest([folder])).added == 1
    await kb.close()
    assert await found(path) == right


INDEX_CHANGES = [
    "UPDATE chunk_index_data SET block = CAST(substr(block, 1, 24) || x'7F' || substr(block, 26) AS BLOB) "
    "WHERE id > 10 AND length(block) > 30",
    "UPDATE chunk_index_docsize SET sz = x'010101' WHERE id = 1",
]


@pytest.mark.parametrize("statement", INDEX_CHANGES)
async def test_an_index_that_has_rotted_is_made_again(folder: Path, statement: str) -> None:
    path = await a_file(folder)
    right = await found(path)
    change(path, statement)
    assert await found(path) == right


def looked_through(path: Path, *, within: float = 600) -> tuple[str, str]:
    return SqliteFile(path, name="", remedy="").rotten(within=within)


@pytest.mark.parametrize("statement", [*INDEX_CHANGES, CHANGES["terms"]])
async def test_what_ranks_and_has_rotted_is_found_in_a_file_of_any_size(folder: Path, statement: str) -> None:
    path = await a_file(folder)
    assert looked_through(path) == ("", "")
    change(path, statement)
    assert looked_through(path)[0]


async def test_what_was_not_looked_through_in_time_is_named(folder: Path) -> None:
    path = await a_file(folder)
    many = "WITH n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 2100) "
    change(path, f"INSERT INTO chunk_terms (id, title, headings, body) {many} SELECT i, 't', 'h', 'body' || i FROM n")
    assert looked_through(path) == ("", "")
    said, left = looked_through(path, within=0)
    assert not said and left.endswith("its full-text index")
