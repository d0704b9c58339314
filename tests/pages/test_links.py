"""Of a page those links are kept that its main text makes to other pages: each page once, with the words around."""

from __future__ import annotations

import pytest

from fathom.browsing import PageLink
from fathom.pages.links import LONGEST, MOST
from tests.support.html_pages import FRAMES, PROSE, page


def led_to(body: str, *, head: str = "<title>Tides</title>") -> list[str]:
    """Where a page at `https://harbour.org/sea/tides` leads."""
    return [link.url for link in page(body, head=head).links]


@pytest.mark.parametrize("frame", FRAMES)
def test_links_of_the_text_are_kept_and_those_of_its_frame_are_not(frame: str) -> None:
    body = f"<h1>Tides</h1><p>{PROSE}</p><p>{PROSE}</p><p>See <a href='/almanac'>the almanac</a> for more.</p>"
    assert led_to(FRAMES[frame] % body) == ["https://harbour.org/almanac"]


def test_each_page_is_led_to_once_by_the_address_that_fathom_writes_and_never_to_itself() -> None:
    links = " ".join(
        f"<a href='{href}'>there</a>"
        for href in (
            "neap",
            "NEAP#top",
            "./neap?utm_source=x",
            "/sea/tides#height",
            "#height",
            "HTTP://Isles.Org:80/",
            "",
        )
    )
    assert led_to(f"<p>{PROSE}</p><p>{PROSE} {links}</p>") == [
        "https://harbour.org/sea/neap",
        "https://harbour.org/sea/NEAP",
        "http://isles.org/",
    ]


def test_a_page_says_what_its_addresses_count_from() -> None:
    head = "<title>Tides</title><base href='https://isles.org/docs/'>"
    assert led_to(f"<p>{PROSE}</p><p>{PROSE} <a href=neap>There</a>.</p>", head=head) == ["https://isles.org/docs/neap"]


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        "mailto:a@b.org",
        "data:text/html,x",
        "ftp://isles.org/x",
        "file:///etc/passwd",
        "https://me:secret@isles.org/",
        "https://[::1/",
        "https://isles.org:port/",
        "https://evil.org\\.harbour.org/",
        f"/{'x' * LONGEST}",
    ],
)
def test_what_is_no_address_of_a_page_is_no_link(href: str) -> None:
    assert led_to(f"<p>{PROSE}</p><p>{PROSE} <a href='{href}'>There</a>.</p>") == []


def test_a_link_is_kept_with_its_words_and_those_around_it_without_what_steers_a_terminal() -> None:
    body = (
        f"<p>{PROSE}</p><p>At <b>new moon</b> see <a href=/neap><i>neap</i>\x1b[2J\u202e tides</a>, twice. {PROSE}</p>"
    )
    (link,) = page(body).links
    assert link.url == "https://harbour.org/neap" and link.text == "neap [2J tides"
    assert link.beside.startswith("At new moon see neap [2J tides, twice. The tide rises") and len(link.beside) < 150


def test_a_list_of_links_counts_where_the_page_says_where_its_main_part_is() -> None:
    body = f"<h1>Tides</h1><p>{PROSE}</p><p>{PROSE}</p><ul><li><a href=/a>Neap tides</a><li><a href=/b>Waves</a></ul>"
    assert led_to(body) == []
    assert led_to(f"<main>{body}</main>") == ["https://harbour.org/a", "https://harbour.org/b"]


def test_of_very_many_links_the_first_are_kept() -> None:
    body = "".join(f"<p>{PROSE} <a href=/{number}>Number {number}</a> tells it.</p>" for number in range(3 * MOST))
    assert led_to(body) == [f"https://harbour.org/{number}" for number in range(MOST)]


def test_what_is_no_web_page_has_no_links() -> None:
    from fathom.pages.reading import read

    text = f"# Tides\n\n{PROSE}\n\n{PROSE} [There](https://isles.org/).\n"
    assert read(text.encode(), media_type="text/markdown", address="https://harbour.org/sea.md").links == ()
    assert PageLink(url="https://isles.org/", text="There").on == ""
