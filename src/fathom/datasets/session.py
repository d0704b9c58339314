"""What the tables of some files are asked with: a few statements, bounded in time."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from threading import Lock, Timer
from typing import Any

import duckdb

from fathom.errors import ToolFailed

Row = tuple[Any, ...]


class Session:
    """A few statements, all together bounded in time, that another thread may stop."""

    def __init__(self, con: duckdb.DuckDBPyConnection, *, seconds: float) -> None:
        self._con = con
        self._seconds = seconds
        self._lock = Lock()
        self._stopped = ""
        self._timer = Timer(seconds, self._late)
        self._timer.daemon = True

    def __enter__(self) -> Session:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._con.close()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """What a statement returns.

        Raises:
            ToolFailed: it took too long or too much memory, or was stopped.
        """
        if self._stopped:
            raise ToolFailed(self._stopped)
        try:
            return self._con.execute(sql, list(values)).fetchall()
        except duckdb.InterruptException as error:
            raise ToolFailed(self._stopped or "It was stopped.") from error
        except (duckdb.OutOfMemoryException, MemoryError) as error:
            raise ToolFailed(
                "This takes more memory or disk than is allowed. Ask for fewer groups, or raise FATHOM_DATA_MEMORY_MB "
                "or FATHOM_DATA_MAX_DISK_MB."
            ) from error
        except duckdb.Error as error:
            raise ToolFailed(f"The data cannot be asked that: {str(error).strip().splitlines()[0]}") from error

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row:
        """The one row that a statement returns."""
        return self.rows(sql, values)[0]

    def stop(self, why: str = "It was stopped.") -> None:
        """End what is under way."""
        with self._lock:
            self._stopped = why
            with suppress(duckdb.Error):  # it has just ended by itself
                self._con.interrupt()

    def _late(self) -> None:
        self.stop(f"This takes longer than {self._seconds:g} seconds. Ask for less, or raise FATHOM_DATA_TIMEOUT.")
