"""Pages that are made to cost time or memory are read, or refused, like others."""

from __future__ import annotations

import pytest

from fathom.errors import NoEvidence
from fathom.pages.direct import page_of
from fathom.pages.fetch import Fetched
from fathom.ports.web import Page

PROSE = "The tide rises and falls twice a day because the moon pulls at the sea more than the sun does. "
BODY = f"<h1>Tides</h1><p>{PROSE * 3}</p>"


def read(body: str, kind: str = "text/html") -> Page:
    address = "https://harbour.org/tides"
    return page_of(Fetched(address, 200, kind, "utf-8", body.encode(), {}), url=address)


def test_linked_data_of_empty_lists_is_passed_over() -> None:
    script = f"<script type='application/ld+json'>[{'[],' * 160_000}[]]</script>"
    assert PROSE.strip() in read(f"<head>{script * 4}</head>{BODY}").content.text


def test_megabytes_of_white_space_in_nested_parts_are_passed_over() -> None:
    assert PROSE.strip() in read(f"{BODY}{'<div><p>cookie</p>' * 200}{' ' * 8_000_000}").content.text


def test_a_program_that_begins_with_millions_of_empty_lines_begins_with_its_first_word() -> None:
    lines = "\n" * 4_000_000
    assert read(f"{BODY}<pre>{lines}tide = 1</pre>").content.text.endswith("\n\ntide = 1")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (BODY + "<p>x" * 300_001, "text/html"),
        (PROSE * 3 + "\n" * 300_001, "text/plain"),
        (f"<rss><channel>{'<item><title>a</title></item>' * 60_000}</channel></rss>", "application/rss+xml"),
        (f"<rss><channel><item><title>{'a' * 5_000_000}</title></item></channel></rss>", "application/rss+xml"),
    ],
)
def test_a_page_of_more_pieces_than_memory_is_for_is_refused(body: str, kind: str) -> None:
    with pytest.raises(NoEvidence, match=r"more than 300,000|too large for a feed"):
        read(body, kind)


@pytest.mark.parametrize(
    "trap",
    [
        "[" + "![a]" * 60 + "](#b",
        "# " + "*a " * 200_000,
        "# " + "_a " * 200_000,
        "<!--" * 300_000,
    ],
)
def test_markdown_that_would_be_tried_in_every_way_is_read_at_once(trap: str) -> None:
    assert PROSE.strip() in read(f"{PROSE * 3}\n\n{trap}\n", "text/markdown").content.text
