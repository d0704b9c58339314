"""What kind of statement a candidate is, whatever is asked."""

from __future__ import annotations

import math
import re

FORMS: tuple[str, ...] = (
    "first", "early", "length", "short", "list_item", "definition", "table_row", "quote", "leaning", "example",
    "brackets",
)  # fmt: skip
"""What kind of statement it is, whatever is asked."""
_EXAMPLE = re.compile(r"\bfor (?:example|instance)\b|\be\.g\.|例えば|たとえば", re.IGNORECASE)


def form_of(*, kind: str, block: int, place: int, claim: str, words: int, leaning: bool) -> tuple[float, ...]:
    """The columns of `FORMS`."""
    return (
        float(place == 0),
        1 / (1 + block),
        math.log1p(words),
        float(words < 9),
        *(float(kind == name) for name in ("list_item", "definition", "table_row", "quote")),
        float(leaning),
        float(bool(_EXAMPLE.search(claim))),
        float(claim.startswith(("(", "（", "["))),
    )
