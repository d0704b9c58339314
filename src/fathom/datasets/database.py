"""The tables of some files, read once and then only asked; bounded in memory, disk and time, closed to the outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import duckdb

from fathom.data.fields import FieldMapping
from fathom.datasets.conditions import Condition
from fathom.datasets.loading import load, revision_of, sources_of
from fathom.datasets.profile import Profile, profile
from fathom.datasets.session import Session
from fathom.datasets.tables import MOST_NAMES, Table
from fathom.datasets.workspace import Workspace
from fathom.errors import ToolFailed, UsageError
from fathom.registry import did_you_mean
from fathom.settings.data import DataSettings

_REMEMBERED = 1_000
"""Counts that are kept."""


class DataTables:
    """Tables that nobody can change."""

    def __init__(self, con: duckdb.DuckDBPyConnection, workspace: Workspace, *, revision: str, title: str) -> None:
        self._con = con
        self._workspace = workspace
        self._counts: dict[tuple[str, Condition], int] = {}
        self._profiles: dict[str, Profile] = {}
        self.revision = revision
        """Changes with the content of the files."""
        self.title = title
        """What a reader would call it: the names of the paths."""

    def look_at(self, tables: Sequence[Table], mappings: Mapping[str, FieldMapping], *, seconds: float) -> None:
        """Find out what the tables hold.

        Raises:
            UsageError: it takes longer than `seconds` for one of them.
            ConfigurationError: a mapping names a field that its table does not have.
        """
        for table in tables:
            with self.session(seconds=seconds) as session:
                try:
                    self._profiles[table.name] = profile(session, table, mappings.get(table.name))
                except ToolFailed as error:
                    raise UsageError(f"The table '{table.name}' cannot be looked at: {error}") from error

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of its tables."""
        return tuple(self._profiles)

    def profile(self, name: str) -> Profile:
        """The table of that name, the first when it is empty.

        Raises:
            ToolFailed: there is none.
        """
        if not name:
            return next(iter(self._profiles.values()))
        if name not in self._profiles:
            known = list(self._profiles)
            shown = ", ".join(known[:MOST_NAMES])
            raise ToolFailed(f"There is no table '{name}'.{did_you_mean(name, known)} The tables are: {shown}.")
        return self._profiles[name]

    def counted(self, session: Session, table: Table, condition: Condition) -> int:
        """Records of a table that fulfil a condition; the pages after the first ask for the same again."""
        key = (table.sql, condition)
        found = self._counts.get(key)
        if found is None:
            sql = f"SELECT count(*) FROM {table.sql} AS t WHERE {condition.sql}"
            found = int(session.row(sql, condition.values)[0])
            if len(self._counts) >= _REMEMBERED:
                self._counts.clear()
            self._counts[key] = found
        return found

    def session(self, *, seconds: float) -> Session:
        """Something to ask questions with, in one thread; it is stopped after `seconds`."""
        return Session(self._con.cursor(), seconds=seconds)

    def close(self) -> None:
        """Remove what was read; the files of the user stay as they are."""
        with suppress(duckdb.Error):
            self._con.close()
        self._workspace.remove()


def open_database(
    paths: Sequence[Path], settings: DataSettings, mappings: Mapping[str, FieldMapping] | None = None
) -> DataTables:
    """Read the files into a temporary folder.

    Raises:
        UsageError: one cannot be read, or all together take more disk than is allowed.
        ConfigurationError: a mapping names a field that its table does not have.
    """
    sources = sources_of(paths)
    workspace = Workspace()
    try:
        file = workspace.path / "data.duckdb"
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": f"{settings.data_memory_mb}MB",
            "threads": 2,
            "temp_directory": str(workspace.path / "spill"),
            "max_temp_directory_size": f"{settings.data_max_disk_mb}MB",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
        }
        names = ", ".join(str(source.path) for source in sources)
        late = (
            f"{names}: reading takes more than {settings.data_max_reading:g} seconds. Name less, or raise "
            "FATHOM_DATA_MAX_READING."
        )
        over = (
            f"{names}: reading takes more than {settings.data_max_disk_mb} MB of disk or {settings.data_memory_mb} MB "
            "of memory. Name less, or raise FATHOM_DATA_MAX_DISK_MB or FATHOM_DATA_MEMORY_MB."
        )
        con = duckdb.connect(str(file), config=config)

        def interrupt() -> None:
            with suppress(duckdb.Error):  # it has just been closed
                con.interrupt()

        most = settings.data_max_disk_mb * 1_000_000
        with workspace.bounded(most, interrupt, seconds=settings.data_max_reading, late=late) as why:
            try:
                with con:
                    con.execute("SET TimeZone = 'UTC'")
                    tables = load(con, sources, workspace.path)
                if workspace.size() > most:  # it was read between two looks
                    raise UsageError(over)
            except (duckdb.InterruptException, duckdb.OutOfMemoryException, MemoryError) as error:
                if isinstance(error, duckdb.InterruptException) and not why:
                    raise
                raise UsageError(late if "time" in why else over) from error
            con = duckdb.connect(str(file), read_only=True, config=config)
            con.execute("SET enable_external_access = false; SET lock_configuration = true")
            title = ", ".join(dict.fromkeys(source.path.name or str(source.path) for source in sources))
            database = DataTables(con, workspace, revision=revision_of(sources), title=title)
            database.look_at(tables, mappings or {}, seconds=max(settings.data_max_reading, settings.data_timeout))
        return database
    except BaseException:
        workspace.remove()
        raise
