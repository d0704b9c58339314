"""Documents: each query is answered by itself, all of a round side by side."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.evidence import Query, Retrieval, SourceDescription
from fathom.frozen import request_digest
from fathom.ports import Retriever
from fathom.ports.source import Source, SourceAnswer, SourceCalls, Trail
from fathom.sources.searching import each_answered
from fathom.telemetry import search_span
from fathom.thread import THREAD


class Documents(Source):
    """A `Retriever` as a source. The same query of the same content is asked once per run.

    To look into what a thread has read is no search, and no search is counted for it.
    """

    reach = None

    def __init__(self, retriever: Retriever) -> None:
        self.name = retriever.name
        self._kind = "recall" if self.name == THREAD else "search"
        self.trail = Trail()
        self._retriever = retriever

    async def describe(self, query: str, calls: SourceCalls) -> SourceDescription:
        """What there is near `query`."""

        async def perform() -> str:
            return (await self._retriever.describe(query)).model_dump_json()

        known = [calls.revision(self.name)] if calls.subtask else []  # before the first answer there is none
        request = request_digest("describe", self.name, *known, query)
        answer = await calls.call(
            calls.at(f"describe/{self.name}"), "describe", request, perform, shared=calls.subtask is not None
        )
        return SourceDescription.model_validate_json(answer)

    async def search(self, queries: Sequence[Query], *, limit: int, calls: SourceCalls) -> SourceAnswer:
        """The passages of each query."""

        async def one(number: int, query: Query) -> Retrieval:
            async def perform() -> str:
                with search_span(self.name) as span:
                    found = await self._retriever.search(query, limit=limit)
                    span.set_attributes({"fathom.passages": len(found.passages)})
                return found.model_dump_json()

            path = calls.at(f"search/{self.name}/{number}" if calls.subtask else "")
            request = request_digest(self._kind, self.name, calls.revision(self.name), query.digest(), str(limit))
            return Retrieval.model_validate_json(await calls.call(path, self._kind, request, perform))

        answers, stopped = await each_answered(self.name, one, queries, calls)
        self.trail.found |= {document.sha256 for each in answers if each for document in each.documents}
        self.trail.read |= self.trail.found
        return SourceAnswer(answers, stopped)

    async def snapshot(self, sha256: str) -> str:
        """The text of a document."""
        return await self._retriever.snapshot(sha256)
