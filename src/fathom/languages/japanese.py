"""How a question in Japanese divides into clauses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fathom.languages.clause import Clause
from fathom.text.characters import HAN
from fathom.text.reach import speaks_of_own

_KANA = re.compile(r"[ぁ-んァ-ヶ]")
_SENTENCE = re.compile(r"(?<=[。？！?!])\s*")
_ASKING = (
    r"(?:何|なに|なん(?:で|の|と)|誰|だれ|どの|どんな|どう|どこ|どれ|どちら|いつ|なぜ|いくつ|いくら|いかに|どのよう)"
)
_ASKS = re.compile(
    rf"{_ASKING}|ですか|ますか|でしょうか|のか$|か[。？?]?$|よね[。？?]?$|教えて|説明(?!し[なま])|述べ|比較し|知りたい|まとめて|挙げ|調べ|解説"
)
_WISH = (
    r"(?:(?:教え|説明し|述べ|比較し|比べ|まとめ|整理し|挙げ|調べ|解説し|示し|見せ)(?:て|よ$|ておき|たい)"
    r"|知りた|お願い|(?:わか|分か)ると助か|頼み)"
)
_PLEASE = r"[^、。をはがにのも]{1,6}[てで](?:ください|下さい|ほし|欲し|もらえ|もらい|いただ|頂|くれ)"
"""What somebody is to do with what stands before it, whatever that is."""
_REQUEST = re.compile(
    r"(?:(?:を|について(?:は|も)?|に関して(?:は|も)?|も|まで|は|が)、?(?:[^、。]{0,8}(?:です|ます)が、?)?"
    rf"(?:[^、。]{{0,12}}(?:レポート|報告書?|資料|説明|一覧|表|概要)[をに])?(?:[^、。をはがのと]{{0,14}}?{_WISH}|{_PLEASE})"
    rf"|{_WISH})[^、。]{{0,16}}$|(?<=を)(?:簡単|簡潔|手短|わかりやす)[にく]$"
)
_JOINING = r"(?:また|そして|さらに|それから|それと|あと|次に|最後に|まず|なお|加えて|あわせて)"
_OPENING = re.compile(rf"^{_JOINING}[、,]?\s*")
_COMPARES = re.compile(r"違い|差異|比較|比べ|相違|使い分け|対比|どちらが|vs", re.IGNORECASE)
_REFERS = re.compile(r"(?:それ|その|それら|これ|この|これら|両者|前者|後者)(?:[はがをにのと]|ら)?")
_NAMED = re.compile(r"特に|とくに|とりわけ|詳しく|詳細に")
_THOROUGH = re.compile(r"詳しく|徹底的|包括的|網羅的|総合的|詳細に|あらゆる|全体像|体系的")
_PERIOD = re.compile(
    r"\d{4}年[代度版]?|[一-龠ァ-ヶー]{2,6}[前後](?![一-龠])|\d{1,2}世紀|歴史|経緯|過去|現在|現状|(?:今後|将来)の?展望|今後|将来|展望|\w{2}時代|現代|(?:昭和|平成|令和)(?:[元\d]+年度?)?|変遷"
)
_PERIOD_LIST = re.compile(
    rf"(?:{_PERIOD.pattern})(?:(?:[、・,]|と|や|から|および|及び|そして)+(?:{_PERIOD.pattern}))+(?:にかけて|まで)?"
)
_STAGES = re.compile(
    r"^(?>.*?(?:背景|歴史))(?>.*?(?:現状|課題)).*(?:展望|解決|対策)|^(?>.*?まず).*(?:次に|それから|続いて|最後に)|手順を順に|段階を追って"
)
_ITEM_BREAK = re.compile(r"\s*(?:とか|[とや]?、|,|・|／|/|および|及び|ならびに|と(?=[^いしすきっの、。]))\s*")
_LIST = re.compile(
    r"(?:^|[、。：:]\s*)(?P<items>[^。：:]+?)\s*(?:など)?\s*(?:と)?の\s*(?:[^の、。]{0,6}の)?(?:違い|差異|相違|使い分け|比較|役割|意味|特徴|関係)"
    r"|(?<![^。：:])(?P<compared>[^。：:]+?)\s*を\s*比較|(?<![^。：:])(?P<each>[^。：:]+?)\s*(?:など)?\s*[はがを]\s*それぞれ"
)
_ITEM = re.compile(r"^[^、。はがをに]{1,24}$")
_TOPIC = re.compile(
    r"^(?P<topic>[^、。]+?(?:とき|時|場合|際|ため|には|について|に関して|において|では))\s*(?:に|は)?、\s*(?P<rest>.+)$"
)
_APART = re.compile(rf"(?:と|や)、\s*|、\s*(?={_JOINING})")
"""What stands between two things that are asked for, each in words of its own."""
_HELD_AGAINST = re.compile(
    r"^(?P<one>[^。、]+?)は、?(?P<others>[^。、は]+?)(?:と|に|より)(?:比べ|比較|照らし)"
    r"|^(?P<first>[^。]+?)と、(?P<second>[^。、]+?)と?を、?(?:比べ|比較)"
)
_LATIN_RUN = re.compile(r"[A-Za-z][\w.+\-]*(?:\s+[A-Za-z][\w.+\-]*)*$")

_TOLD_OF = (
    r"(?:(?:は|も)?(?:、)?(?:詳しく|詳細に|重点的に|しっかり|深く|掘り下げて)*"
    r"(?:教え|説明し|述べ|まとめ|解説し|取り上げ|触れ|調べ|扱っ|お願い|知りたい|記述し|論じ).*)?"
)
_ABOUT_IT = (
    r"(?:について(?:は|も)?|に関して(?:は|も)?|に(?:重点|焦点)を(?:置いて|当てて|あてて|絞って)|を中心に(?:して)?"
    r"|に(?:注目|着目)して|を|は|も)"
)
_STRESS = (
    re.compile(
        rf"(?:^|[、,]\s*)(?:特に|とくに|とりわけ|なかでも|中でも)[、,]?\s*(?P<named>[^。]+?)\s*{_ABOUT_IT}?{_TOLD_OF}$"
    ),
    re.compile(
        r"(?:^|[、,]\s*)(?P<named>[^。、]+?)(?:に(?:重点|焦点)を(?:置いて|当てて|あてて|絞って)|を中心に(?:して)?)"
        r"(?P<rest>[^。]*)$"
    ),
)
_STRESS_BREAK = re.compile(r"\s*(?:[とや]?、|,|・|および|及び|ならびに|と(?=[^いしすっの、。]))\s*")


def looks_japanese(text: str) -> bool:
    """Whether text holds kana."""
    return bool(_KANA.search(text))


def clauses(text: str) -> tuple[str, list[Clause]]:
    """The background of a question, and what it asks in order."""
    background: list[str] = []
    found: list[Clause] = []
    for part in filter(None, (part.strip() for part in _SENTENCE.split(text))):
        sentence = _OPENING.sub("", part.rstrip("。？！?! "))
        around, stressed = _stressed_in(sentence)
        if stressed:
            found += _of_sentence(around) if around else []
            found = [replace(clause, named=clause.stressed) for clause in found]
            names = [_REQUEST.sub("", name) or name for name in stressed]
            found += [Clause(text=name, heading=name, named=True, stressed=True) for name in names]
        elif _ASKS.search(part) or _REQUEST.search(sentence) or part[-1] in "？?":
            found += _of_sentence(sentence)
        else:
            background.append(sentence)
    if not found and background:
        found, background = _of_sentence("。".join(background)), []
    return "。".join(background), found


def _stressed_in(text: str) -> tuple[str, tuple[str, ...]]:
    """The words around what is stressed, and what is.

    >>> _stressed_in("特に第五世代コンピュータと深層学習について")
    ('', ('第五世代コンピュータ', '深層学習'))
    >>> _stressed_in("ネットワークについて、特に DNS を詳しく教えて")
    ('ネットワークについて', ('DNS',))
    """
    for pattern in _STRESS:
        if match := pattern.search(text):
            named = [part.strip() for part in _STRESS_BREAK.split(match["named"].strip(" 、,"))]
            rest = (match.groupdict().get("rest") or "").strip(" 、,")
            around = f"{text[: match.start()].strip(' 、,')}、{rest}".strip("、")
            return around, tuple(dict.fromkeys(filter(None, named)))
    return text, ()


def _of_sentence(sentence: str) -> list[Clause]:
    topic, body = "", sentence
    if (match := _TOPIC.match(sentence)) and not re.search(_ASKING, match["topic"]):
        topic, body = match["topic"], match["rest"]
    listed = _objects(body)
    parts = listed or _pieces(body)
    head = _head(parts, is_list=bool(listed))
    found = [_clause(part, topic=topic or ("" if part.startswith(head) else head)) for part in parts]
    return [_clause(sentence, topic="")] if topic and not found[1:] else found


def _head(parts: Sequence[str], *, is_list: bool) -> str:
    """What the first of several parts is about, which the others do not name again.

    >>> _head(["倉庫は誰が管理し", "点検はいつか"], is_list=False), _head(["本の背景", "課題", "対策"], is_list=True)
    ('倉庫', '本')
    """
    if is_list:
        return parts[0].rpartition("の")[0] if len(parts) > 2 else ""
    theme = re.match(r"[^はがを、]+(?=は)", parts[0])
    return theme[0] if theme and len(parts) > 1 else ""


def _objects(body: str) -> list[str]:
    """What a request asks for, or a bare list names, one by one; nothing unless there are several."""
    requested = _REQUEST.search(body)
    wanted = body[: requested.start()] if requested else body
    if requested and re.search("比較|比べ", requested[0]):
        return []
    if (requested or not re.search("[はがをか]", body)) and len(listed := _list_of(wanted)) > 2:
        return listed
    pieces = [_OPENING.sub("", piece) for piece in _APART.split(wanted) if piece] if requested else []
    return pieces if len(pieces) > 1 and all(len(piece) >= 4 for piece in pieces) else []


def _pieces(body: str) -> list[str]:
    """Splits at commas between two stretches that each ask, and where something else is asked besides."""
    pieces: list[str] = []
    for stretch in re.split(r"(?<=[^\W\d_])、\s*", body):
        asks = re.search(_ASKING, stretch) or _OPENING.match(stretch)
        if pieces and (not asks or not re.search(_ASKING, pieces[-1])):
            pieces[-1] = f"{pieces[-1]}、{stretch}"
        else:
            pieces.append(_OPENING.sub("", stretch))
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
        return parts
    return [parts[0], *(f"{head}{of}{part}" for part in parts[1:])] if parts else []


def _clause(text: str, *, topic: str) -> Clause:
    sides, respect = _sides(text)
    items = sides or _items(text)
    if items and not sides and _COMPARES.search(text) and (respect := _shared_end(items)):
        items = (*items[:-1], items[-1].partition("の")[0])
    asked = _REQUEST.sub("", text).rstrip("、 ")
    asked = asked if len(asked) > 1 else text
    return Clause(
        text=asked,
        heading=heading(text),
        topic=topic,
        items=items,
        respect=respect,
        compares=bool(sides or _COMPARES.search(text)),
        refers=bool(_REFERS.match(text)),
        named=bool(_NAMED.search(text)),
        periods=_by_period(asked),
    )


def _sides(text: str) -> tuple[tuple[str, ...], str]:
    """What is one's own and what it is held against, and what is compared.

    >>> _sides("当社の休暇は、他社と比べてどうですか"), _sides("白は黒と比べて明るいですか")
    ((('当社の休暇', '他社'), '休暇'), ((), ''))
    """
    match = _HELD_AGAINST.match(text)
    one, *others = filter(None, match.groups()) if match else ("",)
    if not others or not speaks_of_own(one):
        return (), ""
    return (one, *others), one.partition("の")[2]


def _shared_end(parts: Sequence[str]) -> str:
    """What the last of several things says of all: `東京`, `大阪`, `福岡の保育料`."""
    _, of, end = parts[-1].partition("の")
    return end if of and not any("の" in part for part in parts[:-1]) else ""


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
    >>> heading("会費について"), heading("退会するには"), heading("会費は")
    ('会費', '退会するには', '会費')
    >>> [heading(text) for text in ("停止した原因は何で", "総会はいつ開かれ", "誰が払い", "いつ実施し")]
    ['停止した原因は何か', '総会はいつ開かれるか', '誰が払うか', 'いつ実施するか']
    """
    words = _REQUEST.sub("", text.strip("。？！?!、 ")).strip("、 ")
    words = _TRAILING.sub("", words)
    if re.search(r"を比較して\S*$", text.strip("。？！?!、 ")) and "比較" not in words:
        words += "の比較"
    return _ended(_COPULA.sub("", words)) or text


