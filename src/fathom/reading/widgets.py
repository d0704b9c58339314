"""What of a page is made for its looks, as plain markup: formulas once, and headings that open what is below them."""

from __future__ import annotations

import re
from itertools import islice

from fathom.reading.page import Element, is_dropped, is_link_list, length, tag_of
from fathom.reading.visible import remove

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary")
_DRAWN = re.compile(r"(?:^|\s)(?:katex|mathjax|mwe-math)|^mjx-", re.IGNORECASE)
_TEX_STYLE = re.compile(r"(\{?)\s*+\\(?:display|text)style\b")
_FORMS = {"msup": "{}^{}", "msub": "{}_{}", "msubsup": "{}_{}^{}", "mfrac": "{}/{}", "msqrt": "√{}"}
_SHOWN = "display:block!important;visibility:visible!important;opacity:1!important;height:auto!important"
_TARGETS = ("aria-controls", "data-bs-target", "data-target", "href")
_NEAR, _DEEPEST = 3, 100
"""Elements in one another between a control and what it opens; in a formula."""


def plain_markup(root: Element) -> None:
    """Write each formula in a tree once, as its TeX or on one line, and make headings of what works like one.

    A button that opens what comes next becomes `summary`; what it opens is shown, as it is on demand.
    """
    for element in list(root.iter("math", "script", "img")):
        _formula(element)
    for element in list(root.iter()):
        role = element.get("role")
        if role == "heading":
            element.tag = f"h{element.get('aria-level')}" if element.get("aria-level", "") in set("123456") else "h2"
        elif role == "button" or tag_of(element) == "button":
            _control(element)


def _formula(element: Element) -> None:
    """Put the text of a formula in the place of all that draws it."""
    whole, text = element, ""
    while (above := whole.getparent()) is not None and _is_drawn(above):
        whole = above
    if tag_of(element) == "math":
        notes = (each.text for each in element.iter("annotation") if "tex" in each.get("encoding", ""))
        text = next(filter(None, notes), "") or element.get("alttext") or _linear(element, 0)
    elif element.get("type", "").startswith("math/tex"):
        text = element.text or ""
        while (drawn := whole.getprevious()) is not None and _is_drawn(drawn) and not (drawn.tail or "").strip():
            remove(drawn)
    elif tag_of(element) == "img" and _is_drawn(element):
        text = element.get("alt", "")
    if text:
        tail = whole.tail
        whole.clear()
        whole.tag, whole.tail, whole.text = "span", tail, _without_style(" ".join(text.split()))


def _without_style(tex: str) -> str:
    """TeX without the size that it is set in.

    >>> _without_style(r"{\\displaystyle x^{2}}"), _without_style(r"\\textstyle x^{2}"), _without_style("x^{2}")
    ('x^{2}', 'x^{2}', 'x^{2}')
    """
    if not (style := _TEX_STYLE.match(tex)):
        return tex
    return tex[style.end() :].removesuffix("}" if style[1] else "").strip()


def _is_drawn(element: Element) -> bool:
    return bool(_DRAWN.search(element.get("class", "")) or _DRAWN.search(tag_of(element)))


def _linear(element: Element, depth: int) -> str:
    """A formula in MathML on one line."""
    if depth > _DEEPEST or tag_of(element) in {"annotation", "annotation-xml"}:
        return ""
    parts = [_linear(child, depth + 1) for child in element]
    form = _FORMS.get(tag_of(element), "")
    if form and form.count("{") == len(parts):
        return form.format(*(part if part.isalnum() or len(part) < 2 else f"({part})" for part in parts))
    return "".join((element.text or "", *parts)).strip()


def _control(element: Element) -> None:
    """Make a heading of a button that is all of one, or that opens what comes next."""
    heading = next(element.iterancestors(*_HEADINGS), None)
    panel = _opened(element, {element.get(name, "").lstrip("#") for name in _TARGETS} - {""})
    if length(heading) > length(element) if heading is not None else panel is None or element.find(".//p") is not None:
        return
    element.tag = "summary" if heading is None else "span"
    if panel is not None:
        panel.set("style", _SHOWN)
        for name in {"hidden", "aria-hidden"} & set(panel.keys()):
            del panel.attrib[name]


def _opened(control: Element, ids: set[str]) -> Element | None:
    """What a control opens, if that comes next and is no menu."""
    for place in islice((control, *control.iterancestors()), _NEAR):
        panel = place.getnext()
        if panel is not None and panel.get("id") in ids:
            is_menu = is_dropped(panel) or is_link_list(panel) or next(panel.iter("nav"), None) is not None
            return panel if length(panel) and not is_menu else None
    return None
