"""How well PDF is read: a scan made of the README, and documents that also exist as HTML or TeX, a row for each pair.

Run `python benchmarks/pdf.py DOCUMENT.pdf FOLDER_OF_HTML […]`, pair after pair; `.pdf.gz` will do. Debian's packages
hold such pairs: `apt-get download debian-reference-en valgrind` and `dpkg-deb -x`. With `--columns [FOLDER]` it reads
articles in two columns, each against its source in TeX, read by Pandoc (extra `documents`); they are those of the
publishers' styles in Debian's `texlive-publishers-doc` (210 MB), which is fetched into the folder unless it is there.
With `--against-pdftotext FOLDER` it compares the words of every PDF below a folder with those that `pdftotext` of
Poppler (`apt-get install poppler-utils`) finds in it, such as the tests of pdf.js, pdfium, pypdf and Tika.

- Words: of the words of paragraphs of the source, in runs of four, the share that is in the text of the PDF.
- Order: of the paragraphs found in both, the share of neighbours that follow one another in the PDF as in the source.
- Heads: short lines with a word that, save for their numbers, are read on three pages of ten, per 100 pages.
"""

from __future__ import annotations

import argparse
import gzip
import re
import subprocess
import tempfile
import textwrap
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from itertools import accumulate, pairwise
from pathlib import Path

from pypandoc import get_pandoc_path

from fathom.errors import FathomError
from fathom.reading import bounded, html, pdf
from fathom.reading.document import ReadDocument
from fathom.text.characters import HAN, KATAKANA

RUN = 4
ARTICLES = """
    acmart/samples/sample-sigconf asmeconf/examples/asmeconf-fontspec jacow/JACoW_LaTeX_A4 mnras/mnras_guide
    nrc/userguide oup-authoring-template/oup-authoring-template quantumarticle/quantum-template
    revtex/aps/apsguide4-2 revtex/sample/aapm/aapmsamp revtex/sample/aps/apssamp
"""


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def runs(text: str) -> Counter[tuple[str, ...]]:
    found = words(text)
    return Counter(tuple(found[at : at + RUN]) for at in range(len(found) - RUN + 1))


def paragraphs(folder: Path) -> list[str]:
    """The paragraphs of the pages of a folder that have more than ten words; pages in the order of their names."""
    found: list[str] = []
    for path in sorted(folder.glob("*.html")):
        read = html.read(path.read_bytes())
        found += [read.text[b.start : b.end] for b in read.blocks if b.kind == "paragraph"]
    return [text for text in found if len(words(text)) > 10]


def scanned(pages: int = 3) -> str:
    """Words of this project's README that are read of a scan of it, 100 dots an inch, and what a page takes."""
    from PIL import Image, ImageDraw, ImageFont

    text = re.sub(r"\W+", " ", Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8"))
    lines = textwrap.wrap(text.encode("ascii", "ignore").decode(), 70)[: 40 * pages]
    sheets = [Image.new("L", (827, 1169), 255) for _ in range(pages)]
    for number, sheet in enumerate(sheets):
        told = "\n".join(lines[40 * number : 40 * number + 40])
        ImageDraw.Draw(sheet).multiline_text((60, 60), told, fill=0, font=ImageFont.load_default(17), spacing=6)
    held = BytesIO()
    sheets[0].save(held, "PDF", save_all=True, append_images=sheets[1:])
    began = time.process_time()
    read = pdf.read(held.getvalue())
    took = (time.process_time() - began) / pages
    wanted, have = runs("\n".join(lines)), runs(read.text)
    recalled = sum((wanted & have).values()) / sum(wanted.values())
    return f"A scan of {pages} pages: words {recalled:.3f}, {took:.1f} s of CPU a page"


def columns(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """Articles in two columns, and the paragraphs of their sources."""
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.rglob("*.pdf")):
        subprocess.run(["apt-get", "download", "-qq", "texlive-publishers-doc"], cwd=folder, check=True)
        for archive in folder.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)
    for name in ARTICLES.split():
        (file,) = folder.rglob(f"latex/{name}.pdf")
        (source,) = (path for path in file.parent.glob(f"{file.stem}.*") if path.name.endswith((".tex", ".tex.gz")))
        data = source.read_bytes()
        data = gzip.decompress(data) if source.suffix == ".gz" else data
        command = [get_pandoc_path(), "--sandbox", "--from=latex", "--to=plain", "--wrap=none"]
        told = subprocess.run(command, input=data, capture_output=True, check=True).stdout.decode()
        # neither tables nor formulas, which Pandoc writes over several lines; of words without sense each once
        prose = {tuple(words(text)[:8]): text for text in told.split("\n\n") if "\n" not in text.strip()}
        yield file, [text for text in prose.values() if len(words(text)) > 10]


def same(text: str) -> str:
    """A text as two programs would write it that read the same: of two ways to write a letter one (NFKC: ligatures,
    full-width and Arabic forms), without marks that show nothing, and without hyphens in words."""
    text = unicodedata.normalize("NFKC", text.replace("^", ""))
    shown = "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Mn"))
    return re.sub(r"(?<=\w)[-‐]\s?\n?(?=\w)", "", shown)


def parts(text: str) -> list[str]:
    """Words, of Chinese and Japanese each letter."""
    return re.findall(rf"[{HAN}{KATAKANA}ぁ-ゖ]|[^\W{HAN}{KATAKANA}ぁ-ゖ]+", text)


