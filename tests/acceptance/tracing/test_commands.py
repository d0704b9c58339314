"""Traces of a command: as the environment says, at home with `no_web`, and never in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fathom import telemetry
from fathom.cli import main
from fathom.wiring import tracing
from fathom.wiring.tracing import stays_here
from fathom_testing.model_server import ModelServer
from tests.acceptance.tracing.collector import Collector, collecting

QUESTION = "How deep is the Mariana Trench?"
KEY = "lsv2-do-not-tell"


def research(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """`fathom research` in a process of its own."""
    notes = folder / "notes"
    notes.mkdir(exist_ok=True)
    (notes / "seas.md").write_text("# Seas\n\nThe Mariana Trench is 10,935 metres deep.\n", encoding="utf-8")
    return run("research", QUESTION, "--docs", str(notes), "--quiet", FATHOM_HOME=str(folder / "home"), **variables)


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "fathom", *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def langsmith(address: str) -> dict[str, str]:
    return {"LANGSMITH_TRACING": "true", "LANGSMITH_ENDPOINT": address, "LANGSMITH_API_KEY": KEY}


def told(collector: Collector) -> str:
    return b"\n".join(collector.bodies).decode("utf-8", "replace")


def test_a_command_sends_its_traces_before_it_ends_to_this_machine_without_the_web_too(tmp_path: Path) -> None:
    with collecting() as collector:
        done = research(
            tmp_path,
            **langsmith(collector.address),
            LANGSMITH_PROJECT="seas",
            OTEL_EXPORTER_OTLP_ENDPOINT=collector.address,
            FATHOM_NO_WEB="1",
        )

    assert (done.returncode, done.stderr) == (0, "")
    (root,) = collector.roots
    assert (root["name"], root["session_name"]) == ("fathom research", "seas")
    assert all(run["end_time"] for run in collector.runs.values())
    assert "act < subtask task_1 < fathom research" in {
        " < ".join(map(str, collector.chain(run))) for run in collector.runs.values()
    }
    (top,) = [span for span in collector.spans if not span.parent_span_id]
    assert top.name == "invoke_agent fathom"
    assert {span.trace_id for span in collector.spans} == {top.trace_id}
    assert KEY not in told(collector)


@pytest.mark.parametrize("hanging", [True, pytest.param(False, marks=pytest.mark.soak)], ids=["hangs", "is down"])
def test_an_endpoint_that_cannot_be_reached_is_not_heard_of(
    hanging: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with collecting(hanging=hanging) as collector:
        address = collector.address if hanging else "http://127.0.0.1:9"
        done = research(tmp_path, **langsmith(address), OTEL_EXPORTER_OTLP_ENDPOINT=address)

    assert (done.returncode, done.stderr) == (0, "")
    monkeypatch.setenv("FATHOM_HOME", str(tmp_path / "home"))
    with pytest.raises(SystemExit):
        main(["research", QUESTION, "--docs", str(tmp_path / "notes"), "--quiet"])
    assert done.stdout == capfd.readouterr().out


@pytest.mark.parametrize(
    ("address", "no_web", "arrives"),
    [
        pytest.param("http://traces.example", "true", False, marks=pytest.mark.soak),
        ("http://127.0.0.1:9", "true", False),  # by the proxy it would leave this machine, too
        ("http://traces.example", "false", True),  # what shows that a trace would be heard of
    ],
)
def test_without_the_web_no_trace_leaves_this_machine(address: str, no_web: str, arrives: bool, tmp_path: Path) -> None:
    with collecting() as proxy:
        done = research(
            tmp_path,
            **langsmith(address),
            OTEL_EXPORTER_OTLP_ENDPOINT=address,
            FATHOM_NO_WEB=no_web,
            http_proxy=proxy.address,
            no_proxy="",
        )

    assert done.returncode == 0
    assert bool(proxy.runs) is bool(proxy.spans) is bool(proxy.requests) is arrives


def test_without_the_web_what_doctor_asks_a_model_stays_here_too(tmp_path: Path) -> None:
    with collecting() as proxy, ModelServer() as server:
        done = run(
            "doctor",
            **langsmith("http://traces.example"),
            FATHOM_HOME=str(tmp_path),
            FATHOM_NO_WEB="1",
            FATHOM_MODEL="openai:fathom-test",
            FATHOM_BASE_URL=f"{server.url}/v1",
            http_proxy=proxy.address,
            no_proxy="",
        )

    assert done.returncode == 0
    assert "structured answers" in done.stdout
    assert proxy.requests == 0


def test_asking_for_spans_without_the_extra_is_told_once_and_no_more(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    tracing._exporter.cache_clear()

    for _ in range(2):
        with tracing.tracing_allowed(no_web=False), telemetry.span("chat") as span:
            assert not hasattr(span, "get_span_context")

    assert ["pip install 'fathom-research[otel]'" in message for message in caplog.messages] == [True]
    tracing._exporter.cache_clear()


@pytest.mark.parametrize("address", ["", "localhost", "http://10.0.0.1:80", "http://[::1", "https://127.0.0.1.example"])
def test_what_is_not_surely_here_counts_as_elsewhere(address: str) -> None:
    assert not stays_here(address)
