"""What commands share at the terminal: Ctrl-C, wherever it comes."""

from __future__ import annotations

import asyncio
import signal

import pytest

from fathom.cli.terminal import awaited


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
