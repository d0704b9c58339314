"""`kill -9` in the midst of a run with a model: it goes on, and pays for no answer again that was kept."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fathom.cli import main
from fathom_testing.model_server import Entry, ModelServer
from tests.support.corpus import QUESTION, corpus

PATIENCE = 120


class Cli:
    """`fathom`: started in a process of its own, or asked in this one."""

    def __init__(self, folder: Path, server: ModelServer, capfd: pytest.CaptureFixture[str]) -> None:
        self.capfd = capfd
        self.documents = corpus(folder)
        self.model = ["--model", "openai:fathom-test", "--base-url", f"{server.url}/v1"]

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "fathom", *map(str, arguments)]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        return subprocess.Popen(command, text=True, **pipes)

    def told(self, *arguments: object) -> Any:
        """What a command answers, which must end well."""
        self.capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = self.capfd.readouterr()
        assert not ended.value.code, err
        return json.loads(out)

    def paid(self, run_id: str) -> list[dict[str, Any]]:
        """The answers of the model that are durable."""
        journal = self.told("show", run_id, "--state", "--format", "json")["journal"]
        return [entry for entry in journal if entry["usage"] and entry["kind"] != "failed"]


def prompts(calls: list[Entry]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(call.prompt) for call in calls)


@pytest.mark.parametrize("words", [pytest.param("new passage", marks=pytest.mark.soak), "new finding"])
def test_a_killed_run_goes_on_and_pays_for_nothing_twice(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setenv("FATHOM_HOME", str(tmp_path / "home"))
    with ModelServer(latency=0.15, log_prompts=True) as server:
        cli = Cli(tmp_path, server, capfd)
        process = cli.start("research", QUESTION, "--docs", cli.documents, *cli.model)
        assert process.stderr is not None
        for line in process.stderr:
            if words in line:
                break
        process.kill()
        process.communicate(timeout=PATIENCE)
        assert process.returncode == -9
        before = server.calls
        run_id = cli.told("runs", "--format", "json")[0]["run_id"]
        durable = cli.paid(run_id)

        report = cli.told("resume", run_id, "--json", "-")

        after = server.calls[len(before) :]
    repeated = (prompts(before) & prompts(after)).total()
    assert durable and repeated == len(before) - len(durable), "those that were under way, and no others"
    assert max(prompts(after).values()) == 1
    assert report["partial"] is None and report["claims"] and not report["stand_ins"]
