"""Takes out of a web page what frames its content: bars, teasers, banners, comments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from fathom.languages.packs import either
from fathom.reading.inline import collapsed, is_inline, within_line
from fathom.reading.page import Element, body_of, is_dropped, length, tag_of, text_content
from fathom.reading.visible import remove

if TYPE_CHECKING:
    from trafilatura.settings import Extractor

_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6 summary".split())
_LEAVES = frozenset("h2 h3 h4 h5 h6 p li pre dt dd blockquote td th tr tbody thead table dl ul ol".split())
"""What goes on with the text that it stands in; a division may be of another matter."""
_DATA = ("pre", "code", "th", "dl")
"""What shows that a division is content, whatever trafilatura says of it."""
_PROGRAMS = 0.02
"""The part of a page's text in programs from which on it is one of reference."""
_ENOUGH = 200
"""Letters, in lines that are no labels, that trafilatura must keep of a page for its judgement to count."""
_NEAR, _FAR = 40, 10_000
"""Letters of what it keeps that may lie before the next line: a short one, which may stand anywhere; a long one."""
_LONG = 20
_BOILERPLATE = re.compile(rf"\W*(?:{either('pages.certain')})", re.IGNORECASE | re.DOTALL)
_ELSEWHERE = re.compile(rf"\W*(?:{either('pages.elsewhere')})\W*", re.IGNORECASE)
_SHORT = 300
"""Characters of what is looked at for what is said on every page of a site."""


def content_of(root: Element) -> Element:
    """The element that holds the content of a page; what of it is a frame is removed from the tree.

    trafilatura, which knows pages at large, says what text is content, and a division that it keeps nothing of goes.
    Within one that it keeps something of, the structure is ours: it drops headings, items, tables and programs that a
    reader of a page of reference came for. Where it finds next to nothing, the page stays as it is.
    """
    body = body_of(root)
    programs = (each for each in body.iter("pre", "code") if tag_of(each.getparent()) != "pre")
    is_reference = sum(map(length, programs)) > _PROGRAMS * length(body)
    for precise in (True, False):
        whole, kept, said = _letters(body, _kept(root, precise=precise))
        if said >= _ENOUGH:
            _prune(body, whole, kept, (*_DATA, "h1") if is_reference else _DATA)
            break
    return body


@cache
def _options(*, precise: bool) -> Extractor:
    from trafilatura.settings import Extractor

    return Extractor(fast=True, precision=precise, recall=not precise, comments=False)


def _kept(root: Element, *, precise: bool) -> str:
    """The text of a page that trafilatura keeps, without white space."""
    from trafilatura import bare_extraction

    found = bare_extraction(root, options=_options(precise=precise))
    body = getattr(found, "body", None)
    return "" if body is None else "".join(text_content(body).split())


def _letters(body: Element, text: str) -> tuple[Counter[Element], Counter[Element], int]:
    """How many characters, without white space, stand in each element, how many of them in `text` too, and how many
    of these in long lines."""
    whole, kept = Counter[Element](), Counter[Element]()
    at = said = 0
    for element, line in _lines(body):
        told = "".join(line.split())
        start, reach = (max(at - _FAR, 0), _FAR) if len(told) >= _LONG else (at, _NEAR)
        found = text.find(told, at, at + reach + len(told))
        found = text.find(told, start, at) if found < 0 else found
        whole[element] += len(told)
        if found >= 0:
            kept[element] += len(told)
            at = max(at, found + len(told))
            said += len(told) if len(told) >= _LONG else 0
    for element in reversed(list(body.iter())):
        if element is not body and (above := element.getparent()) is not None:
            whole[above] += whole[element]
            kept[above] += kept[element]
    return whole, kept, said


def _lines(element: Element) -> Iterator[tuple[Element, str]]:
    """The text of a page in the pieces that stand between two block elements, each with the one that it stands in."""
    line = [element.text or ""]
    for child in element:
        if is_inline(child) and not is_dropped(child):
            line += within_line(child)
        elif not is_dropped(child):
            yield element, "".join(line)
            line.clear()
            yield from _lines(child)
        line.append(child.tail or "")
    yield element, "".join(line)


def _prune(element: Element, whole: Counter[Element], kept: Counter[Element], data: tuple[str, ...]) -> None:
    """Remove what trafilatura keeps nothing of, unless it goes on with what it keeps, heads it, or is data."""
    blocks = [child for child in element if whole[child]]
    leaves = {child for child in blocks if _is_leaf(child)}
    is_text = kept[element] > sum(kept[child] for child in blocks if child not in leaves)
    for child, after in zip_longest(blocks, blocks[1:]):
        if _is_frame(child, whole[child]) or not (
            kept[child]
            or (is_text and child in leaves)
            or next(child.iter(*data), None) is not None
            or (after is not None and kept[after] and sum(map(length, child.iter(*_HEADINGS))) == length(child))
        ):
            remove(child)
        elif kept[child]:
            _prune(child, whole, kept, data)


def _is_frame(element: Element, size: int) -> bool:
    """Whether a part says that it leads elsewhere, or what is said on every page of a site."""
    if tag_of(element) in _LEAVES:
        return False
    if size <= _SHORT and _BOILERPLATE.match(collapsed(" ".join(map(str, element.itertext())))):
        return True
    while len(element) and not (element.text or "").strip():
        element = element[0]
        if tag_of(element) in _HEADINGS:
            return _ELSEWHERE.fullmatch(collapsed(text_content(element))) is not None
    return False


def _is_leaf(element: Element) -> bool:
    """Whether an element is, or only wraps, a paragraph, a list or the like."""
    if tag_of(element) not in {"div", "section"}:
        return tag_of(element) in _LEAVES
    blocks = [child for child in element if not (is_inline(child) or is_dropped(child))]
    return not blocks or (len(blocks) == 1 and not (element.text or "").strip() and _is_leaf(blocks[0]))
