"""The little web as a program: `python -m fathom_testing.little_web`."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from fathom_testing.little_web.server import LittleWeb
from fathom_testing.local_server import program


def parser() -> argparse.ArgumentParser:
    """The flags."""
    flags = argparse.ArgumentParser(
        prog="python -m fathom_testing.little_web",
        description="Serve a web of generated pages, many sites on one port of 127.0.0.1, with a search engine that "
        "knows them; prints the settings under which Fathom asks it.",
        epilog="See docs/reference/little_web.md.",
    )
    flags.add_argument("--port", type=int, default=0, metavar="N", help="port to listen on; 0 takes any (default)")
    flags.add_argument("--docs", type=Path, metavar="DIR", help="serve the files of this folder instead")
    flags.add_argument("--seed", type=int, default=1, metavar="N", help="which pages are generated")
    flags.add_argument("--latency", type=float, default=0.0, metavar="SECONDS", help="time that each page takes")
    flags.add_argument("--log", type=Path, metavar="FILE", help="append one JSON line per request")
    return flags


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until interrupted."""
    given = parser().parse_args(arguments)
    if given.docs and not given.docs.is_dir():
        sys.exit(f"little_web: there is no folder {given.docs}.")
    asked = {"port": given.port, "seed": given.seed, "latency": given.latency, "log": given.log}
    with program("little_web"), LittleWeb(**asked, generated=given.docs is None) as web:
        if given.docs:
            web.serve(given.docs.resolve(), host="docs.localhost")
        for name, value in web.environment().items():
            print(f"export {name}='{value}'", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
