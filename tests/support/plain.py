"""A server that lists events over standard input and output, with a fault: of nothing but plain Python.

It starts in a tenth of the time that one of the SDK takes. It does what `tests.support.doubles.data_server` does, which
the long counts ask. Run as a file: `plain.py FAULT BYTES RECORDS_FILE [LOG]`.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NONE = b'{"items":[{"event_id":"EV1","n":NaN,"i":1e999,"b":123456789012345678901234567890}]}'
HALF = b'{"items":[{"event_id":"EV1","title":"half \\ud83d \xff letter"}]}'


class Plain:
    """One life of it."""

    def __init__(self, fault: str, size: int, records: str, log: str = "") -> None:
        self.fault, self.size, self.log = fault, size, Path(log) if log else None
        self.secret = os.environ.get("EVENTS_TOKEN", "")
        if fault == "hangs-at-start":
            signal.pause()
        if fault == "dies-at-start":
            sys.stderr.write(f"no database at {self.secret}\n")
            sys.exit(3)
        if fault == "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            child = subprocess.Popen(["sleep", "600"])
            self.note(f"pids {os.getpid()} {child.pid}")
        shared = runpy.run_path(records)  # without the package around it, which imports the SDK
        self.page, self.events = shared["page"], shared["events"](165)
        self.calls = 0

    def note(self, line: str) -> None:
        if self.log:
            with self.log.open("a", encoding="utf-8") as log:
                log.write(line + "\n")

    def serve(self) -> None:
        for line in sys.stdin.buffer:
            message = json.loads(line)
            if message.get("method") == "notifications/cancelled":
                self.note("cancelled")
            elif "id" in message:
                self.answer(message)
        if self.fault == "stubborn":
            time.sleep(600)

    def answer(self, message: dict[str, Any]) -> None:
        parameters = message.get("params") or {}
        match message["method"]:
            case "initialize":
                about = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "events", "version": "1"}}
                self.tell(message["id"], {**about, "capabilities": {"tools": {}}})
            case "tools/list":
                self.tell(message["id"], {"tools": self.tools()})
            case "tools/call":
                self.note(f"{parameters['name']} {json.dumps(parameters.get('arguments'), sort_keys=True)}")
                self.calls += 1
                self.called(message["id"], parameters.get("arguments") or {})
            case _:
                error = {"code": -32601, "message": "no such method"}
                self.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode() + b"\n")

    def tools(self) -> list[dict[str, Any]]:
        page = {"limit": {"type": "integer", "maximum": 100}, "cursor": {"type": "string"}}
        schema = {"type": "object", "properties": page}
        reads = {} if self.fault == "undeclared" else {"annotations": {"readOnlyHint": True}}
        listed = {"name": "list_events", "description": "Lists events.", "inputSchema": schema, **reads}
        if self.fault == "wrong-schema":
            wrong = {"type": "object", "properties": {"items": {"type": "integer"}}, "required": ["x"]}
            listed["outputSchema"] = wrong
        nothing = {"type": "object", "properties": {}}
        destroys = {"annotations": {"destructiveHint": True, "readOnlyHint": False}}
        return [
            listed,
            {"name": "delete_all", "description": "Deletes everything.", "inputSchema": nothing, **destroys},
            {"name": "remove_event", "description": "Removes an event.", "inputSchema": nothing},
            {"name": "halt_cluster", "description": "Halts it.", "inputSchema": nothing},
        ]

    def called(self, number: int, arguments: dict[str, Any]) -> None:
        match self.fault:
            case "dies":
                sys.stderr.write(f"fatal: disk full {self.secret} \x1b[31m\n")
                sys.stderr.flush()
                os._exit(3)
            case "dies-once" if self.log and "died" not in self.log.read_text(encoding="utf-8"):
                self.note("died")
                os._exit(3)
            case "hangs":
                return
            case "wrong-json":
                self.write(b'{"jsonrpc":"2.0","id":%d,"result":{{{\n' % number)
            case "wrong-result":
                self.write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":7}}\n' % number)
            case "not-a-number" | "half-letters":
                odd = NONE if self.fault == "not-a-number" else HALF
                result = b'{"content":[],"structuredContent":' + odd + b"}"
                self.write(b'{"jsonrpc":"2.0","id":%d,"result":%b}\n' % (number, result))
            case "endless":
                while True:
                    self.write(b"x" * 65_536)
            case "fails" | "huge":
                text = f"database is locked\n(token {self.secret})" if self.fault == "fails" else "x" * self.size
                content = [{"type": "text", "text": text}]
                self.tell(number, {"content": content, "isError": self.fault == "fails"})
            case _:
                if self.fault == "chatty":
                    self.write(b"Server started\n[1, 2]\n\n")
                found = self.page(self.events, arguments, fault=self.fault, calls=self.calls)
                content = [{"type": "text", "text": json.dumps(found, ensure_ascii=False)}]
                self.tell(number, {"content": content, "structuredContent": found})

    def tell(self, number: int, result: dict[str, Any]) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode() + b"\n")

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(1, data) :]


if __name__ == "__main__":
    Plain(sys.argv[1], int(sys.argv[2]), *sys.argv[3:]).serve()
