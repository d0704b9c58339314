"""The constructions by which questions ask of data, English and Japanese, each over the shape of the question.

In a shape a sign stands for each stretch that is understood, as long as the stretch: what is a date, a value, a field
or a word for the records is decided first, and the constructions then say what is asked of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from fathom.data.requests import Interval

Place = tuple[int, int]

DAYS, VALUE, FIELD, RECORDS, TAKEN = "\ue000\ue001\ue002\ue003\ue004"
"""Begin what is understood: when, a value, a field, the records, and what leads to one of these or is told of it."""
REST = "\ue005"
"""The rest of such a stretch."""
SIGNS = f"{DAYS}-{REST}"
"""All of them, as a class of characters."""


def signed(shape: str, places: Iterable[Place], sign: str) -> str:
    """A shape in which `sign` stands at these places.

    >>> signed("AI by theme", [(0, 2)], VALUE) == f"{VALUE}{REST} by theme"
    True
    """
    for start, end in places:
        shape = f"{shape[:start]}{sign}{REST * (end - start - 1)}{shape[end:]}"
    return shape


def is_free(shape: str, place: Place) -> bool:
    """Whether nothing of what stands there is understood."""
    return not re.search(f"[{SIGNS}]", shape[slice(*place)])


_LISTS = r"(?:list|enumerate|show|find|give|name|get)\b(?!\s+me\s+about)"
_WORD = r"(?!(?:is|are|was|were|do|does|did|the|an?|has|have)\b)[\w-]+"
_NEXT = rf"\s*(?:,|、|・|/|and|or|nor|と|や|および|,\s*and|,\s*or)\s*(?:in\s+|the\s+)?{VALUE}{REST}*"
_FORMS: dict[str, tuple[str, str]] = {
    "count": (
        r"\bhow\s+many\b|(?<!st )\bnumber\s+of\b|\bcounts?\b",
        r"何(?:件|個|回|社|名|人|冊|本|台|箇所|か所|種類|[かカヶ]国)|件数|いくつ|総数|数(?:は|を|え)",
    ),
    "list": (
        rf"^(?:please\s+|can\s+you\s+)?{_LISTS}|\b(?:full|complete)\s+list\b|\blist\s+(?:all|every|each)\b",
        "一覧|列挙|リスト|すべて|全て|全部|全件|挙げて",
    ),
    "list records": (
        rf"(?:^(?:please\s+|can\s+you\s+)?{_LISTS}|\blist\s+(?:all|every|each)\b)[^{RECORDS}]{{0,24}}{RECORDS}",
        f"{RECORDS}{REST}*[をのは]?(?:すべて|全て|全部|全件)?[をの]?(?:一覧|列挙|リスト|挙げて)",
    ),
    "all": (r"\b(?:all|every|each|how\s+many|list)\b", "いくつ|一覧|列挙|リスト|すべて|全て|全部|全件|挙げて"),
    "points": (r"\bbullet(?:s|ed)?\b|\bas\s+points\b", "箇条書き"),
    "explain": (
        r"\bwhy\b|\breasons?\b|\bdescri(?:be|bes|bed|ption)\b|\bexplain\b|\bsummar(?:y|i[sz]e)\b|\btell\s+me\b"
        r"|\bwhat\s+(?:do|does|did|is|are|was|were|kinds?|can|happen\w*)\b"
        r"|\bhow\s+(?:do|does|did|can|could|should|is|are)\b|\bsa(?:y|id)\b",
        "なぜ|理由|どうして|説明|どのような|どんな|内容|要約|概要|教えて|何が|どうやって|特徴|とは",
    ),
    "why": (r"\bwhy\b|\breasons?\b", "なぜ|理由|どうして"),
    "told": (
        r"\bwhy\b|\breasons?\b|\bwhat\s+(?:do|does|did|can|could|should|would)\b",
        "なぜ|理由|どうして|何を|どう(?:考え|思)",
    ),
    "share": (
        r"\b(?:share|percentage|per\s?cent|proportion|fraction|what\s+part)\b(?:\s+of)?(?:\s+the)?\s*"
        r"|\b(?:with|to|and|than)\s+(?:the\s+|all\s+)?(?:others?|rest)\b",
        "割合|比率|シェア|何(?:%|パーセント|割)|占め|他の|ほかの",
    ),
    "sum": (r"\b(?:total|sum|average|mean|median)\b", "合計|平均|中央値"),
    "overview": (
        r"\boverview\b|\bsummar(?:y|i[sz]e)\b|\bwhat(?:'s|\s+is|\s+are)\s+(?:in|inside|there\s+in)\b"
        r"|\b(?:describe|explore|profile|analy[sz]e)\b",
        "概要|全体像|要約|(?:どんな|どのような)データ",
    ),
    "who": (r"\bwho(?:se)?\b", "誰|だれ"),
    "which": (
        rf"\b(?:which|what|all|every)\s+(?:(?:{_WORD}|[{DAYS}-{FIELD}]{REST}*)\s+){{0,2}}{RECORDS}",
        f"どの{RECORDS}",
    ),
    "end": (
        r"\b(?<!at )(?:most|fewest|least|(?:high|low|larg|small|great|bigg|long|short|old|young)est)\b",
        "最[大小高低多少]|最も|一番",
    ),
    "end of": (
        r"\b(?:(?:high|low|larg|small|great|bigg|long|short)est|least|fewest)\s+(?:(?:number|amount|total)\s+(?:of\s+)?)?"
        rf"(?P<field>{FIELD})",
        f"(?P<field_ja>{FIELD}){REST}*[がの]最[大小高低]",
    ),
    "time": (
        r"\bover\s+(?:the\s+)?(?:time|years|months|weeks|past|last)\b|\btrend(?:s|ing)?\b|\bwhen\b|\btimeline\b|\bevol\w+"
        r"|\bgr(?:ow|ew|own|owing|owth)\b|\bseasonal\w*|\b(?:increas|decreas|declin)\w+|\b(?:risen|fallen)\b",
        "推移|トレンド|傾向|変化|時期|いつ|増え|減っ|増減|伸び|変遷|時系列",
    ),
    "by": (
        r"\b(?:by|per|across|each|every|which|what|(?:distribution|breakdown)\s+of)\s*(?:the\s+)?"
        rf"(?P<field>{FIELD})",
        f"(?:各|どの)(?P<field_ja>{FIELD})|(?P<field_behind>{FIELD}){REST}*(?:別|ごと|毎|の分布)",
    ),
    "how many": (rf"\b(?:how\s+many|number\s+of)\s+(?:total\s+|the\s+)?(?P<field>{FIELD})", ""),
    "not": (
        r"(?:\bother\s+)?(?:\b(?:not|except|excluding|exclude|without|outside|besides|(?:other|rather)\s+than|apart\s+from|no|neither"
        r"|nor|non))[\s-]+(?:(?:in|of|from|for|about|on|the|any|with|by|at|is|are|being|\w+ed)\s+){0,3}"
        rf"{VALUE}{REST}*(?:{_NEXT})*",
        f"{VALUE}{REST}*(?:{_NEXT})*(?:の(?:もの|イベント|レコード))?(?:以外|を除|は除|では?な|じゃな|を含まな)",
    ),
}
"""How something is asked for, in English and in Japanese."""
_COMPILED = {form: re.compile("|".join(filter(None, both)), re.IGNORECASE) for form, both in _FORMS.items()}


def said(form: str, shape: str) -> re.Match[str] | None:
    """Where a text, or the shape of one, first has a construction.

    >>> [bool(said("count", text)) for text in ("How many are there?", "何件ですか", "Which are there?")]
    [True, True, False]
    """
    return _COMPILED[form].search(shape)


def each_said(form: str, shape: str) -> list[re.Match[str]]:
    """Everywhere that a shape has a construction."""
    return list(_COMPILED[form].finditer(shape))


def fields_said(form: str, shape: str) -> set[int]:
    """Where the fields begin that a construction speaks of."""
    return {max(match.start(group) for group in match.groupdict()) for match in each_said(form, shape)}


_STEPS: tuple[tuple[Interval, str, str], ...] = (
    ("quarter", "quarterly", "四半期"),
    ("month", "monthly", "月"),
    ("week", "weekly", "週"),
    ("day", "daily", "日"),
    ("year", "yearly|annual(?:ly)?", "年"),
)
_INTERVALS = {
    step: re.compile(
        rf"\b(?:by|per|each|every|which|busiest|quietest|peak)\s+(?:(?:[\w{SIGNS}-]+\s+){{1,2}}and\s+)?(?:calendar\s+)?{step}s?\b"
        rf"|\bover\s+the\s+{step}s\b|\b(?:{often})\b|{ja}(?:別|ごと|毎|次)|[毎各]{ja}(?!間)|どの{ja}(?!間)",
        re.IGNORECASE,
    )
    for step, often, ja in _STEPS
}


def interval_of(text: str) -> Interval | None:
    """The step that is named; `None` when none is.

    >>> interval_of("events per month"), interval_of("年ごとの推移"), interval_of("over time")
    ('month', 'year', None)
    """
    return next((interval for interval, pattern in _INTERVALS.items() if pattern.search(text)), None)


def over_time(text: str) -> bool:
    """Whether counts over time are asked for."""
    return bool(interval_of(text) or said("time", text))
