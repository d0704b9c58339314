"""Feeds are read entry by entry; other data is no feed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.errors import Unreadable
from fathom.reading.feed import is_feed, read

RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>Harbour News</title><link>https://harbour.example/</link>
<item><title>Tide &amp;amp; time</title><pubDate>Sun, 12 May 2024 08:30:00 GMT</pubDate>
<description>&lt;p&gt;The &lt;b&gt;tide&lt;/b&gt; came in.&lt;/p&gt;
&lt;p hidden&gt;SECRET&lt;/p&gt;</description></item>
<item><title>潮汐</title><description>短い要約。</description>
<content:encoded><![CDATA[<p>潮の満ち引きは月の引力による。</p><ul><li>大潮</li></ul>]]></content:encoded></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Tides</title><entry><title>High</title>
<updated>2023-01-02T00:00:00Z</updated><summary>Water is high.</summary></entry></feed>"""
JSON = json.dumps(
    {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "Tides",
        "items": [{"title": "Low", "date_published": "2022-03-04T00:00:00Z", "content_text": "Water < land."}, 3, {}],
    }
)


def shown(text: str) -> list[tuple[str, str]]:
    document = read(text.encode())
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def test_an_entry_is_a_heading_with_its_date_and_its_longest_text() -> None:
    assert shown(RSS) == [
        ("heading", "Tide & time"),
        ("paragraph", "2024-05-12"),
        ("paragraph", "The tide came in."),
        ("heading", "潮汐"),
        ("paragraph", "潮の満ち引きは月の引力による。"),
        ("list_item", "大潮"),
    ]
    assert read(RSS.encode()).title == "Harbour News"


def test_atom_and_json_feeds_are_read_too() -> None:
    assert shown(ATOM) == [("heading", "High"), ("paragraph", "2023-01-02"), ("paragraph", "Water is high.")]
    assert shown(JSON) == [("heading", "Low"), ("paragraph", "2022-03-04"), ("paragraph", "Water < land.")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[1]",
        '{"items": []}',
        "<html><body>x</body></html>",
        "<svg xmlns='http://www.w3.org/2000/svg'/>",
        "<rss><channel><title>Empty</title></channel></rss>",
        '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><channel><item><title>&b;</title></item></rss>',
        '{"version": "https://jsonfeed.org/version/1", "items": {}}',
    ],
)
def test_what_is_no_feed_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read(text.encode())


def test_a_feed_is_told_by_how_it_begins() -> None:
    assert is_feed(RSS.encode())
    assert is_feed(ATOM.encode())
    assert is_feed(JSON.encode())
    assert not is_feed(b"<project><rss-url/></project>")
    assert not is_feed(b'{"a": 1}')


@given(st.text(st.sampled_from("<>/&;![]\"'= abcrsitem")), st.binary(max_size=40))
def test_any_bytes_are_a_feed_or_refused(text: str, data: bytes) -> None:
    for content in (data, RSS.replace("The ", text).encode(), JSON.replace("Water", text).encode()):
        try:
            document = read(content)
        except Unreadable:
            continue
        assert all(document.text[block.start : block.end].strip() for block in document.blocks)


def test_half_a_character_costs_no_feed() -> None:
    item = {"title": "Tides \ud800", "content_html": "<p>Spring \udc00 tides.</p>"}
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": "\ud800", "items": [item]}
    assert read(json.dumps(feed).encode()).text.encode().startswith(b"Tides ?")
