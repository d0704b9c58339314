"""A service that is killed in the middle of an upload, and one that is sent more than it takes."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from fathom.settings import load_settings
from tests.support.serving import served

LARGEST = 50_000_000


@contextmanager
def serving(home: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`fathom serve` as a process of its own, and its address."""
    environment = {**os.environ, "FATHOM_HOME": str(home)}
    command = [sys.executable, "-m", "fathom", "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            found = next(filter(None, (re.search(r"http://[\d.]+:\d+", line) for line in process.stderr)))
            yield process, found[0]
        finally:
            process.kill()


def memory(process: subprocess.Popen[str]) -> int:
    """Most bytes of memory that a process has held so far."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    return 1_000 * int(re.findall(r"VmHWM:\s+(\d+)", status)[0])


def test_a_large_file_is_refused_on_its_way_and_a_kill_leaves_no_half_file(tmp_path: Path) -> None:
    half = b'--B\r\nContent-Disposition: form-data; name="files"; filename="half.md"\r\n\r\n' + b"word " * 100_000
    with serving(tmp_path) as (process, url):
        before = memory(process)

        reply = httpx.post(
            f"{url}/api/knowledge/default/documents",
            content=_large(LARGEST + 1_000_000),
            headers={"Content-Type": "multipart/form-data; boundary=B"},
            timeout=60,
        )

        assert reply.json()["files"][0]["reason"] == "it is larger than 50 MB"
        assert memory(process) - before < 25_000_000
        host, _, port = url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=60) as connection:
            connection.sendall(
                f"POST /api/knowledge/default/documents HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 9000000\r\n"
                "Content-Type: multipart/form-data; boundary=B\r\n\r\n".encode()
                + half
            )
            for _ in range(2_000):
                if _sizes(tmp_path):
                    break
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
    assert _sizes(tmp_path)

    with served(load_settings(home=tmp_path)) as again:
        assert _sizes(tmp_path) == []
        assert again.client.get("/api/knowledge").json()["knowledge_bases"][0]["documents"] == 0


def _large(size: int) -> Iterator[bytes]:
    yield b'--B\r\nContent-Disposition: form-data; name="files"; filename="large.txt"\r\n\r\n'
    for _ in range(size // 100_000):
        yield b"word " * 20_000
    yield b"\r\n--B--\r\n"


def _sizes(home: Path) -> list[int]:
    """Sizes of the files that have come, whole or not."""
    return [each.stat().st_size for each in (home / "uploads").rglob("*") if each.is_file() and each.stat().st_size]
