"""Styles of a web page, as far as they decide whether a person sees a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple, TypeAlias

from fathom.reading.page import Attributes, Element, tag_of

_COMMENT = re.compile(r"/\*[^*]*+(?:\*++[^/*][^*]*+)*+(?:\*+/)?")  # one that is not closed goes on to the end
_STRING = re.compile(r""""[^"\n]*+"|'[^'\n]*+'""")
_SIGN = re.compile("[{};]")
_SELECTOR = re.compile(r"(?:[^,(\[]|\([^()]{0,300}\)|\[[^\]]{0,300}\])++")
_STEP = re.compile(
    r"(?P<joint>\s++(?:[>+~]\s*+)?|[>+~]\s*+)|(?P<name>[.#]?(?:[\w-]|[^\x00-\x7f\w]|\\.)++)|\*|:(?P<list>not|is|where)\((?P<inner>[^()]+)\)"
    r"|\[\s*+(?P<attribute>[\w:-]++)\s*+(?P<how>[~|^$*]?=|(?=\]))\s*+[\"']?(?P<value>[^\"'\]]*+)[\"']?(?:\s++[is])?\s*+\]"
)
_HOW = dict(
    zip(" = ~= |= ^= $= *=".split(" "), r" {}\Z (?:.*\s)?{}(?!\S) {}(?:-|\Z) {} .*{}\Z .*{}".split(" "), strict=True)
)
_SPECIAL = ((10_000, re.compile("#")), (100, re.compile(r"[.\[]")), (1, re.compile(r"(?<![\w.#:\[\"'=-])[a-zA-Z]")))
_MOST_STEPS, _MOST_SELECTORS, _MOST_TRIES = 12, 20_000, 2_000_000
_NUMBER = r"(-?\d*\.?\d+)"
_LENGTH = re.compile(_NUMBER + r"\s*(px|em|rem|pt|%|vw|vh|ch|cm|in)?")
_PIXELS = dict(zip("px em rem pt % vw vh ch cm in".split(), (1.0, 16, 16, 1.33, 0.16, 12, 8, 8, 38, 96), strict=True))
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
_FADING = frozenset("visibility opacity filter".split())
"""Properties by which a text fades in."""
_DECIDING = _FADING | frozenset(
    "display content-visibility font-size text-indent overflow overflow-x overflow-y height width max-height max-width "
    "position left top right bottom margin-left margin-top margin-right clip clip-path transform color animation "
    "animation-name background-clip -webkit-background-clip text-decoration text-decoration-line".split()
)
_LAST_FRAME = re.compile(r"(?:\bto|100%)\s*\{([^{}]*)\}")
_INNER = re.compile(r"(?:^|(?<=[;{}]))[^;{}]*+\{[^{}]*+\}")
_MEDIUM = re.compile(r"(?P<no>not\s++)?(?:only\s++)?(?P<type>[a-z]++)?\s*+(?:and\s*+)?(?P<features>\(.*)?", re.DOTALL)
_NARROW = re.compile(r"(?:max-(?:device-)?width\s*:|[( ]width\s*<=?)\s*([\d.]+)(px|r?em)")
_DESKTOP = 1_000
"""Pixels of the narrowest window on a desktop."""
_LONGEST = 500_000
_MOST_RULES = 100
"""Rules for one class that are looked at: a page of a stranger may have tens of thousands."""

Style = Mapping[str, str]


def hides(style: Style, *, fading: bool = True) -> bool:
    """Whether these declarations make an element invisible; without `fading`, in another way than by fading in."""
    if _DECIDING.isdisjoint(style):
        return False
    if not fading:
        style = {name: value for name, value in style.items() if name not in _FADING}
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
    clipped, moved = get("clip", "") + get("clip-path", ""), get("transform", "")
    if (clipped and _CLIPPED.search(clipped)) or (moved and _MOVED.search(moved)):
        return True
    clip = get("background-clip", get("-webkit-background-clip", ""))  # through the letters, the background shows
    return get("color", "") == "transparent" and clip != "text"


