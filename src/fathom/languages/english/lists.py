"""What an English clause names side by side: sides of a comparison, objects of a request, aspects of a topic; and the
words that ask, tell, refer and compare."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.languages.english.forms import topic

WH = r"(?:how|what|which|who|whom|whose|when|where|why|whether)"
AUX = (
    r"(?:is|are|was|were|do|does|did|can|could|should|shall|will|would|may|might|must|has|have|had"
    r"|isn't|aren't|don't|doesn't|can't|won't)"
)
TELL = (
    r"(?:explain|describe|compare|contrast|discuss|outline"
    r"|summari[sz]e|say|tell|list|give|name|show|define|analy[sz]e"
    r"|evaluate|assess|cover|provide|suggest|recommend|propose)"
)
REFERS = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|she|him|his|her|this|these|those|the\s+former|the\s+latter|the\s+two|both)\b"
    rf"|\b{AUX}\s+that\b|\b(?:then|there|that)$",
    re.IGNORECASE,
)
COMPARES = re.compile(
    r"\b(?:compare[sd]?|comparing|comparison|contrast|differences?"
    r"|differ|differs|versus|vs\.?|better\s+than|rather\s+than"
    r"|instead\s+of|which\s+(?:\w+\s+)?(?:is|are)\s+(?:\w+er|more\s+\w+|best)\b(?=.*\bor\b)|pros\s+and\s+cons|distinguish(?:es)?|as\s+opposed\s+to|trade-?offs?)\b",
    re.IGNORECASE,
)
_LIST_BREAK = re.compile(
    r"\s*,\s*(?:and|or|&)\s+|\s*,\s*|\s+(?:and|or|&|versus|vs\.?|compare\s+(?:with|to|against))\s+", re.IGNORECASE
)
_WITH_BREAK = re.compile(r"\s*,?\s*(?:\band\s+)?\b(?:with|to|from|against|than|as)\s+", re.IGNORECASE)
_AGAINST = r"(?:differ(?:ent)?|compared?|stand|stack|measure|hold)\s+(?:up\s+)?(?:with|to|from|against)"
_WORLD = re.compile(
    rf"^(?:how\s+)?(?:do|does|did|is|are|was|were|can|has|have)\s+(?P<one>.+?)\s+"
    rf"(?:{_AGAINST}|(?:(?:any|much|far|a\s+lot)\s+)?(?:(?:more|less)\s+[\w-]+|\w{{3,}}er|worse)\s+than"
    r"|in\s+line\s+with)\s+(?P<others>.+)$",
    re.IGNORECASE,
)
"""One thing held against another: `is our leave longer than the law demands`."""
_OWN_SIDE = re.compile(
    r"^(?:compare|contrast)\s+(?P<one>(?:our|my)\s+(?:(?!and\b)[\w'’-]+\s+)+?)(?:with|to|against)\s+(?P<others>.+)$",
    re.IGNORECASE,
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
    r"\s+(?:(?P<respect>(?:in\s+terms\s+of|with\s+(?:respect|regard)\s+to|regarding|as\s+far\s+as)\s+.+)"
    r"|(?:when|if|in\s+each)\b.*)$",
    re.IGNORECASE,
)
_NAME_LIST = re.compile(r"^[\w.\-`'()/+#*@:$]+(?:\s+[\w.\-`'()/+#*@:$]+){0,3}$")
_OWN = re.compile(r"^(?:our|my|we|i)\s+", re.IGNORECASE)
_OF = re.compile(r"\s+(?:of|for|in|about|behind|around|with|at|on|to|from|under|during)\s+", re.IGNORECASE)
_TOLD = re.compile(
    rf"(?:{TELL}\s+(?:me\s+|us\s+)?(?:about\s+)?|(?:what\s+(?:is|are|was|were)\s+(?=the\s)))(?P<items>.+)$",
    re.IGNORECASE,
)
MAX_ITEM_WORDS = 6


def sides_of(text: str) -> tuple[tuple[str, ...], str]:
    """What a clause sets side by side, and in which respect.

    >>> sides_of("difference between tuples and lists"), sides_of("compare gas and wood in terms of price")
    ((('tuples', 'lists'), ''), (('gas', 'wood'), 'in terms of price'))
    >>> sides_of("is our leave longer than the law demands")
    (('our leave', 'law demands'), 'leave')
    """
    for pattern in _COMPARED:
        if (match := pattern.search(text)) and not _OWN_SIDE.match(text):
            tail = _TAIL.search(match["items"])
            respect = (tail and tail["respect"]) or ""
            listed = _listed(match["items"][: tail.start()] if tail else match["items"])
            if len(listed) >= 2:
                heads = _without_shared_end(listed) if pattern is _COMPARED[-1] else _without_shared_noun(listed)
                shared = listed[-1].removeprefix(heads[-1])
                return heads, f"{shared} {respect}".strip()
    world = _WORLD.match(text) or _OWN_SIDE.match(text)
    if world is None or REFERS.match(world["one"]):
        return (), ""
    one, others = world["one"].strip(), [clean(each) for each in _WITH_BREAK.split(world["others"]) if each.strip()]
    return (one, *others), _OWN.sub("", one) if _OWN.match(one) else ""


def items_of(text: str, *, everywhere: bool = False) -> tuple[str, ...]:
    """What a clause names one by one: the objects of `explain`, the aspects of a topic.

    >>> items_of("explain reading and writing in text mode"), items_of("causes, risks and costs of a fire")
    ((), ('causes', 'risks', 'costs'))
    """
    told = _TOLD.match(text)
    listing = told["items"] if told else text
    either = not told and re.search(r"\bor\b", text, re.IGNORECASE)
    if not either and not re.match(rf"(?:(?:in|on|at|for|to|from|with)\s+)?(?:{WH}|{AUX})\b", listing, re.IGNORECASE):
        listed = _without_shared_end(_listed(topic(listing), most=None))
        separate = len(listed) > 2 or ((told or everywhere) and all(_is_name(item) for item in listed))
        if len(listed) >= 2 and separate and all(_NAME_LIST.match(item) for item in listed):
            return () if _share_a_noun(listed) else listed
    return ()


def _without_shared_end(listed: tuple[str, ...]) -> tuple[str, ...]:
    """The items without what the last one says of all: `causes, risks and costs of a fire` names three things of it.

    >>> _without_shared_end(("causes", "risks", "costs of a fire")), _without_shared_end(("SQL", "types of keys"))
    (('causes', 'risks', 'costs'), ('SQL', 'types of keys'))
    """
    *others, last = listed or ("",)
    head = _OF.split(last, maxsplit=1)[0]
    alone = bool(others) and not any(_OF.search(item) or _is_name(item[1:]) for item in others)
    return (*others, head) if alone else listed


def _without_shared_noun(listed: tuple[str, ...]) -> tuple[str, ...]:
    """Names without the common noun that the last one brings: `LangGraph and AutoGPT architectures`."""
    *others, last = listed
    name, _, noun = last.partition(" ")
    alone = all(_is_name(item) and " " not in item for item in (*others, name))
    return (*others, name) if alone and noun.islower() else listed


def _share_a_noun(listed: Sequence[str]) -> bool:
    """Whether the last word is meant for all, as in `BEFORE and AFTER triggers`: only that word is not in capitals."""
    *others, last = listed
    *words, noun = last.split()
    return bool(words) and noun.islower() and all(word.isupper() and len(word) > 1 for word in (*others, *words))


def _listed(text: str, *, most: int | None = MAX_ITEM_WORDS) -> tuple[str, ...]:
    parts = [clean(part) for part in _LIST_BREAK.split(text) if part.strip()]
    if any((most and len(part.split()) > most) or REFERS.match(part) for part in parts):
        return ()
    return tuple(dict.fromkeys(filter(None, parts)))


def _is_name(item: str) -> bool:
    """Whether words can only be the name of a thing: capitals, an identifier."""
    return bool(re.search(r"[A-Z]|[_.()`\d-]", item))


def clean(words: str) -> str:
    begin = rf"^(?:(?:{TELL}|about|the|an?|both|between|of|please|what|how)\s+)?(?:(?:the|an?|both|between)\s+)?"
    return re.sub(begin, "", words.strip(" ,;:?."), flags=re.IGNORECASE).strip()
