"""What kind of answer a question about data wants, by its words: a count, a list, a trend, a share, a reason."""

from __future__ import annotations

import re

from fathom.data.requests import Interval
from fathom.data.wanted import top_of, wanted_of
from fathom.reasoners.extractive.data.naming import Place


def _any(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


COUNT = _any(
    r"\bhow\s+many\b|(?<!st )\bnumber\s+of\b|\bcounts?\b"
    r"|何(?:件|個|回|社|名|人|冊|本|台|箇所|か所)|件数|いくつ|総数|数(?:は|を|え)"
)
LIST = _any(r"\b(?:list|enumerate|show\s+me)\s+(?:out\s+)?(?:all|every|each|the)\b|一覧|列挙|リストアップ")
EXPLAIN = _any(
    r"\bwhy\b|\breasons?\b|\bdescri(?:be|bes|bed|ption)\b|\bexplain\b|\bsummar(?:y|i[sz]e)\b|\btell\s+me\b"
    r"|\bwhat\s+(?:do|does|did|is|are|was|were|kinds?|can|happen\w*)\b|\bhow\s+(?:do|does|did|can|could|should|is|are)\b"
    r"|\bsa(?:y|id)\b|なぜ|理由|どうして|説明|どのような|どんな|内容|要約|概要|教えて|何が|どうやって|特徴|とは"
)
WHY = _any(r"\bwhy\b|\breasons?\b|なぜ|理由|どうして")
SHARE = _any(
    r"\b(?:share|percentage|per\s?cent(?:age)?|proportion|fraction|what\s+part)\b(?:\s+of)?|割合|比率|シェア|何(?:%|パーセント|割)|占め"
)
SUMMED = _any(r"\b(?:total|sum|average|mean|median)\b|合計|平均|中央値")
OVERVIEW = _any(
    r"\boverview\b|\bsummar(?:y|i[sz]e)\b|\bwhat(?:'s|\s+is|\s+are)\s+(?:in|inside|there\s+in)\b"
    r"|\b(?:describe|explore|profile|analy[sz]e)\b|概要|全体像|要約|(?:どんな|どのような)データ"
)
SAYS = _any(r"\bwhat\s+(?:do|does|did|can|could|should|would)\b|何を|どう(?:考え|思)")
WHO = _any(r"\bwho(?:se)?\b|誰|だれ")
COMPARES = _any(r"\bcompar\w+|\bversus\b|\bvs\b|\bdiffer\w*|比較|比べ|違い|対比")
OTHERS = _any(r"\bothers?\b|\bthe\s+rest\b|\bremaining\b|他の|ほかの")
ALL = _any(r"\b(?:list|all|every|each|how\s+many)\b|一覧|すべて|全て|全部|全件|リスト|挙げて|いくつ")
_TIME = _any(
    r"\bover\s+(?:the\s+)?(?:time|years|months|weeks|past|last)\b|\btrend(?:s|ing)?\b|\bwhen\b|\btimeline\b|\bevol\w+"
    r"|\bgr(?:ow|ew|own|owing|owth)\b|\bseasonal\w*|\b(?:increas|decreas|declin)\w+|\b(?:risen|fallen)\b"
    r"|推移|トレンド|傾向|変化|時期|いつ|増え|減っ|増減|伸び|変遷|時系列"
)
_GROUPS = _any(
    r"\b(?:by|per|across|each|every|which|what|how\s+many|(?:distribution|breakdown)\s+of)\s*(?:the\s+)?$|(?:各|どの)$"
)
_GROUPS_BEHIND = re.compile(r"別|ごと|毎|の分布")
_LISTS = _any(
    r"^(?:please\s+|can\s+you\s+)?(?:list|enumerate|show|find|give|name|get)\b(?!\s+me\s+about)|\b(?:full|complete)\s+list\b"
    rf"|{LIST.pattern}|すべて|全て|全部|全件|リスト|挙げて"
)
_WHICH = _any(r"\b(?:which|what|all|every)\s+(?:(?!(?:is|are|was|were|do|does|did|the|an?|has|have)\b)[\w-]+\s+){0,2}$")
_STEPS: tuple[tuple[Interval, str, str], ...] = (
    ("quarter", "quarterly", "四半期"),
    ("month", "monthly", "月"),
    ("week", "weekly", "週"),
    ("day", "daily", "日"),
    ("year", "yearly|annual(?:ly)?", "年"),
)
_INTERVALS = {
    step: _any(
        rf"\b(?:by|per|each|every|which|busiest|quietest|peak)\s+(?:calendar\s+)?{step}s?\b|\bover\s+the\s+{step}s\b"
        rf"|\b(?:{often})\b|{ja}(?:別|ごと|毎|次)|[毎各]{ja}(?!間)|どの{ja}(?!間)"
    )
    for step, often, ja in _STEPS
}


def lists_records(text: str, records: re.Pattern[str], *, names_fields: bool) -> bool:
    """Whether the records themselves are asked for, all of them: `list all events`, `which events mention …`, 一覧.

    To list the values of a field is to count by it, unless the records are named behind.
    """
    listed = _LISTS.search(text)
    if names_fields:
        firm = LIST.search(text)
        return bool(firm and (firm[0] in "一覧列挙" or records.search(text[firm.end() : firm.end() + 48])))
    if listed and not COUNT.search(text):
        return bool(records.search(text) or ALL.search(text))
    return not wanted_of(text).extreme and any(_WHICH.search(text[: each.start()]) for each in records.finditer(text))


def groups_by(text: str, place: Place, *, is_amount: bool = True) -> bool:
    """Whether records are grouped by the field that is named there; an amount may be summed up or ranked by instead."""
    before = text[max(0, place[0] - 24) : place[0]]
    if is_amount and (wanted_of(before).statistics or top_of(text)):
        return False
    return bool(_GROUPS.search(before) or _GROUPS_BEHIND.match(text[place[1] : place[1] + 4]))


def interval_of(text: str) -> Interval | None:
    """The step that is named; `None` when none is.

    >>> interval_of("events per month"), interval_of("年ごとの推移"), interval_of("over time")
    ('month', 'year', None)
    """
    return next((interval for interval, pattern in _INTERVALS.items() if pattern.search(text)), None)


def over_time(text: str) -> bool:
    """Whether counts over time are asked for."""
    return bool(interval_of(text) or _TIME.search(text))
