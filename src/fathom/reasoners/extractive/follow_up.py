"""A question that follows others, in words that stand by themselves: what it leans on is put in by rule."""

from __future__ import annotations

import re
from functools import cached_property

from fathom.asks import ResolveFollowUp
from fathom.languages.english.forms import capitalised
from fathom.languages.packs import Language, pack_for
from fathom.languages.readers import under
from fathom.text.analysis import query_terms
from fathom.text.characters import HAN, KATAKANA
from fathom.text.common import telling
from fathom.text.display import word_count
from fathom.thread import StandingQuestion

FRAGMENT = 6
"""Words of the longest question that is none by itself: `and in the second year?`."""
SAYS = 0.9
"""What the words of a question must say, in rare words, to stand by themselves."""
_END = " \t\n?？!！.。、,…"
_NAME = re.compile(r"[\w.+#-]*(?:[A-Z]|\d)[\w.+#-]*(?:\s+[\w.+#-]*(?:[A-Z]|\d)[\w.+#-]*)*")
_HEAD = re.compile(rf"(?:[{HAN}]+|[{KATAKANA}ー]+|[A-Za-z][\w.+#-]*)$")
_PIECE = re.compile(rf"[{HAN}]{{3,}}|[{KATAKANA}ー]+|[A-Za-z][\w.+#-]*")
_NAMING = ("articles", "subject", "stops", "owner", "does", "verbs")
_WORD_OF_TOPIC = r"[\w'’.+#/-]*\w"


def resolve(ask: ResolveFollowUp) -> StandingQuestion:
    """The question with what it leaves to the one before it; one that needs nothing stays as it is.

    What it is about comes from the last question: `and in winter?` is asked of the same, `and the rent?` asks the same,
    `which of them is cheaper?` names them.
    """
    text, before = _line(ask.query), ask.exchanges[-1].question if ask.exchanges else ""
    if ask.topic:
        return StandingQuestion(question=under(_line(ask.topic).rstrip(_END), text))
    if not before:
        return StandingQuestion(question=text)
    language = pack_for(text, ask.language)
    reader = (_Joined if language.holds("about.wide") else _Spaced)(language, before)
    return StandingQuestion(question=capitalised(reader.whole(text)))


