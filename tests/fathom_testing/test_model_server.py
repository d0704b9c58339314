"""The model server keeps the protocols' promises to the clients that people use."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel, Field

from fathom.errors import ConfigurationError
from fathom_testing.model_server import Entry, ModelServer
from fathom_testing.model_server.__main__ import main, parser
from fathom_testing.model_server.answers import ANSWERS, Prompt
from fathom_testing.model_server.faults import Fault, Rule
from fathom_testing.model_server.wires import WIRES
from tests.fathom_testing.chat import CLIENTS, PATHS, QUESTION, body, chat, post, said, with_schema

every_client = pytest.mark.parametrize("protocol", CLIENTS)


class SeaFacts(BaseModel):
    """What the sea is."""

    claims: list[str] = Field(min_length=1)
    queries: list[str]
    is_deep: bool


@tool
def web_search(query: str, limit: int = 5) -> str:
    """Search the web."""
    return f"Search results {limit} say that {query.rstrip('?')} is told by the soundings of many ships."


@tool
def think_tool(reflection: str) -> str:
    """Think about what was found."""
    return f"Thought about {len(reflection)} characters."


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def sea(monkeypatch: pytest.MonkeyPatch) -> list[Prompt]:
    """An answerer of an ask named `AskSea`; the list holds what it was shown."""
    shown: list[Prompt] = []

    def answer(prompt: Prompt) -> dict[str, Any]:
        shown.append(prompt)
        return {"depth": 3688}

    monkeypatch.setitem(ANSWERS, "AskSea", answer)
    return shown


class AskSeaAnswer(BaseModel):
    model_config = {"title": "AskSea"}

    depth: int


@every_client
def test_a_plain_answer_quotes_the_prompt_and_tells_its_tokens(server: ModelServer, protocol: str) -> None:
    answer = chat(protocol, server).invoke(QUESTION)

    assert "The sea is 3,688 metres deep on average" in answer.text
    assert answer.usage_metadata is not None
    assert answer.usage_metadata["input_tokens"] == server.calls[0].prompt_tokens > 0
    assert answer.usage_metadata["output_tokens"] == server.calls[0].completion_tokens > 0


@every_client
def test_a_stream_adds_up_to_the_plain_answer(server: ModelServer, protocol: str) -> None:
    model = chat(protocol, server)
    chunks = [chunk for chunk in model.stream(QUESTION) if isinstance(chunk, AIMessageChunk)]
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk

    assert len(chunks) > 10
    assert whole.text == model.invoke(QUESTION).text
    assert whole.usage_metadata is not None
    assert whole.usage_metadata["input_tokens"] == server.calls[0].prompt_tokens
    assert whole.usage_metadata["output_tokens"] == server.calls[0].completion_tokens
    assert server.calls[0].streamed


@every_client
@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_a_structured_answer_has_the_shape_of_its_class(server: ModelServer, protocol: str, method: str) -> None:
    answer = chat(protocol, server).with_structured_output(SeaFacts, method=method).invoke(QUESTION)

    assert isinstance(answer, SeaFacts)
    assert answer.claims[0] in QUESTION
    assert answer.queries == ["How deep is the sea?"]


@pytest.mark.parametrize("protocol", ["openai", "responses", "ollama"])
def test_json_mode_follows_the_schema_that_the_prompt_shows(server: ModelServer, protocol: str) -> None:
    asked = f"{QUESTION}\nAnswer in JSON of this schema:\n```json\n{json.dumps(SeaFacts.model_json_schema())}\n```"
    answer = chat(protocol, server).with_structured_output(SeaFacts, method="json_mode").invoke(asked)

    assert isinstance(answer, SeaFacts)
    assert server.calls[0].ask == "SeaFacts"


def test_json_mode_without_a_schema_follows_the_example_in_the_prompt(server: ModelServer) -> None:
    asked = f'{QUESTION}\nReturn JSON like {{"queries": ["first", "second"], "rounds": 3}}.'
    answer = post(server, asked=asked, response_format={"type": "json_object"}).json()

    made = json.loads(said("openai", answer))
    assert [type(query) for query in made["queries"]] == [str, str]
    assert isinstance(made["rounds"], int)


def test_a_plain_call_that_wants_a_list_gets_one_and_a_report_stays_text(server: ModelServer) -> None:
    found = '[{"title": "Soundings", "body": "The sea is deep."}]'
    wanted = 'You must respond with a list of strings in the following format: ["query 1", "query 2", "query 3"].'
    queries = said("openai", post(server, asked=f"Context: {found}\n\n{QUESTION}\n{wanted}").json())
    report = said("openai", post(server, asked=f"Context: {found}\n\n{QUESTION} Write a report.").json())

    assert [type(query) for query in json.loads(queries)] == [str] * 3
    assert report.startswith("The sea is 3,688 metres deep")


@every_client
def test_an_ask_of_fathom_is_known_by_the_title_of_its_schema(
    server: ModelServer, protocol: str, sea: list[Prompt]
) -> None:
    model = chat(protocol, server)
    turns = [SystemMessage("Look into the sea."), HumanMessage("<sea>deep</sea>")]
    for method in ("json_schema", "function_calling"):
        assert model.with_structured_output(AskSeaAnswer, method=method).invoke(turns) == AskSeaAnswer(depth=3688)

    assert [(prompt.system, prompt.user) for prompt in sea] == [("Look into the sea.", "<sea>deep</sea>")] * 2
    assert [call.ask for call in server.calls] == ["AskSea"] * 2


@every_client
def test_an_ask_of_fathom_is_known_by_a_schema_in_the_prompt(
    server: ModelServer, protocol: str, sea: list[Prompt]
) -> None:
    shape = json.dumps(AskSeaAnswer.model_json_schema(), indent=1)
    answer = chat(protocol, server).invoke([SystemMessage(f"Answer so:\n\n```json\n{shape}\n```\n"), HumanMessage("?")])

    assert json.loads(answer.text) == {"depth": 3688}
    assert sea[0].schema["title"] == "AskSea"


def test_an_answerer_that_fails_is_an_error_with_its_reason_in_the_log(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(prompt: Prompt) -> dict[str, Any]:
        raise LookupError(f"no <passage> in {prompt.user!r}")

    monkeypatch.setitem(ANSWERS, "AskSea", fail)
    answer = post(server, asked="nothing", **with_schema("openai", AskSeaAnswer.model_json_schema()))

    assert answer.status_code == 500
    assert server.calls[0].error.startswith("LookupError: no <passage> in 'nothing' (test_model_server.py:")


@every_client
def test_an_agent_searches_for_two_things_and_then_answers(server: ModelServer, protocol: str) -> None:
    model = chat(protocol, server).bind_tools([web_search, think_tool])
    turns: list[Any] = [HumanMessage(QUESTION)]
    first = model.invoke(turns)
    assert isinstance(first, AIMessage)
    searches = [call["args"]["query"] for call in first.tool_calls]
    assert [call["name"] for call in first.tool_calls] == ["web_search", "web_search"]
    assert len(set(searches)) == 2
    results = [ToolMessage(web_search.invoke(call["args"]), tool_call_id=call["id"]) for call in first.tool_calls]

    second = model.invoke([*turns, first, *results])
    assert isinstance(second, AIMessage)
    assert [call["name"] for call in second.tool_calls] == ["think_tool"]
    thought = ToolMessage("Thought.", tool_call_id=second.tool_calls[0]["id"])

    last = model.invoke([*turns, first, *results, second, thought])
    assert isinstance(last, AIMessage)
    assert last.tool_calls == []
    assert "soundings of many ships" in last.text


@pytest.mark.parametrize("protocol", ["openai", "responses", "anthropic"])
def test_a_forced_tool_is_called_and_one_at_a_time_if_so_asked(server: ModelServer, protocol: str) -> None:
    model = chat(protocol, server)
    forced = model.bind_tools([web_search, think_tool], tool_choice="think_tool").invoke(QUESTION)
    single = model.bind_tools([web_search, think_tool], parallel_tool_calls=False).invoke(QUESTION)

    assert isinstance(forced, AIMessage)
    assert isinstance(single, AIMessage)
    assert [call["name"] for call in forced.tool_calls] == ["think_tool"]
    assert [call["name"] for call in single.tool_calls] == ["web_search"]


@every_client
def test_tool_calls_are_streamed(server: ModelServer, protocol: str) -> None:
    model = chat(protocol, server).bind_tools([web_search])
    chunks = [chunk for chunk in model.stream(QUESTION) if isinstance(chunk, AIMessageChunk)]
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk

    assert [call["name"] for call in whole.tool_calls] == ["web_search", "web_search"]
    assert whole.tool_calls[0]["args"]["query"] == "How deep is the sea?"


@every_client
async def test_a_langgraph_agent_comes_to_an_end(server: ModelServer, protocol: str) -> None:
    from langchain.agents import create_agent

    agent: Any = create_agent(chat(protocol, server), [web_search, think_tool], system_prompt="You do research.")
    ended = await agent.ainvoke({"messages": [HumanMessage(QUESTION)]}, {"recursion_limit": 12})

    assert "soundings of many ships" in ended["messages"][-1].text
    assert len(server.calls) == 3


@every_client
@pytest.mark.parametrize("by", ["ToolStrategy", "ProviderStrategy"])
async def test_an_agent_with_a_structured_answer_searches_and_ends(server: ModelServer, protocol: str, by: str) -> None:
    from langchain.agents import create_agent, structured_output

    strategy = getattr(structured_output, by)(SeaFacts)
    agent: Any = create_agent(chat(protocol, server), [web_search], response_format=strategy)
    ended = await agent.ainvoke({"messages": [HumanMessage(QUESTION)]}, {"recursion_limit": 12})

    assert isinstance(ended["structured_response"], SeaFacts)
    assert len(server.calls) == 2


async def test_a_supervisor_hands_out_research_and_declares_it_complete(server: ModelServer) -> None:
    class ConductResearch(BaseModel):
        """Hand a topic to a researcher."""

        research_topic: str

    class ResearchComplete(BaseModel):
        """Say that the research is complete."""

    model = chat("openai", server).bind_tools([ConductResearch, ResearchComplete, think_tool])
    turns: list[Any] = [HumanMessage(QUESTION)]
    called: list[str] = []
    while "ResearchComplete" not in called:
        answer = await model.ainvoke(turns)
        assert isinstance(answer, AIMessage)
        assert answer.tool_calls, "it stopped before the research was complete"
        called += [call["name"] for call in answer.tool_calls]
        turns += [answer, *(ToolMessage("Found.", tool_call_id=call["id"]) for call in answer.tool_calls)]

    assert called == ["ConductResearch", "ConductResearch", "think_tool", "ResearchComplete"]


@every_client
def test_an_answer_is_cut_where_the_call_says(server: ModelServer, protocol: str) -> None:
    limit = {"openai": "max_tokens", "responses": "max_tokens", "ollama": "num_predict", "anthropic": "max_tokens"}
    answer = chat(protocol, server, **{limit[protocol]: 16}).invoke(QUESTION)

    assert answer.usage_metadata is not None
    assert answer.usage_metadata["output_tokens"] == 16
    assert len(answer.text) < 100


async def test_a_hundred_slow_calls_wait_side_by_side() -> None:
    with ModelServer(latency=1.5) as server:
        async with httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=100)) as client:
            calls = (client.post(server.url + PATHS["openai"], json=body("openai", f"Call {n}?")) for n in range(100))
            answers = await asyncio.gather(*calls)

    assert {answer.status_code for answer in answers} == {200}
    assert max(call.start for call in server.calls) < min(call.end for call in server.calls)


def test_every_model_and_window_is_listed_as_each_provider_lists_them() -> None:
    import anthropic
    import ollama
    import openai

    with ModelServer(models=["sea-1", "sea-2"], window=4096) as server:
        listed = openai.OpenAI(base_url=f"{server.url}/v1", api_key="key").models.list()
        assert [(model.id, model.model_dump()["max_model_len"]) for model in listed] == [
            ("sea-1", 4096),
            ("sea-2", 4096),
        ]
        client = ollama.Client(server.url)
        assert [model.model for model in client.list().models] == ["sea-1", "sea-2"]
        assert (client.show("sea-1").modelinfo or {})["llama.context_length"] == 4096
        assert [model.id for model in anthropic.Anthropic(base_url=server.url, api_key="key").models.list()] == [
            "sea-1",
            "sea-2",
        ]
        assert httpx.get(f"{server.url}/api/version").json()["version"]
        assert httpx.get(server.url).status_code == 200
        assert server.calls == []
        assert post(server).status_code == 404
        assert httpx.get(f"{server.url}/v1/models/sea-3").status_code == 404
        assert httpx.get(f"{server.url}/nowhere").status_code == 404


def test_texts_with_the_same_words_have_vectors_that_lie_near() -> None:
    from langchain_ollama import OllamaEmbeddings
    from langchain_openai import OpenAIEmbeddings
    from pydantic import SecretStr

    with ModelServer() as server:
        key, address = SecretStr("key"), f"{server.url}/v1"
        own = OpenAIEmbeddings(openai_api_key=key, openai_api_base=address, check_embedding_ctx_length=False)
        near, same, far = own.embed_documents(["the deep sea", "sea, the deep", "rust compiles crates"])
        local = OllamaEmbeddings(model="test", base_url=server.url).embed_query("the deep sea")

    assert near == pytest.approx(same)
    assert near == pytest.approx(local)
    assert sum(a * b for a, b in zip(near, far, strict=True)) < 0.5


def test_a_prompt_beyond_the_window_and_a_wrong_key_are_refused() -> None:
    with ModelServer(window=10, api_key="right") as server:
        assert post(server).status_code == 401
        right = {"authorization": "Bearer right"}
        with httpx.Client(headers=right) as client:
            answer = client.post(server.url + PATHS["openai"], json=body("openai"))
            short = client.post(server.url + PATHS["openai"], json=body("openai", "Deep?"))

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "context_length_exceeded")
    assert short.status_code == 200


def test_a_body_that_is_no_call_is_refused(server: ModelServer) -> None:
    answers = [httpx.post(server.url + path, content=text) for path in PATHS.values() for text in ("{}", "[1]", "{")]

    assert {answer.status_code for answer in answers} == {400}


def test_the_log_has_a_line_per_call_and_no_words_of_the_prompt(tmp_path: Path) -> None:
    plain, full = tmp_path / "plain.jsonl", tmp_path / "full.jsonl"
    with ModelServer(log=plain) as first, ModelServer(log=full, log_prompts=True) as second:
        for server in (first, second):
            post(server)
            post(server, "anthropic", **with_schema("anthropic", AskSeaAnswer.model_json_schema()))

    lines = [json.loads(line) for line in plain.read_text().splitlines()]
    assert [(line["number"], line["protocol"], line["ask"], line["status"]) for line in lines] == [
        (1, "openai", "text", 200),
        (2, "anthropic", "AskSea", 200),
    ]
    assert all(0 <= line["start"] <= line["end"] and line["prompt_tokens"] for line in lines)
    assert "metres" not in plain.read_text()
    assert json.loads(full.read_text().splitlines()[0])["prompt"] == [QUESTION]


def test_a_port_that_is_taken_is_an_error_of_one_line(server: ModelServer) -> None:
    port = int(server.url.rpartition(":")[2])

    with pytest.raises(ConfigurationError, match=f"port {port} cannot be used"), ModelServer(port=port):
        pass


def test_the_program_says_where_it_listens_and_ends_when_told(tmp_path: Path) -> None:
    faults = tmp_path / "faults.toml"
    faults.write_text('[[rules]]\nfault = "503"\nat = [2]\n')
    command = [sys.executable, "-m", "fathom_testing.model_server", "--log", str(tmp_path / "log"), "--latency", "0.01"]
    with subprocess.Popen([*command, "--faults", str(faults)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().removeprefix("listening on ").strip()
        statuses = [httpx.post(url + PATHS["ollama"], json=body("ollama")).status_code for _ in range(3)]
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0

    assert statuses == [200, 503, 200]
    assert len((tmp_path / "log").read_text().splitlines()) == 3


def test_the_program_tells_a_wrong_file_of_faults_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)  # what the program does is not for the process of the tests
    faults = tmp_path / "faults.json"
    faults.write_text('[{"fault": "explode"}]')

    with pytest.raises(SystemExit, match=r"^model_server: {'fault': 'explode'} is no rule for faults"):
        main(["--faults", str(faults)])


def test_the_page_names_every_flag_field_and_fault() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "model_server.md").read_text(encoding="utf-8")
    flags = {flag.split()[0] for flag in re.findall(r"^\| `(--[^`]+)`", page, flags=re.MULTILINE)}
    named = set(re.findall(r"`([^`\n]+)`", page))

    assert flags == {option for action in parser()._actions for option in action.option_strings} - {"-h", "--help"}
    assert {str(fault) for status in get_args(Fault) for fault in get_args(status) or (status,)} <= named
    assert Rule.model_fields.keys() <= named
    assert {field.name for field in fields(Entry)} <= named
    assert WIRES.keys() <= {name.removeprefix("POST ") for name in named}
