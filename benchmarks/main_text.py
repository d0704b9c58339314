"""How much of the article of a web page is read, and how much else: prints one row.

Run `python benchmarks/main_text.py FOLDER`, a checkout of scrapinghub/article-extraction-benchmark or a part of it: the
file `ground-truth.json` (`ground_truth.json`) and `html/ID.html.gz`. As that benchmark has it, precision and recall are
of runs of four words; precision is the mean over the pages with text read, recall over all, and F1 is of these two
means. The row after it is trafilatura's own text.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

from fathom.errors import NoEvidence
from fathom.pages.html import read

RUN = 4


def ours(data: bytes, address: str) -> str:
    try:
        return read(data, address=address).content.text
    except NoEvidence:
        return ""


def theirs(data: bytes, _: str) -> str:
    from trafilatura import extract

    return extract(data, include_comments=False) or ""


def runs(text: str) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", text)
    return Counter(tuple(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1))) if words else Counter()


def row(name: str, reads: Callable[[bytes, str], str], pages: list[tuple[bytes, str, str]]) -> str:
    began = time.process_time()
    texts = [reads(data, address) for data, address, _ in pages]
    took = (time.process_time() - began) / len(pages)
    pairs = [(runs(text), runs(true)) for text, (_, _, true) in zip(texts, pages, strict=True)]
    both = [(sum((have & want).values()), sum(have.values()), sum(want.values())) for have, want in pairs]
    precision = fmean(shared / have for shared, have, _ in both if have)
    recall = fmean(shared / want for shared, _, want in both if want)
    f1 = 2 * precision * recall / (precision + recall)
    return f"| {name} | {f1:.3f} | {precision:.3f} | {recall:.3f} | {texts.count('')} | {1000 * took:.0f} ms |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path)
    folder = parser.parse_args().folder
    if folder is None:
        print(__doc__)
        return
    truth = json.loads(next(folder.glob("ground?truth.json")).read_text(encoding="utf-8"))
    pages = [
        (gzip.decompress((folder / "html" / f"{id}.html.gz").read_bytes()), true["url"], true["articleBody"])
        for id, true in truth.items()
    ]
    print(f"{len(pages)} pages\n\n| reader | F1 | precision | recall | refused | CPU per page |")
    print("|---|---|---|---|---|---|")
    print(row("Fathom", ours, pages))
    print(row("trafilatura", theirs, pages))


if __name__ == "__main__":
    main()
