"""Equations of Office on one line, as a person would type them: `Q=1.84LH^1.5`, `x=(-b±√(b^2-4ac))/(2a)`."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from fathom.reading.page import Element, tag_of

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_ONE = re.compile(r"[-−+]?\d+(?:[.,]\d+)*|.[\u0300-\u036f'′]*|\([^()]*\)", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+")
_GONE = frozenset({"del", "moveFrom"})
"""What revisions have taken out."""
_PLAIN = frozenset({"r", "t", "ins", "moveTo"})


def linear(part: Element) -> str:
    """An equation, or a part of one.

    What has more than one sign is put in parentheses where it is a part of a fraction, a root or an exponent.
    """
    name = etree.QName(part).localname if tag_of(part) else "Pr"
    if name == "t":
        return part.text or ""
    if name.endswith("Pr") or name in _GONE:
        return ""
    inner = _inner(part, "e")
    match name:
        case "f":
            bar = {"noBar": "¦"}.get(_value(part, "type", ""), "/")
            return f"{_group(_inner(part, 'num'))}{bar}{_group(_inner(part, 'den'))}"
        case "sSup" | "sSub" | "sSubSup":
            is_name = tag_of(part.getparent()) == f"{MATH}fName"
            return (inner if is_name else _group(inner)) + _scripts(part)
        case "sPre":
            return _scripts(part) + inner
        case "rad":
            degree = _inner(part, "deg")
            return f"√[{degree}]({inner})" if degree else f"√({inner})"
        case "nary":
            return f"{_value(part, 'chr', '∫')}{_scripts(part)} {inner}"
        case "func":
            return f"{_inner(part, 'fName')}{'' if inner.startswith('(') else ' '}{inner}"
        case "limLow" | "limUpp":
            return f"{inner}{'_' if name == 'limLow' else '^'}{_group(_inner(part, 'lim'))}"
        case "acc":
            return _group(inner) + _value(part, "chr", "\u0302")
        case "bar":
            return _group(inner) + ("\u0304" if _value(part, "pos", "bot") == "top" else "\u0332")
        case "d":
            joined = _value(part, "sepChr", "|").join(map(linear, part.iterfind(f"{MATH}e")))
            return _value(part, "begChr", "(") + joined + _value(part, "endChr", ")")
        case "eqArr":
            return "; ".join(linear(each).replace("&", "") for each in part.iterfind(f"{MATH}e"))
        case "m":
            rows = (", ".join(map(linear, row.iterfind(f"{MATH}e"))) for row in part.iterfind(f"{MATH}mr"))
            is_fenced = [tag_of(each) for each in islice(part.iterancestors(), 2)] == [f"{MATH}e", f"{MATH}d"]
            return "; ".join(rows) if is_fenced else f"[{'; '.join(rows)}]"
    return _row(part)


def _row(part: Element) -> str:
    """What is side by side; signs that would read as a part of a fraction or of an exponent are set off."""
    said = before = last = ""
    for child in part:
        text, name = linear(child), etree.QName(child).localname if tag_of(child) else ""
        touches = said[-1:].isalnum() and text[:1].isalnum()
        if touches and name == "f":
            text = f"({text})"
        elif touches and before == "f":
            said = f"{said[: -len(last)]}({last})"
        elif touches and before not in _PLAIN:
            said += " "
        if text:
            said, before, last = said + text, name, text
    return said


def _inner(part: Element, name: str) -> str:
    found = part.find(f"{MATH}{name}")
    return "" if found is None else _row(found)


def _scripts(part: Element) -> str:
    below, above = _inner(part, "sub"), _inner(part, "sup")
    word = below if _WORD.fullmatch(below) else _group(below)
    return ("_" + word if below else "") + ("^" + _group(above) if above else "")


def _group(text: str) -> str:
    return text if _ONE.fullmatch(text) else f"({text})"


def _value(part: Element, name: str, default: str) -> str:
    """A property; one that is there without a value is empty."""
    found = part.find(f"{MATH}{etree.QName(part).localname}Pr/{MATH}{name}")
    return default if found is None else found.get(f"{MATH}val", "")
