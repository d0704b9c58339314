"""The form that an answer has: a person for `who`, a date for `when`, a number for `how many`."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PERSON = re.compile(
    r"\b(?:[A-Z][a-z'’]+|[A-Z]\.)(?:\s(?:van|von|de|der|da|al|bin|[A-Z]\.))*\s[A-Z][a-z'’]+\b"
    r"|[一-龯々]{2}(?:氏|さん|博士|教授)|(?:によ(?:る|り|って)|が)(?:設計|発見|発明|建設|創業|作|書)"
)
_DATE = re.compile(
    r"\b(?:1[0-9]|20|21)\d\d\b|(?:1[0-9]|20|21)\d\d年|\d月\d|世紀|\bcentury\b|(?:昭和|平成|令和|大正|明治)\d"
)
_NUMBER = re.compile(r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand|million)\b")
_FORMS = (
    (re.compile(r"\b(?:who|whom|by\s+whom)\b|誰|だれ", re.IGNORECASE), _PERSON),
    (re.compile(r"\b(?:when|(?:what|which)\s+(?:year|day|date))\b|いつ|何年|何月", re.IGNORECASE), _DATE),
    (
        re.compile(
            r"\bhow\s+(?:many|much|long|high|tall|deep|far|fast|old|large|big|heavy|wide|hot|cold)\b"
            r"|いくら|いくつ|どれくらい|どのくらい|何(?:人|台|メートル|キロ|本|個|回|時間|パーセント|円|度|歳|か月|日)",
            re.IGNORECASE,
        ),
        _NUMBER,
    ),
)


def has_form(claim: str, asked: str, *, names: Iterable[str] = ()) -> bool:
    """Whether a sentence holds what the question asks for by its asking word, besides the names of the question.

    >>> has_form("It was first made by Olga Quenor.", "Who discovered it?"), has_form("It is red.", "How high is it?")
    (True, False)
    """
    for name in names:
        claim = claim.replace(name, " ")
    return any(asking.search(asked) and form.search(claim) for asking, form in _FORMS)
