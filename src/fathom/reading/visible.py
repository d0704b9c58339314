"""What of a web page a person cannot see: text hidden by markup, by style or by the characters themselves."""

from __future__ import annotations

import re

from fathom.reading.page import Element, tag_of
from fathom.reading.styles import Style, StyleSheet, color_of, declarations, hides

_MARKS = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff]"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"  # one chooses the shape of a letter, several are a message
)
_LETTER = "[^\x00-\u02ff\u2000-\u206f]"
_JOINERS = re.compile(
    f"[\u200c\u200d]{{2,}}|[\u200c\u200d](?!{_LETTER})|(?<!{_LETTER})[\u200c\u200d]"
)  # some scripts need one
_UNPRINTED = frozenset("template noscript script datalist".split())


def without_marks(text: str) -> str:
    """`text` without the characters that show nothing: of no width, turning the direction, tags, soft hyphens.

    >>> without_marks("in\\u00advis\\u200bible\\u202e\\U000e0041")
    'invisible'
    """
    return text if text.isascii() else _JOINERS.sub("", _MARKS.sub("", text))


def remove_invisible(root: Element) -> None:
    """Remove from a tree every element that a person does not see when the page is shown.

    That is told by attributes, inline styles and the simple rules of the style sheets in the page; rules for print or
    for some widths only do not count. Text that shows on demand, as in `details`, stays.
    """
    sheet = StyleSheet(root)
    white = not sheet.paints and root.find(".//link[@rel='stylesheet']") is None
    for element in list(root.iter()):
        tag = tag_of(element)
        if tag in {"html", "body", "head"} or element.getparent() is None:
            continue
        if not tag or tag in _UNPRINTED or _is_hidden(element, tag, sheet, white=white):
            remove(element)


def remove(element: Element) -> None:
    """Take an element out of its tree; the text behind it stays."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
        element.tail = None
    parent.remove(element)


def _is_hidden(element: Element, tag: str, sheet: StyleSheet, *, white: bool) -> bool:
    attributes = element.attrib
    if not attributes:
        return tag == "dialog" or sheet.hides(element)
    if "hidden" in attributes or attributes.get("aria-hidden") == "true" or "popover" in attributes:
        return True
    if tag == "dialog" and "open" not in attributes:
        return True
    if "style" in attributes:
        style = declarations(str(attributes["style"]))
        if hides(style) or ("color" in style and _is_background(style["color"], element, style, white=white)):
            return True
        if style.get("display", "none") != "none":
            return False
    if tag == "font" and "color" in attributes:
        return _is_background(str(attributes["color"]), element, {}, white=white)
    return sheet.hides(element)


def _is_background(color: str, element: Element, style: Style, *, white: bool) -> bool:
    """Whether text has the colour of what it stands on, as far as the page itself says that."""
    known = color_of(color)
    if known == "transparent":
        return True
    background = style.get("background-color") or style.get("background", "")
    ancestor: Element | None = element
    while not background and ancestor is not None:
        own = declarations(str(ancestor.get("style", "")))
        background = own.get("background-color") or own.get("background", "") or str(ancestor.get("bgcolor", ""))
        ancestor = ancestor.getparent()
    return bool(known) and known == (color_of(background) if background else "#ffffff" if white else "")
