"""What every source that is searched promises, whatever stands behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import pytest

from fathom.errors import ProviderError
from fathom.evidence import Query, Retrieval, SourceDescription, text_digest
from fathom.ports.source import Source, SourceAnswer
from tests.contracts.retrievers import HOSTILE
from tests.contracts.stores import a_run
from tests.support.doubles.calls import DoorCalls

LIMIT = 4


class Opener(Protocol):
    """Makes the source as another process has it; `there` says whether what it asks is at hand."""

    def __call__(self, *, there: bool = True) -> Source: ...


class SourceContract:
    """A subclass gives `queries`, each of which finds a passage, and `open_source`, which makes the source anew."""

    async def test_it_says_what_it_is_and_that_it_is_searched(
        self, open_source: Opener, queries: Sequence[Query]
    ) -> None:
        source, calls = open_source(), door(queries)
        described = await source.describe(queries[0].text, calls)

        assert described.name == source.name and "search" in described.can
        stored = SourceDescription.model_validate_json(described.model_dump_json())
        assert stored.digest() == described.digest()

    async def test_each_query_has_an_answer_whose_passages_stand_in_their_documents_to_the_letter(
        self, open_source: Opener, queries: Sequence[Query]
    ) -> None:
        source, calls = open_source(), door(queries)
        kind = (await source.describe(queries[0].text, calls)).kind
        answers = whole(await source.search(queries, limit=LIMIT, calls=calls))

        assert len(answers) == len(queries) and source.trail.found and source.trail.read
        for answer in answers:
            assert 0 < len(answer.passages) <= LIMIT
            held = {document.sha256: document for document in answer.documents}
            assert held.keys() == {passage.document for passage in answer.passages}
            assert {document.kind for document in held.values()} == {kind}
            assert all(document.title and document.uri for document in held.values())
            for passage in answer.passages:
                text = await source.snapshot(passage.document)
                assert text_digest(text) == passage.document
                assert passage.text == text[passage.start : passage.end]

    async def test_what_was_asked_is_not_asked_again_and_is_the_same_without_what_was_asked(
        self, open_source: Opener, queries: Sequence[Query]
    ) -> None:
        first = door(queries)
        source = open_source()
        await source.describe(queries[0].text, first)
        found = await source.search(queries, limit=LIMIT, calls=first)
        made = list(first.made)
        assert await source.search(queries, limit=LIMIT, calls=first) == found and first.made == made

        again = DoorCalls(first.run, kept=first)  # another process
        source = open_source()
        await source.describe(queries[0].text, again)
        assert await source.search(queries, limit=LIMIT, calls=again) == found and again.made == []

        replayed = DoorCalls(first.run, kept=first, replay=True)
        source = open_source(there=False)
        await source.describe(queries[0].text, replayed)
        assert await source.search(queries, limit=LIMIT, calls=replayed) == found

    async def test_what_is_not_there_is_told_and_answered_with_nothing(
        self, open_source: Opener, queries: Sequence[Query]
    ) -> None:
        source, calls = open_source(there=False), door(queries)
        found = await source.search(queries, limit=LIMIT, calls=calls)
        told = next(iter(calls.failures.values()), "")
        try:
            await source.describe(queries[0].text, calls)
            assert len(found.answers) == len(queries)
        except ProviderError as error:  # then it is not searched at all
            told = str(error)

        assert [answer for answer in found.answers if answer is not None] == [] and not found.stopped
        assert told and "\n" not in told

    @pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))
    async def test_no_query_breaks_it(self, open_source: Opener, queries: Sequence[Query], text: str) -> None:
        calls = door(queries)
        found = await open_source().search([Query(text=text, context=text)], limit=LIMIT, calls=calls)
        assert len(found.answers) == 1


def door(queries: Sequence[Query]) -> DoorCalls:
    """A run about the first of the queries, in which nothing was asked yet."""
    return DoorCalls(a_run(query=queries[0].text))


def whole(found: SourceAnswer) -> list[Retrieval]:
    """The answers, none of which is missing."""
    answers = [answer for answer in found.answers if answer is not None]
    assert len(answers) == len(found.answers)
    return answers
