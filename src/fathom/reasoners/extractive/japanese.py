"""How a question in Japanese divides into clauses."""

from __future__ import annotations

import re
from dataclasses import replace

from fathom.reasoners.extractive.clause import Clause
from fathom.reasoners.extractive.stress import japanese_stress

_KANA = re.compile(r"[ぁ-んァ-ヶ]")
_SENTENCE = re.compile(r"(?<=[。？！?!])\s*")
_ASKING = (
    r"(?:何|なに|なん(?:で|の|と)|誰|だれ|どの|どんな|どう|どこ|どれ|どちら|いつ|なぜ|いくつ|いくら|いかに|どのよう)"
)
_ASKS = re.compile(
    rf"{_ASKING}|ですか|ますか|でしょうか|のか$|か[。？?]?$|よね[。？?]?$|教えて|説明(?!し[なま])|述べ|比較し|知りたい|まとめて|挙げ|調べ|解説"
)
_REQUEST = re.compile(
    r"(?:を|について|に関して|も|まで|は)?(?:、)?(?:それぞれ|簡単に|簡潔に|詳しく|詳細に|徹底的に|包括的に|網羅的に|具体的に)*"
    r"(?:(?:教えて|説明して|述べて|比較して|まとめて|挙げて|調べて|解説して|示して)"
    r"(?:ください|下さい|ほしい|欲しい|(?:いただけ|もらえ)(?:ます|ません|ない)(?:でしょう)?か|くれますか)?|知りたい(?:です)?|お願い(?:いた)?します)$"
)
_OPENING = re.compile(r"^(?:また|そして|さらに|それから|次に|最後に|まず|なお|加えて|あわせて)[、,]?\s*")
_COMPARES = re.compile(r"違い|差異|比較|比べ|相違|使い分け|対比|どちらが|vs", re.IGNORECASE)
_REFERS = re.compile(r"(?:それ|その|それら|これ|この|これら|両者|前者|後者)(?:[はがをにのと]|ら)?")
_NAMED = re.compile(r"特に|とくに|とりわけ|詳しく|詳細に")
_THOROUGH = re.compile(r"詳しく|徹底的|包括的|網羅的|総合的|詳細に|あらゆる|全体像|体系的")
_PERIOD = re.compile(
    r"\d{4}年代?|\d{1,2}世紀|歴史|経緯|過去|現在|現状|(?:今後|将来)の?展望|今後|将来|展望|昭和|平成|令和|変遷"
)
_PERIOD_LIST = re.compile(
    rf"(?:{_PERIOD.pattern})(?:(?:[、・,]|と|や|から|および|及び|そして)+(?:{_PERIOD.pattern}))+(?:にかけて|まで)?"
)
_STAGES = re.compile(
    r"^(?>.*?(?:背景|歴史))(?>.*?(?:現状|課題)).*(?:展望|解決|対策)|^(?>.*?まず).*(?:次に|それから|続いて|最後に)|手順を順に|段階を追って"
)
_ITEM_BREAK = re.compile(r"\s*(?:[とや]?、|,|・|／|/|および|及び|ならびに|と(?=[^いしすきっの、。]))\s*")
_LIST = re.compile(
    r"(?:^|[、。：:]\s*)(?P<items>[^。：:]+?)\s*(?:など)?\s*(?:と)?の\s*(?:[^の、。]{0,6}の)?(?:違い|差異|相違|使い分け|比較|役割|意味|特徴|関係)"
    r"|(?<![^。：:])(?P<compared>[^。：:]+?)\s*を\s*比較|(?<![^。：:])(?P<each>[^。：:]+?)\s*(?:など)?\s*[はがを]\s*それぞれ"
)
_ITEM = re.compile(r"^[^、。はがをに]{1,24}$")
_TOPIC = re.compile(
    r"^(?P<topic>[^、。]+?(?:とき|時|場合|際|ため|には|については|において|では))\s*(?:に|は)?、\s*(?P<rest>.+)$"
)
_LATIN_RUN = re.compile(r"[A-Za-z][\w.+\-]*(?:\s+[A-Za-z][\w.+\-]*)*$")


def looks_japanese(text: str) -> bool:
    """Whether text holds kana."""
    return bool(_KANA.search(text))


def clauses(text: str) -> tuple[str, list[Clause]]:
    """The background of a question, and what it asks in order."""
    background: list[str] = []
    found: list[Clause] = []
    for part in filter(None, (part.strip() for part in _SENTENCE.split(text))):
        sentence = _OPENING.sub("", part.rstrip("。？！?! "))
        if not sentence:
            continue
        around, stressed = japanese_stress(sentence)
        if stressed:
            found += _of_sentence(around) if around else []
            found = [replace(clause, named=clause.stressed) for clause in found]
            found += [Clause(text=name, heading=name, named=True, stressed=True) for name in stressed]
        elif _ASKS.search(part) or part[-1] in "？?":
            found += _of_sentence(sentence)
        else:
            background.append(sentence)
    if not found and background:
        found, background = _of_sentence("。".join(background)), []
    return "。".join(background), found


def _of_sentence(sentence: str) -> list[Clause]:
    topic, body = "", sentence
    if (match := _TOPIC.match(sentence)) and not re.search(_ASKING, match["topic"]):
        topic, body = match["topic"], match["rest"]
    parts = _pieces(body)
    found = [_clause(part, topic=topic) for part in parts]
    if topic and len(found) == 1 and not found[0].items:
        found = [_clause(sentence, topic="")]
    return found


