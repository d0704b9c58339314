"""Of a web page its content is read, with its structure, and what it says of itself."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fathom.errors import NoEvidence
from fathom.pages.about import About
from fathom.pages.html import read
from tests.support.html_pages import ADDRESS, FRAMES, HEAD, PROSE, page

CONTENT = f"""<h1>Tides</h1><p>{PROSE}</p><p>{PROSE}</p>
<h2>Height</h2><p>It depends on the coast:</p><ul><li>six metres at Brest</li><li>a hand at Riga</li></ul>
<table><tr><th>Port</th><th>Metres</th></tr><tr><td>Brest</td><td>6.1</td></tr><tr><td>Riga</td><td>0.1</td></tr></table>
<dl><dt>Spring tide</dt><dd>The sun and the moon pull together.</dd></dl><pre>height = mean + range / 2</pre>
<p>See <a href="/almanac">the almanac</a> and <a href="/charts">the charts</a> for more of it.</p>"""
WORDS = ("Tides", "six metres at Brest", "Brest | 6.1", "pull together", "height = mean", "See the almanac")


NOISE = ("Another matter", "A story", "witness", "cookies", "newsletter", "First!", "All rights reserved", "Popular")


@pytest.mark.parametrize("frame", FRAMES)
def test_the_content_of_a_page_is_read_and_its_frame_is_not(frame: str) -> None:
    text = page(FRAMES[frame] % CONTENT).content.text
    assert [word for word in WORDS if word not in text] == []
    assert [word for word in NOISE if word in text] == []


def test_a_date_or_a_figure_in_an_element_of_its_own_stays_in_its_sentence() -> None:
    opened = "The bridge was opened on <time>3 May 1887</time> by the mayor, before <output>45</output> boats."
    text = page(FRAMES["semantic"] % f"<p>{opened}</p>{CONTENT}").content.text
    assert "The bridge was opened on 3 May 1887 by the mayor, before 45 boats." in text


@pytest.mark.parametrize("frame", FRAMES)
def test_a_page_in_a_frame_has_the_blocks_that_it_has_without(frame: str) -> None:
    framed, bare = page(FRAMES[frame] % CONTENT).content, page(CONTENT).content
    assert [(b.kind, framed.text[b.start : b.end]) for b in framed.blocks] == [
        (b.kind, bare.text[b.start : b.end]) for b in bare.blocks
    ]
    assert {"heading", "paragraph", "list_item", "table_row", "definition", "code"} <= {b.kind for b in framed.blocks}


@pytest.mark.parametrize(
    "part",
    [
        f"<div class=related-functions><h3>Related functions</h3><pre>{PROSE}</pre></div>",
        f"<div id=share-of-the-moon><p>{PROSE}</p></div>",
        f"<div class=comment-statement><dl><dt>COMMENT</dt><dd>{PROSE}</dd></dl></div>",
        f"<section><h2>Cookies</h2><p>{PROSE}A site may set cookies; a browser may accept them.</p></section>",
        f"<table><tr><th><a href=a>Port</a></th></tr><tr><td><a href=b>x</a> <a href=c>y</a>{PROSE}</td></tr></table>",
    ],
)
def test_content_that_only_resembles_a_frame_is_kept(part: str) -> None:
    assert (
        "because the moon pulls"
        in page(f"<h1>Title</h1><p>{'Another sentence about the sea. ' * 9}</p>{part}").content.text
    )


def test_the_encoding_is_that_of_the_header_or_of_the_page() -> None:
    text = "潮の満ち引きは月の引力によって起こり、一日に二回くり返される。" * 4
    for encoding in ("utf-8", "shift_jis", "euc_jp"):
        html = f"<html><head><meta charset={encoding}></head><body><p>{text}</p></body></html>"
        assert read(html.encode(encoding), address=ADDRESS).content.text == text
        bare = f"<html><body><p>{text}</p></body></html>"
        assert read(bare.encode(encoding), address=ADDRESS, charset=encoding).language == "ja"


@pytest.mark.parametrize(
    ("head", "body", "day"),
    [
        ('<meta property="article:published_time" content="2024-05-12T08:30:00+09:00">', "", "2024-05-12"),
        ('<meta name="citation_publication_date" content="2017/06/12">', "", "2017-06-12"),
        ('<meta name="DC.date.issued" content="2019-01-02">', "", "2019-01-02"),
        ('<script type="application/ld+json">{"@graph":[{"datePublished":"2023-11-05"}]}</script>', "", "2023-11-05"),
        ('<script type="application/ld+json">[{"dateModified":"2022-02-03"}]</script>', "", "2022-02-03"),
        ('<script type="application/ld+json">{not json</script>', "", ""),
        ("", "<time datetime='2021-03-04T00:00'>4 March</time>", "2021-03-04"),
        ("", "<p>Last updated: 7 August 2020</p>", "2020-08-07"),
        ("", "<p>Published on Sep 3rd, 2018</p>", "2018-09-03"),
        ("", "<p>更新日：2016年4月1日</p>", "2016-04-01"),
        ("", "<p>The Harbour Act was published on 3 May 1999 and was a great success.</p>", ""),
        ('<meta name="date" content="2999-01-01">', "", ""),
        ('<meta name="date" content="1970-01-01">', "", ""),
        ('<meta name="date" content="2024-13-45">', "", ""),
        ('<meta name="date" content="soon">', "", ""),
    ],
)  # fmt: skip
def test_a_page_says_when_it_was_published(head: str, body: str, day: str) -> None:
    assert page(f"<h1>Tides</h1>{body}<p>{PROSE * 3}</p>", head=HEAD + head).published == day


def test_the_date_in_the_address_and_that_of_the_server_count_last() -> None:
    assert page(CONTENT, address="https://harbour.org/2021/07/09/tides").published == "2021-07-09"
    assert page(CONTENT, last_modified="Wed, 21 Oct 2015 07:28:00 GMT").published == "2015-10-21"
    today = date(2015, 10, 21)
    assert About().published("", address=ADDRESS, last_modified="Wed, 21 Oct 2015 07:28:00 GMT", today=today) == ""


@pytest.mark.parametrize(
    ("head", "address", "nature"),
    [
        ('<script type="application/ld+json">{"@type":"NewsArticle"}</script>', ADDRESS, "other"),
        ('<script type="application/ld+json">{"@type":["Thing","ScholarlyArticle"]}</script>', ADDRESS, "other"),
        ('<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>', ADDRESS, "forum"),
        ('<meta property="og:type" content="product">', ADDRESS, "vendor"),
        ('<meta name="citation_doi" content="10.1/x">', ADDRESS, "other"),
        (
            '<script type="application/ld+json">{"@type":"ScholarlyArticle"}</script>',
            "https://www.reddit.com/r/x",
            "forum",
        ),
        ('<script type="application/ld+json">{"@type":"NewsArticle"}</script>', "https://www.cdc.gov/x", "official"),
        ("", ADDRESS, "other"),
    ],
)
def test_who_speaks_is_told_by_the_address_and_no_page_makes_itself_more_reliable(
    head: str, address: str, nature: str
) -> None:
    assert page(CONTENT, head=HEAD + head, address=address).nature == nature


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("https://harbour.org/tides", "https://harbour.org/tides"),
        ("/tides?utm_source=x#part", "https://harbour.org/tides"),
        ("https://www.harbour.org/tides", "https://www.harbour.org/tides"),
        ("https://evil.example/tides", ADDRESS),
        ("https://harbour.org/", ADDRESS),
        ("javascript:alert(1)", ADDRESS),
        ("http://[", ADDRESS),
    ],
)
def test_the_one_address_of_a_page_is_one_of_its_own_site(link: str, address: str) -> None:
    assert page(CONTENT, head=f'{HEAD}<link rel="canonical" href="{link}">').address == address


def test_the_title_is_without_the_name_of_the_site() -> None:
    assert page(CONTENT).title == "Tides"
    assert page(f"<p>{PROSE * 3}</p>", head="<title>Tides - The Harbour</title>").title == "Tides"
    named = '<title>Harbour</title><meta property="og:title" content="Tides">'
    named += '<meta property="og:site_name" content="Harbour">'
    assert page(f"<p>{PROSE * 3}</p>", head=named).title == "Tides"


HIDDEN = [
    "hidden",
    "style='display:none'",
    "style='opacity:0'",
    "style='font-size:0'",
    "class=gone",
    "aria-hidden=true",
]
PARTS = st.recursive(
    st.sampled_from(
        [f"<p>{PROSE}</p>", "<ul><li>one<li>two</ul>", "<table><tr><td>a<td>b</table>", "<pre>x\n y</pre>", "text"]
    ),
    lambda inner: st.tuples(
        st.sampled_from("div section article span td li dd b a".split()), st.lists(inner, max_size=3)
    ).map(lambda parts: f"<{parts[0]}>{''.join(parts[1])}</{parts[0]}>"),
    max_leaves=12,
)
SECRETS = st.tuples(
    st.sampled_from("div section span b h2 pre ul address small em".split()), st.sampled_from(HIDDEN), PARTS
).map(lambda parts: f"<{parts[0]} {parts[1]}>SECRET{parts[2]}SECRET</{parts[0]}>")


@given(st.lists(st.one_of(PARTS, SECRETS), min_size=1, max_size=8))
@settings(max_examples=2 * settings().max_examples)
def test_invisible_text_is_in_no_snapshot_and_blocks_are_exact(parts: list[str]) -> None:
    try:
        content = page(f"<p>{PROSE * 3}</p>" + "".join(parts), head=HEAD + "<style>.gone{display:none}</style>").content
    except NoEvidence:
        return
    assert "SECRET" not in content.text
    assert all(content.text[block.start : block.end].strip() for block in content.blocks)
    assert all(a.end <= b.start for a, b in zip(content.blocks, content.blocks[1:], strict=False))


@given(
    st.one_of(
        st.binary(max_size=300), st.text(st.sampled_from("<>/=\"' apdivtblr!-&;:#x\n"), max_size=200).map(str.encode)
    )
)
@example(b"\xff\xfe<")
@example(b"<html>" * 2_000 + b"x" * 500)
def test_any_bytes_are_a_page_or_no_evidence(data: bytes) -> None:
    try:
        content = read(data + f"<p>{PROSE * 3}</p>".encode(), address=ADDRESS).content
    except NoEvidence:
        return
    assert all(content.text[block.start : block.end].strip() for block in content.blocks)


@pytest.mark.parametrize(
    ("before", "leads"),
    [
        ("The height depends on the coast:", True),
        ("There are three kinds of ports.", True),
        ("These ports are the highest.", True),
        ("The ports with the highest tides are as follows.", True),
        ("Ports with high tides", True),
        ("Most visitors come in the first weeks of autumn, when the weather is settled.", False),
        ("Order now!", False),
    ],
)
def test_a_list_is_led_in_only_by_what_announces_it(before: str, leads: bool) -> None:
    content = page(f"<h1>Tides</h1><p>{PROSE * 3}</p><p>{PROSE} {before}</p><ul><li>Brest has six metres.</li></ul>")
    item = next(block for block in content.content.blocks if block.kind == "list_item")

    assert (item.lead_in is not None) == leads
