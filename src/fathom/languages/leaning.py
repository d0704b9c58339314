"""Questions that lean on those before them: `and in winter?`, `which of them is cheaper?`; and what they ask.

The words are those of the language's `follow_up`. In one that has none, a question of few words gets the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from fathom.languages import leaning_japanese
from fathom.languages.packs import Language, pack
from fathom.languages.readers import under
from fathom.text.analysis import query_terms
from fathom.text.common import telling
from fathom.text.display import word_count

LONG = 500
"""Characters of a question that leaves nothing out, and of one before it that are looked at."""
FRAGMENT = 6
"""Words of the longest question that is none by itself: `and in the second year?`."""
SAYS = 0.9
"""What the words of a question must say, in rare words, to stand by themselves."""
_END = " \t\n?？!！.。、,…"
_NAMED = r"(?=[\w.+#-]*[A-Z\d])[\w.+#-]+"
_NAME = re.compile(rf"(?<![\w.+#-]){_NAMED}(?:\s+{_NAMED})*")
_WORD = r"[\w'’.+#/-]*\w"


def made_whole(text: str, before: Sequence[str], *, language: str) -> str:
    """A question in words that stand by themselves; it stays as it is when it leans on nothing.

    >>> before = ["How long do LFP cells last?"]
    >>> before += [made_whole("And NMC?", before, language="en")]
    >>> before[1], made_whole("which of them is cheaper?", before, language="en")
    ('How long do NMC cells last?', 'which of LFP cells and NMC cells is cheaper?')

    Args:
        before: The questions before it, oldest first, each in words that stand by themselves.
        language: ISO 639-1 code of its language.
    """
    if not before or len(text) > LONG:
        return text
    before, known = [each[:LONG] for each in before], pack(language)
    if known.holds("about.wide"):
        return leaning_japanese.made_whole(text, before[-1], known)
    return _Leaning(known, before).whole(text)


class _Leaning:
    """What a question may lean on, in a language that is written with spaces."""

    def __init__(self, language: Language, before: Sequence[str]) -> None:
        self._language = language
        self._questions = [each.rstrip(_END) for each in before]
        self._last = self._questions[-1]

    def whole(self, text: str) -> str:
        """The question, made whole.

        >>> from fathom.languages.packs import pack
        >>> asked = _Leaning(pack("en"), ["How do I install Borg on Linux?"])
        >>> asked.whole("And how about Windows?"), asked.whole("On a Mac?"), asked.whole("Who made it?")
        ('How do I install Borg on Windows?', 'How do I install Borg on a Mac?', 'Who made Borg?')
        >>> asked = _Leaning(pack("en"), ["How long do LFP cells last?"])
        >>> asked.whole("and in winter?"), asked.whole("What about the price?"), asked.whole("What is a pump?")
        ('How long do LFP cells last in winter?', 'LFP cells: the price', 'What is a pump?')
        """
        core = self._without(rf"^(?:(?:{self._told('opens')})\b[\s,;:–-]*)+", text).rstrip(_END)
        if any(self._asks(behind) for behind in re.split(r"[,:]\s+", core)[1:]):
            return core + "?"  # it says itself what it asks that of: `and the roof, who mends it?`
        same = self._without(rf"^(?:{self._told('same')})\b\s*", core)
        if same != core or not (self._asks(core) or word_count(core) > FRAGMENT):
            return self._same(self._without(rf"[\s,]+(?:{self._told('behind')})$", same))
        if re.search(rf"\b(?:{self._told('doing')})\b", core, re.IGNORECASE):
            return f"{under(self._last, _lower(core))}?"
        if (named := self._named(core)) is not None:
            return f"{named}?"
        if self._says(core) >= SAYS and (core == text.rstrip(_END) or self._names_something(core)):
            return text
        return f"{under(self._topic if query_terms(core) else self._last, _lower(core))}?"

    def _names_something(self, core: str) -> bool:
        """Whether a text speaks of something that is known by itself, `the roof`, `COBOL`, or asks the last question of
        something else; `a visit` is one of what was asked about."""
        if set(query_terms(core)) & set(query_terms(self._last)):
            return True
        definite = self._language.pattern("follow_up.definite")
        names = (each for each in _NAME.findall(core[1:]) if each != "I")
        return definite is None or bool(re.search(rf"\b(?:{definite})\b", core, re.IGNORECASE)) or any(names)

    def _says(self, text: str) -> float:
        """How much the words of a text say, in rare words."""
        return sum(telling(term, language=self._language.code) for term in query_terms(text))

    def _same(self, said: str) -> str:
        """The last question with something else in its place, or what it was about in another respect."""
        if own := re.match(rf"(?:{self._told('whose')})\s+", said, re.IGNORECASE):
            return under(self._topic, said[own.end() :])
        if (named := self._named(said)) is not None:
            return named
        articles, words = rf"(?:(?:{self._told('articles')})\s+)?", said.split()
        place = re.match(rf"(?:{self._told('places')})\b", said, re.IGNORECASE)
        if place:
            held = re.search(rf"\b{re.escape(place[0])}\s+{_phrase(self._language)}", self._last, re.IGNORECASE)
            if held:
                return self._put(held.span(), _lower(said))
            return under(self._last, f"{_lower(said)}?") if "," in self._last else f"{self._last} {_lower(said)}?"
        if re.search(rf"\s(?:{self._told('owner')})\s", said):
            return said  # it names what it is of
        if not words:
            return f"{self._last}?"
        if words[-1].casefold().rstrip("s") in self._language.words("follow_up.aspects"):
            return under(self._topic, said)
        if not query_terms(said):
            return f"{under(self._last, said)}?"
        kin = (
            rf"{articles}(?:[\w-]+\s+)?\b{re.escape(words[-1])}\b"  # `and the travel insurance?` behind `car insurance`
        )
        if words[1:] and (held := re.search(kin, self._last, re.IGNORECASE)):
            return self._put(held.span(), said)
        names = [each.span() for each in _NAME.finditer(self._last) if each.start()]
        if names and not self._language.holds("about.capitals") and _NAME.fullmatch(re.sub(rf"^{articles}", "", said)):
            return self._put(names[-1], said)
        topic = _topic_in(self._last, self._language)
        return self._put(topic, said) if topic else under(self._topic, said)

    def _named(self, core: str) -> str | None:
        """The words with what they point back at; `None` when they point at nothing, or name it themselves.

        A pronoun gives way to a name, or to all that the last question is about: `can it be shortened?` behind `What is
        the notice period for the flat?` does not ask for the flat, and stands behind that question.
        """
        several = re.search(rf"\b(?:{self._told('several')})\b", core, re.IGNORECASE)
        sides = list(dict.fromkeys(filter(None, map(self._topic_of, self._questions))))[-2:]
        if several and len(sides) == 2 and not re.search(rf"\s(?:{self._told('joins')})\s", sides[1], re.IGNORECASE):
            both: str = self._language.holds("follow_up.both").format(*sides)
            return core[: several.start()] + both + core[several.end() :]
        pattern = rf"\b(?:(?P<whose>{self._told('whose')})|{self._told('pointing')})\b"
        if (match := re.search(pattern, core, re.IGNORECASE)) is None:
            return None
        before, topic = core[: match.start()], self._topic
        joined = match["whose"] or re.search(rf"\b(?:{self._told('clauses')})\b", before, re.IGNORECASE)
        if joined and _topic_in(before, self._language):
            return None
        bare = re.sub(rf"^(?:{self._told('articles')})\s+", "", topic)
        others = re.sub(rf"{re.escape(topic)}|\b(?:{self._told('verbs')})\b", "", self._last, flags=re.IGNORECASE)
        if query_terms(others) and not _NAME.fullmatch(bare) and self._says(core) < SAYS:
            return under(self._last, _lower(core))
        name: str = self._language.holds("follow_up.owned").format(topic) if match["whose"] else topic
        return before + name + core[match.end() :]

    @cached_property
    def _topic(self) -> str:
        """What the last question is about."""
        words = [word for word in self._last.split() if query_terms(word)]
        return self._topic_of(self._last) or " ".join(words[:FRAGMENT]) or self._last

    def _topic_of(self, question: str) -> str:
        place = _topic_in(question, self._language)
        named = question[slice(*place)] if place else ""
        return re.sub(
            rf"^(?:{self._told('articles')})\b", lambda article: article[0].lower(), named, flags=re.IGNORECASE
        )

    def _put(self, place: tuple[int, int], said: str) -> str:
        return f"{self._last[: place[0]]}{said}{self._last[place[1] :]}?"

    def _told(self, key: str) -> str:
        """A pattern for what the language has; for nothing, where it has none."""
        return self._language.pattern(f"follow_up.{key}") or "(?!)"

    def _asks(self, text: str) -> bool:
        known = filter(None, map(self._language.pattern, ("follow_up.asks", "asking.words", "asking.verbs")))
        return bool(re.match(rf"(?:{'|'.join(known)})\b", text, re.IGNORECASE))

    @staticmethod
    def _without(pattern: str, text: str) -> str:
        return re.sub(pattern, "", text, flags=re.IGNORECASE) or text


def _phrase(language: Language) -> str:
    """A pattern for what names a thing."""
    articles, stops, joins = (language.pattern(f"follow_up.{key}") or "(?!)" for key in ("articles", "stops", "joins"))
    word = rf"(?!(?:{stops})\b){_WORD}"
    return rf"(?:(?:{articles})\s+)?{word}(?:\s+(?:(?:{joins})\s+)?{word}){{0,5}}"


def _topic_in(text: str, language: Language) -> tuple[int, int] | None:
    """Where a question names what it is about: behind its verb, behind an article, or by a name.

    >>> from fathom.languages.packs import pack
    >>> texts = ("What is the price of the annual ticket", "How does React draw it", "Compare gas and wood")
    >>> [text[slice(*_topic_in(text, pack("en")))] for text in texts]
    ['the annual ticket', 'React', 'gas and wood']
    """
    keys = ("articles", "subject", "stops", "owner", "does", "verbs", "counts")
    told = {key: language.pattern(f"follow_up.{key}") or "(?!)" for key in keys}
    phrase = _phrase(language)
    ways = (rf"\b(?:{told['subject']})\s+(?P<x>{phrase})", rf"\b(?P<x>(?:{told['articles']})\s+{phrase})")
    found = [match for way in ways if (match := re.search(way, text, re.IGNORECASE))]
    if not found and (match := re.search(rf"\b(?:{told['counts']})\s+(?P<x>{phrase})", text, re.IGNORECASE)):
        found = [match]  # `how many days of leave do we get`
    if found:
        match = min(found, key=lambda each: each.start("x"))
        owner = re.compile(rf"\s+(?:{told['owner']})\s+(?P<x>{phrase})", re.IGNORECASE).match(text, match.end())
        start, end = (owner or match).span("x")
        does = re.match(rf"(?:{told['does']})\s", match[0], re.IGNORECASE)
        if does and not owner and not re.match(rf"\s+(?:{told['verbs']})\b", text[end:], re.IGNORECASE):
            end = start + len(text[start:end].rpartition(" ")[0] or text[start:end])  # its last word is the verb
        return start, end
    stop = re.compile(told["stops"], re.IGNORECASE)
    names = (each.span() for each in _NAME.finditer(text) if each.start() and not stop.fullmatch(each[0]))
    return next(names, None)


def _lower(text: str) -> str:
    """With a small letter, unless it begins with a name."""
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text
