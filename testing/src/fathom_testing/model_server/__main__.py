"""The server as a program: `python -m fathom_testing.model_server`."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Sequence
from pathlib import Path

from fathom_testing.local_server import program
from fathom_testing.model_server.faults import Script
from fathom_testing.model_server.server import ModelServer


def parser() -> argparse.ArgumentParser:
    """The flags."""
    flags = argparse.ArgumentParser(
        prog="python -m fathom_testing.model_server",
        description="Speak the protocols of OpenAI, Ollama and Anthropic on 127.0.0.1, and answer without a model. "
        "Fathom's asks get what the extractive reasoner would say; all others, values and sentences made of the words "
        "of their prompt.",
        epilog='A file of faults: [{"fault": "429", "at": [2], "retry_after": 1}, {"fault": "empty", "share": 0.1}]. '
        "See docs/reference/model_server.md.",
    )
    flags.add_argument("--port", type=int, default=0, metavar="N", help="port to listen on; 0 takes any (default)")
    flags.add_argument("--latency", type=float, default=0.0, metavar="SECONDS", help="time that each answer takes")
    flags.add_argument("--log", type=Path, metavar="FILE", help="append one JSON line per request")
    flags.add_argument("--log-prompts", action="store_true", help="put the texts of the messages into the log")
    flags.add_argument("--faults", type=Path, metavar="FILE", help="rules, in JSON or TOML, for calls that fail")
    flags.add_argument("--model", action="append", default=[], metavar="NAME", help="refuse all other models")
    flags.add_argument("--window", type=int, metavar="TOKENS", help="refuse longer prompts")
    flags.add_argument("--api-key", default="", metavar="KEY", help="refuse all other keys")
    return flags


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until interrupted."""
    given = parser().parse_args(arguments)
    told = {name: value for name, value in vars(given).items() if name not in {"faults", "model"}}
    with program("model_server"):
        faults = Script.read(given.faults) if given.faults else ()
        with ModelServer(**told, faults=faults, models=given.model) as server:
            print(f"listening on {server.url}", flush=True)
            threading.Event().wait()


if __name__ == "__main__":
    main()
