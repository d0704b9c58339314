"""What the providers of science share: which words are asked for, and which of a paper's addresses is read."""

from __future__ import annotations

import re
from urllib.parse import quote

from fathom.browsing import WebQuery, barred
from fathom.text.stopwords import ASKING_WORDS, ENGLISH_STOP_WORDS
from fathom.urls import host_of

_MOST_WORDS = 12
_WORD = re.compile(r"[^\W_]+(?:[-.'’][^\W_]+)*")
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
_ARXIV = re.compile(r"(?:arxiv:)?((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?)", re.IGNORECASE)


def significant_words(text: str) -> list[str]:
    """The words of a query that say what it is about, each once; they hold nothing that is an operator.

    >>> significant_words('How does "BERT-large" compare to ti:GPT AND (RoBERTa)?')
    ['BERT-large', 'ti', 'GPT', 'RoBERTa']
    """
    found = dict.fromkeys(_WORD.findall(text))
    kept = [word for word in found if word.lower() not in ENGLISH_STOP_WORDS | ASKING_WORDS]
    return (kept or [word for word in found if word not in ("AND", "OR", "ANDNOT")])[:_MOST_WORDS]


def best_address(query: WebQuery, *addresses: str) -> str:
    """The first that is an address of the web and that the query allows; empty when none is.

    >>> best_address(WebQuery(text="sea", deny=("a.org",)), "", "ftp://b.org/x", "https://a.org/x", "https://c.org/x")
    'https://c.org/x'
    """
    for address in addresses:
        if address.lower().startswith(("http://", "https://")) and host_of(address) and not barred(address, query):
            return address
    return ""


def doi_address(doi: str) -> str:
    """Where a DOI leads; empty when it is none.

    >>> doi_address("10.1000/xyz<1>"), doi_address("https://doi.org/10.1000/xyz"), doi_address("n/a")
    ('https://doi.org/10.1000/xyz%3C1%3E', 'https://doi.org/10.1000/xyz', '')
    """
    match = _DOI.fullmatch(doi.strip()[:500])
    return f"https://doi.org/{quote(match[1], safe='/:;().-_')}" if match else ""


def arxiv_address(id: str) -> str:
    """Where arXiv has a paper, whole; empty when the id is none.

    >>> arxiv_address("1706.03762"), arxiv_address("hep-th/9901001"), arxiv_address("../x")
    ('https://arxiv.org/pdf/1706.03762', 'https://arxiv.org/pdf/hep-th/9901001', '')
    """
    match = _ARXIV.fullmatch(id.strip()[:60])
    return f"https://arxiv.org/pdf/{match[1]}" if match else ""
