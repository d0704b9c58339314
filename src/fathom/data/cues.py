"""The words by which a sentence on counts says what a figure tells, in English and Japanese."""

from __future__ import annotations

import re

from fathom.data.marks import CONTEXT_MARK, FIELD_MARK, GROUP_MARK
from fathom.data.results import Statistic


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


# ── What a figure counts ───────────────────────────────────────────────────────────────────────────────────────────

NOUN = (
    r"(?:records?|events?|entries|entry|documents?|items?|rows|row|cases|case|results?|observations?"
    r"|件|個|レコード|イベント)"
)
"""What is counted."""
MARKS = f"(?:{GROUP_MARK}|{FIELD_MARK}|{CONTEXT_MARK})"
"""Anything that is named."""
_HEDGE = (
    r"(?:(?:about|around|nearly|almost|roughly|approximately|more than|over|less than|some|just|an?"
    r"|約|およそ|ほぼ)\s*)*"
)
CHANGE_BEFORE = _any(
    rf"\bby\s*{_HEDGE}$",
    r"\b(?:increase|growth|rise|gain|jump|decline|drop|decrease|fall|reduction|change|loss|difference|gap|lead|margin)"
    rf" of\s*{_HEDGE}$",
    rf"\b(?:gap|difference|lead|margin)\b[^,;.]{{0,40}}\b(?:is|was)\s*{_HEDGE}$|差は\s*{_HEDGE}$",
    r"\b(?:up|down|grew|rose|fell|dropped|declined|increased|decreased|shrank|climbed)"
    rf"\s*{_HEDGE}$",
)
"""Before a change or a difference."""
CHANGE_AFTER = _any(
    rf"\s*(?:{NOUN}\s*)?(?:more|fewer|less|higher|lower|larger|smaller|ahead|behind)\b(?! than [\ufdd0\d])",
    rf"\s*(?:{NOUN}\s*)?(?:increase|growth|rise|decline|drop|decrease|reduction|up|down)\b",
    r"\s*件?(?:の)?(?:増|減|変化|上昇|低下|伸び|多い|多く|多か|少な|上回|下回|差)",
)
"""Behind one."""
OF_BEFORE = _any(
    r"\b(?:(?:out )?of|among|amongst|across|over|in)\s+(?:all\s+)?(?:(?:the|these|those|its)\s+)?"
    r"(?:total\s+(?:of\s+)?)?$",
    r"\b(?:all|the|these|those)\s+(?:of the\s+)?$",
)
"""Before the number of records that others are a part of."""
NOT_OF = _any(
    r"\b(?:total|share|average|mean|sum|median|number|count|maximum|minimum|peak|proportion|half|most|value) of\s*$"
)
OF_AFTER = re.compile(rf"\s*件?\s*(?:\({MARKS}+\)|{MARKS})?\s*(?:のうち|の内|中(?!央)|に占め|に対する|を母数)")
RECORDS = re.compile(rf"\s*(?:{MARKS}\s+|matching |matched |such )?(?:{NOUN})")
DATASET = _any(r"\bdata ?set\b", r"\bdatabase\b", "データセット|全体|全レコード|全件")
"""All records are meant and not those that match."""
GROUP_NOUN = (
    rf"(?:{FIELD_MARK}|groups?|categor(?:y|ies)|values?|kinds?|types?|themes?|topics?|class(?:es)?|buckets?"
    r"|years?|months?|weeks?|days?|quarters?|hours?|steps?"
    r"|グループ|種類|カテゴリー?|か月|年分|四半期|週分|日分|時間分|区間|テーマ|つの)"
)
PLURAL = re.compile(
    rf"\s+(?:\w+\s+)?(?:{FIELD_MARK}|groups|categories|values|kinds|types|themes|topics|classes)\s*(?:are|were|include|:)"
)
"""Behind a superlative of several groups."""
GROUPS = re.compile(rf"\s*(?:(?:different|distinct|further|listed|unique|other|separate)\s+)*{GROUP_NOUN}")
TIE = _any(
    r"\b(?:tie[sd]?|tying|joint(?:ly)?|equal(?:ly)?)\b", r"\bshare the\b", r"\bone of the\b", "同数|並ん|並び|同率"
)
EVERY = _any(
    rf"\b(?:every|each|all)\s+(?:of the\s+)?(?:\ufdd0+\s+)?{GROUP_NOUN}", rf"(?:すべて|全て|どの)の?{GROUP_NOUN}"
)
NO_GROUP = re.compile(rf"(?<!have )(?<!has )(?<!had )(?<!with )\b(?:no|none of the)\s+(?P<other>other\s+)?{GROUP_NOUN}")
EACH = _any(r"\b(?:each|both|apiece)\b", r"\bper group\b", "それぞれ|各|ともに|いずれも")
TOGETHER = _any(r"\b(?:together|combined|jointly)\b", r"\bin (?:total|sum)\b", r"合わせ|合計|併せ|計(?=\d)")
STATISTICS: tuple[tuple[Statistic, re.Pattern[str]], ...] = (
    ("mean", _any(r"\b(?:mean|averag\w*|avg)\b", "平均")),
    ("median", _any(r"\bmedian\b", "中央値")),
    ("sum", _any(r"\b(?:sums?|totals?|totall?ing|totall?ed)\b", "合計|総")),
    ("min", _any(r"\b(?:minimum|min|smallest|lowest|least)\b", "最小|最低")),
    ("max", _any(r"\b(?:maximum|max|largest|highest|greatest)\b", "最大|最高")),
)

