"""What stands around the content of a page: navigation, banners, related links, advertisements, a footer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from typing import Literal

from fathom_testing.little_web.words import written

Dated = Literal["", "meta", "json-ld", "time", "dublin-core", "visible"]
"""How a site tells when a page was published."""


@dataclass(frozen=True)
class Style:
    """How a site dresses its pages."""

    site: str
    """Its name for people."""
    sections: tuple[str, ...]
    """What its navigation leads to."""
    frame: str = '<main><article class="post">{}</article></main>'
    """What the content stands in."""
    dated: Dated = "meta"
    banner: str = ""
    """What it says about cookies."""
    advertisement: str = ""
    footer: str = "All rights reserved."
    language: str = "en"
    related: str = "Related"


def dressed(
    style: Style,
    *,
    title: str,
    content: str,
    published: str = "",
    byline: str = "",
    links: Sequence[tuple[str, str]] = (),
    encoding: str = "utf-8",
    head: str = "",
) -> str:
    """A whole page.

    Args:
        content: HTML of what it says.
        links: Address and text of what it calls related.
        head: More HTML for its head.
    """
    shown = f'<p class="byline">By {escape(byline)}</p>' if byline else ""
    body = f"<h1>{escape(title)}</h1>\n{shown}\n{_shown_date(style, published)}\n{content}"
    parts = [
        f'<!DOCTYPE html>\n<html lang="{style.language}">\n<head>\n<meta charset="{encoding}">',
        f"<title>{escape(title)} | {escape(style.site)}</title>",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<link rel="stylesheet" href="/static/site.css">',
        _hidden_date(style, title, published),
        head,
        "<script>window.layers = []; function track() { layers.push(arguments); }</script>\n</head>\n<body>",
        f'<header class="site-header"><a href="/" class="logo">{escape(style.site)}</a>{_navigation(style)}</header>',
        style.frame.format(body),
        _aside(style, links),
        _footer(style),
        "</body>\n</html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _navigation(style: Style) -> str:
    items = "".join(f'<li><a href="/{number}/">{escape(name)}</a></li>' for number, name in enumerate(style.sections))
    return f'<nav aria-label="Main"><ul class="menu">{items}</ul></nav>'


def _aside(style: Style, links: Sequence[tuple[str, str]]) -> str:
    items = "".join(f'<li><a href="{escape(url)}">{escape(text)}</a></li>' for url, text in links)
    related = f'<aside class="related"><h3>{escape(style.related)}</h3><ul>{items}</ul></aside>' if items else ""
    advert = style.advertisement
    return related + (f'<div class="ad-slot" role="complementary">{escape(advert)}</div>' if advert else "")


def _footer(style: Style) -> str:
    banner = style.banner
    cookies = (
        f'<div id="cookie-banner" class="cookie-consent" role="dialog"><p>{escape(banner)}</p>'
        "<button>Accept all</button><button>Reject all</button></div>"
        if banner
        else ""
    )
    links = "".join(f'<a href="/{name}">{name.capitalize()}</a> ' for name in ("imprint", "privacy", "contact"))
    return f'<footer class="site-footer"><p>© {escape(style.site)}. {escape(style.footer)}</p>{links}</footer>{cookies}'


def _hidden_date(style: Style, title: str, published: str) -> str:
    if not published:
        return ""
    match style.dated:
        case "meta":
            return f'<meta property="article:published_time" content="{published}T08:30:00Z">'
        case "json-ld":
            told = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": title}
            return f'<script type="application/ld+json">{json.dumps({**told, "datePublished": published})}</script>'
        case "dublin-core":
            return f'<meta name="DC.date.issued" content="{published}">'
        case _:
            return ""


def _shown_date(style: Style, published: str) -> str:
    if not published:
        return ""
    day = written(date.fromisoformat(published))
    match style.dated:
        case "time":
            return f'<p><time datetime="{published}">{day}</time></p>'
        case "visible":
            return f'<p class="date">Published {day}</p>'
        case _:
            return ""
