"""What many documents and long ones take."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import random
import resource
from itertools import accumulate
from pathlib import Path

import pytest

from fathom.errors import Unreadable
from fathom.evidence import Query
from fathom.knowledge import ingestion
from fathom.knowledge.index import Prepared
from fathom.knowledge.ingestion import IngestProgress
from fathom.knowledge.knowledge_base import KnowledgeBase
from fathom.reading import bounded, readers

CHAPTERS = "".join(
    f"# Chapter {number}\n\nIt tells of whale{number} and \u201cship{number}\u201d.\n\n## Notes\n\n"
    + "\n\n".join(f"Note {note} of chapter {number} tells of day {note}." for note in range(40))
    + "\n\n"
    for number in range(30)
)


async def test_no_document_is_kept_once_it_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingestion, "_BATCH_FILES", 1)
    (tmp_path / "notes").mkdir()
    for number in range(5):
        (tmp_path / "notes" / f"{number}.txt").write_text(f"Day {number}.", encoding="utf-8")
    alive: list[int] = []
    gc.collect()  # what other tests have left

    def count(_: IngestProgress) -> None:
        alive.append(sum(type(each) is Prepared for each in gc.get_objects()))

    gc.collect()  # what other tests have left behind is none of its documents
    await KnowledgeBase(tmp_path / "kb.db").ingest([tmp_path / "notes"], on_progress=count)

    assert len(alive) == 6
    assert max(alive) == 1


@pytest.mark.parametrize("suffix", ["txt", "md"])
async def test_a_long_text_is_read_in_parts_and_kept_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.setattr(readers, "_PART", 5_000)
    path = tmp_path / f"long.{suffix}"
    path.write_text(CHAPTERS, encoding="utf-8")
    assert len(list(readers.read_parts(path))) > 5
    kb = KnowledgeBase(tmp_path / "kb.db")
    await kb.ingest([path])

    (document,) = await kb.documents()
    assert await kb.snapshot(document.sha256) == CHAPTERS
    assert document.characters == len(CHAPTERS)
    for number in range(30):
        passage = (await kb.search(Query(text=f"whale{number}"), limit=1)).passages[0]
        assert passage.text == CHAPTERS[passage.start : passage.end]
        assert f"whale{number} " in passage.text
        assert all(CHAPTERS[block.start : block.end].strip() for block in passage.blocks)
        notes = (await kb.search(Query(text=f"note 39 chapter {number}"), limit=200)).passages
        (last,) = [each for each in notes if f"Note 39 of chapter {number} " in each.text]
        assert suffix == "txt" or last.headings == ((f"Chapter {number}", "Notes") if number else ("Notes",))


def test_a_text_is_cut_where_no_character_is_hurt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_PART", 100)
    for text in (
        "a" * 1_000,
        "日本語" * 300,
        "\U0001f433" * 299,
        "日本\n" * 400,
        "日本\r\n\r\n" * 300,
        "\ufeff" + "é " * 900,
    ):
        path = tmp_path / "one.txt"
        path.write_bytes(text.encode())
        parts = list(readers.read_parts(path))
        assert len(parts) > 1
        assert "".join(part.text for part in parts) == text
    path.write_bytes(("日本\n" * 400).encode("utf-16"))
    assert [part.text for part in readers.read_parts(path)] == ["日本\n" * 400]
    path.write_bytes(b"good\n\n" * 100 + b"\x00")
    with pytest.raises(Unreadable, match="binary"):
        list(readers.read_parts(path))


def _peak(folder: Path, tell: object) -> None:
    asyncio.run(KnowledgeBase(folder.with_suffix(".db")).ingest([folder]))
    bounded.end()
    of = (resource.getrusage(who).ru_maxrss / 1000 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    tell.send(max(of))  # type: ignore[attr-defined]


def peak(folder: Path) -> float:
    """Megabytes that a process takes which ingests the folder, or the one that reads for it."""
    mine, its = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_peak, args=(folder, its))
    process.start()
    process.join()
    return float(mine.recv())


@pytest.mark.soak
def test_memory_does_not_grow_with_the_number_of_documents(tmp_path: Path) -> None:
    peaks = []
    for count in (1_000, 10_000):
        folder = tmp_path / str(count)
        folder.mkdir()
        for number in range(count):
            text = " ".join(f"word{number * at % 5_000}" for at in range(1, 100))
            (folder / f"{number}.txt").write_text(f"{text}.\n", encoding="utf-8")
        peaks.append(peak(folder))
    assert peaks[1] - peaks[0] < 50  # megabytes, of which 32 are pages of the database that are kept


@pytest.mark.soak
@pytest.mark.parametrize("suffix", ["txt", "md"])
def test_a_long_text_takes_less_than_five_times_its_length(tmp_path: Path, suffix: str) -> None:
    words, peaks = ["".join(random.choices("abcdefghijklmnop", k=7)) for _ in range(50_000)], []
    often = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    for megabytes in (4, 24):
        folder = tmp_path / f"{megabytes}"
        folder.mkdir()
        with (folder / f"long.{suffix}").open("w", encoding="utf-8") as file:
            while file.tell() < megabytes * 1_000_000:
                file.write(" ".join(random.choices(words, cum_weights=often, k=100)) + ".\n\n")
        peaks.append(peak(folder))
    assert peaks[1] - peaks[0] < 5 * 20
