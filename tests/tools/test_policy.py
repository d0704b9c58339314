"""Which tools may be called, and how a server may be reached."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from fathom.data.servers import DataSource, Server
from fathom.errors import ConfigurationError, ToolRefused
from fathom.settings import Settings
from fathom.tools.access import Access, access_to
from fathom.tools.policy import MOST_TOOLS, OfferedTool, ToolGate


def gate(*offers: OfferedTool, **patterns: tuple[str, ...]) -> ToolGate:
    made = ToolGate(**patterns)
    made.listed(offers)
    return made


def offer(name: str, *, reads: bool | None = None, destroys: bool | None = None) -> OfferedTool:
    return OfferedTool(name, "", {}, reads=reads, destroys=destroys)


@pytest.mark.parametrize(
    ("tool", "allowed"),
    [
        (offer("search_events"), True),
        (offer("getPost"), True),
        (offer("weather"), False),
        (offer("list_updates"), True),
        (offer("delete_all"), False),
        (offer("updateEvent"), False),
        (offer("post_message"), False),
        (offer("run_sql"), False),
        (offer("send-mail"), False),
        (offer("find_and_delete"), False),
        (offer("findOneAndDelete"), False),
        (offer("list_and_count"), True),
        (offer("search_or_create"), False),
        (offer("rotate_keys"), False),
        (offer("delete_all", reads=True), True),
        (offer("search", reads=True, destroys=True), False),
        (offer("search", destroys=True), False),
        (offer("search", reads=False), False),
        (offer("weather", reads=False), False),
    ],
)
def test_only_what_reads_may_be_called_unless_the_user_says_more(tool: OfferedTool, allowed: bool) -> None:
    assert [each.name for each in gate(tool).offers] == [tool.name] * allowed


def test_the_user_chooses_by_names_and_patterns() -> None:
    tools = [offer("list_events"), offer("list_people"), offer("delete_all", destroys=True), offer("search")]

    assert [each.name for each in gate(*tools, allowed=("list_*",)).offers] == ["list_events", "list_people"]
    assert [each.name for each in gate(*tools, allowed=("*",)).offers] == ["list_events", "list_people", "search"]
    assert [each.name for each in gate(*tools, allowed=("delete_all",)).offers] == ["delete_all"]
    assert [each.name for each in gate(*tools, denied=("list_p*",)).offers] == ["list_events", "search"]
    assert gate(*tools, allowed=("search",), denied=("search",)).offers == []


def test_only_a_star_stands_for_anything_and_it_names_no_tool() -> None:
    odd = [offer("*", destroys=True), offer("get[1]", reads=True), offer("get1"), offer("get?", reads=True)]

    assert [each.name for each in gate(*odd, allowed=("*",)).offers] == ["get[1]", "get1", "get?"]
    assert [each.name for each in gate(*odd, denied=("get[1]", "get?")).offers] == ["get1"]


def test_a_refusal_names_the_tool_and_the_reason() -> None:
    with pytest.raises(ToolRefused, match="'delete_all' may not be called: its name tells of a change"):
        gate(offer("delete_all")).check("delete_all")
    with pytest.raises(ToolRefused, match="no tool 'serach': name one of search"):
        gate(offer("search")).check("serach")


def test_what_comes_later_what_goes_and_what_turns_is_not_called() -> None:
    held = gate(offer("search"), offer("list"))
    held.listed([offer("search", destroys=True), offer("fetch")])

    for name in ("search", "list", "fetch"):
        with pytest.raises(ToolRefused):
            held.check(name)


def test_names_that_come_twice_deceive_or_are_too_many_are_left_out() -> None:
    held = gate(offer("search"), offer("search", destroys=True), offer("li\u202est"), offer("x" * 201), offer(""))

    assert [each.name for each in held.offers] == ["search"]
    assert len(gate(*(offer(f"search_{number}") for number in range(500))).offers) == MOST_TOOLS


def reach(server: Server | None = None, *, paths: tuple[str, ...] = (), **settings: bool) -> Access:
    return access_to(DataSource(name="events", server=server, paths=paths), Settings(**settings))  # type: ignore[arg-type]


def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVENTS_TOKEN", raising=False)
    with pytest.raises(ConfigurationError, match="EVENTS_TOKEN, which is not set"):
        reach(Server(url="https://mcp.example/mcp", headers={"Authorization": "Bearer $EVENTS_TOKEN"}))


def test_secrets_are_filled_in_and_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENTS_TOKEN", "s3cr3t")
    access = reach(Server(url="https://mcp.example/mcp", headers={"Authorization": "Bearer $EVENTS_TOKEN"}))

    assert access.headers == {"Authorization": "Bearer s3cr3t"}
    assert "s3cr3t" not in f"{access!r}{access.told('denied: Bearer s3cr3t')}"


def test_a_key_in_an_address_is_a_variable_that_is_filled_in_and_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENTS_KEY", "s3 cr3t")
    access = reach(Server(url="https://mcp.example/mcp?api_key=$EVENTS_KEY&$top=5"))

    assert access.url == "https://mcp.example/mcp?api_key=s3%20cr3t&$top=5"
    assert access.address == "https://mcp.example/mcp?api_key=$EVENTS_KEY&$top=5"
    assert "cr3t" not in f"{access!r}{access.told('denied: s3 cr3t of https://mcp.example/mcp?api_key=s3%20cr3t')}"


@pytest.mark.parametrize(
    "server",
    [
        {"url": "https://mcp.example/mcp?tavilyApiKey=s3cr3t"},
        {"url": "https://mcp.example/mcp?a=1&access_token=s3cr3t"},
        {"command": ("npx", "x", "--api-key", "s3cr3t")},
        {"command": ("npx", "x", "--token=s3cr3t")},
        {"command": ("env", "SOME_TOKEN=s3cr3t", "npx", "x")},
        {"command": ("npx", "x", "postgres://me:s3cr3t@db.example/x")},
    ],
)
def test_a_secret_in_plain_is_refused_before_it_stands_in_a_run(server: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as raised:
        Server(**server)
    assert "s3cr3t" not in raised.value.errors(include_input=False)[0]["msg"]


@pytest.mark.parametrize("header", [("a", "b\r\nEvil: x"), ("a b", "c"), ("é", "c"), ("a", "ü"), ("", "c")])
def test_a_header_that_cannot_be_sent_is_refused(header: tuple[str, str]) -> None:
    with pytest.raises(ValidationError, match="a header is a name"):
        Server(url="https://mcp.example/mcp", headers=dict([header]))


@pytest.mark.parametrize("command", [("npx", "x", "--author", "me"), ("npx", "x", "--key-column", "id"), ("x", "a=b")])
def test_a_command_without_secrets_is_none_that_tells_one(command: tuple[str, ...]) -> None:
    assert Server(command=command).command == command


def test_a_secret_that_a_server_says_back_is_taken_out_of_its_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENTS_TOKEN", 's3"cr3t')
    access = reach(Server(url="https://mcp.example/mcp", headers={"Authorization": "Bearer $EVENTS_TOKEN"}))

    told = access.unspoken({"structuredContent": {"items": [{"id": 1, "seen": 'Bearer s3"cr3t'}]}, "content": []})

    assert told["structuredContent"] == {"items": [{"id": 1, "seen": "Bearer ***"}]}


@pytest.mark.parametrize(
    "url", ["ftp://mcp.example", "mcp.example", "https://", "http://x:99999/", "https://a:b@mcp.example/"]
)
def test_an_address_that_cannot_be_asked_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        reach(Server(url=url))
    assert "a:b" not in str(raised.value)


def test_our_own_server_is_started_with_the_settings_even_under_no_web() -> None:
    access = reach(paths=("events.csv", "-odd.csv"), no_web=True)

    assert access.command[1:] == ("-m", "fathom", "dataset", "serve", "events.csv", "./-odd.csv")
    assert access.env["FATHOM_DATA_MEMORY_MB"] == "1024"
    assert "FATHOM_DATA_MAPPING" not in access.env


@pytest.mark.parametrize("url", ["http://localhost:80/mcp", "http://127.0.0.1/mcp", "http://[::1]:8000/mcp"])
def test_this_machine_may_be_asked_under_no_web(url: str) -> None:
    assert reach(Server(url=url), no_web=True).is_local


@pytest.mark.parametrize("server", [Server(url="http://10.0.0.1/mcp"), Server(command=("npx", "x"))])
def test_nothing_that_could_leave_is_asked_under_no_web(server: Server) -> None:
    with pytest.raises(ConfigurationError, match="no_web"):
        reach(server, no_web=True)
