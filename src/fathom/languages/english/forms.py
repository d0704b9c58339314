"""Forms of an English clause: a heading, a sentence that stands alone, the same about one period of several."""

from __future__ import annotations

import re

_HEADINGS: list[tuple[re.Pattern[str], str]] = [
    (re.compile(pattern, re.IGNORECASE), form)
    for pattern, form in (
        (
            r"^what\s+(?:(?:are|were)\s+(?:the\s+)?|(?:is|was)\s+(?:the|an?)\s+)(?P<x>(?:\w+\s+){1,3}(?:of"
            r"|for|between|in|to|from|with|when|on)\s+.+)$",
            "{x}",
        ),
        (
            r"^what\s+(?:is|are)\s+(?!(?:i|you|we|they|he|she|it)\b|\w*[^\We]ed\b)(?:the\s+|an?\s+)?(?P<x>\S+(?:\s+\S+){0,3})(?<!\sfor)(?<!\sabout)(?<!\sof)(?<!\swith)(?<!\sto)(?<!\son)(?<!\sin)(?<!\sat)(?<!\sfrom)$",
            "{x}",
        ),
        (
            r"^(?:explain|describe|discuss|outline|summari[sz]e|define|analy[sz]e|evaluate|cover|tell|say|list|give|name|show"
            r"|write)\s+(?:(?:me|us)\s+)?(?:about\s+)?(?:the\s+)?(?P<x>.+)$",
            "{x}",
        ),
        (r"^compare\s+(?:the\s+)?(?P<x>.+?)\s+(?:with|to|against)\s+(?P<y>.+)$", "{x} and {y} compared"),
        (r"^compare\s+(?!(?:them|it|these|those|both)\b)(?:the\s+)?(?P<x>.+)$", "{x} compared"),
        (r"^how\s+(?:do|can|should|would|could|must|to)\s+(?:i|we|you|one)\s+(?P<x>.+)$", "How to {x}"),
    )
]
_IN_TERMS = re.compile(r"^(?P<x>.+?)(?P<tail>\s+in\s+terms\s+of\s.+)\s+compared$", re.IGNORECASE)
_OVERVIEW = re.compile(
    r"^(?:me\s+)?(?:an?\s+|the\s+)?(?:[\w-]+\s+){0,2}(?:overview|summary|explanation|introduction|guide|survey|picture|report)"
    r"\s+(?:of|to|on|about)\s+",
    re.IGNORECASE,
)
_EVERYTHING = re.compile(
    r"^(?:(?:me|us)\s+)?(?:everything|all)\s+(?:there\s+is\s+to\s+know\s+)?about\s+", re.IGNORECASE
)
_STRESS_WORDS = re.compile(
    r"\b(?:in\s+(?:great\s+|more\s+|full\s+)?(?:detail|depth)|especially|particularly"
    r"|in\s+particular|above\s+all|most\s+of\s+all|specifically)\b",
    re.IGNORECASE,
)
_TO_ME = re.compile(r"\s+(?:to|for)\s+(?:me|us)$", re.IGNORECASE)
_AUX = (
    r"(?:is|are|was|were|do|does|did|can|could|should|shall|will|would|may|might|must|has|have|had"
    r"|isn't|aren't|don't|doesn't|didn't|can't|couldn't|shouldn't|won't|wouldn't)"
)
_QUESTION = re.compile(
    rf"^(?!(?:what|which|who)\s.*\s(?:is|are|was|were)$)(?:{_AUX}\s|(?:how|why|when|where)\s+(?:\w+ly\s+)?{_AUX}\b|how\s+(?:often|many|much|long|far|fast|big|large|old)\b"
    r"|(?:what|which|who|whom|whose)\s|(?:in|on|at|for|to|from|under|with|by)\s+(?:which|what|whom)\b)",
    re.IGNORECASE,
)
_PLAIN_WORD = re.compile(r"^[A-Za-z][A-Za-z'’-]*[,:]?$")
_REQUEST = re.compile(
    r"^(?:please\s+)?(?:explain|describe|discuss|cover|tell|say|write|show|give)(?:\s+(?:me|us|it))?$"
)
_LONGEST = 16
_CUT = re.compile(
    r",\s|(?<!\bthose)\s(?=(?:when|if|that|because|since|while|where|and|with|without|from|for|after|before)\s)"
)
_OPEN = re.compile(r"[ ,:;]*(?:\b(?:and|or|but))?[ ,:;]*$", re.IGNORECASE)


