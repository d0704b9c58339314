"""Sums the findings up: the answer, question by question, in the format that was asked for."""

from __future__ import annotations

from fathom.asks import SynthesizeSubtask
from fathom.data.turns import AgentName, SynthesisFormat, Synthesize, SynthesizerOutput
from fathom.engine.data.desk import Bench
from fathom.engine.steps.extract import standing_on
from fathom.findings import Synthesis
from fathom.text.commonmark import inert


class Synthesizer:
    """Ends the research of a dataset. What it pays for is what the subtask is answered with."""

    name: AgentName = "synthesizer"
    fetches = False
    reads = False
    line = (
        "Sums the findings up as a comprehensive report, an executive summary or bullet points, and ends the research; "
        "run it alone, when nothing else is worth doing."
    )

    async def run(self, bench: Bench, call: Synthesize) -> SynthesizerOutput | None:
        """The answer; `None` when there is nothing to sum up."""
        desk = bench.desk
        if not desk.shelf.findings:
            bench.errors.append("synthesizer: there are no findings to sum up")
            return None
        synthesis = await bench.ask(
            SynthesizeSubtask(
                query=desk.context.run.query,
                language=desk.context.run.language,
                subtask=desk.subtask,
                findings=desk.shelf.findings,
                questions=desk.sub_questions,
                format=call.format,
            )
        )
        known = {finding.id for finding in desk.shelf.findings}
        synthesis = synthesis and standing_on(synthesis, desk.subtask.subtask_id, known)
        if synthesis is None:
            return None
        desk.synthesis = synthesis
        return _output(synthesis, call.format, desk.gap_descriptions)


def _output(synthesis: Synthesis, format: SynthesisFormat, gaps: tuple[str, ...]) -> SynthesizerOutput:
    key = synthesis.statements[:1] if format == "executive_summary" else synthesis.statements[:5]
    return SynthesizerOutput(
        report=as_markdown(synthesis, format),
        statements=synthesis.statements,
        key_findings=tuple(statement.text for statement in key) or ((synthesis.text,) if synthesis.text else ()),
        confidence=synthesis.confidence,
        limitations=synthesis.caveats,
        suggestions_for_further_research=gaps,
    )


def as_markdown(synthesis: Synthesis, format: SynthesisFormat) -> str:
    """The answer as Markdown, without any markup of its own: the words come from outside."""
    parts = [(statement.form, inert(statement.text)) for statement in synthesis.statements]
    parts = parts or [("paragraph", inert(synthesis.text))] if synthesis.text else parts
    if format == "bullet_points":
        return "".join(f"- {text}\n" for _, text in parts)
    if format == "executive_summary":
        return " ".join(text for _, text in parts) + "\n" if parts else ""
    lines = [f"- {text}" if form == "item" else text for form, text in parts]
    return "\n\n".join(lines) + "\n" if lines else ""
