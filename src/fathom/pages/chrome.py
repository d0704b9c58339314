"""Takes out of a web page what frames its content: bars, teasers, banners, comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fathom.languages.packs import either
from fathom.reading.inline import collapsed
from fathom.reading.page import Element, body_of, is_dropped, is_link_bar, is_link_list, tag_of
from fathom.reading.visible import remove

if TYPE_CHECKING:
    from trafilatura.settings import Extractor

_PARTS = frozenset("div section aside ul ol table form header footer nav p figure fieldset center span article".split())
_LEAVES = frozenset("p li h1 h2 h3 h4 h5 h6 td th dd dt pre div span section a figcaption blockquote".split())
_KEPT = frozenset("p item head cell quote code ab list".split())
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_NAMES = re.compile(
    r"(?<![^\s_-])(?:related|recommend[^\W_]*|popular|trending|most-read|read-?(?:more|next)|more-(?:from|stories|news)|teasers?"
    r"|share|sharing|social|follow-us|newsletter|subscri[^\W_]+|signup|sign-up|promo[^\W_]*|advert[^\W_]*|ads?|sponsor[^\W_]*|outbrain|taboola"
    r"|cookies?|consent|gdpr|banner|pop-?up|modal|overlay|toast|bread-?crumbs?|sidebar|side-bar|rail|footer|foot|masthead"
    r"|topbar|top-bar|toolbar|navigation|navbar|nav|menu|comments?|disqus|replies|tags|tag-list|pagination|pager|author-bio"
    r"|by-?line|paywall|widget|feedback|helpful|rating|edit-this-page|skip)(?:$|[\s_-])",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(either("pages.boilerplate"), re.IGNORECASE | re.DOTALL)
_CERTAIN = re.compile(rf"\W*(?:{either('pages.certain')})", re.IGNORECASE | re.DOTALL)
_ELSEWHERE = re.compile(rf"\W*(?:{either('pages.elsewhere')})\W*", re.IGNORECASE)
_LONGEST_BOILERPLATE = 500
_LONGEST_TEASER = 300
_LONGEST_SPACED = 20_000
"""Characters, white space included, of what is looked through for phrases."""
_SHORTEST = 40
_KEPT_SHARE = 0.2
_KEY = 24
_options: Extractor | None = None


def content_of(root: Element) -> Element:
    """The element that holds the content of a page; what of it is a frame is removed from the tree.

    An element is suspected of being a frame when it mostly consists of links, is named like one, or says what only
    frames say. Then trafilatura, which knows pages at large, is asked what it keeps, and the suspects of which it keeps
    next to nothing go. Nothing else does: on pages of reference it drops tables, definitions and programs that a
    reader came for, so that its own text is not the snapshot.
    """
    body = body_of(root)
    sizes = _sizes(body)
    suspects = list(_suspects(body, sizes))
    beyond = sizes[body].text - sum(sizes[each].text for each in suspects)
    doubtful: list[Element] = []
    for element in suspects:
        if sizes[element].text > beyond:
            continue  # what is most of a page is its content
        if _is_elsewhere(element, sizes[element]):
            remove(element)
        else:
            doubtful.append(element)
    if doubtful:
        kept = _kept(root)
        for element in doubtful:
            if _share_kept(element, kept) < _KEPT_SHARE:
                remove(element)
    return body


@dataclass(slots=True)
class _Size:
    text: int = 0
    """Characters, without white space."""
    spaced: int = 0
    """Characters, white space included."""
    linked: int = 0
    """Of these, in links."""
    links: int = 0


def _sizes(body: Element) -> dict[Element, _Size]:
    """What stands in each element."""
    sizes: dict[Element, _Size] = {}
    for element in reversed(list(body.iter())):  # what stands inside comes first
        size = _Size(text=_letters(element.text), spaced=len(element.text or ""))
        for child in element:
            inner = sizes[child]
            size.text += inner.text + _letters(child.tail)
            size.spaced += inner.spaced + len(child.tail or "")
            size.linked += inner.linked
            size.links += inner.links
        if tag_of(element) == "a" and element.get("href"):
            size.linked, size.links = size.text, 1
        sizes[element] = size
    return sizes


def _letters(text: str | None) -> int:
    return sum(map(len, text.split())) if text else 0


def _suspects(body: Element, sizes: dict[Element, _Size]) -> list[Element]:
    """The outermost elements that look like a frame."""
    found: list[Element] = []
    waiting = list(body)
    while waiting:
        element = waiting.pop()
        size = sizes[element]
        tag = tag_of(element)
        if not size.text or is_dropped(element):
            continue
        if tag in _PARTS and size.text * 2 < sizes[body].text and _is_suspect(element, tag, size):
            found.append(element)
        else:
            waiting += element
    return found


def _is_suspect(element: Element, tag: str, size: _Size) -> bool:
    if size.links > 2 and size.linked > 0.5 * size.text:
        return not (_goes_anyway(element, tag) or _has_data(element))
    if next(element.iter("pre", "dl", "h1"), None) is not None:
        return False
    if tag != "span" and (_NAMES.search(str(element.get("class", ""))) or _NAMES.fullmatch(str(element.get("id", "")))):
        return True
    if tag in {"span", "table", "ul", "ol"}:
        return False
    if _are_teasers(element, size) or _ELSEWHERE.fullmatch(_title(element)):
        return True
    if size.text > _LONGEST_BOILERPLATE or size.spaced > _LONGEST_SPACED:
        return False
    return _BOILERPLATE.search(" ".join(map(str, element.itertext()))) is not None


def _goes_anyway(element: Element, tag: str) -> bool:
    """Whether the reading of the page leaves an element out by its own rules."""
    if tag in {"ul", "ol", "table"}:
        return is_link_list(element)
    return tag in {"p", "div"} and is_link_bar(element)


def _has_data(element: Element) -> bool:
    """Whether there is more than links in an element: a table with a head, a program, a paragraph."""
    if next(element.iter("th", "pre", "dl", "h1"), None) is not None:
        return True
    return any(_letters("".join(map(str, _unlinked(paragraph)))) >= _SHORTEST for paragraph in element.iter("p"))


def _unlinked(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if tag_of(child) != "a":
            yield from _unlinked(child)
        yield child.tail or ""


def _is_elsewhere(element: Element, size: _Size) -> bool:
    """Whether a suspect shows beyond doubt that it leads elsewhere, or says what is said on every page of a site."""
    if _are_teasers(element, size) or _ELSEWHERE.fullmatch(_title(element)):
        return True
    if size.text > _LONGEST_TEASER or size.spaced > _LONGEST_SPACED:
        return False
    return _CERTAIN.match(collapsed(" ".join(map(str, element.itertext())))) is not None


def _title(element: Element) -> str:
    """The heading with which an element begins; empty when it begins otherwise."""
    inner = element
    while len(inner) and not (inner.text or "").strip():
        inner = inner[0]
        if tag_of(inner) in _HEADINGS:
            return collapsed("".join(map(str, inner.itertext())))
    return ""


def _are_teasers(element: Element, size: _Size) -> bool:
    """Whether an element consists of headings that lead elsewhere and a few words under each."""
    if size.links < 2 or size.linked * 6 < size.text:
        return False
    headings = list(element.iter(*_HEADINGS))
    linked = sum(_leads_away(heading) for heading in headings)
    return linked > 1 and len(headings) - linked <= 1 and size.text < _LONGEST_TEASER * linked


def _leads_away(heading: Element) -> bool:
    links = [*heading.iterancestors("a"), *heading.iter("a")]
    return any(str(link.get("href") or "#")[0] != "#" for link in links)


def _kept(root: Element) -> frozenset[str]:
    """How the pieces of text begin that trafilatura keeps."""
    from trafilatura import bare_extraction
    from trafilatura.settings import Extractor

    global _options
    if _options is None:
        _options = Extractor(fast=True, recall=True, comments=False, tables=True, links=False)
    found = bare_extraction(root, options=_options)
    body = getattr(found, "body", None)
    if body is None:
        return frozenset()
    return frozenset(_key(element) for element in body.iter(*_KEPT))


def _key(element: Element) -> str:
    return "".join("".join(map(str, element.itertext())).split())[:_KEY]


def _share_kept(element: Element, kept: frozenset[str]) -> float:
    """The part of the text of an element that is among what is kept."""
    total = found = 0
    for leaf in element.iter(*_LEAVES):
        if next(leaf.iterchildren(*_LEAVES), None) is not None and tag_of(leaf) not in {"p", "li", "td"}:
            continue
        if key := _key(leaf):
            length = sum(_letters(str(text)) for text in leaf.itertext())
            total += length
            found += length if key in kept else 0
    return found / total if total else 0.0
