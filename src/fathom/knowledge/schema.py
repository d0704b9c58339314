"""The tables of a knowledge base and of the archive of pages, which share those of texts."""

from __future__ import annotations

from fathom.sqlite_file import raw

DOCUMENT = raw(
    "path, uri, sha256, content, documents.title, language, markup, characters, retrieved_at, dated, authors"
)
CHUNK = raw("chunks.id, document_id, start, end, digest, chunks.headings, blocks")
TERMS = raw("chunk_terms.id, chunk_terms.title, chunk_terms.headings, body")
VECTOR = raw("chunk_id, embedder, vector")
SEARCH = raw("request, kept_at, results")
"""What the checksum of a row is over."""
SEALED_BLOCKS = 1_000
"""A full-text index of so many blocks, 4 MB, has a checksum of its own; a larger one would take too long."""
SEAL = f"""
INSERT OR REPLACE INTO meta SELECT 'index', CASE
    WHEN (SELECT count(*) FROM (SELECT 1 FROM chunk_index_data LIMIT {SEALED_BLOCKS + 1})) > {SEALED_BLOCKS} THEN -1
    ELSE (SELECT sum(checksum(id, block)) FROM chunk_index_data)
        + (SELECT coalesce(sum(checksum(segid, CAST(term AS BLOB), pgno)), 0) FROM chunk_index_idx)
        + (SELECT coalesce(sum(checksum(id, sz)), 0) FROM chunk_index_docsize) END
"""

VERSION, ARCHIVE_VERSION = 5, 7
_TEXTS = f"""
    CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE documents (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,        -- absolute, with "/" as separator
        uri TEXT NOT NULL,
        sha256 TEXT NOT NULL,             -- of the snapshot's text
        content TEXT NOT NULL,            -- sha256 of the file's bytes
        title TEXT NOT NULL,
        language TEXT NOT NULL,
        markup TEXT NOT NULL,
        characters INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        size INTEGER NOT NULL,
        retrieved_at TEXT NOT NULL,
        text BLOB NOT NULL,               -- zlib
        mark INTEGER,                     -- of this and other rows: the checksum of what it says
        dated TEXT NOT NULL DEFAULT '',   -- ISO 8601 date; this and the next as the file says of itself
        authors TEXT NOT NULL DEFAULT '[]'  -- JSON
    );
    CREATE INDEX documents_sha256 ON documents (sha256);
    CREATE TABLE chunks (
        id INTEGER PRIMARY KEY,
        document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        start INTEGER NOT NULL,
        end INTEGER NOT NULL,
        digest BLOB NOT NULL,             -- of the chunk's text: equal texts are found once
        headings TEXT NOT NULL,           -- JSON
        blocks TEXT NOT NULL,             -- JSON: [kind, start, end, level, lead-in start, lead-in end]
        mark INTEGER
    );
    CREATE INDEX chunks_document ON chunks (document_id);
    CREATE TABLE chunk_terms (id INTEGER PRIMARY KEY, title TEXT, headings TEXT, body TEXT, mark INTEGER);
    CREATE TABLE vectors (
        chunk_id INTEGER PRIMARY KEY,
        embedder TEXT NOT NULL,
        vector BLOB NOT NULL,             -- float32, length 1
        mark INTEGER
    );
    CREATE TRIGGER chunks_removed AFTER DELETE ON chunks BEGIN
        DELETE FROM chunk_terms WHERE id = old.id;
        DELETE FROM vectors WHERE chunk_id = old.id;
    END;
    CREATE TRIGGER documents_added AFTER INSERT ON documents BEGIN
        INSERT INTO meta VALUES ('changes', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1;
    END;
    CREATE TRIGGER documents_removed AFTER DELETE ON documents BEGIN
        INSERT INTO meta VALUES ('changes', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1;
    END;
    CREATE TABLE refused (
        path TEXT PRIMARY KEY,
        reading TEXT NOT NULL,            -- version of the reading that found nothing to read
        mtime_ns INTEGER NOT NULL,
        size INTEGER NOT NULL,
        reason TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE VIEW unsound_rows AS           -- documents that have rotted, as far as that shows without their texts
        SELECT id AS document_id FROM documents WHERE mark IS NOT checksum({DOCUMENT})
        UNION SELECT document_id FROM chunks WHERE mark IS NOT checksum({CHUNK})
        UNION SELECT document_id FROM chunks LEFT JOIN chunk_terms ON chunk_terms.id = chunks.id
            WHERE chunk_terms.mark IS NOT checksum({TERMS})
        UNION SELECT document_id FROM vectors JOIN chunks ON chunks.id = chunk_id
            WHERE vectors.mark IS NOT checksum({VECTOR});
    CREATE VIEW unsound AS
        SELECT 'a document' AS what, document_id FROM unsound_rows
        UNION SELECT 'a document', id FROM documents WHERE sha256 IS NOT lower(hex(sha256(text)));
"""
SCHEMA = f"""{_TEXTS}
    CREATE VIRTUAL TABLE chunk_index USING fts5 (
        title, headings, body,
        content = 'chunk_terms', content_rowid = 'id',
        tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co M*' tokenchars '._-'''"
    );
    CREATE TRIGGER chunk_terms_added AFTER INSERT ON chunk_terms BEGIN
        INSERT INTO chunk_index (rowid, title, headings, body) VALUES (new.id, new.title, new.headings, new.body);
    END;
    CREATE TRIGGER chunk_terms_removed AFTER DELETE ON chunk_terms BEGIN
        INSERT INTO chunk_index (chunk_index, rowid, title, headings, body)
        VALUES ('delete', old.id, old.title, old.headings, old.body);
    END;
    CREATE VIRTUAL TABLE chunk_vocabulary USING fts5vocab (chunk_index, row);
    {SEAL};
"""
"""A knowledge base."""
ARCHIVE_SCHEMA = f"""{_TEXTS}
    CREATE TABLE searches (
        request TEXT PRIMARY KEY,         -- digest of what was asked, and of whom
        kept_at TEXT NOT NULL,            -- ISO 8601, UTC
        results TEXT NOT NULL,            -- JSON
        mark INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE pages (                  -- a page as it once was: address and snapshot
        id INTEGER PRIMARY KEY,
        url TEXT NOT NULL,
        document_id INTEGER NOT NULL REFERENCES documents (id),
        reading INTEGER NOT NULL UNIQUE,  -- counts the readings of all pages: the last one of an address stands
        address TEXT NOT NULL,            -- behind all redirects
        title TEXT NOT NULL,
        language TEXT NOT NULL,
        retrieved_at TEXT NOT NULL,       -- or confirmed by its server
        published TEXT NOT NULL,
        nature TEXT NOT NULL,
        site TEXT NOT NULL,
        etag TEXT NOT NULL,
        last_modified TEXT NOT NULL,
        likeness TEXT NOT NULL,
        links TEXT NOT NULL DEFAULT '[]', -- JSON
        UNIQUE (url, document_id)
    );
    CREATE INDEX pages_document ON pages (document_id);
"""
"""The archive, whose pages are ranked among those of a run and not in the whole file: each text once, its digest as
path."""
