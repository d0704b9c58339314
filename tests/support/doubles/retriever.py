"""A source of generated documents, in which every query finds something, and always the same."""

from __future__ import annotations

import asyncio
import random
from functools import cache

from fathom.errors import NotFound, Unavailable
from fathom.evidence import Block, Document, Passage, Query, Retrieval, SourceDescription, text_digest
from tests.support.doubles.reasoner import Latency, no_latency

WORDS = "sea depth wave current salt light ridge trench vent plain shelf slope basin sound tide storm".split()


@cache
def _generated(name: str, n: int) -> tuple[str, Document, tuple[Passage, ...]]:
    """A text, the same in every test that asks for it."""
    paragraphs = [_paragraph(name, n, part) for part in range(4)]
    text = "\n\n".join(paragraphs)
    document = Document(
        sha256=text_digest(text),
        uri=f"file:///simulated/{name}/{n}.txt",
        title=f"Text {n}",
        kind="file",
        language="en",
        retrieved_at="2026-01-01T00:00:00+00:00",
    )
    start, passages = 0, []
    for part, paragraph in enumerate(paragraphs):
        end = start + len(paragraph)
        passages.append(
            Passage(
                document=document.sha256,
                start=start,
                end=end,
                text=paragraph,
                headings=(f"Text {n}", f"Part {part}"),
                blocks=(Block(kind="paragraph", start=start, end=end),),
            )
        )
        start = end + 2
    return text, document, tuple(passages)


def _paragraph(name: str, n: int, part: int) -> str:
    chance = random.Random(f"{name} {n} {part}")
    a, b, c, d = chance.sample(WORDS, 4)
    return (
        f"In text {n} the {a} of part {part} holds {chance.randrange(100, 999)} units of {b}. "
        f"It was measured {chance.randrange(2, 99)} times between the {c} and the {d}. "
        f"The {d} is told of elsewhere, and so is the {a}."
    )


class SimulatedRetriever:
    """`documents` texts of a few paragraphs. `searches` lists the texts that it was asked for, in order.

    `queries` has each of them in full, with its limit.
    """

    def __init__(
        self,
        name: str = "knowledge",
        *,
        documents: int = 40,
        passages: int = 6,
        latency: Latency = no_latency,
        failing: bool = False,
    ) -> None:
        """`passages` are returned for a query; a `failing` source answers nothing."""
        self.name = name
        self.latency = latency
        self.failing = failing
        self.searches: list[str] = []
        self.queries: list[tuple[Query, int]] = []
        self.described = 0
        self.revision = f"{name} {documents}"
        self._returned = passages
        generated = [_generated(name, n) for n in range(documents)]
        self.texts = {document.sha256: text for text, document, _ in generated}
        self._documents = {document.sha256: document for _, document, _ in generated}
        self._passages = [each for _, _, cut in generated for each in cut]

    async def describe(self, query: str) -> SourceDescription:
        """How much there is."""
        self.described += 1
        await self._wait("describe", query)
        return SourceDescription(
            name=self.name,
            kind="file",
            documents=len(self._documents),
            passages=len(self._passages),
            languages={"en": len(self._documents)} if self._documents else {},
            revision=self.revision,
        )

    async def search(self, query: Query, *, limit: int) -> Retrieval:
        """Some passages, chosen by the words of the query alone."""
        self.searches.append(query.text)
        self.queries.append((query, limit))
        await self._wait("search", query.text)
        count = min(self._returned, limit, len(self._passages))
        chosen = random.Random(f"{self.name} {query.text}").sample(self._passages, count)
        documents = {passage.document: self._documents[passage.document] for passage in chosen}
        return Retrieval(documents=tuple(documents.values()), passages=tuple(chosen))

    async def snapshot(self, sha256: str) -> str:
        """The text of a document."""
        if sha256 not in self.texts:
            raise NotFound(f"No document {sha256[:12]} in {self.name}.")
        return self.texts[sha256]

    async def _wait(self, kind: str, text: str) -> None:
        await asyncio.sleep(self.latency(kind, text))
        if self.failing:
            raise Unavailable(f"The simulated source {self.name} fails.")
