"""What the words of a sentence tell about whether it can stand alone."""

from __future__ import annotations

import re

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
_DANGLING_ELSEWHERE = re.compile(
    r"""^\W*(?:
      (?:dies|er|dabei|dazu|dafür|damit|danach|dann|daher|deshalb|deswegen|somit|folglich|sonst
        |andernfalls|stattdessen|trotzdem|jedoch|allerdings|außerdem|hier(?:zu|für|bei|mit|durch|von)|in\s+diese[mnr]\s+\w+)
      | (?:il(?!\s+(?:faut|y\s|n['’]y\s|est\s+(?:interdit|possible|nécessaire|recommandé|conseillé|utile)\b))
        |elle|ils|elles|ceux-ci|celles?-ci|celui-ci|cela|ceci
        |dans\s+ce(?:t|tte)?\s+\w+|sinon|donc|ainsi|alors|toutefois
        |cependant|en\s+revanche|de\s+plus|pour\s+cela|à\s+défaut)
      | (?:ést[aeo]s?|esto|eso|en\s+(?:este|ese|tal)\s+\w+|si\s+no|por\s+(?:eso|ello|tanto)|entonces|además
        |sin\s+embargo)
    )\s""",
    re.IGNORECASE | re.VERBOSE,
)
_POINTING = re.compile(
    r"^\W*(?:this|these|those|such|diese[mnrs]?|jene[mnrs]?|cet(?:te)?|ces?|est[aeo]s?)\b", re.IGNORECASE
)
_LETTERS = re.compile(r"[^\W\d_]")


def dangles(claim: str) -> bool:
    """Whether a sentence begins with a word that only the sentence before explains.

    >>> dangles("It is disabled."), dangles("It is possible to disable it."), dangles("This parameter is off.")
    (True, False, False)
    >>> dangles("Dann wird sie gesperrt."), dangles("Il faut la vider."), dangles("Elle est vidée.")
    (True, False, True)
    """
    if not claim.isascii() and _DANGLING_WIDE.match(claim):
        return True
    return bool(_DANGLING_ELSEWHERE.match(claim) or _DANGLING.match(claim)) and not _ITS_OWN_IT.match(claim)


def points_back(text: str) -> bool:
    """Whether a paragraph begins with what only the paragraph before explains, `this mode` included.

    >>> points_back("Then restart the server."), points_back("These limits apply."), points_back("Limits apply.")
    (True, True, False)
    """
    return bool(_POINTING.match(text)) or dangles(text)


def is_text(claim: str) -> bool:
    """Whether most of it is letters."""
    return len(_LETTERS.findall(claim)) >= 0.4 * len(claim.replace(" ", ""))
