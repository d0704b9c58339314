"""The formats of a finished report: each is a function from the report to text. Packages join through entry points."""

from __future__ import annotations

from collections.abc import Callable

from fathom.registry import Registry
from fathom.report import Report

formats: Registry[Callable[[Report], str]] = Registry(
    "report format",
    group="fathom.render",
    builtin={
        "bibtex": "fathom.render.bibliography:bibtex",
        "bullets": "fathom.render.bullets:render",
        "csl": "fathom.render.bibliography:csl",
        "footnotes": "fathom.render.footnotes:render",
        "json": "fathom.render.json:render",
        "markdown": "fathom.render.markdown:render",
        "ris": "fathom.render.bibliography:ris",
        "summary": "fathom.render.summary:render",
        "terminal": "fathom.render.terminal:render",
    },
)
