"""The same in Japanese, where particles say what stands in which place."""

from __future__ import annotations

import re

from fathom.languages.packs import Language
from fathom.text.analysis import query_terms
from fathom.text.characters import HAN, KATAKANA
from fathom.text.common import telling

SAYS = 0.9
"""What the words of a question must say, in rare words, to stand by themselves."""
_END = " \t\n?？!！.。、,…"
_HEAD = re.compile(rf"(?:[{HAN}]+|[{KATAKANA}ー]+|[A-Za-z][\w.+#-]*)$")
_PIECE = re.compile(rf"[{HAN}]{{3,}}|[{KATAKANA}ー]+|[A-Za-z][\w.+#-]*")


def made_whole(text: str, before: str, language: Language) -> str:
    """A question with what it leaves to the one before it.

    >>> from fathom.languages.packs import pack
    >>> asked = "自治会の会費はいくらですか"
    >>> [made_whole(text, asked, pack("ja")) for text in ("では支払い方法は？", "その期限は？", "防災訓練は？")]
    ['自治会の会費の支払い方法は？', '自治会の会費の期限は？', '自治会の防災訓練はいくらですか？']
    >>> made_whole("では Windows では？", "Linux で Borg を入れるには？", pack("ja"))
    'Windows で Borg を入れるには？'
    """
    told = {key: language.pattern(f"follow_up.{key}") for key in ("opens", "same", "subject", "whose", "pointing")}
    if not told["same"]:
        return text
    before = before.rstrip(_END)
    named = re.match(rf"(?:.*、)?(?P<x>[^、。]+?)(?:{told['subject']})", before)
    topic = named["x"] if named else re.sub(language.pattern("words.phrases"), "", before)
    core = re.sub(rf"^(?:{told['opens']})[、,\s]*", "", text).rstrip(_END)
    if theme := re.fullmatch(rf"(?P<x>.+?)(?P<way>{told['same']})", core):
        said = re.sub(told["whose"], "", theme["x"].strip())
        return f"{_same(said, theme['way'], before, topic, language)}？"
    for key, name in (("whose", f"{topic}の"), ("pointing", topic)):
        if match := re.search(told[key], core):
            return f"{core[: match.start()]}{name}{core[match.end() :]}？"
    terms = query_terms(core)
    if not terms:
        return f"{before}、{core}？"
    if not re.search("[はがを]", core):
        return f"{topic}について、{core}？"
    if sum(telling(term, language=language.code) for term in terms) >= SAYS:
        return text
    return f"{topic.rpartition('の')[0] or topic}の{core}？"


def _same(said: str, way: str, before: str, topic: str, language: Language) -> str:
    """The last question with something else in its place, or what it was about in another respect; `way` is how that is
    asked."""
    is_case, is_aspect = (said.endswith(language.words(f"follow_up.{key}")) for key in ("cases", "aspects"))
    if "の" in said and (is_aspect or not is_case):
        return f"{said}は"  # it names what it is of
    if is_aspect:
        return f"{topic}の{said}は"
    place = re.match(language.pattern("follow_up.places"), way)  # `Windows で` は
    if place and (held := re.search(rf"[^\sはがをにでの、]+(?=\s*{place[0]}(?![すし]))", before)):
        return before[: held.start()] + said + before[held.end() :]
    if is_case:
        return f"{said}{'' if said.endswith('場合') else 'の場合'}、{before}"
    own = match[0] if (match := _HEAD.search(said)) else ""
    for held in _PIECE.finditer(before) if own else ():
        if held[0] != own and (held[0][-2:] == own[-2:] or (held[0].isascii() and own.isascii())):
            return before[: held.start()] + said + before[held.end() :]
    owner, of, _ = topic.rpartition("の")
    start = before.find(topic)
    return before[:start] + owner + of + said + before[start + len(topic) :]
