"""What `fathom doctor` finds."""

from __future__ import annotations

from typing import Literal

from fathom.frozen import FrozenModel


class DoctorCheck(FrozenModel):
    """One thing that Fathom needs, and how it stands."""

    name: str
    """What was looked at."""
    status: Literal["ok", "warning", "error"]
    """`error` keeps Fathom from working."""
    found: str
    """What there is."""
    cure: str = ""
    """What to do about it; empty when nothing."""
