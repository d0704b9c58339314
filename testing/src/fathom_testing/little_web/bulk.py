"""Pages of any size, for measuring: `/80/12` is the twelfth page of 80 kilobytes of its host."""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random

from fathom_testing.little_web.chrome import Style, dressed
from fathom_testing.little_web.page import LittlePage

_ADDRESS = re.compile(r"/(\d{1,5})/(\d{1,6})")
_STYLE = Style(
    "Bulk",
    tuple(f"Section {number} of the catalogue" for number in range(60)),
    banner="We use cookies.",
    advertisement="Advertisement.",
)
_KEPT = 250_000
"""Bytes of a page; what is larger is made anew for each request."""
_SYLLABLES = [a + b for a in "bcdfghklmnprstvwz" for b in "aeiou"]


def is_bulk(host: str) -> bool:
    """Whether a host has pages of any size: `bulk-1.localhost`."""
    return re.fullmatch(r"bulk-\d+\.localhost", host) is not None


def bulk_page(host: str, path: str) -> LittlePage | None:
    """The page of a host at a path; `None` when the path names no size."""
    found = _ADDRESS.fullmatch(path)
    if found is None:
        return None
    size = int(found[1]) * 1000
    return (_kept if size <= _KEPT else _page)(host, path, size, f"{host}{found[2]}")


@lru_cache(maxsize=500)
def _kept(host: str, path: str, size: int, seed: str) -> LittlePage:
    return _page(host, path, size, seed)


def _page(host: str, path: str, size: int, seed: str) -> LittlePage:
    chance, words = Random(seed), _vocabulary()
    parts: list[str] = []
    # two fifths of a page of the web are not what it says, and a large page repeats its paragraphs with other numbers
    block = "\n".join(_section(chance, words) for _ in range(min(40, max(1, size // 1500))))
    room = size - len(dressed(_STYLE, title=seed, content="", links=_links(chance, words, size)).encode())
    while (left := room - sum(map(len, parts))) > 0:
        parts.append(f"{block}\n<p>Part {len(parts)} of {seed}.</p>\n"[: max(left, 8)])
    title = f"{chance.choice(words).capitalize()} {chance.choice(words)}, {path}"
    html = dressed(_STYLE, title=title, content="".join(parts), links=_links(Random(seed), words, size))
    return LittlePage(host, path, title, html.encode())


def _section(chance: Random, words: list[str]) -> str:
    sentences = [" ".join(chance.choices(words[:2000], k=chance.randint(8, 22))).capitalize() for _ in range(12)]
    title = " ".join(chance.choices(words, k=3)).capitalize()
    return f"<h2>{title}</h2>\n<p>{'. '.join(sentences[:7])}.</p>\n<p>{'. '.join(sentences[7:])}.</p>"


def _links(chance: Random, words: list[str], size: int) -> list[tuple[str, str]]:
    """Related links, of about a fifth of the page."""
    count = min(400, size // 400)
    return [
        (f"/{chance.randrange(200)}/{chance.randrange(999)}", " ".join(chance.choices(words, k=4)))
        for _ in range(count)
    ]


@lru_cache(maxsize=1)
def _vocabulary() -> list[str]:
    chance = Random(7)
    return ["".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(20_000)]
