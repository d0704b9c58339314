"""Tests side by side: `pytest --workers 4` imports and collects once, then forks those who do the tests."""

from __future__ import annotations

import os
import signal
import struct
import traceback
from collections.abc import Iterator, Sequence
from itertools import groupby
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, NoReturn

import pytest

Place = tuple[str, int | None, str]
Groups = Sequence[Sequence[pytest.Item]]
_NUMBER = struct.Struct("I")
"""Of a group. All numbers have room in a pipe, from which each worker takes the next."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--workers", type=int, default=1, metavar="N", help="do the tests in N processes")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    count = session.config.getoption("workers")
    if count < 2 or session.testsfailed or session.config.option.collectonly:
        return None
    session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # one for all, removed at the end
    workers = _Workers(session, _groups(session.items))
    try:
        for _ in range(count):
            workers.add()
        workers.hear()
    finally:
        workers.end()
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    return True


def _groups(items: Sequence[pytest.Item]) -> Groups:
    """The tests that stay together: those of a module, and the modules of a folder that share a server, a browser or
    whatever else is set up for all of them. The larger groups come first, so that all workers end at about one time."""
    groups: dict[str, list[pytest.Item]] = {}
    for module, tests in groupby(items, key=lambda item: str(item.path)):
        of_module = list(tests)
        shared = next(filter(None, map(_folder_of_shared, of_module)), module)
        groups.setdefault(shared, []).extend(of_module)
    return sorted(
        groups.values(), key=lambda group: -sum(path.stat().st_size for path in {each.path for each in group})
    )


def _folder_of_shared(item: pytest.Item) -> str:
    """The folder whose `conftest.py` sets up something once that the test needs; empty when none does."""
    fixtures = getattr(item, "_fixtureinfo", None)
    for definition in [each for known in (fixtures.name2fixturedefs if fixtures else {}).values() for each in known]:
        if definition.scope in ("session", "package") and definition.baseid.count("/"):
            return str(definition.baseid)
    return ""


class _Workers:
    """Those who do the tests, and what is heard of them."""

    def __init__(self, session: pytest.Session, groups: Groups) -> None:
        self._session = session
        self._groups = groups
        self._next, numbers = os.pipe()
        os.write(numbers, b"".join(map(_NUMBER.pack, range(len(groups)))))
        os.close(numbers)
        self._pids: dict[Connection, int] = {}
        self._items: dict[Connection, list[pytest.Item]] = {}
        """What each has taken and not begun."""
        self._doing: dict[Connection, tuple[str, Place]] = {}

    def add(self, left: Sequence[pytest.Item] = ()) -> None:
        """One more, who first does what another has left."""
        heard, told = Pipe(duplex=False)
        if (pid := os.fork()) == 0:
            _work(self._session, self._taken(left, told), told)
        told.close()
        self._pids[heard] = pid
        self._items[heard] = list(left)

    def _taken(self, left: Sequence[pytest.Item], told: Connection) -> Iterator[pytest.Item]:
        yield from left
        while number := os.read(self._next, _NUMBER.size):
            told.send(*_NUMBER.unpack(number))
            yield from self._groups[_NUMBER.unpack(number)[0]]

    def hear(self) -> None:
        """Pass on what the workers tell, until the last one has ended."""
        config = self._session.config
        while self._pids:
            for heard in wait(list(self._pids)):
                assert isinstance(heard, Connection)
                try:
                    told = heard.recv()
                except EOFError:
                    self._bury(heard)
                    continue
                match told:
                    case int():
                        self._items[heard] += self._groups[told]
                    case (nodeid, location):
                        self._doing[heard] = told
                        self._items[heard] = [each for each in self._items[heard] if each.nodeid != nodeid]
                        config.hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
                    case _:
                        report = config.hook.pytest_report_from_serializable(config=config, data=told)
                        config.hook.pytest_runtest_logreport(report=report)
            if self._session.shouldfail:
                while os.read(self._next, 1 << 16):  # nobody takes any more
                    pass

    def _bury(self, heard: Connection) -> None:
        """Take leave of a worker: one that died fails the test that it was doing, and another does the rest."""
        heard.close()
        _, status = os.waitpid(self._pids.pop(heard), 0)
        if not status:
            return
        nodeid, location = self._doing.get(heard, ("a worker", ("tests", None, "a worker")))
        how = f"The process ended with {os.waitstatus_to_exitcode(status)}."
        report = pytest.TestReport(
            nodeid=nodeid, location=location, keywords={}, outcome="failed", longrepr=how, when="call"
        )
        self._session.config.hook.pytest_runtest_logreport(report=report)
        if heard in self._doing and not self._session.shouldfail:
            self.add(self._items[heard])

    def end(self) -> None:
        """End those that are left when the tests are broken off."""
        os.close(self._next)
        for pid in self._pids.values():
            os.kill(pid, signal.SIGTERM)


# ── What a worker does ─────────────────────────────────────────────────────────────────────────────────────────────


class _Teller:
    """Tells what is begun and what has come of it."""

    def __init__(self, config: pytest.Config, told: Connection) -> None:
        self._config = config
        self._told = told

    def pytest_runtest_logstart(self, nodeid: str, location: Place) -> None:
        self._told.send((nodeid, location))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._told.send(self._config.hook.pytest_report_to_serializable(config=self._config, report=report))


def _work(session: pytest.Session, items: Iterator[pytest.Item], told: Connection) -> NoReturn:
    config, plugins = session.config, session.config.pluginmanager
    failed = 1
    try:
        capturing: Any = plugins.getplugin("capturemanager")
        capturing.suspend_global_capture(in_=True)  # into files that all share, and that some module may hold on to
        capturing._global_capturing = None
        plugins.unregister(name="terminalreporter")
        plugins.register(_Teller(config, told))
        capturing.start_global_capturing()
        item = next(items, None)
        while item is not None:
            following = next(items, None)
            config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            item = following
        failed = 0
    except BaseException:  # noqa: BLE001 - also an interruption is said, and the process ends
        capturing.stop_global_capturing()
        traceback.print_exc()
    finally:
        os._exit(failed)  # what else is to be done at the end, the first process does
