"""Three Japanese sites, each in an encoding of its own, two of them on every topic."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from fathom_testing.little_web.chrome import Style, dressed
from fathom_testing.little_web.content import Block, heading, html_of, listed, paragraph, table, text_of
from fathom_testing.little_web.page import LittlePage
from fathom_testing.little_web.topics import Fact

ENCODINGS = {"minato.localhost": "EUC-JP", "kawara.localhost": "Shift_JIS", "hoshi.localhost": "UTF-8"}
"""Host and encoding; the first tells it in the header alone, the second in the page alone."""

_PLACES = "霧ヶ原 青葉沢 月見崎 白鳥浦 朝霧台 黒松谷 若草野 雪見峠".split()
_FACTS = (
    ("開通", "{}に開通した", 1931, 1999, "年"),
    ("全長", "全長は{}である", 210, 1990, "メートル"),
    ("建設費", "建設には{}がかかった", 12, 990, "億円"),
    ("交通量", "一日に約{}が通る", 2100, 98000, "台の車"),
    ("点検", "{}ごとに点検される", 3, 60, "か月"),
)
_FILLERS = (
    "春には多くの人が花を見に訪れる。",
    "近くの資料館では当時の図面を見ることができる。",
    "地元の人々は今も工事の苦労を語り継いでいる。",
    "冬の朝には谷から霧が立ちのぼる。",
    "周辺の道は狭く、休日には混み合う。",
    "何度か改修の案が出されたが、実現しなかった。",
)
_STYLES = {
    "minato.localhost": Style("みなと新聞", ("社会", "経済", "文化", "天気"), language="ja", related="関連記事"),
    "kawara.localhost": Style(
        "かわら町役場", ("くらし", "手続き", "観光"), frame='<div id="main">{}</div>', language="ja", dated="visible"
    ),
    "hoshi.localhost": Style(
        "ほし百科",
        ("ページ一覧", "新着", "寄付"),
        language="ja",
        banner="このサイトはクッキーを使用します。",
        related="関連項目",
    ),
}


def japanese(seed: int) -> tuple[list[LittlePage], list[Fact]]:
    """The pages, and the facts that they state."""
    chance, pages, facts = Random(seed), list[LittlePage](), list[Fact]()
    values: set[str] = set()
    hosts = list(ENCODINGS)
    for number, place in enumerate(_PLACES):
        name, own = f"{place}大橋", list[Fact]()
        for label, phrase, low, high, unit in _FACTS:
            while (value := f"{chance.randint(low, high)}{unit}") in values:
                pass
            values.add(value)
            own.append(Fact(f"{name}: {label}", value, f"{name}は{phrase.format(value)}。", label))
        facts += own
        for host in (hosts[number % 3], hosts[(number + 1) % 3]):
            pages.append(_page(host, f"/{place}/", name, own, chance))
    return pages, facts


def _page(host: str, path: str, name: str, facts: list[Fact], chance: Random) -> LittlePage:
    blocks = list(_blocks(name, facts, chance))
    encoding = ENCODINGS[host]
    declared = "" if host == "minato.localhost" else encoding
    html = dressed(_STYLES[host], title=name, content=html_of(blocks), published="2023-04-01", encoding=encoding)
    if not declared:
        html = html.replace('<meta charset="EUC-JP">\n', "")
    return LittlePage(
        host,
        path,
        name,
        html.replace("©", "(c)").encode(encoding),
        text_of(blocks),
        "2023-04-01",
        language="ja",
        content_type="text/html" if host == "kawara.localhost" else f"text/html; charset={encoding}",
    )


def _blocks(name: str, facts: list[Fact], chance: Random) -> Iterator[Block]:
    fillers = chance.sample(_FILLERS, 4)
    yield paragraph(f"{name}は谷を渡る道路橋である。{facts[0].sentence}{facts[1].sentence}{fillers[0]}")
    yield table([(fact.label, fact.value) for fact in facts])
    yield heading("歴史")
    yield paragraph(facts[2].sentence + fillers[1] + fillers[2])
    yield heading("現在")
    yield listed([facts[3].sentence, facts[4].sentence])
    yield paragraph(fillers[3])