# ── How groups stand to each other ─────────────────────────────────────────────────────────────────────────────────

MOST = _any(
    r"(?<!at )\bmost\b(?! of)",
    r"\b(?:largest|biggest|highest|greatest|leads?|leading|led|leader|tops|topped|dominant|dominat\w+|commonest)\b",
    r"\bpeak(?:s|ed|ing)?\b|\b(?:ranks?|ranked|comes?|came) first\b|\bfirst place\b|\bnumber one\b|\bno\. 1\b",
    "最多|最も(?:多|高|大き|よく|頻)|一番(?:多|高|大き)|最大(?!値|で)|最高(?!値)|首位|トップ|第?1位|ピーク",
)
LEAST = _any(
    r"\b(?:fewest|smallest|lowest|rarest)\b|(?<!at )\bleast\b",
    "最少|最も(?:少|低|小さ)|一番(?:少|低|小さ)|最小(?!値|で)|最低(?!値|で)|最下位",
)
FIRST = _any(r"\b(?:first|earliest)\b(?! half| place)", "最初|最古")
LAST = _any(r"\b(?:last|latest|final)\b(?! half| place)", "最後|最新")
ONLY = _any(r"\bthe (?:only|sole|single)\b", "唯一")
MAJORITY = _any(
    r"\bmost of\b|\b(?:the )?(?:vast )?majority\b",
    r"(?:^|[,;:]\s)most\s+(?:of\s+)?(?:the\s+)?(?:records|events|entries|documents)\b",
    "過半数|大半|大多数|ほとんど",
)
SAME_SIZE = _any(r"\b(?:similar|evenly|alike)\b|\bnearly the same\b", "件数は近く|ほぼ同じ|均等")
GREATER = _any(
    r"\bahead of\b|\b(?:more|larger|bigger|higher|greater)\b[^,;.]{0,40}?\bthan\b",
    r"\b(?:exceed(?:s|ed|ing)?|outnumber(?:s|ed)?|surpass\w*|beats?|overt(?:ake|akes|ook)|above)\b",
    rf"\bleads?(?=\s*{GROUP_MARK})",
)
SMALLER = _any(
    r"\b(?:fewer|less|smaller|lower)\b[^,;.]{0,40}?\bthan\b", r"\b(?:behind|trail(?:s|ed|ing)?|below|follows)\b"
)
NEXT = _any(
    r"\bfollowed by\b|\bnext (?:is|are|comes|come)\b|\bthen comes?\b|\bahead only of\b",
    "次い(?:で|だ)|続い(?:て|た)|次に|に続く",
)
MORE_JA = _any("より[^、。]{0,12}?(?:多|高|大き|上)", "を上回|を超え")
LESS_JA = _any("より[^、。]{0,12}?(?:少|低|小さ|下)", "を下回|に及ばな|に次ぐ")
COMPARES = _any(r"\bthan\b|\bas (?:many|much|often)\b|\b(?:ahead|behind|lead|gap|difference)\b", "より|の差")
HIGHER = _any(r"\bmore\b(?! than \|)|\b(?:higher|larger|ahead|lead)\b", "多|上回")
LOWER = _any(r"\b(?:fewer|lower|smaller|behind)\b|\bless\b(?! than \|)", "少な|下回")

# ── What rose and fell ─────────────────────────────────────────────────────────────────────────────────────────────

_ALONE = r"(?= from| by| \d| \ufdd0|[.,;]|$)"
UP = _any(
    r"\b(?:rose|rise[sn]?|rising|grew|grow(?:s|n|ing|th)?|increas\w+|gain(?:s|ed)?|climb\w*|jump\w*|surg\w+|soar\w*)\b",
    rf"\b(?:expand\w*|doubl\w+|tripl\w+|up{_ALONE})\b",
    "増(?!減)|伸び|上昇|拡大",
)
DOWN = _any(
    r"\bfell\b(?! (?:in|into|under|on|within|to the)\b)|\bfall(?:s|en|ing)?\b(?! (?:in|into|under|on|within|to the)\b)",
    rf"\b(?:drop\w*|declin\w+|decreas\w+|shr[aiu]nk\w*|reduc\w+|halv\w+|slump\w*|down{_ALONE})\b",
    "減|低下|下落|縮小|落ち込",
)
STABLE = _any(r"\b(?:unchanged|constant|stable|flat|stagnat\w+)\b|\bthe same\b", "横ばい|変わら|変化が?な|同数")
STEADY = _any(
    r"\b(?:steadily|continuous(?:ly)?|consistently|constantly)\b|\b(?:every|each) (?:year|quarter|month|week|day)\b",
    r"\byear (?:after|on|by) year\b",
    "毎年|毎月|年々|一貫して|着実に",
)
"""A change at every step."""
SINCE = _any(r"\bsince\b", "以降|以来")

# ── What no count tells ────────────────────────────────────────────────────────────────────────────────────────────

REASON = _any(
    r"\b(?:because|due to|owing to|thanks to|caused|driven by|result of|as a result|therefore)\b",
    r"\b(?:reflect\w*|explain\w*|suggest\w*|indicat\w*|proves?|will|expected|likely|should)\b",
    "ため|により|によって|おかげ|原因|理由|影響|と考えられ|だろう|見込|を示唆",
)
NO_NEGATION = _any(
    r"\bnot (?:listed|shown|given|counted)\b|\b(?:no|none|without)\b",
    "一覧にない|の値がありません|だけでなく|ありません|少な[いくか]|がない",
)
"""What looks like a negation and is worked out like a figure."""