def strikes(style: Style) -> bool:
    """Whether these declarations strike a text through."""
    return "line-through" in style.get("text-decoration", "") + style.get("text-decoration-line", "")


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


def declarations(text: str, *, important: bool | None = None) -> dict[str, str]:
    """The declarations in a text; only those that are `important`, or are not, if that is given."""
    found: dict[str, str] = {}
    for part in _COMMENT.sub("", text).split(";"):
        name, colon, value = part.partition(":")
        value, mark, _ = value.lower().partition("!")
        if colon and important in (None, bool(mark)):
            found[name.strip().lower()] = value.strip()
    return found


def _fraction(text: str) -> float:
    match = re.match(_NUMBER + "(%?)", text.strip())
    return float(match[1]) / (100 if match[2] else 1) if match else 1.0


def _pixels(text: str | None, otherwise: float) -> float:
    match = _LENGTH.match(text.strip()) if text else None
    return float(match[1]) * _PIXELS.get(match[2] or "px", 1.0) if match else otherwise


class _Compound(NamedTuple):
    """What a selector asks of one element."""

    names: frozenset[str]
    """Its tag, classes and id, with their marks."""
    attributes: tuple[tuple[str, re.Pattern[str]], ...]
    lists: tuple[tuple[bool, tuple[_Compound, ...]], ...]
    """Compounds of which one fits, or (`False`) none."""


_Steps: TypeAlias = tuple[tuple[str, _Compound], ...]


@dataclass(frozen=True)
class _Rule:
    """One selector of a style sheet with its declarations."""

    steps: _Steps
    """Its compounds, the last first, each with what joins it to the one before it."""
    above: frozenset[str]
    """Names that elements around one have to have."""
    rank: tuple[int, int]
    """How special it is, and its place."""
    style: Style
    important: Style
    hides: bool


