"""What a knowledge base stores and finds: documents, their chunks, terms and vectors."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pydantic import ConfigDict

from fathom.evidence import Block, BlockKind, Document
from fathom.text.analysis import terms
from fathom.text.display import display

if TYPE_CHECKING:
    from fathom.reading.chunking import Chunk
    from fathom.reading.document import ReadDocument

KINDS: tuple[BlockKind, ...] = ("heading", "paragraph", "list_item", "definition", "table_row", "code", "quote")


ATTACHED = " › "
"""Stands between the path of a file and the name of what is attached to it."""


Connection: TypeAlias = sqlite3.Connection
Refusal: TypeAlias = tuple[str, str, int, int, str]
"""A file that gives no text: path, version of the reading, time, size, reason. Without a version it is looked at anew,
for it may be read although it has not changed."""


@dataclass(frozen=True)
class StoredFile:
    """What is known of a file without reading it again."""

    ids: tuple[int, ...]
    """Its documents, of which an archive may have several."""
    content: str
    mtime_ns: int
    size: int


ChunkRow: TypeAlias = tuple[int, int, bytes, str, str, str, str, str]
"""A chunk as it is stored: start, end, digest, headings, blocks; the terms of the title, the headings and the body."""


@dataclass(frozen=True)
class Prepared:
    """A document on its way into the index: everything that can be worked out outside of a transaction."""

    __pydantic_config__ = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    path: str
    document: Document
    content: str
    mtime_ns: int
    size: int
    characters: int
    text: bytes
    """As it is stored."""
    rows: tuple[bytes, ...]
    """Those of its chunks, packed part by part: unpacked they take several times the length of the text."""
    vectors: tuple[bytes, ...] = ()
    embedder: str = ""
    left_out: tuple[tuple[str, str], ...] = ()
    """What is attached to it and was not read, with the reasons."""

    @property
    def chunks(self) -> Iterator[ChunkRow]:
        """One after the other."""
        for part in self.rows:
            for start, end, digest, *texts in json.loads(zlib.decompress(part)):
                yield start, end, bytes.fromhex(digest), *texts


def prepare(
    parts: Iterable[ReadDocument],
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
    """Cut and analyse a document, part by part: none is kept longer than that takes."""
    from fathom.reading.chunking import chunks  # a search has no use for it

    digest, packer = hashlib.sha256(), zlib.compressobj(1)
    packed: list[bytes] = []
    rows: list[bytes] = []
    under: list[tuple[int, str]] = []
    title_terms = _terms(title)
    characters = 0
    own_title: str | None = None
    dated, left_out = "", list[tuple[str, str]]()
    authors: tuple[str, ...] = ()
    for part in parts:
        authors = authors or part.authors
        dated, left_out = max(dated, part.dated), [*left_out, *part.left_out]
        own_title = part.title if own_title is None else own_title
        data = part.text.encode("utf-8", "surrogatepass")
        digest.update(data)
        packed.append(packer.compress(data))
        cut = [
            (*_stored(part.text, chunk, at=characters), title_terms, _terms(*chunk.headings), _body(part, chunk))
            for chunk in chunks(replace(part, title=own_title), under=under)
        ]
        if cut:
            rows.append(zlib.compress(json.dumps(cut).encode(), 1))
        characters += len(part.text)
        markup = part.markup
    document = Document(
        sha256=digest.hexdigest(),
        uri=uri,
        title=title,
        kind="file",
        markup=markup,
        language=language,
        retrieved_at=now,
        published=dated,
        authors=authors,
    )
    text = b"".join((*packed, packer.flush()))
    return Prepared(path, document, content, mtime_ns, size, characters, text, tuple(rows), left_out=tuple(left_out))


def _terms(*texts: str) -> str:
    return " ".join(terms(" ".join(texts)))


def _stored(text: str, chunk: Chunk, *, at: int) -> tuple[int, int, str, str, str]:
    """What is stored of a chunk of a part that begins `at` so many characters of the document."""
    held = text[chunk.start : chunk.end].encode("utf-8", "replace")
    digest = hashlib.blake2b(held, digest_size=8).hexdigest()
    headings = json.dumps(chunk.headings, ensure_ascii=False)
    return chunk.start + at, chunk.end + at, digest, headings, _packed(chunk.blocks, at)


def _body(read: ReadDocument, chunk: Chunk) -> str:
    """The terms of a chunk's text and of the lead-ins that stand before it."""
    text = read.text[chunk.start : chunk.end]
    outside = dict.fromkeys(
        block.lead_in for block in chunk.blocks if block.lead_in and block.lead_in.start < chunk.start
    )
    for lead_in in outside:
        text = f"{text}\n{read.text[lead_in.start : lead_in.end]}"
    return _terms(text if read.markup == "plain" else display(text, read.markup))


def chunk_texts(prepared: Prepared) -> list[str]:
    """The text of each chunk as an embedder should see it: headings first."""
    text, title = zlib.decompress(prepared.text).decode("utf-8", "surrogatepass"), prepared.document.title
    return [
        " > ".join((title, *json.loads(headings))) + "\n" + display(text[start:end], "plain")
        for start, end, _, headings, *_ in prepared.chunks
    ]


