"""What a question wishes of its answer, told from what it asks: "in five bullet points, for a manager"; 300字以内で.

A question is cut at its marks. A piece is a wish when nothing is left of it once the phrases of wishes, the words that
frame them and what they are for are taken away. Where a piece begins with a wish and goes on to ask ("a timeline of the
floods"), or asks and ends in one, that part alone is taken. Beside a piece that asks, one that asks nothing and wishes
for something sure goes whole, whatever few words it has besides. The phrases stand in the files of the languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import chain
from math import prod
from typing import Any, NamedTuple, cast, get_args

from fathom.languages.kanji import of_the_common_era, value_of
from fathom.languages.packs import Language, either, packs, words
from fathom.preferences import Length, LengthUnit, ReportPreferences
from fathom.text.numbers import SMALL, numbers
from fathom.text.when import when

READ = 800
"""Characters of a question that are looked through."""
EDGE = 200
"""Characters of a wish, and of what goes with it."""
_BREAK = r"(?:\s*(?:[,;:.?!…]+(?=\s|$)|(?<=\s)[-–—]+(?=\s)|[，；：、。？！]+|(?<=[^\x00-\x7f])[?!…]+)\s*)"
_CLOSED = re.compile(r"\([^()]*\)|（[^（）]*）|「[^「」]*」|“[^“”]*”|\"[^\"]*\"")
"""What no mark cuts apart."""
_TONGUE = "<<tongue>>"
"""Where the name of each language stands in turn."""
_PART = re.compile(r"<<(\w+)>>")
_STRONG = re.compile(r"[.?!;。？！–—-]")
_JOINED = re.compile(r"(?:and|or|und|oder|et|ou|y|o)\b(?!\s+please)", re.IGNORECASE)
_HELD = "\ue000"
_LIST = re.compile(
    r"\s*(?:,|、|;)\s*(?:and\s+|or\s+)?|\s+(?:and|or|und|oder|et|ou|y|o)\s+|(?<=\w)(?:と|や|および)(?=\w)"
)
_ASIDE = re.compile(r"[(（]([^()（）]*)[)）]?")
_QUOTES = " \t\"'“”‘’「」『』.,、。"
_MEASURES: dict[str, tuple[LengthUnit, int]] = {
    "pages": ("words", 400),
    "paragraphs": ("sentences", 5),
    "leaves": ("characters", 1_000),
}
"""Units that are others: how many of which."""
_RANGE = re.compile(r"\s?[-–〜~]\s?|\s(?:to|or)\s")
_SMALL = {**SMALL, "half": 0.5, "半": 0.5, "couple": 2}


class _Phrase(NamedTuple):
    """A way to wish for something."""

    kind: str
    """`words`, `form`, `audience`, …: what is wished for."""
    value: str
    """The form or the language, where the phrase stands for one."""
    pattern: re.Pattern[str]
    is_sure: bool = True
    """Whether it makes a piece a wish; others are heard beside one that does."""

    @property
    def is_told_of(self) -> bool:
        """Whether it is a wish at the end of any question; what is asked may well be about others."""
        kinds = ("language", "region", "audience", "tone")
        return self.is_sure and self.kind not in kinds and self.value not in ("table", "timeline", "brief")


@dataclass(frozen=True)
class _Piece:
    """What a piece of the question came to."""

    asked: str
    """What is left of it as a part of the question."""
    found: tuple[tuple[_Phrase, re.Match[str]], ...] = ()
    period: str = ""
    """The words that name one, where it does."""
    is_sure: bool = True
    """Whether it is a wish wherever it stands; others are heard beside one that is."""


@dataclass(frozen=True)
class Ear:
    """How wishes are told in a language."""

    language: Language
    _named: dict[str, re.Pattern[str]] = field(default_factory=dict)

    @cached_property
    def phrases(self) -> list[_Phrase]:
        """The ways to wish, in order."""
        return [
            _Phrase(kind.rstrip("_"), code, self._compiled(pattern.replace(_TONGUE, said)), is_sure=kind[-1] != "_")
            for name, told in self.language.holds("wishes.pieces").items()
            for kind, _, value in [name.partition(".")]
            for pattern in ([told] if isinstance(told, str) else told)
            for code, said in (self.language.holds("wishes.tongues").items() if _TONGUE in pattern else [(value, "")])
        ]

    def _compiled(self, pattern: str) -> re.Pattern[str]:
        told = "".join(map(str.strip, pattern.splitlines()))
        told = _PART.sub(lambda part: f"(?:{self.language.pattern(f'wishes.{part[1]}')})", told)
        edge = "" if self.language.holds("about.wide") else r"\b"
        return re.compile(rf"{edge}(?:{told}){edge}" if told[-1:] != "$" else f"(?:{told})", re.IGNORECASE)

    def named(self, key: str) -> re.Pattern[str]:
        """What the file says under a key of `wishes`; it tells there what it means."""
        if key not in self._named:
            self._named[key] = self._compiled(self.language.pattern(f"wishes.{key}") or r"(?!)")
        return self._named[key]

    def whole(self, piece: str, *, today: str, spare: int = 0) -> _Piece | None:
        """The wishes of a piece that says nothing besides, or no more than so many letters to `spare`; else `None`."""
        if len(piece) > EDGE:
            return None
        left, found = of_the_common_era(piece), []
        for phrase in self.phrases:
            match = phrase.pattern.search(left)
            if match and not (phrase.kind == "exclude" and self._is_time(match, today=today)):
                found.append((phrase, match))
                left = f"{left[: match.start()]}{_HELD * len(match[0])}{left[match.end() :]}"
        spoken = when(left, today=today)
        is_meant = bool(self.named("only").search(piece))
        is_dated = any(one.value == "timeline" for one, _ in found) and spoken.since
        about = is_meant or is_dated or not found  # wanted by tomorrow, it is about any day
        period = left if spoken.places and about else ""
        left = _without(left, spoken.places)
        is_sure = bool(period and is_meant) or any(one.is_sure for one, _ in found)
        rest = self.named("frame").sub("", self.named("asides").sub("", left) if is_sure else left).replace(_HELD, "")
        return None if len(re.findall(r"\w", rest)) > spare else _Piece("", tuple(found), period, is_sure=is_sure)

    def _is_time(self, match: re.Match[str], *, today: str) -> bool:
        """Whether what is to be left out is a time, and nothing that happened then."""
        out = next(filter(None, match.groups()))
        left = _without(out, when(out, today=today).places)
        return left != out and not re.search(r"\w", self.named("frame").sub("", left).replace(_HELD, ""))

    def within(self, piece: str, *, today: str, first: str, is_aside: bool) -> _Piece | None:
        """A piece that begins or ends in a wish, without it; `first` is the first piece of its sentence. What stands
        aside of what is asked and has nothing told is a story, and its end no wish."""
        if self.named("makes").search(piece) or not any(phrase.pattern.search(piece) for phrase in self.phrases):
            return None
        asked, period = piece, ""
        found: tuple[tuple[_Phrase, re.Match[str]], ...] = ()
        for match in reversed([*self.named("opens").finditer(piece, 0, EDGE)]):
            head = self.whole(piece[: match.start()], today=today) if match.start() else None
            if head and head.is_sure:
                asked = piece[match.end("of") if match.groupdict().get("of") else match.start() :].strip()
                found, period = head.found, head.period
                break
        is_told = bool(self.named("tells").match(asked) or self.named("tells").match(first))
        for lead in self.named("leads").finditer(asked, max(0, len(asked) - EDGE)):
            at = lead.end("kept") if lead.groupdict().get("kept") else lead.start()
            rest = self.named("frame").sub("", asked[:at])
            is_story = is_aside and not is_told
            tail = self.whole(asked[at:], today=today) if re.search(r"\w", rest) and not is_story else None
            if tail is None or any(one.kind == "region" and not one.is_sure for one, _ in tail.found):
                continue  # where something is says more often what is asked
            if any(
                (one.is_sure if is_told else one.is_told_of and not match.groupdict().get("besides"))
                or (found and one.kind == "audience")
                for one, match in tail.found
            ):
                return _Piece(asked[:at].strip(), found + tail.found, period or tail.period)
        return _Piece(asked, found, period) if found or period else None

    def around(self, piece: str, *, today: str) -> _Piece | None:
        """A piece that asks nothing and wishes for something sure, with the few words around that, or with all of them
        where it speaks of the answer as such: what is asked stands elsewhere then."""
        speaks = bool(self.named("speaks").search(piece))
        spare = EDGE if speaks else 9 if self.language.holds("about.wide") else 30
        found = self.whole(piece, today=today, spare=spare) if speaks or self.named("cues").search(piece) else None
        sure = {phrase.kind for phrase, _ in found.found if phrase.is_sure} if found else set()
        return found if sure - (set() if speaks else {"language", "region", "exclude"}) else None


def _without(text: str, places: Sequence[tuple[int, int]]) -> str:
    """A text with a mark in the stead of what stands at these places."""
    for start, end in sorted(places, reverse=True):
        text = f"{text[:start]}{_HELD}{text[end:]}"
    return text


@cache
def _ears() -> tuple[Ear, ...]:
    return tuple(Ear(each) for each in packs() if "wishes" in each.tables)


def hear(question: str, *, today: str = "", follows: bool = False) -> ReportPreferences:
    """What a question wishes, and what it asks: its `topic`, which is all of it when nothing is heard. `today` is an
    ISO 8601 date. One that follows another may be nothing but wishes: its topic is empty then.

    >>> heard = hear("How does a cache fill, in five bullet points, for a manager who knows no SQL?")
    >>> heard.topic, heard.form, heard.audience
    ('How does a cache fill?', 'bullets', 'a manager who knows no SQL')
    >>> heard = hear("電子レンジの仕組みを初心者向けに表で、300字以内で")
    >>> heard.topic, heard.form, heard.most("characters")
    ('電子レンジの仕組み', 'table', 300)
    >>> hear("How do I write a table of contents?").wishes
    ()
    >>> heard = hear("As a table, please.", follows=True)
    >>> heard.topic, heard.form
    ('', 'table')
    """
    text = " ".join(question.split())
    if len(text) > READ:
        return ReportPreferences(topic=question)
    pieces, marks = _cut(_ASIDE.sub(partial(_opened, today=today), text))
    asks = [any(ear.named("asks").search(said) for ear in _ears()) for said in map(str.__add__, pieces, marks)]
    begins = [at for at in range(len(pieces)) if not at or _STRONG.search(marks[at - 1])]
    heard = [
        _heard(
            piece,
            today=today,
            first=pieces[max(b for b in begins if b <= at)],
            is_aside=not asks[at] and (any(asks) or at > 0),
        )
        for at, piece in enumerate(pieces)
    ]
    sure = [piece is not None and piece.is_sure and not _is_listed(at, pieces, heard) for at, piece in enumerate(heard)]
    around = [*range(len(heard)), *reversed(range(len(heard)))]  # what is beside another may be told of it later
    for at in around:
        sure[at] = sure[at] or _is_beside(at, marks, heard, sure)
    for at, piece in enumerate(heard):
        is_frame = piece is not None and not (piece.found or piece.period)  # a word of thanks behind a wish
        before = heard[at - 1] if at and not asks[at] else None
        if before and not before.asked and piece is None and at not in begins and _explains(pieces[at]):
            heard[at] = _Piece("")
        elif not sure[at] and not (is_frame and before):
            heard[at] = None
    if not any(heard) or not (follows or any(piece is None or piece.asked for piece in heard)):
        return ReportPreferences(topic=question)
    return _preferences(pieces, marks, heard, today=today)


@cache
def _breaks() -> re.Pattern[str]:
    uncut = "".join(f"(?<!{each})" for each in sorted(words("wishes.labels")))
    return re.compile("|".join(filter(None, (uncut + _BREAK, either("wishes.breaks")))), re.IGNORECASE)


def _explains(piece: str) -> bool:
    """Whether a piece says why what stands before it is wished for ("…, they just confuse me")."""
    return any(ear.named("explains").match(piece) for ear in _ears())


def _is_beside(at: int, marks: list[str], heard: list[_Piece | None], sure: list[bool]) -> bool:
    """Whether what may be a wish is one: it stands beside another, as a sentence of its own, or before a colon."""
    piece = heard[at]
    if piece is None or not (piece.found or piece.period):
        return False
    if any(sure[max(0, at - 1) : at + 2]):
        return True
    kinds = {phrase.kind for phrase, _ in piece.found}
    if at == 0:
        return marks[0].strip() in (":", "：") and bool(kinds) and "exclude" not in kinds
    return bool(kinds and _STRONG.search(marks[at - 1]))


def _is_listed(at: int, pieces: list[str], heard: list[_Piece | None]) -> bool:
    """Whether a piece is one of several things that are asked for ("headings, bullet points and tables"), or sets the
    scene for what is asked ("besides Anna, who …"), and so no wish."""
    piece = heard[at]
    if piece is None or piece.asked or {phrase.kind for phrase, _ in piece.found} - {"form", "exclude"}:
        return False
    if at == 0 and any(match.groupdict().get("besides") for _, match in piece.found):
        return True
    is_joined = bool(_JOINED.match(pieces[at])) and at > 0 and heard[at - 1] is None
    goes_on = at + 1 < len(pieces) and heard[at + 1] is None and bool(_JOINED.match(pieces[at + 1]))
    return is_joined or goes_on


def may_wish(question: str) -> bool:
    """Whether any phrase of a wish stands in a question, heard as one or not.

    >>> may_wish("How do I draw a timeline?"), may_wish("How does a cache fill?")
    (True, False)
    """
    if len(question) > READ:
        return False
    phrases = (phrase for ear in _ears() for phrase in ear.phrases if phrase.is_sure)
    return any(phrase.pattern.search(question) for phrase in phrases) or bool(hear(question).wishes)


def _cut(text: str) -> tuple[list[str], list[str]]:
    """The pieces of a text, and the mark behind each; nothing in brackets or quotation marks is cut."""
    held = [match.span() for match in _CLOSED.finditer(text)]
    pieces, marks, start = [], [], 0
    for match in _breaks().finditer(text):
        if not any(begin < match.start() < end for begin, end in held) and match.end() > start:
            pieces.append(text[start : match.start()])
            marks.append(match[0])
            start = match.end()
    if start < len(text):
        pieces.append(text[start:])
        marks.append("")
    return pieces, marks


def _opened(aside: re.Match[str], *, today: str) -> str:
    """What stands in brackets, or without these when it wishes."""
    heard = [_heard(piece, today=today) for piece in _cut(aside[1])[0]]
    return f" – {aside[1]} – " if any(one and one.is_sure and not one.asked for one in heard) else aside[0]


def _heard(piece: str, *, today: str, first: str = "", is_aside: bool = False) -> _Piece | None:
    """What a piece wishes. One `is_aside` when it stands beside one that asks, and may say a little besides."""
    if not piece.strip():
        return None
    tried = chain(
        (ear.whole(piece, today=today) for ear in _ears()),
        (ear.within(piece, today=today, first=first, is_aside=is_aside) for ear in _ears()),
        (ear.around(piece, today=today) for ear in _ears() if is_aside),
    )
    return next(filter(None, tried), None)


def _preferences(pieces: list[str], marks: list[str], heard: list[_Piece | None], *, today: str) -> ReportPreferences:
    found: dict[str, Any] = {"lengths": {}, "exclusions": []}  # and the form that a length implies
    wishes = []
    for said, piece in zip(pieces, heard, strict=True):
        if piece is None:
            continue
        wishes.append(said.replace(piece.asked, "").strip() if piece.asked else said.strip())
        for phrase, match in piece.found:
            _take(phrase, match, found)
        if piece.period:
            spoken = when(piece.period, today=today)
            since, until = spoken.since, spoken.until
            if re.search(either("wishes.beyond"), piece.period, re.IGNORECASE):
                since, until = (since, None) if since and until and since < until else (until, since)
            found["since"], found["until"] = (day.isoformat() if day else "" for day in (since, until))
    if implied := found.pop("implied", ""):
        found.setdefault("form", implied)
    lengths = tuple(Length(most=most, unit=unit) for unit, most in found.pop("lengths").items())
    exclusions = tuple(dict.fromkeys(found.pop("exclusions")))
    return ReportPreferences(
        topic=_topic(pieces, marks, heard), wishes=tuple(wishes), lengths=lengths, exclusions=exclusions, **found
    )


def _take(phrase: _Phrase, match: re.Match[str], found: dict[str, Any]) -> None:
    """Take down what a phrase wishes for; of two words for one thing the first counts."""
    groups = {name.rstrip("2345"): said for name, said in match.groupdict().items() if said}
    if phrase.kind in ("form", "language"):
        found.setdefault(phrase.kind, phrase.value)
    elif phrase.kind == "exclude":
        found["exclusions"] += _listed(groups.get("out") or groups["besides"])
    elif phrase.kind in ("audience", "tone", "region"):
        found.setdefault(phrase.kind, _alone(groups[phrase.kind]))
    elif phrase.kind in get_args(LengthUnit) or phrase.kind in _MEASURES:
        unit, times = _MEASURES.get(phrase.kind, (cast(LengthUnit, phrase.kind), 1))
        if most := int(_number(groups.get("n", "1")) * times):
            found["lengths"].setdefault(unit, most)
        if phrase.value:
            found.setdefault("implied", phrase.value)


def _alone(said: str) -> str:
    """What was said without the wish behind it, and what leads to that."""
    lead, said = rf"\s+(?:about|around|{either('wishes.leads')})\s*$", said.partition(_HELD)[0]
    while (shorter := re.sub(lead, "", said)) != said:
        said = shorter
    return said.strip(_QUOTES)


def _number(said: str) -> float:
    folded = _RANGE.split(said.casefold().replace(",", ""))[-1]
    if re.match("half |an? couple", folded):
        return prod(map(_number, folded.split()))
    if number := next(
        (at for each in packs() for at, one in enumerate(each.words("wishes.numerals"), 1) if one == folded), 0
    ):
        return number
    if folded in _SMALL:
        return _SMALL[folded]
    try:
        return int(folded) if folded.isdecimal() else int(value_of(said))
    except (ValueError, ArithmeticError):
        return next((int(each) for each in numbers(folded) if each.isdecimal()), 1)


def _listed(said: str) -> Iterator[str]:
    """What is left out, one by one: without what is said of it in brackets."""
    said = _ASIDE.sub("", _alone(said))
    for each in _LIST.split(re.sub(rf"\s(?:{either('wishes.part')})\b.*", "", said)):
        if bare := re.sub(r"^(?:the|any|all|use|using|of|about)\s+", "", each.strip(_QUOTES), flags=re.IGNORECASE):
            yield bare.strip(_QUOTES)


def _topic(pieces: list[str], marks: list[str], heard: list[_Piece | None]) -> str:
    """What is asked, with the marks that stood between its pieces; the last one that ends a sentence closes it."""
    told, end = "", ""
    after = False
    for said, mark, piece in zip(pieces, marks, heard, strict=True):
        asked = said if piece is None else piece.asked
        if not asked:
            after = True
            ends = re.search(r"[?？]", end) or not re.search(
                r"[?？.。!！]" if re.search(r"[^\w\s]", end) else r"\S", mark
            )
            end = end if ends else mark
            continue
        if after:
            asked = _without_join(asked)
            if told and ":" in end:  # which opened the wish, or led from it to what is asked
                end, asked = ". ", asked[:1].upper() + asked[1:]
        told = f"{told}{end if told else ''}{asked}"
        end, after = mark, False
    closing = end.rstrip() if re.fullmatch(r"\s*[?？.。!！]+\s*", end) else ""
    return re.sub(either("wishes.trails"), "", f"{told}{closing}".strip()) if told else ""


def _without_join(asked: str) -> str:
    """A piece behind a wish, without the word that joined it to that."""
    for ear in _ears():
        match = ear.named("opens").match(asked)
        if match and match.groupdict().get("of"):
            return asked[match.end("of") :].strip()
    return asked
