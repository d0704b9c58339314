"""Where the main text of a web page leads: its links to other pages, with the words around them."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urljoin

from fathom.browsing import PageLink
from fathom.reading.inline import is_inline, text_in
from fathom.reading.page import Element, is_dropped, is_link_bar, is_link_list, tag_of
from fathom.text.harmless import inert
from fathom.urls import canonical_url, page_key

MOST = 100
"""Links of a page that are kept, the first ones."""
LONGEST = 500
"""Characters of an address; a longer one names no page that somebody would look up."""
_LISTS = frozenset("ul ol menu dir table".split())
WORDS, AROUND = 100, 60
"""Characters of a link's own words, and of what is told before and behind them."""


def links_in(main: Element, address: str) -> tuple[PageLink, ...]:
    """The links in the main part of the page at `address` to other pages, each page once.

    A list of links is one to move around with, unless the page says itself where its main part is.
    """
    base = next((str(each.get("href")) for each in main.getroottree().iter("base") if each.get("href")), "")
    found: dict[str, PageLink] = {}
    texts: dict[Element, str] = {}
    for link in _links(main, in_lists=tag_of(main) != "body"):
        try:
            url = canonical_url(urljoin(urljoin(address, base), str(link.get("href")).strip()))
            key = page_key(url)
            is_other = key != page_key(address)
        except ValueError:  # a page may call anything an address
            continue
        if key not in found and is_other and len(url) <= LONGEST and (text := text_in(link)):
            block = link
            while block is not main and is_inline(block):
                block = block.getparent()  # type: ignore[assignment]  # `main` is above every link
            if block not in texts:
                texts[block] = text_in(block)
            at = max(texts[block].find(text), 0)
            beside = texts[block][max(at - AROUND, 0) : at + min(len(text), WORDS) + AROUND]
            found[key] = PageLink(url=url, text=inert(text, width=WORDS), beside=inert(beside))
        if len(found) == MOST:
            break
    return tuple(found.values())


def _links(main: Element, *, in_lists: bool) -> Iterator[Element]:
    """The links of a part of a page in their order, without those that only move around in it."""
    waiting = [main]
    while waiting:
        element = waiting.pop()
        tag = tag_of(element)
        if tag == "a" and element.get("href"):
            yield element
        elif in_lists or not (is_link_list if tag in _LISTS else is_link_bar)(element):
            waiting += [child for child in reversed(element) if not is_dropped(child)]
