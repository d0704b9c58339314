"""Writes the Python language reference, as it ships inside every Python, to a folder of reStructuredText files.

    python examples/write_corpus.py demo/corpus

The texts are those of `help("topics")`: real documentation, present on every machine, copied into no repository.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from pydoc_data.topics import topics  # type: ignore[import-untyped,unused-ignore]


def page(name: str, text: str) -> str:
    """The text as a document with a title: nearly all have one, the rest are named after their topic."""
    text = text.strip("\n")
    _, _, rest = text.partition("\n")
    if not re.match(r"([*=-])\1+\n", rest):
        title = name.replace("-", " ").capitalize()
        text = f"{title}\n{'*' * len(title)}\n\n{text}"
    return text + "\n"


def write(folder: Path) -> list[Path]:
    """Write one file per topic below `folder`; a file that is already right is left alone.

    Returns:
        The files, sorted by name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in sorted(topics.items()):
        path = folder / f"{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-').lower()}.rst"
        content = page(name, text)
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            path.write_text(content, encoding="utf-8")
        written.append(path)
    return written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the files go; made when it is not there")
    folder = parser.parse_args().folder
    print(f"{len(write(folder))} documents in {folder}")
