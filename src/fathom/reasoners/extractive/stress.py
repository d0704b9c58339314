"""What a question asks for by name: especially this, with a focus on that, 特に〜について."""

from __future__ import annotations

import re

_ADVERB = r"(?:especially|particularly|in\s+particular|above\s+all|most\s+of\s+all|notably|specifically)"
_FOCUS = (
    r"(?:(?:with|putting|placing|giving)\s+)?(?:(?:an?|the|special|particular|strong|main)\s+)*"
    r"(?:(?:focus(?:es|ing)?|concentrat(?:e|ing))\s+(?:\w+ly\s+)?on|(?:emphasis|stress)\s+on|attention\s+to)"
)
_DETAIL = r"(?:in\s+(?:great\s+|more\s+|full\s+)?detail\s+(?:about|on|for))"
_VERB = r"(?:(?:please|also|cover|covering|explain|describe|discuss|treat|include|including|about|on|of|for)\s+)*"
_ENGLISH = re.compile(
    rf"(?:^|[\s,;:(–—-]+)(?:and\s+|but\s+)?(?:{_ADVERB},?\s+(?:{_FOCUS}\s+)?|{_FOCUS}\s+|{_DETAIL}\s+){_VERB}"
    r"(?P<named>[^;()]+)\)?$",
    re.IGNORECASE,
)
_NOT_A_NAME = re.compile(
    r"^(?:when|if|because|since|while|whether|how|what|why|who|which|where|in|with|by|from|to|at|as|after|before|is"
    r"|are|does|do|can)\b",
    re.IGNORECASE,
)
_BREAK = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|as\s+well\s+as)\s+", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:(?:the|an?|also|both|on|about)\s+)+", re.IGNORECASE)
_MAX_WORDS = 6

_TELLING = (
    r"(?:(?:は|も)?(?:、)?(?:詳しく|詳細に|重点的に|しっかり|深く|掘り下げて)*"
    r"(?:教え|説明し|述べ|まとめ|解説し|取り上げ|触れ|調べ|扱っ|お願い|知りたい|記述し|論じ).*)?"
)
_ABOUT = (
    r"(?:について(?:は|も)?|に関して(?:は|も)?|に(?:重点|焦点)を(?:置いて|当てて|あてて|絞って)|を中心に(?:して)?"
    r"|に(?:注目|着目)して|を|は|も)"
)
_JAPANESE = (
    re.compile(
        rf"(?:^|[、,]\s*)(?:特に|とくに|とりわけ|なかでも|中でも)[、,]?\s*(?P<named>[^。]+?)\s*{_ABOUT}?{_TELLING}$"
    ),
    re.compile(
        r"(?:^|[、,]\s*)(?P<named>[^。、]+?)(?:に(?:重点|焦点)を(?:置いて|当てて|あてて|絞って)|を中心に(?:して)?)"
        r"(?P<rest>[^。]*)$"
    ),
)
_JAPANESE_BREAK = re.compile(r"\s*(?:[とや]?、|,|・|および|及び|ならびに|と(?=[^いしすっの、。]))\s*")


def english_stress(text: str) -> tuple[str, tuple[str, ...]]:
    """The words before a stress, and what is stressed; `(text, ())` when nothing is.

    >>> english_stress("Explain async, especially generators and event loops")
    ('Explain async', ('generators', 'event loops'))
    >>> english_stress("how locks behave, especially when a table is large")
    ('how locks behave, especially when a table is large', ())
    """
    match = _ENGLISH.search(text)
    if not match:
        return text, ()
    named = [_ARTICLE.sub("", part).strip(" ,.") for part in _BREAK.split(match["named"]) if part.strip(" ,.")]
    if not all(named) or any(_NOT_A_NAME.match(name) or len(name.split()) > _MAX_WORDS for name in named):
        return text, ()
    return text[: match.start()].strip(" ,;:"), tuple(dict.fromkeys(named))


def japanese_stress(text: str) -> tuple[str, tuple[str, ...]]:
    """The same in Japanese; the words around the stress stay together.

    >>> japanese_stress("特に第五世代コンピュータと深層学習について")
    ('', ('第五世代コンピュータ', '深層学習'))
    >>> japanese_stress("ネットワークについて、特に DNS を詳しく教えて")
    ('ネットワークについて', ('DNS',))
    """
    for pattern in _JAPANESE:
        if match := pattern.search(text):
            named = [part.strip() for part in _JAPANESE_BREAK.split(match["named"].strip(" 、,"))]
            rest = (match.groupdict().get("rest") or "").strip(" 、,")
            around = f"{text[: match.start()].strip(' 、,')}、{rest}".strip("、")
            return around, tuple(dict.fromkeys(filter(None, named)))
    return text, ()
