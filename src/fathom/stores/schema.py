"""The schema of `fathom.db`."""

from __future__ import annotations

from fathom.sqlite_file import raw

VERSION = 7
SCHEMA = f"""
    CREATE TABLE runs (
        no INTEGER PRIMARY KEY,
        run_id TEXT NOT NULL UNIQUE,
        fence INTEGER NOT NULL DEFAULT 0,
        record TEXT NOT NULL,
        wanted INTEGER NOT NULL DEFAULT 0,     -- whether a worker shall carry the run out, and whose it is
        worker TEXT,
        leased_until REAL NOT NULL DEFAULT 0,  -- seconds since 1970
        mark INTEGER                           -- of this and other rows: the checksum of what it says
    );
    CREATE INDEX runs_wanted ON runs (no) WHERE wanted;
    CREATE INDEX runs_by_status ON runs (json_extract(record, '$.status'));
    CREATE TABLE answers (                     -- each is stored once; body is TEXT, or a BLOB when it is compressed
        no INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        body NOT NULL
    );
    CREATE TABLE journal (
        run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE,
        path TEXT NOT NULL,
        request TEXT NOT NULL,
        seq INTEGER NOT NULL,
        kind TEXT NOT NULL,
        answer INTEGER NOT NULL REFERENCES answers (no),
        seconds REAL NOT NULL,
        usage TEXT,                            -- what a call to a model took, as JSON; NULL for all other calls
        mark INTEGER,
        PRIMARY KEY (run, path, request)
    ) WITHOUT ROWID;
    CREATE INDEX journal_by_answer ON journal (answer);
    CREATE INDEX journal_by_request ON journal (request) WHERE usage IS NOT NULL;
    CREATE TABLE events (
        run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE,
        seq INTEGER NOT NULL,
        at TEXT NOT NULL,
        event TEXT NOT NULL,
        mark INTEGER,
        PRIMARY KEY (run, seq)
    ) WITHOUT ROWID;
    CREATE TABLE snapshots (no INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, body NOT NULL);
    CREATE TABLE run_snapshots (
        run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE,
        snapshot INTEGER NOT NULL REFERENCES snapshots (no),
        PRIMARY KEY (run, snapshot)
    ) WITHOUT ROWID;
    CREATE INDEX run_snapshots_by_snapshot ON run_snapshots (snapshot);
    CREATE TABLE reports (
        run INTEGER PRIMARY KEY REFERENCES runs (no) ON DELETE CASCADE,
        body NOT NULL,
        mark INTEGER
    );
    CREATE TABLE requests (
        key TEXT PRIMARY KEY,
        digest TEXT NOT NULL,
        run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE
    ) WITHOUT ROWID;
    CREATE TABLE tokens (                      -- what a client shows to be let in; the secret itself is nowhere
        token_id TEXT PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        name TEXT NOT NULL,
        created_at TEXT NOT NULL,
        expires_at TEXT,
        revoked_at TEXT,
        used_at TEXT
    ) WITHOUT ROWID;
    CREATE TABLE links (                       -- the same to open the report of one run, whose id is the name
        token_id TEXT PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        name TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
        created_at TEXT NOT NULL,
        expires_at TEXT,
        revoked_at TEXT,
        used_at TEXT
    ) WITHOUT ROWID;
    CREATE INDEX links_by_name ON links (name);
    CREATE TABLE replies (                     -- what a model has answered outside of all runs: when a text is checked
        request TEXT PRIMARY KEY,
        kept_at TEXT NOT NULL,
        digest BLOB NOT NULL,
        body NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE directions (                  -- what people have told a run: answers to its approvals, and commands
        run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE,
        key TEXT NOT NULL,
        seq INTEGER NOT NULL,
        said TEXT NOT NULL,
        mark INTEGER,
        PRIMARY KEY (run, key)
    ) WITHOUT ROWID;
    CREATE VIEW unsound AS                     -- rows of which a checksum does not fit, by what they are
        SELECT 'the record of a run' AS what, no FROM runs WHERE mark IS NOT checksum({raw("no, run_id, record")})
        UNION ALL SELECT 'a call in a journal', run FROM journal
            WHERE mark IS NOT checksum({raw("run, path, request, seq, kind, answer, usage")}, seconds)
        UNION ALL SELECT 'an event', run FROM events WHERE mark IS NOT checksum({raw("run, seq, at, event")})
        UNION ALL SELECT 'a report', run FROM reports WHERE mark IS NOT checksum({raw("run, body")})
        UNION ALL SELECT 'an answer', no FROM answers WHERE digest IS NOT sha256(body)
        UNION ALL SELECT 'the text of a source', no FROM snapshots WHERE sha256 IS NOT lower(hex(sha256(body)))
        UNION ALL SELECT 'what a run was told', run FROM directions
            WHERE mark IS NOT checksum({raw("run, key, seq, said")});
"""
