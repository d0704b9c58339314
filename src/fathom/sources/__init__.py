"""The sources of a run, each with its way of being asked: documents, datasets, the web."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from fathom.browsing import Reach
from fathom.data.profile import finds_texts
from fathom.errors import LimitReached, ProviderError
from fathom.outcomes import together
from fathom.ports import Retriever
from fathom.ports.data import Dataset
from fathom.ports.source import Source, SourceCalls
from fathom.ports.web import PageArchive, Web
from fathom.sources.connected import Connected
from fathom.sources.data import Data
from fathom.sources.documents import Documents
from fathom.sources.guarded import Guarded
from fathom.sources.web import OnTheWeb, reach_of
from fathom.thread import THREAD, Thread

PATIENCE = 600.0
"""Seconds for a tool that searches or fetches: its own connection waits less."""


class AtHand:
    """What this process has; a replay needs neither the datasets nor the web of its run."""

    def __init__(
        self,
        documents: Sequence[Retriever] = (),
        *,
        datasets: Sequence[Dataset] = (),
        connectors: Sequence[Guarded] = (),
        archive: PageArchive | None = None,
        web: Web | None = None,
        thread: Retriever | None = None,
    ) -> None:
        """`archive` keeps what connectors and servers of texts give; `thread` holds what a run that is followed has
        read."""
        self.documents = documents
        self.datasets = datasets
        self.connectors = connectors
        self.web = web
        self._thread = thread
        self._archive = archive

    async def begin(self, calls: SourceCalls) -> list[Source]:
        """The documents, and those datasets, connectors and that reach of the web that the attempt was begun with."""
        reach = await _decided(calls, "web", self.web and reach_of(self.web).model_dump(mode="json"))
        datasets = {dataset.name: dataset for dataset in self.datasets}
        own = {connector.name: connector for connector in self.connectors}
        if datasets and not calls.replay and calls.decision("datasets/1") is None:
            await calls.decide("searches", True)  # a run from before servers of texts were searched goes on as it began
        names = await _decided(calls, "connectors", sorted(own))
        connected = (Connected(name, own.get(name), self._archive) for name in names or ())
        names = await _decided(calls, "datasets", sorted(datasets))
        data = await together(*(self._of(name, datasets.get(name), calls) for name in names or ()))
        web = [OnTheWeb(self.web, Reach.model_validate(reach))] if reach else []
        known = Thread.model_validate(calls.decision(THREAD) or {})
        thread = [Documents(self._thread)] if self._thread and known.documents and not known.topic else []
        return [*map(Documents, self.documents), *connected, *data, *web, *thread]

    async def _of(self, name: str, dataset: Dataset | None, calls: SourceCalls) -> Source:
        """A dataset as a source: of records, or of texts where its server searches and fetches them."""
        data = Data(name, dataset)
        if calls.decision("searches"):
            with suppress(ProviderError, LimitReached):  # which is told when it is to say what it holds
                if finds_texts((await data.look(calls)).tools):
                    connector = Guarded(name, dataset.connector, timeout=PATIENCE) if dataset else None
                    return Connected(name, connector, self._archive)
        return data


async def _decided(calls: SourceCalls, what: str, value: Any) -> Any:
    """What this attempt may use; where nothing is at hand, or a run is replayed, what an earlier process decided."""
    path = f"{what}/{calls.run.attempt}"
    return await calls.decide(path, value) if value and not calls.replay else calls.decision(path)
