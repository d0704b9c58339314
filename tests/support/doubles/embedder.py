"""An embedder whose vectors come from the words of a text alone: texts that share words are alike."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Sequence

from fathom.errors import Unavailable
from tests.support.doubles.reasoner import Latency, no_latency, share

_WORD = re.compile(r"\w+")


class SimulatedEmbedder:
    """`embedded` lists every text that it was given, in order."""

    def __init__(
        self,
        name: str = "simulated",
        *,
        dimensions: int = 64,
        multilingual: bool = True,
        latency: Latency = no_latency,
        failing: bool = False,
    ) -> None:
        """While it is `failing`, it answers nothing."""
        self.name = name
        self.dimensions = dimensions
        self.multilingual = multilingual
        self.latency = latency
        self.failing = failing
        self.embedded: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text, after the latency of the first."""
        if not texts:
            return []
        self.embedded += texts
        await asyncio.sleep(self.latency("embed", texts[0]))
        if self.failing:
            raise Unavailable(f"The simulated embedder {self.name} fails.")
        return [word_vector(text, dimensions=self.dimensions) for text in texts]

    async def close(self) -> None:
        """Hold nothing."""


def word_vector(text: str, *, dimensions: int) -> list[float]:
    """The words of a text, each counted at the place that its digest names, stretched to length 1.

    >>> word_vector("Sea, deep sea", dimensions=3) == word_vector("deep SEA sea", dimensions=3)
    True
    """
    vector = [0.0] * dimensions
    for word in _WORD.findall(text.casefold()) or [""]:
        vector[int(share("word", word) * dimensions)] += 1.0
    norm = math.hypot(*vector)
    return [value / norm for value in vector]
