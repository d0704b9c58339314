"""A server that speaks only the protocol of 2025, as most servers do, with nothing of the SDK in it."""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.support.doubles.data_server.records import events

_METHOD_NOT_FOUND = -32601


def serve(*, records: int) -> None:
    """Answer one line after the other; after the first call of a tool there is another one."""
    kept, calls = events(records), 0
    for line in sys.stdin:
        asked = json.loads(line)
        method, params = asked.get("method"), asked.get("params", {})
        if "id" not in asked:
            continue
        match method:
            case "initialize":
                answer: dict[str, Any] = {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {"tools": {"listChanged": True}},
                    "serverInfo": {"name": "old", "version": "1"},
                }
            case "tools/list":  # two pages, and a name that comes twice
                names = ["list_events", "list_events"] if params.get("cursor") else ["find_events"]
                names += ["list_secrets"] if calls else []
                answer = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names]}
                answer |= {} if params.get("cursor") else {"nextCursor": "2"}
            case "tools/call":
                calls += 1
                _send({"method": "notifications/tools/list_changed"})
                answer = {"content": [{"type": "text", "text": "```json\n" + json.dumps(kept) + "\n```"}]}
            case _:
                _send({"id": asked["id"], "error": {"code": _METHOD_NOT_FOUND, "message": f"no method {method}"}})
                continue
        _send({"result": answer, "id": asked["id"]})


def _send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({**message, "jsonrpc": "2.0"}) + "\n")
    sys.stdout.flush()
