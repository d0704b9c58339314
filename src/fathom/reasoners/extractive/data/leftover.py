"""What a question names besides all that was understood: it is looked for in the texts, or said to be left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from fathom.data.naming import TALLYING, stems
from fathom.data.wanted import top_of
from fathom.reasoners.extractive.data.constructions import FIELD, SIGNS, VALUE, is_free
from fathom.text.analysis import identifiers, stem
from fathom.text.numbers import SMALL
from fathom.text.stopwords import ASKING_PHRASES, ASKING_WORDS, ENGLISH_STOP_WORDS

MOST = 8
"""Things that are looked for; a question with more of them is told in other words than the data."""
LEAST_FIGURES = 3
"""Figures from which a lone number names something; a smaller one is an amount of what was not understood."""
_TASK = (
    TALLYING
    | ENGLISH_STOP_WORDS
    | ASKING_WORDS
    | stems("""
    according activity already annual appear available bad best better bottom breakdown celsius chart column complete
    current daily degree develop dollar earlier early entire euro ever everyone except exclude exist fastest find found
    full gram highlight information insight kilogram later length level long mention metre mile minute never new now
    old once order outside past people person popular pound present previous raised recent regard report row run said
    seasonal sell several short since slow sold sometimes sort split term third time title today total typical until
    usd usual way whole word work worked worst yen yesterday
    """)
)
"""Stems of English words that ask, count and order: they say what is to be done, and not with what."""
_BEYOND = re.compile(
    r"\b(?:next|previous|prior|before|after|following|consecutive\w*|in\s+a\s+row|differen(?:ce|t\s+between)|first|last"
    r"|earliest|latest|same|how\s+(?:long|(?:much|many)\s+more)|(?:many|number\s+of)\s+(?:year|month|week|day|hour|minute)s|longer|between|ratio|other|else|streaks?|than|until"
    rf"|(?:above|below|under)(?=\s+{VALUE})|not?|except|without|\d+|{'|'.join([*SMALL][2:])})\b",
    re.IGNORECASE,
)
"""Words that ask for what no count tells: an order, a distance, all but one; and numbers that nobody took."""
_AMONG = re.compile(r"\b(?:in|into|inside|within)\s+the\s+(top\s+\w+)", re.IGNORECASE)
_SUBJECT = re.compile(
    r"\b(?:how\s+many|number\s+of|amount\s+of|which|what|name|list|most|fewest)(?=\s+(?:of\s+)?(?:the\s+|these\s+)?(?:[\w'-]+\s+){0,2}?"
    r"(?P<noun>[\w'-]+)(?:\s+(?:is|are|was|were|do|does|did|has|have|had|of|in|on|at|by|from|for|with|to|that|who|which"
    rf"|there|can|could|[a-z]+ed)\b|\s*(?:[?.!,{SIGNS}]|$)))",
    re.IGNORECASE,
)
_SUBJECT_JA = re.compile(
    r"(?P<noun>(?<![\u30a1-\u30fa\u30fc])[\u30a1-\u30fa\u30fc]{2,}+|(?<![\u3400-\u9fff々])[\u3400-\u9fff々]{2,}+)"
    r"[をのは]?(?:すべて|全て|全部|全件)?[をの]?(?:一覧|リスト|列挙|挙げて)"
)
"""What is to be listed."""
_WORD = re.compile(
    r"[A-Za-z\u00c0-\u024f][A-Za-z0-9\u00c0-\u024f]*(?:[.'’&+/-][A-Za-z0-9\u00c0-\u024f]+)*|\d+(?:\.\d+)*"
)
_SAID_OF = re.compile(
    rf"\b(?:about|regarding|concerning|mention\w*|contain\w*|named|called|titled)\b(?:\s+[\w{SIGNS}-]+){{0,4}}\s+$",
    re.IGNORECASE,
)
"""Before what texts are said to hold."""
_POSSESSIVE = re.compile(r"['’]s?$")
_SAID_JA = re.compile(
    "一覧|すべて|全[てげ部体件]|列挙|リスト(?:アップ)?|[件総]数|[合総]計|平均|中央値|最[大小高低多少新も]|一番|[上下]位|トップ|ベスト|推移|傾向"
    "|変化|増減|増加|減少|トレンド|割合|比率|シェア|分布|内訳|構成|順[位番]|ランキング|比較|相違|違い|種[類別]|概要|要約|内容|説明|特徴|状況"
    "|結果|統計|集計|分析|報告|情報|詳細|調査|開催|実施|発生|登録|記録|存在|対象|該当|関[連係]|言及|記載|話題|発言|意見|人々|以[上下外降前内後]"
    "|期間|時期|時系列|経年|[年月日週]間|[年月日週]別|[年月]次|毎[年月日週]|四半期|年々|[昨去今来]年|[先今来]月|[先今]週|[今昨]日|過去|直近"
    "|最近|現在|[前後]半|[上下]半期|教えて|ください|下さい|何[件個回人名社本冊台]|いく[つら]|ど[のれこ]|どんな|だれ|いつ|なぜ|何故|理由"
    "|箇条書き|簡潔|手短|多[いく]|少ない|[高低]い|大きい|小さい|データ(?:セット)?|レコード|項目|ファイル|テーブル|販売|購入|実績|時間|それぞれ"
    "|ごと|まで|から|より|うち|ほか"
)
_PART_JA = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}|[\u3400-\u9fff々]{2,}|[A-Za-z][A-Za-z0-9]*|\d+")
_JAPANESE = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")


class Unknown(NamedTuple):
    """A word, a plural without its last letter, or the words of a name, that nothing of the data accounts for."""

    text: str
    is_name: bool


def unaccounted(shape: str) -> tuple[Unknown, ...]:
    """What the shape of a question names without a sign for it, besides words of asking.

    Japanese that is written together with a field, or with the ending of a verb, names nothing by itself.

    >>> [each.text for each in unaccounted("How many of them in New Delhi were about audits?")]
    ['New Delhi', 'audit']
    >>> [each.text for each in unaccounted("モンゴルの件数を教えてください")]
    ['モンゴル']
    """
    found = {match[1].casefold(): Unknown(match[1], is_name=False) for match in _AMONG.finditer(shape)}
    for each in _of_japanese(shape) if _JAPANESE.search(shape) else _of_english(shape):
        found.setdefault(each.text.casefold(), each)
    return tuple(found.values())[:MOST]


def beyond(shape: str) -> list[str]:
    """The words without a sign that ask for what no count tells."""
    top = top_of(shape)
    found = dict.fromkeys(match[0] for match in _BEYOND.finditer(shape))
    return [word for word in found if top is None or str(top) not in (word, str(SMALL.get(word)))]


def subjects(shape: str) -> frozenset[str]:
    """Stems of the nouns of which something is asked: what is no field is a word for the records.

    >>> sorted(subjects("How many splendid games were played?")), sorted(subjects("who won"))
    (['game'], [])
    >>> sorted(subjects("鈴木の貸出をすべて一覧にして"))
    ['貸出']
    """
    found = (match["noun"] for pattern in (_SUBJECT, _SUBJECT_JA) for match in pattern.finditer(shape))
    return frozenset(stem(noun.lower()) for noun in found)


def _of_english(text: str) -> Iterator[Unknown]:
    """Words that tell something, in order; those of a name together. What texts are said to hold is a name, too."""
    found: dict[int, Unknown] = {}
    for name in identifiers(text):
        if name[0].isalpha() and is_free(name, (0, len(name))) and not all(map(_asks, name.split())):
            found[text.find(name)] = Unknown(text=name, is_name=True)
            text = text.replace(name, " " * len(name))
    for match in _WORD.finditer(text):
        word = _POSSESSIVE.sub("", match[0])
        asks = _asks(word) or (word.endswith("ly") and len(word) > 4) or len(word) < 2
        if not asks and (not word.isdigit() or len(word) >= LEAST_FIGURES):
            plain = re.sub(r"(?<=[a-z]{3})(?:ies|(?<![su])s)$", "", word)  # so that a plural stands in texts, too
            found[match.start()] = Unknown(text=plain, is_name=bool(_SAID_OF.search(text[: match.start()])))
    return (found[at] for at in sorted(found))


def _asks(word: str) -> bool:
    """Whether a word says what is to be done."""
    return word.lower() in _TASK or stem(word.lower()) in _TASK


def _of_japanese(text: str) -> Iterator[Unknown]:
    for pattern in (_SAID_JA, ASKING_PHRASES):
        text = pattern.sub(lambda said: " " * len(said[0]), text)
    for match in _PART_JA.finditer(text):
        word = match[0]
        if not word.isdigit() and not (word.isascii() and _asks(word)):
            yield Unknown(text=word, is_name=not text.startswith(FIELD, match.end()))
