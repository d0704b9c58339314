"""What commands share at the terminal: Ctrl-C, wherever it comes, and lists that fit."""

from __future__ import annotations

import asyncio
import signal
import time

import pytest
from rich.cells import cell_len

from fathom.cli.terminal import awaited, moment, print_rows


async def _interrupted_while_it_is_handed_a_result(errors: list[dict[str, object]]) -> int:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: errors.append(context))
    result: asyncio.Future[int] = loop.create_future()

    def hand_on() -> None:
        signal.raise_signal(signal.SIGINT)
        result.set_result(1)

    loop.call_soon(hand_on)
    return await result + await asyncio.sleep(60, 1)


def test_ctrl_c_while_a_result_is_handed_on_ends_the_work_and_leaves_no_traceback() -> None:
    errors: list[dict[str, object]] = []

    with pytest.raises(KeyboardInterrupt):
        awaited(_interrupted_while_it_is_handed_a_result(errors))

    assert errors == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_work_that_is_cancelled_by_somebody_else_is_not_taken_for_interrupted() -> None:
    async def work() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        awaited(work())


def test_work_that_ends_by_itself_gives_its_result() -> None:
    assert awaited(asyncio.sleep(0, "done")) == "done"


ROWS = [
    ("run_1", "answered", "When was the Norvik lighthouse built, and how far does its light reach?"),
    ("run_22", "2 of 3 answered", "ノルヴィク灯台はいつ建てられ、光はどこまで届きますか、また高さはどれだけですか？"),
]


def test_elsewhere_than_on_a_terminal_a_list_is_whole_and_has_no_headings(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(ROWS, headings=("RUN", "STATUS", "QUESTION"), flexible=2)
    assert capsys.readouterr().out.splitlines() == [
        f"run_1   answered         {ROWS[0][2]}",
        f"run_22  2 of 3 answered  {ROWS[1][2]}",
    ]


@pytest.mark.parametrize("width", [30, 60, 80])
@pytest.mark.parametrize("term", ["dumb", "xterm-256color"])
def test_on_a_terminal_a_list_has_headings_fits_and_says_where_it_is_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int, term: str
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    for name, value in (("COLUMNS", str(width)), ("TERM", term), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
    print_rows(ROWS, headings=("RUN", "STATUS", "QUESTION"), flexible=2)
    head, *lines = capsys.readouterr().out.splitlines()
    assert "RUN" in head and "QUESTION" in head
    assert [line[:6].strip() for line in lines] == ["run_1", "run_22"]
    assert all(cell_len(line.rstrip()) <= width and line.rstrip().endswith("…") for line in lines)
    assert len({cell_len(line[: line.index(cut)]) for line, cut in zip(lines, ("When", "ノ"), strict=True)}) == 1


def test_what_is_said_in_full_is_wrapped_in_its_column(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    print_rows([("home", "a folder that others on this machine can look into")], wraps=True)
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == ["home  a folder that others on this", "      machine can look into"]


def test_a_time_is_local_to_whoever_sits_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert moment("2020-01-31T21:08:59+00:00") == "2020-01-31 21:08"
        monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
        assert moment("2020-01-31T21:08:59+00:00") == "Feb 01  2020"
    finally:
        monkeypatch.undo()
        time.tzset()
