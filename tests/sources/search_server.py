"""An MCP server that searches and fetches, over standard input and output: of nothing but plain Python.

`search_server.py SHAPE [LOG]`: `structured`, `text`, and shapes that are not those of the convention.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

TEXTS = {
    "sea": "# The sea\n\nThe Varn trench is 8,412 metres deep. It was measured in 1974 by the ship Aldis.\n",
    "tide": "# Tides\n\nThe tide of the Varn trench rises by 3 metres. The moon draws it.\n",
}


def started(shape: str = "structured", log: Path | None = None) -> tuple[str, ...]:
    """The command that starts it."""
    return (sys.executable, "-I", "-S", str(Path(__file__)), shape, *([str(log)] if log else []))


def tools(shape: str) -> list[dict[str, Any]]:
    def tool(name: str, argument: str) -> dict[str, Any]:
        schema = {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}
        return {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": True}}

    return [tool("search", "query"), tool("fetch", "url" if shape == "dataset" else "id")]


def answer(shape: str, tool: str, given: dict[str, Any]) -> Any:
    if shape == "fails":
        return "the index is locked"
    if tool == "search":
        if shape in ("odd search", "dataset"):
            return [{"name": id, "text": text} for id, text in TEXTS.items()]
        about = {"url": "file:///etc/passwd"} if shape == "text" else {}
        return {
            "results": [{"id": id, "title": id.title(), "url": f"https://sea.example/{id}", **about} for id in TEXTS]
        }
    if shape == "odd fetch":
        return {"id": given["id"], "body": TEXTS[given["id"]]}
    return {"id": given["id"], "title": "", "text": TEXTS[given["id"]], "url": "", "metadata": {}}


def main(shape: str, log: str = "") -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message:
            continue
        reply: dict[str, Any] = {"error": {"code": -32601, "message": "no such method"}}
        match message["method"]:
            case "initialize":
                about = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "sea", "version": "1"}}
                reply = {"result": {**about, "capabilities": {"tools": {}}}}
            case "tools/list":
                reply = {"result": {"tools": tools(shape)}}
            case "tools/call":
                name, given = message["params"]["name"], message["params"].get("arguments") or {}
                if log:
                    with Path(log).open("a", encoding="utf-8") as written:
                        written.write(f"{name} {json.dumps(given)}\n")
                found = answer(shape, name, given)
                text = found if isinstance(found, str) else json.dumps(found)
                result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": shape == "fails"}
                if shape == "structured":
                    result["structuredContent"] = found
                reply = {"result": result}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
