"""How much two texts share, from a short signature of each: copies of one text are one source."""

from __future__ import annotations

import re
import struct
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from operator import eq
from zlib import crc32

from fathom.text.characters import count_cjk

_WORDS = 4
_CHARACTERS = 6
_FEWEST = 16
_LONGEST = 1_000_000
"""Characters that are looked at, of a text that is longer."""
_WORD = re.compile(r"\w+")
_FACTORS = struct.unpack(
    ">64I",
    bytes.fromhex(
        "aeae4e67f57976c1186d97ffd04eea0fe9efc5c922321e25269bd98dbb188dcd0f263e139500e6b906b3fff75aa5e569"
        "9c846dfb59f147e568936e37174b275949d46485f9b24c39616c3c696fa14abb2de4163ff8b9cd39c771d02b1a2b6629"
        "7a92b64b17139855ee7438b123857711fd87dbcd4d03138359d1a5cb792df247a4ab426b8807ab6b25ca9b97856d38a5"
        "a56d0341338a4a775ec0cdafe730a4e5220b933939d1fe618bb8f3c5bdec33c1a92a44a1e4a2540bc394d597c0aa5041"
        "cda80c8bec2cd1a542d50ff70e605cb7033b3b0f7556dbe3114f6c8f2321c97700c7a8d37487ad696ed0064d44f04887"
        "dd178915132e790d8c2646c56a83450d"
    ),
)
_SHIFTS = struct.unpack(
    ">64I",
    bytes.fromhex(
        "ec34527512c2478367146ac904720cc9e2310db9ef2520ad4c24defa0c26487d90ee624e252ccd34961e15602068b6d0"
        "b727321d02a7bb7e909fb774e277a82da2b3ec45fd712d7f56075fc5dd9cca7700a6c627b2085dafc68a1a2172ec3ff2"
        "316278c22ac05e71dfec55bc23eb34b3c8b812b2e5aa3d0e5025352c0ecb0ff1e7c83aa345729bbc36c2acaaf0aad980"
        "b0fa3b5dea27c4aba8667ddaf08aff54438fa73e64b8f8697190e312019d7fab94e43d769123b2fdd767bd5c9ef31709"
        "16ad6f94bfb3cf56c3d15dd3fc6970f6fbabd039d95065e9bbf45882843bbb08bb715025fbe6d5b53e56b6d42e4bcc73"
        "b2470aa54e3f679d973d27497db555b3"
    ),
)
"""Drawn at random, once: signatures that are kept are compared with new ones."""


def signature(text: str) -> str:
    """What near-copies of `text` share: 64 minima of hashes (Broder, 1997) as 512 hexadecimal digits.

    They are taken over all runs of 4 words, of mainly Chinese, Japanese or Korean text of 6 characters, whatever their
    case and what stands between them. Empty for a text with fewer than 16 such runs. Of a text of over a million
    characters, the beginning counts.
    """
    text = unicodedata.normalize("NFKC", text[:_LONGEST]).casefold()
    words = _WORD.findall(text)
    if 2 * count_cjk(text) > sum(map(len, words)):
        shingles = _shingles([ord(letter) for word in words for letter in word], _CHARACTERS)
    else:
        hashes = {word: crc32(word.encode("utf-8", "surrogatepass")) for word in set(words)}
        shingles = _shingles([hashes[word] for word in words], _WORDS)
    if len(shingles) < _FEWEST:
        return ""
    # one number holds all of them, in 64 bits each: to multiply it is a hundred times as fast as to multiply each
    count = len(shingles)
    packed = int.from_bytes(struct.pack(f"<{count}Q", *shingles), "little")
    ones = int.from_bytes(struct.pack("<Q", 1) * count, "little")
    minima = []
    for factor, shift in zip(_FACTORS, _SHIFTS, strict=True):
        halves = struct.unpack(f"<{2 * count}I", (packed * factor + ones * shift).to_bytes(8 * count, "little"))
        minima.append(min(halves[::2]))
    return struct.pack(f">{len(minima)}I", *minima).hex()


def likeness(a: str, b: str) -> float:
    """The share of runs of words that two texts have in common, 0 to 1, estimated from their signatures.

    The standard error is at most 0.06. 0 when one of the signatures is empty.

    >>> text = "The quick brown fox jumps over the lazy dog, and then " * 2 + "it sleeps until the next day begins."
    >>> likeness(signature(text), signature(text.upper())), likeness(signature(text), "")
    (1.0, 0.0)
    """
    if len(a) != len(b) or not a:
        return 0.0
    shared: int = sum(map(eq, _minima(a), _minima(b)))
    return shared * 8 / len(a)


@lru_cache(maxsize=1_024)
def _minima(signature: str) -> tuple[str, ...]:
    """Kept, because each page of a run is compared with all others, again and again."""
    return tuple(signature[at : at + 8] for at in range(0, len(signature), 8))


def _shingles(tokens: Sequence[int], length: int) -> list[int]:
    """The hash of each run of `length` tokens, in 32 bits."""
    found = []
    for at in range(len(tokens) - length + 1):
        hashed = 0
        for token in tokens[at : at + length]:
            hashed = (hashed ^ token) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
            hashed ^= hashed >> 29
        found.append(hashed >> 32)
    return found
