from __future__ import annotations

import pytest

from fathom.reading.readers import read_bytes
from tests.support.readers import lead_ins, read, shown

PAGE = """<!DOCTYPE html><html><head><title>25.1. Vacuuming - The Manual</title><style>p{}</style></head><body>
<div class="navheader"><a href="p">Prev</a> | <a href="n">Next</a></div>
<div id="sphinxsidebar"><p>Sidebar</p></div>
<div id="banner"><a href="b">Download the book</a></div>
<ul class="docnav top"><li class="previous"><a href="p">Prev</a></li><li class="home">The Manual</li></ul>
<h2 class="title">25.1.&nbsp;Vacuuming<a class="headerlink" href="#x">¶</a></h2>
<p>It is <em>on</em> by
   <code>de</code>fault<sup><a class="footnote-reference" href="#f">1</a></sup>, up to 2<sup>32</sup>.
<script>x()</script></p>
<p style="display:none">hidden</p>
<p>The reasons are:</p>
<ul><li><p>To recover space.</p></li><li>To update:<ul><li>nested</li></ul><p>More on it.</p></li></ul>
<div class="variablelist"><dl><dt><code>autovacuum</code> (boolean)</dt><dd><p>On by default.</p>
<div class="note"><h3>Note</h3><p>Inside.</p></div></dd></dl></div>
<div class="warning"><h3>Warning</h3><p>Take care.</p></div>
<table><thead>
<tr><th>Name</th><th>Type</th></tr></thead><tbody><tr><td>oid</td><td></td></tr><tr><td>a</td><td>b</td></tr></tbody>
</table>
<pre class="x">
SELECT 1;
  FROM t;
</pre>
<p class="rubric">Footnotes</p>
<p>See <a href="a">this</a> and that.</p>
<div><a href="1">One</a> | <a href="2">Two</a> | <a href="3">Three</a></div>
<ul><li><a href="1">One</a></li><li><a href="2">Two</a></li></ul>
<div>&lt;-previous | next-&gt;</div>
<footer>Copyright</footer></body></html>"""


def test_the_content_of_a_page_is_kept_and_its_navigation_is_not() -> None:
    assert shown(read(PAGE, ".html")) == [
        ("heading", "25.1. Vacuuming"),
        ("paragraph", "It is on by default, up to 2^32."),
        ("paragraph", "The reasons are:"),
        ("list_item", "To recover space."),
        ("list_item", "To update:"),
        ("list_item", "nested"),
        ("paragraph", "More on it."),
        ("definition", "On by default."),
        ("paragraph", "Inside."),
        ("paragraph", "Take care."),
        ("table_row", "oid"),
        ("table_row", "a | b"),
        ("code", "SELECT 1; FROM t;"),
        ("heading", "Footnotes"),
        ("paragraph", "See this and that."),
    ]


def test_what_a_reader_needs_before_is_the_lead_in() -> None:
    found = lead_ins(read(PAGE, ".html"))
    assert found["To recover space."] == "The reasons are:"
    assert found["nested"] == "To update:"
    assert found["On by default."] == found["Inside."] == "autovacuum (boolean)"
    assert found["Take care."] == "Warning"
    assert found["a | b"] == "Name | Type"


def test_the_name_of_the_site_is_no_part_of_the_title() -> None:
    assert read(PAGE, ".html").title == "25.1. Vacuuming"
    assert read("<title>Page — Site 1.0</title><p>x y z</p>", ".html").title == "Page"
    assert read("<h1>Only a heading</h1><p>x</p>", ".html").title == "Only a heading"