class _Spaced:
    """In a language that is written with spaces."""

    def __init__(self, language: Language, before: str) -> None:
        self._language, self._before = language, _line(before).rstrip(_END)

    def whole(self, text: str) -> str:
        """The question, made whole.

        >>> from fathom.languages.packs import pack
        >>> asked = _Spaced(pack("en"), "How do I install Borg on Linux?")
        >>> asked.whole("And how about Windows?"), asked.whole("On a Mac?"), asked.whole("Who made it?")
        ('How do I install Borg on Windows?', 'How do I install Borg on a Mac?', 'Who made Borg?')
        >>> asked = _Spaced(pack("en"), "How long do LFP cells last?")
        >>> asked.whole("and in winter?"), asked.whole("What about the price?"), asked.whole("What is a pump?")
        ('How long do LFP cells last in winter?', 'LFP cells: the price', 'What is a pump?')
        """
        core = self._without("opens", text, before=True).rstrip(_END)
        same = self._without("same", core, before=True)
        if same != core or not (self._asks(core) or word_count(core) > FRAGMENT):
            return self._same(self._without("behind", same, before=False))
        if (named := self._named(core)) is not None:
            return f"{named}?"
        terms = query_terms(core)
        if sum(telling(term, language=self._language.code) for term in terms) >= SAYS:
            return text
        return f"{under(self.topic if terms else self._before, _lower(core))}?"

    def _same(self, said: str) -> str:
        """The last question with something else in its place; or what it was about, in another respect."""
        if (
            own := re.match(rf"(?:{self._pattern('whose')})\s+", said, re.IGNORECASE)
            if self._pattern("whose")
            else None
        ):
            return under(self.topic, said[own.end() :])
        if (named := self._named(said)) is not None:
            return named
        articles, *words = rf"(?:(?:{self._pattern('articles')})\s+)?", *said.split()
        place = self._match("places", said)
        if not place and re.search(rf"\s(?:{self._pattern('owner')})\s", said):
            return said  # it names what it is of
        if not place and words[-1].casefold().rstrip("s") in self._language.words("follow_up.aspects"):
            return under(self.topic, said)
        if not (place or query_terms(said)):
            return f"{under(self._before, said)}?"
        kin = rf"{articles}(?:[\w-]+\s+)?\b{re.escape(words[-1])}\b" if words[1:] else "(?!)"
        held = re.search(_in_place(place, self._language) if place else kin, self._before, re.IGNORECASE)
        if held:
            return self._put(held.span(), _lower(said))
        if place:
            return f"{self._before} {_lower(said)}?"
        names = [each.span() for each in _NAME.finditer(self._before) if each.start()]
        if names and not self._language.holds("about.capitals") and _NAME.fullmatch(re.sub(rf"^{articles}", "", said)):
            return self._put(names[-1], said)
        return self._put(self._topic, said) if self._topic else under(self.topic, said)

    def _named(self, core: str) -> str | None:
        """The words with the topic in place of what points back at it; `None` when nothing does."""
        if not self._pattern("pointing"):
            return None
        match = re.search(
            rf"\b(?:(?P<whose>{self._pattern('whose')})|{self._pattern('pointing')})\b", core, re.IGNORECASE
        )
        if match is None:
            return None
        before, is_owner = core[: match.start()], match["whose"]
        if _topic_in(before, self._language) and (
            is_owner or re.search(rf"\b(?:{self._pattern('clauses')})\b", before)
        ):
            return None  # it names itself what is meant
        topic = self._language.holds("follow_up.owned").format(self.topic) if is_owner else self.topic
        return f"{before}{topic}{core[match.end() :]}"

    @property
    def topic(self) -> str:
        """What the last question is about."""
        place = self._topic
        if place:
            return self._before[slice(*place)]
        words = [word for word in self._before.split() if query_terms(word)]
        return " ".join(words[:FRAGMENT]) or self._before

    @cached_property
    def _topic(self) -> tuple[int, int] | None:
        return _topic_in(self._before, self._language)

    def _put(self, place: tuple[int, int], said: str) -> str:
        return f"{self._before[: place[0]]}{said}{self._before[place[1] :]}?"

    def _pattern(self, key: str) -> str:
        return self._language.pattern(f"follow_up.{key}")

    def _match(self, key: str, text: str) -> str:
        found = re.match(rf"(?:{self._pattern(key)})\b", text, re.IGNORECASE) if self._pattern(key) else None
        return found[0] if found else ""

    def _asks(self, text: str) -> bool:
        known = filter(None, (self._pattern("asks"), *map(self._language.pattern, ("asking.words", "asking.verbs"))))
        return bool(re.match(rf"(?:{'|'.join(known)})\b", text, re.IGNORECASE))

    def _without(self, key: str, text: str, *, before: bool) -> str:
        if not (pattern := self._pattern(key)):
            return text
        cut = rf"^(?:(?:{pattern})\b[\s,;:–-]*)+" if before else rf"(?:[\s,;:–-]+(?:{pattern}))+$"
        return re.sub(cut, "", text, flags=re.IGNORECASE) or text


def _phrase(language: Language) -> str:
    """A pattern for what names a thing."""
    word = rf"(?!(?:{language.pattern('follow_up.stops')})\b){_WORD_OF_TOPIC}"
    joined = rf"(?:(?:{language.pattern('follow_up.joins')})\s+)?"
    return rf"(?:(?:{language.pattern('follow_up.articles')})\s+)?{word}(?:\s+{joined}{word}){{0,5}}"


def _in_place(place: str, language: Language) -> str:
    """A pattern for what stands behind a preposition, with it."""
    return rf"\b{re.escape(place)}\s+{_phrase(language)}"


def _topic_in(text: str, language: Language) -> tuple[int, int] | None:
    """Where a question names what it is about: behind its verb, behind an article, or by a name.

    >>> from fathom.languages.packs import pack
    >>> texts = ("What is the price of the annual ticket", "How does React draw it", "Compare gas and wood")
    >>> [text[slice(*_topic_in(text, pack("en")))] for text in texts]
    ['the annual ticket', 'React', 'gas and wood']
    """
    told = {key: language.pattern(f"follow_up.{key}") for key in _NAMING}
    if not told["articles"]:
        return None
    phrase = _phrase(language)
    for way in (rf"\b(?:{told['subject']})\s+(?P<x>{phrase})", rf"\b(?P<x>(?:{told['articles']})\s+{phrase})"):
        if match := re.search(way, text, re.IGNORECASE):
            owner = re.compile(rf"\s+(?:{told['owner']})\s+(?P<x>{phrase})", re.IGNORECASE).match(text, match.end())
            start, end = (owner or match).span("x")
            does = told["does"] and re.match(rf"(?:{told['does']})\s", match[0], re.IGNORECASE)
            if does and not owner and not re.match(rf"\s+(?:{told['verbs']})\b", text[end:], re.IGNORECASE):
                end = start + len(text[start:end].rpartition(" ")[0] or text[start:end])  # its last word is the verb
            return start, end
    stop = re.compile(told["stops"], re.IGNORECASE)
    names = (each.span() for each in _NAME.finditer(text) if each.start() and not stop.fullmatch(each[0]))
    return next(names, None)


