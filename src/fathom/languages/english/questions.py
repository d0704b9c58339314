"""How a question in English, or in any language written with spaces, divides into clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from fathom.languages.clause import Clause
from fathom.languages.english.forms import by_period, heading, topic, without_request
from fathom.languages.english.lists import AUX, COMPARES, REFERS, TELL, WH, clean, items_of, sides_of
from fathom.languages.english.stress import stressed_in
from fathom.text.analysis import query_terms
from fathom.text.common import telling
from fathom.text.sentences import sentences

_STRONG_TELL = (
    r"(?:explain|describe|compare|contrast|discuss|outline|summari[sz]e|analy[sz]e|evaluate|provide|suggest|recommend)"
)
_JOIN = r"(?:(?:and\s+)?(?:and|or|but|also|plus|then|finally|lastly|next|as well as|or else)\s+)"
_ASKED = rf"(?:(?:how|what|why|who|whose|whether)\b|which\s+(?!{AUX}\b)\w+|(?:when|where)\s+(?:exactly\s+)?{AUX}\b)"
_OF_WHICH = r"(?:in|at|for|to|from|under|with|on|by|of|since|until)\s+(?:which|what|whom|how)\b"
_BOUNDARY = re.compile(
    rf"""
      [,;]\s+{_JOIN}?(?={_ASKED}|{AUX}\s+[\w.()/'`-]+\s|{TELL}\s
        |{_OF_WHICH})
    | [,;]\s+{_JOIN}(?=which\b|the\s+(?:differences?|similarities|trade-?offs?)\s+between\b)
    | \s+and\s+(?:also\s+|then\s+|finally\s+)?(?={_ASKED}(?!\s+(?:and|or)\b)|(?!with\b|to\b|from\b){_OF_WHICH}
        |{_STRONG_TELL}\s|which\s|{AUX}\s+(?:it|they|he|she|i|we|you|this|that|the|my|our|an?)\s|(?:give|show|list|tell|name|make)\s+(?:me|us|an?|some)\b)
    | \s*;\s+
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Where one clause ends and the next begins. `which is …` and `when it …` after a comma belong to the clause before."""
_INDIRECT = re.compile(rf"(?:[,;]\s+{_JOIN}?|\s+and\s+)(?=(?:{WH}|if|{_OF_WHICH})\b)", re.IGNORECASE)
"""The same where one thing after the other is asked indirectly."""
_SCENE = re.compile(
    rf"[^,;:?]+(?:,\s+[^,;:?]+)??,\s+(?={_ASKED}|{AUX}\s|{_OF_WHICH})",
    re.IGNORECASE,
)
"""What a sentence tells before it asks: `since the order is late, who ...`, `the tank is empty, what ...`."""
_WHEN = re.compile(rf"when\s+(?!{AUX}\b)", re.IGNORECASE)
"""Tells when, and does not ask it."""
_TELLS = re.compile(
    rf"^(?:since|because|if|when|while|as|after|before|although|now)\b|\b(?:{AUX}|i|we|my|our)\b", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[?!])\s+|(?<=[a-z0-9)\"'][.])\s+(?=[A-Z\"'(])|(?<=\S)\s+(?=(?P<item>\d{1,2})[.)]\s+[A-Z])")
_ASKS = re.compile(
    rf"^(?:{WH}|{AUX}|{TELL}|please|{_OF_WHICH}|research|investigate|i'd like"
    r"|i\s+(?:want|need|would like)\s+to\s+know)\b",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^(?:(?:please|kindly|also|and|so|then|finally|lastly|next|first|second"
    r"|third|moreover|in addition|additionally|\d{1,2}[.)])[,\s]+"
    r"|(?:can|could|would|will)\s+you\s+(?=\w))+"
    r"|^(?:i\s+(?:want|need|would\s+like)"
    rf"|i'd\s+like)\s+(?:you\s+)?to\s+(?:know|understand|learn)\s+(?!{WH}\b|if\b|{_OF_WHICH})(?:about\s+)?"
    r"|^(?:i\s+(?:want|need|would\s+like)|i'd\s+like)\s+(?=(?:an?|the)\s)",
    re.IGNORECASE,
)
_FORM = frozenset(
    "table tables list lists bullet bullets point points chart diagram summary overview conclusion answer answers"
    " report paragraph paragraphs words word sentence sentences example examples brief short concise simple plain quick"
    " detail depth page pages thanks thank cheers please".split()
)
"""Words for the form of an answer, which no source holds."""
_TO_GIVE = frozenset(
    "give show make add include use write keep put tell want need like me us it that this them as in with of at by"
    " and a an the some one few very rather most more so no not too for to you can could would be do i we full great"
    " if possible just key facts pls".split()
)
"""What such a wish has beside them."""
_THE_ASKED = rf"(?={_ASKED}|{_OF_WHICH}|(?:if|which|when|where)\s)"
_FRAME = re.compile(
    rf"^(?!{WH}\b|(?:am|{AUX})\s+(?!you|some|any))(?=(?:hi|hey|hello|{TELL})\b|[^.?!:;]*?\b(?:i|we|you|me|us)\b)"
    rf"(?:[\w'’]+,?\s+){{1,8}}?{_THE_ASKED}|^what\s+(?:i|we)(?:\s+[\w'’]+){{1,6}}?\s+(?:is|was)\s+{_THE_ASKED}",
    re.IGNORECASE,
)
"""What somebody says of asking before an indirect question: `I'd like to find out`, `what I need is`."""
_THEN = re.compile(
    r"[,;]?\s+(?:and|so|but)\s+(?=(?:i|we|can|could|please|tell)\b)|[,;]\s+(?:please|can|could)\s+", re.IGNORECASE
)
FRAME = 0.85
"""What the words of a frame may say, as a share of a rare word."""
_AT_THE_END = re.compile(r"\s*[,;–—(-]\s+|\s+(?=(?:as|in)\s)", re.IGNORECASE)
_GREETING = re.compile(r"^(?:hello|hi|hey|dear|thanks|thank\s+you|good\s+\w+)\b(?:\W*\w+){0,3}\W*$", re.IGNORECASE)
_BEST = re.compile(
    r"^which\s+(?:of\s+\w+\s+|one\s+)?(?=.*\b(?:\w{3,}er|\w{2,}est|best|better|more|most|less|least)\b)", re.I
)
"""Asks which side of a comparison wins, and in what."""
_ELLIPTIC = re.compile(
    rf"^how\s+(?:many|much|long|often)(?:\s+(?!{AUX}\b)\w+){{1,2}}$|^(?:what|how)\s+about\s", re.IGNORECASE
)
"""Says what is different alone: `and how many in 2022`."""
_WITHIN = re.compile(
    r"\b(?:an?|the|my|our|your)\s+[\w.-]+(?:\s+[\w.-]+)+?(?<!\sfor)(?<!\sof)(?<!\son)(?<!\swith)(?<!\sto)(?<!\sabout)(?<!\sin)"
    r"\s+(?:it|its|they|their|them)\b",
    re.IGNORECASE,
)
"""Names what its pronoun stands for: a logger finds out its level."""
_NAMED = re.compile(
    r"\b(?:in\s+(?:great\s+|more\s+|full\s+)?detail|especially|particularly"
    r"|in\s+particular|above\s+all|most\s+of\s+all|specifically)\b",
    re.IGNORECASE,
)
_THOROUGH = re.compile(
    r"\b(?:comprehensive(?:ly)?|in[\s-]depth|thorough(?:ly)?"
    r"|exhaustive(?:ly)?|complete\s+(?:overview|guide|picture|survey)"
    r"|in\s+(?:great\s+|full\s+)?detail|deep\s+dive|every\s+aspect"
    r"|all\s+aspects|everything\s+about|full\s+(?:overview|guide|survey))\b",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    r"\b(?:(?:1[5-9]|20)\d\d(?:s|-\d\d(?:\d\d)?)?|\d{1,2}(?:st|nd|rd"
    r"|th)\s+century|(?-i:before\s+and\s+after)|history|current\s+(?:state|status|situation)|origins?|evolution"
    r"|past|present|future|outlook|nowadays|today|historically|over\s+time|since\s+version\s+\S+)\b",
    re.IGNORECASE,
)
_STAGES = re.compile(
    r"\b(?:first\b.*\bthen\b|step\s+by\s+step|background\b.*\b(?:challenges?"
    r"|solutions?|state|outlook)|before\b.*\bthen\b|problem\b.*\bsolutions?)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r",\s+(?:and\s+|but\s+|as\s+)?(?:i|we)(?:['’]\w+|\s+(?:am|are|was|were|have|had|know|think))\s.*$", re.IGNORECASE
)
"""What somebody adds of themselves behind what they ask."""
_LEAD = re.compile(r"^((?:(?!\s[–—-]\s)[^:])+?)(?::\s|\s[–—-]\s)(.+)$")
_BEFORE_A_DASH = re.compile(rf"(?P<told>[^?]+?)\s[–—-]\s(?={WH}\b)", re.IGNORECASE)
_NOUN_BEHIND = re.compile(
    rf",\s+and\s+(?!{WH}\b|{AUX}\b|{TELL}\b)(?P<noun>(?:the\s+|its\s+|their\s+)?[\w-]+(?:\s+(?!{AUX}\b)[\w-]+){{0,5}})$",
    re.IGNORECASE,
)
_IN_A_LIST = re.compile(r",\s+[\w-]+$")
"""Before the last thing of a list: `bread, butter, and salt`."""
_SMALL = frozenset("a an the of in on at to for from by with as its their this that".split())


def _sentences(text: str) -> Iterator[str]:
    """Sentences, and the items of a list that is numbered from 1 on."""
    ends = {end for _, end in sentences(text)}
    begin, item = 0, int(text.startswith(("1.", "1)")))
    for gap in _SENTENCE.finditer(text):
        if gap["item"]:
            if int(gap["item"]) != item + 1:
                continue
            item += 1
        elif text[gap.start() - 1] == "." and gap.start() not in ends:
            continue
        if not text[begin : gap.start()].strip(".)").isdecimal():
            yield text[begin : gap.start()]
        begin = gap.end()
    yield text[begin:]


def clauses(text: str) -> tuple[str, list[Clause]]:
    """The background of a question, and what it asks in order."""
    background: list[str] = []
    found: list[Clause] = []
    told = [_apart(each) for each in _sentences(text)]
    background += [scene for scene, _ in told if scene]
    polite = [each for _, part in told if (each := _POLITE.sub("", part.strip()).strip())]
    sentences = [_without_frame(each) for each in polite]
    wanted = [
        bool(each != said or each.endswith("?") or _ASKS.match(each) or stressed_in(each)[1])
        for each, said in zip(sentences, polite, strict=True)
    ]
    for sentence, said, wants in zip(sentences, polite, wanted, strict=True):
        tells = not wants and _is_statement(sentence, beside_a_question=any(wanted))
        if found and _is_form(sentence):
            continue
        if tells or _GREETING.match(sentence):
            background.append(sentence)
            continue
        scene = _SCENE.match(sentence)
        if scene and _TELLS.search(scene[0]) and not (_ASKS.match(sentence) and not _WHEN.match(sentence)):
            background.append(scene[0].rstrip(", "))
            said = sentence = sentence[scene.end() :]
        found += _of_sentence(sentence.rstrip(" ?!."), indirect=sentence != said)
    if not found and background:
        found, background = _of_sentence(" ".join(background).rstrip(" ?!.")), []
    return " ".join(background), found


def _is_statement(sentence: str, *, beside_a_question: bool) -> bool:
    """Whether a sentence tells instead of asking; a bare topic does not tell."""
    opens = re.match(r"(?:i|we|my|our|there|this|the|it|they|you)\b", sentence, re.IGNORECASE)
    return len(sentence.split()) > 3 and sentence.endswith(".") and bool(beside_a_question or opens)


def _apart(sentence: str) -> tuple[str, str]:
    """What a sentence tells before it says that it asks, or nothing, and the rest.

    >>> _apart("We open on Saturday and I need to know who has the key")
    ('We open on Saturday', 'I need to know who has the key')
    """
    if (told := _BEFORE_A_DASH.match(sentence)) and len(told["told"].split()) > 3:
        return told["told"], sentence[told.end() :]
    for gap in _THEN.finditer(sentence):
        rest = sentence[gap.end() :]
        if _without_frame(rest) != rest:
            return sentence[: gap.start()], rest
    return "", sentence


def _without_frame(sentence: str) -> str:
    """A sentence without what it says of asking, as long as that says nothing else.

    >>> _without_frame("So I need to find out who pays"), _without_frame("I know that the bakery burnt, but how")
    ('who pays', 'I know that the bakery burnt, but how')
    """
    frame = _FRAME.match(sentence)
    said = " ".join(set(re.findall(r"\w{3,}", frame[0].lower())) - _FORM) if frame else ""
    if frame is None or sum(telling(term, language="en") for term in query_terms(said)) > FRAME:
        return sentence
    return sentence[frame.end() :]


def _of_sentence(sentence: str, *, indirect: bool = False) -> list[Clause]:
    """The clauses of a sentence. What is asked `indirect`ly, one thing after the other, is asked of one matter."""
    lead, body = _split_topic(without_form(sentence))
    parts = list(_pieces(body, _INDIRECT if indirect else _BOUNDARY))
    parts = [each for part in parts for each in _with_a_noun_behind(part)]
    parts = [part for part in parts if not _is_form(part)] or parts
    if not lead and parts[1:] and not _ASKS.match(parts[0]) and not items_of(parts[0]) and _names(parts[0], body):
        lead, *parts = parts
    leading = heading(lead) if re.match(rf"{WH}\b", lead, re.IGNORECASE) else topic(clean(lead))
    found: list[Clause] = []
    items = sides_of(lead)[0] or items_of(lead, everywhere=True)
    if items and COMPARES.search(lead):
        found.append(_clause(lead, topic="", items=items, compares=True))
    elif items and len(parts) >= 1:
        found += [_clause(part, topic=leading, items=items) for part in parts[:1]]
        parts = parts[1:]
    for part in parts:
        if found and found[-1].compares and (wish := _BEST.match(part)):
            respect = f"{found[-1].respect} {part[wish.end() :]}".strip()
            found[-1] = replace(found[-1], text=f"{found[-1].text}, {part}", respect=respect)
            continue
        before, stressed = stressed_in(part)
        if COMPARES.search(lead) and (listed := sides_of(part)[0] or items_of(part)):
            found.append(
                replace(_clause(f"{lead}: {part}", topic="", items=listed, compares=True), heading=heading(lead))
            )
        elif before and not (stressed and without_request(before) == ""):
            found.append(replace(_clause(before, topic=leading), leans=bool(indirect and len(parts) > 2)))
        if stressed:
            found = [replace(clause, named=clause.stressed) for clause in found]
            found += [Clause(text=name, heading=heading(name), named=True, stressed=True) for name in stressed]
    return found


def _names(part: str, body: str) -> bool:
    """Whether a question only begins by naming what it asks about: `the passport, when does it run out`."""
    return bool(re.match(r"\s*,\s+(?!(?:and|or|but)\b)", body.partition(part)[2]))


def _split_topic(sentence: str) -> tuple[str, str]:
    """What stands before a colon, when it names what the clauses behind it are about."""
    match = _LEAD.match(sentence)
    before, after = match.groups() if match else ("", "")
    asks = re.match(rf"(?:{WH}|{AUX})\b", before, re.IGNORECASE)
    if not after.strip() or (asks and "," in after):
        return "", sentence
    return before.strip(), after.strip()


def _pieces(body: str, boundaries: re.Pattern[str]) -> Iterator[str]:
    """The clauses of a sentence; a piece without two words stays with the one before."""
    pieces: list[str] = []
    start = 0
    body = _ASIDE.split(body)[0]
    for boundary in boundaries.finditer(body):
        piece = body[start : boundary.start()].strip(" ,;")
        if len([word for word in piece.split() if word.lower() not in _SMALL]) < 2:
            continue
        pieces.append(piece)
        start = boundary.end()
    rest = body[start:].strip(" ,;")
    if pieces and len(rest.split()) < 2:
        pieces[-1] = f"{pieces[-1]}, {rest}"
    else:
        pieces.append(rest)
    for piece in pieces:
        yield re.sub(r"^(?:(?:and|or|but|also|then|finally|lastly|next)\s+)+", "", piece, flags=re.IGNORECASE)


def _with_a_noun_behind(part: str) -> list[str]:
    """A piece, and the thing that is listed behind it: `which limits it has`, `monitoring`."""
    behind = _NOUN_BEHIND.search(part)
    if (
        behind
        and not _IN_A_LIST.search(part[: behind.start()])
        and (re.match(_ASKED, part, re.IGNORECASE) or by_period(part[: behind.start()], _PERIOD))
    ):
        return [part[: behind.start()], behind["noun"]]
    return [part]


def _clause(text: str, *, topic: str, items: tuple[str, ...] | None = None, compares: bool | None = None) -> Clause:
    sides, respect = sides_of(text)
    compares = bool(sides or COMPARES.search(text)) if compares is None else compares
    periods = by_period(text, _PERIOD)
    if items is None:
        items = sides if sides or (periods and not compares) else items_of(text)
    return Clause(
        text=text,
        heading=heading(text),
        topic=topic,
        items=items,
        respect=respect,
        compares=compares,
        refers=bool(_ELLIPTIC.match(text) or (REFERS.search(text) and not _WITHIN.search(text))),
        named=bool(_NAMED.search(text)),
        periods=periods,
    )


def _is_form(words: str) -> bool:
    """Whether words only wish for a form of the answer: `as a short list, thanks`, `keep it brief`."""
    said = set(re.findall(r"[a-z]+", words.lower()))
    return bool(said & _FORM) and said <= _FORM | _TO_GIVE


def without_form(sentence: str) -> str:
    """A sentence without the form that it wants its answer in, where that stands at its end."""
    for gap in _AT_THE_END.finditer(sentence):
        if _is_form(sentence[gap.end() :]):
            return sentence[: gap.start()]
    return sentence


def thorough(text: str) -> str:
    """The word that asks for a comprehensive answer, or nothing."""
    return match[0] if (match := _THOROUGH.search(text)) else ""


def periods(text: str) -> tuple[str, ...]:
    """The periods that are named, each once."""
    return tuple(dict.fromkeys(match[0].lower() for match in _PERIOD.finditer(text)))


def ordered(text: str) -> bool:
    """Whether one thing is asked after the other."""
    return bool(_STAGES.search(text))
