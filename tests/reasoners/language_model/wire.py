"""A server on this machine that answers in the formats of four providers, and says what a test tells it to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "tiny"


@dataclass
class Asked:
    """One request."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Says:
    """An answer of a model."""

    text: str
    finish: str = "stop"
    usage: tuple[int, int] | None = (11, 7)
    refusal: str | None = None
    cut: bool = False
    """The connection ends in the middle."""
    fails: bool = False
    """The stream says in the middle that something went wrong."""
    stalls: bool = False
    """Nothing comes after the middle."""
    late: float = 0.0
    """Seconds before the first of it comes."""


@dataclass
class Fails:
    """A failure."""

    status: int
    body: dict[str, Any] | str = ""
    headers: dict[str, str] = field(default_factory=dict)
    silent: bool = False
    """Nothing is answered at all."""
    resets: bool = False
    """The connection ends at once."""


@dataclass
class WireServer:
    """Says what stands in `script`, one thing for each request to a model; the last one again and again."""

    url: str
    script: list[Says | Fails] = field(default_factory=lambda: [Says("{}")])
    asked: list[Asked] = field(default_factory=list)
    looked: list[Asked] = field(default_factory=list)
    listing: dict[str, Any] | Fails | None = None
    """What is answered to whoever asks for the models; `None` for one model of the test's name."""
    refuses: str | None = None
    """A parameter that is refused as long as it is sent."""
    freed: threading.Event = field(default_factory=threading.Event)

    def says(self, *things: Says | Fails) -> None:
        """Say these from now on."""
        self.script = list(things)
        self.asked.clear()

    def next(self) -> Says | Fails:
        """What is said now."""
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


@contextmanager
def wire_server() -> Iterator[WireServer]:
    """A server for as long as it is used, on a port that is free."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    httpd.daemon_threads = True
    server = WireServer(f"http://127.0.0.1:{httpd.server_port}")
    httpd.wire_server = server  # type: ignore[attr-defined]
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.freed.set()
        httpd.shutdown()
        thread.join()
        httpd.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._look({})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/api/show":
            return self._look(body)
        server = self._server
        server.asked.append(self._asked(body))
        what = server.next() if server.refuses not in body else Fails(400, f"{server.refuses} is not supported")
        if isinstance(what, Fails):
            return self._fail(what)
        streamed = body.get("stream") is True or "streamGenerateContent" in self.path
        if not streamed:
            return self._send(200, json.dumps(_whole(self.path, body, what)))
        return self._stream(body, what)

    @property
    def _server(self) -> WireServer:
        server: WireServer = self.server.wire_server  # type: ignore[attr-defined]
        return server

    def _asked(self, body: dict[str, Any]) -> Asked:
        return Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)

    def _look(self, body: dict[str, Any]) -> None:
        self._server.looked.append(self._asked(body))
        listing = self._server.listing
        if isinstance(listing, Fails):
            self._fail(listing)
        elif listing is not None:
            self._send(200, json.dumps(listing))
        elif self.path == "/api/tags":
            self._send(200, json.dumps({"models": [{"name": f"{MODEL}:latest"}]}))
        elif self.path == "/api/show":
            self._send(200, json.dumps({"model_info": {"tiny.context_length": 131072}}))
        elif self.path.startswith("/v1beta/models?"):
            self._send(200, json.dumps({"models": [{"name": f"models/{MODEL}"}]}))
        elif self.path.startswith("/v1/models/") and not self.path.startswith(f"/v1/models/{MODEL}"):
            self._send(404, json.dumps({"type": "error", "error": {"type": "not_found_error"}}))
        elif self.path.startswith("/v1/models/"):  # a short name stands for the newest of its models
            self._send(200, json.dumps({"type": "model", "id": f"{MODEL}-20260101"}))
        elif "/v1beta/models/" in self.path and not self.path.endswith(f"/{MODEL}"):
            self._send(404, json.dumps({"error": {"message": "no such model"}}))
        elif "/v1beta/models/" in self.path:
            self._send(200, json.dumps({"name": f"models/{MODEL}", "inputTokenLimit": 30_000}))
        else:
            self._send(200, json.dumps({"data": [{"id": MODEL, "max_model_len": 16_000}]}))

    def _fail(self, what: Fails) -> None:
        if what.silent:
            self._server.freed.wait(30)
        if what.silent or what.resets:
            self.close_connection = True
            return
        body = what.body if isinstance(what.body, str) else json.dumps(what.body)
        self._send(what.status, body, what.headers)

    def _send(self, status: int, body: str, headers: dict[str, str] | None = None) -> None:
        data = body.encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, body: dict[str, Any], what: Says) -> None:
        self.send_response(200)
        kind = "application/x-ndjson" if self.path == "/api/chat" else "text/event-stream"
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        pieces = list(_pieces(self.path, body, what))
        if what.cut or what.stalls or what.fails:
            pieces = pieces[: len(pieces) // 2]
        if what.fails:
            pieces.append(_trouble(self.path))
        time.sleep(what.late)
        for piece in pieces:
            self.wfile.write(piece.replace("\\u2028", "\u2028").encode())  # as servers do that spell in UTF-8
            self.wfile.flush()
        if what.stalls:
            self._server.freed.wait(30)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a test's output is its own."""


