"""A knowledge base whose process is killed while it writes."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from fathom.evidence import Query
from fathom.knowledge.knowledge_base import KnowledgeBase
from tests.support.tiny_embedder import TinyEmbedder, counts

WRITER = """
import asyncio, sys
from pathlib import Path
from fathom.knowledge.knowledge_base import KnowledgeBase
from tests.support.tiny_embedder import TinyEmbedder

def tell(progress):
    print(progress.done_files, flush=True)

kb = KnowledgeBase(Path(sys.argv[1]), TinyEmbedder())
asyncio.run(kb.ingest([Path(sys.argv[2])], on_progress=tell))
"""


def written_before_the_kill(path: Path, folder: Path) -> int:
    """Ingest in another process, kill it in the middle, and return how many files it had told to be done."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as writer:
        assert writer.stdout
        told = 0
        while told < 128 and (line := writer.stdout.readline()):
            told = int(line)
        writer.send_signal(signal.SIGKILL)
    return told


async def test_what_was_told_to_be_done_survives_and_the_parts_agree(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(400):
        sections = "".join(f"## Part {part}\n\nThe whale {number} swims in part {part}.\n\n" for part in range(8))
        (folder / f"{number:03}.md").write_text(f"# Note {number}\n\n{sections}", encoding="utf-8")
    path = tmp_path / "kb.db"
    told = written_before_the_kill(path, folder)

    chunks, indexed, vectors = counts(path)
    assert chunks == indexed == vectors >= told * 8 > 0

    kb = KnowledgeBase(path, TinyEmbedder())
    report = await kb.ingest([folder])
    assert report.documents == 400
    assert report.unchanged >= told
    assert len((await kb.search(Query(text="whale 399"), limit=3)).passages) == 3
    await kb.close()