@pytest.mark.parametrize(
    ("html", "blocks"),
    [
        ("<p>太字の<b>文</b>\n  です。</p>", [("paragraph", "太字の文です。")]),
        ("<p>one<br>two</p>", [("paragraph", "one two")]),
        (
            "loose <b>text</b><p>para</p>tail",
            [("paragraph", "loose text"), ("paragraph", "para"), ("paragraph", "tail")],
        ),
        (
            "<div class='note'><table><tr><td><img></td><th>注記</th></tr>"
            "<tr><td><p>本文。</p></td></tr></table></div>",
            [("paragraph", "本文。")],
        ),
        (
            "<dl class='py function'><dt class='sig'><span>foo</span>(<em>a</em>)<a class='headerlink'>¶</a></dt>"
            "<dd><p>Does.</p></dd></dl>",
            [("definition", "Does.")],
        ),
        ("<table role='presentation'><tr><td><p>Laid out.</p></td></tr></table>", [("paragraph", "Laid out.")]),
        ("<header><h1>Title</h1></header><p>x.</p>", [("heading", "Title"), ("paragraph", "x.")]),
        ("<section id='menu'><h2>The menu</h2><p>x.</p></section>", [("heading", "The menu"), ("paragraph", "x.")]),
        ("<div id='menu'><p>File</p></div><div class='toc'><h2>Contents</h2></div><p>x.</p>", [("paragraph", "x.")]),
        ("<nav><p>a</p></nav><aside>b</aside><p>c</p>", [("paragraph", "c")]),
        ("<blockquote><p>Said.</p></blockquote>", [("quote", "Said.")]),
        ("<figure><figcaption>A picture</figcaption></figure><p>Text.</p>", [("paragraph", "Text.")]),
    ],
)
def test_structure_is_read_as_what_it_is(html: str, blocks: list[tuple[str, str]]) -> None:
    assert shown(read(html, ".html")) == blocks


def test_every_cell_of_a_table_stays_in_its_column() -> None:
    table = (
        "<table><caption>Table 1. Keys</caption><tr><th>Name<th>Key<th>What</tr><tr><td rowspan=2>go on<td>n<td>next"
        "</tr><tr><td>j<td>next one</tr><tr><td>copy<td><td>copies</tr><tr><td colspan=2>ls | more<td>pipes</tr>"
        "<tr><td><td>|</tr><tr><td></tr></table>"
    )
    assert shown(read(table, ".html")) == [
        ("paragraph", "Table 1. Keys"),
        ("table_row", "go on | n | next"),
        ("table_row", "go on | j | next one"),
        ("table_row", "copy | | copies"),
        ("table_row", "ls |more | | pipes"),
        ("table_row", "| ｜"),
    ]


HEADS = "<tr><th rowspan=2>When</th><th colspan=2>Share of the price</th><th rowspan=2></th></tr>"
NAMES = "<tr><th>1-4 guests</th><th>5 or more</th></tr>"
SHARES = "<tr><td>the day before<td>50%<td>60%<td>*</tr><tr><td>not at all<td>100%<td>100%<td></tr>"
TITLE = "<tr><th colspan=4>Cancelling</th></tr>"


@pytest.mark.parametrize(
    "table",
    [
        HEADS + NAMES + SHARES,
        f"<thead>{HEADS}{NAMES}</thead><tbody>{SHARES}</tbody>",
        TITLE + HEADS + NAMES + SHARES,
        f"<thead>{TITLE}{HEADS}{NAMES}</thead>{SHARES}",
    ],
)
def test_a_head_of_several_rows_names_each_column_in_full(table: str) -> None:
    document = read(f"<table>{table}</table>", ".html")
    head = "When | Share of the price · 1-4 guests | Share of the price · 5 or more"
    assert lead_ins(document) == {"the day before | 50% | 60% | *": head, "not at all | 100% | 100%": head}
    assert document.text.count("When") == 1 and document.text.count("Cancelling") == table.count("Cancelling")


def test_a_name_that_reaches_beyond_the_columns_is_told_as_often_as_there_are_some() -> None:
    table = "<table><tr><th>Day<th colspan=99>Open</tr><tr><td>Monday<td>9<td>17</tr></table>"
    assert lead_ins(read(table, ".html")) == {"Monday | 9 | 17": "Day | Open | Open"}


PRICES = "<tr><th>Item<th>Badge<th>Small<th>Medium<th>Large</tr>"


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("<td>Shirt<td>optional<td colspan=3>6.95", "Shirt | optional | 6.95 | 6.95 | 6.95"),
        ("<td>Shirt<td colspan=2>6.95<td>7.25", "Shirt | 6.95 | 6.95 | 7.25"),
        ("<td>Shirt<td rowspan=2 colspan=2>none<td>5</tr><tr><td>Hat<td>6", "Hat | none | none | 6"),
        ("<td>Shirt<td><td colspan=99>6.95", "Shirt | | 6.95 | 6.95 | 6.95"),
        ("<td colspan=5>For the winter", "For the winter"),
        ("<td><td colspan=4>For the winter", "| For the winter"),
        ("<td colspan=4>Total<td>21.00", "Total | | | | 21.00"),
        (f"<td>Shirt<td colspan=3>{'long ' * 20}<td>5", f"Shirt | {'long ' * 20}| | | 5"),
    ],
)
def test_a_value_of_several_columns_is_told_in_each_and_a_name_once(row: str, told: str) -> None:
    assert shown(read(f"<table>{PRICES}<tr>{row}</tr></table>", ".html"))[-1] == ("table_row", told)


