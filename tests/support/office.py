"""Documents of Office for tests, written by the libraries that others write them with."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import xlsxwriter  # type: ignore[import-untyped]
from pptx import Presentation


def word(fill: Callable[[Any], object]) -> bytes:
    """A document that `fill` has put something into."""
    made, written = docx.Document(), BytesIO()
    fill(made)
    made.save(written)
    return written.getvalue()


def workbook(fill: Callable[[Any], object]) -> bytes:
    """A workbook that `fill` has put sheets into."""
    written = BytesIO()
    made = xlsxwriter.Workbook(written, {"in_memory": True})
    fill(made)
    made.close()
    return written.getvalue()


def slides(fill: Callable[[Any], object]) -> bytes:
    """A presentation that `fill` has put slides into."""
    made, written = Presentation(), BytesIO()
    fill(made)
    made.save(written)
    return written.getvalue()


def package(parts: Mapping[str, bytes | str]) -> bytes:
    """A ZIP file with these parts."""
    written = BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return written.getvalue()


def parts(data: bytes) -> dict[str, bytes]:
    """What a ZIP file holds."""
    with ZipFile(BytesIO(data)) as held:
        return {name: held.read(name) for name in held.namelist()}


def altered(data: bytes, changes: Mapping[str, bytes]) -> bytes:
    """A package with other parts in place of some, or beside them."""
    return package({**parts(data), **changes})


def strict(data: bytes) -> bytes:
    """A document of Office as it is written by the strict standard."""
    space = re.compile(rb"http://schemas\.openxmlformats\.org/(\w+)/2006/(?=main|relationships/|relationships\"|math)")
    return package(
        {
            name: space.sub(rb"http://purl.oclc.org/ooxml/\1/", held)
            for name, held in parts(data).items()
            if not name.endswith(".bin")
        }
    )
