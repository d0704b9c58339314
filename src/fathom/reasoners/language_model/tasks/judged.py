"""How deep findings go, as a model writes it."""

from __future__ import annotations

from typing import Literal

from fathom.findings import DepthEvaluation
from fathom.reasoners.language_model.task import Wire
from fathom.reasoners.language_model.tasks.words import Number, line, lines, searches


class Judged(Wire):
    """How far the findings answer the part."""

    reasoning: str = ""
    """Why, in a sentence."""
    depth: Literal["superficial", "adequate", "deep"]
    """superficial: general statements; adequate: the key points are answered; deep: rich, several sources."""
    sufficient: bool
    """Whether its main points are answered, even if a detail is missing."""
    missing: list[str] = []
    """What the part asks and nothing answers."""
    areas: list[str] = []
    """Topics that deserve a question of their own; mostly none."""
    queries: list[str] = []
    """Searches that would bring it, in the language of the sources; none if sufficient."""

    def evaluation(self, *, changes_plan: bool | None = None) -> DepthEvaluation:
        """The same as a model of ours."""
        areas = lines(self.areas, most=5)
        return DepthEvaluation(
            is_sufficient=self.sufficient,
            depth_quality=self.depth,
            drill_down_needed=bool(areas) and not self.sufficient,
            drill_down_areas=areas,
            missing=lines(self.missing, most=6),
            reasoning=line(self.reasoning, 300),
            queries=() if self.sufficient else tuple(searches(self.queries, most=4)),
            changes_plan=changes_plan,
        )


class JudgedInPlan(Judged):
    """How far the findings answer the part."""

    open: list[Number] = []
    """Numbers of <unread> places to open next."""
    changes_plan: bool = False
    """Whether something essential to the question came up that no part covers."""
