"""What the judgements on the whole say, in the languages that have them; every other language gets English."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Verdicts:
    """Sentences. `{…}` marks what `str.format` fills in."""

    contradiction: str
    """Two findings cannot both be true: `{one}`, `{other}`."""
    settle: str
    """What would mend that."""
    unanswered: str
    """Nothing answers `{question}`."""
    partly: str
    """Of `{question}`, nothing tells of `{missing}`."""
    thin: str
    """Of `{question}`, too little is told."""
    search: str
    """What would mend these: a search for `{query}`."""
    weak: str
    """The answer to `{question}` rests on `{sources}` independent sources; fewer than `{least}` are weak."""
    weak_findings: str
    """`{count}` findings on `{question}` rest on fewer than `{least}` independent sources each."""
    confirm: str
    """What would mend that."""
    beside: str
    """`{count}` of `{all}` findings share no word with the question."""
    leave_out: str
    """What would mend that."""
    go_on: str
    """`{count}` questions are answered too little, and the last rounds still found something."""
    barren: str
    """`{count}` questions are answered too little, but the last `{rounds}` rounds found next to nothing."""
    enough: str
    """Every question is answered well."""
    comma: str
    """Between the parts of a list."""


_ENGLISH = Verdicts(
    contradiction="Two findings cannot both be true: “{one}” and “{other}”.",
    settle="Look for a further source that settles it.",
    unanswered="Nothing was found that answers “{question}”.",
    partly="On “{question}” nothing tells of {missing}.",
    thin="Too little was found on “{question}”.",
    search="Search for “{query}”.",
    weak="The answer to “{question}” rests on too few independent sources: {sources}, where {least} are needed.",
    weak_findings="Findings on “{question}” that rest on fewer than {least} independent sources each: {count}.",
    confirm="Look for further sources that say the same.",
    beside="Findings that share no word with the question: {count} of {all}.",
    leave_out="Leave them out.",
    go_on="Questions that are answered too little: {count}.",
    barren="Questions that are answered too little: {count}; but the last {rounds} rounds found next to nothing.",
    enough="Every question is answered well.",
    comma=", ",
)
_JAPANESE = Verdicts(
    contradiction="同時には成り立たない知見があります。「{one}」と「{other}」です。",
    settle="どちらが正しいかを示す別の出典を探してください。",
    unanswered="「{question}」に答える知見がありません。",
    partly="「{question}」のうち、{missing}に触れた知見がありません。",
    thin="「{question}」についての知見が足りません。",
    search="「{query}」を検索してください。",
    weak="「{question}」への答えは独立した出典{sources}件だけに基づいています（{least}件以上が必要です）。",
    weak_findings="「{question}」の知見のうち、それぞれの出典が{least}件に満たないものが{count}件あります。",
    confirm="同じことを述べる別の出典を探してください。",
    beside="質問と共通する語のない知見が、{all}件のうち{count}件あります。",
    leave_out="これらの知見を除いてください。",
    go_on="答えが不十分な質問が{count}件あります。",
    barren="答えが不十分な質問が{count}件ありますが、直近の{rounds}回ではほとんど何も見つかりませんでした。",
    enough="すべての質問に十分な答えがあります。",
    comma="、",
)
_BY_LANGUAGE = {"en": _ENGLISH, "ja": _JAPANESE}


def verdicts(language: str) -> Verdicts:
    """The sentences of a language, given as an ISO 639-1 code."""
    return _BY_LANGUAGE.get(language, _ENGLISH)
