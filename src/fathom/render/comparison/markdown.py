"""A comparison of two reports as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from fathom.comparison.records import Comparison, Piece, SourcePair
from fathom.render.comparison.view import ComparisonView, Shown, Side
from fathom.render.html.inert import link
from fathom.render.markdown import joined
from fathom.text.commonmark import address, cell, inert
from fathom.text.own import REPORT_MARK

_CORE = re.compile(r"(?P<before>\W*)(?P<core>.*?)(?P<after>\W*)", re.DOTALL)
_SIGNS = {"gone": "~~", "new": "**", "same": ""}


def render(comparison: Comparison) -> str:
    """What differs, as CommonMark with GitHub's extensions, ending in a line break: words that are gone are struck out,
    new ones bold."""
    view = ComparisonView(comparison)
    parts = [f"# {inert(view.title)}", "  \n".join(map(inert, filter(None, (*view.runs, view.counts))))]
    if comparison.unchanged:
        parts.append(view.labels.unchanged)
    for heading, places in view.parts:
        parts.append(f"## {heading}")
        for place, within in places:
            lists = groupby(within, key=lambda shown: len(shown.sides) == 1)
            parts += [f"### {inert(place)}" if place else ""]
            parts += [
                "\n".join(map(_item, each)) if single else "\n\n".join(map(_pair, each)) for single, each in lists
            ]
    if sources := view.sources:
        parts += [f"## {view.phrases.sources}", "\n".join(_table(sources, view))]
    return joined(*parts, REPORT_MARK)


def _item(shown: Shown) -> str:
    return " ".join(filter(None, ("-", inert(shown.text), shown.sides[0].cites)))


def _pair(shown: Shown) -> str:
    return "  \n".join(filter(None, (inert(shown.text), *map(_side, shown.sides))))


def _side(side: Side) -> str:
    return " ".join(filter(None, (f"{side.label}:", _marked(side.pieces), side.cites)))


def _marked(pieces: Iterable[Piece]) -> str:
    """The words with signs around what differs: from its first letter to its last one, as elsewhere no emphasis need
    begin or end."""
    line = ""
    for sign, parts in groupby((part for piece in pieces for part in _parts(piece)), key=lambda part: part[0]):
        text = "".join(part for _, part in parts)
        blanks = " " * text[:1].isspace(), " " * text[-1:].isspace()
        line += f"{blanks[0]}{sign}{inert(text)}{sign}{blanks[1] if text.strip() else ''}"
    return line.strip()


def _parts(piece: Piece) -> Iterator[tuple[str, str]]:
    """A piece as texts with the sign that belongs around each."""
    match = _CORE.fullmatch(piece.text)
    assert match is not None
    for name, text in match.groupdict().items():
        if text:
            yield _SIGNS[piece.state] if name == "core" else "", text


def _table(sources: list[SourcePair], view: ComparisonView) -> Iterator[str]:
    """The sources with their ids in both reports."""
    yield f"| {view.labels.new} | {view.labels.old} | {view.phrases.sources} | |"
    yield "| --- | --- | --- | --- |"
    for pair in sources:
        name = pair.entry.title or pair.entry.uri
        title = cell(name, width=None)
        if to := link(pair.entry.uri):
            title = f"[{inert(name, in_link=True)}](<{address(to)}>)".replace("|", "\\|")
        ids = (each.id if each else "–" for each in (pair.new, pair.old))
        yield f"| {' | '.join((*ids, title, view.labels.sources[pair.state]))} |"
