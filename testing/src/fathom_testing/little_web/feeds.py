"""What is new at a site, as RSS and as Atom."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from xml.sax.saxutils import escape

from fathom_testing.little_web.page import LittlePage


def feeds(site: str, host: str, address: str, pages: Sequence[LittlePage]) -> list[LittlePage]:
    """`/feed.xml` and `/atom.xml` of a site with its newest pages; `address` is where it is served."""
    newest = sorted((page for page in pages if page.published), key=lambda page: page.published, reverse=True)[:20]
    rss = "".join(
        f"<item><title>{escape(page.title)}</title><link>{escape(address + page.path)}</link>"
        f"<pubDate>{date.fromisoformat(page.published):%a, %d %b %Y} 08:30:00 GMT</pubDate>"
        f"<description>{escape(page.text.split(chr(10))[0])}</description></item>"
        for page in newest
    )
    atom = "".join(
        f"<entry><title>{escape(page.title)}</title><id>{escape(address + page.path)}</id>"
        f'<link href="{escape(address + page.path)}"/><updated>{page.published}T08:30:00Z</updated>'
        f"<summary>{escape(page.text.split(chr(10))[0])}</summary></entry>"
        for page in newest
    )
    head, title = '<?xml version="1.0" encoding="utf-8"?>', escape(site)
    latest = newest[0].published if newest else ""
    text = "\n".join(f"{page.title}\n{page.text.split(chr(10))[0]}" for page in newest)
    whole = {
        "/feed.xml": (
            "application/rss+xml",
            f'{head}<rss version="2.0"><channel><title>{title}</title><link>{address}/</link>'
            f"<description>News of {title}</description>{rss}</channel></rss>",
        ),
        "/atom.xml": (
            "application/atom+xml",
            f'{head}<feed xmlns="http://www.w3.org/2005/Atom"><title>{title}</title><id>{address}/</id>'
            f"<updated>{latest}T08:30:00Z</updated>{atom}</feed>",
        ),
    }
    return [
        LittlePage(host, path, f"{site}: news", xml.encode(), text, latest, content_type=kind, listed=False)
        for path, (kind, xml) in whole.items()
    ]
