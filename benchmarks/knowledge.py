"""How fast the knowledge base takes texts in and finds passages: prints a table.

Run `python benchmarks/knowledge.py [--sizes 1000,10000]`. The texts are generated: words by Zipf's law, ten to a
sentence, so that figures of two machines can be compared and nothing has to be downloaded.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import statistics
import tempfile
import time
from pathlib import Path

from fathom.evidence import Query
from fathom.knowledge.knowledge_base import KnowledgeBase
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


async def measure(size: int, words: list[str]) -> list[str]:
    """One row of the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "corpus"
        folder.mkdir()
        write_corpus(folder, size, words)
        kb = KnowledgeBase(Path(name) / "kb.db")
        started = time.process_time()
        await kb.ingest([folder])
        ingest = time.process_time() - started
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


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000", help="numbers of chunks, with commas between")
    sizes = [int(size) for size in parser.parse_args().sizes.split(",")]
    words = vocabulary()
    measure_text(words)
    head = ["chunks", "ingested per CPU-s", "again, ms", "search p50, ms", "with context, ms", "file, MB"]
    print("  ".join(f"{cell:>18}" for cell in head))
    for size in sizes:
        print("  ".join(f"{cell:>18}" for cell in asyncio.run(measure(size, words))), flush=True)


if __name__ == "__main__":
    main()