def test_rows_of_a_table_that_are_set_like_heads_stay_rows() -> None:
    names = "<tr><th>Year</th><th>Visitors</th></tr>"
    total = "<tr><th>Total</th><th>310</th></tr>"
    group = "<tr><th colspan=2>Summer</th></tr>"
    rows = read(f"<table>{names}{group}<tr><td>2024<td>310</tr>{total}</table>", ".html")
    assert shown(rows) == [("table_row", "Summer"), ("table_row", "2024 | 310"), ("table_row", "Total | 310")]
    assert set(lead_ins(rows).values()) == {"Year | Visitors"}
    for table in (names + total, f"<thead>{names}{total}</thead>"):
        assert lead_ins(read(f"<table>{table}</table>", ".html")) == {"Total | 310": "Year | Visitors"}


def test_deep_nesting_is_read() -> None:
    document = read("<div>" * 3000 + "<p>deep</p>" + "</div>" * 3000, ".html")
    assert "deep" in document.text or document.blocks == ()


MANUAL = """<title>Balancer 2.6 - Manual</title><h1>Balancer</h1><h2>Manual</h2>
<div><div><small>1.</small><a href="#1">Setup</a></div><div><small>2.</small><a href="#2">Terms</a></div>
<div><small>3.</small><a href="#3">More</a></div></div>
<div><b>balance</b> &lt;how&gt; ...</div><pre>It says how the servers are chosen for what comes in, by one of
these :

  - in turns, which is <a href="#x">the fairest</a> way of all
  - the one with the least to do

DEFAULT

When nothing is said, it is <span>in turns<ul class="dropdown-menu"><li>Elsewhere</li></ul></span> for all.</pre>
<div><b>See also :</b> <a href="#y">weight</a></div><pre>balance roundrobin
balance hdr(host)</pre>"""


def test_a_page_that_is_a_text_in_pre_is_read_like_one_and_its_programs_stay() -> None:
    document = read(MANUAL, ".html")
    assert shown(document) == [
        ("heading", "Balancer"),
        ("heading", "Manual"),
        ("heading", "balance <how> ..."),
        ("paragraph", "It says how the servers are chosen for what comes in, by one of these :"),
        ("list_item", "in turns, which is the fairest way of all"),
        ("list_item", "the one with the least to do"),
        ("heading", "DEFAULT"),
        ("paragraph", "When nothing is said, it is in turns for all."),
        ("paragraph", "See also : weight"),
        ("code", "balance roundrobin balance hdr(host)"),
    ]
    assert [block.level for block in document.blocks if block.kind == "heading"] == [1, 2, 3, 3]
    assert set(lead_ins(document).values()) == {shown(document)[3][1].replace("one of these", "one of\nthese")}


def test_pages_of_one_manual_are_told_apart_by_their_titles() -> None:
    assert read(MANUAL, ".html").title == "Balancer 2.6 - Manual"


def test_a_page_about_a_program_keeps_what_it_prints_as_it_stands() -> None:
    printed = "<pre>the server is on the way and it has been for a while</pre>"
    document = read(f"<h1>Run</h1><p>{'Start it, wait for it, and read what it says. ' * 5}</p>{printed}", ".html")
    assert shown(document)[-1][0] == "code"


def test_the_sign_that_leads_to_the_description_of_a_picture_is_no_text() -> None:
    sign = '<div class="longdesc-link"><br><span class="longdesc-link">[<a href="ld.html">D</a>]</span></div>'
    page = f'<html><body><p>The tide is high.</p><div><img alt="">{sign}</div><p>So it is.</p></body></html>'
    assert [text for _, text in shown(read(page, ".html"))] == ["The tide is high.", "So it is."]


@pytest.mark.parametrize(
    "question",
    [
        "<h3><button type=button>May I moor?</button></h3><div>Yes.</div>",
        "<h3><button aria-controls=a>May I moor?</button></h3><div id=a hidden>Yes.</div>",
        "<div><button aria-expanded=false aria-controls=a>May I moor?</button></div><div id=a><p>Yes.</p></div>",
        "<div role=button aria-controls=a>May I moor?</div><div id=a aria-hidden=true><p>Yes.</p></div>",
        "<div role=heading aria-level=3><button data-bs-target='#a'>May I moor?</button></div><div id=a>Yes.</div>",
        "<details><summary>May I moor?</summary><p>Yes.</p></details>",
    ],
)
def test_a_question_that_opens_its_answer_is_a_heading(question: str) -> None:
    found = shown(read(f"<h1>Harbour</h1><p>It was dug in 1887.</p>{question}", ".html"))
    assert found[-2:] == [("heading", "May I moor?"), ("paragraph", "Yes.")]


