"""Styles of a web page, as far as they decide whether a person sees a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fathom.reading.page import Element, tag_of

_COMMENT = re.compile(r"/\*[^*]*+(?:\*++[^/*][^*]*+)*+(?:\*+/)?")  # one that is not closed goes on to the end
_COMPOUND = re.compile(r"(?P<tag>[a-z][\w-]*|\*)?(?P<rest>(?:[.#](?:-?[_a-zA-Z][\w-]*))*)$", re.IGNORECASE)
_NUMBER = r"(-?\d*\.?\d+)"
_LENGTH = re.compile(_NUMBER + r"\s*(px|em|rem|pt|%|vw|vh|ch|cm|in)?")
_PIXELS = {
    "px": 1.0,
    "em": 16.0,
    "rem": 16.0,
    "pt": 1.33,
    "%": 0.16,
    "vw": 12.0,
    "vh": 8.0,
    "ch": 8.0,
    "cm": 38.0,
    "in": 96.0,
}
_CLIPPED = re.compile(
    r"rect\(\s*(?:[01](?:px)?[\s,]*+){4}\)|inset\(\s*(?:[5-9]\d|1\d\d)%|circle\(\s*0|polygon\(\s*(?:0(?:px|%)?[\s,]*+)+\)"
)
_MOVED = re.compile(r"translate[xy3d]*\([^)]{0,200}-\d{3,}(?:px|em|vw|vh|%)|scale[xy3d]*\(\s*0(?:\.0+)?\s*[,)]")
_FAR = -500.0
_SMALLEST_FONT = 2.0
_NAMED = {"white": "#ffffff", "black": "#000000"}
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]+%?))?\s*\)")

_SHEET = re.compile(r"<style\b([^<>]{0,400})>", re.IGNORECASE)
_SHEET_END = re.compile("</style", re.IGNORECASE)
_MEDIA = re.compile(r"media\s*=\s*[\"']?([^\"'>]*)", re.IGNORECASE)
_DECIDING = frozenset("display visibility opacity".split())
_HOLDS = re.compile(r"@(?:media\s+(?:only\s+)?(?:all|screen)|(?:layer|supports)\b.*)", re.DOTALL)
_LONGEST = 500_000
_MOST_RULES = 100
"""Rules for one class that are looked at: a page of a stranger may have tens of thousands."""

Style = Mapping[str, str]


def hides(style: Style) -> bool:
    """Whether these declarations alone make an element invisible."""
    get = style.get
    if get("display") == "none" or get("visibility") in {"hidden", "collapse"} or get("content-visibility") == "hidden":
        return True
    if _fraction(get("opacity", "1")) < 0.05 or "opacity(0)" in get("filter", "").replace("%", ""):
        return True
    if 0 <= _pixels(get("font-size"), 16.0) <= _SMALLEST_FONT or _pixels(get("text-indent"), 0.0) <= _FAR:
        return True
    if get("overflow", get("overflow-y", get("overflow-x", ""))).startswith(("hidden", "clip")) and any(
        0 <= _pixels(get(side), 100.0) <= 1.0 for side in ("height", "width", "max-height", "max-width")
    ):
        return True
    if get("position") in {"absolute", "fixed"} and any(
        _pixels(get(s), 0.0) <= _FAR for s in ("left", "top", "right", "bottom")
    ):
        return True
    if any(_pixels(get(side), 0.0) <= _FAR for side in ("margin-left", "margin-top", "margin-right")):
        return True
    if _CLIPPED.search(get("clip", "") + get("clip-path", "")) or _MOVED.search(get("transform", "")):
        return True
    return get("color", "") == "transparent"


def color_of(text: str) -> str:
    """A colour as six hexadecimal digits; empty when it is written in another way."""
    text = text.strip().lower()
    text = _NAMED.get(text, text)
    if match := _RGB.search(text):
        if match[4] and _fraction(match[4]) < 0.05:
            return "transparent"
        return "#" + "".join(f"{min(int(part), 255):02x}" for part in match.groups()[:3])
    if match := re.match(r"#([0-9a-f]{3}|[0-9a-f]{6})\b", text):
        digits = match[1]
        return "#" + ("".join(digit * 2 for digit in digits) if len(digits) == 3 else digits)
    return text if text == "transparent" else next((_NAMED[w] for w in text.split() if w in _NAMED), "")


def declarations(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in _COMMENT.sub("", text).split(";"):
        name, colon, value = part.partition(":")
        if colon:
            found[name.strip().lower()] = value.lower().replace("!important", "").strip()
    return found


def _fraction(text: str) -> float:
    match = re.match(_NUMBER + "(%?)", text.strip())
    return float(match[1]) / (100 if match[2] else 1) if match else 1.0


def _pixels(text: str | None, otherwise: float) -> float:
    match = _LENGTH.match(text.strip()) if text else None
    return float(match[1]) * _PIXELS.get(match[2] or "px", 1.0) if match else otherwise


@dataclass(frozen=True)
class _Rule:
    """One selector of a style sheet with its declarations."""

    parts: tuple[tuple[str, frozenset[str]], ...]
    """Its compounds, the last first: the tag, and the classes and the id with their marks."""
    style: Style

    @property
    def key(self) -> str:
        """A tag, class or id that every element has which the rule is for."""
        tag, marks = self.parts[0]
        return min(marks, default=tag)


class StyleSheet:
    """The rules in a page that hold wherever it is shown, as far as they are simple."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        """`texts` are the media and the text of each style sheet in the page."""
        rules: list[_Rule] = []
        for media, text in texts:
            if media.strip().lower() in {"", "all", "screen"} and len(text) < _LONGEST:
                rules += _parsed(_COMMENT.sub("", text))
        self.paints = any("background" in name for rule in rules for name in rule.style)
        """Whether a rule gives anything a background."""
        self._hiding: dict[str, list[tuple[int, _Rule]]] = {}
        self._showing: dict[str, list[tuple[int, _Rule]]] = {}
        for number, rule in enumerate(rules):
            hiding = hides(rule.style)
            if hiding or not rule.style.keys().isdisjoint(_DECIDING):
                held = (self._hiding if hiding else self._showing).setdefault(rule.key, [])
                if len(held) < _MOST_RULES:
                    held.append((number, rule))

    @classmethod
    def of_tree(cls, root: Element) -> StyleSheet:
        """The style sheets in a tree."""
        return cls((str(each.get("media", "")), "".join(map(str, each.itertext()))) for each in root.iter("style"))

    @classmethod
    def of_source(cls, source: str) -> StyleSheet:
        """The style sheets in the source of a page."""
        return cls((media[1] if (media := _MEDIA.search(head)) else "", text) for head, text in _sheets(source))

    def __bool__(self) -> bool:
        return bool(self._hiding)

    def hides(self, element: Element) -> bool:
        """Whether the last and most special of the rules for an element hides it."""
        return self.hides_names(_names(element), element) if self._hiding else False

    def hides_names(self, own: frozenset[str], element: Element | None = None) -> bool:
        """Whether an element of that tag and these classes is hidden; without `element`, whatever it stands in."""
        hidden = _rank(own, self._hiding, element)
        return hidden is not None and hidden > (_rank(own, self._showing, element) or (0, 0))


def _sheets(source: str) -> Iterator[tuple[str, str]]:
    at = 0
    while (opened := _SHEET.search(source, at)) and (closed := _SHEET_END.search(source, opened.end())):
        yield opened[1], source[opened.end() : closed.start()]
        at = closed.end()


def _rank(
    own: frozenset[str], rules: Mapping[str, list[tuple[int, _Rule]]], element: Element | None
) -> tuple[int, int] | None:
    """How special the most special rule for an element is, and its place; `None` when there is none."""
    found = [
        (sum(10 * len(marks) + (name != "*") for name, marks in rule.parts), number)
        for key in own
        for number, rule in rules.get(key, ())
        if _matches(element, own, rule)
    ]
    return max(found, default=None)


def _names(element: Element) -> frozenset[str]:
    """The tag, the classes and the id of an element, as selectors write them."""
    return names_of(tag_of(element), str(element.get("class", "")), str(element.get("id", "")))


def names_of(tag: str, classes: str, id: str) -> frozenset[str]:
    """A tag, the classes and an id, as selectors write them."""
    return frozenset((tag, f"#{id}", *(f".{each}" for each in classes.split())))


def _parsed(text: str) -> Iterator[_Rule]:
    at = 0
    while (opened := text.find("{", at)) >= 0:
        head = text[at:opened].replace("}", ";").rpartition(";")[2].strip()
        if _HOLDS.fullmatch(head):  # its rules are like others
            at = opened + 1
            continue
        closed = _closing(text, opened)
        style = declarations(text[opened + 1 : closed])
        at = closed + 1
        if head.startswith("@"):
            continue
        for selector in head.split(","):
            parts = [_COMPOUND.match(part) for part in reversed(selector.replace(">", " ").split())]
            if parts and all(parts):
                found = tuple((m["tag"] or "*", frozenset(re.findall(r"[.#][\w-]+", m["rest"]))) for m in parts if m)
                yield _Rule(tuple((tag.lower(), marks) for tag, marks in found), style)


def _closing(text: str, opened: int) -> int:
    """Where the brace at `opened` is closed."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, opened):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    return len(text)


def _matches(element: Element | None, own: frozenset[str], rule: _Rule) -> bool:
    if not _fits(own, rule.parts[0]) or (element is None and len(rule.parts) > 1):
        return False
    ancestor = None if element is None else element.getparent()
    for part in rule.parts[1:]:
        while ancestor is not None and not _fits(_names(ancestor), part):
            ancestor = ancestor.getparent()
        if ancestor is None:
            return False
        ancestor = ancestor.getparent()
    return True


def _fits(own: frozenset[str], part: tuple[str, frozenset[str]]) -> bool:
    tag, marks = part
    return (tag == "*" or tag in own) and marks <= own
