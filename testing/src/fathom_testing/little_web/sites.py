"""The sites of the little web: who publishes what on which topic, under which address and in which dress."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from random import Random

from fathom_testing.little_web import prose
from fathom_testing.little_web.chrome import Style, dressed
from fathom_testing.little_web.content import Block, html_of, paragraph, text_of
from fathom_testing.little_web.page import LittlePage
from fathom_testing.little_web.pdf import pdf_of
from fathom_testing.little_web.topics import Topic
from fathom_testing.little_web.words import Words

OFFICE = "register.gov.localhost"
UNIVERSITY = "papers.uni.edu.localhost"
HERALD = "news.herald.localhost"
FORUM = "forum.valley.localhost"
SHOP = "shop.guides.localhost"
WIKI = "wiki.localhost"
COURIER = "courier.localhost"
GAZETTE = "gazette.localhost"
MIRROR = "mirror.localhost"

Page = Callable[..., LittlePage]
_COOKIES = (
    "We value your privacy. We and our partners use cookies to measure and personalise. You can change this later."
)
_NEWS = ("Home", "Politics", "Economy", "Science", "Sport", "Weather", "Opinion", "Newsletters", "Subscribe")
STYLES: dict[str, Style] = {
    OFFICE: Style("Office of the Register", ("Services", "Register", "Notices", "Forms"), dated="dublin-core"),
    UNIVERSITY: Style(
        "University Papers", ("Issues", "Authors", "Submit"), frame='<div id="content">{}</div>', dated="meta"
    ),
    HERALD: Style(
        "The Herald",
        _NEWS,
        dated="json-ld",
        banner=_COOKIES,
        advertisement="Advertisement: the winter sale begins on Friday.",
        footer="Printed in the capital since 1871.",
    ),
    FORUM: Style("Valley Forum", ("Latest", "Top", "Log in"), frame='<div class="posts">{}</div>', dated="time"),
    SHOP: Style(
        "Guides and Maps",
        ("Guides", "Maps", "Basket (0)", "Gift cards"),
        frame='<main><div class="product">{}</div></main>',
        dated="",
        banner=_COOKIES,
        advertisement="Customers who bought this also bought a compass.",
    ),
    WIKI: Style(
        "Little Wiki", ("Main page", "Random page", "Recent changes", "Donate"), frame='<div id="mw-content">{}</div>'
    ),
    COURIER: Style(
        "Evening Courier",
        ("Today", "Regions", "Motoring", "Puzzles", "Obituaries"),
        frame='<div class="page"><div class="story">{}</div></div>',
        dated="visible",
        banner="This site uses cookies. By staying here you agree.",
        advertisement="Sponsored: a better mattress in ten easy steps.",
        footer="A member of the United Press Group.",
    ),
    GAZETTE: Style(
        "Northern Gazette",
        _NEWS[:5],
        frame='<table class="layout"><tr><td class="left">Edition of the north</td><td>{}</td></tr></table>',
        dated="time",
        footer="Letters to the editor are welcome.",
    ),
}


def published(topic: Topic, related: Sequence[Topic], words: Words) -> Iterator[LittlePage]:
    """Every page on a topic, copies at other sites included."""
    chance = words.chance()
    since, slug, name = topic.changed.isoformat(), topic.slug, topic.name
    before = (topic.changed - timedelta(days=700)).isoformat()

    def page(
        host: str, path: str, title: str, blocks: list[Block], *, when: str = "", links: bool = True, byline: str = ""
    ) -> LittlePage:
        others = [(_address_of(host, other), other.name) for other in related] if links else []
        html = dressed(STYLES[host], title=title, content=html_of(blocks), published=when, byline=byline, links=others)
        changed = [("last-modified", _http_date(when))] if when and host in (OFFICE, WIKI) else []
        return LittlePage(host, path, title, html.encode(), text_of(blocks), when, headers=tuple(changed))

    yield page(WIKI, f"/wiki/{slug}", name, prose.encyclopedia(topic, chance), when=_later(since, chance))
    yield page(
        OFFICE, f"/register/{slug}/", f"{name}: entry in the register", prose.authority(topic, chance), when=since
    )
    yield page(
        OFFICE, f"/notices/{slug}", f"Notice on {name}", prose.authority_before(topic, chance), when=before, links=False
    )
    title, told = f"New rule for {name}", prose.report(topic, chance)
    path, author = f"/{since.replace('-', '/')}/new-rule-for-{slug}", words.person()
    story = page(HERALD, path, title, told, when=since, byline=author)
    yield story
    yield page(COURIER, f"/story/{slug}-rule", title, told, when=since, byline=words.person())
    yield page(
        GAZETTE,
        f"/{slug}.html",
        f"{title} announced",
        [*told, paragraph("The paper could not reach the office.")],
        when=since,
    )
    yield LittlePage(MIRROR, path, title, story.body, story.text, since)
    yield page(
        HERALD, f"/{before.replace('-', '/')}/a-visit-to-{slug}", f"A visit to {name}",
        prose.report_before(topic, chance), when=before, byline=author,
    )  # fmt: skip
    asked = f"{chance.randrange(10_000, 99_999)}"
    people = [words.person() for _ in range(3)]
    yield page(FORUM, f"/t/{slug}/{asked}", f"Numbers of {name}?", prose.thread(topic, chance, people), when=since)
    yield page(SHOP, f"/products/{slug}", f"The {name} guide", prose.offer(topic, chance))
    yield from _paper(topic, _later(since, chance), chance, page)


def _paper(topic: Topic, when: str, chance: Random, page: Page) -> Iterator[LittlePage]:
    """A paper as a PDF, and the page with its abstract."""
    blocks, title = prose.study(topic, chance), f"Two years of measurements at {topic.name}"
    text = text_of(blocks)
    yield page(UNIVERSITY, f"/abs/{topic.slug}", title, prose.abstract(topic), when=when)
    yield LittlePage(
        UNIVERSITY, f"/pdf/{topic.slug}.pdf", title, pdf_of(title, text), text, when, content_type="application/pdf"
    )


def _address_of(host: str, topic: Topic) -> str:
    """Where a site has another topic, seen from within the site."""
    paths = {WIKI: "/wiki/{}", OFFICE: "/register/{}/", COURIER: "/story/{}-rule", GAZETTE: "/{}.html"}
    return {**paths, UNIVERSITY: "/abs/{}", SHOP: "/products/{}"}.get(host, "/search?q={}").format(topic.slug)


def _later(day: str, chance: Random) -> str:
    return (date.fromisoformat(day) + timedelta(days=chance.randrange(20, 400))).isoformat()


def _http_date(day: str) -> str:
    return date.fromisoformat(day).strftime("%a, %d %b %Y 08:30:00 GMT")
