"""The reasoner that needs no model: it plans by the words of the question, selects sentences, and writes by quoting."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar, cast

from fathom import __version__, asks
from fathom.asks import Ask
from fathom.errors import ProviderError
from fathom.noun import Noun
from fathom.outcomes import in_thread_of
from fathom.ports import Answered, Calls
from fathom.reasoners.extractive.allocate import allocate_queries
from fathom.reasoners.extractive.assess import assess_depth, reflect, revise_plan
from fathom.reasoners.extractive.data.direct import direct_dataset
from fathom.reasoners.extractive.extract import extract_findings
from fathom.reasoners.extractive.gaps import analyze_gaps
from fathom.reasoners.extractive.outline import outline_report
from fathom.reasoners.extractive.perspectives import generate_perspectives
from fathom.reasoners.extractive.plan import plan_research
from fathom.reasoners.extractive.support import check_support
from fathom.reasoners.extractive.synthesize import synthesize
from fathom.reasoners.extractive.validate import validate_findings
from fathom.reasoners.extractive.write import write_section
from fathom.settings import Settings

A = TypeVar("A", bound=Noun)

_ANSWERS: dict[type[Ask[Any]], Any] = {
    asks.PlanResearch: plan_research,
    asks.AllocateQueries: allocate_queries,
    asks.ExtractFindings: extract_findings,
    asks.AssessDepth: assess_depth,
    asks.RevisePlan: revise_plan,
    asks.Reflect: reflect,
    asks.SynthesizeSubtask: synthesize,
    asks.OutlineReport: outline_report,
    asks.WriteSection: write_section,
    asks.CheckSupport: check_support,
    asks.DirectDataset: direct_dataset,
    asks.GeneratePerspectives: generate_perspectives,
    asks.ValidateFindings: validate_findings,
    asks.AnalyzeGaps: analyze_gaps,
}

_THINKING = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fathom-thinking")
"""Of all runs of the process: more threads would be no faster, and each takes its turn from whoever shows events."""


class ExtractiveReasoner:
    """Answers every ask by rules. Equal asks get equal answers, in every process."""

    name = "extractive"
    version = __version__
    deterministic = True
    metered = False

    async def answer(self, ask: Ask[A], calls: Calls) -> Answered[A]:  # noqa: ARG002 - it makes none
        """The answer to `ask`.

        Raises:
            ProviderError: there is no rule for such an ask.
        """
        rule = _ANSWERS.get(type(ask))
        if rule is None:
            raise ProviderError(f"The extractive reasoner has no rule for {ask.kind()}; configure a language model.")
        return Answered(cast(A, await in_thread_of(_THINKING, partial(rule, ask))))

    async def close(self) -> None:
        """Nothing is held open."""


def from_settings(_: Settings) -> ExtractiveReasoner:
    """The reasoner; no setting changes it."""
    return ExtractiveReasoner()
