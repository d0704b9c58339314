"""The script that writes out the demo's corpus."""

from __future__ import annotations

import runpy
from pathlib import Path
from pydoc_data.topics import topics

SCRIPT = Path(__file__).parents[2] / "examples" / "write_corpus.py"


def test_every_topic_becomes_a_titled_document_and_a_second_writing_changes_none(tmp_path: Path) -> None:
    write = runpy.run_path(str(SCRIPT))["write"]

    paths = write(tmp_path / "corpus")

    assert len(set(paths)) == len(topics)
    for path in paths:
        _, underline, *_ = path.read_text(encoding="utf-8").splitlines()
        assert set(underline) <= set("*=-") and len(underline) > 1
    before = {path: path.stat().st_mtime_ns for path in paths}
    assert {path: path.stat().st_mtime_ns for path in write(tmp_path / "corpus")} == before