def recalled(told: str, read: str) -> float:
    """The share of the words of a text that is in another.

    A part between empty lines, or else a line, that is in the other but for blanks ("T o t a l", "Twowords") is
    there, when it begins and ends there with a word.
    """
    have = parts(same(read))
    run, begins = "".join(have), {at: number for number, at in enumerate(accumulate(map(len, have), initial=0))}
    free = [True] * len(have)
    looked: dict[str, int] = {}

    def is_there(whole: str) -> bool:
        at = run.find(whole, looked.get(whole, 0))
        while at >= 0:
            start, end = begins.get(at), begins.get(at + len(whole))
            if start is not None and end is not None and all(free[start:end]):
                free[start:end] = [False] * (end - start)
                break
            at = run.find(whole, at + 1)
        looked[whole] = at if at >= 0 else len(run)
        return at >= 0

    pieces = re.split(r"\n\n|\f", same(told))
    for split in (str.splitlines, lambda line: [line]):
        rest = (piece for piece in sorted(pieces, key=len, reverse=True) if not is_there("".join(parts(piece))))
        pieces = [line for piece in rest for line in split(piece)]
    lost = Counter(word for piece in pieces for word in parts(piece))
    lost -= Counter(word for word, is_free in zip(have, free, strict=True) if is_free)
    return 1 - lost.total() / max(1, len(parts(same(told))))


def pdftotext(file: Path, *options: str) -> str:
    try:
        command = ["pdftotext", "-q", *options, file, "-"]
        told = subprocess.run(command, capture_output=True, timeout=10, check=False).stdout
    except subprocess.TimeoutExpired:
        return ""
    return told.decode("utf-8", "replace")


def is_nameless(text: str) -> bool:
    """Whether more than a tenth of the letters of a text are control characters."""
    letters = [char for char in text if not char.isspace()]
    return sum(unicodedata.category(char) == "Cc" for char in letters) > len(letters) / 10


def against_pdftotext(folder: Path) -> None:
    """The words that another program finds in each PDF, and the share of them that is read; those that are refused
    count as not read, unless it finds nothing either.

    It is asked twice, and the better share is taken: in the order of the file (`-raw`) turned words stay whole. Nothing
    is compared where it finds control characters for letters, since the font does not say which letters they are.
    """
    shares: dict[str, float] = {}
    refused: Counter[str] = Counter()
    for file in sorted(folder.rglob("*.pdf")):
        told = [found for order in ([], ["-raw"]) if words(found := pdftotext(file, *order))]
        if not told or is_nameless(told[0]):
            continue
        try:
            read = bounded.ask(ReadDocument, "fathom.reading.readers:read_here", file.read_bytes(), suffix=".pdf")
        except FathomError as error:
            refused[str(error).partition(":")[0]] += 1
            shares[f"{file.relative_to(folder)} ({error})"] = 0.0
            continue
        shares[str(file.relative_to(folder))] = max(recalled(each, read.text) for each in told)
    good = sum(share >= 0.9 for share in shares.values()) / max(1, len(shares))
    print("| files | mean | at least .9 | below .5 |\n|---|---|---|---|")
    mean = sum(shares.values()) / max(1, len(shares))
    print(f"| {len(shares)} | {mean:.3f} | {good:.1%} | {sum(share < 0.5 for share in shares.values())} |")
    for name, share in sorted(shares.items(), key=lambda each: each[1]):
        if share < 0.5:
            print(f"{share:.2f} {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pairs", nargs="*", type=Path)
    parser.add_argument("--columns", nargs="?", type=Path, const=Path(tempfile.gettempdir(), "fathom-columns"))
    parser.add_argument("--against-pdftotext", type=Path)
    given = parser.parse_args()
    if given.against_pdftotext:
        against_pdftotext(given.against_pdftotext)
        return
    if not given.columns:
        print(scanned())
    pairs = [(file, paragraphs(folder)) for file, folder in zip(given.pairs[::2], given.pairs[1::2], strict=True)]
    pairs += columns(given.columns) if given.columns else ()
    if not pairs:
        return
    print("| document | pages | words | order | heads | headings | table rows | s |\n|---|---|---|---|---|---|---|---|")
    for file, told in pairs:
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        began = time.process_time()
        read = pdf.read(data)
        took = time.process_time() - began
        wanted, have = runs("\n".join(told)), runs(read.text)
        recalled = sum((wanted & have).values()) / max(1, sum(wanted.values()))
        squeezed = " ".join(words(read.text))
        places = [squeezed.find(" ".join(words(text)[:8])) for text in told]
        neighbours = [(a, b) for a, b in pairwise(places) if a >= 0 and b >= 0 and a != b]
        order = sum(a < b for a, b in neighbours) / max(1, len(neighbours))
        pages = sum(block.kind == "heading" and block.level == 1 for block in read.blocks)
        shapes = Counter(
            re.sub(r"\d+", "#", read.text[block.start : block.end])
            for block in read.blocks
            if block.level != 1
            and block.end - block.start < 80
            and re.search(r"[^\W\d_]{4}", read.text[block.start : block.end])
        )
        heads = sum(count for shape, count in shapes.items() if count > max(3, 0.3 * pages))
        rows = sum(block.kind == "table_row" for block in read.blocks)
        headings = sum(block.kind == "heading" for block in read.blocks) - pages
        print(
            f"| {file.name} | {pages} | {recalled:.3f} | {order:.3f} | {100 * heads / max(1, pages):.0f} "
            f"| {headings} | {rows} | {took:.1f} |"
        )


if __name__ == "__main__":
    main()
