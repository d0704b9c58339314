"""What the words of a sentence tell about whether it can stand alone."""

from __future__ import annotations

import re

from fathom.languages.packs import either

_DANGLING = re.compile(either("dangling.start"), re.IGNORECASE)
_ITS_OWN_IT = re.compile(either("dangling.whole"), re.IGNORECASE)
_POINTING = re.compile(rf"^\W*(?:{either('dangling.pointing')})\b", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]")


def dangles(claim: str) -> bool:
    """Whether a sentence begins with a word that only the sentence before explains.

    >>> dangles("It is disabled."), dangles("It is possible to disable it."), dangles("This parameter is off.")
    (True, False, False)
    >>> dangles("Dann wird sie gesperrt."), dangles("Il faut la vider."), dangles("Elle est vidée.")
    (True, False, True)
    """
    return bool(_DANGLING.match(claim)) and not _ITS_OWN_IT.match(claim)


def points_back(text: str) -> bool:
    """Whether a paragraph begins with what only the paragraph before explains, `this mode` included.

    >>> points_back("Then restart the server."), points_back("These limits apply."), points_back("Limits apply.")
    (True, True, False)
    """
    return bool(_POINTING.match(text)) or dangles(text)


def is_text(claim: str) -> bool:
    """Whether most of it is letters."""
    return len(_LETTERS.findall(claim)) >= 0.4 * len(claim.replace(" ", ""))
