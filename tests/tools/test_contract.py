"""What holds for every server, whatever its shape and however it is reached."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from fathom.data.servers import Server
from fathom.errors import ToolRefused
from tests.support.doubles.data_server import command, events, served
from tests.support.mcp_serving import called, dataset, scanned


class Served(NamedTuple):
    """A server, its tool that lists, and what it was called."""

    server: Server
    tool: str
    log: Path


TOOLS = {"elastic": "search_events", "listing": "list_events", "faulty": "list_events"}


@pytest.fixture(scope="module")
def over_http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Served]]:
    """A server of a shape over HTTP, started once: nothing that is asked of it changes it."""
    found: dict[str, Served] = {}
    with ExitStack() as stack:

        def started(shape: str) -> Served:
            if shape not in found:
                log = tmp_path_factory.mktemp(shape) / "calls"
                server = Server(url=stack.enter_context(served(shape, log=log)))
                found[shape] = Served(server, TOOLS[shape], log)
            found[shape].log.unlink(missing_ok=True)
            return found[shape]

        yield started


OVER_HTTP = [f"{shape} over http" for shape in TOOLS]
OVER_STDIO = [f"{shape} over stdio" for shape in TOOLS]
SELDOM = [pytest.param(way, marks=pytest.mark.soak) for way in OVER_STDIO]


@pytest.fixture(params=[*OVER_HTTP, *SELDOM])
def each(request: pytest.FixtureRequest, tmp_path: Path, over_http: Callable[[str], Served]) -> Served:
    shape, _, way = request.param.split()
    log = tmp_path / "calls"
    return (
        over_http(shape) if way == "http" else Served(Server(command=command(shape, "--log", log)), TOOLS[shape], log)
    )


@pytest.mark.parametrize("each", [*OVER_HTTP, OVER_STDIO[0], *SELDOM[1:]], indirect=True)
async def test_every_record_comes_once_page_by_page(each: Served) -> None:
    async with dataset(each.server) as data:
        records = await scanned(data, await data.describe("India"), tool=each.tool)

    assert [record.id for record in records] == [event["event_id"] for event in events(165)]
    assert records[7].fields == events(165)[7]


async def test_fields_and_their_parts_are_found_by_one_probe(each: Served) -> None:
    async with dataset(each.server) as data:
        described = await data.describe("India events by theme")

    assert [field.name for field in described.fields] == list(events(1)[0])
    assert (described.mapping.id, described.mapping.title) == ("event_id", "title")
    assert (described.mapping.date, described.mapping.url) == ("start_date", "url")
    country = described.field("country")
    assert country is not None
    assert country.matches == ("India",)
    assert set(described.terms) == {"india", "event", "theme"}
    assert len(described.samples) == 5
    assert each.tool in [tool.name for tool in described.tools if tool.returns_records]


async def test_what_destroys_is_not_offered_and_not_called(each: Served) -> None:
    async with dataset(each.server) as data:
        described = await data.describe("")
        for tool in ("delete_all", "remove_event", "unheard_of"):
            with pytest.raises(ToolRefused):
                await data.call(tool, {})

    assert set(described.refused) == {"delete_all", "remove_event"}
    assert not {"delete_all", "remove_event"} & {tool.name for tool in described.tools}
    assert not {"delete_all", "remove_event"} & set(called(each.log))


async def test_a_tool_that_the_user_names_may_be_called_although_it_destroys(each: Served) -> None:
    async with dataset(each.server.model_copy(update={"tools": ("delete_all",)})) as data:
        assert (await data.call("delete_all", {})).text == "all gone"
        with pytest.raises(ToolRefused):
            await data.call(each.tool, {})


async def test_many_tasks_may_ask_side_by_side(each: Served) -> None:
    async with dataset(each.server) as data:
        profile = next(tool.profile for tool in (await data.describe("")).tools if tool.name == each.tool)
        pages = await asyncio.gather(*(data.call(each.tool, {profile.page_size: size}) for size in range(1, 21)))

    assert [len(page.records) for page in pages] == list(range(1, 21))
