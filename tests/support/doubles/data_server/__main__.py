"""`python -m tests.support.doubles.data_server SHAPE`: a server of a test, over standard input and output."""

from __future__ import annotations

import argparse
from pathlib import Path

import anyio

from tests.support.doubles.data_server.faults import Faulty
from tests.support.doubles.data_server.old import serve
from tests.support.doubles.data_server.serving import DataServer
from tests.support.doubles.data_server.shapes import Elastic, Listing


def main() -> None:
    """Serve until standard input ends, or until it is told to stop."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.doubles.data_server", description=__doc__)
    parser.add_argument("shape", choices=("elastic", "listing", "faulty", "old"))
    parser.add_argument("--fault", default="none", help="what is wrong with the shape 'faulty'")
    parser.add_argument("--records", type=int, default=165)
    parser.add_argument("--bytes", type=int, default=10_000_000, help="of the fault 'huge'")
    parser.add_argument("--log", type=Path, help="file that gets a line for each call")
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
    anyio.run(_over_stdio, server)


async def _over_stdio(server: DataServer) -> None:
    from mcp.server.stdio import stdio_server

    made = server.made()
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())
    if getattr(server, "fault", "") == "stubborn":
        await anyio.sleep_forever()


main()
