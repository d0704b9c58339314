"""What a knowledge base stores and finds: documents, their chunks, terms and vectors."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fathom.evidence import Block, BlockKind, Document, text_digest
from fathom.reading.chunking import Chunk, chunks
from fathom.reading.document import ReadDocument
from fathom.text.analysis import terms
from fathom.text.display import display

KINDS: tuple[BlockKind, ...] = ("heading", "paragraph", "list_item", "definition", "table_row", "code", "quote")


Connection: TypeAlias = sqlite3.Connection


@dataclass(frozen=True)
class StoredFile:
    """What is known of a file without reading it again."""

    id: int
    content: str
    mtime_ns: int
    size: int


@dataclass(frozen=True)
class Prepared:
    """A document on its way into the index: everything that can be worked out outside of a transaction."""

    path: str
    document: Document
    content: str
    mtime_ns: int
    size: int
    text: str
    chunks: tuple[Chunk, ...]
    terms: tuple[tuple[str, str, str], ...]
    vectors: tuple[bytes, ...] = ()
    embedder: str = ""


def prepare(
    read: ReadDocument,
    *,
    path: str,
    uri: str,
    title: str,
    language: str,
    content: str,
    mtime_ns: int,
    size: int,
    now: str,
) -> Prepared:
    """Cut and analyse a document."""
    document = Document(
        sha256=text_digest(read.text),
        uri=uri,
        title=title,
        kind="file",
        markup=read.markup,
        language=language,
        retrieved_at=now,
    )
    cut = tuple(chunks(read))
    title_terms = " ".join(terms(title))
    analysed = tuple((title_terms, " ".join(terms(" ".join(chunk.headings))), _body(read, chunk)) for chunk in cut)
    return Prepared(path, document, content, mtime_ns, size, read.text, cut, analysed)


def _body(read: ReadDocument, chunk: Chunk) -> str:
    """The terms of a chunk's text and of the lead-ins that stand before it."""
    text = read.text[chunk.start : chunk.end]
    outside = dict.fromkeys(
        block.lead_in for block in chunk.blocks if block.lead_in and block.lead_in.start < chunk.start
    )
    for lead_in in outside:
        text = f"{text}\n{read.text[lead_in.start : lead_in.end]}"
    return " ".join(terms(text if read.markup == "plain" else display(text, read.markup)))


def chunk_texts(prepared: Prepared) -> list[str]:
    """The text of each chunk as an embedder should see it: headings first."""
    return [
        "\n".join(
            [
                " > ".join((prepared.document.title, *chunk.headings)),
                display(prepared.text[chunk.start : chunk.end], "plain"),
            ]
        )
        for chunk in prepared.chunks
    ]


def put(connection: Connection, prepared: Prepared) -> None:
    """Store a document in place of an earlier one of the same path."""
    remove_paths(connection, [prepared.path])
    connection.execute("DELETE FROM refused WHERE path = ?", (prepared.path,))
    document = prepared.document
    cursor = connection.execute(
        "INSERT INTO documents (path, uri, sha256, content, title, language, markup, characters, mtime_ns, size, "
        "retrieved_at, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            prepared.path,
            document.uri,
            document.sha256,
            prepared.content,
            document.title,
            document.language,
            document.markup,
            len(prepared.text),
            prepared.mtime_ns,
            prepared.size,
            document.retrieved_at,
            zlib.compress(prepared.text.encode("utf-8", "surrogatepass"), 1),
        ),
    )
    first = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM chunks").fetchone()[0]
    connection.executemany(
        "INSERT INTO chunks (id, document_id, start, end, digest, headings, blocks) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (
                first + at,
                cursor.lastrowid,
                chunk.start,
                chunk.end,
                hashlib.blake2b(
                    prepared.text[chunk.start : chunk.end].encode("utf-8", "replace"), digest_size=8
                ).digest(),
                json.dumps(chunk.headings, ensure_ascii=False),
                _packed(chunk.blocks),
            )
            for at, chunk in enumerate(prepared.chunks)
        ),
    )
    connection.executemany(
        "INSERT INTO chunk_terms (id, title, headings, body) VALUES (?, ?, ?, ?)",
        ((first + at, *analysed) for at, analysed in enumerate(prepared.terms)),
    )
    connection.executemany(
        "INSERT INTO vectors (chunk_id, embedder, vector) VALUES (?, ?, ?)",
        ((first + at, prepared.embedder, vector) for at, vector in enumerate(prepared.vectors)),
    )


def remove(connection: Connection, ids: Iterable[int]) -> None:
    """Remove documents with everything that is only theirs."""
    for id in ids:
        connection.execute("DELETE FROM chunks WHERE document_id = ?", (id,))
        connection.execute("DELETE FROM documents WHERE id = ?", (id,))


def remove_paths(connection: Connection, paths: Iterable[str]) -> None:
    """Remove the documents of these paths."""
    for path in paths:
        remove(connection, [row[0] for row in connection.execute("SELECT id FROM documents WHERE path = ?", (path,))])


def refuse(connection: Connection, rows: Iterable[tuple[str, str, int, int, str]]) -> None:
    """Remember files that hold nothing to read: path, version of the reading, time, size, reason."""
    connection.executemany("INSERT OR REPLACE INTO refused VALUES (?, ?, ?, ?, ?)", rows)


def lacking_vectors(connection: Connection, embedder: str) -> set[int]:
    """Ids of the documents of which some chunk has no vector of that embedder."""
    rows = connection.execute(
        "SELECT DISTINCT document_id FROM chunks LEFT JOIN vectors ON chunk_id = chunks.id AND embedder = ? "
        "WHERE chunk_id IS NULL",
        (embedder,),
    )
    return {row[0] for row in rows}


def _packed(blocks: Sequence[Block]) -> str:
    rows = [
        [KINDS.index(block.kind), block.start, block.end, block.level]
        + ([block.lead_in.start, block.lead_in.end] if block.lead_in else [])
        for block in blocks
    ]
    return json.dumps(rows, separators=(",", ":"))
