"""The commands with a language model, over the wire: what a person asks for, sees, and is refused."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from fathom_testing.model_server import ModelServer
from tests.cli.conftest import QUESTION, Call, Done

pytestmark = pytest.mark.usefixtures("here")
MODEL = "fathom-test"
SECRET = "sk-s3cret-of-mine"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def asked(server: ModelServer) -> tuple[str, ...]:
    """The flags that ask the server."""
    return "--model", f"openai:{MODEL}", "--base-url", f"{server.url}/v1"


def assert_refused(done: Done, said: str, home: Path) -> None:
    assert done.code == 2, done
    assert len(done.complaints) == 1 and said in done.complaints[0], done.err
    assert "Traceback" not in done.err and not done.out
    assert not (home / "knowledge").exists() and not (home / "runs.sqlite3").exists()


def test_a_report_is_written_with_a_model_and_every_call_can_be_seen(
    server: ModelServer, asked: tuple[str, ...], call: Call, notes: Path
) -> None:
    done = call("research", QUESTION, "--docs", notes, *asked)

    assert done.code == 0 and done.out.startswith("# "), done
    assert server.calls
    (told,) = [line for line in done.err.splitlines() if line.startswith("Models: ")]
    assert "tokens (estimated: " in told
    run = json.loads(call("runs", "--format", "json").out)[0]
    assert run["models"]["model"] == f"openai:{MODEL}" and run["reasoner"].startswith("language_model ")
    calls = json.loads(call("show", run["run_id"], "--calls", "--format", "json").out)
    models = [made for made in calls if made["model"]]
    assert len([made for made in models if made["outcome"] != "cached"]) == len(server.calls)
    assert {"search", "describe", "PlanResearch"} <= {made["ask"] for made in calls}
    assert all(made["model"] == f"openai:{MODEL}" and made["prompt_tokens"] > 0 for made in models)
    assert f"calls to models: {sum(made['prompt_tokens'] for made in models):,} tokens sent" in (
        call("show", run["run_id"], "--calls").out
    )


def test_the_state_of_a_run_with_a_model_can_be_looked_at_and_is_deleted_with_it(
    asked: tuple[str, ...], call: Call, home: Path, notes: Path
) -> None:
    call("research", "What is a scope?", "--docs", notes, *asked)
    run_id = call("runs").out.split()[0]

    seen = json.loads(call("show", run_id, "--state", "--format", "json").out)
    assert seen["graph"]["statuses"] == {"task_1": "completed"}

    assert call("delete", run_id).code == 0
    with closing(sqlite3.connect(home / "checkpoints.sqlite3")) as checkpoints:
        assert checkpoints.execute("SELECT count(*) FROM checkpoints").fetchone() == (0,)


@pytest.mark.parametrize("question", [QUESTION, "What is a scope?"])
def test_what_a_run_took_lies_within_what_was_expected(
    asked: tuple[str, ...], call: Call, notes: Path, question: str
) -> None:
    done = call("research", question, "--docs", notes, *asked, "--quiet", "--json", "-")
    report = json.loads(done.out)
    expected, usage = report["estimate"], report["usage"]
    models = sum(count for kind, count in usage["calls"].items() if kind not in {"search", "describe"})
    assert expected["model_calls_low"] <= models <= expected["model_calls_high"]
    assert expected["calls_low"] <= sum(usage["calls"].values()) <= expected["calls_high"]
    assert expected["tokens_low"] <= usage["prompt_tokens"] + usage["completion_tokens"] <= expected["tokens_high"]


def test_a_run_is_replayed_with_the_same_bytes_when_its_model_is_gone(
    asked: tuple[str, ...], server: ModelServer, call: Call, notes: Path
) -> None:
    report = call("research", QUESTION, "--docs", notes, *asked, "--quiet").out
    run_id = call("runs").out.split()[0]
    before = len(server.calls)

    assert call("replay", run_id).out == report
    assert len(server.calls) == before


def test_a_second_run_pays_nothing_for_what_the_first_has_asked(
    asked: tuple[str, ...], server: ModelServer, call: Call, notes: Path
) -> None:
    first = call("research", QUESTION, "--docs", notes, *asked)
    paid = len(server.calls)

    second = call("research", QUESTION, "--docs", notes, *asked)
    assert (second.out, len(server.calls)) == (first.out, paid)
    assert "spared by earlier answers" in second.err

    call("research", QUESTION, "--docs", notes, *asked, "--no-cache")
    assert len(server.calls) == 2 * paid


def test_a_plan_tells_what_it_takes_and_what_leaves_and_can_be_carried_out(
    asked: tuple[str, ...], server: ModelServer, call: Call, notes: Path
) -> None:
    done = call("plan", QUESTION, "--docs", notes, *asked)

    assert done.code == 0, done
    assert "calls to models" in done.out and "tokens" in done.out
    assert f"Nothing leaves this machine: asked is openai:{MODEL} at {server.url.removeprefix('http://')}." in done.out
    planned = [entry.ask for entry in server.calls]
    assert json.loads(call("runs", "--format", "json").out)[0]["status"] == "planned"
    resumed = call("resume", done.out.split()[-1])
    assert json.loads(call("runs", "--format", "json").out)[0]["status"] == "completed"
    assert resumed.code == 0 and resumed.out.startswith("# ")
    assert [entry.ask for entry in server.calls].count("PlanResearch") == planned.count("PlanResearch") == 1


def test_a_plan_says_that_the_model_writes_what_is_searched_for(
    asked: tuple[str, ...], call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_SEARXNG_BASE_URL", "https://search.example")
    done = call("plan", QUESTION, "--docs", notes, *asked, "--search", "searxng")
    assert "the queries, which the model writes, to search.example (searxng)." in done.out


def test_a_plan_of_a_hosted_model_names_its_host(
    server: ModelServer, call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_EMBEDDER", "ollama:nomic-embed-text")
    monkeypatch.setenv("FATHOM_EMBEDDER_BASE_URL", "http://box.example:11434")
    model = ("--model", f"openai:{MODEL}", "--base-url", f"{server.url}/v1")
    done = call("plan", QUESTION, "--docs", notes, *model, "--no-web")
    assert (done.code, len(done.complaints)) == (2, 1)
    assert "is at box.example:11434, and nothing may leave this machine" in done.complaints[0]


def test_flags_replace_the_models_of_a_run_that_is_taken_up(
    asked: tuple[str, ...], server: ModelServer, call: Call, notes: Path
) -> None:
    assert call("research", QUESTION, "--docs", notes, *asked, "--max-calls", "3").code == 0
    run_id = call("runs").out.split()[0]
    with ModelServer() as other:
        before = len(server.calls)
        done = call("resume", run_id, "--max-calls", "none", "--base-url", f"{other.url}/v1")
        assert done.code == 0 and other.calls, done
    assert len(server.calls) == before
    assert json.loads(call("runs", "--format", "json").out)[0]["models"]["base_url"] == f"{other.url}/v1"


def test_a_wrong_key_is_one_line_before_any_work(
    call: Call, notes: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_MODEL_API_KEY", SECRET)
    with ModelServer(api_key="another") as server:
        flags = ("--model", f"openai:{MODEL}", "--base-url", f"{server.url}/v1")
        done = call("research", QUESTION, "--docs", notes, *flags)
        assert_refused(done, "key", home)
        assert SECRET not in done.err and not server.calls


def test_no_key_is_kept_or_told(call: Call, notes: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FATHOM_MODEL_API_KEY", SECRET)
    with ModelServer(api_key=SECRET) as server:
        flags = ("--model", f"openai:{MODEL}", "--base-url", f"{server.url}/v1")
        done = call("research", QUESTION, "--docs", notes, *flags, "--json", "report.json")
        assert done.code == 0 and server.calls
        looked = call("doctor", *flags)
    shown = call("show", call("runs").out.split()[0], "--state", "--format", "json")
    told = [*done, *looked, *shown, Path("report.json").read_text(encoding="utf-8")]
    assert not any(SECRET in str(text) for text in told)
    assert not any(SECRET.encode() in file.read_bytes() for file in home.rglob("*") if file.is_file())


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--model", "opnai:small"), "Did you mean 'openai'?"),
        (("--model", "small"), "provider:model"),
        (("--model", "openai:small"), "set OPENAI_API_KEY"),
        (("--model", "openai:small", "--base-url", "http://127.0.0.1:9/v1"), "cannot be reached"),
        (("--model", "openai:small", "--base-url", f"https://me:{SECRET}@host/v1"), "FATHOM_MODEL_API_KEY"),
        (("--model", "ollama:small", "--prompts", "nowhere"), "There is no folder nowhere of prompts"),
        (("--model", "ollama:small", "--base-url", "http://box.example", "--no-web"), "nothing may leave this machine"),
    ],
)
def test_models_that_cannot_be_asked_are_refused_before_any_work(
    call: Call, notes: Path, home: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], said: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = call("research", QUESTION, "--docs", notes, *flags)
    assert_refused(done, said, home)
    assert SECRET not in done.err


def test_a_model_that_the_server_does_not_have_is_guessed_at(call: Call, notes: Path, home: Path) -> None:
    with ModelServer(models=["llama3.1"]) as server:
        flags = ("--model", "openai:lama3.1", "--base-url", f"{server.url}/v1")
        assert_refused(call("research", QUESTION, "--docs", notes, *flags), "Did you mean 'llama3.1'?", home)


def test_doctor_tells_what_a_model_holds_how_it_answers_and_what_it_costs(asked: tuple[str, ...], call: Call) -> None:
    checks = {check["name"]: check for check in json.loads(call("doctor", *asked, "--format", "json").out)}
    found = checks[f"model openai:{MODEL}"]
    assert found["status"] == "ok"
    assert "127.0.0.1" in found["found"] and "tokens" in found["found"] and "structured answers" in found["found"]
    assert found["found"].endswith("free")


def test_doctor_says_that_no_model_is_set_and_how_to_set_one(call: Call) -> None:
    done = call("doctor")
    assert done.code == 0 and "--model ollama:llama3.1" in done.out


def test_doctor_names_a_model_that_cannot_be_asked(call: Call) -> None:
    done = call("doctor", "--model", "openai:small", "--base-url", "http://127.0.0.1:9/v1")
    assert done.code == 1 and "cannot be reached" in done.out and "Start the server" in done.out


def test_a_cap_on_tokens_ends_the_run_with_a_report(asked: tuple[str, ...], call: Call, notes: Path) -> None:
    done = call("research", QUESTION, "--docs", notes, *asked, "--max-tokens", "2k", "--json", "report.json")
    assert done.code == 0 and done.out.startswith("# ")
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert report["limits"]["max_tokens"] == 2_000 and report["estimate"]["tokens_high"] <= 2_000
