"""Counts without reading every record, and says what the counts tell."""

from __future__ import annotations

from fathom.data.turns import AgentName, Aggregate, AggregatorOutput
from fathom.engine.data.desk import Bench
from fathom.engine.data.shelf import findings_of
from fathom.engine.data.tooling import counting_tools
from fathom.outcomes import together


class Aggregator:
    """Asks its tools side by side; the insights are exact, each on the rows that it rests on."""

    name: AgentName = "aggregator"
    fetches = True
    reads = False
    line = (
        "Counts records by fields, over time, or sums numbers up, without reading them; several tools at once. Returns "
        "the counts, exact insights and the number of records that match."
    )

    async def run(self, bench: Bench, call: Aggregate) -> AggregatorOutput | None:
        """The counts in the order of the tools."""
        desk, request = bench.desk, call.request
        tools = counting_tools(desk.dataset, call.tool_names, request).tools
        places = [bench.aside() for _ in tools]
        answers = await together(
            *(
                place.fetch(tool, request, at=f"tool/{number}")
                for number, (place, tool) in enumerate(zip(places, tools, strict=True))
            )
        )
        bench.errors += [error for place in places for error in place.errors]
        came = [(tool, answer) for tool, answer in zip(tools, answers, strict=True) if answer is not None]
        for tool, answer in came:
            bench.answers.append(answer)
            await bench.tell(tool, answer)
        if not came:
            return None
        results = [result for _, answer in came for result in answer.results]
        language, task = desk.context.run.language, desk.subtask
        return AggregatorOutput(
            results=tuple(results),
            insights=tuple(
                finding
                for result in results
                for finding in findings_of(
                    result, subtask_id=task.subtask_id, language=language, question=task.description
                )
            ),
            total_dataset_size=next((answer.matched for _, answer in came if answer.matched is not None), None),
            sources=tuple(document for _, answer in came for document in answer.documents),
        )
