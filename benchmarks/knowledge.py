"""How fast the knowledge base takes texts in and finds passages, and in how much memory: prints a table of each.

Run `python benchmarks/knowledge.py [--sizes 1000,10000] [--documents 1000,10000] [--megabytes 20]`. The texts are
generated: words by Zipf's law, ten to a sentence, so that figures of two machines can be compared and nothing has to be
downloaded. Memory is the largest resident size of a process that ingests, and of the one in which it has files read.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fathom.evidence import Query
from fathom.knowledge.knowledge_base import KnowledgeBase
from fathom.reading import bounded
from fathom.text.analysis import terms
from fathom.text.sentences import sentences

WORDS = 50_000
SECTIONS = 20  # per file
QUERIES = 40


def vocabulary() -> list[str]:
    """Made-up words of two to four syllables, most frequent first."""
    random.seed(7)
    syllables = [a + b for a in "bcdfghklmnprstvwz" for b in "aeiou"]
    found: dict[str, None] = {}
    while len(found) < WORDS:
        found["".join(random.choices(syllables, k=random.randint(2, 4)))] = None
    return list(found)


def write_corpus(folder: Path, chunks: int, words: list[str]) -> None:
    """Plain text files of 20 sections of about 900 characters."""
    weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(words))))
    for number in range(max(1, chunks // SECTIONS)):
        sections = []
        for section in range(SECTIONS):
            drawn = random.choices(words, cum_weights=weights, k=140)
            text = " ".join(" ".join(drawn[at : at + 10]).capitalize() + "." for at in range(0, len(drawn), 10))
            title = words[(number * SECTIONS + section) % WORDS]
            sections.append(f"{title}\n{'=' * len(title)}\n\n{text}\n")
        (folder / f"{number:05}.txt").write_text("\n".join(sections), encoding="utf-8")


def questions(words: list[str]) -> list[Query]:
    """A facet of four words, two of them common, within a question of eight more."""
    random.seed(11)
    return [
        Query(
            text=" ".join(random.sample(words[:200], 2) + random.sample(words[200:20_000], 2)),
            context=" ".join(random.sample(words[:400], 4) + random.sample(words[400:20_000], 4)),
        )
        for _ in range(QUERIES)
    ]


def cpu() -> float:
    """Seconds of CPU of this process, and of those that it has had documents read in."""
    bounded.end()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + used.ru_utime + used.ru_stime


async def measure(size: int, words: list[str]) -> list[str]:
    """One row of the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "corpus"
        folder.mkdir()
        write_corpus(folder, size, words)
        kb = KnowledgeBase(Path(name) / "kb.db")
        started = cpu()
        await kb.ingest([folder])
        ingest = cpu() - started
        status = await kb.status()
        started = time.process_time()
        await kb.ingest([folder])
        again = time.process_time() - started
        await kb.search(Query(text=words[5]), limit=20)
        plain, facets = [], []
        for query in questions(words):
            started = time.process_time()
            await kb.search(Query(text=query.text), limit=20)
            plain.append(time.process_time() - started)
            started = time.process_time()
            await kb.search(query, limit=20)
            facets.append(time.process_time() - started)
        await kb.close()
        return [
            f"{status.passages:,}",
            f"{status.passages / ingest:,.0f}",
            f"{again * 1000:,.0f}",
            f"{statistics.median(plain) * 1000:.1f}",
            f"{statistics.median(facets) * 1000:.1f}",
            f"{status.bytes / 1e6:.0f}",
        ]


def measure_text(words: list[str]) -> None:
    """Speed of the analyser and the sentence splitter on a text like those of the corpus."""
    with tempfile.TemporaryDirectory() as name:
        write_corpus(Path(name), 1000, words)
        text = "".join(path.read_text(encoding="utf-8") for path in sorted(Path(name).iterdir()))
    for title, function in (("terms, first time", terms), ("terms, again", terms), ("sentences", sentences)):
        started = time.process_time()
        function(text)
        print(f"{title:20} {len(text) / 1e6 / (time.process_time() - started):6.1f} MB per CPU-s")


def ingested(folder: Path) -> list[str]:
    """One row of the table of memory: what a process that ingests the folder takes."""
    files = [path.stat().st_size for path in folder.iterdir()]
    code = (
        "import asyncio, resource, sys; from pathlib import Path\n"
        "from fathom.knowledge.knowledge_base import KnowledgeBase\n"
        "asyncio.run(KnowledgeBase(Path(sys.argv[2])).ingest([Path(sys.argv[1])]))\n"
        "from fathom.reading import bounded; bounded.end()\n"
        "of = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]\n"
        "print(*(each.ru_maxrss / 1000 for each in of), sum(each.ru_utime + each.ru_stime for each in of))"
    )
    with tempfile.TemporaryDirectory() as name:
        command = [sys.executable, "-c", code, str(folder), f"{name}/kb.db"]
        own, reader, cpu = map(
            float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        )
    return [f"{len(files):,}", f"{sum(files) / 1e6:.1f}", f"{own:.0f}", f"{reader:.0f}", f"{cpu:.1f}"]


def measure_memory(documents: list[int], megabytes: list[int], words: list[str]) -> None:
    """Many documents of one passage each, and one long text, plain and Markdown."""
    head = ["documents", "MB", "peak, MB", "its reader, MB", "CPU, s"]
    print("\n" + "  ".join(f"{cell:>18}" for cell in head))
    with tempfile.TemporaryDirectory() as name:
        for count in documents:
            folder = Path(name) / str(count)
            folder.mkdir()
            for number in range(count):
                text = " ".join(random.choices(words, k=100))
                (folder / f"{number:06}.txt").write_text(f"{words[number % WORDS]}.\n\n{text}.\n", encoding="utf-8")
            print("  ".join(f"{cell:>18}" for cell in ingested(folder)), flush=True)
        for size in megabytes:
            for suffix in ("txt", "md"):
                folder = Path(name) / f"{size}{suffix}"
                folder.mkdir()
                write_corpus(folder, 1_000, words)
                parts = sorted(folder.iterdir())
                piece = "\n".join(path.read_text(encoding="utf-8") for path in parts)
                for path in parts:
                    path.unlink()
                with (folder / f"long.{suffix}").open("w", encoding="utf-8") as file:
                    while file.tell() < size * 1e6:
                        file.write(piece + "\n")
                print("  ".join(f"{cell:>18}" for cell in (*ingested(folder), suffix)), flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000", help="numbers of chunks, with commas between")
    parser.add_argument("--documents", default="1000,10000", help="numbers of documents whose memory is measured")
    parser.add_argument("--megabytes", default="20", help="sizes of the long texts whose memory is measured")
    arguments = parser.parse_args()
    sizes, documents, megabytes = (
        [int(number) for number in given.split(",") if number]
        for given in (arguments.sizes, arguments.documents, arguments.megabytes)
    )
    words = vocabulary()
    if sizes:
        measure_text(words)
    head = ["chunks", "ingested per CPU-s", "again, ms", "search p50, ms", "with context, ms", "file, MB"]
    print("  ".join(f"{cell:>18}" for cell in head))
    for size in sizes:
        print("  ".join(f"{cell:>18}" for cell in asyncio.run(measure(size, words))), flush=True)
    measure_memory(documents, megabytes, words)


if __name__ == "__main__":
    main()