def put(connection: Connection, prepared: Prepared) -> None:
    """Store a document in place of an earlier one of the same path."""
    remove_paths(connection, [prepared.path])
    document = prepared.document
    cursor = connection.execute(
        "INSERT INTO documents (path, uri, sha256, content, title, language, markup, characters, mtime_ns, size, "
        "retrieved_at, text, dated, authors, mark) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, checksum(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?11, ?13, ?14))",
        (
            prepared.path,
            document.uri,
            document.sha256,
            prepared.content,
            document.title,
            document.language,
            document.markup,
            prepared.characters,
            prepared.mtime_ns,
            prepared.size,
            document.retrieved_at,
            prepared.text,
            document.published,
            json.dumps(document.authors, ensure_ascii=False),
        ),
    )
    first = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM chunks").fetchone()[0]
    connection.executemany(
        "INSERT INTO chunks (id, document_id, start, end, digest, headings, blocks, mark) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, checksum(?1, ?2, ?3, ?4, ?5, ?6, ?7))",
        ((first + at, cursor.lastrowid, *row[:5]) for at, row in enumerate(prepared.chunks)),
    )
    connection.executemany(
        "INSERT INTO chunk_terms (id, title, headings, body, mark) VALUES (?, ?, ?, ?, checksum(?1, ?2, ?3, ?4))",
        ((first + at, *row[5:]) for at, row in enumerate(prepared.chunks)),
    )
    connection.executemany(
        "INSERT INTO vectors (chunk_id, embedder, vector, mark) VALUES (?, ?, ?, checksum(?1, ?2, ?3))",
        ((first + at, prepared.embedder, vector) for at, vector in enumerate(prepared.vectors)),
    )


def ids_within(connection: Connection, paths: Sequence[str]) -> list[int]:
    """Ids of the documents that are one of these files or stand in one of these folders or archives."""
    ids: set[int] = set()
    for path in paths:
        folder = path.rstrip("/") + "/"
        rows = connection.execute(
            "SELECT id FROM documents WHERE path = ? OR (path >= ? AND path < ?)",
            (path, folder, folder[:-1] + "0"),  # "0" follows "/"
        )
        ids.update(row[0] for row in rows)
    return sorted(ids)


def remove(connection: Connection, ids: Iterable[int]) -> None:
    """Remove documents with everything that is only theirs."""
    for id in ids:
        connection.execute("DELETE FROM chunks WHERE document_id = ?", (id,))
        connection.execute("DELETE FROM documents WHERE id = ?", (id,))


def remove_paths(connection: Connection, paths: Iterable[str]) -> None:
    """Remove the documents of these files, and what was remembered of what gave no text there."""
    remove(connection, ids_within(connection, paths := list(paths)))
    for path in paths:
        forget_refused(connection, path)


def known(
    connection: Connection, paths: Sequence[str]
) -> tuple[dict[str, StoredFile], dict[str, tuple[str, int, int, str]]]:
    """What is held of these files, and those that held nothing to read: version of the reading, time, size, reason."""
    held: dict[str, StoredFile] = {}
    for path in paths:
        if ids := ids_within(connection, [path]):
            row = connection.execute("SELECT content, mtime_ns, size FROM documents WHERE id = ?", ids[:1]).fetchone()
            held[path] = StoredFile(tuple(ids), *row)
    among = "FROM refused WHERE path IN (SELECT value FROM json_each(?))"
    refused = connection.execute(f"SELECT path, reading, mtime_ns, size, reason {among}", (json.dumps(paths),))
    return held, {path: tuple(row) for path, *row in refused}


def refuse(connection: Connection, rows: Iterable[Refusal]) -> None:
    """Remember files that give no text."""
    connection.executemany("INSERT OR REPLACE INTO refused VALUES (?, ?, ?, ?, ?)", rows)


def is_gone(path: str) -> bool:
    """Whether neither a document's file is there nor an archive that held it, as far as anybody can tell."""
    try:
        return not any(map(Path.is_file, (Path(path), *Path(path).parents)))
    except OSError:  # it may not be looked at
        return False


def forget_refused(connection: Connection, path: str) -> int:
    """Forget what was remembered of a file and of what is attached to it, or of a folder; how many rows that were."""
    ranges = (f"{path}/", f"{path}0", *_attached(path))  # signs that follow the last one
    among = "path = ? OR (path >= ? AND path < ?) OR (path >= ? AND path < ?)"
    return connection.execute(f"DELETE FROM refused WHERE {among}", (path, *ranges)).rowcount


def left_out_of(connection: Connection, path: str) -> tuple[str, ...]:
    """What of a document was not read, and why, each in a line."""
    rows = connection.execute("SELECT path, reason FROM refused WHERE path >= ? AND path < ?", _attached(path))
    return tuple(f"{name[len(path) + len(ATTACHED) :]}: {reason}" for name, reason in rows)


def _attached(path: str) -> tuple[str, str]:
    """Between what the paths of all are that is attached to a file."""
    return f"{path}{ATTACHED}", f"{path}{ATTACHED[:-1]}!"


def lacking_vectors(connection: Connection, embedder: str) -> set[int]:
    """Ids of the documents of which some chunk has no vector of that embedder."""
    rows = connection.execute(
        "SELECT DISTINCT document_id FROM chunks LEFT JOIN vectors ON chunk_id = chunks.id AND embedder = ? "
        "WHERE chunk_id IS NULL",
        (embedder,),
    )
    return {row[0] for row in rows}


def _packed(blocks: Sequence[Block], at: int) -> str:
    rows = [
        [KINDS.index(block.kind), block.start + at, block.end + at, block.level]
        + ([block.lead_in.start + at, block.lead_in.end + at] if block.lead_in else [])
        for block in blocks
    ]
    return json.dumps(rows, separators=(",", ":"))
