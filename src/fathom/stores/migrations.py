"""The schema of `fathom.db`, as the steps that lead to it: number n brings a file from version n-1 to n."""

from __future__ import annotations

from fathom.sqlite_file import raw

_UNSOUND = f"""
    SELECT 'the record of a run' AS what, no FROM runs WHERE mark IS NOT checksum({raw("no, run_id, record")})
    UNION ALL SELECT 'a call in a journal', run FROM journal
        WHERE mark IS NOT checksum({raw("run, path, request, seq, kind, answer, usage")}, seconds)
    UNION ALL SELECT 'an event', run FROM events WHERE mark IS NOT checksum({raw("run, seq, at, event")})
    UNION ALL SELECT 'a report', run FROM reports WHERE mark IS NOT checksum({raw("run, body")})
    UNION ALL SELECT 'an answer', no FROM answers WHERE digest IS NOT sha256(body)
    UNION ALL SELECT 'the text of a source', no FROM snapshots WHERE sha256 IS NOT lower(hex(sha256(body)))
"""
"""Rows of which a checksum does not fit, by what they are."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE runs (
            no INTEGER PRIMARY KEY,
            run_id TEXT NOT NULL UNIQUE,
            fence INTEGER NOT NULL DEFAULT 0,
            record TEXT NOT NULL
        )""",
        # an answer is stored once; body is TEXT, or a BLOB when it is compressed
        """CREATE TABLE answers (
            no INTEGER PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE,
            body NOT NULL
        )""",
        """CREATE TABLE journal (
            run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE,
            path TEXT NOT NULL,
            request TEXT NOT NULL,
            seq INTEGER NOT NULL,
            kind TEXT NOT NULL,
            answer INTEGER NOT NULL REFERENCES answers (no),
            seconds REAL NOT NULL,
            PRIMARY KEY (run, path, request)
        ) WITHOUT ROWID""",
        "CREATE INDEX journal_by_answer ON journal (answer)",
        """CREATE TABLE events (
            run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE,
            seq INTEGER NOT NULL,
            at TEXT NOT NULL,
            event TEXT NOT NULL,
            PRIMARY KEY (run, seq)
        ) WITHOUT ROWID""",
        """CREATE TABLE snapshots (
            no INTEGER PRIMARY KEY,
            sha256 TEXT NOT NULL UNIQUE,
            body NOT NULL
        )""",
        """CREATE TABLE run_snapshots (
            run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE,
            snapshot INTEGER NOT NULL REFERENCES snapshots (no),
            PRIMARY KEY (run, snapshot)
        ) WITHOUT ROWID""",
        "CREATE INDEX run_snapshots_by_snapshot ON run_snapshots (snapshot)",
        """CREATE TABLE reports (
            run INTEGER PRIMARY KEY REFERENCES runs (no) ON DELETE CASCADE,
            body NOT NULL
        )""",
    ),
    (
        # what a call to a model took, as JSON; NULL for all other calls
        "ALTER TABLE journal ADD COLUMN usage TEXT",
        "CREATE INDEX journal_by_request ON journal (request) WHERE usage IS NOT NULL",
    ),
    (
        # whether a worker shall carry the run out, whose it is, and until when (seconds since 1970)
        "ALTER TABLE runs ADD COLUMN wanted INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE runs ADD COLUMN worker TEXT",
        "ALTER TABLE runs ADD COLUMN leased_until REAL NOT NULL DEFAULT 0",
        "CREATE INDEX runs_wanted ON runs (no) WHERE wanted",
        "CREATE INDEX runs_by_status ON runs (json_extract(record, '$.status'))",
        """CREATE TABLE requests (
            key TEXT PRIMARY KEY,
            digest TEXT NOT NULL,
            run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE
        ) WITHOUT ROWID""",
        # what a client shows to be let in; the secret itself is nowhere
        """CREATE TABLE tokens (
            token_id TEXT PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE,
            name TEXT NOT NULL,
            created_at TEXT NOT NULL,
            expires_at TEXT,
            revoked_at TEXT,
            used_at TEXT
        ) WITHOUT ROWID""",
    ),
    (
        # the checksum of what a row says; an answer and a snapshot have a digest anyhow
        "ALTER TABLE runs ADD COLUMN mark INTEGER",
        "ALTER TABLE journal ADD COLUMN mark INTEGER",
        "ALTER TABLE events ADD COLUMN mark INTEGER",
        "ALTER TABLE reports ADD COLUMN mark INTEGER",
        f"UPDATE runs SET mark = checksum({raw('no, run_id, record')})",
        f"UPDATE journal SET mark = checksum({raw('run, path, request, seq, kind, answer, usage')}, seconds)",
        f"UPDATE events SET mark = checksum({raw('run, seq, at, event')})",
        f"UPDATE reports SET mark = checksum({raw('run, body')})",
        f"CREATE VIEW unsound AS {_UNSOUND}",
    ),
    (
        # what a model has answered outside of all runs: when a text is checked
        """CREATE TABLE replies (
            request TEXT PRIMARY KEY,
            kept_at TEXT NOT NULL,
            digest BLOB NOT NULL,
            body NOT NULL
        ) WITHOUT ROWID""",
    ),
    (
        # what people have told a run: answers to its approvals, and commands
        """CREATE TABLE directions (
            run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE,
            key TEXT NOT NULL,
            seq INTEGER NOT NULL,
            said TEXT NOT NULL,
            mark INTEGER,
            PRIMARY KEY (run, key)
        ) WITHOUT ROWID""",
        "DROP VIEW unsound",
        f"""CREATE VIEW unsound AS {_UNSOUND}
            UNION ALL SELECT 'what a run was told', run FROM directions
                WHERE mark IS NOT checksum({raw("run, key, seq, said")})""",
    ),
    (
        # what opens the report of one run to whoever has it; a token's columns, and its name is the run's id
        """CREATE TABLE links (
            token_id TEXT PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE,
            name TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
            created_at TEXT NOT NULL,
            expires_at TEXT,
            revoked_at TEXT,
            used_at TEXT
        ) WITHOUT ROWID""",
        "CREATE INDEX links_by_name ON links (name)",
    ),
)
