"""`python -m tests.doubles.data_server SHAPE`: a server of a test, over standard input and output or over HTTP."""

from __future__ import annotations

import argparse
import socket
import sys
from pathlib import Path

import anyio

from tests.doubles.data_server.faults import Faulty
from tests.doubles.data_server.old import serve
from tests.doubles.data_server.serving import DataServer
from tests.doubles.data_server.shapes import Elastic, Listing


def main() -> None:
    """Serve until standard input ends, or until it is told to stop."""
    parser = argparse.ArgumentParser(prog="python -m tests.doubles.data_server", description=__doc__)
    parser.add_argument("shape", choices=("elastic", "listing", "faulty", "old"))
    parser.add_argument("--fault", default="none", help="what is wrong with the shape 'faulty'")
    parser.add_argument("--records", type=int, default=165)
    parser.add_argument("--bytes", type=int, default=10_000_000, help="of the fault 'huge'")
    parser.add_argument("--log", type=Path, help="file that gets a line for each call")
    parser.add_argument("--http", action="store_true", help="listen on a free port of 127.0.0.1, and print its address")
    given = parser.parse_args()
    if given.shape == "old":
        serve(records=given.records)
        return
    server: DataServer
    match given.shape:
        case "elastic":
            server = Elastic(records=given.records, log=given.log)
        case "listing":
            server = Listing(records=given.records, log=given.log)
        case _:
            server = Faulty(given.fault, records=given.records, size=given.bytes, log=given.log)
    anyio.run(_over_http if given.http else _over_stdio, server)


async def _over_stdio(server: DataServer) -> None:
    from mcp.server.stdio import stdio_server

    made = server.made()
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())
    if getattr(server, "fault", "") == "stubborn":
        await anyio.sleep_forever()


async def _over_http(server: DataServer) -> None:
    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    sys.stdout.write(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp\n")
    sys.stdout.flush()
    config = uvicorn.Config(server.made().streamable_http_app(), log_level="error")
    await uvicorn.Server(config).serve(sockets=[listening])


main()
