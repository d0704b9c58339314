"""The project's pages and what stands in them: fenced blocks, commands, links."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *(ROOT / "docs").rglob("*.md"),
        *(path for folder in (".", "evals", "testing") for path in (ROOT / folder).glob("*.md")),
    ],
    key=lambda path: path.relative_to(ROOT).as_posix(),
)


@dataclass(frozen=True)
class Fence:
    """A fenced block."""

    page: Path
    line: int
    """Number of its opening line."""
    language: str
    text: str


def name_of(path: Path) -> str:
    """A page as a test's id."""
    return path.relative_to(ROOT).as_posix()


def fences(page: Path) -> Iterator[Fence]:
    """Every fenced block of a page."""
    language, start, body = "", 0, list[str]()
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if match := re.match(r"\s*```(\w*)", line):
            if start:
                yield Fence(page, start, language, "\n".join(body))
                start = 0
            else:
                language, start, body = match[1], number, []
        elif start:
            body.append(line)


def prose(page: Path) -> str:
    """The text of a page without its fenced blocks."""
    return re.sub(r"^\s*```.*?^\s*```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def command_lines(page: Path) -> Iterator[list[str]]:
    """The words of every `fathom` and `make` command of a page, in blocks of a shell and in inline code.

    Environment variables before a command are left out; so is everything behind a pipe or a redirection.
    """
    for fence in fences(page):
        if fence.language in {"console", "bash", "sh", "shell"}:
            for line in fence.text.replace("\\\n", " ").splitlines():
                yield from _commands(line)
    for code in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", prose(page)):
        yield from _commands(code)


def _commands(line: str) -> Iterator[list[str]]:
    line = line.strip().removeprefix("$ ")
    if not re.match(r"(?:[A-Z_]+=\S+ )*(?:fathom|make)(?: |$)", line):
        return
    words = shlex.split(line.replace("…", "..."), comments=True)
    while "=" in words[0]:
        words.pop(0)
    ends = [index for index, word in enumerate(words) if word in {"|", ">", "<", "2>", "&&", ";", "&"}]
    yield words[: ends[0]] if ends else words


def links(page: Path) -> list[str]:
    """The targets of a page's links and pictures."""
    return re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose(page)))


def anchors(page: Path) -> set[str]:
    """The fragments that a page's headings can be linked by, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#{1,6}\s+(.+?)\s*$", prose(page), flags=re.MULTILINE):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found
