"""What is handed to others names the files of this machine, and not where on it they are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated
from urllib.parse import quote, urlsplit
from urllib.request import url2pathname

from pydantic import AfterValidator

from fathom.report import Report
from fathom.text.commonmark import address

_FOLDERS = re.compile(r"(?:file://|(?<![\w/:.~]))/[^\s'\"`,;:()<>]*/")

_STEERING = re.compile(r"[\s<>%#?\\]")
"""What means something else in an address than in a path."""


def unplaced(line: str) -> str:
    """A line of ours with the last name alone of each path of this machine.

    >>> unplaced("/srv/fathom/runs.sqlite3 is no file: /docs and https://example.org/a/b tell more")
    'runs.sqlite3 is no file: /docs and https://example.org/a/b tell more'
    """
    return _FOLDERS.sub("", line)


Unplaced = Annotated[str, AfterValidator(unplaced)]
"""A line that tells no folder of this machine, whatever it was made of."""


def names(uris: Iterable[str]) -> dict[str, str]:
    """Addresses by what they are told as: a local file by its name, after as many folders as tell it from the others.

    >>> names(["file:///home/me/a/x.md", "file:///home/me/b/x.md", "file:///y.md", "https://a.example/"]).values()
    dict_values(['a/x.md', 'b/x.md', 'y.md', 'https://a.example/'])
    """
    told = {uri: uri if not uri.startswith("file://") else "" for uri in uris}
    local = {uri: uri.removeprefix("file://").strip("/").split("/") for uri, name in told.items() if not name}
    for uri, parts in local.items():
        others = [other for other in local.values() if other != parts]
        least = next((n for n in range(1, len(parts)) if all(other[-n:] != parts[-n:] for other in others)), len(parts))
        told[uri] = "/".join(parts[-least:])
    return told


def portable(report: Report, *, beside: Path | None = None) -> Report:
    """A report as it may be given to others: its local files are named; in one that is written to the folder `beside`,
    by the way from there, where that does not lead over the root of the file system."""
    told = names(source.uri for source in report.sources)
    if beside is not None:
        told = {uri: _way(uri, beside.resolve()) or name for uri, name in told.items()}
    markdown = report.markdown
    for uri, name in told.items():
        markdown = markdown.replace(f"<{address(uri)}>", f"<{address(name)}>")
    sources = tuple(source.model_copy(update={"uri": told[source.uri]}) for source in report.sources)
    return report.model_copy(update={"sources": sources, "markdown": markdown})


def _way(uri: str, folder: Path) -> str:
    """The way from a folder to a local file, or the archive that holds it, as a relative address; empty when none is
    to be told."""
    path = url2pathname(urlsplit(uri).path) if uri.startswith("file://") else ""
    path = next((str(each) for each in Path(path).parents if os.path.isfile(each)), path)  # noqa: PTH113 - it never raises
    try:
        shared = os.path.commonpath([path, folder]) if path else folder.anchor
    except ValueError:  # on another drive
        return ""
    if shared == folder.anchor:
        return ""
    return _STEERING.sub(lambda match: quote(match[0]), Path(os.path.relpath(path, folder)).as_posix())
