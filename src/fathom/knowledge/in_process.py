"""An embedder that needs no server: an ONNX model in a folder of one's own, run by fastembed in this process."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fathom.errors import ConfigurationError, MalformedReply
from fathom.knowledge.embedding import model_of, sendable, unit
from fathom.outcomes import in_thread_of
from fathom.settings import Settings
from fathom.text.harmless import inert

FILES = ("model.onnx", "onnx/model.onnx")
"""Where the model stands in a folder."""
TOKENS = 256
"""Of a text that count, where the folder does not say how many the model takes."""
MANY = 100_000
"""Tokens of a vocabulary from which it is of many languages: English models have 30,000 to 50,000."""
_KEPT = 4_096
_EMBEDDING = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fathom-embedding")
"""Of all models of the process: each takes the cores that it can use."""


class FastEmbed:
    """Nothing is downloaded, and nothing leaves the process. The model is loaded when the first text comes."""

    address = ""
    dimensions = 0

    def __init__(self, path: Path, *, multilingual: bool = False) -> None:
        """`path` is a folder, or the file of a model in one.

        Raises:
            ConfigurationError: fastembed is not installed, or the folder lacks a file.
        """
        self._path = path.expanduser().resolve()
        if find_spec("fastembed") is None:
            raise ConfigurationError(
                "The embedder 'fastembed' needs its package: run `pip install 'fathom-research[embeddings]'`."
            )
        files = [self._path] if self._path.suffix == ".onnx" else [self._path / name for name in FILES]
        file = next((file for file in files if file.is_file()), None)
        if file is None:
            raise self._unusable("it holds no model.onnx" if self._path.is_dir() else "it is not there")
        folder = next((at for at in file.parents[:2] if (at / "tokenizer.json").is_file()), None)
        if folder is None:
            raise self._unusable("there is no tokenizer.json beside it")
        self._folder = folder
        self._file = file.relative_to(self._folder).as_posix()
        try:
            with file.open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
            known = self._told("config.json").get("vocab_size")
        except (OSError, ValueError) as error:
            raise self._unusable(str(error)) from error
        self.name = f"fastembed:{inert(self._folder.name, width=60)}@{digest[:12]}"
        self.multilingual = multilingual or (isinstance(known, int) and known >= MANY)
        self._vector: Callable[[str], tuple[float, ...]] | None = None

    async def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """One vector of length 1 per text, in order. Of a very long text its beginning counts.

        Raises:
            ConfigurationError: the model cannot be loaded.
            MalformedReply: it gives no vector.
        """
        vectors = await in_thread_of(_EMBEDDING, partial(self._embed, tuple(texts)))
        self.dimensions = len(vectors[0]) if vectors else self.dimensions
        return vectors

    async def close(self) -> None:
        """Let go of the model."""
        self._vector = None

    def _embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        if not texts:
            return []
        vector = self._vector = self._vector or self._loaded()
        return [vector(sendable(text)) for text in texts]

    def _loaded(self) -> Callable[[str], tuple[float, ...]]:
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType

        try:
            pooling = "CLS" if self._told("1_Pooling/config.json").get("pooling_mode_cls_token") else "MEAN"
            if self.name not in {each["model"] for each in TextEmbedding.list_supported_models()}:
                TextEmbedding.add_custom_model(
                    model=self.name,
                    pooling=PoolingType[pooling],
                    normalization=True,
                    sources=ModelSource(url="file:///"),  # it asks for one, and uses the folder
                    dim=0,
                    model_file=self._file,
                )
            with self._complete() as folder:
                model = TextEmbedding(self.name, specific_model_path=str(folder))
        except Exception as error:
            raise self._unusable(inert(str(error), width=200)) from error

        def vector(text: str) -> tuple[float, ...]:
            # one by one: the vectors of a quantised model depend on what else is in its batch
            try:
                (found,) = model.embed([text], batch_size=1)
                return tuple(unit(found.tolist()))
            except Exception as error:
                raise MalformedReply(
                    f"The model in {self._folder} gives no vector: {inert(str(error), width=200)}."
                ) from error

        vector("fathom")
        return lru_cache(_KEPT)(vector)

    @contextmanager
    def _complete(self) -> Iterator[Path]:
        """The folder with a tokenizer_config.json: fastembed reads none without, and older models have no such file."""
        if (self._folder / "tokenizer_config.json").exists():
            yield self._folder
            return
        with TemporaryDirectory() as made:
            for each in self._folder.iterdir():
                Path(made, each.name).symlink_to(each)
            tokens = self._told("sentence_bert_config.json").get("max_seq_length") or TOKENS
            Path(made, "tokenizer_config.json").write_text(
                json.dumps({"model_max_length": tokens, "pad_token": "[PAD]"}), encoding="utf-8"
            )
            yield Path(made)

    def _told(self, name: str) -> dict[str, Any]:
        """What a file of the folder says; nothing where there is none."""
        file = self._folder / name
        found = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        return found if isinstance(found, dict) else {}

    def _unusable(self, why: str) -> ConfigurationError:
        return ConfigurationError(
            f"The model in {self._path} cannot be used: {why.rstrip('.')}. "
            "Name a folder with tokenizer.json and model.onnx, or do without: as a ranker, `none`."
        )


def fastembed(settings: Settings) -> FastEmbed:
    """The embedder that `fastembed:FOLDER` names."""
    return FastEmbed(Path(model_of(settings)), multilingual=settings.embedder_multilingual)
