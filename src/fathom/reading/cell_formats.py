"""Numbers in cells of a workbook as their formats show them: 7.5%, $23.4M, 00501, (1,200)."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

_LONGEST = 255
"""Characters of a format that Excel takes."""
_PART = re.compile(
    r'"(?P<text>[^"]*+)"?|\\(?P<one>.)|[_*](?P<gap>.)|\[(?P<elapsed>[hms]+)\]|\[\$(?P<sign>[^\[\]-]*+)[^\[\]]*+\]'
    r"|\[(?P<mark>[^\[\]]*+)\]|(?P<general>General)|(?P<exponent>E[+-])|(?P<place>[0#?])|(?P<date>[dmyhsegb])|(?P<next>;)"
    r"|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_THOUSANDS = re.compile(r"(?<=\d)(?=(?:\d{3})+$)")
_EXACT = Context(prec=400)
_SIDES = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1), "=": (0,), "<>": (-1, 1)}
BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%",
    **dict.fromkeys((5, 6), "$#,##0_);($#,##0)"), **dict.fromkeys((7, 8), "$#,##0.00_);($#,##0.00)"),
    **dict.fromkeys((37, 38), "#,##0_);(#,##0)"), **dict.fromkeys((39, 40), "#,##0.00_);(#,##0.00)"),
    41: '#,##0_);(#,##0);"-"', 42: '$#,##0_);($#,##0);$"-"', 43: '#,##0.00_);(#,##0.00);"-"',
    44: '$#,##0.00_);($#,##0.00);$"-"',
}  # fmt: skip
"""Formats of numbers that have a number in the file in place of a code."""
_Section = tuple[tuple[str, str], ...]
_TEXT = ("other", "@")


def shown(value: float | str, code: str) -> str | None:
    """What a cell shows of a number or a text; `None` if it is the value itself, a date, a fraction or a power of ten.

    >>> shown(0.075, "0.0%"), shown(501, "00000"), shown(-1200, "#,##0;(#,##0)"), shown(2.5, "# ?/?"), shown(5, "0")
    ('7.5%', '00501', '(1,200)', None, '5')
    """
    sections = _sections(code)
    if isinstance(value, str):
        of_text = next((each for each in sections[3:] or sections if _TEXT in each), (_TEXT,))
        return None if of_text == (_TEXT,) else "".join(value if each == _TEXT else _literal(each) for each in of_text)
    if not math.isfinite(value):
        return None
    section, number = _chosen(sections, Decimal(repr(value)))
    kinds = {kind for kind, _ in section}
    if (
        kinds & {"date", "elapsed", "exponent"}
        or ("other", "/") in section
        or section in {(_TEXT,), (("general", "General"),)}
    ):
        return None
    minus = "-" if number < 0 else ""
    if "general" in kinds:
        return minus + "".join(f"{abs(number):.15g}" if each[0] == "general" else _literal(each) for each in section)
    if "place" not in kinds:
        return "".join(map(_literal, section))
    text = _number(section, abs(number))
    return (minus if any(char in "123456789" for char in text) else "") + text


@lru_cache
def _sections(code: str) -> tuple[_Section, ...]:
    """The parts of a format with their kinds: for positive and negative numbers, zero and text."""
    sections: list[list[tuple[str, str]]] = [[]]
    for found in _PART.finditer(code[:_LONGEST]):
        kind = found.lastgroup or ""
        if kind == "next":
            sections.append([])
        else:
            kept = {"one": "text", "sign": "text"}.get(kind, kind)
            sections[-1].append((kept, " " if kind == "gap" else "General" if kind == "general" else found[kind]))
    return tuple(map(tuple, sections))


def _chosen(sections: tuple[_Section, ...], number: Decimal) -> tuple[_Section, Decimal]:
    """The section that a number is shown by, and the number without the sign that the section has."""
    limits = [next((m for k, said in each if k == "mark" and (m := _CONDITION.match(said))), None) for each in sections]
    if any(limits):
        fits = [not limit or number.compare(Decimal(limit[2])) in _SIDES[limit[1]] for limit in limits]
        return sections[fits.index(True)] if True in fits else sections[-1], number
    own = [each for each in sections[:3] if _TEXT not in each] or [sections[0]]
    if number < 0 and len(own) > 1:
        return own[1], -number
    return own[2 if number == 0 and len(own) > 2 else 0], number


def _literal(part: tuple[str, str]) -> str:
    return part[1] if part[0] in {"text", "gap"} or (part[0] == "other" and part[1] not in ",@") else ""


def _number(section: _Section, number: Decimal) -> str:
    """A number without a sign, digit by digit in the places that the format has for it."""
    point = section.index(("other", ".")) if ("other", ".") in section else len(section)
    before = [at for at, (kind, _) in enumerate(section[:point]) if kind == "place"]
    behind = [at for at, (kind, _) in enumerate(section) if kind == "place" and at > point]
    commas = [at for at, part in enumerate(section) if part == ("other", ",")]
    is_grouped = any(before and before[0] < at < before[-1] for at in commas)
    scaled = sum(at > max((*before[-1:], *behind[-1:])) for at in commas) if before or behind else 0
    number = number.scaleb(2 * section.count(("other", "%")) - 3 * scaled, _EXACT)
    rounded = number.quantize(Decimal(1).scaleb(-len(behind)), ROUND_HALF_UP, _EXACT)
    whole, _, rest = f"{rounded:f}".partition(".")
    least = next((len(before) - at for at, place in enumerate(before) if section[place][1] == "0"), 0)
    whole = whole.lstrip("0").rjust(least, "0")
    while rest.endswith("0") and section[behind[len(rest) - 1]][1] != "0":
        rest = rest[:-1]
    digits = dict(zip(behind, rest, strict=False))
    if is_grouped or not before:
        digits[before[0] if before else point] = _THOUSANDS.sub(",", whole) if before else whole
    else:
        cut = max(0, len(whole) - len(before) + 1)
        digits |= dict(zip(reversed(before), [*reversed(whole[cut:]), *[""] * len(before)], strict=False))
        digits[before[0]] = whole[:cut]
    return "".join(
        digits.get(at, "") + (_literal(part) if at != point else "." if rest else "") for at, part in enumerate(section)
    )
