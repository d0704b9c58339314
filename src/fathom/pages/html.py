"""Reads a web page: what a person sees of its content, and what it says of itself."""

from __future__ import annotations

from fathom.errors import NoEvidence, Unreadable
from fathom.pages.about import About
from fathom.pages.chrome import content_of
from fathom.pages.evidence import PageReading, check
from fathom.pages.links import links_in
from fathom.reading.html import parse, read_tree, seen
from fathom.reading.page import SHORTEST, says_something, weight
from fathom.text.language import detect

MOST_ELEMENTS = 300_000
"""Elements of a page: each takes about 1.5 KB of memory while it is read, and the smallest has four bytes."""


def read(data: bytes, *, address: str, charset: str | None = None, last_modified: str = "") -> PageReading:
    """Read a page.

    Raises:
        NoEvidence: it says nothing that could be quoted; the text is the reason.
    """
    if data.count(b"<") - data.count(b"</") > MOST_ELEMENTS:
        raise NoEvidence(f"it has more than {MOST_ELEMENTS:,} elements")
    try:
        root = parse(data, declared=charset)
    except Unreadable as error:
        raise NoEvidence(str(error)) from error
    if root is None:
        raise NoEvidence("it is empty")
    about = About.of(root)
    root = seen(root, data, declared=charset)
    main = content_of(root)
    content = read_tree(root, main, of_the_web=True)
    title = about.title(content.title)
    scripts = about.scripts
    if weight(content.text) < SHORTEST and (whole := parse(data, declared=charset, fading=None)) is not None:
        scripts += says_something(whole)  # which they show
    check(content.text, title=title, unscripted=about.unscripted, scripts=scripts, free=about.free)
    language = detect(content.text)
    return PageReading(
        content=content,
        title=title,
        language=about.language if language == "und" and about.language else language,
        address=about.address(address),
        published=about.published(content.text, address=address, last_modified=last_modified),
        nature=about.nature(address),
        links=links_in(main, address),
    )
