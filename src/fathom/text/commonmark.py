"""Text from outside as CommonMark that shows just its characters: it can add no link, no image and no markup."""

from __future__ import annotations

import re

_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_WIDE = r"\u3000-\u9fff\uff00-\uffef"  # what follows an address in Japanese stands right behind it
_ADDRESS = re.compile(
    rf"(?:(?:https?|ftp|file|javascript|data|mailto):|www\.)[^\s<>`「」（）]"
    rf"(?:[^\s<>`{_WIDE}]*[^\s<>`{_WIDE}.,;:!?)\]'\"])?",
    re.I,
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_IDENTIFIER = re.compile(r"(?<![\w`*])(?:\*{0,2}\w[\w.]*(?:\(\))?|[A-Za-z_][\w.]*\*)(?![\w`*])")
_CITATION_MARK = re.compile(r"\[S\d+\]")
_SPECIAL = re.compile(
    r"[`*]|\](?=[(\[:])|<(?=[A-Za-z/!?])|(?<!\w)_|_(?!\w)|&(?=#?\w+(?:;|$))|~(?=~)|(?<=~)~|\\(?=[!-/:-@\[-`{-~]|$)"
)
_SPECIAL_IN_LINK = re.compile(rf"{_SPECIAL.pattern}|[\[\]]")
_BLOCK_START = re.compile(r"^(?:#{1,6}(?=\s|$)|>|[-+=](?=\s|$|[-=])|(?:\d{1,9})(?=[.)](?:\s|$)))")


def inert(text: str, *, in_link: bool = False) -> str:
    """`text` as CommonMark (with GitHub's extensions) that shows just these characters, on one line.

    What would become a link, emphasis or a citation of ours is set as code; what else would be markup is escaped,
    `in_link` also every bracket: one alone would end the text of the link.

    >>> inert("See [here](http://evil.example) for __init__ and *args")
    'See [here\\\\](`http://evil.example`) for `__init__` and `*args`'
    >>> inert("詳細はhttps://a.example/faqを参照")
    '詳細は`https://a.example/faq`を参照'
    """
    text = re.sub(r"\s+", " ", _printable(text)).strip()
    special = _SPECIAL_IN_LINK if in_link else _SPECIAL
    pieces: list[str] = []
    at = 0
    for start, end in _spans_to_set_as_code(text):
        pieces += [_escaped(text[at:start], special), _as_code(text[start:end], special)]
        at = end
    line = "".join([*pieces, _escaped(text[at:], special)])
    opening = _BLOCK_START.match(line)
    if not opening:
        return line
    return f"{line[: opening.end()]}\\{line[opening.end() :]}" if opening.group()[0].isdigit() else f"\\{line}"


def in_code(text: str, *, width: int) -> str:
    """`text` as a code span on one line, cut to `width` characters; nothing when nothing is left of it.

    >>> in_code("analyze {`x`}", width=10)
    '`analyze {…`'
    """
    text = re.sub(r"\s+", " ", _printable(text).replace("`", "")).strip()
    text = text if len(text) <= width else f"{text[: width - 1].rstrip()}…"
    return f"`{text}`" if text else ""


def fenced(text: str) -> str:
    """Lines as a block of code, which nothing in them can end.

    >>> print(fenced("git reset HEAD^"))
    ```
    git reset HEAD^
    ```
    """
    lines = _printable(text)
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", lines)), 0)
    return f"{fence}\n{lines}\n{fence}"


def cell(text: str, *, width: int | None) -> str:
    """`text` as a cell of a table, cut to `width` characters if one is given.

    >>> cell("a | [b](http://x.example)", width=80)
    'a \\\\| [b\\\\](`http://x.example`)'
    """
    text = text if width is None or len(text) <= width else f"{text[: width - 1].rstrip()}…"
    return inert(text).replace("|", "\\|")


def address(uri: str) -> str:
    """The address with everything percent-encoded that could end the link's target."""
    return re.sub(r"[<>\s\\]", lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode()), uri)


def _printable(text: str) -> str:
    """Without control characters, and without the marks that turn the direction of writing."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", "", text)


def _spans_to_set_as_code(text: str) -> list[tuple[int, int]]:
    """What is code already, addresses, and identifiers that markup would eat, in order.

    Neighbours are one span: the ticks of two would run together and mean something else.
    """
    found = [match.span() for pattern in (_CODE, _ADDRESS, _EMAIL, _CITATION_MARK) for match in pattern.finditer(text)]
    found += [match.span() for match in _IDENTIFIER.finditer(text) if _looks_like_markup(match.group())]
    kept: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if kept and start <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


def _looks_like_markup(name: str) -> bool:
    return len(name) > 1 and (name[0] in "_*" or name.removesuffix("()")[-1] in "_*")


def _as_code(text: str, special: re.Pattern[str]) -> str:
    """A code span without ticks of its own, so that it ends where we end it."""
    code = text.replace("`", "")
    return f"`{code}`" if code.strip() else _escaped(text, special)


def _escaped(text: str, special: re.Pattern[str]) -> str:
    return special.sub(lambda match: f"\\{match.group()}", text)