class _Joined:
    """In Japanese, where particles say what stands in which place."""

    def __init__(self, language: Language, before: str) -> None:
        self._language, self._before = language, _line(before).rstrip(_END)

    def whole(self, text: str) -> str:
        """The question, made whole.

        >>> from fathom.languages.packs import pack
        >>> asked = _Joined(pack("ja"), "自治会の会費はいくらですか")
        >>> asked.whole("では、支払い方法は？"), asked.whole("その期限はいつですか"), asked.whole("防災訓練は？")
        ('自治会の会費の支払い方法は？', '自治会の会費の期限はいつですか？', '自治会の防災訓練はいくらですか？')
        >>> _Joined(pack("ja"), "Linux で Borg を入れるには？").whole("では Windows では？")
        'Windows で Borg を入れるには？'
        """
        if not self._pattern("same"):
            return text
        core = re.sub(rf"^(?:{self._pattern('opens')})[、,\s]*", "", text).rstrip(_END)
        theme = re.fullmatch(rf"(?P<x>.+?)(?P<way>{self._pattern('same')})", core)
        if theme:
            return self._same(theme["x"].strip(), theme["way"])
        for key, named in (("whose", f"{self.topic}の"), ("pointing", self.topic)):
            if match := re.search(self._pattern(key), core):
                return f"{core[: match.start()]}{named}{core[match.end() :]}？"
        if not (terms := query_terms(core)):
            return f"{self._before}、{core}？"
        if not re.search("[はがを]", core):
            return f"{self.topic}について、{core}？"
        says = sum(telling(term, language=self._language.code) for term in terms)
        return text if says >= SAYS else f"{self.topic.rpartition('の')[0] or self.topic}の{core}？"

    def _same(self, said: str, way: str) -> str:
        said = re.sub(self._pattern("whose"), "", said)
        words, before = self._language.words, self._before
        is_case, is_aspect = (said.endswith(words(f"follow_up.{key}")) for key in ("cases", "aspects"))
        if "の" in said and (is_aspect or not is_case):
            return f"{said}は？"  # it names what it is of
        if is_aspect:
            return f"{self.topic}の{said}は？"
        place = re.match(self._pattern("places"), way)  # `Windows で` は
        if place and (held := re.search(rf"[^\sはがをにでの、]+(?=\s*{place[0]}(?![すし]))", before)):
            return f"{before[: held.start()]}{said}{before[held.end() :]}？"
        if is_case:
            return f"{said}{'' if said.endswith('場合') else 'の場合'}、{before}？"
        own = match[0] if (match := _HEAD.search(said)) else ""
        for held in _PIECE.finditer(before) if own else ():
            if held[0] != own and (held[0][-2:] == own[-2:] or (held[0].isascii() and own.isascii())):
                return f"{before[: held.start()]}{said}{before[held.end() :]}？"
        start = before.find(self.topic) + len(self.topic.rpartition("の")[0] + self.topic.rpartition("の")[1])
        return f"{before[:start]}{said}{before[before.find(self.topic) + len(self.topic) :]}？"

    @property
    def topic(self) -> str:
        """What the last question is about."""
        theme = re.match(rf"(?:.*、)?(?P<x>[^、。]+?)(?:{self._pattern('subject')})", self._before)
        return theme["x"] if theme else re.sub(self._language.pattern("words.phrases"), "", self._before)

    def _pattern(self, key: str) -> str:
        return self._language.pattern(f"follow_up.{key}")


def _line(text: str) -> str:
    return " ".join(text.split())


def _lower(text: str) -> str:
    """With a small letter, unless it begins with a name."""
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text
