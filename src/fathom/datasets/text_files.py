"""Text in any encoding, compressed or not, as UTF-8."""

from __future__ import annotations

import gzip
import re
from codecs import getincrementaldecoder
from pathlib import Path
from typing import IO, cast

from fathom.datasets.relation import linked
from fathom.errors import Unreadable
from fathom.reading.document import decode
from fathom.text.characters import HAN, HIRAGANA, KATAKANA

_MOST_DECODED = 256 * 1024 * 1024
"""Bytes of a text that may be in another encoding than UTF-8: it is held in memory."""
_SURELY_READ = 1024 * 1024 * 1024
"""Bytes that a compressed file may unpack to, however small it is."""
_MOST_PACKED = 200
"""How many times as large it may become beyond that: tables become 5 to 50 times as large, bombs 1,000 times."""
_SHORT = 4_000  # bytes
_KANA = re.compile(f"[{HIRAGANA}{KATAKANA}]")
_IDEOGRAPH = re.compile(f"[{HAN}]")


def opened(path: Path) -> IO[bytes]:
    """The bytes of the file, unpacked."""
    return cast("IO[bytes]", gzip.open(path, "rb")) if path.suffix.lower() == ".gz" else path.open("rb")


def as_utf8(path: Path, scratch: Path) -> Path:
    """The file, or a copy of it in UTF-8.

    Raises:
        Unreadable: it is not text.
    """
    decoder = getincrementaldecoder("utf-8")()
    most, size = max(_SURELY_READ, _MOST_PACKED * path.stat().st_size), 0
    try:
        with opened(path) as file:
            first = file.read(3)
            fits = not first.startswith((b"\xff\xfe", b"\xfe\xff"))
            decoder.decode(first) if fits else None
            while fits and (chunk := file.read(1 << 20)):
                if b"\x00" in chunk:
                    raise Unreadable("it is a binary file")
                if (size := size + len(chunk)) > most and path.suffix.lower() == ".gz":
                    raise Unreadable("it unpacks to far more than a table does: unpack it yourself")
                decoder.decode(chunk)
            if fits:
                decoder.decode(b"", final=True)
                return linked(path, scratch)
    except UnicodeDecodeError:
        fits = False
    except (EOFError, gzip.BadGzipFile) as error:
        raise Unreadable("it is compressed, and damaged") from error
    with opened(path) as file:
        data = file.read(_MOST_DECODED + 1)
    if len(data) > _MOST_DECODED:
        raise Unreadable("it is larger than 256 MB and not in UTF-8: convert it")
    scratch.write_text(_decoded(data), encoding="utf-8", newline="")
    return scratch


def _decoded(data: bytes) -> str:
    """The text of `data`. A short table in Japanese may hold no kana, by which others are told: ideographs do here."""
    text = decode(data).removeprefix("\ufeff")
    if len(data) > _SHORT or _KANA.search(text):
        return text
    best = (0.5, text)
    for encoding in ("cp932", "euc_jp"):
        try:
            japanese = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        foreign = sum(not char.isascii() for char in japanese)
        best = max(best, (len(_IDEOGRAPH.findall(japanese)) / max(foreign, 1), japanese), key=lambda each: each[0])
    return best[1]
