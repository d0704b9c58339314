"""Text from outside as it may stand in HTML: what cannot be seen goes, what looks like code is set as code."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from markupsafe import Markup, escape

from fathom.text.harmless import inert_lines

_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_NO_CHARACTERS = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")
_LANGUAGE = re.compile(r"[a-z]{2,3}")


def lines(text: str) -> str:
    """`text` as it is, but for what steers and cannot be seen: control characters, marks of direction, surrogates.

    >>> lines("one\\r\\ntwo\\x00 \\u202egnp.exe")
    'one\\ntwo gnp.exe'
    """
    if text.replace("\n", "").isprintable():  # most are, and have nothing to lose
        return text
    return _NO_CHARACTERS.sub("", inert_lines(_BREAKS.sub("\n", text)))


def line(text: str) -> str:
    """The same on one line.

    >>> line(" a\\n b ")
    'a b'
    """
    return " ".join(lines(text).split())


def prose(text: str) -> Markup:
    """A sentence on one line; what stands between backticks is code.

    >>> prose("Use `a < b` & more")
    Markup('Use <code>a &lt; b</code> &amp; more')
    """
    text, pieces, at = line(text), [], 0
    for code in _CODE.finditer(text):
        pieces += [escape(text[at : code.start()]), Markup("<code>{}</code>").format(code.group(2).replace("`", ""))]
        at = code.end()
    return Markup("").join([*pieces, escape(text[at:])])


def link(uri: str) -> str | None:
    """`uri` if it may be followed: an address of the web. `None` for all else.

    >>> link("https://a.example/b"), link("javascript:alert(1)"), link("file:///etc/passwd")
    ('https://a.example/b', None, None)
    """
    uri = line(uri)
    try:
        parts = urlsplit(uri)
        followed = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return None
    return uri.replace(" ", "%20") if followed else None


def address(uri: str) -> str:
    """`uri` to be read: what is percent-encoded in UTF-8 as its letters.

    >>> address("file:///notes/%E6%B5%B7.md"), address("https://a.example/%FF%00%20")
    ('file:///notes/海.md', 'https://a.example/%FF%00%20')
    """
    try:
        told = unquote(uri, errors="strict")
    except UnicodeDecodeError:
        told = uri
    return line(told if told.isprintable() and " " not in told else uri)


def language(code: str) -> str:
    """`code` if it looks like one of ISO 639, else that of a text of no known language."""
    return code if _LANGUAGE.fullmatch(code) else "und"