def _trouble(path: str) -> str:
    """What a stream says when its server is overloaded."""
    error = {"type": "overloaded_error", "message": "overloaded"}
    if path == "/api/chat":
        return json.dumps({"error": "overloaded"}) + "\n"
    if path == "/v1/messages":
        return f"event: error\ndata: {json.dumps({'type': 'error', 'error': error})}\n\n"
    return f"data: {json.dumps({'error': error})}\n\n"


def _tool(body: dict[str, Any]) -> str | None:
    """The name of the tool that is asked for."""
    if not (tools := body.get("tools")):
        return None
    first = tools[0]
    declared = first.get("functionDeclarations", [first])[0]
    return str(declared.get("name") or declared["function"]["name"])


def _whole(path: str, body: dict[str, Any], what: Says) -> dict[str, Any]:
    tool, usage = _tool(body), what.usage
    if path == "/api/chat":
        message: dict[str, Any] = {"role": "assistant", "content": "" if tool else what.text}
        if tool:
            message["tool_calls"] = [{"function": {"name": tool, "arguments": json.loads(what.text)}}]
        counts = {"prompt_eval_count": usage[0], "eval_count": usage[1]} if usage else {}
        return {"model": MODEL, "message": message, "done": True, "done_reason": what.finish, **counts}
    if path == "/v1/messages":
        block = (
            {"type": "tool_use", "id": "t1", "name": tool, "input": json.loads(what.text)}
            if tool
            else {"type": "text", "text": what.text}
        )
        reasons = {"stop": "tool_use" if tool else "end_turn", "length": "max_tokens"}
        counted = usage or (0, 0)
        return {
            "id": "m1",
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [] if what.finish == "refusal" else [block],
            "stop_reason": reasons.get(what.finish, what.finish),
            "stop_sequence": None,
            "usage": {"input_tokens": counted[0], "output_tokens": counted[1]},
        }
    if "v1beta" in path:
        part = {"functionCall": {"name": tool, "args": json.loads(what.text)}} if tool else {"text": what.text}
        reasons = {"stop": "STOP", "length": "MAX_TOKENS"}
        content = {"content": {"role": "model", "parts": [part]}, "finishReason": reasons.get(what.finish, what.finish)}
        counts = {"promptTokenCount": usage[0], "candidatesTokenCount": usage[1]} if usage else {}
        return {"candidates": [content], "usageMetadata": counts}
    message = {"role": "assistant", "content": None if tool or what.refusal else what.text, "refusal": what.refusal}
    if tool:
        message["tool_calls"] = [{"id": "c1", "type": "function", "function": {"name": tool, "arguments": what.text}}]
    choice = {"index": 0, "message": message, "finish_reason": what.finish}
    answer = {"id": "c", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice]}
    return answer | ({"usage": _openai_usage(usage)} if usage else {})


def _openai_usage(usage: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}


def _pieces(path: str, body: dict[str, Any], what: Says) -> Iterator[str]:
    parts = [what.text[at : at + 5] for at in range(0, len(what.text), 5)]
    if path == "/api/chat":
        for part in parts if not body.get("tools") else ():
            yield json.dumps({"model": MODEL, "message": {"role": "assistant", "content": part}, "done": False}) + "\n"
        last = _whole(path, body, what)
        last["message"]["content"] = ""
        yield json.dumps(last) + "\n"
        return
    if path == "/v1/messages":
        yield from _anthropic_pieces(body, what, parts)
        return
    if "v1beta" in path:
        if _tool(body):
            yield f"data: {json.dumps(_whole(path, body, what))}\n\n"
            return
        for part in parts[:-1]:
            content = {"role": "model", "parts": [{"text": part}]}
            yield f"data: {json.dumps({'candidates': [{'content': content}]})}\n\n"
        yield f"data: {json.dumps(_whole(path, {}, replace(what, text=parts[-1])))}\n\n"
        return
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": MODEL}

    def event(delta: dict[str, Any], finish: str | None = None) -> str:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        return f"data: {json.dumps({**head, 'choices': choices})}\n\n"

    yield event({"role": "assistant", "content": ""})
    if tool := _tool(body):
        yield event({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": tool, "arguments": ""}}]})
    for part in parts:
        yield event({"tool_calls": [{"index": 0, "function": {"arguments": part}}]} if tool else {"content": part})
    yield event({}, what.finish)
    if what.usage and (body.get("stream_options") or {}).get("include_usage"):
        yield f"data: {json.dumps({**head, 'choices': [], 'usage': _openai_usage(what.usage)})}\n\n"
    yield "data: [DONE]\n\n"


def _anthropic_pieces(body: dict[str, Any], what: Says, parts: list[str]) -> Iterator[str]:
    def event(kind: str, **more: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n"

    tool = _tool(body)
    whole = _whole("/v1/messages", {}, what)
    yield event("message_start", message={**whole, "content": [], "stop_reason": None})
    block = {"type": "tool_use", "id": "t1", "name": tool, "input": {}} if tool else {"type": "text", "text": ""}
    yield event("content_block_start", index=0, content_block=block)
    for part in parts:
        delta = {"type": "input_json_delta", "partial_json": part} if tool else {"type": "text_delta", "text": part}
        yield event("content_block_delta", index=0, delta=delta)
    yield event("content_block_stop", index=0)
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=end, usage=whole["usage"])
    yield event("message_stop")
