"""What answers the asks: each row leads to a function that makes a reasoner from the settings."""

from __future__ import annotations

from collections.abc import Callable

from fathom.ports import Reasoner
from fathom.registry import Registry
from fathom.settings import Settings

reasoners: Registry[Callable[[Settings], Reasoner]] = Registry(
    "reasoner",
    group="fathom.reasoners",
    builtin={
        "extractive": "fathom.reasoners.extractive:from_settings",
        "language_model": "fathom.reasoners.language_model:from_settings",
    },
)
