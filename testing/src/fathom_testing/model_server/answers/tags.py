"""Reads the material of Fathom's prompts back: tags, their attributes and their texts."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass

_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')


@dataclass(frozen=True)
class Tag:
    """An element of the material."""

    attributes: Mapping[str, str]
    """Unescaped."""
    inner: str
    """What stands between its tags, escaped as it came."""
    start: int
    """Where it begins in the prompt."""
    end: int
    """Where it ends."""

    @property
    def id(self) -> int:
        """The number that it is cited by."""
        return int(self.attributes["id"])

    @property
    def text(self) -> str:
        """What it says, without the elements in it."""
        return html.unescape(re.sub(r"<(\w+)[^>]*>.*?</\1>", "", self.inner, flags=re.DOTALL)).strip()


def tags(material: str, name: str) -> list[Tag]:
    """Every element of that name, in order; one that holds another of its name is not foreseen."""
    found = re.finditer(rf"<{name}((?:\s[^<>]*)?)>(.*?)</{name}>", material, re.DOTALL)
    return [
        Tag({key: html.unescape(value) for key, value in _ATTRIBUTE.findall(each[1])}, each[2], *each.span())
        for each in found
    ]


def text_of(material: str, name: str) -> str:
    """The text of the first element of that name; empty without one."""
    return next((tag.text for tag in tags(material, name)), "")
