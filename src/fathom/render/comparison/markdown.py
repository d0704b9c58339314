"""A comparison of two reports as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from fathom.comparison.records import Comparison, Piece, SourcePair
from fathom.render.comparison.view import ComparisonView, Side
from fathom.render.html.inert import link
from fathom.render.markdown import joined
from fathom.text.commonmark import address, cell, inert
from fathom.text.own import REPORT_MARK

_SIGNS = {"gone": "~~", "new": "**", "same": ""}


def render(comparison: Comparison) -> str:
    """What differs, as CommonMark with GitHub's extensions, ending in a line break: words that are gone are struck out,
    new ones bold."""
    view = ComparisonView(comparison)
    parts = [f"# {inert(view.title)}", "  \n".join(map(inert, filter(None, view.lines)))]
    for heading, places in view.parts:
        parts.append(f"## {heading}")
        for place, within in places:
            parts.append(f"### {inert(place)}" if place else "")
            parts += ("- " * (len(sides) == 1) + "  \n".join(map(_side, sides)) for sides in within)
    rows = [f"| {' | '.join((*told[:2], _title(pair), told[2]))} |" for pair, told in view.sources]
    if rows:
        names = f"| {view.labels['new']} | {view.labels['old']} | {view.phrases.sources} | |"
        parts += [f"## {view.phrases.sources}", "\n".join((names, "| --- | --- | --- | --- |", *rows))]
    return joined(*parts, REPORT_MARK)


def _side(side: Side) -> str:
    return " ".join(filter(None, (side.label and f"{side.label}:", _marked(side.pieces), side.cites)))


def _marked(pieces: Iterable[Piece]) -> str:
    """The words with signs around what differs: from its first letter to its last one, as elsewhere no emphasis need
    begin or end."""
    line, parts = "", ((part, _SIGNS[p.state] * (at == 1)) for p in pieces for at, part in _cut(p.text))
    for sign, run in groupby(parts, key=lambda part: part[1]):
        text = "".join(part for part, _ in run)
        blanks = " " * text[:1].isspace(), " " * text[-1:].isspace()
        line += f"{blanks[0]}{sign}{inert(text)}{sign}{blanks[1]}"
    return " ".join(line.split())


def _cut(text: str) -> list[tuple[int, str]]:
    """What stands before the first letter, up to the last one, and behind it, with its place."""
    letters = [match.end() for match in re.finditer(r"\w", text)] or [len(text) + 1]
    start, end = letters[0] - 1, letters[-1]
    return [(at, part) for at, part in enumerate((text[:start], text[start:end], text[end:])) if part]


def _title(pair: SourcePair) -> str:
    name = pair.entry.title or pair.entry.uri
    if to := link(pair.entry.uri):
        return f"[{inert(name, in_link=True)}](<{address(to)}>)".replace("|", "\\|")
    return cell(name, width=None)