def _pieces(body: str) -> list[str]:
    """Splits at commas between two stretches that each ask, and between the objects of a request."""
    requested = _REQUEST.search(body)
    if requested and "比較" not in requested[0] and len(listed := _list_of(body[: requested.start()])) > 2:
        return listed
    if requested and re.search(r"(?:と|や)、", body[: requested.start()]):
        pieces = [piece for piece in re.split(r"(?:と|や)、\s*", body) if piece]
        if all(len(piece) >= 4 for piece in pieces):
            return pieces
    pieces = []
    for stretch in re.split(r"(?<=[^\W\d_])、\s*", body):
        asks = re.search(_ASKING, stretch)
        if pieces and (not asks or not re.search(_ASKING, pieces[-1])):
            pieces[-1] = f"{pieces[-1]}、{stretch}"
        else:
            pieces.append(stretch)
    return pieces


def _list_of(text: str) -> list[str]:
    """The things that a request lists, each with the head that the first one brings; nothing for a list of periods.

    >>> _list_of("暗号化の背景、課題、対策")
    ['暗号化の背景', '暗号化の課題', '暗号化の対策']
    """
    parts = [_OPENING.sub("", part) for part in _ITEM_BREAK.split(text) if part]
    if _by_period(text) or _COMPARES.search(text) or not all(_ITEM.match(part) for part in parts):
        return []
    head, of, _ = parts[0].rpartition("の") if parts else ("", "", "")
    if any("の" in part for part in parts[1:]):
        return parts if of else []
    return [parts[0], *(f"{head}{of}{part}" for part in parts[1:])] if parts else []


def _clause(text: str, *, topic: str) -> Clause:
    items = _items(text)
    return Clause(
        text=text,
        heading=heading(text),
        topic=topic,
        items=items,
        compares=bool(_COMPARES.search(text)),
        refers=bool(_REFERS.match(text)),
        named=bool(_NAMED.search(text)),
        periods=_by_period(text),
    )


def _items(text: str) -> tuple[str, ...]:
    """What a clause names side by side.

    >>> _items("apt、apt-get、aptitude の違い"), _items("手順の違い")
    (('apt', 'apt-get', 'aptitude'), ())
    """
    match = _LIST.search(text)
    if not match:
        return ()
    listed = next(filter(None, match.groups()))
    parts = [part.strip() for part in _ITEM_BREAK.split(listed) if part.strip()]
    if len(parts) < 2:
        return ()
    rest = re.match(r"の[^の、。]{1,8}(?=の)", text[text.find(listed, match.start()) + len(listed) :])
    if rest and all(_PERIOD.fullmatch(part) for part in parts):
        parts = [part + rest[0] for part in parts]
    period = _PERIOD.match(parts[-1])
    if period and parts[-1][period.end() :].startswith("の") and all(_PERIOD.fullmatch(part) for part in parts[:-1]):
        parts = [*(part + parts[-1][period.end() :] for part in parts[:-1]), parts[-1]]
    if (latin := _LATIN_RUN.search(parts[0])) and all(_LATIN_RUN.fullmatch(part) for part in parts[1:]):
        parts[0] = latin[0]  # `依存関係の宣言 Depends` begins with what the list is of
    return tuple(dict.fromkeys(parts)) if all(_ITEM.match(part) for part in parts) else ()


def sentence(text: str) -> str:
    """A clause as words that stand alone: a question as it stands, a request as what it is about."""
    return text if re.search(rf"{_ASKING}|か$", text) and not _REQUEST.search(text) else heading(text)


def _by_period(text: str) -> tuple[str, ...]:
    """The words narrowed to each of the periods that stand side by side; nothing unless there are several.

    >>> _by_period("潮の歴史と将来")
    ('潮の歴史', '潮の将来')
    """
    listed = _PERIOD_LIST.search(text)
    if not listed:
        return ()
    names = dict.fromkeys(match[0] for match in _PERIOD.finditer(listed[0]))
    found = tuple(text[: listed.start()] + name + text[listed.end() :] for name in names)
    return found if len(found) > 1 else ()


def heading(text: str) -> str:
    """A clause as a heading: without its asking.

    >>> heading("initramfs と systemd の役割を教えてください"), heading("誰が行い、どう違いますか")
    ('initramfs と systemd の役割', '誰が行い、どう違いますか')
    """
    words = _REQUEST.sub("", text.strip("。？！?!、 ")).strip("、 ")
    words = _TRAILING.sub("", words)
    if re.search(r"を比較して\S*$", text.strip("。？！?!、 ")) and "比較" not in words:
        words += "の比較"
    return _COPULA.sub("", words) or text


_TRAILING = re.compile(r"(?<=.)(?:について|に関して)?は?$|(?<=[^ぁ-ん])[とやをがも]$")
_COPULA = re.compile(r"(?:です|でしょう)(?=か$)")


def thorough(text: str) -> str:
    """The word that asks for a comprehensive answer, or nothing."""
    return match[0] if (match := _THOROUGH.search(text)) else ""


def periods(text: str) -> tuple[str, ...]:
    """The periods that are named, each once."""
    return tuple(dict.fromkeys(match[0] for match in _PERIOD.finditer(text)))


def ordered(text: str) -> bool:
    """Whether one thing is asked after the other."""
    return bool(_STAGES.search(text))
