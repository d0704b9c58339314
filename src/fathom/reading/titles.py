"""Titles and headings as a reader should see them."""

from __future__ import annotations

import re
import unicodedata

from fathom.reading.page import Element, text_content

_NUMBER = re.compile(
    r"^(?:(?:chapter|appendix|part|section)\s+(?:\d+|[A-Z]|[IVXLC]+)\b[.:]?(?:\s+|$)|(?:\d+|[A-Z])(?:\.\d+)+\.?\s+|\d+[.)]\s+"
    r"|[IVXLC]+\.\s+|[A-Z]\.\s+|第\s*[\d一二三四五六七八九十]+\s*[章節部編][.．:：]?\s*|付録\s*[A-Z\d]+[.．:：]?\s*)",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"(?P<date>(?<![^\W_])(?:19|20)\d\d(?:([-_.]?)(?:0[1-9]|1[0-2])(?:\2(?:0[1-9]|[12]\d|3[01]))?)?(?!\d))|[^\s_-]+"
)
_NO_TITLE = re.compile(
    r"\W{0,3}(?:microsoft (?:word|powerpoint|excel)\b|powerpoint[ -]pr[äaeé]sent|untitled|無題|\w?\W{0,3}$)"
    r"|\W*(?:anonymous|unspecified|unbenannt|sans titre|(?:document|dokument|doc|presentation|book|slide) ?\d+)\W*$"
    r"|\s*\S+\.(?:docx?|pptx?|xlsx?|tex|dvi|indd|pdf|qxd|rtf)\b|.*\.(?:docx?|pptx?|xlsx?|od[tsp]|indd|pdf|rtf|wpd|txt|html?)$"
    r"|\s*(?:[a-z]:[\\/]|file:/|\\\\\w|/\w[^ /]*/|~/)",
    re.IGNORECASE,
)
_NO_AUTHOR = re.compile(
    r"|\W*(?:anonymous|unspecified)\W*|unknown|authors?|(?:microsoft office |windows )?user|owner|admin(?:istrator)?"
    r"|python-docx|openpyxl|apache poi",
    re.IGNORECASE,
)
_MOST_AUTHORS, _LONGEST = 50, 20_000  # the latter in characters of all of them
_AND = re.compile(r" ?; ?| and ")
_SITE = re.compile(r" (?:—|–|\||::|»|·|-) ")


def bare_heading(text: str) -> str:
    """A heading without its section number.

    >>> bare_heading("25.1. Routine Vacuuming"), bare_heading("第 2 章 Debian パッケージ管理"), bare_heading("Part II.")
    ('Routine Vacuuming', 'Debian パッケージ管理', 'Part II.')
    """
    text = " ".join(text.split())
    return _NUMBER.sub("", text, count=1).strip() or text


def given_title(claimed: str) -> str:
    """The title that a file says it has, or nothing: programs put something in where nobody has given one.

    >>> given_title("Fees  of 2026"), given_title("会則"), given_title("(untitled)"), given_title("a.doc")
    ('Fees of 2026', '会則', '', '')
    """
    return "" if _NO_TITLE.match(claimed) else " ".join(claimed.split())


def given_authors(claimed: str) -> tuple[str, ...]:
    """Those whom a file says it is by, or nobody: programs put themselves in, and what nobody has changed.

    >>> given_authors("Lovelace, Ada; 山田 花子"), given_authors("Ada and Bo"), given_authors("openpyxl")
    (('Lovelace, Ada', '山田 花子'), ('Ada', 'Bo'), ())
    """
    shown = " ".join("".join(char if char.isprintable() else " " for char in claimed[:_LONGEST]).split())
    names = (each.strip("\"' ")[:100] for each in _AND.split(shown))
    return tuple(dict.fromkeys(name for name in names if not _NO_AUTHOR.fullmatch(name)))[:_MOST_AUTHORS]


def file_title(own: str, name: str) -> str:
    """The title of a file: its own, with what its name says beyond it when that holds a date; else the name's words.

    >>> file_title("Ops 8 July 2026", "2026-07-08-ops"), file_title("Vorstand", "2026-06-17_Vorstand_Heizung")
    ('Ops 8 July 2026', 'Vorstand (2026-06-17 Heizung)')
    >>> file_title("", "forklift-key-facts"), file_title("CREATE TABLE", "sql-createtable")
    ('forklift key facts', 'CREATE TABLE')
    """
    parts = list(_NAME.finditer(unicodedata.normalize("NFC", name)))
    if own and not any(part["date"] for part in parts):
        return own
    held = re.sub(r"[\s_-]", "", own.casefold())
    told = " ".join(
        part[0] for part in parts if not (_dated(own, part[0]) if part["date"] else part[0].casefold() in held)
    )
    if not own or not told:
        return own or told or name
    return f"{own[:-1]}, {told})" if own.endswith(")") else f"{own} ({told})"


def _dated(text: str, date: str) -> bool:
    """Whether a text holds the year of a date and, if it has one, its day, in whatever way they are written."""
    digits, numbers = re.sub(r"\D", "", date), set(map(int, re.findall(r"\d{1,4}", text)))
    return not numbers.isdisjoint({int(digits[:4]), int(digits[2:4])}) and (
        len(digits) < 8 or int(digits[6:]) in numbers
    )


def page_title(root: Element, heading: str = "", second: str = "") -> str:
    """The title of a page without the name of its site, behind that of the chapter it says it belongs to."""
    own, above = _own_title(root, heading, second), _chapter(root)
    return f"{above} › {own}" if above and above.casefold() not in own.casefold() else own


def _chapter(root: Element) -> str:
    """The title of the page above, unless that is where the whole begins."""
    links = [link for link in root.iter("link", "a") if link.get("title") and link.get("href")]
    homes = {link.get("href") for link in links if link.get("rel") == "home" or link.get("accesskey") == "h"}
    above = (link for link in links if link.get("rel") == "up" or link.get("accesskey") == "u")
    return next((bare_heading(link.get("title") or "") for link in above if link.get("href") not in homes), "")


def _own_title(root: Element, heading: str, second: str) -> str:
    """The title of a page without the name of its site; whole when it is made of the page's first two headings."""
    element = root.find(".//title")
    title = " ".join(text_content(element).split()) if element is not None else ""
    if second and heading.casefold() in title.casefold() and second.casefold() in title.casefold():
        return title
    if heading and (not title or bare_heading(heading).casefold() in title.casefold()):
        return heading
    parts = _SITE.split(title)
    return parts[0] if parts[0] else title or heading
