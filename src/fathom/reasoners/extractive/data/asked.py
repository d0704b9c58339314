"""What kind of answer a question about data wants, by its words: a count, a list, a trend, a share, a reason."""

from __future__ import annotations

import re

from fathom.data.requests import Interval
from fathom.data.turns import SynthesisFormat
from fathom.data.wanted import top_of, wanted_of
from fathom.reasoners.extractive.data.naming import Place

LIST = re.compile(r"\b(?:list|enumerate|show\s+me)\s+(?:all|every|each|the)\b|一覧|列挙|リストアップ", re.IGNORECASE)
COUNT = re.compile(
    r"\bhow\s+many\b|\bnumber\s+of\b|\bcounts?\b|\btotal\s+number\b|何(?:件|個|回|社|名|人|冊|本|台|箇所|か所)|件数|いくつ|総数|数(?:は|を|え)",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\bover\s+(?:the\s+)?(?:time|years|months|weeks|past|last)\b|\btrend(?:s|ing)?\b|\bwhen\b|\btimeline\b|\bevol\w+"
    r"|\bdevelop(?:ed|ing|ment|s)?\s+over\b|\bgr(?:ow|ew|own|owing|owth)\b|\bseasonal\w*|\b(?:increas|decreas|declin)\w+"
    r"|\bhow\s+(?:do|does|did|has|have)\b.{0,60}\b(?:develop(?:ed)?|chang(?:e|ed)|risen|fallen)\b"
    r"|推移|トレンド|傾向|変化|時期|いつ|増え|減っ|増減|伸び|変遷|時系列",
    re.IGNORECASE,
)
EXPLAIN = re.compile(
    r"\bwhy\b|\breasons?\b|\bdescri(?:be|bes|bed|ption)\b|\bexplain\b|\bsummar(?:y|i[sz]e)\b|\btell\s+me\b|\bwhat\s+(?:do|does|did|is|are|was|were|kinds?|can|happen\w*)\b"
    r"|\bhow\s+(?:do|does|did|can|could|should|is|are)\b(?!\s+many)|\bsay\b|\bsaid\b"
    r"|なぜ|理由|どうして|説明|どのような|どんな|内容|要約|概要|教えて|何が|どうやって|特徴|とは",
    re.IGNORECASE,
)
WHY = re.compile(r"\bwhy\b|\breasons?\b|なぜ|理由|どうして", re.IGNORECASE)
SHARE = re.compile(
    r"\b(?:share|percentage|per\s?cent(?:age)?|proportion|fraction|what\s+part)\b(?:\s+of)?|割合|比率|シェア|何(?:%|パーセント|割)|占め",
    re.IGNORECASE,
)
OVERVIEW = re.compile(
    r"\boverview\b|\bsummar(?:y|i[sz]e)\b|\bwhat(?:'s|\s+is|\s+are)\s+(?:in|inside|there\s+in)\b|\bwhat\s+(?:does|do)\b.{0,40}\b(?:contain|hold|include|cover)\b"
    r"|\b(?:describe|explore|profile|analy[sz]e)\b|概要|全体像|要約|どんなデータ|どのようなデータ|何が(?:入って|含まれて)",
    re.IGNORECASE,
)
SAYS = re.compile(r"\bwhat\s+(?:do|does|did|can|could|should|would)\b|何を|どう(?:考え|思)", re.IGNORECASE)
COMPARES = re.compile(r"\bcompar\w+|\bversus\b|\bvs\b|\bdiffer\w*|比較|比べ|違い|対比", re.IGNORECASE)
WHO = re.compile(r"\bwho(?:se)?\b|誰|だれ", re.IGNORECASE)
_GROUPS_NUMBERS = re.compile(
    r"\b(?:by|per|across|each|every|distribution\s+of|breakdown\s+of|grouped\s+by)\s*(?:the\s+)?$|各$", re.IGNORECASE
)
_GROUPS_NUMBERS_JA = re.compile(r"(?:別|ごと|毎)|の分布")
_LIST = re.compile(
    r"^(?:please\s+|can\s+you\s+|could\s+you\s+)?(?:list|enumerate|show|find|give|name|get|return|retrieve|display)\b(?!\s+me\s+about)"
    r"|\b(?:list|enumerate|show\s+me|find|give\s+me)\s+(?:out\s+)?(?:all|every|each|the|me)\b|\b(?:complete|full|entire)\s+list\b",
    re.IGNORECASE,
)
_FIRMLY = re.compile(r"\b(?:list|enumerate)\s+(?:out\s+)?(?:all|every|each)\b(.{0,48})", re.IGNORECASE)
_FIRMLY_JA = re.compile("一覧|列挙|リストアップ")
_ALL = re.compile(r"\b(?:all|every|each)\b", re.IGNORECASE)
_WHICH = re.compile(
    r"\b(?:which|what)\s+(?:of\s+the\s+)?(?:(?!(?:is|are|was|were|do|does|did|the|a|an|has|have)\b)[\w-]+\s+){0,2}?$",
    re.IGNORECASE,
)
_LIST_JA = re.compile(
    r"一覧|すべて|全て|全部|列挙|全件|リスト(?:アップ)?|挙げて|漏れなく|ことごとく|どの(?:イベント|レコード|データ)"
)
_STEPS: tuple[tuple[Interval, str, str], ...] = (
    ("quarter", r"\bquarterly\b", "四半期"),
    ("month", r"\bmonthly\b", "月"),
    ("week", r"\bweekly\b", "週"),
    ("day", r"\bdaily\b", "日"),
    ("year", r"\b(?:yearly|annual(?:ly)?)\b|年々|経年", "年"),
)
_INTERVALS = {
    step: re.compile(
        rf"\b(?:by|per|each|every|which|busiest|quietest|peak)\s+(?:calendar\s+)?{step}s?\b|\bover\s+the\s+{step}s\b"
        rf"|{often}|{ja}(?:別|ごと|毎|次)|(?:毎|各|どの|何){ja}(?!間)",
        re.IGNORECASE,
    )
    for step, often, ja in _STEPS
}
_OTHERS = re.compile(
    r"\b(?:other|others|rest\s+of\s+the|remaining|all\s+the\s+other)\b|他の|ほかの|その他の", re.IGNORECASE
)
_NOT_FLAG = re.compile(r"\b(?:not|non|no|isn't|aren't|without)(?:[\s-]+(?:a|an|held|any))?[\s-]*$", re.IGNORECASE)
_BULLETS = re.compile(r"\bbullet(?:s|ed)?(?:\s+points?)?\b|箇条書き", re.IGNORECASE)
_BRIEF = re.compile(
    r"\b(?:brief(?:ly)?|in\s+short|executive\s+summary|short\s+summary|summari[sz]e)\b|簡潔|手短|要約", re.IGNORECASE
)


