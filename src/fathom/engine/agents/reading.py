"""The sub-agents that count, and that read what was fetched before."""

from __future__ import annotations

from fathom.data.tooling import counting_tools
from fathom.data.turns import AgentName, Aggregate, Extract, RecordsRead
from fathom.engine.data.agent import AgentContext
from fathom.engine.data.reading import batch_of, each_kept, most_of_a_batch, read
from fathom.findings import Finding
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

    async def run(self, agent: AgentContext, call: Aggregate) -> None:
        """The counts are left as the answers of the tools, in their order."""
        request = call.request
        tools = counting_tools(agent.dataset.description, call.tool_names, request).tools
        places = [agent.aside() for _ in tools]
        answers = await together(
            *(
                place.fetch(tool, request, at=f"tool/{number}")
                for number, (place, tool) in enumerate(zip(places, tools, strict=True))
            )
        )
        agent.outcome.errors += [error for place in places for error in place.outcome.errors]
        for tool, answer in zip(tools, answers, strict=True):
            if answer is not None:
                agent.outcome.answers.append(answer)
                await agent.tell(tool, answer)


class Extractor:
    """Reads the pages that tools have brought and nobody has read."""

    name: AgentName = "extractor"
    fetches = False
    reads = True
    line = "States what records say that a tool has already returned, with the sub-questions in view; fetches nothing."

    async def run(self, agent: AgentContext, call: Extract) -> RecordsRead:
        """What the pages say, in the order in which they came."""
        dataset, unread = agent.dataset, agent.dataset.records.pages
        wanted = call.documents or tuple(unread)
        for sha256 in wanted:
            if sha256 not in unread:
                agent.outcome.errors.append(f"extractor: no unread page {sha256[:12]}")
        pages = [sha256 for sha256 in dict.fromkeys(wanted) if sha256 in unread]
        most = most_of_a_batch(dataset.limits.max_findings, len(pages))
        found: list[Finding] = []
        processed = 0
        for number, sha256 in enumerate(pages):
            if dataset.records.left == 0:
                agent.outcome.errors.append("extractor: max_records is reached")
                break
            batch = await batch_of(agent.context, dataset, unread[sha256])
            allowed = min(most, call.max_findings_per_doc * max(1, len(batch.ids)))
            new = await read(agent, batch, at=f"read/{number}", focus=call.extraction_focus, most=allowed)
            if new is None:
                continue
            del unread[sha256]
            found += new
            processed += len(batch.ids)
        return RecordsRead(records=processed, findings=len(each_kept(agent, found)))
