"""Styles of a web page, as far as they decide whether a person sees a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from fathom.reading.page import Attributes, Element, tag_of, text_content

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
_LAST_FRAME = re.compile(r"(?:\bto|100%)\s*\{([^{}]*)\}")
_INNER = re.compile(r"(?:^|(?<=[;{}]))[^;{}]*+\{[^{}]*+\}")
_MEDIUM = re.compile(r"(?P<no>not\s++)?(?:only\s++)?(?P<type>[a-z]++)?\s*+(?:and\s*+)?(?P<features>\(.*)?", re.DOTALL)
_NARROW = re.compile(r"(?:max-(?:device-)?width\s*:|[( ]width\s*<=?)\s*([\d.]+)(px|r?em)")
_DESKTOP = 1_000
"""Pixels of the narrowest window on a desktop."""
_LONGEST = 500_000
_MOST_RULES = 100
"""Rules for one class that are looked at: a page of a stranger may have tens of thousands."""

Style: TypeAlias = dict[str, str]
"""Properties that decide whether a text is seen: each with its value if that may hide or strike it, else with none."""


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
    """The declarations in a text."""
    return {name: value for name, value, _ in _declared(text)}


def _declared(text: str) -> Iterator[tuple[str, str, str]]:
    """The names and values in a text, with a mark behind those that are important."""
    for part in (_COMMENT.sub("", text) if "/*" in text else text).split(";"):
        name, colon, value = part.partition(":")
        if colon:
            value, mark, _ = value.lower().partition("!")
            yield name.strip().lower(), value.strip(), mark


def _fraction(text: str) -> float:
    match = re.match(_NUMBER + "(%?)", text.strip())
    return float(match[1]) / (100 if match[2] else 1) if match else 1.0


def _pixels(text: str, otherwise: float = 0.0) -> float:
    match = _LENGTH.match(text.strip())
    return float(match[1]) * _PIXELS.get(match[2] or "px", 1.0) if match else otherwise


_FADING = frozenset("visibility opacity filter".split())
"""Properties by which a text fades in."""
_AWAY = frozenset("text-indent margin-left margin-top margin-right".split())
_ALONE = _FADING | _AWAY | frozenset("display content-visibility font-size clip clip-path transform".split())
"""Properties that hide a text without another."""
_SIDES, _SIZES = frozenset("left top right bottom".split()), frozenset("height width max-height max-width".split())
_CUT, _SEEN_THROUGH = ("overflow", "overflow-y", "overflow-x"), ("background-clip", "-webkit-background-clip")
_DECIDING: dict[str, Callable[[str], object]] = {
    "visibility": {"hidden", "collapse"}.__contains__,
    "opacity": lambda value: _fraction(value) < 0.05,
    "filter": lambda value: "opacity(0)" in value.replace("%", ""),
    "display": "none".__eq__,
    "content-visibility": "hidden".__eq__,
    "font-size": lambda value: 0 <= _pixels(value, 16.0) <= _SMALLEST_FONT,
    **dict.fromkeys(("clip", "clip-path"), _CLIPPED.search),
    "transform": _MOVED.search,
    **dict.fromkeys(_AWAY | _SIDES, lambda value: _pixels(value) <= _FAR),
    **dict.fromkeys(_SIZES, lambda value: 0 <= _pixels(value, 100.0) <= 1.0),
    **dict.fromkeys(_CUT, lambda value: value.startswith(("hidden", "clip"))),
    **dict.fromkeys(_SEEN_THROUGH, "text".__eq__),  # through the letters, the background shows
    "position": {"absolute", "fixed"}.__contains__,
    "color": "transparent".__eq__,
    **dict.fromkeys(("text-decoration", "text-decoration-line"), lambda value: "line-through" in value),
    **dict.fromkeys(("animation", "animation-name"), bool),
}
"""Properties that decide whether a text is seen, each with what tells of a value that it may hide or strike it."""


def hides(style: Style, *, fading: bool = True) -> bool:
    """Whether these declarations make an element invisible; without `fading`, in another way than by fading in."""
    telling = {name for name, value in style.items() if value and (fading or name not in _FADING)}
    return bool(telling) and (
        not telling.isdisjoint(_ALONE)
        or ("position" in telling and not telling.isdisjoint(_SIDES))
        or (not telling.isdisjoint(_SIZES) and bool(_first(style, _CUT)))
        or ("color" in telling and not _first(style, _SEEN_THROUGH))
    )


def strikes(style: Style) -> bool:
    """Whether these declarations strike a text through."""
    return bool(style.get("text-decoration") or style.get("text-decoration-line"))


def _first(style: Style, names: Iterable[str]) -> str:
    return next((style[name] for name in names if name in style), "")


def _styles(text: str) -> tuple[Style, Style]:
    """What in a text decides whether something is seen, and what of it is important."""
    styles: tuple[Style, Style] = {}, {}
    for name, value, mark in _declared(text):
        if tells := _DECIDING.get(name):
            styles[bool(mark)][name] = value if tells(value) else ""
    return styles


class _Compound(NamedTuple):
    """What a selector asks of one element."""

    names: frozenset[str]
    """Its tag, classes and id, with their marks."""
    attributes: tuple[tuple[str, re.Pattern[str]], ...]
    lists: tuple[tuple[bool, tuple[_Compound, ...]], ...]
    """Compounds of which one fits, or (`False`) none."""


_Steps: TypeAlias = tuple[tuple[str, _Compound], ...]


@dataclass(frozen=True, eq=False)
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


class _Rules(NamedTuple):
    """The rules in the style sheets of a page, by one of the names that they ask for."""

    by_name: dict[str, list[_Rule]]
    attributes: tuple[str, ...]
    """What else they ask of an element."""
    paints: bool
    appearing: frozenset[str]


class StyleSheet:
    """The rules in a page that decide what a person sees.

    Of those for some widths or wishes, what shows something on a desktop counts, and what hides something does not.
    """

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        """`texts` are the media and the text of each style sheet in the page."""
        self._rules = _compiled(tuple(texts))
        self.paints = self._rules.paints
        """Whether a rule gives anything a background."""
        self._tries = _MOST_TRIES
        self._fitting: dict[tuple[str | None, ...], list[_Rule]] = {}
        self._known: dict[tuple[object, ...], Style] = {}
        self._named: dict[Element, frozenset[str]] = {}
        self._parent: Element | None = None
        self._above = frozenset[str]()

    @classmethod
    def of_tree(cls, root: Element) -> StyleSheet:
        """The style sheets in a tree."""
        return cls((str(each.get("media", "")), text_content(each)) for each in root.iter("style"))

    @classmethod
    def of_source(cls, source: str) -> StyleSheet:
        """The style sheets in the source of a page."""
        return cls((media[1] if (media := _MEDIA.search(head)) else "", text) for head, text in _sheets(source))

    def __bool__(self) -> bool:
        return bool(self._rules.by_name)

    def style(self, tag: str, attributes: Attributes, element: Element | None = None) -> Style:
        """The declarations that hold for an element, its own included; without `element`, whatever is around it."""
        own, sheet = attributes.get("style", ""), self._rules
        if not own and not sheet.by_name:
            return {}
        asked = (tag, *map(attributes.get, sheet.attributes))
        if (fitting := self._fitting.get(asked)) is None:
            names = _names(tag, attributes)
            found = (rule for name in (*names, "*") for rule in sheet.by_name.get(name, ()))
            fitting = [rule for rule in found if _fits(rule.steps[0][1], names, attributes)]
            fitting.sort(key=attrgetter("rank"))
            self._fitting[asked] = fitting
        rules = [rule for rule in fitting if len(rule.steps) == 1 or self._is_placed(element, rule)]
        if not own and not rules:
            return {}
        if (style := self._known.get(key := (own, *rules))) is None:
            style = self._known[key] = self._cascaded(own, rules)
        return style

    def _cascaded(self, own: str, rules: list[_Rule]) -> Style:
        style: Style = {}
        of_element, important = _styles(own)
        for each in (*(rule.style for rule in rules), of_element, *(rule.important for rule in rules), important):
            style |= each
        animations = re.split(r"[\s,]+", f"{style.get('animation')} {style.get('animation-name')}")
        appears = not self._rules.appearing.isdisjoint(animations)
        return {name: value for name, value in style.items() if name not in _FADING} if appears else style

    def _is_placed(self, element: Element | None, rule: _Rule) -> bool:
        """Whether an element is where a rule wants it; if that is not known, it may, unless the rule hides it."""
        if element is None:
            return not rule.hides
        if (parent := element.getparent()) is not self._parent:
            self._parent, self._above = parent, frozenset().union(*map(self._names, element.iterancestors()))
        return rule.above <= self._above and self._reaches(element, rule.steps, 0, set())

    def _names(self, element: Element) -> frozenset[str]:
        if (names := self._named.get(element)) is None:
            names = self._named[element] = _names(tag_of(element), element.attrib)
        return names

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
            fits = _fits(steps[at + 1][1], self._names(other), other.attrib)
            if fits and self._reaches(other, steps, at + 1, failed):
                return True
            failed.add((other, at))
        return False


@lru_cache(maxsize=4)
def _compiled(sheets: tuple[tuple[str, str], ...]) -> _Rules:
    """The rules in the style sheets of a page, which are looked at in its source and in its tree."""
    blocks, paints, appearing = list[tuple[str, Style, Style]](), False, set[str]()
    for media, text in sheets:
        if (at_times := _medium(media)) is not None and len(text) < _LONGEST:
            plain = _STRING.sub(lambda found: '""' if _SIGN.search(found[0]) else found[0], _COMMENT.sub("", text))
            for head, body, is_partial in _parsed(plain, at_times=at_times):
                style, important = _styles(body)
                paints = paints or any("background" in name for name, _, _ in _declared(body))
                if head.startswith("@"):
                    appearing |= {head.split()[-1].lower()} if style.keys() & _FADING and not hides(style) else set()
                elif not (is_partial and hides(style | important)):
                    blocks.append((head, style, important))
    telling = {name for _, style, _ in blocks for name, value in style.items() if value} | {*_CUT, *_SEEN_THROUGH}
    told = (block for block in blocks if block[2] or not telling.isdisjoint(block[1]))
    selectors = (
        (each.strip(), style, important) for head, style, important in told for each in _SELECTOR.findall(head)
    )
    by_name, attributes = dict[str, list[_Rule]](), dict.fromkeys(("class", "id"))
    for number, (selector, style, important) in enumerate(islice(selectors, _MOST_SELECTORS)):
        if not (steps := _steps(selector)):
            continue
        special = sum(weight * len(sign.findall(selector)) for weight, sign in _SPECIAL)
        above = frozenset().union(*(each.names for (joint, _), (_, each) in pairwise(steps) if joint in " >"))
        known = by_name.setdefault(min(steps[0][1].names, default="*"), [])
        if len(known) < _MOST_RULES:
            known.append(_Rule(steps, above, (special, number), style, important, hides(style | important)))
            attributes |= dict.fromkeys(_asked(steps[0][1]))
    return _Rules(by_name, tuple(attributes), paints, frozenset(appearing))


def _asked(compound: _Compound) -> Iterator[str]:
    """The attributes that a compound asks for."""
    yield from (name for name, _ in compound.attributes)
    for _, inner in compound.lists:
        yield from (name for each in inner for name in _asked(each))


def _sheets(source: str) -> Iterator[tuple[str, str]]:
    at = 0
    while (opened := _SHEET.search(source, at)) and (closed := _SHEET_END.search(source, opened.end())):
        yield opened[1], source[opened.end() : closed.start()]
        at = closed.end()


def _parsed(text: str, *, at_times: bool) -> Iterator[tuple[str, str, bool]]:
    """Selectors with what is declared of them, and whether that holds `at_times`; animations with their last frame."""
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
                yield head, last[1], False
            body = _INNER.sub("", text[match.end() : at - 1])
            if not (head.startswith("@") or "{" in body):
                yield head, body, any(around)


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
