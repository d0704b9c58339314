"""The one thing that a clause names, for the clauses after it that do not say what they are about."""

from __future__ import annotations

import re

from fathom.text.analysis import identifiers
from fathom.text.characters import HAN, count_cjk

FEW = 3
"""Terms of a clause; one with more tells what it is about."""
_KINDS = (
    "橋|川|山|岳|湖|港|島|城|寺|神社|駅|(?<![回配直曲無有電光視前路水目点実])線|市|町|村|県|府|省|庁|大学|高校|学院|研究所|病院|会社|銀行"
    "|(?<![方手文用記技寸作解])法|条約|塔|館|ダム|空港|トンネル|鉄道|公園|天文台|協会|機構|財団|製作所"
)
_KANJI_NAME = re.compile(rf"[{HAN}々][{HAN}々ヶヵケノ]{{1,40}}?(?:{_KINDS})(?![{HAN}々ァ-ヶー])")
_AROUND = re.compile(r"^\s+(?P<noun>[a-z]+)\s*$")
_WITHIN = re.compile(r"\b(?:(?:in|with|for|under|at|from|by|using|as|than)\s+(?:the\s+)?|an?\s+)$", re.IGNORECASE)
_ACTS = re.compile(r"\b(?:do|does|did|can|could|will|would|should|must)\s+the\s+$", re.IGNORECASE)
_GOES_ON = re.compile(r"\b(?:the|there)\b", re.IGNORECASE)


def kanji_names(text: str) -> list[str]:
    """The names of places, offices, companies and works that are told by how they end, each once.

    >>> kanji_names("霧ヶ原大橋の全長と実行方法")
    ['霧ヶ原大橋']
    """
    return list(dict.fromkeys(_KANJI_NAME.findall(text)))


def named_subject(text: str) -> str:
    """What a clause is about when it names exactly one thing, with its article; else nothing.

    What only stands around that (`in PostgreSQL`) is not it.

    >>> named_subject("How high is the Norvik lighthouse"), named_subject("Who discovered Orlethfordin")
    ('the Norvik lighthouse', 'Orlethfordin')
    >>> named_subject("How does vacuum work in PostgreSQL"), named_subject("東京大学の設立はいつですか")
    ('', '東京大学')
    """
    if count_cjk(text):
        found = kanji_names(text)
        return found[0] if len(found) == 1 else ""
    found = identifiers(text)
    if len(found) != 1 or not found[0][:1].isupper() or (start := text.find(found[0])) < 0:
        return ""
    name, before, behind = found[0], text[:start], text[start + len(found[0]) :]
    if _WITHIN.search(before) or behind.startswith(","):
        return ""
    if not re.search(r"\bthe\s+$", before, re.IGNORECASE):
        return name
    noun = None if _ACTS.search(before) else _AROUND.match(behind)
    return f"the {name} {noun['noun']}" if noun else f"the {name}"


def names_nothing(text: str) -> bool:
    """Whether a clause has no name of its own."""
    return not (kanji_names(text) or identifiers(text))


def goes_on(text: str, *, terms: int) -> bool:
    """Whether a clause of so many terms, without a name, speaks of something as known: `the top speed`, `are there`.

    In Japanese nothing shows it, and a subject that is known is left out.
    """
    return count_cjk(text) > 0 or (terms <= FEW and bool(_GOES_ON.search(text)))
