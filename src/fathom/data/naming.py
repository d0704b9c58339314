"""How groups, fields and filters are named in a sentence, so that a reader tells them from the rest."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from fathom.data.counting import BETWEEN, DATE
from fathom.data.periods import periods_of
from fathom.data.requests import DataRequest, Filter
from fathom.data.snapshots import one_line, value_text
from fathom.languages.packs import pack, words
from fathom.text.analysis import stem
from fathom.text.characters import count_cjk
from fathom.text.numbers import MONTHS, NUMBER_WORDS
from fathom.text.stopwords import FUNCTION_WORDS


def stems(text: str) -> frozenset[str]:
    """The stems of English words, and the words themselves."""
    return frozenset(part for word in text.split() for part in (word, stem(word)))


TALLYING = NUMBER_WORDS | FUNCTION_WORDS["en"] | stems(" ".join(words("tally.words")))
"""Stems of English words that a question on counts has as well as a sentence that answers it."""
_DATED = MONTHS | frozenset("may mar the".split())
_SAID = TALLYING | _DATED | stems(" ".join(words("tally.told")))
_OPENING = FUNCTION_WORDS["en"] | _DATED | words("tally.opening")
"""Those that begin a sentence, or are part of a date, and are not told from a name by their first letter."""
_PLAIN = re.compile(r"[^\W\d_][^\W_]*(?:(?:[ .+&/-]|\.js\b| & )[^\W_]+){0,5}")


def folded(text: str) -> str:
    """A text so that two ways to write the same are the same: width, quotation marks and spaces; its case is kept."""
    return unicodedata.normalize("NFKC", one_line(unicodedata.normalize("NFKC", text))).translate(_TYPOGRAPHY)


_TYPOGRAPHY = str.maketrans(
    {
        **dict.fromkeys("‘’`´′", "'"),
        **dict.fromkeys("“”„«»″「」『』", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "〜": "~",
        "\u00ad": None,
        "\u200b": None,
    }
)


def without_note(value: str) -> str:
    """A value as it is called: without what stands behind it in brackets.

    >>> without_note("Alejandro Valverde (ESP)"), without_note("(none)")
    ('Alejandro Valverde', '(none)')
    """
    return re.sub(r"(?<=\S)\s*[(\[][^()\[\]]*[)\]]$", "", value.strip())


def is_plain(label: str) -> bool:
    """Whether a name can stand in a sentence without quotation marks and be told from the words around it.

    >>> is_plain("Cloud Computing"), is_plain("Data"), is_plain("2024-03"), is_plain("most"), is_plain("50")
    (True, True, True, False, False)
    """
    label = folded(label)
    if DATE.fullmatch(label):
        return 1_000 <= int(label[:4]) <= 2_999
    parts = label.split(BETWEEN)
    return all(DATE.fullmatch(part) is not None or _is_plain_word(part) for part in parts)


def _is_plain_word(label: str) -> bool:
    if not _PLAIN.fullmatch(label) or count_cjk(label):
        return False
    said = re.findall(r"[^\W_]+", label)
    ordinary = [word for word in said if counts(word.casefold())]
    if any(word.casefold() in _OPENING or not word[0].isupper() for word in ordinary):
        return False
    return not ordinary or len(said) == 1 or len(ordinary) < len(said)


def counts(word: str) -> bool:
    """Whether a sentence on counts may use an English word without saying more than the counts do."""
    return word in _SAID or stem(word) in _SAID


def named(label: str, language: str, *, plain: bool = True) -> str:
    """A name as a sentence has it: in quotation marks unless it can stand without; without `plain` in any case."""
    if DATE.fullmatch(label) and is_plain(label):
        return label
    return (
        label if plain and pack(language).says("conditions")["plain"] and is_plain(label) else quoted(label, language)
    )


def quoted(text: str, language: str) -> str:
    """A text in quotation marks."""
    return str(pack(language).says("conditions")["name"].format(text.translate(_INNER)))


_INNER = str.maketrans(dict.fromkeys('“”„«»「」『』"″', "'"))


def enumerated(names: Sequence[str], language: str) -> str:
    """Names in a row.

    >>> enumerated(["AI", "Cloud", "Security"], "en"), enumerated(["AI", "Cloud"], "ja")
    ('AI, Cloud and Security', 'AI、Cloud')
    """
    says = pack(language).says("conditions")
    return str(says["joins"].join([says["comma"].join(names[:-1]), names[-1]] if len(names) > 1 else names))


_SIMPLE = re.compile(r"[^\W_]+(?:[ -][^\W_]+)*")
"""A value that needs no quotation marks behind a sign."""
SIGNS = {"eq": "=", "ne": "≠", "in": "=", "not_in": "≠", "gt": ">", "gte": "≥", "lt": "<", "lte": "≤"}


def condition(given: Filter, language: str) -> str:
    """A filter in a few words.

    >>> condition(Filter(field="country", value="India"), "en"), condition(Filter(field="n", op="gte", value=3), "ja")
    ('country = India', 'n ≥ 3')
    """
    says, field, said = pack(language).says("conditions"), one_line(given.field), _said(given, language)
    if given.op in ("is_null", "not_null") or not said:
        return str(says["given" if given.op == "not_null" else "not_given"].format(field=field))
    values = says["alternatives"].join(said)
    if given.op == "contains":
        return str(says["contains"].format(field=field, values=values))
    return f"{field} {SIGNS[given.op]} {values}"


def _said(given: Filter, language: str) -> list[str]:
    """The values of a filter; what is looked for in a text always stands in quotation marks."""
    values = given.value if isinstance(given.value, tuple) else (given.value,)
    if given.op == "contains":
        return [quoted(value_text(value), language) for value in values if value is not None]
    return [_value(value, language) for value in values if value is not None]


def _value(value: str | int | float | bool, language: str) -> str:
    text = value_text(value)
    marked = pack(language).says("conditions")["marked"] and isinstance(value, str) and not _SIMPLE.fullmatch(text)
    return named(text, language) if marked else text


def all_conditions(request: DataRequest, language: str) -> list[str]:
    """What the records are that match, one by one; the days from both sides as one."""
    says = pack(language).says("conditions")
    said = [
        says["period"].format(field=one_line(given.field), period=period.said(language))
        if period
        else condition(given, language)
        for period, given in periods_of(request.filters)
    ]
    return [*said, says["text"].format(quoted(one_line(request.text), language))] if request.text else said


def conditions(request: DataRequest, language: str) -> str:
    """What the records are that match; empty when nothing was asked of them.

    >>> held = (Filter(field="country", value="India"), Filter(field="day", op="gte", value="2024-01-01"))
    >>> conditions(DataRequest(filters=held), "en")
    'country = India and day since 2024'
    """
    return enumerated(all_conditions(request, language), language)


def in_short(request: DataRequest, language: str) -> str:
    """Several conditions by their values alone, as behind a name in brackets; empty where these would not be clear.

    >>> held = (Filter(field="country", value="India"), Filter(field="day", op="gte", value="2024-01-01"))
    >>> in_short(DataRequest(filters=held), "en"), in_short(DataRequest(filters=held[:1]), "en")
    ('India, since 2024', '')
    """
    says = pack(language).says("conditions")
    said: list[str] = []
    dated = 0
    for period, given in periods_of(request.filters):
        if period is not None:
            dated += 1
            said.append(period.short(language))
        elif given.op in ("eq", "in") and all(isinstance(each, str) and is_word(each) for each in _values_of(given)):
            said.append(says["alternatives"].join(_said(given, language)))
        else:
            said.append(condition(given, language))
    if request.text:
        said.append(quoted(one_line(request.text), language))
    return str(says["comma"].join(said)) if len(said) > 1 and dated < 2 else ""


def _values_of(given: Filter) -> tuple[object, ...]:
    return given.value if isinstance(given.value, tuple) else (given.value,)


def is_word(text: str) -> bool:
    """Whether a value is a name and tells by itself what it is the value of: no number, no sign."""
    return bool(re.search(r"[^\W\d_]{2}", text)) and not re.fullmatch(
        r"(?i)true|false|yes|no|none|null|n/a", text.strip()
    )
