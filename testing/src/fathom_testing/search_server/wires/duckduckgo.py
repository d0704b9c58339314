"""DuckDuckGo: `POST /html/`, the page for browsers without scripts."""

from __future__ import annotations

import re
from html import escape
from urllib.parse import quote

from fathom_testing.little_web.ranking import Entry
from fathom_testing.model_server.http import Asked
from fathom_testing.search_server.shelf import Shelf, snippet_of
from fathom_testing.search_server.wires import form, words_of

RESULTS = ""
ROUTE = "POST /html/"
KEY = ""
_PLACES = 10
"""Results of a page."""
_OPERATORS = re.compile(r"-?site:\S+|\bOR\b|[()]")
_PAGE = (
    '<!DOCTYPE html><html lang="en-US"><head><title>{query} at DuckDuckGo</title></head><body class="body--html">'
    '<form id="search_form_homepage" action="/html/" method="post"><input name="q" value="{query}"></form>'
    '<div id="links" class="results">{results}</div></body></html>'
)
_RESULT = (
    '<div class="result results_links results_links_deep web-result "><div class="links_main links_deep result__body">'
    '<h2 class="result__title"><a rel="nofollow" class="result__a" href="{href}">{title}</a></h2>'
    '<div class="result__extras"><div class="result__extras__url"><a class="result__url" href="{href}">{href}</a></div>'
    '</div><a class="result__snippet" href="{href}">{snippet}</a><div class="clear"></div></div></div>'
)
_NOTHING = '<div class="result results_links result--no-result"><div class="no-results">No results.</div></div>'
ADVERTISEMENT = _RESULT.format(
    href="https://duckduckgo.com/y.js?ad_domain=shop.example&amp;u3=x", title="Buy the sea", snippet="The sea for less"
)
CHALLENGE = (
    '<!DOCTYPE html><html><head><title>DuckDuckGo</title></head><body><div class="anomaly-modal__title">Unfortunately, '
    'bots use DuckDuckGo too.</div><form action="//duckduckgo.com/anomaly.js?sv=html"></form></body></html>'
)


def answer(asked: Asked, shelf: Shelf) -> str:
    """A page of results with an advertisement before them; every other address goes through DuckDuckGo."""
    query = words_of(form(asked).get("q"))
    found = shelf.search(_OPERATORS.sub(" ", query), _PLACES)
    results = "".join(_result(entry, place) for place, entry in enumerate(found))
    return _PAGE.format(query=escape(query), results=ADVERTISEMENT + results if found else _NOTHING)


def failure(status: int, message: str) -> str:
    """A page."""
    return f"<!DOCTYPE html><html><head><title>{status}</title></head><body><p>{escape(message)}</p></body></html>"


def _result(entry: Entry, place: int) -> str:
    url = f"//duckduckgo.com/l/?uddg={quote(entry.url, safe='')}&rut=abc" if place % 2 else entry.url
    return _RESULT.format(href=escape(url), title=escape(entry.title), snippet=escape(snippet_of(entry)))
