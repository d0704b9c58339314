"""A server on this machine that speaks the two formats of embeddings, and fails as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.doubles.embedder import word_vector

DIMENSIONS = 32
MODEL = "words"


@dataclass
class Asked:
    """One request."""

    path: str
    key: str | None
    body: dict[str, Any]


@dataclass
class Answer:
    """What is said instead of vectors."""

    status: int
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)


class EmbeddingServer:
    """Knows one model, whose vectors have not length 1. `asked` lists the requests in order."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[Asked] = []
        self.answer: Answer | None = None
        """Given to every request as long as it is set."""
        self.silent = threading.Event()
        """While it is set, nothing is answered."""
        self.freed = threading.Event()

    def reply(self, path: str, body: dict[str, Any]) -> Answer:
        """What a sound server says."""
        vectors = [[3 * value for value in word_vector(text, dimensions=DIMENSIONS)] for text in body["input"]]
        if path not in ("/api/embed", "/v1/embeddings"):
            return Answer(404, "404 page not found")
        if body["model"] != MODEL:
            said = f"model '{body['model']}' not found"
            return Answer(404, json.dumps({"error": said if path == "/api/embed" else {"message": said}}))
        if path == "/api/embed":
            return Answer(200, json.dumps({"model": MODEL, "embeddings": vectors, "total_duration": 1}))
        data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        return Answer(200, json.dumps({"object": "list", "data": data[::-1], "model": MODEL}))


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    """A server for as long as it is used, on a port that is free."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server = httpd.embedding_server = EmbeddingServer(f"http://127.0.0.1:{httpd.server_port}")  # type: ignore[attr-defined]
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
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        server: EmbeddingServer = self.server.embedding_server  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.asked.append(Asked(self.path, self.headers.get("Authorization"), body))
        if server.silent.is_set():
            server.freed.wait(30)
            self.close_connection = True
            return
        answer = server.answer or server.reply(self.path, body)
        data = answer.body.encode()
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
