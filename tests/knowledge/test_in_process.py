"""The embedder in this process: the real library, on a model that is made here."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Sequence
from importlib import util
from pathlib import Path

import pytest

from fathom.errors import ConfigurationError
from fathom.knowledge import in_process
from fathom.knowledge.in_process import FastEmbed
from fathom.ports import Embedder
from fathom.settings import Settings
from fathom.wiring import open_embedder
from fathom.wiring.leaving import place_of
from tests.contracts import EmbedderContract
from tests.support.tiny_onnx import DIMENSIONS, tiny_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("models") / "tiny model")


class TestFastEmbed(EmbedderContract):
    @pytest.fixture
    def embedder(self, folder: Path) -> Embedder:
        return FastEmbed(folder)

    @pytest.fixture
    def unreachable(self, tmp_path: Path) -> Embedder:
        return FastEmbed(tiny_model(tmp_path, value=math.nan))


async def test_a_setting_names_a_folder_or_the_model_in_it(folder: Path) -> None:
    for named in (folder, folder / "model.onnx"):
        embedder = open_embedder(Settings(embedder=f"fastembed:{named}", no_web=True))

        assert embedder is not None
        assert embedder.name.startswith("fastembed:tiny model@")
        assert place_of(embedder) == ("", True)
        await embedder.embed(["deep sea"])
        assert embedder.dimensions == DIMENSIONS


async def test_another_model_in_the_same_folder_has_another_name(tmp_path: Path) -> None:
    first = FastEmbed(tiny_model(tmp_path / "model")).name

    assert FastEmbed(tiny_model(tmp_path / "model", value=1.0)).name != first


@pytest.mark.parametrize(
    ("vocabulary", "set_by_hand", "known"), [(12, False, False), (12, True, True), (250_002, False, True)]
)
def test_a_large_vocabulary_tells_a_model_of_many_languages(
    tmp_path: Path, vocabulary: int, set_by_hand: bool, known: bool
) -> None:
    made = FastEmbed(tiny_model(tmp_path, vocabulary=vocabulary), multilingual=set_by_hand)

    assert made.multilingual is known


@pytest.mark.parametrize(
    ("spoiled", "said"),
    [
        (None, "it is not there"),
        ("model.onnx", "it holds no model.onnx"),
        ("tokenizer.json", "there is no tokenizer.json beside it"),
    ],
)
def test_a_folder_that_lacks_a_file_is_told_at_once(tmp_path: Path, spoiled: str | None, said: str) -> None:
    folder = tiny_model(tmp_path / "model")
    if spoiled:
        (folder / spoiled).unlink()

    with pytest.raises(ConfigurationError, match=said) as raised:
        FastEmbed(folder if spoiled else tmp_path / "nowhere")

    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json", "config.json"])
async def test_a_file_that_is_broken_is_one_line_about_the_folder(tmp_path: Path, broken: str) -> None:
    folder = tiny_model(tmp_path / "model")
    (folder / broken).write_bytes(b"\x00 no model \n")

    with pytest.raises(ConfigurationError) as raised:
        await FastEmbed(folder).embed(["deep sea"])

    assert str(raised.value).startswith(f"The model in {folder} cannot be used: ")
    assert "\n" not in str(raised.value)


def test_without_the_package_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = util.find_spec
    monkeypatch.setattr(in_process, "find_spec", lambda name: None if name == "fastembed" else found(name))

    with pytest.raises(ConfigurationError, match=r"pip install 'fathom-research\[embeddings\]'"):
        FastEmbed(folder)


async def test_the_event_loop_goes_on_while_texts_are_embedded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder, going_on = FastEmbed(folder), threading.Event()

    def waiting(texts: Sequence[str]) -> list[tuple[float, ...]]:
        assert going_on.wait(60)
        return [(1.0,) for _ in texts]

    monkeypatch.setattr(embedder, "_embed", waiting)
    embedding = asyncio.create_task(embedder.embed(["deep sea"]))
    await asyncio.sleep(0)
    going_on.set()

    assert await embedding == [(1.0,)]
