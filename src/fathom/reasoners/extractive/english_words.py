"""Words that ask, tell, refer and compare in English."""

from __future__ import annotations

import re

WH = r"(?:how|what|which|who|whom|whose|when|where|why|whether)"
AUX = (
    r"(?:is|are|was|were|do|does|did|can|could|should|shall|will|would|may|might|must|has|have|had"
    r"|isn't|aren't|don't|doesn't|can't|won't)"
)
TELL = (
    r"(?:explain|describe|compare|contrast|discuss|outline"
    r"|summari[sz]e|say|tell|list|give|name|show|define|analy[sz]e"
    r"|evaluate|assess|cover|provide|suggest|recommend|propose)"
)
REFERS = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|she|him|his|her|this|these|those|the\s+former|the\s+latter|the\s+two|both)\b"
    rf"|\b{AUX}\s+that\b|\b(?:then|there|that)$",
    re.IGNORECASE,
)
COMPARES = re.compile(
    r"\b(?:compare[sd]?|comparing|comparison|contrast|differences?"
    r"|differ|differs|versus|vs\.?|better\s+than|rather\s+than"
    r"|instead\s+of|which\s+(?:\w+\s+)?(?:is|are)\s+(?:\w+er|more\s+\w+|best)\b(?=.*\bor\b)|pros\s+and\s+cons|distinguish(?:es)?|as\s+opposed\s+to|trade-?offs?)\b",
    re.IGNORECASE,
)
