"""`fathom serve` and `fathom token`, as an operator uses them."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import NOTES, Call
from tests.support.page_serving import Service
from tests.support.serving import home_with_notes, served

Spawn = Callable[..., subprocess.Popen[str]]

SESSIONS = "/api/research/sessions"
QUESTION = "How is a name looked up in a scope?"
KEY = "canary-key-of-a-provider"
SERVES = re.compile(r"serves (http://\S+?)[ (]")


@pytest.fixture
def busy() -> socket.socket:
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    return taken


# ── What is refused at the start ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "10.0.0.1"])
def test_another_host_is_not_served_while_nobody_could_be_let_in(call: Call, host: str) -> None:
    done = call("serve", "--host", host, "--port", "0")

    assert done.code == 2
    assert len(done.complaints) == 1
    assert "fathom token create" in done.complaints[0]
    assert "serves" not in done.err


def test_a_token_that_is_revoked_or_past_does_not_count(call: Call) -> None:
    call("token", "create", "old")
    call("token", "revoke", "old")

    done = call("serve", "--host", "0.0.0.0", "--port", "0")

    assert done.code == 2
    assert "fathom token create" in done.complaints[0]


def test_a_token_can_be_demanded_on_this_machine_too(call: Call) -> None:
    done = call("serve", "--require-token", "--port", "0")
    assert done.code == 2
    assert "fathom token create" in done.complaints[0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--host", "no.such.host.example"), "cannot be found"),
        (("--host", ""), "empty"),
        (("--host", "300.1.1.1"), "cannot be found"),
        (("--port", "70000"), "port"),
        (("--origin", "*"), "no origin"),
        (("--allow-host", "a b"), "no host"),
        (("--data", "missing.csv"), "missing.csv"),
        (("--sessions", "0"), "sessions"),
        (("--log", "xml"), "log"),
        (("--model", "no-such"), "no-such"),
        (("--search", "no-such"), "no-such"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(call: Call, options: tuple[str, ...], said: str) -> None:
    done = call("serve", "--port", "0", *options)

    assert done.code == 2
    assert len(done.complaints) == 1
    assert said in done.complaints[0]
    assert "Traceback" not in done.err


def test_a_port_that_is_taken_is_said_in_a_line(call: Call, busy: socket.socket) -> None:
    port = str(busy.getsockname()[1])

    done = call("serve", "--port", port)

    assert done.code == 2
    assert done.complaints == [done.err.strip()]
    assert f"Port {port} of 127.0.0.1 is taken" in done.err
    busy.close()


def test_an_address_of_another_machine_is_said_in_a_line(call: Call) -> None:
    call("token", "create", "phone")
    done = call("serve", "--host", "192.0.2.7", "--port", "0")
    assert done.code == 2
    assert "no address 192.0.2.7" in done.complaints[0]


def test_a_home_that_cannot_be_used_is_said_in_a_line(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FATHOM_HOME", "/dev/null/home")
    done = call("serve", "--port", "0")
    assert done.code == 1
    assert len(done.complaints) == 1
    assert "FATHOM_HOME" in done.complaints[0]


# ── Tokens ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_token_is_printed_once_and_alone(call: Call, home: Path) -> None:
    made = call("token", "create", "phone", "--expires", "30d")
    secret = made.out.strip()

    assert re.fullmatch(r"fathom_[A-Za-z0-9_-]{43}", secret)
    assert secret not in made.err
    listed = call("token", "list")
    (told,) = json.loads(call("token", "list", "--format", "json").out)
    assert told["name"] == "phone"
    assert told["status"] == "in force"
    assert told["expires_at"] > told["created_at"]
    assert secret[7:] not in listed.out + json.dumps(told)
    assert not any(secret.encode()[7:] in file.read_bytes() for file in home.rglob("*") if file.is_file())


def test_a_token_is_revoked_by_its_name_or_its_id(call: Call) -> None:
    call("token", "create", "phone")
    call("token", "create", "tablet")
    id = next(each["token_id"] for each in json.loads(call("token", "list", "--format", "json").out))

    assert call("token", "revoke", id).code == 0
    assert call("token", "revoke", "tablet").code == 0

    assert {each["status"] for each in json.loads(call("token", "list", "--format", "json").out)} == {"revoked"}
    assert call("token", "revoke", "tablet").code == 2
    assert call("token", "revoke", "nobody").complaints == [
        "fathom: No token in force is named 'nobody': `fathom token list` lists them."
    ]


@pytest.mark.parametrize(
    "arguments", [("create", ""), ("create", "a\nb"), ("create", "x", "--expires", "soon"), ("create",), ("revoke",)]
)
def test_a_token_that_cannot_be_made_is_said_in_a_line(call: Call, arguments: tuple[str, ...]) -> None:
    done = call("token", *arguments)
    assert done.code == 2
    assert len(done.complaints) == 1
    assert not done.out


def test_a_name_from_outside_does_not_steer_the_terminal(call: Call) -> None:
    assert call("token", "create", "\x1b[31mred").code == 2
    assert call("token", "list").out == ""


# ── The doctor ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_doctor_says_where_the_service_would_listen_and_who_is_let_in(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def checks() -> dict[str, dict[str, str]]:
        return {check["name"]: check for check in json.loads(call("doctor", "--format", "json").out)}

    here = checks()
    monkeypatch.setenv("FATHOM_SERVE_HOST", "0.0.0.0")
    closed = checks()
    call("token", "create", "phone")
    opened = checks()
    monkeypatch.setenv("FATHOM_SERVE_ORIGINS", "*")
    wrong = checks()

    assert here["service"]["status"] == here["page"]["status"] == "ok"
    assert "this machine only, no token needed" in here["service"]["found"]
    assert here["tokens"]["found"] == "none"
    assert closed["service"]["status"] == "warning"
    assert "fathom token create" in closed["service"]["cure"]
    assert opened["service"]["status"] == "ok"
    assert "other machines too, token needed" in opened["service"]["found"]
    assert wrong["service"]["status"] == "error"


# ── The process ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("slow")
def test_the_service_says_where_it_is_and_ends_at_once_although_many_look_on(
    spawn: Spawn, notes: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("ingest", notes)
    secret = call("token", "create", "phone").out.strip()
    monkeypatch.setenv("SLOW_SECONDS", "60")
    monkeypatch.setenv("FATHOM_TAVILY_API_KEY", KEY)
    process = spawn("serve", "--port", "0", "--require-token", "--log", "json")
    assert process.stderr is not None
    first = process.stderr.readline()
    said = SERVES.search(first)
    assert said, first + process.stderr.read()
    with ExitStack() as stack:
        client = stack.enter_context(
            httpx.Client(base_url=said[1], headers={"Authorization": f"Bearer {secret}"}, timeout=30, trust_env=False)
        )
        id = client.post(SESSIONS, json={"query": f"{QUESTION} canary"}).json()["id"]
        client.get("/%0acanary?canary", headers={"Cookie": f"fathom_token={secret}", "User-Agent": "canary"})
        streams = [stack.enter_context(client.stream("GET", f"{SESSIONS}/{id}/events")) for _ in range(20)]
        for stream in streams:
            assert stream.status_code == 200
        process.send_signal(signal.SIGINT)
        code = process.wait(60)
        for stream in streams:
            assert "event: end" not in "".join(stream.iter_text())  # a whole end of the stream, and not of the session
    log = first + process.stderr.read()

    assert code == 0
    assert "Traceback" not in log
    for line in log.splitlines():
        assert {"time", "level", "message"} <= json.loads(line).keys()
    assert any(json.loads(line).get("session") == id for line in log.splitlines())
    for kept in ("canary", secret, secret[10:30], KEY, QUESTION):
        assert kept not in log


def test_two_services_on_one_home_share_its_sessions(tmp_path: Path) -> None:
    """One is a process of its own, the other one is within this process."""
    settings = home_with_notes(tmp_path, NOTES)
    one = Service(settings.home)
    with served(settings) as other:
        try:
            one.start()
            ids = [
                httpx.post(f"{url}{SESSIONS}", json={"query": QUESTION}, timeout=30).json()["id"]
                for url in (one.url, other.url)
            ]
            for id, url in zip(ids, (other.url, one.url), strict=True):  # looked at where it was not asked
                with httpx.stream("GET", f"{url}{SESSIONS}/{id}/events", timeout=60) as stream:
                    told = "".join(stream.iter_text())
                assert '"completed"' in told.rpartition("event: end")[2]
                assert told.count("event: run_started") == 1
            assert one.stop() == 0
            assert httpx.get(f"{other.url}/api/health", timeout=30).json()["sessions"] == {"completed": 2}
        finally:
            one.kill()


def test_no_command_but_serve_loads_the_server(here: Path) -> None:
    names = "fastapi uvicorn starlette limits prometheus_client mcp"
    code = (
        "import sys\nfrom fathom.cli import main\n"
        "try:\n    main(['token', '--help'])\nexcept SystemExit:\n    pass\n"
        f"print(sorted(set('{names}'.split()) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=here)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
