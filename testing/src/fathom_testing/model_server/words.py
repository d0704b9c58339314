"""What stands in a prompt, for answers that are made of nothing but its own words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from fathom.text.sentences import sentences
from fathom_testing.model_server.talk import Request

_URL = re.compile(r"https?://[^\s<>\"'`()\[\]{}]+[^\s<>\"'`()\[\]{}.,;:!?]")
_DATE = re.compile(r"\b(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])\b")
_WORD = re.compile(r"\w[\w'’-]*")
_FENCE = re.compile(r"^[ \t]*```[\w-]*[ \t]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
_PROSE = re.compile(r"[^<>{}`|\[\]\\]{25,400}[.!。！][\"'”’»)]*")
_ADDRESSED = re.compile(r"\b(?:you|your|please|must|json|respond|return|output)\b", re.IGNORECASE)
_WANTS_JSON = re.compile(
    r"\b(?:respond|return|answer|output|reply|format|provide|generate|write)\w*\b[^.\n]{0,80}"
    r"\b(?:json|list of strings|array|dictionary)\b",
    re.IGNORECASE,
)
_OPENS = re.compile(r"[\[{](?=\s*[\"{\[])")
_NEAR = 2_000
"""Characters behind the wish for JSON in which its example is looked for."""
_LOOKED_AT = 20_000
"""Characters of a text from which sentences are taken; the rest of a long one adds nothing."""
_BEGINNING = 6_000
"""Characters in which the question is looked for."""


class Words:
    """The words of a request, those of the question before others."""

    def __init__(self, request: Request) -> None:
        self._request = request

    @cached_property
    def question(self) -> str:
        """What the user wants to know: the first sentence that asks, else the first of all."""
        text = self._request.text_of("user") or self._request.text_of("system")
        found = [" ".join(text[a:b].split()) for a, b in sentences(text[:_BEGINNING])]
        asking = [re.sub(r"^[^:]{1,40}: ", "", sentence) for sentence in found if sentence.endswith(("?", "？"))]
        plain = [re.sub(r"<[^>]*>", "", sentence).strip() for sentence in [*asking, *found]]
        return next((sentence[:300] for sentence in plain if sentence), "the question")

    @cached_property
    def keywords(self) -> list[str]:
        """Words of the question that say something, longest ones first to be kept; never empty."""
        seen = dict.fromkeys(word for word in _WORD.findall(self.question) if len(word) > 3)
        return list(seen) or [self.question.split()[0]]

    @cached_property
    def sentences(self) -> list[str]:
        """Sentences of the material that share most words with the question, in order of the material; never empty.

        What tools returned counts as the material, and the user's own words when there is none.
        """
        for role in ("tool", "user", "system"):
            if found := self._prose(self._request.text_of(role)[:_LOOKED_AT]):
                wanted = {word.lower() for word in self.keywords}
                shared = [len(wanted & {word.lower() for word in _WORD.findall(sentence)}) for sentence in found]
                best = sorted(range(len(found)), key=lambda index: (-shared[index], index))[:12]
                return [found[index] for index in sorted(best)]
        return [f"Nothing is said about {' '.join(self.keywords)}."]

    @cached_property
    def urls(self) -> list[str]:
        """Every address in the messages, in order."""
        return list(dict.fromkeys(url for text in self._texts() for url in _URL.findall(text)))

    @cached_property
    def dates(self) -> list[str]:
        """Every ISO date in the messages, in order."""
        return list(dict.fromkeys(date for text in self._texts() for date in _DATE.findall(text)))

    def query(self, turn: int) -> str:
        """A search for the question; another one in each turn."""
        if turn == 0:
            return self.question[:200]
        kept = self.keywords[turn % len(self.keywords) :][:6] or self.keywords
        return " ".join([*kept, *(["details", "evidence", "overview"][turn % 3 :][:1])])

    def shown(self) -> Iterator[Any]:
        """The JSON values in fenced blocks of the instructions and the user's words, last one first."""
        for text in (self._request.text_of("user"), self._request.text_of("system")):
            for block in reversed(_FENCE.findall(text)):
                try:
                    yield json.loads(block)
                except json.JSONDecodeError:
                    continue

    def example(self) -> Any:
        """The JSON value that stands behind the words that ask for one; `None` when there is none."""
        for text in (self._request.text_of("user"), self._request.text_of("system")):
            for wish in _WANTS_JSON.finditer(text):
                for match in _OPENS.finditer(text, wish.end(), wish.end() + _NEAR):
                    try:
                        return json.JSONDecoder().raw_decode(text, match.start())[0]
                    except json.JSONDecodeError:
                        continue
        return None

    def _prose(self, text: str) -> list[str]:
        found = dict.fromkeys(" ".join(text[a:b].split()) for a, b in sentences(text))
        prose = [sentence for sentence in found if _PROSE.fullmatch(sentence)]
        return [sentence for sentence in prose if not _ADDRESSED.search(sentence)] or prose

    def _texts(self) -> list[str]:
        return [message.text for message in self._request.messages]
