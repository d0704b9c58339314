"""What fields are called in questions: English and Japanese words for the same, and the words of a field's name."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from fathom.text.analysis import stem

PIECE = re.compile(r"[A-ZÀ-Þ]{2,}(?![a-zß-ɏ])|[A-ZÀ-Þ]?[a-zß-ɏ]+|\d+|[^\W\d_A-Za-zÀ-ɏ]+")
"""A word of a name."""

_MEANINGS = """
event イベント; order 注文; theme topic subject テーマ 主題 話題 トピック; country nation 国 国名; city town 都市 市 街;
region area 地域 地方 エリア; prefecture 都道府県 県; continent 大陸; language 言語;
category 分類 カテゴリ カテゴリー 区分; type kind 種類 種別 タイプ; genre ジャンル; industry sector 業界 業種;
department division 部門 部署; company firm enterprise organisation organization 会社 企業 組織 団体;
organizer organiser host 主催者 主催; speaker 登壇者 講演者; author writer 著者 筆者 作者;
customer client buyer 顧客 取引先 得意先; supplier vendor 仕入先 業者; product item 製品 商品 品目;
brand maker manufacturer ブランド メーカー; model 機種 型番; status state 状態 状況 ステータス;
priority severity 優先度 重要度; format mode 形式 形態 フォーマット;
venue place location site 会場 場所 開催地 所在地; channel チャネル チャンネル 経路; tag label keyword タグ;
source 出典 情報源; gender sex 性別; occupation job profession 職業 職種;
age old older oldest young younger youngest 年齢;
price fee costs expensive cheap cheaper cheapest pricey 価格 値段 料金 単価 参加費;
attendance attendee participant visitor attended attend 参加者 参加者数 参加人数 来場者 来場者数 入場者数 人数;
cost expense 費用 経費 コスト; amount 金額 額; sales revenue turnover 売上 売上高 売り上げ 収益; budget 予算;
profit 利益; quantity units sold 数量 個数 台数; rating score stars 評価 評点 点数 スコア 満足度; population 人口;
duration length long longest short shortest lasted 期間 所要時間 長さ; weight heavy heavier heaviest 重量 重さ;
height tall taller tallest 高さ 身長; distance 距離; temperature 気温 温度; capacity seats 定員 収容人数;
salary wage income earn earns earned earning paid 給与 年収 賃金
"""
"""What a field may mean: one word for it, and others for the same, or for what has much of it."""
_BY_STEM: dict[str, list[str]] = {}
_BY_JAPANESE: dict[str, str] = {}
for _words in _MEANINGS.split(";"):
    for _word in _words.split():
        if _word.isascii():
            _BY_STEM.setdefault(stem(_word), []).append(_words.split()[0])
        else:
            _BY_JAPANESE[_word] = _words.split()[0]
JAPANESE_WORDS = tuple(sorted(_BY_JAPANESE, key=len, reverse=True))
"""Japanese words for fields, the longest first."""
EVERYWHERE = frozenset("id name code date value key no number is has of the field column".split())
"""Words in the names of fields that say little of what a field is, when another word is there."""


@lru_cache(maxsize=4096)
def words_of_name(name: str) -> tuple[str, ...]:
    """The stems of a field's name, in order.

    >>> words_of_name("event_theme"), words_of_name("startDate"), words_of_name("開催国")
    (('event', 'theme'), ('start', 'date'), ('開催国',))
    """
    return tuple(map(stem_of, PIECE.findall(unicodedata.normalize("NFKC", name))))


def stem_of(piece: str) -> str:
    """The stem of an English word; anything else in lower case."""
    return stem(piece.lower()) if piece.isascii() and piece.isalpha() else piece.lower()


def words_alike(name: str) -> list[str]:
    """The stems of English words that mean what a field of that name may mean."""
    meanings = meanings_of(name)
    return [word for word, own in _BY_STEM.items() if not meanings.isdisjoint(own)]


@lru_cache(maxsize=4096)
def meanings_of(name: str) -> frozenset[str]:
    """What a field of that name may mean, in one word each."""
    english = {meaning for word in words_of_name(name) for meaning in _BY_STEM.get(word, ())[-1:]}
    return frozenset(english | {_BY_JAPANESE[word] for word in JAPANESE_WORDS if word in name and len(word) > 1})


def meaning_of(word: str) -> str:
    """What a word of a question means as a field; empty when it means none.

    >>> meaning_of("topics"), meaning_of("参加者数"), meaning_of("sky")
    ('theme', 'attendance', '')
    """
    return next(reversed(_BY_STEM.get(stem(word.lower()), ())), "") if word.isascii() else _BY_JAPANESE.get(word, "")