def test_a_button_that_opens_a_menu_or_does_something_is_no_text() -> None:
    menu = "<button aria-controls=m>Menu</button><ul id=m><li><a href=a>One</a><li><a href=b>Two</a></ul>"
    page = f"{menu}<h1>Harbour <button>Copy link</button></h1><p>It was dug.</p><button aria-controls=x>Share</button>"
    assert shown(read(page, ".html")) == [("heading", "Harbour"), ("paragraph", "It was dug.")]


TEX = (
    "<semantics><msup><mi>c</mi><mn>2</mn></msup><annotation encoding='application/x-tex'>c^2</annotation></semantics>"
)


@pytest.mark.parametrize(
    "formula",
    [
        f"<span class=katex><span class=katex-mathml><math>{TEX}</math></span>"
        "<span class=katex-html aria-hidden=true>c2</span></span>",
        "<math><msup><mi>c</mi><mn>2</mn></msup></math>",
        "<math alttext='c^2'><mi>c</mi><mn>2</mn></math>",
        "<mjx-container><mjx-math aria-hidden=true>c2</mjx-math><mjx-assistive-mml><math><msup><mi>c</mi><mn>2</mn>"
        "</msup></math></mjx-assistive-mml></mjx-container>",
        "<span class=MathJax_Preview>c2</span><span class=MathJax><span>c2</span></span>"
        "<script type='math/tex'>c^2</script>",
        "<span class=mwe-math-element><span style='display: none;'><math><mi>c</mi></math></span>"
        "<img class=mwe-math-fallback-image-inline aria-hidden=true alt='{\\displaystyle c^2}'></span>",
    ],
)
def test_a_formula_is_read_once(formula: str) -> None:
    text = [("paragraph", "Energy is m times c^2 at rest.")]
    assert shown(read(f"<p>Energy is m times {formula} at rest.</p>", ".html")) == text


@pytest.mark.parametrize(
    "struck",
    ["<del>{}</del>", "<s>{}</s>", "<span style='text-decoration: line-through'>{}</span>", "<i class=old>{}</i>"],
)
def test_struck_text_is_left_out_and_the_document_says_so(struck: str) -> None:
    price, hour = struck.format("310 euros"), struck.format("at 7")
    style = "<style>.old{text-decoration-line:line-through}</style>"
    document = read(f"{style}<p>The fee is {price} <ins>365 euros</ins>. The gate opens {hour} at 9.</p>", ".html")
    assert document.text == "The fee is 365 euros. The gate opens at 9."
    assert document.left_out == (("struck text left out", "2 places"),)
    assert read("<p>The fee is 365 euros.<del> </del></p>", ".html").left_out == ()


LATIN, CYRILLIC = "Ein Platz kostet 45 € – „alles dabei“.", "Стоянка стоит 45 рублей за ночь, вода включена."


@pytest.mark.parametrize(
    "label", ["iso-8859-1", "latin1", "ISO_8859-1", "us-ascii", "l1", "x-cp1252", "utf-16", "none"]
)
def test_latin_1_means_what_it_means_to_a_browser(label: str) -> None:
    page = f"<meta charset='{label}'><p>{LATIN}</p>".encode("cp1252")
    assert read_bytes(page, ".html").text == LATIN
    assert read_bytes(page + b"<p>a\x81b</p>", ".html").text.startswith(LATIN)


@pytest.mark.parametrize(
    "before",
    [
        "<!-- <meta charset=koi8-r> -->",
        "<script>const a = '<meta charset=koi8-r>'</script>",
        "<style>/* <meta charset=koi8-r> */</style><title><meta charset=koi8-r></title>",
        "<meta name=description content='charset=koi8-r'>",
        "<link title='<meta charset=koi8-r>'>",
    ],
)
@pytest.mark.parametrize(
    "told", ["<meta charset=windows-1251>", "<meta http-equiv=Content-Type content='text/html; charset=cp1251'>"]
)
def test_only_what_declares_an_encoding_counts(before: str, told: str) -> None:
    assert read_bytes(f"{before}{told}<p>{CYRILLIC}</p>".encode("cp1251"), ".html").text == CYRILLIC