def lists_records(text: str, records: re.Pattern[str], *, names_fields: bool, moment: bool) -> bool:
    """Whether the records themselves are asked for, all of them: `list all events`, `which events mention …`, 一覧.

    To list the values of a field is to count by it; to ask for the most is no list.
    """
    firmly = bool(_FIRMLY_JA.search(text))
    if _LIST_JA.search(text) and (firmly or not COUNT.search(text)):
        return not names_fields or (firmly and not moment)
    if names_fields or moment:  # `list all events by theme`, and not `list the themes of events`
        match = _FIRMLY.search(text)
        return bool(match and records.search(match[1]))
    if _LIST.search(text) and (records.search(text) or _ALL.search(text)):
        return True
    if any(_WHICH.search(text[: match.start()]) for match in records.finditer(text)):
        return not wanted_of(text).extreme
    first = records.search(text)
    return bool(_ALL.match(text) and first and first.start() < 40)


def groups_numbers(text: str, place: Place) -> bool:
    """Whether records are grouped by the field of numbers that is named there, and it is not summed up or ranked by."""
    before = text[max(0, place[0] - 24) : place[0]]
    if wanted_of(before).statistics or top_of(text):
        return False
    return bool(_GROUPS_NUMBERS.search(before) or _GROUPS_NUMBERS_JA.match(text[place[1] : place[1] + 4]))


def interval_of(text: str) -> Interval | None:
    """The step that is named; `None` when none is.

    >>> interval_of("events per month"), interval_of("年ごとの推移"), interval_of("over time")
    ('month', 'year', None)
    """
    return next((interval for interval, pattern in _INTERVALS.items() if pattern.search(text)), None)


def over_time(text: str) -> bool:
    """Whether counts over time are asked for."""
    return bool(interval_of(text) or _TIME.search(text))


def others_of(text: str) -> bool:
    """Whether all but what is named is asked for as well: `compared with other themes`."""
    return bool(_OTHERS.search(text))


def negated(text: str, place: Place) -> bool:
    """Whether what stands there is denied: `not online`, `オンラインではない`."""
    return bool(_NOT_FLAG.search(text[max(0, place[0] - 16) : place[0]])) or bool(
        re.match(r"(?:では?な|じゃな|以外)", text[place[1] : place[1] + 6])
    )


def format_of(text: str) -> SynthesisFormat:
    """How the answer is to be put."""
    if _BULLETS.search(text):
        return "bullet_points"
    return "executive_summary" if _BRIEF.search(text) else "comprehensive_report"
