"""Shared by tests: `HOSTILE`."""

from __future__ import annotations

HOSTILE = [
    "[click](http://evil.example)",
    "![pixel](http://evil.example/p.png)",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "http://evil.example/ and www.evil.example",
    "[ref]: http://evil.example 'x'",
    "# heading",
    "1. item",
    "- item",
    "> quote",
    "+ item",
    "*emphasis* _emphasis_ **strong** __strong__ ~~gone~~",
    "&nbsp;&lt;",
    "a\\*b",
    "--- ",
    "===",
    "| a | b |",
    "`open code",
    "<http://evil.example>",
    "```",
    "~~~ fence",
]
