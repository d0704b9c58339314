"""How groups, fields and filters are named in a sentence, so that a reader and the check tell them from the rest."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from fathom.data.counting import DATE
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
_PLAIN = re.compile(r"[^\W\d_][^\W_]*(?:(?:[ .+&/-]|\.js\b| & )[^\W_]+){0,5}")


def folded(text: str) -> str:
    """A text so that two ways to write the same are the same: width, quotation marks and spaces; its case is kept."""
    text = unicodedata.normalize("NFKC", one_line(unicodedata.normalize("NFKC", text)))
    return text.translate(_TYPOGRAPHY)


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

    >>> is_plain("Cloud Computing"), is_plain("2024-03"), is_plain("most"), is_plain("50")
    (True, True, False, False)
    """
    label = folded(label)
    if DATE.fullmatch(label):
        return 1_000 <= int(label[:4]) <= 2_999
    if not _PLAIN.fullmatch(label) or count_cjk(label):
        return False
    return not _ORDINARY.intersection(re.findall(r"[^\W_]+", label.casefold()))


def is_ordinary(name: str) -> bool:
    """Whether a name is made of words that a sentence on counts uses anyway."""
    words = re.findall(r"[^\W_]+", name.casefold())
    return bool(words) and all(word in _ORDINARY for word in words)


def named(label: str, language: str) -> str:
    """A name as a sentence has it: in quotation marks unless it can stand without."""
    if DATE.fullmatch(label) and is_plain(label):
        return label
    if language == "ja":
        return f"「{label.translate(_INNER)}」"
    return label if is_plain(label) else f"“{label.translate(_INNER)}”"


_INNER = str.maketrans(dict.fromkeys('“”„«»「」『』"″', "'"))


def enumerated(names: Sequence[str], language: str) -> str:
    """Names in a row.

    >>> enumerated(["AI", "Cloud", "Security"], "en"), enumerated(["AI", "Cloud"], "ja")
    ('AI, Cloud and Security', 'AI、Cloud')
    """
    if language == "ja":
        return "、".join(names)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


_SIGNS = {"eq": "=", "ne": "≠", "in": "=", "not_in": "≠", "gt": ">", "gte": "≥", "lt": "<", "lte": "≤"}


def condition(given: Filter, language: str) -> str:
    """A filter in a few words.

    >>> condition(Filter(field="country", value="India"), "en"), condition(Filter(field="n", op="gte", value=3), "ja")
    ('country = India', 'n ≥ 3')
    """
    field = one_line(given.field)
    values = given.value if isinstance(given.value, tuple) else (given.value,)
    said = [_value(value, language) for value in values if value is not None]
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
        return f"{field} containing {' or '.join(said)}"
    return f"{field} {_SIGNS[given.op]} {' or '.join(said)}"


def _value(value: str | int | float | bool, language: str) -> str:
    text = value_text(value)
    return named(text, language) if isinstance(value, str) and language != "ja" else text


def conditions(request: DataRequest, language: str) -> str:
    """What the records are that match; empty when nothing was asked of them."""
    said = [condition(each, language) for each in request.filters]
    if request.text:
        text = one_line(request.text).translate(_INNER)
        said.append(f"「{text}」を含む" if language == "ja" else f"“{text}” in their text")
    return ("、" if language == "ja" else " and ").join(said)
