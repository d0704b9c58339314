"""The promise between a service and its workers: runs wait in the store, and each has at most one worker."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from fathom.ports import RunRecord


class Lease(NamedTuple):
    """A run in a worker's hands, as the store knows it."""

    run_id: str
    """The run."""
    stop_requested: bool
    """Whether somebody has asked it to finish early."""
    waits: bool = False
    """Whether it waits for its person to approve something."""


class RunQueue(Protocol):
    """Runs that wait for a worker. What a method has returned from is durable.

    A worker holds a run by a lease that it renews; when a worker dies its leases run out, and another one goes on. A
    lease only says who should be at work: `RunStore.acquire` fences off whoever still is.
    """

    async def submit(self, run: RunRecord, *, key: str = "", digest: str = "") -> RunRecord:
        """Store a new run with the status `queued`; with the `key` of an earlier request, return the run of that.

        Args:
            key: The caller's own name for the request; empty for none.
            digest: Of what was requested.

        Raises:
            Conflict: the key belongs to a request with another digest.
        """
        ...

    async def submitted(self, key: str, digest: str) -> RunRecord | None:
        """The run of an earlier request with that key; `None` when there was none.

        Raises:
            Conflict: the key belongs to a request with another digest.
        """
        ...

    async def requeue(self, run_id: str, **changes: Any) -> RunRecord:
        """Have a run carried out that has ended, or that nobody is at work on, with `changes` of its record; earlier
        requests to stop it are forgotten.

        Raises:
            NotFound: no such run.
            Conflict: it is complete, it waits already, or it is under way.
        """
        ...

    async def withdraw(self, run_id: str, *, error: str, worker: str = "") -> RunRecord | None:
        """End a run that waits and that no worker has, or only `worker`, who has not begun with it: as `failed` with
        `error`, or as `partial` when it has a report.

        Returns:
            Its record; `None` when it does not wait, or another worker has it: nothing has changed.

        Raises:
            NotFound: no such run.
        """
        ...

    async def take_out(self, run_id: str) -> None:
        """Have no worker carry a run out any more: somebody else does. A worker that has it loses it.

        Raises:
            NotFound: no such run.
            Conflict: its owner is at work on it.
        """
        ...

    async def claim(self, worker: str, *, seconds: float) -> RunRecord | None:
        """The oldest run that waits or whose worker is gone, now leased to `worker`; `None` when there is none.

        A worker is gone when its process is known to have ended, whatever its lease says; where nobody can know, when
        its lease has run out.
        """
        ...

    async def renew(self, worker: str, *, seconds: float) -> list[Lease]:
        """Hold on to every run of `worker`: those that are missing it has lost."""
        ...

    async def release(self, run_id: str, worker: str, *, done: bool, pause: float = 0.0) -> None:
        """Let go of a run: it is `done`, or a worker may have it after `pause` seconds; others are left alone. One
        that is `done` and was queued again meanwhile is so, too: the same worker may have taken it up already."""
        ...

    async def let_go(self, worker: str) -> int:
        """Let go of every run of `worker`, which works no more, for others to take up at once; returns how many there
        were."""
        ...
