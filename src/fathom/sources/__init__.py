"""The sources of a run, each with its way of being asked: documents, datasets, the web."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fathom.browsing import Reach
from fathom.ports import Retriever
from fathom.ports.data import Dataset
from fathom.ports.source import Source, SourceCalls
from fathom.ports.web import Web
from fathom.sources.data import Data
from fathom.sources.documents import Documents
from fathom.sources.web import OnTheWeb, reach_of


class AtHand:
    """What this process has; a replay needs neither the datasets nor the web of its run."""

    def __init__(
        self, documents: Sequence[Retriever] = (), *, datasets: Sequence[Dataset] = (), web: Web | None = None
    ) -> None:
        self.documents = documents
        self.datasets = datasets
        self.web = web

    async def begin(self, calls: SourceCalls) -> list[Source]:
        """The documents, and those datasets and that reach of the web that the attempt was begun with."""
        reach = await _decided(calls, "web", self.web and reach_of(self.web).model_dump(mode="json"))
        datasets = {dataset.name: dataset for dataset in self.datasets}
        names = await _decided(calls, "datasets", sorted(datasets))
        data = (Data(name, datasets.get(name)) for name in names or ())
        web = [OnTheWeb(self.web, Reach.model_validate(reach))] if reach else []
        return [*map(Documents, self.documents), *data, *web]


async def _decided(calls: SourceCalls, what: str, value: Any) -> Any:
    """What this attempt may use; where nothing is at hand, or a run is replayed, what an earlier process decided."""
    path = f"{what}/{calls.run.attempt}"
    return await calls.decide(path, value) if value and not calls.replay else calls.decision(path)
