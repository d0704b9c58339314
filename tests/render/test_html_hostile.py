"""Whatever stands in a source, a title or a question: in HTML it is text."""

from __future__ import annotations

import re

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.render.html import article, render
from tests.support.composed_report import composed_report
from tests.support.whole_report import SNAPSHOTS, whole_report

ELEMENTS = frozenset(
    "html head meta title style body a main article header h1 h2 h3 h4 h5 h6 p time span section nav ol ul li div "
    "figure figcaption b img table thead tbody tr th td br wbr dl dt dd footer blockquote mark cite code sup".split()
)
ATTRIBUTES = frozenset(
    "id class lang href rel role title tabindex scope src alt datetime content http-equiv name charset".split()
)
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
NASTY = (
    "<script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</title></head><body onload=alert(1)>",
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)' autofocus='",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "//evil.example/x",
    'https://evil.example/"onmouseover="alert(1)',
    "{{ 7*7 }}{% raw %}",
    "<!--",
    "-->",
    "]]>",
    "&lt;b&gt;",
    "\u202egnp.exe",
    "\u2066x\u2069",
    "\x00\x07\x1b[31m",
    "\x85\u2028\u2029",
    "\ufffe\uffff",
    "`<b>`",
    "[S1][x](javascript:alert(1))",
    "\ue000",
    "👩\u200d🚀",
)


def check(text: str) -> None:
    """No element, attribute or address that is not ours, and no character that steers."""
    assert not UNSEEN.search(text)
    text.encode()
    for each in lxml.html.document_fromstring(text).iter():
        assert each.tag in ELEMENTS, each.tag
        for name, value in each.attrib.items():
            assert name in ATTRIBUTES or re.fullmatch(r"(?:data|aria)-[a-z]+", str(name)), name
            if name == "href":
                assert re.match(r"#|https?://", str(value)), value
            if name == "src":
                assert str(value).startswith("data:image/svg+xml;base64,")


nasty = st.lists(st.sampled_from(NASTY) | st.text(max_size=6), min_size=1, max_size=3).map("".join)


@given(nasty, st.booleans())
def test_text_from_outside_adds_nothing_to_the_html(evil: str, in_front: bool) -> None:
    report = whole_report(outside=lambda text: evil + text if in_front else text + evil, draws=False)
    snapshots = {sha256: evil + text + evil for sha256, text in SNAPSHOTS.items()}
    check(render(report, snapshots=snapshots))
    check(article(report))
    check(render(composed_report(outside=lambda text: evil + text if in_front else text + evil)))


@pytest.mark.parametrize("evil", ["\ud800", "lone \udfff surrogate", *NASTY[:8]])
def test_alone_a_hostile_text_stays_inert(evil: str) -> None:
    report = whole_report(outside=lambda _: evil, draws=False)
    check(render(report))


def test_hostile_quotations_are_shown_and_nothing_more() -> None:
    evil = "<script>alert('x')</script> & \"quoted\" \u202eevil\u202c\r\nnext"
    report = whole_report(draws=False)
    quote = report.evidence[0].model_copy(update={"quote": evil, "start": 4, "end": 4 + len(evil)})
    changed = report.model_copy(update={"evidence": (quote, *report.evidence[1:])})
    text = render(changed, snapshots={**SNAPSHOTS, "1" * 64: f"abc {evil} <b>def"})
    check(text)
    page = lxml.html.document_fromstring(text)
    mark = next(page.iter("mark"))
    assert mark.text == "<script>alert('x')</script> & \"quoted\" evil\nnext"
    parent = mark.getparent()
    assert parent is not None and parent.xpath("string()") == f"abc {mark.text} <b>def"


def test_a_picture_of_hostile_labels_is_an_image() -> None:
    check(render(whole_report(outside=lambda text: f"{text}</text><script>alert(1)</script>")))


def test_ids_from_a_strange_report_cannot_leave_their_attributes() -> None:
    report = whole_report(draws=False)
    evil = 'x" onclick="alert(1)'
    claims = (report.claims[0].model_copy(update={"id": evil}), *report.claims[1:])
    sections = (report.sections[0].model_copy(update={"claims": (evil,), "blocks": ()}), *report.sections[1:])
    check(render(report.model_copy(update={"claims": claims, "sections": sections, "language": evil, "run_id": evil})))
