"""The texts that were needed last, so that a search need not unpack a document for every passage."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock


class TextCache:
    """Texts by their digest, at most so many characters of them, and always the last one."""

    def __init__(self, characters: int) -> None:
        self._most = characters
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._length = 0
        self._lock = Lock()

    def get(self, sha256: str, read: Callable[[], str]) -> str:
        """The text of that digest, which `read` gives when it is not here."""
        with self._lock:
            if sha256 in self._texts:
                self._texts.move_to_end(sha256)
                return self._texts[sha256]
        text = read()
        with self._lock:
            if sha256 not in self._texts:
                self._texts[sha256] = text
                self._length += len(text)
            while self._length > self._most and len(self._texts) > 1:
                self._length -= len(self._texts.popitem(last=False)[1])
        return text
