"""How groups, fields and filters are named in a sentence, so that a reader and the check tell them from the rest."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from fathom.data.counting import BETWEEN, DATE
from fathom.data.periods import periods_of
from fathom.data.requests import DataRequest, Filter
from fathom.data.snapshots import one_line, value_text
from fathom.text.characters import count_cjk
from fathom.text.numbers import MONTHS
from fathom.text.stopwords import FUNCTION_WORDS

COUNTING_WORDS = frozenset(
    """
    record records event events entry entries item items row rows document documents case cases result results
    observation observations dataset datasets data table database group groups category categories value values bucket
    theme themes kind kinds type types class classes topic topics field fields step steps time times date dates period
    periods year years month months week weeks day days hour hours quarter quarters half halves count counts counted
    number numbers figure figures amount share shares percent percentage percentages per cent cents point points
    proportion portion part parts fraction ratio factor rank ranks ranked ranking rankings place places position
    positions total totals totalling totaling totaled totalled sum sums summed overall altogether together combined
    jointly joint average averages averaged mean means median medians minimum maximum min max range ranges ranging
    lead leads leading leader led top tops topped topping first second third fourth fifth sixth seventh eighth ninth
    tenth last latest earliest final initial begin begins beginning began start starts started starting end ends ended
    ending most more many much few fewer fewest less least only sole single lone large larger largest big bigger
    biggest great greater greatest high higher highest low lower lowest small smaller smallest common commonest
    frequent frequently rare rarer rarest often main major dominant dominate dominates dominated peak peaks peaked
    peaking exceed exceeds exceeded exceeding outnumber outnumbers outnumbered surpass surpasses surpassed overtake
    overtakes overtook trail trails trailed trailing follow follows followed following ahead behind beat beats next
    after before than compared comparison versus vs against contrast twice double doubles doubled doubling triple
    triples tripled quadruple quadrupled halve halved halving thrice fold none nothing zero one two three four five six
    seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty
    fifty sixty seventy eighty ninety dozen dozens hundred hundreds thousand thousands million millions billion billions
    thirds quarters fifths tenths tie ties tied tying equal equals equally equalled even evenly same similar alike joint
    each both all every respectively rise rises rising rose risen grow grows growing grew grown growth increase
    increases increased increasing gain gains gained climb climbs climbed climbing jump jumps jumped surge surges surged
    soar soared expand expanded up upward fall falls falling fell fallen drop drops dropped dropping decline declines
    declined declining decrease decreases decreased decreasing shrink shrinks shrank shrunk sink sank sunk slump slumped
    reduce reduced reduction loss lost down downward change changes changed changing difference differences differ
    differs gap gaps margin trend trends steady steadily continuously stable unchanged constant constantly flat remain
    remains remained about around roughly nearly almost approximately approx some circa just slightly well over under
    above below least exactly precisely within between among amongst across make makes making made account accounts
    accounted accounting represent represents represented constitute constitutes comprise comprises contain contains
    contained include includes included including cover covers covered hold holds held holding have has having had
    show shows showed shown see sees saw seen record recorded recorded reach reaches reached reaching come comes came
    coming follow give gives given come stand stands stood standing fall falls register registered registers match
    matches matched matching list listed lists filter filtered belong belongs concern concerns concerned relate relates
    related fit took take takes taken place occur occurs occurred happen happened happens there here majority minority
    bulk plurality respective other others further rest remaining another different distinct unique various missing
    without values value no not none nor unlisted distribution distributed spread concentrated concentration outlier
    stand stands out unusual unusually namely i.e. thus hence overall while whereas whilst although though but however
    meanwhile also too still yet then followed plus out x times fold median largest
    """.split()
)
"""English words that a sentence on counts may use without saying more than the counts do."""
_ORDINARY = COUNTING_WORDS | FUNCTION_WORDS["en"] | MONTHS | frozenset("may mar the".split())
_OPENING = FUNCTION_WORDS["en"] | MONTHS | frozenset("may mar the of among all no none not between without".split())
"""Those that begin a sentence, or are part of a date, and are not told from a name by their first letter."""
_PLAIN = re.compile(r"[^\W\d_][^\W_]*(?:(?:[ .+&/-]|\.js\b| & )[^\W_]+){0,5}")


def folded(text: str) -> str:
    """A text so that two ways to write the same are the same: width, quotation marks and spaces; its case is kept."""
    text = unicodedata.normalize("NFKC", one_line(unicodedata.normalize("NFKC", text)))
    return _PRIVATE.sub("\ufffd", text).translate(_TYPOGRAPHY)


_PRIVATE = re.compile("[\ue000-\uf8ff\ufdd0-\ufdef]")
"""Characters that mean nothing to anybody else; the check of figures marks names with them."""
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
    words = re.findall(r"[^\W_]+", label)
    ordinary = [word for word in words if word.casefold() in _ORDINARY]
    if any(word.casefold() in _OPENING or not word[0].isupper() for word in ordinary):
        return False
    return not ordinary or len(words) == 1 or len(ordinary) < len(words)


def is_ordinary(name: str) -> bool:
    """Whether a name is made of words that a sentence on counts uses anyway."""
    words = re.findall(r"[^\W_]+", name.casefold())
    return bool(words) and all(word in _ORDINARY for word in words)


def named(label: str, language: str, *, plain: bool = True) -> str:
    """A name as a sentence has it: in quotation marks unless it can stand without; without `plain` in any case."""
    if DATE.fullmatch(label) and is_plain(label):
        return label
    return label if language != "ja" and plain and is_plain(label) else quoted(label, language)


def quoted(text: str, language: str) -> str:
    """A text in quotation marks."""
    return f"「{text.translate(_INNER)}」" if language == "ja" else f"“{text.translate(_INNER)}”"


_INNER = str.maketrans(dict.fromkeys('“”„«»「」『』"″', "'"))


def enumerated(names: Sequence[str], language: str) -> str:
    """Names in a row.

    >>> enumerated(["AI", "Cloud", "Security"], "en"), enumerated(["AI", "Cloud"], "ja")
    ('AI, Cloud and Security', 'AI、Cloud')
    """
    if language == "ja":
        return "、".join(names)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


_SIMPLE = re.compile(r"[^\W_]+(?:[ -][^\W_]+)*")
"""A value that needs no quotation marks behind a sign."""
_SIGNS = {"eq": "=", "ne": "≠", "in": "=", "not_in": "≠", "gt": ">", "gte": "≥", "lt": "<", "lte": "≤"}


def condition(given: Filter, language: str) -> str:
    """A filter in a few words.

    >>> condition(Filter(field="country", value="India"), "en"), condition(Filter(field="n", op="gte", value=3), "ja")
    ('country = India', 'n ≥ 3')
    """
    field = one_line(given.field)
    said = _said(given, language)
    if language == "ja":
        said_all = "または".join(said)
        if given.op in ("is_null", "not_null") or not said:
            return f"{field}が{'ある' if given.op == 'not_null' else 'ない'}"
        if given.op == "contains":
            return f"{field}に{said_all}を含む"
        return f"{field} {_SIGNS[given.op]} {said_all}"
    if given.op in ("is_null", "not_null") or not said:
        return f"{field} {'given' if given.op == 'not_null' else 'not given'}"
    if given.op == "contains":
        return f"{' or '.join(said)} in {field}"
    return f"{field} {_SIGNS[given.op]} {' or '.join(said)}"


def _said(given: Filter, language: str) -> list[str]:
    """The values of a filter; what is looked for in a text always stands in quotation marks."""
    values = given.value if isinstance(given.value, tuple) else (given.value,)
    if given.op == "contains":
        return [quoted(value_text(value), language) for value in values if value is not None]
    return [_value(value, language) for value in values if value is not None]


def _value(value: str | int | float | bool, language: str) -> str:
    text = value_text(value)
    return text if language == "ja" or not isinstance(value, str) or _SIMPLE.fullmatch(text) else named(text, language)


def all_conditions(request: DataRequest, language: str) -> list[str]:
    """What the records are that match, one by one; the days from both sides as one."""
    said = []
    for period, given in periods_of(request.filters):
        between = "が" if language == "ja" else " "
        said.append(
            f"{one_line(given.field)}{between}{period.said(language)}" if period else condition(given, language)
        )
    if request.text:
        text = quoted(one_line(request.text), language)
        said.append(f"{text}を含む" if language == "ja" else f"{text} in their text")
    return said


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
    said: list[str] = []
    dated = 0
    for period, given in periods_of(request.filters):
        if period is not None:
            dated += 1
            said.append(period.short(language))
        elif given.op in ("eq", "in") and all(isinstance(each, str) and is_word(each) for each in _values_of(given)):
            said.append(("または" if language == "ja" else " or ").join(_said(given, language)))
        else:
            said.append(condition(given, language))
    if request.text:
        said.append(quoted(one_line(request.text), language))
    return ("、" if language == "ja" else ", ").join(said) if len(said) > 1 and dated < 2 else ""


def _values_of(given: Filter) -> tuple[object, ...]:
    return given.value if isinstance(given.value, tuple) else (given.value,)


def is_word(text: str) -> bool:
    """Whether a value is a name and tells by itself what it is the value of: no number, no sign."""
    return bool(re.search(r"[^\W\d_]{2}", text)) and not re.fullmatch(
        r"(?i)true|false|yes|no|none|null|n/a", text.strip()
    )
