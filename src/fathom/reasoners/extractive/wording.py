"""What the words of a sentence tell about whether it can stand alone."""

from __future__ import annotations

import re

from fathom.text.display import word_count
from fathom.text.stopwords import ENGLISH_STOP_WORDS

_VERB = (
    r"(?:is|are|was|were|can|cannot|could|will|would|may|might|must|should|has|have|had|does|do|did|means?|makes?|allows?"
    r"|causes?|happens?|works?|applies|includes?|requires?|needs?|takes?|gives?|lets?|holds?|returns?|uses?|provides?"
    r"|ensures?|prevents?|implies|results?|leads?|becomes?|remains?|depends?|avoids?|helps?|in\s+turn"
    r"|(?:is|are|does|do|wo|ca)n't)"
)
_ADVERB = r"(?:(?:also|usually|often|only|still|then|therefore|always|never|generally|typically|normally)\s+)?"
_DANGLING = re.compile(
    rf"""^\W*(?:
      (?:it|they|he|she|these|those|this|that)\s+{_ADVERB}{_VERB}\b
    | (?:it'?s|they're)\b
    | (?:his|her|their|its)\s
    | in\s+(?:this|that|such|these|those|either|both)\s+(?:case|situation|event|way|mode|respect)s?\b
    | (?:otherwise|instead|thus|hence|therefore|consequently|as\s+a\s+result|for\s+this\s+reason|because\s+of\s+this
        |conversely|in\s+contrast|on\s+the\s+other\s+hand|however|but|and|or|so|nevertheless|then|to\s+do\s+(?:so|this|that)
        |if\s+(?:so|not)|the\s+(?:former|latter)|doing\s+(?:so|this))\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_ITS_OWN_IT = re.compile(
    r"^\W*it\s+(?:is|was|(?:can|may|might|would)\s+be)\s+(?:\w+\s+)?(?:possible|necessary|important|recommended|good|bad|best"
    r"|useful|safe|usually|often|advisable|wise|an?\s+error|common|easy|better|unwise|legal|illegal|sometimes)\b",
    re.IGNORECASE,
)
_DANGLING_WIDE = re.compile(
    r"^[「『（(]?(?:それ|これ|その|この|そう|こう|あれ|彼|しかし|したがって|よって|そのため|このため|そこで|一方|つまり|すなわち|逆に)"
)
_WIDE_MIDDLE = re.compile(r"^(?:を|[やがはにのとでも]\s|[、。])")
_POINTER = re.compile(
    r"""^\W*(?:
      (?:please\s+)?(?:see|refer\s+to|consult|cf\.?)\b
    | for\s+(?:more|further|additional|full|complete)?\s*(?:information|details?|examples?)\b.{0,60}\bsee\b
    | (?:changed|new|added|deprecated|removed)\s+(?:in|since)\s+version
    | (?:this|the\s+following)\s+(?:section|chapter|page|document|table|example|figure|list|paragraph)s?
        \s+(?:\w+\s+)?(?:describes?|discusses?|explains?|shows?|lists?|gives?|covers?|provides?|contains?)
    | (?:additional|more|further|detailed)\s+information\b.{0,80}\b(?:found|available|see)\b
    | here\s+(?:is|are)\b | copyright\b | © | (?:note|tip|warning)\W*$ | バージョン\s*[\d.]+\s*で(?:変更|追加)
    )
    | (?:を|も)(?:参照|ご覧)(?:して|に)?(?:ください|下さい|のこと)?。?$
    | (?:ここに|以下に|次に).{0,40}(?:示します|示す|挙げます|説明します)。?$
    | \bare\s+(?:listed|shown|described|discussed|given)\s+(?:below|in)\b.{0,60}$""",
    re.IGNORECASE | re.VERBOSE,
)
_ENDS = re.compile(r"[.!?。！？…][\"'”’)\]」』）]*$")
_ANNOUNCES = re.compile(
    r"(?:follows?|following(?:\s+\S+){0,3}|below|examples?|like\s+this|e\.g|is|are|be|this|these|に示す|次の\S{0,6}|以下\S{0,8}|例|ように|とおり|通り)\W*$",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]")
_ANNOUNCEMENT_WORDS = 8


def dangles(claim: str) -> bool:
    """Whether a sentence begins with a word that only the sentence before explains.

    >>> dangles("It is disabled."), dangles("It is possible to disable it."), dangles("This parameter is off.")
    (True, False, False)
    """
    if not claim.isascii() and _DANGLING_WIDE.match(claim):
        return True
    return bool(_DANGLING.match(claim)) and not _ITS_OWN_IT.match(claim)


def points_elsewhere(claim: str) -> bool:
    """Whether a sentence only says where to read, or that something changed in a version."""
    return bool(_POINTER.search(claim))


def goes_on(claim: str) -> bool:
    """Whether a text begins in the middle of a sentence, as behind a block of code.

    >>> goes_on("to reset the head to another commit."), goes_on("fsync is a setting.")
    (True, False)
    """
    if _WIDE_MIDDLE.match(claim):
        return True
    first = claim.split(" ", 1)[0]
    return first.islower() and first.strip(",;:") in ENGLISH_STOP_WORDS


def is_whole(claim: str) -> bool:
    """Whether a text ends as a sentence ends, and asks nothing."""
    return bool(_ENDS.search(claim)) and not claim.endswith(("?", "？"))


def is_text(claim: str) -> bool:
    """Whether most of it is letters."""
    return len(_LETTERS.findall(claim)) >= 0.4 * len(claim.replace(" ", ""))


def states_before_colon(claim: str) -> bool:
    """Whether a sentence that ends in a colon says something besides that something follows.

    >>> states_before_colon("The simplest way to remove old data is to drop the partition:")
    True
    >>> states_before_colon("The complete list of all of the options is as follows:")
    False
    """
    core = claim.rstrip(":： ")
    return word_count(core) >= _ANNOUNCEMENT_WORDS and not _ANNOUNCES.search(core)
