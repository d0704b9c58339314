"""What of a web page a person cannot see: text hidden by markup, by style or by the characters themselves."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from fathom.reading.page import Attributes, Element, tag_of, text_content
from fathom.reading.styles import Style, StyleSheet, color_of, declarations, hides, strikes
from fathom.text.characters import CJK, HAN

_MARKS = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff]"
    # one chooses the shape of an ideograph or a symbol: several, or one behind another letter, are a message
    f"|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{{2,}}|(?<![{HAN}])[\U000e0100-\U000e01ef]"
    f"|(?<![{HAN}\u2190-\u2bff\u3000-\u33ff\uff00-\uffef\U0001f000-\U0001faff])[\ufe00-\ufe0d]|(?<=[^\\W\\d_])[\ufe0e\ufe0f]"
)
_LETTER = f"[^\x00-\u02ff\u2000-\u206f{CJK}]"
_JOINERS = re.compile(
    f"[\u200c\u200d]{{2,}}|[\u200c\u200d](?!{_LETTER})|(?<!{_LETTER})[\u200c\u200d]"
)  # some scripts need one
_UNCLOSED = (
    "html|head|body|p|li|dt|dd|option|optgroup|tr|td|th|tbody|thead|tfoot|colgroup|caption|script|style|title|textarea|area|base|br"
    "|col|embed|hr|img|input|link|meta|param|source|track|wbr"
)
_ATTRIBUTES = r"""(?:[^<>"']{1,400}+|"[^"]{0,4000}+"|'[^']{0,4000}+'){0,60}+"""  # what was read is not tried again
_OPENED = re.compile(rf"<(?!(?:{_UNCLOSED})[\s/>])([a-z][\w-]*)((?:\s{_ATTRIBUTES})?)>", re.IGNORECASE)
_EMPTY = "area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
_OPENED_ANYWHERE = re.compile(_OPENED.pattern.replace(_UNCLOSED, _EMPTY), re.IGNORECASE)
_MOST_HIDDEN = 1_000
_OVERLONG = re.compile(r"<([a-zA-Z][\w-]*)\s[^<>]{20000,}>")  # looking at many attributes takes time with their square
_FARTHEST = 100_000
_ATTRIBUTE = re.compile(r"""([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?""")
_CONTROLS = re.compile(r"""aria-controls\s*=\s*["']?([\w:-]+)""", re.IGNORECASE)
_STRUCK = "struck text left out"
_NEVER_SHOWN = frozenset({"template", "noscript"})
_UNPRINTED = frozenset("template noscript script datalist".split())


def without_marks(text: str) -> str:
    """`text` without the characters that show nothing: of no width, turning the direction, tags, soft hyphens.

    >>> without_marks("in\\u00advis\\u200bible\\u202e\\U000e0041")
    'invisible'
    """
    return text if text.isascii() else _JOINERS.sub("", _MARKS.sub("", text))


def visible(text: str) -> str:
    """The text of a file without the characters that show nothing; a mark of byte order at its beginning stays."""
    return text[:1] + without_marks(text[1:]) if text.startswith("\ufeff") else without_marks(text)


def without_hidden_parts(source: str, *, fading: bool = True) -> str:
    """The source of a page without the elements that their own attributes hide; those that fade in, too, if `fading`.

    A parser of HTML 4 ends a heading where a paragraph begins, a list where a form begins, and so on; a browser does
    not. What is hidden has to go before such a parser lets a part of it fall out of its element.
    """
    source = _OVERLONG.sub(r"<\1>", source)
    pieces: list[str] = []
    at = 0
    for match, end in _hidden_parts(source, _OPENED, fading=fading):
        if end:
            pieces.append(source[at : match.start()])
            if match[1].lower() == "noscript":
                pieces.append(f"<noscript>{html.escape(source[match.end() : end[0]])}</noscript>")
            at = end[1]
    return "".join((*pieces, source[at:])) if pieces else source


def hidden_spans(source: str) -> list[tuple[int, int]]:
    """Where in a text that may hold elements of HTML its comments and its hidden elements stand."""
    found: list[tuple[int, int]] = []
    at = 0
    while (start := source.find("<!--", at)) >= 0:
        at = source.find("-->", start) + 3
        found.append((start, at if at > 2 else len(source)))
        if at <= 2:
            break
    return found + [
        (match.start(), end[1] if end else len(source)) for match, end in _hidden_parts(source, _OPENED_ANYWHERE)
    ]


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """`text` without these stretches of it, which may overlap."""
    pieces: list[str] = []
    at = 0
    for start, end in sorted(spans):
        pieces.append(text[at : max(at, start)])
        at = max(at, end)
    return "".join((*pieces, text[at:]))


def _hidden_parts(
    source: str, opened: re.Pattern[str], *, fading: bool = True
) -> Iterator[tuple[re.Match[str], tuple[int, int] | None]]:
    """The start tags of the outermost hidden elements, with the place of the end tag of each that has one."""
    sheet, controlled = StyleSheet.of_source(source), set(_CONTROLS.findall(source))
    at = looked = 0
    for match in opened.finditer(source):
        tag, given = match[1].lower(), attributes_in(match[2])
        if match.start() < at or (tag not in _NEVER_SHOWN and (not given or given.get("id") in controlled)):
            continue  # what a control opens, the tree will tell
        if tag in _NEVER_SHOWN or _is_marked(given) or hides(sheet.style(tag, given), fading=fading):
            looked += 1
            if looked > _MOST_HIDDEN:
                break
            end = _end_of(source, tag, match.end())
            at = end[1] if end else at
            yield match, end


def attributes_in(text: str) -> dict[str, str]:
    """The attributes in a start tag."""
    return {m[1].lower(): html.unescape(m[2] or m[3] or m[4] or "") for m in _ATTRIBUTE.finditer(text)}


def _is_marked(attributes: Attributes) -> bool:
    """Whether an attribute says that an element does not show, nor is found by who looks for it."""
    is_hidden = attributes.get("hidden", "until-found").lower() != "until-found"
    return is_hidden or attributes.get("aria-hidden") == "true" or "popover" in attributes


def _end_of(source: str, tag: str, start: int) -> tuple[int, int] | None:
    """Where the end tag stands that belongs to the start tag before `start`."""
    depth = 1
    for match in re.compile(rf"<(/?){tag}\b[^<>]*>", re.IGNORECASE).finditer(source, start, start + _FARTHEST):
        depth += -1 if match[1] else 1
        if depth == 0:
            return match.span()
    return None


def remove_invisible(root: Element, *, fading: bool = True) -> None:
    """Remove from a tree every element that a person does not see when the page is shown.

    Attributes, inline styles and the style sheets in the page say so; rules for print or for some widths only
    do not count. Text that shows on demand, as in `details`, stays; so does, without `fading`, what has its place and
    waits for a script to let it appear. What a style strikes through becomes `del`.
    """
    sheet = StyleSheet.of_tree(root)
    white = not sheet.paints and root.find(".//link[@rel='stylesheet']") is None
    gone = set[Element]()
    for element in list(root.iter()):
        tag = tag_of(element)
        if element in gone or tag in {"html", "body", "head"} or element.getparent() is None:
            continue
        style = sheet.style(tag, element.attrib, element) if tag and tag not in _UNPRINTED else {}
        if not tag or tag in _UNPRINTED or _is_hidden(element, tag, style, white=white, fading=fading):
            gone.update(element.iter())
            remove(element)
        elif strikes(style):
            element.tag = "del"


def remove_struck(root: Element) -> int:
    """Remove from a tree what is struck through; returns in how many places it was."""
    struck = [each for each in root.iter("del", "s", "strike") if text_content(each).strip()]
    outermost = [each for each in struck if next(each.iterancestors("del", "s", "strike"), None) is None]
    for each in outermost:
        remove(each)
    return len(outermost)


def struck_note(places: int) -> tuple[tuple[str, str], ...]:
    """What a document says of text that was struck through in that many places."""
    return ((_STRUCK, f"{places} place{'s' * (places > 1)}"),) if places else ()


def all_struck(left_out: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """What is left out of the parts of a document, with what was struck through in them as one note."""
    notes = list(left_out)
    places = sum(int(reason.split()[0]) for name, reason in notes if name == _STRUCK)
    return [*(note for note in notes if note[0] != _STRUCK), *struck_note(places)]


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


def _is_hidden(element: Element, tag: str, style: Style, *, white: bool, fading: bool) -> bool:
    attributes = element.attrib
    if _is_marked(attributes) or (tag == "dialog" and "open" not in attributes) or hides(style, fading=fading):
        return True
    own = declarations(attributes.get("style", ""))
    color = own.get("color") or (tag == "font" and attributes.get("color"))
    return bool(color) and _is_background(str(color), element, own, white=white)


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
