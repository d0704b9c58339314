"""A real inference server on this machine: llama.cpp's, from the package `xllamacpp`, with a model of chance."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.inference.tiny_gguf import Profile, write

NAME = "tiny"
SLOTS = 4
"""Answers at once."""
LONGEST = 1_500
"""Tokens after which an answer is cut: a model of chance may never close a string."""


@dataclass(frozen=True)
class Server:
    """A server that listens."""

    address: str
    log: Path
    """Folder with a file per prompt that was answered."""

    @property
    def url(self) -> str:
        """What OpenAI's clients are given."""
        return f"{self.address}/v1"

    def prompts(self) -> list[str]:
        """Every prompt so far, as the model was given it."""
        return [path.read_text(encoding="utf-8", errors="replace") for path in sorted(self.log.glob("*.txt"))]


@contextmanager
def serving(
    folder: Path, *, profile: Profile = "garbage", window: int = 32_768, seed: int = 7, model: Path | None = None
) -> Iterator[Server]:
    """A server with a model of that profile that reads and writes `window` tokens in an answer; a letter is one. With
    `model`, the file of another one."""
    log = folder / "prompts"
    log.mkdir(parents=True)
    if model is None:
        model = folder / "tiny.gguf"
        write(model, profile=profile, window=window, seed=seed)
    command = [sys.executable, "-m", "tests.inference.server", str(model), str(log), str(window)]
    root = Path(__file__).parents[2]
    with (folder / "server.log").open("w") as errors:
        process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        if not said.startswith("http://"):
            raise RuntimeError(f"the inference server did not begin: {(folder / 'server.log').read_text()[-2000:]}")
        yield Server(said.strip(), log)
    finally:
        process.kill()
        process.wait()


def main(model: str, log: str, window: str) -> None:
    """Serve until killed."""
    xllamacpp: Any = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {NAME}
    params.port = 0
    params.n_parallel = SLOTS
    params.n_ctx = int(window) * SLOTS
    params.n_predict = LONGEST
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = 1
    params.warmup = False
    params.cache_ram_mib = 0
    params.path_prompts_log_dir = log
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main(*sys.argv[1:])