class StyleSheet:
    """The rules in a page that decide what a person sees.

    Of those for some widths or wishes, what shows something on a desktop counts, and what hides something does not.
    """

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        """`texts` are the media and the text of each style sheet in the page."""
        self._rules: dict[str, list[_Rule]] = {}
        self.paints = False
        """Whether a rule gives anything a background."""
        self._appearing = set[str]()
        """Animations at whose end a text shows."""
        self._tries = _MOST_TRIES
        self._parent: Element | None = None
        self._above = frozenset[str]()
        for number, (media, text) in enumerate(texts):
            if (at_times := _medium(media)) is not None and len(text) < _LONGEST:
                self._add(_compiled(text, at_times), number * _LONGEST)

    def _add(self, sheet: _Compiled, start: int) -> None:
        self.paints = self.paints or sheet.paints
        self._appearing |= sheet.appearing
        for rule in sheet.rules:
            known = self._rules.setdefault(min(rule.steps[0][1].names, default="*"), [])
            if len(known) < _MOST_RULES:
                known.append(replace(rule, rank=(rule.rank[0], start + rule.rank[1])))

    @classmethod
    def of_tree(cls, root: Element) -> StyleSheet:
        """The style sheets in a tree."""
        return cls((str(each.get("media", "")), "".join(map(str, each.itertext()))) for each in root.iter("style"))

    @classmethod
    def of_source(cls, source: str) -> StyleSheet:
        """The style sheets in the source of a page."""
        return cls((media[1] if (media := _MEDIA.search(head)) else "", text) for head, text in _sheets(source))

    def __bool__(self) -> bool:
        return bool(self._rules)

    def style(self, tag: str, attributes: Attributes, element: Element | None = None) -> Style:
        """The declarations that hold for an element, its own included; without `element`, whatever is around it."""
        own = attributes.get("style", "")
        if not own and not self._rules:
            return {}
        names = _names(tag, attributes)
        fitting = (rule for key in (*names, "*") for rule in self._rules.get(key, ()))
        rules = [
            each for each in fitting if _fits(each.steps[0][1], names, attributes) and self._is_placed(element, each)
        ]
        if not own and not rules:
            return {}
        rules.sort(key=lambda rule: rule.rank)
        style: dict[str, str] = {}
        for rule in rules:
            style.update(rule.style)
        style.update(declarations(own, important=False) if own else {})
        for rule in rules:
            style.update(rule.important)
        style.update(declarations(own, important=True) if own else {})
        if not self._appearing or self._appearing.isdisjoint(
            re.split(r"[\s,]+", f"{style.get('animation')} {style.get('animation-name')}")
        ):
            return style
        return {name: value for name, value in style.items() if name not in _FADING}

    def _is_placed(self, element: Element | None, rule: _Rule) -> bool:
        """Whether an element is where a rule wants it; if that is not known, it may, unless the rule hides it."""
        if element is None and len(rule.steps) > 1:
            return not rule.hides
        if element is None or len(rule.steps) == 1:
            return True
        if (parent := element.getparent()) is not self._parent:
            names = (_names(tag_of(each), each.attrib) for each in element.iterancestors())
            self._parent, self._above = parent, frozenset().union(*names)
        return rule.above <= self._above and self._reaches(element, rule.steps, 0, set())

    def _reaches(self, element: Element, steps: _Steps, at: int, failed: set[tuple[Element, int]]) -> bool:
        """Whether the steps before one that an element fits are found where they have to be."""
        joint = steps[at][0]
        if not joint:
            return True
        others = element.iterancestors() if joint in " >" else element.itersiblings(preceding=True)
        for other in islice(others, 1 if joint in ">+" else None):
            self._tries -= 1
            if (other, at) in failed or self._tries < 0:
                return False  # as is what comes behind it
            fits = _fits(steps[at + 1][1], _names(tag_of(other), other.attrib), other.attrib)
            if fits and self._reaches(other, steps, at + 1, failed):
                return True
            failed.add((other, at))
        return False


class _Compiled(NamedTuple):
    """A style sheet, its rules in order."""

    rules: list[_Rule]
    paints: bool
    appearing: set[str]


@lru_cache(maxsize=16)
def _compiled(text: str, at_times: bool) -> _Compiled:
    """The rules in the text of a style sheet, which is looked at in the source of a page and in its tree."""
    plain = _STRING.sub(lambda found: '""' if _SIGN.search(found[0]) else found[0], _COMMENT.sub("", text))
    rules, paints, appearing = list[_Rule](), False, set[str]()
    for number, (selector, style, important) in enumerate(islice(_parsed(plain, at_times=at_times), _MOST_SELECTORS)):
        paints = paints or any("background" in name for name in style | important)
        if selector.startswith("@"):
            if not _FADING.isdisjoint(style) and not hides(style):
                appearing.add(selector.split()[-1].lower())
        elif not _DECIDING.isdisjoint(style | important) and (steps := _steps(selector)):
            special = sum(weight * len(sign.findall(selector)) for weight, sign in _SPECIAL)
            above = (each.names for (joint, _), (_, each) in pairwise(steps) if joint in " >")
            hidden = hides({**style, **important})
            rules.append(_Rule(steps, frozenset().union(*above), (special, number), style, important, hidden))
    return _Compiled(rules, paints, appearing)


def _sheets(source: str) -> Iterator[tuple[str, str]]:
    at = 0
    while (opened := _SHEET.search(source, at)) and (closed := _SHEET_END.search(source, opened.end())):
        yield opened[1], source[opened.end() : closed.start()]
        at = closed.end()


