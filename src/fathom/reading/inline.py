"""The text of an element of a web page, exactly as it stands there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fathom.reading.page import Element, is_dropped, tag_of
from fathom.reading.visible import without_marks
from fathom.text.characters import CJK

_SPACE = re.compile(r"\s+")
EXPONENT = re.compile(r"[-−+]?\d{1,4}(?:[,–-]\d{1,4}){0,9}|[a-z]")
"""What is read with `^` before it when it is raised."""
_WIDE = f"{CJK}\u3001-\u303f\uff00-\uff65"
_WIDE_BREAK = re.compile(rf"(?<=[{_WIDE}])[ \t]*[\r\n]\s*(?=[{_WIDE}])")
_BLOCK_TAGS = frozenset(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table tbody td "
    "tfoot th thead tr ul caption".split()
)


def is_inline(element: Element) -> bool:
    """Whether an element stands in a line of text, and all that it holds does."""
    if tag_of(element) in _BLOCK_TAGS:
        return False
    return all(is_inline(child) or is_dropped(child) for child in element)


def is_rubric(element: Element) -> bool:
    """Whether a paragraph is a heading in all but name: short, bold throughout, and no sentence."""
    if (element.text or "").strip() or len(element) != 1 or (element[0].tail or "").strip():
        return "rubric" in (element.get("class") or "").split()
    if tag_of(element[0]) not in {"strong", "b"}:
        return False
    text = text_in(element)
    return 0 < len(text) <= 60 and text[-1] not in ".:;,!?。：！？"


_ENTRY = 80
"""Characters of the longest entry that is a heading as a whole."""


def entry_of(element: Element) -> str:
    """What a division names that is explained below it: bold at its beginning, and no sentence; all of a short one.

    Nothing when it is none.
    """
    bold, text = element[0] if len(element) and not (element.text or "").strip() else None, text_in(element)
    if bold is None or tag_of(bold) not in {"strong", "b"} or text_in(bold).endswith((":", "：")):
        return ""
    if not text or (text[-1] in ".:;,!?。：！？" and not text.endswith("...")):
        return ""
    return text if len(text) <= _ENTRY else text_in(bold)[:_ENTRY]


def inline(element: Element) -> Iterator[str]:
    """The text in an element exactly as it stands in the page; block elements inside are set off by a space."""
    yield element.text or ""
    for child in element:
        if not is_dropped(child):
            yield from within_line(child)
        yield child.tail or ""


def within_line(element: Element) -> Iterator[str]:
    """The text of an element that stands in a line."""
    tag = tag_of(element)
    apart = tag == "br" or tag in _BLOCK_TAGS
    inner: Iterable[str] = inline(element) if len(element) else (element.text or "",)
    if apart:
        yield "\n"
    elif tag == "sup":
        inner = list(inner)  # once, for one may stand in another
        if EXPONENT.fullmatch("".join(inner)):
            yield "^"  # 2³² would otherwise read 232
    yield from inner
    if apart:
        yield "\n"


def collapsed(text: str) -> str:
    """What `text` shows, each run of white space as one space, and none where a line of Chinese or Japanese goes on."""
    if not text.isascii():
        text = _WIDE_BREAK.sub("", without_marks(text))
    return _SPACE.sub(" ", text).strip()


def preformatted(element: Element) -> str:
    """Text of `pre`, its lines kept, blank lines around it dropped."""
    dropped = any(map(is_dropped, element.iterdescendants()))
    text = "".join(inline(element) if dropped else map(str, element.itertext()))
    lines = [line.rstrip() for line in without_marks(text).expandtabs().splitlines()]
    first = next((at for at, line in enumerate(lines) if line), len(lines))
    return "\n".join(lines[first:]).rstrip()


def text_in(element: Element) -> str:
    """The text of an element on one line."""
    return collapsed("".join(inline(element)))