def heading(text: str) -> str:
    """A clause as a heading: without its asking where that is easy, else as the question that it is.

    >>> heading("what are the limitations of partitioning"), heading("how do we drop old data")
    ('Limitations of partitioning', 'How to drop old data')
    >>> heading("how does a cache fill"), heading("explain how a cache fills")
    ('How does a cache fill?', 'How a cache fills')
    >>> heading("what is included in the rent"), heading("what is a shed")
    ('What is included in the rent?', 'Shed')
    >>> heading("what is the limit set to"), heading("what is the limit")
    ('What is the limit set to?', 'Limit')
    """
    words = _bare(text)
    for pattern, form in _HEADINGS:
        if match := pattern.match(words):
            words = form.format(**match.groupdict())
            break
    words = topic(" ".join(words.split())) or words
    words = _IN_TERMS.sub(r"\g<x> compared\g<tail>", words)
    return short(_marked(capitalised(re.sub(r"^(?:the|an?)\s+(?=\S)", "", words, flags=re.IGNORECASE))))


def topic(words: str) -> str:
    """What is asked for without the form that it is asked for in.

    >>> topic("an overview of the tides"), topic("me everything about the tides")
    ('the tides', 'the tides')
    """
    return _EVERYTHING.sub("", _OVERVIEW.sub("", words))


def asked_for(text: str) -> str:
    """The words of a request without the asking: `tell me about the origin of a fire` asks for `origin of a fire`.

    >>> asked_for("give me an overview of the rules of chess"), asked_for("how does a cache fill")
    ('rules of chess', 'how does a cache fill')
    """
    words = _HEADINGS[2][0].match(text)
    return re.sub(r"^(?:the|an?)\s+", "", topic(words["x"])) if words else text


def sentence(text: str) -> str:
    """A clause as words that stand alone: a question with its mark, a request as what it is about.

    >>> sentence("what are the limitations of partitioning"), sentence("explain how a cache fills")
    ('What are the limitations of partitioning?', 'How a cache fills')
    """
    return _marked(capitalised(_bare(text))) if _QUESTION.match(text) else heading(text)


def capitalised(text: str) -> str:
    """With a capital, unless the first word is an identifier.

    >>> capitalised("lists"), capitalised("max_size"), capitalised("gather()")
    ('Lists', 'max_size', 'gather()')
    """
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if _PLAIN_WORD.match(first) else text


def short(text: str) -> str:
    """A heading of at most sixteen words where it can end earlier and stay complete.

    >>> short("Where should programs put files that they can delete, and where those that must survive a reboot?")
    'Where should programs put files that they can delete?'
    """
    words = text.split()
    if len(words) <= _LONGEST:
        return text
    cuts = [cut.start() for cut in _CUT.finditer(text) if 5 <= len(text[: cut.start()].split()) <= _LONGEST]
    return _OPEN.sub("", text[: cuts[-1]]) + ("?" if text.endswith("?") else "") if cuts else text


def without_request(text: str) -> str:
    """Nothing when the words only ask to be told something, else the words."""
    return "" if _REQUEST.match(text.strip(" ,.").lower()) else text


def by_period(text: str, period: re.Pattern[str]) -> tuple[str, ...]:
    """The words narrowed to each of the periods that stand side by side; nothing unless there are several.

    >>> by_period("history and future of tides", re.compile("history|future"))
    ('history of tides', 'future of tides')
    """
    if match := _AROUND.search(text):
        parts = [f"{word} {match['what']}" for word in ("before", "after")]
        return tuple(text[: match.start()] + part + text[match.end() :] for part in parts)
    one = rf"(?:(?:the\s+)?(?:{period.pattern})|(?:before|during|after|since|until)\s+(?:the\s+)?[\w-]+)"
    listed = re.search(
        rf"(?P<lead>\b(?:from|between|in|during|over|across)\s+)?(?P<list>{one}(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|or|to|until|through|against|versus|vs\.?)\s+){one})+)",
        text,
        re.IGNORECASE,
    )
    if not listed:
        return ()
    found = []
    for match in re.finditer(one, listed["list"], re.IGNORECASE):
        name = re.sub(r"^the\s+", "", match[0])
        said = f"in {'' if name.isdigit() else 'the '}{name}" if name[0].isdigit() else name
        found.append(f"{text[: listed.start()]}{said}{text[listed.end() :]}")
    return tuple(dict.fromkeys(found))


_AROUND = re.compile(
    r"\b(?-i:[Bb]efore)\s+and\s+(?-i:after)\s+(?P<what>(?:(?:the|version|release)\s+)*\S+)", re.IGNORECASE
)


def _bare(text: str) -> str:
    """Without the marks around it, and without words that only stress."""
    words = re.sub(r"\s+(?=[,;])", "", _STRESS_WORDS.sub("", text)).strip(" ,;:?.") or text
    return _TO_ME.sub("", " ".join(words.split()))


def _marked(text: str) -> str:
    return f"{text}?" if _QUESTION.match(text) and not text.endswith("?") else text
