"""Fathom: deep research whose every claim is cited and every citation checked.

report = await fathom.research("How does … work?", documents=["./notes"])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fathom.lazy import lazily
from fathom.version import __version__

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
    from fathom.steering import Answer, Approval
    from fathom.wiring import (
        Fathom,
        Question,
        RunStream,
        answer,
        approvals,
        ask,
        ask_on,
        branch_off,
        check,
        compare,
        fork,
        ingest,
        plan_for,
        replay,
        research,
        resume,
        steer,
        stream,
        take_up,
        update,
    )

__all__ = [  # noqa: RUF022 - what to do comes first
    "research",
    "stream",
    "resume",
    "take_up",
    "approvals",
    "answer",
    "steer",
    "replay",
    "fork",
    "branch_off",
    "update",
    "compare",
    "ask",
    "ask_on",
    "plan_for",
    "ingest",
    "check",
    "Fathom",
    "Question",
    "Answer",
    "Approval",
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
    "__version__",
]


__getattr__ = lazily(__name__)  # `import fathom` is instant


def __dir__() -> list[str]:
    return sorted(__all__)
