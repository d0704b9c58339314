"""The characters of Chinese, Japanese and Korean, as ranges for regular expressions."""

from __future__ import annotations

import re

HIRAGANA = "\u3041-\u309f"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
CJK = HIRAGANA + KATAKANA + HAN + HANGUL

_CJK = re.compile(f"[{CJK}]")


def is_cjk(char: str) -> bool:
    """Whether `char` is a Chinese, Japanese or Korean letter, as against punctuation or another script.

    >>> is_cjk("表"), is_cjk("カ"), is_cjk("한"), is_cjk("。"), is_cjk("a")
    (True, True, True, False, False)
    """
    return _CJK.match(char) is not None


def count_cjk(text: str) -> int:
    """How many Chinese, Japanese and Korean letters `text` holds."""
    return 0 if text.isascii() else len(_CJK.findall(text))
