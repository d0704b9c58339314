"""A report's outline as somebody brings it: Markdown, of which each heading is a section."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from fathom.errors import UsageError
from fathom.preferences import ReportTemplate, TemplateSection

MOST_CHARACTERS, MOST_SECTIONS = 20_000, 20
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]")


def template_of(given: Path | str, *, documents: Iterable[Path | str] = ()) -> ReportTemplate:
    """The outline in a file, or in a text.

    A heading of the first level that stands before deeper ones is the title; each other heading is a section, and what
    stands under it says what belongs there.

    Args:
        documents: The files and folders that are to be read: a template among them would be quoted by its own report.

    Raises:
        UsageError: it is not there, no text, too large, has no heading or too many, or the same one twice; or it is one
            of the documents.
    """
    text, name = (_text_of(given, documents), str(given)) if isinstance(given, Path) else (given, "given")
    if len(text) > MOST_CHARACTERS:
        raise UsageError(f"The template {name} is too large: it may have {MOST_CHARACTERS:,} characters.")
    found: list[tuple[int, str, list[str]]] = []
    for line in _without_comments(text).splitlines():
        if (heading := _HEADING.match(line)) and (said := line.strip(" \t#")):
            found.append((len(heading[1]), said, []))
        elif found and line.strip():
            found[-1][2].append(line.strip())
    first = found[0] if found else None
    has_title = bool(first and first[0] == 1 and found[1:] and all(level > 1 for level, _, _ in found[1:]))
    sections = tuple(TemplateSection(heading=said, hint=" ".join(below)) for _, said, below in found[has_title:])
    if not sections:
        raise UsageError(f"The template {name} has no heading: write each section as a line `## Heading`.")
    if len(sections) > MOST_SECTIONS:
        raise UsageError(f"The template {name} has {len(sections)} headings and may have {MOST_SECTIONS}.")
    names = [each.heading.casefold() for each in sections]
    if again := next((each.heading for each in sections if names.count(each.heading.casefold()) > 1), None):
        raise UsageError(f"The template {name} has the heading “{again}” twice: each is a section of its own.")
    return ReportTemplate(title=found[0][1] if has_title else "", sections=sections)


def _without_comments(text: str) -> str:
    first, *others = text.split("<!--")
    return first + "".join(each.partition("-->")[2] if "-->" in each else f"<!--{each}" for each in others)


def _text_of(path: Path, documents: Iterable[Path | str]) -> str:
    whole = path.expanduser().resolve()
    if not whole.is_file():
        raise UsageError(f"There is no template {path}: name a file of Markdown with a heading for each section.")
    for each in documents:
        if whole.is_relative_to(Path(each).expanduser().resolve()):
            raise UsageError(
                f"The template {path} is one of the documents to read, and would be quoted: keep it elsewhere."
            )
    try:
        with whole.open("rb") as file:
            text = file.read(4 * MOST_CHARACTERS + 1).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        cut = error.reason == "unexpected end of data"  # in the middle of a character: it is too large
        if not cut:
            raise UsageError(f"The template {path} is no text in UTF-8.") from error
        text = "#" * (MOST_CHARACTERS + 1)
    except OSError as error:
        raise UsageError(f"The template {path} cannot be read: {error.strerror}.") from error
    if "\0" in text:
        raise UsageError(f"The template {path} is no text in UTF-8.")
    return text
