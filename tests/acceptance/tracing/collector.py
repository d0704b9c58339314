"""A server on this machine that takes traces in, as LangSmith does and as a collector of OpenTelemetry does."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest.mock import patch

import zstandard
from langsmith import Client
from langsmith.run_helpers import tracing_context
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

INFO = {
    "version": "0.1",
    "instance_flags": {"zstd_compression_enabled": True},
    "batch_ingest_config": {
        "use_multipart_endpoint": True,
        "size_limit": 100,
        "size_limit_bytes": 20_971_520,
        "scale_up_nthreads_limit": 16,
        "scale_up_qsize_trigger": 1000,
        "scale_down_nempty_trigger": 4,
    },
}


@dataclass
class Collector:
    """What has arrived so far."""

    address: str = ""
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    """LangSmith's runs, by id."""
    spans: list[Span] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    """Every body, decompressed."""
    requests: int = 0
    hanging: bool = False
    """Whether it accepts connections and never answers."""
    released: threading.Event = field(default_factory=threading.Event)

    def merge(self, id: str, fields: dict[str, Any]) -> None:
        """A run comes in parts."""
        self.runs.setdefault(id, {"id": id}).update(fields)

    # ── What LangSmith shows ───────────────────────────────────────────────────────────────────────────────────────

    @property
    def roots(self) -> list[dict[str, Any]]:
        """Runs without a parent."""
        return [run for run in self.runs.values() if not run.get("parent_run_id")]

    def chain(self, run: dict[str, Any]) -> list[str]:
        """The names of a run and of everything above it, up to the root; a parent that never came is told as `?`."""
        names = [run["name"]]
        while parent := run.get("parent_run_id"):
            run = self.runs.get(parent, {"name": "?"})
            names.append(run["name"])
        return names

    def of_type(self, run_type: str) -> list[dict[str, Any]]:
        """Runs of one type: `llm`, `chain`."""
        return [run for run in self.runs.values() if run.get("run_type") == run_type]


def _take_runs(collector: Collector, path: str, content_type: str, body: bytes) -> None:
    if path.endswith("/runs/multipart"):
        message = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
        for part in message.iter_parts():
            _, id, *field_name = str(part.get_param("name", header="content-disposition")).split(".")
            payload = part.get_payload(decode=True)
            assert isinstance(payload, bytes)
            value = json.loads(payload)
            collector.merge(id, {field_name[0]: value} if field_name else value)
    elif path.endswith("/runs/batch"):
        batch = json.loads(body)
        for run in (*batch.get("post", ()), *batch.get("patch", ())):
            collector.merge(run["id"], run)
    else:
        run = json.loads(body)
        collector.merge(run.get("id") or path.rsplit("/", 1)[1], run)


def _take_spans(collector: Collector, body: bytes) -> None:
    request = ExportTraceServiceRequest.FromString(body)
    collector.spans += [span for each in request.resource_spans for scope in each.scope_spans for span in scope.spans]


@contextmanager
def collecting(*, hanging: bool = False) -> Iterator[Collector]:
    """The server, until the block ends."""
    collector = Collector(hanging=hanging)
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._take()

        def do_POST(self) -> None:
            self._take()

        def do_PATCH(self) -> None:
            self._take()

        def _take(self) -> None:
            with lock:
                collector.requests += 1
            if collector.hanging:
                collector.released.wait()
                return
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            match self.headers.get("content-encoding"):
                case "zstd":
                    body = zstandard.ZstdDecompressor().decompressobj().decompress(body)
                case "gzip":
                    body = gzip.decompress(body)
            with lock:
                if body:
                    collector.bodies.append(body)
                if self.path.endswith("/v1/traces"):
                    _take_spans(collector, body)
                elif "/runs" in self.path:
                    _take_runs(collector, self.path, self.headers["content-type"], body)
            answer = b"" if self.path.endswith("/v1/traces") else json.dumps(INFO).encode()
            self.send_response(200 if self.command == "GET" or not answer else 202)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    collector.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        collector.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def traced() -> Iterator[Collector]:
    """LangSmith, switched on for the block; all has arrived when the block has ended."""
    with collecting() as collector:
        client = Client(api_url=collector.address, api_key="key")
        try:
            # the process's own client too: what has lost its trace must not go unseen to another place
            with (
                patch("langsmith.run_trees._CLIENT", client),
                tracing_context(enabled=True, client=client, project_name="deep"),
            ):
                yield collector
            client.flush()
        finally:
            client.close(timeout=0)
