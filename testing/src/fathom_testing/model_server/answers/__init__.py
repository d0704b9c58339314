"""What the model server answers to Fathom's own asks: one module per family, which registers its functions here."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

FAMILIES = ("plan", "read", "report", "data", "whole", "thread")
"""Modules of this package; each ends with `ANSWERS.update({title: function, …})`."""


@dataclass(frozen=True)
class Prompt:
    """What a model is shown."""

    system: str
    """The instructions."""
    user: str
    """The material; when there was a repair round, also what was said about the answer before."""
    schema: dict[str, Any]
    """JSON schema of the answer; its title is the name of the ask."""


ANSWERS: dict[str, Callable[[Prompt], dict[str, Any]]] = {}
"""By title of the schema: what the extractive reasoner would say, in the shape of the schema."""


@cache
def known() -> dict[str, Callable[[Prompt], dict[str, Any]]]:
    """`ANSWERS`, once every family has been imported."""
    for family in FAMILIES:
        if find_spec(name := f"{__name__}.{family}"):
            importlib.import_module(name)
    return ANSWERS
