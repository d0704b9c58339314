"""How a question in English, or in any language written with spaces, divides into clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fathom.reasoners.extractive.clause import Clause
from fathom.reasoners.extractive.english_forms import by_period, heading, topic, without_request
from fathom.reasoners.extractive.stress import english_stress
from fathom.text.sentences import sentences

_WH = r"(?:how|what|which|who|whom|whose|when|where|why|whether)"
_AUX = (
    r"(?:is|are|was|were|do|does|did|can|could|should|shall|will|would|may|might|must|has|have|had"
    r"|isn't|aren't|don't|doesn't|can't|won't)"
)
_TELL = (
    r"(?:explain|describe|compare|contrast|discuss|outline"
    r"|summari[sz]e|say|tell|list|give|name|show|define|analy[sz]e"
    r"|evaluate|assess|cover)"
)
_STRONG_TELL = r"(?:explain|describe|compare|contrast|discuss|outline|summari[sz]e|analy[sz]e|evaluate)"
_JOIN = r"(?:(?:and\s+)?(?:and|or|but|also|plus|then|finally|lastly|next|as well as|or else)\s+)"
_ASKED = rf"(?:(?:how|what|why|who|whose|whether)\b|which\s+(?!{_AUX}\b)\w+|(?:when|where)\s+(?:exactly\s+)?{_AUX}\b)"
_OF_WHICH = r"(?:in|at|for|to|from|under|with|on|by|of|since|until)\s+(?:which|what|whom|how)\b"
_BOUNDARY = re.compile(
    rf"""
      [,;]\s+{_JOIN}?(?={_ASKED}|{_AUX}\s+[\w.()/'`-]+\s|{_TELL}\s
        |{_OF_WHICH})
    | [,;]\s+{_JOIN}(?=which\b|the\s+(?:differences?|similarities|trade-?offs?)\s+between\b)
    | \s+and\s+(?:also\s+|then\s+|finally\s+)?(?={_ASKED}(?!\s+(?:and|or)\b)|{_STRONG_TELL}\s|which\s
        |(?:give|show|list|tell|name|make)\s+(?:me|us|an?|some)\b)
    | \s*;\s+
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Where one clause ends and the next begins. `which is …` and `when it …` after a comma belong to the clause before."""
_SCENE = re.compile(
    rf"[^,;:?]+(?:,\s+[^,;:?]+)??,\s+(?={_ASKED}|{_AUX}\s|{_OF_WHICH})",
    re.IGNORECASE,
)
"""What a sentence tells before it asks: `since the order is late, who ...`, `the tank is empty, what ...`."""
_TELLS = re.compile(
    rf"^(?:since|because|if|when|while|as|after|before|although|now)\b|\b(?:{_AUX}|i|we|my|our)\b", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[?!])\s+|(?<=[a-z0-9)\"'][.])\s+(?=[A-Z\"'(])|(?<=\S)\s+(?=(?P<item>\d{1,2})[.)]\s+[A-Z])")
_ASKS = re.compile(
    rf"^(?:{_WH}|{_AUX}|{_TELL}|please|in\s+(?:which|what)|under\s+(?:which|what)|research|investigate|i'd like"
    r"|i\s+(?:want|need|would like)\s+to\s+know)\b",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^(?:(?:please|kindly|also|and|so|then|finally|lastly|next|first|second"
    r"|third|moreover|in addition|additionally|\d{1,2}[.)])[,\s]+"
    r"|(?:can|could|would|will)\s+you\s+(?=\w))+"
    r"|^(?:i\s+(?:want|need|would\s+like)"
    r"|i'd\s+like)\s+(?:you\s+)?to\s+(?:know|understand|learn)\s+(?:about\s+)?"
    r"|^(?:i\s+(?:want|need|would\s+like)|i'd\s+like)\s+(?=(?:an?|the)\s)",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"^(?:give|show|make|add|include|use|write)\s+(?:(?:me|us)\s+)?(?:it\s+(?:as|in)\s+)?(?:(?:an?|the|some)\s+)?(?:\w+\s+)?"
    r"(?:tables?|examples?|summary|overview|list|bullets?(?:\s+points?)?|chart|diagram|conclusion|answer|report|paragraph|words)$",
    re.IGNORECASE,
)
"""Asks for a form of the answer, which no source holds."""
_GREETING = re.compile(r"^(?:hello|hi|hey|dear|thanks|thank\s+you|good\s+\w+)\b(?:\W*\w+){0,3}\W*$", re.IGNORECASE)
_REFERS = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|she|him|his|her|this|these|those|the\s+former|the\s+latter|the\s+two|both)\b",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"\b(?:an?|the|my|our|your)\s+[\w.-]+(?:\s+[\w.-]+)+?\s+(?:it|its|they|their|them)\b", re.IGNORECASE
)
"""Names what its pronoun stands for: a logger finds out its level."""
_COMPARES = re.compile(
    r"\b(?:compare[sd]?|comparing|comparison|contrast|differences?"
    r"|differ|differs|versus|vs\.?|better\s+than|rather\s+than"
    r"|instead\s+of|which\s+(?:\w+\s+)?(?:is|are)\s+(?:\w+er|more\s+\w+|best)\b(?=.*\bor\b)|pros\s+and\s+cons|distinguish(?:es)?|as\s+opposed\s+to|trade-?offs?)\b",
    re.IGNORECASE,
)
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
_LIST_BREAK = re.compile(
    r"\s*,\s*(?:and|or|&)\s+|\s*,\s*|\s+(?:and|or|&|versus|vs\.?|compare\s+(?:with|to|against))\s+", re.IGNORECASE
)
_COMPARED = [
    re.compile(r"^(?:compare|contrast|distinguish)\s+(?:between\s+)?(?P<items>.+)$", re.IGNORECASE),
    re.compile(r"\bdifferences?\s+(?:in\s+\w+\s+)?(?:between|of|among)\s+(?P<items>.+)$", re.IGNORECASE),
    re.compile(r"^how\s+(?:do|does)\s+(?P<items>.+?)\s+(?:differ|compare)\b", re.IGNORECASE),
    re.compile(
        r"^which\s+(?:\w+\s+)?(?:is|are|performs?|works?|scales?)\s+(?:\w+\s+){0,2}\w+[,:]\s*(?P<items>.+)$",
        re.IGNORECASE,
    ),
    re.compile(r"^(?P<items>\S+(?:\s+\S+){0,3}\s+(?:vs\.?|versus)\s+.+)$", re.IGNORECASE),
]
_TAIL = re.compile(
    r"\s+(?:in\s+terms\s+of|with\s+respect\s+to|with\s+regard\s+to"
    r"|regarding|when|if|in\s+each|architectures?$|frameworks?$)\b.*$",
    re.IGNORECASE,
)
_NAME_LIST = re.compile(r"^[\w.\-`'()/+#*@:$]+(?:\s+[\w.\-`'()/+#*@:$]+){0,3}$")
_SMALL = frozenset("a an the of in on at to for from by with as its their this that".split())
MAX_ITEM_WORDS = 6


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
    sentences = [each for part in _sentences(text) if (each := _POLITE.sub("", part.strip()).strip())]
    asks = any(sentence.endswith("?") for sentence in sentences)
    for sentence in sentences:
        wants = sentence.endswith("?") or _ASKS.match(sentence) or english_stress(sentence)[1]
        tells = not wants and _is_statement(sentence, beside_a_question=asks)
        if tells or _GREETING.match(sentence):
            background.append(sentence)
            continue
        scene = _SCENE.match(sentence)
        if scene and _TELLS.search(scene[0]) and not _ASKS.match(sentence):
            background.append(scene[0].rstrip(", "))
            sentence = sentence[scene.end() :]
        found += _of_sentence(sentence.rstrip(" ?!."))
    if not found and background:
        found = _of_sentence(" ".join(background).rstrip(" ?!."))
        background = []
    return " ".join(background), found


def _is_statement(sentence: str, *, beside_a_question: bool) -> bool:
    """Whether a sentence tells instead of asking; a bare topic does not tell."""
    opens = re.match(r"(?:i|we|my|our|there|this|the|it|they|you)\b", sentence, re.IGNORECASE)
    return len(sentence.split()) > 3 and sentence.endswith(".") and bool(beside_a_question or opens)


def _of_sentence(sentence: str) -> list[Clause]:
    lead, body = _split_topic(sentence)
    parts = list(_pieces(body))
    parts = [part for part in parts if not _FORM.match(part)] or parts
    leading = topic(_clean(lead))
    found: list[Clause] = []
    items = _items(lead, everywhere=True) if lead else ()
    if items and _COMPARES.search(lead):
        found.append(_clause(lead, topic="", items=items, compares=True))
    elif items and len(parts) >= 1:
        found += [_clause(part, topic=leading, items=items) for part in parts[:1]]
        parts = parts[1:]
    for part in parts:
        before, stressed = english_stress(part)
        if len(parts) == 1 and _COMPARES.search(lead) and (listed := _items(part)):
            found.append(
                replace(_clause(f"{lead}: {part}", topic="", items=listed, compares=True), heading=heading(lead))
            )
        elif before and not (stressed and without_request(before) == ""):
            found.append(_clause(before, topic=leading))
        if stressed:
            found = [replace(clause, named=clause.stressed) for clause in found]
            found += [_stressed(name) for name in stressed]
    return found


def _stressed(name: str) -> Clause:
    return Clause(text=name, heading=heading(name), named=True, stressed=True)


def _split_topic(sentence: str) -> tuple[str, str]:
    """What stands before a colon, when it names what the clauses behind it are about."""
    before, colon, after = sentence.partition(": ")
    asks = re.match(rf"(?:{_WH}|{_AUX})\b", before, re.IGNORECASE)
    if not colon or len(before.split()) > 25 or not after.strip() or (asks and "," in after):
        return "", sentence
    return before.strip(), after.strip()


def _pieces(body: str) -> Iterator[str]:
    """The clauses of a sentence; a piece without two words stays with the one before."""
    pieces: list[str] = []
    start = 0
    for boundary in _BOUNDARY.finditer(body):
        piece = body[start : boundary.start()].strip(" ,;")
        if len([word for word in piece.split() if word.lower() not in _SMALL]) < 2:
            continue
        pieces.append(piece)
        start = boundary.end()
    rest = body[start:].strip(" ,;")
    if pieces and len(rest.split()) < 2:
        pieces[-1] = f"{pieces[-1]}, {rest}" if rest else pieces[-1]
    elif rest:
        pieces.append(rest)
    for piece in pieces:
        yield re.sub(r"^(?:(?:and|or|but|also|then|finally|lastly|next)\s+)+", "", piece, flags=re.IGNORECASE)


def _clause(text: str, *, topic: str, items: tuple[str, ...] | None = None, compares: bool | None = None) -> Clause:
    compares = bool(_COMPARES.search(text)) if compares is None else compares
    periods = by_period(text, _PERIOD)
    if items is None:
        items = () if periods and not compares else _items(text)
    return Clause(
        text=text,
        heading=heading(text),
        topic=topic,
        items=items,
        compares=compares,
        refers=bool(_REFERS.search(text)) and not _WITHIN.search(text),
        named=bool(_NAMED.search(text)),
        periods=periods,
    )


def _items(text: str, *, everywhere: bool = False) -> tuple[str, ...]:
    """What a clause names side by side: the sides of a comparison, or the objects of `explain`.

    >>> _items("difference between tuples and lists")
    ('tuples', 'lists')
    >>> _items("explain reading and writing in text mode")
    ()
    """
    for pattern in _COMPARED:
        if match := pattern.search(text):
            listed = _listed(_TAIL.sub("", match["items"]))
            if len(listed) >= 2:
                return listed
    told = re.match(rf"{_TELL}\s+(?:me\s+|us\s+)?(?:about\s+)?(?P<items>.+)$", text, re.IGNORECASE)
    listing = told["items"] if told else text
    either = not told and re.search(r"\bor\b", text, re.IGNORECASE)
    if not either and not re.match(rf"(?:(?:in|on|at|for|to|from|with)\s+)?(?:{_WH}|{_AUX})\b", listing, re.IGNORECASE):
        listed = _listed(listing)
        separate = len(listed) > 2 or ((told or everywhere) and all(_is_name(item) for item in listed))
        if len(listed) >= 2 and separate and all(_NAME_LIST.match(item) for item in listed):
            return () if _share_a_noun(listed) else listed
    return ()


def _share_a_noun(listed: Sequence[str]) -> bool:
    """Whether the last word is meant for all, as in `BEFORE and AFTER triggers`: only that word is not in capitals."""
    *others, last = listed
    *words, noun = last.split()
    return bool(words) and noun.islower() and all(word.isupper() and len(word) > 1 for word in (*others, *words))


def _listed(text: str) -> tuple[str, ...]:
    parts = [_clean(part) for part in _LIST_BREAK.split(text) if part.strip()]
    if any(len(part.split()) > MAX_ITEM_WORDS or _REFERS.match(part) for part in parts):
        return ()
    return tuple(dict.fromkeys(filter(None, parts)))


def _is_name(item: str) -> bool:
    """Whether words can only be the name of a thing: capitals, an identifier."""
    return bool(re.search(r"[A-Z]|[_.()`\d-]", item))


def _clean(words: str) -> str:
    begin = rf"^(?:(?:{_TELL}|about|the|an?|both|between|of|please|what|how)\s+)?(?:(?:the|an?|both|between)\s+)?"
    return re.sub(begin, "", words.strip(" ,;:?."), flags=re.IGNORECASE).strip()


def thorough(text: str) -> str:
    """The word that asks for a comprehensive answer, or nothing."""
    return match[0] if (match := _THOROUGH.search(text)) else ""


def periods(text: str) -> tuple[str, ...]:
    """The periods that are named, each once."""
    return tuple(dict.fromkeys(match[0].lower() for match in _PERIOD.finditer(text)))


def ordered(text: str) -> bool:
    """Whether one thing is asked after the other."""
    return bool(_STAGES.search(text))
