"""What a question names besides all that was understood: the data must hold it, or it is said that they do not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fathom.data.naming import TALLYING, stems
from fathom.reasoners.extractive.data.naming import Place, overlaps
from fathom.text.analysis import stem
from fathom.text.stopwords import ASKING_WORDS, ENGLISH_STOP_WORDS, JAPANESE_ASKING

MOST = 8
"""Things that are looked for; a question with more of them is told in other words than the data."""
LEAST_FIGURES = 3
"""Figures from which a lone number names something."""
_TASK = (
    TALLYING
    | ENGLISH_STOP_WORDS
    | ASKING_WORDS
    | stems("""
    according activity along already annual anyone apart appear assign available bad best better bottom bought break
    breakdown brief bullet busiest buy called celsius chart column correlate create current daily degree demand depend
    describe develop dollar done earlier early entire eur euro ever everybody everyone evolution evolve except exclude
    exist fact fahrenheit fast fastest file find found full gbp gram highlight host hundred info information insight
    interest jpy kg kilogram kilometer kilometre km late later level litre liter live long look mention meter metre
    mile minute neither never new now old once opened organise organize outside past pattern people person phrase
    popular pound present previous purchase quick quickest quietest raised ran rather recent regarding relationship
    report run said sell short since slow slowest sold someone sometimes sort split statistic stats stay strongest
    talk terms text thing thousand third time timeline title today told tomorrow tonne typical until usd usual visit
    way weakest whole word worked worse worst yen yesterday vary
    """)
    | frozenset("complete seasonal several generally order ordered rate rates".split())
)
"""Stems of English words that ask, count and order: they say what is to be done, and not with what."""
_WORD = re.compile(
    r"[A-Za-z\u00c0-\u024f][A-Za-z0-9\u00c0-\u024f]*(?:[.'’&+/-][A-Za-z0-9\u00c0-\u024f]+)*|\d+(?:\.\d+)*"
)
_BEFORE_NAME = re.compile(r"\w\s+(?P<word>(?!(?:The|A|An|In|Of|At)\b)[A-Z][a-z]+) $")
"""A common word that is written as a part of a name: `New` in `New Zealand`."""
_SAID_OF = re.compile(
    r"\b(?:about|regarding|concerning|mention\w*|contain\w*|includ\w+|named|called|titled)\b(?:\s+[\w-]+){0,4}\s+$",
    re.IGNORECASE,
)
"""Before what texts are said to hold."""
_IN_PLACE = re.compile(r"\b(?:in|from)\s+(?:the\s+)?$", re.IGNORECASE)
_NO_PLACES = frozenset("stock progress person advance use store stores home hand transit service office".split())
_ENDS = re.compile(
    r"\s*(?:$|[?.!,;]|(?:by|per|in|since|with|and|or|for|over|after|before|is|are|was|were|has|have)\b)", re.IGNORECASE
)
_LIKE_A_PLACE = re.compile(r"[A-Z][a-z]+(?:[aou]|land|stan|ese)(?:n|ns)?")
_POSSESSIVE = re.compile(r"['’]s?$")
_SAID = re.compile(
    "|".join(
        sorted(
            (
                "一覧 すべて 全て 全部 全体 全件 列挙 リストアップ リスト 件数 総数 合計 総計 平均 中央値 "
                "最大 最小 最高 最低 最多 最少 最も 一番 上位 下位 トップ ベスト 推移 傾向 変化 増減 増加 "
                "減少 トレンド 割合 比率 シェア 分布 内訳 構成 順位 順番 ランキング 比較 相違 違い 種類 種別 "
                "概要 要約 内容 説明 特徴 状況 結果 統計 集計 分析 報告 情報 詳細 調査 開催 実施 発生 登録 "
                "記録 存在 対象 該当 関連 関係 言及 記載 話題 発言 意見 人々 以上 以下 未満 以外 以降 以前 "
                "以内 以後 期間 時期 時系列 経年 年間 月間 年別 月別 日別 週別 年次 月次 日次 毎年 毎月 毎日 "
                "毎週 四半期 年々 昨年 去年 今年 来年 先月 今月 来月 先週 今週 今日 昨日 過去 直近 最近 現在 "
                "最新 前半 後半 上半期 下半期 教えて ください 下さい 何件 何個 何回 何人 何名 何社 何本 何冊 "
                "何台 いくつ いくら どの どれ どんな どこ だれ いつ なぜ 何故 理由 箇条書き 簡潔 手短 多い "
                "少ない 高い 低い 大きい 小さい 多く データセット データ レコード 項目 ファイル テーブル "
                "販売 購入 実績 時間 それぞれ ごと まで から より うち ほか"
            ).split(),
            key=len,
            reverse=True,
        )
    )
)
_PART_JA = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}|[\u3400-\u9fff々]{2,}|[A-Za-z][A-Za-z0-9]*|\d+")
_DOING_JA = re.compile(r"(?:さ|し|す|せ)(?:れ|た|て|る|ま|な)")
_JAPANESE = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """A word, or the words of a name, that nothing of the data accounts for."""

    text: str
    """As they are written; a plural without its last letter."""
    is_name: bool
    """Whether they name something: they are written so, or hold a figure."""


def unaccounted(
    text: str, *, taken: Sequence[Place], records: re.Pattern[str], fields: Sequence[Place] = ()
) -> tuple[Unknown, ...]:
    """What `text` (NFKC) names outside of what is `taken`, besides words for the records and words of asking.

    Japanese that is written together with one of the `fields`, or with the ending of a verb, names nothing by itself.

    >>> none = re.compile("events?")
    >>> [each.text for each in unaccounted("How many events in New Delhi were about audits?", taken=(), records=none)]
    ['New Delhi', 'audit']
    >>> [each.text for each in unaccounted("モンゴルの件数を教えてください", taken=(), records=none)]
    ['モンゴル']
    """
    spoken = [match.span() for match in records.finditer(text)]
    if _JAPANESE.search(text):
        return _of_japanese(text, [*taken, *spoken], fields)
    runs: list[list[re.Match[str]]] = []
    for match in _WORD.finditer(text):
        is_record = any(start <= match.start() and match.end() <= end for start, end in spoken)
        if is_record or overlaps(match.span(), taken) or not _is_telling(text, match):
            continue
        last = runs[-1][-1] if runs and _is_name(text, match) else None
        if last and text[last.end() : match.start()] == " " and _is_name(text, last):
            runs[-1].append(match)
        else:
            runs.append([match])
    found = []
    for run in runs:
        is_name = _is_name(text, run[0])
        start = run[0].start()
        is_meant = is_name or bool(_SAID_OF.search(text[:start])) or _is_place(text, run[0])
        if is_name and (before := _BEFORE_NAME.search(text[:start])) and not overlaps(before.span("word"), taken):
            start = before.start("word")
        words = _POSSESSIVE.sub("", text[start : run[-1].end()])
        if words.isdigit() and len(words) < LEAST_FIGURES:
            continue  # a lone figure is an amount of something, and what it is of was not understood
        found.append(Unknown(text=words if is_name else _singular(words), is_name=is_meant))
    return tuple({each.text.casefold(): each for each in found}.values())[:MOST]


def _is_telling(text: str, match: re.Match[str]) -> bool:
    word = _POSSESSIVE.sub("", match[0])
    if len(word) < 2 and not word.isdigit():
        return False
    return _is_name(text, match) or not (_asks(word) or (word.endswith("ly") and len(word) > 4))


def _asks(word: str) -> bool:
    """Whether a word says what is to be done; of one that is written as a name no other form does."""
    return word.lower() in _TASK or (word.islower() and stem(word) in _TASK)


def _is_name(text: str, match: re.Match[str]) -> bool:
    """Whether a word is written as a name; the first one of a sentence always is, and tells nothing by it."""
    word = match[0]
    if _asks(word):
        return False
    first = not re.search(r"[^\s\"'“(]", text[: match.start()]) or bool(re.search(r"[.?!:]\s*$", text[: match.start()]))
    return (
        any(letter.isdigit() for letter in word) or word[1:] != word[1:].lower() or (word[:1].isupper() and not first)
    )


def _is_place(text: str, match: re.Match[str]) -> bool:
    """Whether a word stands where a place does: `events in mongolia`, and `Mongolia events`, whatever its case."""
    if _IN_PLACE.search(text[: match.start()]) and match[0].lower() not in _NO_PLACES:
        return bool(_ENDS.match(text[match.end() :]))
    return not text[: match.start()].strip() and bool(_LIKE_A_PLACE.fullmatch(match[0]))


def _singular(words: str) -> str:
    """A plural may stand in the texts without its last letter; `contains` finds both then."""
    if re.search(r"[a-z]{3}ies$", words):
        return words[:-3]
    return re.sub(r"(?<=[a-z]{3})(?<![su])s$", "", words)


def _of_japanese(text: str, free: Sequence[Place], fields: Sequence[Place]) -> tuple[Unknown, ...]:
    letters = list(text)
    for start, end in free:
        letters[start:end] = " " * (end - start)
    left = JAPANESE_ASKING.sub(lambda match: " " * len(match[0]), "".join(letters))
    found: dict[str, Unknown] = {}
    for match in _PART_JA.finditer(_SAID.sub(lambda said: " " * len(said[0]), left)):
        word = match[0]
        if word.isdigit() or (word.isascii() and _asks(word)):
            continue
        is_part = any(match.end() == start for start, _ in fields)
        is_verb = bool(_DOING_JA.match(text[match.end() :]))
        found.setdefault(word, Unknown(text=word, is_name=not (is_part or is_verb)))
    return tuple(found.values())[:MOST]
