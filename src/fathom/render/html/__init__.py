"""The report as HTML: an article for the page, and one file that holds everything and asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fathom.render.html.inert import lines
from fathom.render.html.view import View
from fathom.render.html.words import words
from fathom.report import Report

STYLES = ("tokens.css", "report.css", "export.css")
"""What the file looks like, in this order; the page shares the first two."""


def article(report: Report, *, snapshots: Mapping[str, str] | None = None) -> str:
    """The report as an `<article>`, every text of it escaped.

    `snapshots` are the texts of sources by their digest: with them a footnote shows what stands around its quotation.
    """
    return _templates().get_template("article.html").render(view=View(report, snapshots or {}), within_page=True)


def render(
    report: Report, *, snapshots: Mapping[str, str] | None = None, files: Mapping[str, str] | None = None
) -> str:
    """The report as one HTML file without scripts, whose footnotes show what is quoted; ends in a line break. `files`
    are addresses at which it is had in other forms, with their names."""
    return file_of("article.html", View(report, snapshots or {}), files)


def nothing_shared() -> str:
    """What is shown at a link that opens nothing."""
    return file_of("gone.html", SimpleNamespace(lang="en", title="Fathom", words=words("en")))


def file_of(body: str, view: object, files: Mapping[str, str] | None = None) -> str:
    """One HTML file without scripts around the template `body`, which shows `view`."""
    style, digest = _style()
    return (
        _templates()
        .get_template("file.html")
        .render(body=body, view=view, style=style, digest=digest, files=files, within_page=False)
    )


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("fathom.render.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _harmless(value: Any) -> Any:
    """What a template shows: text from outside without what steers; it is escaped behind this."""
    return lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _style() -> tuple[Markup, str]:
    """The style sheets as one, and its digest as a content security policy names it."""
    folder = files("fathom.render.html") / "static"
    style = "\n".join((folder / name).read_text(encoding="utf-8") for name in STYLES)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return Markup(style), digest
