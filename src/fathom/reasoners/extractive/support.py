"""Whether sentences are borne out: their words were compared before, and more is not to be had without a model."""

from __future__ import annotations

from fathom.asks import CheckSupport, Judgement, SupportVerdict


def check_support(ask: CheckSupport) -> SupportVerdict:
    """Each sentence keeps the verdict that it has."""
    return SupportVerdict(judgements=tuple(Judgement(status=doubt.status) for doubt in ask.doubts))
