"""What the texts that a source has come by say on a query: they are kept in the archive, which is searched."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from operator import methodcaller
from typing import Any

from fathom.browsing import ArchivedPage
from fathom.errors import LimitReached, ProviderError
from fathom.events import PageLeftOut, PageRead
from fathom.evidence import Query, Retrieval, SourceDescription
from fathom.frozen import FrozenModel, request_digest
from fathom.outcomes import together
from fathom.ports.source import Source, SourceAnswer, SourceCalls, Trail
from fathom.ports.web import PageArchive
from fathom.text.copies import distinct


class Archived(Source):
    """A source that fetches texts from elsewhere."""

    def __init__(self, name: str, **describes: Any) -> None:
        """`describes`: what its description says whatever it holds."""
        self.name = name
        self.trail = Trail()
        self._describes = {"name": name, **describes}
        self._told: set[str] = set()

    def _archive(self) -> PageArchive:
        """Where its texts are kept.

        Raises:
            Unavailable: it is off.
        """
        raise NotImplementedError

    async def describe(self, query: str, calls: SourceCalls) -> SourceDescription:  # noqa: ARG002 - all is elsewhere
        """Nobody knows what there is before it is searched."""
        return SourceDescription.model_validate({"documents": 0, **self._describes})

    async def snapshot(self, sha256: str) -> str:
        """The text of a page."""
        return await self._archive().snapshot(sha256)

    async def _tell(self, event: PageRead | PageLeftOut, calls: SourceCalls) -> None:
        """Tell of a page, once in a run."""
        if event.url not in self._told:
            self._told.add(event.url)
            await calls.emit(event)

    async def _passages(
        self,
        queries: Sequence[Query],
        read: Iterable[ArchivedPage],
        limit: int,
        calls: SourceCalls,
        *,
        alone: Sequence[str] = (),
    ) -> SourceAnswer:
        """What the pages of a subtask hold on each query, and what they hold at all: those it has had, those it has
        just read, and those of the question as a whole. The first queries are put to one page each: those `alone`.
        """
        id = calls.subtask.subtask_id if calls.subtask else ""
        known = self.trail.pages.setdefault(id, {})
        for page in (*read, *self.trail.pages.get("", {}).values()):
            known.setdefault(page.document.sha256, page)
        documents = {page.document.sha256: page.document for page in distinct(known.values())}
        if not documents:
            return SourceAnswer([Retrieval() for _ in queries])
        within, question = list(documents), calls.run.query
        *found, description = await together(
            *(
                self._of_archive(
                    f"passages/{self.name}/{number}",
                    ("search", self.name, query.digest(), str(limit), *sorted(of)),
                    methodcaller("search", query, within=of, limit=limit),
                    calls,
                )
                for number, query in enumerate(queries)
                for of in (alone[number : number + 1] or within,)
            ),
            self._of_archive(
                f"describe/{self.name}",
                ("describe", self.name, question, *sorted(within)),
                methodcaller("describe", question, within=within),
                calls,
            ),
        )
        if description is not None:
            held = SourceDescription.model_validate_json(description)
            self.trail.holdings[id] = held.model_copy(update=self._describes)

        def as_met(answer: str) -> Retrieval:
            passages = [each for each in Retrieval.model_validate_json(answer).passages if each.document in documents]
            cited = dict.fromkeys(passage.document for passage in passages)
            return Retrieval(documents=tuple(documents[sha256] for sha256 in cited), passages=tuple(passages))

        return SourceAnswer([None if answer is None else as_met(answer) for answer in found])

    async def _of_archive(
        self, place: str, asked: Sequence[str], ask: Callable[[PageArchive], Awaitable[FrozenModel]], calls: SourceCalls
    ) -> str | None:
        """The archive's answer; `None` when it fails, which is told. What was read belongs to the report."""
        path, request = calls.at(place), request_digest(*asked)

        async def perform() -> str:
            return (await ask(self._archive())).model_dump_json()

        try:
            try:
                return await calls.call(path, asked[0], request, perform)
            except LimitReached:
                return await calls.call(path, asked[0], request, perform, phase="report")
        except ProviderError as error:
            await calls.failed(self.name, error)
            return None
