"""How each ask is put to a language model."""

from __future__ import annotations

from typing import Any

from fathom import asks
from fathom.asks import Ask
from fathom.reasoners.language_model.task import Stepwise, Task
from fathom.reasoners.language_model.tasks.assess import AssessDepthTask
from fathom.reasoners.language_model.tasks.check import CheckReportTask
from fathom.reasoners.language_model.tasks.clarify import ClarifyQuestionTask
from fathom.reasoners.language_model.tasks.direct import DirectDatasetTask
from fathom.reasoners.language_model.tasks.extract import ExtractFindingsTask
from fathom.reasoners.language_model.tasks.follow_up import ResolveFollowUpTask
from fathom.reasoners.language_model.tasks.gaps import AnalyzeGapsTask
from fathom.reasoners.language_model.tasks.perspectives import GeneratePerspectivesTask
from fathom.reasoners.language_model.tasks.plan import PlanResearchTask
from fathom.reasoners.language_model.tasks.reflect import ReflectTask
from fathom.reasoners.language_model.tasks.report import WriteReportTask
from fathom.reasoners.language_model.tasks.revise import RevisePlanTask
from fathom.reasoners.language_model.tasks.validate import ValidateFindingsTask
from fathom.reasoners.language_model.tasks.wishes import HearWishesTask

TASKS: dict[type[Ask[Any]], Task[Any, Any] | Stepwise[Any, Any]] = {
    asks.ResolveFollowUp: ResolveFollowUpTask(),
    asks.HearWishes: HearWishesTask(),
    asks.ClarifyQuestion: ClarifyQuestionTask(),
    asks.PlanResearch: PlanResearchTask(),
    asks.ExtractFindings: ExtractFindingsTask(),
    asks.AssessDepth: AssessDepthTask(),
    asks.RevisePlan: RevisePlanTask(),
    asks.Reflect: ReflectTask(),
    asks.WriteReport: WriteReportTask(),
    asks.CheckReport: CheckReportTask(),
    asks.DirectDataset: DirectDatasetTask(),
    asks.ValidateFindings: ValidateFindingsTask(),
    asks.AnalyzeGaps: AnalyzeGapsTask(),
    asks.GeneratePerspectives: GeneratePerspectivesTask(),
}
"""By the ask that they are for; what is not among them is answered by rule."""
