"""What the server answers: Fathom's asks by their answerers, everyone else's by the words of their prompt."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any

from fathom_testing.model_server.answers import Prompt, known
from fathom_testing.model_server.shapes import schema_of
from fathom_testing.model_server.talk import Reply, Request, Tool, ToolCall
from fathom_testing.model_server.values import Values
from fathom_testing.model_server.words import Words

_ENDS = re.compile(r"complete|finish|done|final|submit|answer|respond|conclude|publish", re.IGNORECASE)
_THINKS = re.compile(r"think|reflect|thought|reason", re.IGNORECASE)
_FILES = re.compile(r"file|todo|edit|write|execute|shell|python|^ls$|glob|grep|transfer|handoff", re.IGNORECASE)
_SEARCHES = re.compile(
    r"search|find|look_?up|query|retriev|fetch|browse|scrape|visit|extract|crawl|research|wiki|arxiv|tavily|read|ask",
    re.IGNORECASE,
)
ENOUGH = 2
"""Results of tools after which nothing more is looked for."""


def ask_of(request: Request) -> str:
    """What the call is about: the title of its schema, `json`, the tool that must be called, `tools`, or `text`."""
    if tool := _own_tool(request):
        return _title(tool)
    if (schema := _schema(request)) is not None:
        return str(schema.get("title") or "json")
    if request.json_mode:
        return "json"
    return next(
        (tool.name for tool in request.tools if tool.name == request.choice), "tools" if request.tools else "text"
    )


def reply(request: Request) -> Reply:
    """The answer to a call.

    Raises:
        Exception: whatever the answerer of one of Fathom's asks raises.
    """
    words = Words(request)
    if tool := _own_tool(request):
        return _called(request, [(tool, _answered(request, _title(tool), tool.parameters))])
    if request.tools and request.choice != "none" and (calls := _calls(request, words)):
        return _called(request, calls)
    if (schema := _schema(request)) is not None:
        return _said(request, _json(_answered(request, str(schema.get("title", "")), schema)))
    example = words.example() if not request.tools else None
    if request.json_mode and not isinstance(example, dict):
        example = {"answer": "text"}
    if example is not None:
        return _said(request, _json(Values(schema_of(example), words).make()))
    return _said(request, " ".join(words.sentences[:8]))


def _answered(request: Request, title: str, schema: dict[str, Any]) -> Any:
    """What Fathom's answerer says; for a schema that is not Fathom's, a value of the words of the prompt."""
    if title in (answers := known()):
        return answers[title](Prompt(request.text_of("system"), request.text_of("user"), schema))
    return Values(schema, Words(request)).make()


def _own_tool(request: Request) -> Tool | None:
    """The tool whose arguments are the answer to one of Fathom's asks."""
    if request.choice == "none":
        return None
    return next((tool for tool in request.tools if _title(tool) in known()), None)


def _title(tool: Tool) -> str:
    title = str(tool.parameters.get("title", ""))
    return title if title in known() else tool.name


def _schema(request: Request) -> dict[str, Any] | None:
    """The JSON schema that the answer is held to, or that stands fenced in the prompt of a call without tools."""
    if request.native is not None or request.tools:
        return request.native
    shown = Words(request).shown()
    return next((value for value in shown if isinstance(value, dict) and value.keys() & {"properties", "$ref"}), None)


def _calls(request: Request, words: Words) -> list[tuple[Tool, Any]]:
    """The tools that an agent calls next, with their arguments; none when it has seen enough.

    First what searches, twice at most and never for the same; then, once each, what thinks and what ends.
    """
    done = [name for message in request.messages for name in message.calls]
    results = sum(message.role == "tool" for message in request.messages)
    forced = next((tool for tool in request.tools if tool.name == request.choice), None)
    only = request.tools[0] if len(request.tools) == 1 and not results else None
    if forced or (only and not _SEARCHES.search(only.name)):
        return [(tool, _arguments(tool, words, results)) for tool in (forced, only) if tool][:1]
    ending = [tool for tool in request.tools if _ends(tool)]
    thinking = [tool for tool in request.tools if _THINKS.search(tool.name) and tool not in ending]
    rest = [tool for tool in request.tools if tool not in ending and tool not in thinking]
    searching = [tool for tool in rest if _SEARCHES.search(tool.name) and not _FILES.search(tool.name)]
    if results < ENOUGH and searching:
        turns = range(results, ENOUGH if request.parallel else results + 1)
        return [(tool := searching[turn % len(searching)], _arguments(tool, words, turn)) for turn in turns]
    left = [tool for tool in [*thinking, *ending] if tool.name not in done]
    if not left and request.choice == "any":
        left = [*ending, *(tool for tool in request.tools if tool.name not in done), *request.tools]
    return [(tool, _arguments(tool, words, results)) for tool in left[:1]]


def _ends(tool: Tool) -> bool:
    """Whether the tool takes the result: by its name, or because it is a class, as structured answers are."""
    is_class = re.fullmatch(r"(?:[A-Z][a-z]+)+", tool.name) and not _SEARCHES.search(tool.name)
    return bool(_ENDS.search(tool.name) or is_class)


def _arguments(tool: Tool, words: Words, turn: int) -> Any:
    return Values({"type": "object", **tool.parameters}, words, turn=turn, sparing=True).make()


def _called(request: Request, calls: list[tuple[Tool, Any]]) -> Reply:
    made = []
    for index, (tool, arguments) in enumerate(calls):
        written = _json(arguments)
        seed = f"{len(request.messages)}/{index}/{tool.name}/{written}"
        made.append(ToolCall(f"call_{sha256(seed.encode()).hexdigest()[:20]}", tool.name, written))
    return Reply("", tuple(made), "tools", prompt_tokens=request.prompt_tokens)


def _said(request: Request, text: str) -> Reply:
    return Reply(text, prompt_tokens=request.prompt_tokens)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
