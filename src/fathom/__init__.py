"""Fathom: deep research whose every claim is cited and every citation checked.

report = await fathom.research("How does … work?", documents=["./notes"])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fathom.errors import (
        ConfigurationError,
        FathomError,
        LimitReached,
        NotFound,
        ProviderError,
        StoreError,
        UsageError,
    )
    from fathom.events import StoredEvent
    from fathom.limits import Limits
    from fathom.plan import MasterPlan, Subtask
    from fathom.report import Report
    from fathom.settings import Settings
    from fathom.wiring import RunStream, branch_off, fork, ingest, plan_for, replay, research, resume, stream, take_up

__version__ = "0.1.0"

_HOMES = {
    "fathom.errors": (
        "ConfigurationError",
        "FathomError",
        "LimitReached",
        "NotFound",
        "ProviderError",
        "StoreError",
        "UsageError",
    ),
    "fathom.events": ("StoredEvent",),
    "fathom.limits": ("Limits",),
    "fathom.plan": ("MasterPlan", "Subtask"),
    "fathom.report": ("Report",),
    "fathom.settings": ("Settings",),
    "fathom.wiring": (
        "RunStream",
        "branch_off",
        "fork",
        "ingest",
        "plan_for",
        "replay",
        "research",
        "resume",
        "stream",
        "take_up",
    ),
}

__all__ = [  # noqa: RUF022 - what to do comes first
    "research",
    "stream",
    "resume",
    "take_up",
    "replay",
    "fork",
    "branch_off",
    "plan_for",
    "ingest",
    "ConfigurationError",
    "FathomError",
    "LimitReached",
    "Limits",
    "MasterPlan",
    "NotFound",
    "ProviderError",
    "Report",
    "RunStream",
    "Settings",
    "StoreError",
    "StoredEvent",
    "Subtask",
    "UsageError",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: `import fathom` is instant."""
    for module, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'fathom' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