def _parsed(text: str, *, at_times: bool) -> Iterator[tuple[str, dict[str, str], dict[str, str]]]:
    """Selectors with their declarations and their important ones, without what hides something `at_times`; animations
    with those of their last frame."""
    at, around = 0, [at_times]
    while match := _SIGN.search(text, at):
        head, at = text[at : match.start()].strip(), match.end()
        if match[0] == "}":
            around[1:] = around[1:-1]
        elif match[0] == "{" and head.startswith("@") and (condition := _condition(head.lower())) is not None:
            around.append(condition)
        elif match[0] == "{":
            at = _closing(text, match.start()) + 1
            if "keyframes" in head and (last := _LAST_FRAME.search(text, match.end(), at)):
                yield head, declarations(last[1]), {}
            body = _INNER.sub("", text[match.end() : at - 1])
            style, important = (declarations(body, important=each) for each in (False, True))
            if not (head.startswith("@") or "{" in body or (any(around) and hides(style | important))):
                yield from ((selector.strip(), style, important) for selector in _SELECTOR.findall(head))


def _condition(head: str) -> bool | None:
    """Whether what is in a rule like `@media` holds only at times; `None` when it never does, or is of another kind."""
    name = re.split(r"[\s(]", head, maxsplit=1)[0]
    if name == "@supports":
        return None if re.search(r"\bnot\b|-ms-|-moz-", head) else False
    return _medium(head.removeprefix(name)) if name == "@media" else {"@layer": False, "@container": True}.get(name)


def _medium(queries: str) -> bool | None:
    """The same of media queries."""
    partial: list[bool] = []
    for query in queries.lower().split(","):
        narrow = [float(width) * (1 if unit == "px" else 16) for width, unit in _NARROW.findall(query)]
        if (match := _MEDIUM.fullmatch(query.strip())) and min(narrow, default=_DESKTOP) >= _DESKTOP:
            partial += [bool(match["features"])] * ((match["type"] in {None, "all", "screen"}) is not bool(match["no"]))
    return min(partial, default=None)


def _closing(text: str, opened: int) -> int:
    """Where the brace at `opened` is closed."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, opened):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    return len(text)


def _steps(selector: str) -> _Steps:
    """The steps of a selector, the last first; none when it is about a state, a part or the number of an element."""
    steps: list[tuple[str, _Compound]] = []
    joint, at = "", 0
    while at < len(selector) and len(steps) < _MOST_STEPS:
        names, attributes = set[str](), list[tuple[str, re.Pattern[str]]]()
        lists = list[tuple[bool, tuple[_Compound, ...]]]()
        while (match := _STEP.match(selector, at)) and not match["joint"]:
            at = match.end()
            if match["name"]:
                name = re.sub(r"\\(.)", r"\1", match["name"])
                names.add(name if name[0] in ".#" else name.lower())
            elif match["attribute"]:
                sign = _HOW[match["how"]].format(re.escape(match["value"]))
                attributes.append((match["attribute"].lower(), re.compile(sign, re.DOTALL)))
            elif match["list"]:
                inner = [_steps(each.strip()) for each in match["inner"].split(",")]
                if {len(each) for each in inner} != {1}:
                    return ()
                lists.append((match["list"] != "not", tuple(each[0][1] for each in inner)))
        steps.append((joint, _Compound(frozenset(names), tuple(attributes), tuple(lists))))
        if match:
            joint, at = match["joint"].strip() or " ", match.end()
        elif at < len(selector):
            return ()
    return tuple(reversed(steps)) if at == len(selector) else ()


def _names(tag: str, attributes: Attributes) -> frozenset[str]:
    """The tag, the classes and the id of an element, as selectors write them."""
    classes = (f".{each}" for each in attributes.get("class", "").split())
    return frozenset((tag, f"#{attributes.get('id', '')}", *classes))


def _fits(compound: _Compound, names: frozenset[str], attributes: Attributes) -> bool:
    return (
        compound.names <= names
        and all(name in attributes and sign.match(str(attributes[name])) for name, sign in compound.attributes)
        and all(any(_fits(each, names, attributes) for each in inner) is wanted for wanted, inner in compound.lists)
    )
