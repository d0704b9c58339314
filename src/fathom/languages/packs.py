"""What is known of each language: one file, `<code>.toml`, beside this one, and no other names a language.

`en.toml` says what each key means. What a file leaves out is not known of its language: it has no such words, and is
told in English. Mostly a text is looked through for the words of all languages at once, as nobody says which it is in.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from fathom.text.characters import count_cjk

_FILES = Path(__file__).parent
_PART = re.compile(r"<<(\w+)>>")
_HEAD = re.compile(r"^\[(\w+)(?:\.\w+)?\]$", re.MULTILINE)


@dataclass(frozen=True)
class Language:
    """What a file says of a language, or nothing of one that has none. A topic is a table and a key: `reach.own`."""

    code: str
    """ISO 639-1."""
    text: str = field(repr=False)
    """The file. It is parsed table by table, as most runs need a few of them."""

    @cached_property
    def tables(self) -> dict[str, str]:
        """What it has, by the name of the table, with the tables within it."""
        heads = [*_HEAD.finditer(self.text)]
        ends = [*(head.start() for head in heads), len(self.text)][1:]
        found: dict[str, str] = {}
        for head, end in zip(heads, ends, strict=True):
            found[head[1]] = found.get(head[1], "") + self.text[head.start() : end]
        return found

    def table(self, name: str) -> Mapping[str, Any]:
        """One of its tables; empty when it has no such one."""
        return _parsed(self.tables[name])[name] if name in self.tables else {}

    def holds(self, topic: str) -> Any:
        """What the file says, as it stands there; empty when it says nothing.

        >>> pack("de").holds("about.name"), pack("de").holds("about.wide"), pack("fi").holds("about.name")
        ('German', False, '')
        """
        table, _, key = topic.partition(".")
        known = pack("en").table(table)[key]
        return self.table(table).get(key, type(known)())

    def words(self, topic: str) -> tuple[str, ...]:
        """Words, in order."""
        return tuple(self.holds(topic).split())

    def pattern(self, topic: str, **parts: str) -> str:
        """A regular expression, with `parts` where it names them, or what the same table says under that name."""
        return "|".join(self.patterns(topic, **parts))

    def patterns(self, topic: str, **parts: str) -> list[str]:
        """The same, one by one."""
        told, table = self.holds(topic), topic.partition(".")[0]
        return [
            _PART.sub(
                lambda part: parts.get(part[1]) or self.pattern(f"{table}.{part[1]}"),
                "".join(map(str.strip, each.splitlines())),
            )
            for each in ([told] if isinstance(told, str) else told)
            if each
        ]

    def says(self, table: str) -> Mapping[str, Any]:
        """Its fixed words for some purpose; the English ones where it has none."""
        return {**pack("en").table(table), **self.table(table)}


@cache
def _parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


@cache
def pack(code: str) -> Language:
    """What is known of a language, given as an ISO 639-1 code.

    >>> pack("fr").words("documents.apparatus"), pack("fi").words("documents.apparatus")
    (('références', 'bibliographie', 'notes'), ())
    """
    file = _FILES / f"{code}.toml"
    return Language(code, file.read_text(encoding="utf-8") if code.isalpha() and file.is_file() else "")


@cache
def packs() -> tuple[Language, ...]:
    """All languages that have a file: English, and the others in the order of their codes."""
    codes = (file.stem for file in _FILES.glob("*.toml"))
    return tuple(map(pack, sorted(codes, key=lambda code: (code != "en", code))))


def pack_for(text: str, language: str = "en") -> Language:
    """The language in which a text is told about: the one with letters of its kind, whichever `language` it is in."""
    wide = (each for each in packs() if count_cjk(text) and each.holds("about.wide"))
    return next(wide, pack(language))


def either(topic: str, **parts: str) -> str:
    """A regular expression for what any language has.

    >>> re.findall(either("words.phrases"), "何ですか"), re.findall(either("dates.past"), "It was. 終わりました")
    (['何ですか'], ['was', 'ました'])
    """
    return "|".join(filter(None, (each.pattern(topic, **parts) for each in packs())))


def words(topic: str) -> frozenset[str]:
    """The words of all languages."""
    return frozenset(word for each in packs() for word in each.words(topic))
