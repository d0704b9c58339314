"""What every embedder promises."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fathom.errors import ProviderError
from fathom.ports import Embedder

STRANGE = ["", " \n", "\x00\x1b[31m", "🌊" * 50, "\ud800 alone", '</input>{"input": []}', "深い海の底" * 3_000]
SEVERAL = settings(
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)


def likeness(one: Sequence[float], other: Sequence[float]) -> float:
    """The inner product."""
    return sum(a * b for a, b in zip(one, other, strict=True))


class EmbedderContract:
    """A subclass gives the fixtures `embedder` and `unreachable`, whose model or server is not there."""

    async def test_no_texts_get_no_vectors(self, embedder: Embedder) -> None:
        assert list(await embedder.embed([])) == []

    async def test_each_text_gets_a_vector_of_length_one_in_order(self, embedder: Embedder) -> None:
        texts = [f"the sea is {n} metres deep" for n in range(150)]  # more than any batch

        vectors = await embedder.embed(texts)

        assert len(vectors) == len(texts)
        assert {len(vector) for vector in vectors} == {embedder.dimensions}
        assert [math.hypot(*vector) for vector in vectors] == pytest.approx([1.0] * len(texts), abs=1e-6)
        for at in (0, 63, 64, 149):
            (alone,) = await embedder.embed([texts[at]])
            assert list(alone) == pytest.approx(list(vectors[at]), abs=1e-5)

    async def test_a_text_is_nearer_to_itself_than_to_another(self, embedder: Embedder) -> None:
        sea, bread, again = await embedder.embed(["deep sea water", "what bread costs", "deep sea water"])

        assert list(again) == list(sea)
        assert likeness(sea, bread) < likeness(sea, again)

    async def test_strange_texts_are_embedded_too(self, embedder: Embedder) -> None:
        vectors = await embedder.embed(STRANGE)

        assert [math.hypot(*vector) for vector in vectors] == pytest.approx([1.0] * len(STRANGE), abs=1e-6)

    @SEVERAL
    @given(texts=st.lists(st.text(max_size=40), max_size=6))
    async def test_any_texts_get_as_many_vectors(self, embedder: Embedder, texts: list[str]) -> None:
        vectors = await embedder.embed(texts)

        assert len(vectors) == len(texts)
        by_text = {text: list(vector) for text, vector in zip(texts, vectors, strict=True)}
        assert [by_text[text] for text in texts] == [list(vector) for vector in vectors]

    async def test_a_failure_is_an_error_and_no_vector(self, unreachable: Embedder) -> None:
        with pytest.raises(ProviderError) as raised:
            await unreachable.embed(["deep sea"])

        assert str(raised.value)
        assert "\n" not in str(raised.value)

    async def test_it_can_be_used_again_after_it_was_closed(self, embedder: Embedder) -> None:
        before = await embedder.embed(["deep sea"])
        await embedder.close()

        assert list(map(list, await embedder.embed(["deep sea"]))) == list(map(list, before))
