"""The flag of a setting, said beside its field: a command that takes the flags of its group takes it too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Group = Literal["models", "web", "service"]


@dataclass(frozen=True)
class Flag:
    """How a setting is given at the command line."""

    group: Group
    """What it is about; a command takes all flags of a group."""
    metavar: str = ""
    """What stands behind it: `NAME`; nothing behind a switch."""
    name: str = ""
    """As it is written, without the dashes before it. The default is the name of the setting."""
    told: str = ""
    """What its help says. The default is the setting's own sentence."""
    is_repeated: bool = False
    """Whether it may be given several times."""
    value: bool = True
    """What a switch sets."""
