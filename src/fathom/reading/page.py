"""What of a web page is its content, and what is only there to move around in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from lxml import etree

from fathom.languages.packs import either
from fathom.text.characters import count_cjk

Element: TypeAlias = etree._Element
Attributes: TypeAlias = Mapping[str, str] | etree._Attrib

SHORTEST = 120
"""Letters that a page must say to be worth quoting; one of Chinese, Japanese or Korean says as much as 2.5."""

_DROPPED_TAGS = frozenset(
    "head script style noscript template nav footer svg iframe object canvas audio video select button textarea input "
    "option datalist map area link meta title base colgroup col".split()
)
_DROPPED_ROLES = frozenset("navigation contentinfo search complementary menu menubar toolbar tablist doc-toc".split())
_DROPPED_NAMES = frozenset(
    "navheader navfooter sphinxsidebar sphinxsidebarwrapper toc localtoc globaltoc toctree-wrapper related headerlink "
    "breadcrumb breadcrumbs sidebar sidenav sidemenu navbar nav menu navigation pagination prevnext wy-nav-side "
    "rst-footer-buttons skip-link skiplink edit-link footer site-footer page-footer copyright list-of-tables "
    "list-of-examples list-of-figures list-of-equations linenos linenumber footnote-reference anchorjs-link "
    "anchor-link header-anchor permalink visually-hidden sr-only cookie-banner share social comments "
    "nosearch fancy_toc dropdown-menu docnav banner longdesc-link".split()
)
_ALWAYS_DROPPED = frozenset({"toc", "navheader", "navfooter", "related"})
_KEPT_TAGS = frozenset({"html", "body", "main", "article", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "code"})
_STRING = etree.XPath("string()", smart_strings=False)
_MOST_BESIDE = 150
"""Letters that stand beside the links of a bar, however many they are."""
_BAR_TEXT = re.compile(rf"[\W_]*(?:(?:{either('documents.ways')})[\W_]*)+", re.IGNORECASE)


def tag_of(element: Element | None) -> str:
    """The element's tag, which the parser writes in lower case; empty for a comment or an entity."""
    if element is None:
        return ""
    tag = element.tag
    return tag if type(tag) is str else ""


def text_content(element: Element) -> str:
    """All text in an element."""
    return str(_STRING(element))


def body_of(root: Element) -> Element:
    """The part of a page that holds its content."""
    mains = [element for element in root.iter("main", "div", "article") if "main" in (element.tag, element.get("role"))]
    if mains and length(mains[0]) * 4 > length(root):
        return mains[0]
    body = root.find("body")
    return body if body is not None else root


def is_dropped(element: Element) -> bool:
    """Whether an element is no part of the content: navigation, or not text at all."""
    tag = tag_of(element)
    if not tag or tag in _DROPPED_TAGS:
        return True
    if tag in _KEPT_TAGS:
        return False
    if element.get("role") in _DROPPED_ROLES:
        return True
    classes, name = element.get("class", "").lower().split(), element.get("id", "").lower()
    if not _ALWAYS_DROPPED.isdisjoint(classes):
        return True
    if name in _DROPPED_NAMES and _DROPPED_NAMES.isdisjoint(classes):  # a section about menus may have that id too
        return "sidebar" in name or next(element.iter("h1", "h2", "h3", "h4", "h5", "h6"), None) is None
    is_aside = tag == "header" or (tag == "aside" and {"footnote", "admonition", "topic"}.isdisjoint(classes))
    return (is_aside or not _DROPPED_NAMES.isdisjoint(classes)) and next(element.iter("h1", "h2"), None) is None


def is_link_list(element: Element) -> bool:
    """Whether a list or table is a bar or list of links: contents, "previous", "up", "next"."""
    links = [link for link in element.iter("a") if link.get("href")]
    if len(links) < 2:
        return False
    linked = sum(length(link) for link in links)
    return linked > 0.8 * length(element)


def is_link_bar(element: Element) -> bool:
    """Whether a division or a paragraph only holds links, with at most marks between them."""
    if any(len((part or "").strip()) > 3 for part in (element.text, *(child.tail for child in element))):
        return False
    if next(element.iter("h1", "h2", "h3", "h4", "h5", "h6", "pre"), None) is not None:
        return False
    links = [link for link in element.iter("a") if link.get("href")]
    return len(links) > 2 and _letters(element) - sum(map(_letters, links)) <= min(3 * len(links), _MOST_BESIDE)


def is_bar_text(text: str) -> bool:
    """Whether a text only offers to turn the page.

    >>> is_bar_text("<-previous | next->"), is_bar_text("Up the hill")
    (True, False)
    """
    return len(text) < 80 and _BAR_TEXT.fullmatch(text) is not None


def is_caption(element: Element) -> bool:
    """Whether an element is the short title of a table or a figure: no sentence, and no heading of what follows."""
    tag = tag_of(element)
    names = (element.get("class") or "").split()
    if tag not in {"figcaption", "caption"} and not ("caption" in names or (tag == "p" and "title" in names)):
        return False
    text = text_content(element).strip()
    return 0 < len(text) <= 120 and not text.endswith((".", "。", ":"))


def length(element: Element) -> int:
    """Characters of the text in an element, white space excluded."""
    return len("".join(text_content(element).split()))


def weight(text: str) -> int:
    """Letters of a text, each of Chinese, Japanese or Korean as 2.5.

    >>> weight("ab c"), weight("表の")
    (3, 5)
    """
    return sum(map(len, text.split())) + count_cjk(text) * 3 // 2


def says_something(root: Element) -> bool:
    """Whether the text of a page outside its headings, its links and its frame is long enough to be quoted."""
    said, waiting = 0, [body_of(root)]
    while waiting and said < SHORTEST:
        element = waiting.pop()
        said += weight(element.text or "")
        for child in element:
            said += weight(child.tail or "")
            if not is_dropped(child) and tag_of(child) not in {"a", "h1", "h2", "h3"}:
                waiting.append(child)
    return said >= SHORTEST


def _letters(element: Element) -> int:
    return sum(map(str.isalpha, text_content(element)))
