"""What comes of work, in a thread or in a task, and how it reaches whoever waits for it: whatever it is, it does."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Executor
from functools import partial, wraps
from typing import Any, ParamSpec, Self, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")
U = TypeVar("U")

_LOOKS = 16
"""How often `Within` looks: it may end late by the time between two."""


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `work` returns or raises, done in one of the threads that everybody shares."""
    return await in_thread_of(None, partial(work, *args, **kwargs))


def threaded(work: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """A function whose body is done `in_thread`."""

    @wraps(work)
    async def done(*args: P.args, **kwargs: P.kwargs) -> T:
        return await in_thread(work, *args, **kwargs)

    return done


async def in_thread_of(threads: Executor | None, work: Callable[[], T]) -> T:
    """As `in_thread`, in one of `threads`."""

    def attempt() -> T:
        try:
            return work()
        except BaseException as error:
            if (told := tellable(error)) is error:
                raise
            raise told from error

    return await asyncio.get_running_loop().run_in_executor(threads, contextvars.copy_context().run, attempt)


async def guarded(work: Awaitable[T]) -> T:
    """What `work` gives or raises; what would end the task or the process, though nobody has asked for that, is told.

    A cancellation is asked for by `Task.cancel`, and passes; so does Ctrl-C.
    """
    try:
        return await work
    except (Exception, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and task and task.cancelling():
            raise
        raise tellable(error) from error


async def together(*calls: Awaitable[T]) -> list[T]:
    """The results of calls made side by side, in order; when one fails, all have ended before its error is raised.

    So the journal holds the same answers at every branch, however the calls overtake each other.
    """
    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return cast(list[T], results)


async def both(first: Awaitable[T], second: Awaitable[U]) -> tuple[T, U]:
    """As `together`, of two calls whose results differ in type."""
    one, other = await together(cast(Awaitable[Any], first), cast(Awaitable[Any], second))
    return one, other


class Within:
    """A limit of so many seconds on what happens inside `async with`, in which the event loop looked for an answer.

    Time in which it could not does not count: an answer that lay there while this machine was busy or asleep came in
    time, and is perhaps paid for. When the time is up it raises `TimeoutError`.
    """

    def __init__(self, seconds: float) -> None:
        self._step = seconds / _LOOKS
        self._limit = asyncio.timeout(None)
        self.again()

    def again(self) -> None:
        """Grant the time anew."""
        self._left = _LOOKS

    def expired(self) -> bool:
        """Whether the time was up."""
        return self._limit.expired()

    async def __aenter__(self) -> Self:
        self._next_look = asyncio.get_running_loop().call_later(self._step, self._look)
        await self._limit.__aenter__()
        return self

    async def __aexit__(self, *what: Any) -> None:
        self._next_look.cancel()
        await self._limit.__aexit__(*what)

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        self._left -= 1
        if self._left:
            self._next_look = loop.call_later(self._step, self._look)
        else:
            self._limit.reschedule(loop.time())


def settle(done: asyncio.Future[T], outcome: T | BaseException) -> None:
    """Hand a value, or an error, to whoever waits for it, if anybody still does."""
    if done.done():
        return
    if isinstance(outcome, BaseException):
        done.set_exception(tellable(outcome))
    else:
        done.set_result(outcome)


def tellable(error: BaseException) -> Exception:
    """An error as it can be told to whoever waits: the same, or a `RuntimeError` in its place.

    A future takes no `StopIteration`, and leaves its waiter waiting for ever; an error that stands for the end of a
    task or of the process must not end those of whoever only waited.
    """
    if isinstance(error, Exception) and not isinstance(error, StopIteration | concurrent.futures.CancelledError):
        return error
    fault = RuntimeError(f"a {type(error).__name__} came out of work that somebody waited for")
    fault.__cause__ = error
    return fault
