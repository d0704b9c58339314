"""What a trace shows of language models over the wire, and what it must not show."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom import wiring
from fathom.settings import Settings
from fathom_testing.model_server import ModelServer
from tests.acceptance.tracing.collector import traced

KEY = "sk-do-not-tell-0123456789"


@pytest.mark.parametrize("provider", ["openai", "anthropic", "ollama"])
async def test_a_trace_shows_every_call_to_a_model_and_never_its_key(
    provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "seas.md").write_text("# Seas\n\nThe Mariana Trench is 10,935 metres deep.\n", encoding="utf-8")
    with ModelServer(api_key=KEY) as server, traced() as collector:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        for name in ("OPENAI", "ANTHROPIC", "OLLAMA"):
            monkeypatch.setenv(f"{name}_API_KEY", KEY)
        settings = Settings(home=tmp_path / "home", model=f"{provider}:fathom-test", no_web=True)
        report = await wiring.research(
            "How deep is the Mariana Trench?", documents=[tmp_path / "seas.md"], settings=settings
        )
        served = len(server.calls)

    assert report.stand_ins == {}
    assert [root["name"] for root in collector.roots] == ["fathom research"]
    calls = collector.of_type("llm")
    assert len(calls) == served > 0
    assert ["accumulate", "subtask task_1", "fathom research"] in [collector.chain(call)[1:] for call in calls]
    assert {collector.chain(call)[-1] for call in calls} == {"fathom research"}
    assert all(
        "The Mariana Trench is 10,935 metres deep" in str(call["inputs"])
        for call in calls
        if "accumulate" in collector.chain(call)
    )
    assert all(call["outputs"]["generations"][0][0]["text"].startswith("{") for call in calls)
    assert all(KEY.encode() not in body for body in collector.bodies)
