"""Writes the Python language reference, as it ships inside every Python, to a folder of reStructuredText files.

    python examples/write_corpus.py demo/corpus

The texts are those of `help("topics")`: real documentation, present on every machine, copied into no repository.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from pydoc_data.topics import topics  # type: ignore[import-untyped,unused-ignore]

TITLE = re.compile(r".+\n([*=-])\1+\n")
CODE = re.compile(
    r" *(?:>>>|@|\(|\w+ +::=|[\w.,\[\] ]+[-+*/|&]?= |[\w.]+\(.*\)$"
    r"|(?:async|await|class|def|except|for|from|global|if|import|match|raise|return|try|while|with|yield)\b(?!.*\.$))"
)
SIGNATURE = re.compile(r"(?!\*)[\w.]+(?:\(.*\)| \(.*| \[.*)?$|\w\(\w+\).*$|class \w+\.\w.*$", re.DOTALL)


def page(name: str, text: str) -> str:
    """The text as a document with a title: nearly all have one, the rest are named after their topic."""
    text = text.strip("\n")
    if not TITLE.match(text):
        title = name.replace("-", " ").capitalize()
        text = f"{title}\n{'*' * len(title)}\n\n{text}"
    return "\n\n".join(marked(text)) + "\n"


def marked(text: str) -> list[str]:
    """Its paragraphs, with the marks that were lost when the texts were set: of code, and of what defines a name."""
    paragraphs: list[str] = []
    for paragraph in re.split(r"\n(?:[ \t]*\n)+", text):
        before = paragraphs[-1] if paragraphs else ""
        outer = indentation(before.rsplit("\n", 1)[-1])
        deeper = indentation(paragraph) > outer and not before.lstrip().startswith("* ")
        if deeper and CODE.match(paragraph):
            indent = " " * outer
            paragraphs[-1] = f"{before}:" if before.endswith(":") else f"{before}\n\n{indent}::"
            paragraphs.append(paragraph)
        elif deeper and SIGNATURE.match(before.lstrip()):
            paragraphs[-1] = f"{' '.join(before.split())}\n{paragraph}"
        else:
            paragraphs.append(paragraph)
    return paragraphs


def indentation(line: str) -> int:
    """Spaces at its beginning."""
    return len(line) - len(line.lstrip(" "))


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