def _ended(words: str) -> str:
    """A clause that goes on in the next one as one that ends: its last verb in the form that it is looked up by."""
    for pattern, form in _GOES_ON if _ASKS_FOR.search(words) else ():
        if match := pattern.search(words):
            end = match[1].translate(_LOOKED_UP) if form is None else form
            return f"{words[: match.start(1)]}{end}か"
    return words


_ASKS_FOR = re.compile("何(?!の)|いつ|どこ|誰|だれ|いく[らつ]|どう|どれ|どちら|なぜ")
_GOES_ON: tuple[tuple[re.Pattern[str], str | None], ...] = (
    (re.compile("(?:何|いつ|どこ|誰|だれ|いく[らつ]|どれ|どちら)(で)$"), ""),
    (re.compile("てい(て)$"), "る"),
    (re.compile("(?:[でおす]き|[借降足]り|起き|[えけげせねべめれ])()$"), "る"),
    (re.compile(f"[{HAN}]{{2}}(し)$"), "する"),
    (re.compile(f"(?<=[{HAN}っんまわがか])([いきぎしちにびみり])$"), None),
)
"""How the verb of such a clause ends, and in what instead; `None`: in the same row."""
_LOOKED_UP = str.maketrans("いきぎしちにびみり", "うくぐすつぬぶむる")
_TRAILING = re.compile(r"(?<=.)(?:(?:について|に関して)は?|(?<![にで])は)$|(?<=[^ぁ-ん])[とやをがも]$")
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
