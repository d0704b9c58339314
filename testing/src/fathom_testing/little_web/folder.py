"""A folder of real files as a site."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from fathom.errors import Unreadable
from fathom.reading.readers import read_parts, suffixes
from fathom_testing.little_web.page import LittlePage
from fathom_testing.little_web.ranking import Entry


@dataclass(frozen=True)
class Folder:
    """Files below a folder, each at the address that its name is."""

    host: str
    root: Path
    names: frozenset[str]
    """Those that are served, relative to `root`."""

    @classmethod
    def of(cls, host: str, root: Path, *, names: Iterable[str] | None = None) -> Folder:
        """`names`, or every file below `root` that can be read and is not hidden."""
        if names is None:
            files = (path.relative_to(root) for path in root.rglob("*") if path.suffix.lower() in suffixes())
            names = (path.as_posix() for path in files if not any(part.startswith(".") for part in path.parts))
        return cls(host, root, frozenset(names))

    def page(self, path: str) -> LittlePage | None:
        """The file at a path; `None` when there is none."""
        name = unquote(path).lstrip("/")
        if name not in self.names:
            return None
        kind = mimetypes.guess_type(name)[0] or "text/plain"
        # no charset: the page itself says it, as on most servers of documentation
        return LittlePage(self.host, path, body=(self.root / name).read_bytes(), content_type=kind)

    def entries(self, address: str) -> list[Entry]:
        """What a search engine knows of the files, which are served at `address`; what holds no text is left out."""
        found = []
        for name in sorted(self.names):
            try:
                document = next(read_parts(self.root / name))
            except Unreadable:
                continue
            if document.text.strip():
                found.append(Entry(f"{address}/{quote(name)}", document.title or name, document.text))
        return found
