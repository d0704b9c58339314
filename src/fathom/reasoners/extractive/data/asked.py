"""What kind of answer a question about data wants, by its words: a count, a list, a trend, a share, a reason."""

from __future__ import annotations

import re

from fathom.data.requests import Interval


def _any(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


COUNT = _any(
    r"\bhow\s+many\b|(?<!st )\bnumber\s+of\b|\bcounts?\b"
    r"|何(?:件|個|回|社|名|人|冊|本|台|箇所|か所)|件数|いくつ|総数|数(?:は|を|え)"
)
LIST = _any(
    r"^(?:please\s+|can\s+you\s+)?(?:list|enumerate|show|find|give|name|get)\b(?!\s+me\s+about)|\b(?:full|complete)\s+list\b"
    r"|\blist\s+(?:all|every|each)\b"
    r"|一覧|列挙|リスト|すべて|全て|全部|全件|挙げて"
)
POINTS = _any(r"\bbullet(?:s|ed)?\b|\bas\s+points\b|箇条書き")
"""A list is wished for as points."""
ALL = _any(rf"\b(?:all|every|each|how\s+many)\b|いくつ|{LIST.pattern}")
EXPLAIN = _any(
    r"\bwhy\b|\breasons?\b|\bdescri(?:be|bes|bed|ption)\b|\bexplain\b|\bsummar(?:y|i[sz]e)\b|\btell\s+me\b"
    r"|\bwhat\s+(?:do|does|did|is|are|was|were|kinds?|can|happen\w*)\b|\bhow\s+(?:do|does|did|can|could|should|is|are)\b"
    r"|\bsa(?:y|id)\b|なぜ|理由|どうして|説明|どのような|どんな|内容|要約|概要|教えて|何が|どうやって|特徴|とは"
)
TOLD = _any(
    r"\bwhy\b|\breasons?\b|\bwhat\s+(?:do|does|did|can|could|should|would)\b|なぜ|理由|どうして|何を|どう(?:考え|思)"
)
"""What only texts tell: reasons, and what somebody does."""
SHARE = _any(
    r"\b(?:share|percentage|per\s?cent|proportion|fraction|what\s+part)\b(?:\s+of)?"
    r"|\b(?:with|to|and|than)\s+(?:the\s+|all\s+)?(?:others?|rest)\b|割合|比率|シェア|何(?:%|パーセント|割)|占め|他の|ほかの"
)
"""One value is set against all others of its field."""
SUMMED = _any(r"\b(?:total|sum|average|mean|median)\b|合計|平均|中央値")
OVERVIEW = _any(
    r"\boverview\b|\bsummar(?:y|i[sz]e)\b|\bwhat(?:'s|\s+is|\s+are)\s+(?:in|inside|there\s+in)\b"
    r"|\b(?:describe|explore|profile|analy[sz]e)\b|概要|全体像|要約|(?:どんな|どのような)データ"
)
WHO = _any(r"\bwho(?:se)?\b|誰|だれ")
WHICH = _any(r"\b(?:which|what|all|every)\s+(?:(?!(?:is|are|was|were|do|does|did|the|an?|has|have)\b)[\w-]+\s+){0,2}$")
END = _any(
    r"\b(?<!at )(?:most|fewest|least|(?:high|low|larg|small|great|bigg|long|short|old|young)est)\b"
    r"|最[大小高低多少]|最も|一番"
)
HOW_MANY = _any(r"\b(?:how\s+many|number\s+of)\s+(?:total\s+|the\s+)?$")
_TIME = _any(
    r"\bover\s+(?:the\s+)?(?:time|years|months|weeks|past|last)\b|\btrend(?:s|ing)?\b|\bwhen\b|\btimeline\b|\bevol\w+"
    r"|\bgr(?:ow|ew|own|owing|owth)\b|\bseasonal\w*|\b(?:increas|decreas|declin)\w+|\b(?:risen|fallen)\b"
    r"|推移|トレンド|傾向|変化|時期|いつ|増え|減っ|増減|伸び|変遷|時系列"
)
_GROUPS = _any(r"\b(?:by|per|across|each|every|which|what|(?:distribution|breakdown)\s+of)\s*(?:the\s+)?$|(?:各|どの)$")
_GROUPS_BEHIND = re.compile(r"別|ごと|毎|の分布")
_STEPS: tuple[tuple[Interval, str, str], ...] = (
    ("quarter", "quarterly", "四半期"),
    ("month", "monthly", "月"),
    ("week", "weekly", "週"),
    ("day", "daily", "日"),
    ("year", "yearly|annual(?:ly)?", "年"),
)
_INTERVALS = {
    step: _any(
        rf"\b(?:by|per|each|every|which|busiest|quietest|peak)\s+(?:(?:[\w-]+\s+){{1,2}}and\s+)?(?:calendar\s+)?{step}s?\b|\bover\s+the\s+{step}s\b"
        rf"|\b(?:{often})\b|{ja}(?:別|ごと|毎|次)|[毎各]{ja}(?!間)|どの{ja}(?!間)"
    )
    for step, often, ja in _STEPS
}


def groups_by(text: str, place: tuple[int, int]) -> bool:
    """Whether records are grouped by the field that is named there: `by country`, `which country`, `国別`."""
    before, behind = text[max(0, place[0] - 24) : place[0]], text[place[1] : place[1] + 4]
    return bool(_GROUPS.search(before) or _GROUPS_BEHIND.match(behind))


def interval_of(text: str) -> Interval | None:
    """The step that is named; `None` when none is.

    >>> interval_of("events per month"), interval_of("年ごとの推移"), interval_of("over time")
    ('month', 'year', None)
    """
    return next((interval for interval, pattern in _INTERVALS.items() if pattern.search(text)), None)


def over_time(text: str) -> bool:
    """Whether counts over time are asked for."""
    return bool(interval_of(text) or _TIME.search(text))
