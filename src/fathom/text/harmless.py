"""Makes text from outside harmless where it is shown: on a terminal, in a message, in a file's name."""

from __future__ import annotations

import re
import unicodedata

_KEPT = "\u200c\u200d"  # joiners, which scripts and emoji need
_REMOVED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_BETWEEN = re.compile(r"_|(?<=[ぁ-ん])(?=[^ぁ-ん_])")
"""Where a name may be cut."""
_PARTICLES = re.compile(r"(?<=[^ぁ-ん])[のはをがにでとへもや]+$")


def inert(text: str, *, width: int | None = None) -> str:
    """`text` on one line that cannot steer a terminal, cut to `width` characters.

    Control characters, the first byte of escape sequences, marks that turn the direction of writing and lone
    surrogates go.

    >>> inert("red \\x1b[31malert\\x07\\nnext")
    'red [31malert next'
    """
    text = " ".join(text.translate(dict.fromkeys(_steering(text), " ")).split())
    return text if width is None or len(text) <= width else text[: max(width - 1, 0)] + "…"


def inert_lines(text: str) -> str:
    """The same for text of several lines, whose breaks and indentation stay.

    >>> inert_lines("# One\\n\\n\\ttwo\\x1b]0;title\\x07")
    '# One\\n\\n\\ttwo]0;title'
    """
    return text.translate(dict.fromkeys(_steering(text) - {ord("\n"), ord("\t")}))


def file_name(text: str, *, length: int = 60) -> str:
    """`text` as a part of a file's name: its letters and digits, of any language, joined by `_`.

    At most `length` characters and half as many bytes again, cut between two words, in Japanese where hiragana end and
    without the particles before; never empty.

    >>> file_name("What is MVCC?  And: ../../etc/passwd"), file_name("型ヒントとは？"), file_name("?!")
    ('What_is_MVCC_And_etc_passwd', '型ヒントとは', 'question')
    >>> file_name("What is MVCC?", length=10), file_name("量子コンピュータの誤り訂正の現状", length=28)
    ('What_is', '量子コンピュータの誤り訂正')
    """
    letters = (char if unicodedata.category(char)[0] in "LMN" else " " for char in unicodedata.normalize("NFKC", text))
    words = "_".join("".join(letters).split())
    end = min(len(words), length)
    while len(words[:end].encode("utf-8", "replace")) > 1.5 * length:
        end -= 1
    between = [at.start() for at in _BETWEEN.finditer(words) if 0 < at.start() <= end]
    kept = words if end == len(words) else _PARTICLES.sub("", words[: between[-1] if between else end])
    return kept.strip("_") or "question"


def _steering(text: str) -> set[int]:
    """The characters that are not harmless; each is looked at once, however often it comes."""
    return {ord(char) for char in set(text).difference(_KEPT) if unicodedata.category(char) in _REMOVED}
