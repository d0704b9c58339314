"""Pages that stand before others are refused in whatever language they are; short articles are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.errors import NoEvidence
from fathom.pages.html import read
from tests.support.html_pages import ADDRESS


def lines_of(name: str) -> list[list[str]]:
    """Titles and texts of pages, a page to a line."""
    return [each.split("\t") for each in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(("title", "text"), lines_of("walls.tsv"))
def test_a_page_that_only_stands_before_others_is_refused(title: str, text: str) -> None:
    for head, body in (
        (title, f"<main><h1>{title}</h1><p>{text}</p></main>"),
        (f"{title} | Norwick Courier", f"<div><p>{text}</p></div>"),
        ("Norwick Courier", f"<div><div class=message>{title}</div><p>{text}</p></div>"),
    ):
        with pytest.raises(NoEvidence) as refused:
            read(f"<meta charset=utf-8><title>{head}</title><body>{body}".encode(), address=ADDRESS)
        assert "next to no text" not in str(refused.value)


@pytest.mark.parametrize(("title", "text"), lines_of("articles.tsv"))
def test_a_short_article_is_read_whatever_words_it_shares_with_such_pages(title: str, text: str) -> None:
    page = f"<meta charset=utf-8><title>{title}</title><body><main><h1>{title}</h1><p>{text}</p></main>"
    assert text in read(page.encode(), address=ADDRESS).content.text
