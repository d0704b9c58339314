"""What the judgements on the whole say, by language; every other one gets English. `{…}` is filled in."""

from __future__ import annotations

from collections.abc import Mapping

_SAYS = {
    "en": {
        "contradiction": "Two findings cannot both be true: “{one}” and “{other}”.",
        "settle": "Look for a further source that settles it.",
        "unanswered": "Nothing was found that answers “{question}”.",
        "partly": "On “{question}” nothing tells of {missing}.",
        "thin": "Too little was found on “{question}”.",
        "search": "Search for “{query}”.",
        "weak": "The answer to “{question}” rests on too few independent sources: {sources}, where {least} are needed.",
        "weak_findings": "Findings on “{question}” that rest on fewer than {least} independent sources each: {count}.",
        "confirm": "Look for further sources that say the same.",
        "beside": "Findings that share no word with the question: {count} of {all}.",
        "leave_out": "Leave them out.",
        "CONTINUE_RESEARCH": "Questions that are answered too little: {count}.",
        "DIMINISHING_RETURNS": "Questions that are answered too little: {count}; but the last {rounds} rounds found"
        " next to nothing.",
        "SUFFICIENT_COVERAGE": "Every question is answered well.",
        "comma": ", ",
    },
    "ja": {
        "contradiction": "同時には成り立たない知見があります。「{one}」と「{other}」です。",
        "settle": "どちらが正しいかを示す別の出典を探してください。",
        "unanswered": "「{question}」に答える知見がありません。",
        "partly": "「{question}」のうち、{missing}に触れた知見がありません。",
        "thin": "「{question}」についての知見が足りません。",
        "search": "「{query}」を検索してください。",
        "weak": "「{question}」への答えは独立した出典{sources}件だけに基づいています（{least}件以上が必要です）。",
        "weak_findings": "「{question}」の知見のうち、それぞれの出典が{least}件に満たないものが{count}件あります。",
        "confirm": "同じことを述べる別の出典を探してください。",
        "beside": "質問と共通する語のない知見が、{all}件のうち{count}件あります。",
        "leave_out": "これらの知見を除いてください。",
        "CONTINUE_RESEARCH": "答えが不十分な質問が{count}件あります。",
        "DIMINISHING_RETURNS": "答えが不十分な質問が{count}件ありますが、直近の{rounds}回ではほとんど何も"
        "見つかりませんでした。",
        "SUFFICIENT_COVERAGE": "すべての質問に十分な答えがあります。",
        "comma": "、",
    },
}
"""What is wrong and what would mend it, issue by issue; why research goes on or not; what stands between words."""


def verdicts(language: str) -> Mapping[str, str]:
    """The sentences of a language, given as an ISO 639-1 code."""
    return _SAYS.get(language, _SAYS["en"])
