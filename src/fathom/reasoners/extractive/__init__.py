"""The reasoner that needs no model: it plans by words, finds what is nearest in meaning, and quotes it."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any, TypeVar, cast

from fathom import asks
from fathom.asks import Ask
from fathom.errors import ProviderError
from fathom.findings import Findings
from fathom.frozen import FrozenModel
from fathom.ports import Answered, Calls, Embedder, knows
from fathom.reasoners.extractive.thinking import thinking
from fathom.settings import Settings
from fathom.version import __version__

A = TypeVar("A", bound=FrozenModel)

_RULES: dict[type[Ask[Any]], str] = {
    asks.ResolveFollowUp: "follow_up:resolve",
    asks.HearWishes: "wishes:hear_wishes",
    asks.ClarifyQuestion: "clarify:clarify_question",
    asks.PlanResearch: "plan:plan_research",
    asks.AllocateQueries: "allocate:allocate_queries",
    asks.ExtractFindings: "extract:extract_findings",
    asks.AssessDepth: "assess:assess_depth",
    asks.RevisePlan: "assess:revise_plan",
    asks.Reflect: "assess:reflect",
    asks.SynthesizeSubtask: "synthesize:synthesize",
    asks.OutlineReport: "outline:outline_report",
    asks.WriteSection: "write:write_section",
    asks.DirectDataset: "data.direct:direct_dataset",
    asks.GeneratePerspectives: "perspectives:generate_perspectives",
    asks.ValidateFindings: "validate:validate_findings",
    asks.AnalyzeGaps: "gaps:analyze_gaps",
}
"""Which function of which module answers what; it is imported once it is asked: few runs ask of data."""


class ExtractiveReasoner:
    """Answers every ask by rules. Equal asks get equal answers, in every process."""

    name = "extractive"
    version = __version__
    deterministic = True
    metered = False
    embedder: Embedder | None = None
    """What compares paragraphs with the question in meaning; without one, words decide."""
    second: Embedder | None = None
    """What looks at the best of them again, where it knows the language."""

    async def answer(self, ask: Ask[A], calls: Calls) -> Answered[A]:  # noqa: ARG002 - it makes none
        """The answer to `ask`.

        Raises:
            ConfigurationError, ProviderError: the embedder gave no vectors, or there is no rule for such an ask.
        """
        if isinstance(ask, asks.ExtractFindings) and any(document.kind != "dataset" for document in ask.documents):
            return Answered(cast(A, await self._extracted(ask)))
        if type(ask) not in _RULES:
            raise ProviderError(f"The extractive reasoner has no rule for {ask.kind()}; configure a language model.")
        return Answered(cast(A, await thinking(partial(_answer, ask))))

    async def _extracted(self, ask: asks.ExtractFindings) -> Findings:
        from fathom.reasoners.extractive.extract import extract_findings
        from fathom.reasoners.extractive.order import nearest

        model = self.embedder if self.embedder and knows(self.embedder, ask.language) else None
        near = await nearest(ask, model, self.second) if model else None
        return await thinking(partial(extract_findings, ask, near))

    async def close(self) -> None:
        """Let go of the embedders."""
        for each in filter(None, (self.embedder, self.second)):
            await each.close()


def _answer(ask: Ask[Any]) -> object:
    module, _, rule = _RULES[type(ask)].partition(":")
    return getattr(import_module(f"{__name__}.{module}"), rule)(ask)


def from_settings(_: Settings) -> ExtractiveReasoner:
    """The reasoner; no setting changes it."""
    return ExtractiveReasoner()
