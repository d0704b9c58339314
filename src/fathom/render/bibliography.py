"""The sources of a report for a program that keeps a bibliography: CSL-JSON, and BibTeX and RIS made from it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from fathom.render.html.inert import link
from fathom.report import Report, SourceEntry
from fathom.text.harmless import inert
from fathom.text.phrases import Phrases, phrases
from fathom.text.places import portable
from fathom.text.typeset import source_details

Item = dict[str, Any]
"""An item of CSL-JSON, version 1.0.2."""

_TYPES = {"file": "document", "dataset": "dataset", "web": "webpage"}
_RIS_TYPES = {"document": "GEN", "dataset": "DATA", "webpage": "ELEC"}
_TEX: dict[str, str | int | None] = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{char: f"\\{char}" for char in "{}&%$#_"},
}
_UNPAIRED: dict[str, str | int | None] = {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}
_IN_ADDRESS = {ord(char): f"%{ord(char):02X}" for char in "{}\\"}
_LIGATURE = re.compile(r"(?<=[-`'])(?=[-`'])")
_DATE = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?(?![\d-])", re.ASCII)


def items(report: Report) -> Iterator[Item]:
    """One for each source that the report names, in its order, with ids like `run_1m80_S1`; it tells no folder."""
    words = phrases(report.language)
    for source in portable(report).named:
        told = {
            "id": f"{report.run_id}_{source.id}",
            "type": _TYPES[source.kind],
            "title": inert(source.title),
            "author": [_name(inert(author)) for author in source.authors],
            "container-title": inert(source.site),
            "URL": link(source.uri),
            "accessed": _date(source.retrieved_at),
            "issued": _date(source.published),
            "note": _note(source, words),
        }
        yield {name: value for name, value in told.items() if value}


def csl(report: Report) -> str:
    """The sources as CSL-JSON, which Zotero, Pandoc and citeproc read; ends in a line break."""
    return json.dumps(list(items(report)), ensure_ascii=False, indent=2) + "\n"


def bibtex(report: Report) -> str:
    """The sources as BibTeX, each `@misc`; a title keeps its capitals. Ends in a line break, or is empty."""
    return "\n".join(_entry(item) for item in items(report))


def ris(report: Report) -> str:
    """The sources as RIS, whose lines end in CR LF."""
    return "".join(f"{line}\r\n" for item in items(report) for line in (*_record(item), "ER  - "))


def _note(source: SourceEntry, words: Phrases) -> str:
    """What the list of sources says besides the title; of a file its name, in place of an address."""
    unsigned = source.model_copy(update={"authors": ()})
    details = source_details(unsigned, words, shown=inert, code=inert)
    return inert(words.comma.join(details if link(source.uri) else (unquote(source.uri), *details)))


def _name(author: str) -> dict[str, str]:
    """A name as CSL writes it; which part of it is the family's shows in a comma alone."""
    family, comma, given = author.partition(", ")
    return {"family": family, "given": given} if comma and ", " not in given else {"literal": author}


def _date(told: str) -> dict[str, list[list[int]]] | None:
    """A date as CSL writes it, as exact as it is known."""
    found = _DATE.match(told)
    return {"date-parts": [[int(part) for part in found.groups() if part]]} if found else None


def _written(item: Item, name: str, between: str) -> str:
    return between.join(f"{part:02}" for part in item[name]["date-parts"][0]) if name in item else ""


def _tex(text: str) -> str:
    """Text that TeX shows as just these characters; BibTeX counts a brace that is escaped, so that each needs its pair.

    >>> print(_tex("100% {a--b}"), _tex(":-}"))
    100\\% \\{a-{}-b\\} :-\\textbraceright{}
    """
    braces = "".join(char for char in text if char in "{}")
    while "{}" in braces:
        braces = braces.replace("{}", "")
    return _LIGATURE.sub("{}", text.translate(str.maketrans(_TEX | _UNPAIRED if braces else _TEX)))


def _entry(item: Item) -> str:
    fields = {
        "author": " and ".join(
            ", ".join(map(_tex, name.values())) if "family" in name else f"{{{_tex(name['literal'])}}}"
            for name in item.get("author", ())
        ),
        "title": f"{{{_tex(item.get('title', ''))}}}",
        "organization": _tex(item.get("container-title", "")),
        "year": _written(item, "issued", "-")[:4],
        "url": item.get("URL", "").translate(_IN_ADDRESS),
        "urldate": _written(item, "accessed", "-"),
        "note": _tex(item.get("note", "")),
    }
    lines = (f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@misc{{{item['id']},\n{''.join(lines)}}}\n"


def _record(item: Item) -> Iterator[str]:
    fields = {
        "TY": _RIS_TYPES[item["type"]],
        "ID": item["id"],
        "TI": item.get("title"),
        "PB": item.get("container-title"),
        "PY": _written(item, "issued", "/")[:4],
        "DA": _written(item, "issued", "/"),
        "UR": item.get("URL"),
        "Y2": _written(item, "accessed", "/"),
        "N1": item.get("note"),
    }
    yield from (f"{tag}  - {value}" for tag, value in fields.items() if value)
    yield from (f"AU  - {', '.join(name.values())}" for name in item.get("author", ()))
