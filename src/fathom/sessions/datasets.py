"""The structured data that sessions may ask by name: what the service was started with, and uploaded files."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Literal

from fathom import wiring
from fathom.data.fields import DataField, DatasetDescription
from fathom.data.servers import DataSource, Server
from fathom.errors import Conflict, FathomError, NotFound, StoreError, UsageError
from fathom.frozen import FrozenModel
from fathom.outcomes import in_thread
from fathom.ports import RunStatus
from fathom.reading import bounded
from fathom.registry import did_you_mean
from fathom.sessions.holding import held
from fathom.sessions.names import numbered, split_name
from fathom.sessions.uploads import Incoming, UploadFolder
from fathom.text.places import Unplaced

AT_ONCE = 2
"""Files that are looked into at once, each by a process of its own."""
UNDER_WAY: tuple[RunStatus, ...] = ("planned", "queued", "running")
_MAY_GO_ON: tuple[RunStatus, ...] = (*UNDER_WAY, "partial", "failed")
_PAGE = 200


class ServedDataset(FrozenModel):
    """Structured data that a service was started with."""

    name: str
    """Its name."""
    path: str = ""
    """File or folder of this machine; empty for a server."""
    server: Server | None = None
    """An MCP server; `None` for files."""


class OfferedDataset(FrozenModel):
    """Structured data that sessions may ask."""

    name: str
    """What a session calls it."""
    kind: Literal["file", "folder", "server"]
    """What it is."""
    format: str
    """Of a file: `csv`, `parquet`, `sqlite`, …; empty for all else."""
    bytes: int | None
    """Size of a file; `None` for all else."""
    kb: str | None
    """The knowledge base that it was uploaded to; `None` when it was not, and is offered in all of them."""
    uploaded: bool
    """Whether it was uploaded, so that it can be removed."""


class DescribedDataset(OfferedDataset):
    """Structured data, and what is in it."""

    tables: tuple[str, ...] = ()
    """Its tables, the one that is described first."""
    records: int | None = None
    """Records of that table; `None` when not known."""
    fields: tuple[DataField, ...] = ()
    """Fields of that table; none for a server, which is not asked for this."""


class UploadedFile(FrozenModel):
    """What became of a file that was sent."""

    name: str
    """What it is kept as; not always as it was called."""
    status: Literal["added", "unchanged", "refused"]
    """Whether it is new here or has changed, was here already, or was not taken."""
    id: str
    """What a session calls it: id of a document, name of a dataset; of a bundle that of its session; empty when it was
    refused."""
    kind: Literal["document", "data", "bundle"]
    """What it was sent as."""
    reason: Unplaced
    """Why it was refused, or what is to be known of it; empty else."""
    failure: str = ""
    """The same of a bundle, for programs: `no_bundle`, `damaged`, `newer`, `taken` or `other`; empty else."""


class Datasets:
    """What sessions may ask by name. It keeps nothing: what was uploaded is in its folder."""

    def __init__(self, fathom: wiring.Fathom, uploads: UploadFolder, offered: Sequence[ServedDataset] = ()) -> None:
        """`offered` was named by whoever runs the service, who may also name servers in the settings."""
        self._settings = fathom.settings
        self._store = fathom.store
        self._uploads = uploads
        self._offered = {dataset.name: dataset for dataset in offered}
        self._looking = asyncio.Semaphore(AT_ONCE)

    async def listed(self, kb: str | None = None) -> list[OfferedDataset]:
        """What the service was started with, then what was uploaded, by name; with `kb` only what sessions of that
        knowledge base are offered."""
        return [each for each in await in_thread(self._listed) if kb is None or each.kb in (None, kb)]

    async def described(self, name: str) -> DescribedDataset:
        """One of them. Of files, what is in them; a server of somebody else's is not asked for this.

        Raises:
            NotFound: there is none of that name.
            FathomError: it cannot be read any more.
        """
        found = next((each for each in await self.listed() if each.name == name), None)
        if found is None:
            raise NotFound(self._unknown(name))
        if found.kind == "server":
            return DescribedDataset(**found.model_dump())
        told = await self._look_into(self._path(name))
        return DescribedDataset(**found.model_dump(), tables=told.tables, records=told.total, fields=told.fields)

    def named(self, names: Sequence[str]) -> tuple[list[Path], list[str | Server]]:
        """The files and the servers that names stand for.

        Raises:
            UsageError: there is none of that name.
        """
        data: list[Path] = []
        mcp: list[str | Server] = []
        for name in names:
            dataset = self._offered.get(name)
            if dataset is not None and dataset.server is not None:
                mcp.append(dataset.server)
            elif dataset is None and name in self._settings.mcp:
                mcp.append(name)
            elif dataset is not None or self._is_uploaded(name):
                data.append(self._path(name))
            else:
                raise UsageError(self._unknown(name))
        return data, mcp

    async def add(self, files: Sequence[Incoming], kb: str = "") -> list[UploadedFile]:
        """Take data files into a knowledge base that have come whole; what cannot be read as data is refused, in the
        order given.

        A name is what a session asks by. What a session could still need stays: a file of the same name and other
        content gets a number then, and takes the other's place when nobody needs it.

        Raises:
            StoreError: the disk does not take them.
        """
        with bounded.within(self._uploads.most_seconds):
            for file in files:
                await self._look_at(file)
        async with held(self._uploads.folder / "data"):  # a name is one file's in all knowledge bases
            try:
                return [await self._add(each, kb or self._uploads.kb) for each in files]
            except BaseException:
                for file in reversed(files):
                    file.undo()
                raise

    async def remove(self, name: str) -> None:
        """Remove an uploaded file.

        Raises:
            NotFound: there is none of that name.
            Conflict: it was not uploaded, or a session under way asks it.
        """
        if not self._is_uploaded(name):
            if name in self._offered or name in self._settings.mcp:
                raise Conflict(f"'{name}' was not uploaded: whoever runs the service takes it away.")
            raise NotFound(self._unknown(name))
        async with held(self._uploads.folder / "data"):
            if run_id := await self._user(self._path(name), UNDER_WAY):
                raise Conflict(f"The session {run_id} asks '{name}': cancel it, or wait for its end.")
            await in_thread(self._path(name).unlink, missing_ok=True)

    # ── What is there ──────────────────────────────────────────────────────────────────────────────────────────────

    def _listed(self) -> list[OfferedDataset]:
        found = {name: self._entry(name, Path(each.path), each.server) for name, each in self._offered.items()}
        for name, server in self._settings.mcp.items():
            found.setdefault(name, self._entry(name, Path(), server))
        for name, (path, kb) in self._uploads.data_files().items():
            found.setdefault(name, self._entry(name, path, None, kb=kb))
        return list(found.values())

    def _entry(self, name: str, path: Path, server: Server | None, *, kb: str | None = None) -> OfferedDataset:
        from fathom.datasets.formats import format_of  # it brings DuckDB along

        size = _size(path) if server is None else None
        return OfferedDataset(
            name=name,
            kind="server" if server else "file" if size is not None or format_of(path) else "folder",
            format=(format_of(path) or "") if server is None else "",
            bytes=size,
            kb=kb,
            uploaded=kb is not None,
        )

    def _path(self, name: str) -> Path:
        """Where the files of a dataset are; those that the service was started with come first."""
        dataset = self._offered.get(name)
        return Path(dataset.path) if dataset else self._uploads.data_files()[name][0]

    def _is_uploaded(self, name: str) -> bool:
        """Whether there is an uploaded file of exactly that name; what names a path is none."""
        return name not in self._offered and name not in self._settings.mcp and name in self._uploads.data_files()

    def _unknown(self, name: str) -> str:
        known = [each.name for each in self._listed()]
        return f"There is no dataset '{name[:100]}'.{did_you_mean(name, known)} Known: {', '.join(known) or 'none'}."

    async def _user(self, path: Path, statuses: Sequence[RunStatus]) -> str:
        """A session with one of these statuses that asks a file; empty when none does."""
        before: str | None = None
        while runs := await self._store.runs(limit=_PAGE, before=before, statuses=statuses):
            for run in runs:
                if any(str(path.resolve()) in source.paths for source in wiring.sources_of(run)):
                    return run.run_id
            before = runs[-1].run_id
        return ""

    # ── What comes in ──────────────────────────────────────────────────────────────────────────────────────────────

    async def _look_at(self, file: Incoming) -> None:
        """Refuse a file that cannot be read as data."""
        here = self._uploads.data_files().get(file.name)
        is_known = here is not None and await in_thread(file.is_like, here[0])
        if not file.refusal and not is_known:
            seconds = bounded.left()  # time that was up before ends the upload, and is no fault of this file
            try:
                async with asyncio.timeout(seconds):
                    await self._look_into(file.path)
            except TimeoutError:
                bounded.left()
                raise
            except StoreError:
                raise
            except FathomError as error:
                reason = str(error).replace(str(file.path), file.name).replace(str(file.path.parent), "")
                await in_thread(file.refuse, reason)

    async def _add(self, file: Incoming, kb: str) -> UploadedFile:
        if file.refusal:
            return UploadedFile(name=file.name, status="refused", id="", kind="data", reason=file.refusal)
        name, is_here = await self._place(file, kb)
        if not is_here:
            await in_thread(file.move, self._uploads.data(kb) / name)
        status: Literal["added", "unchanged"] = "unchanged" if is_here else "added"
        return UploadedFile(name=name, status=status, id=name, kind="data", reason="")

    async def _place(self, file: Incoming, kb: str) -> tuple[str, bool]:
        """The name that a file gets in a knowledge base, and whether it is there already."""
        number = 1
        while True:
            name = file.name if number == 1 else numbered(file.name, number)
            number += 1
            if name in self._offered or name in self._settings.mcp:
                continue
            path, owner = self._uploads.data_files().get(name, (None, kb))
            if path is None:
                return name, False
            if owner != kb:
                continue
            if await in_thread(file.is_like, path):
                return name, True
            if not await self._user(path, _MAY_GO_ON):
                return name, False

    async def _look_into(self, path: Path) -> DatasetDescription:
        """What is in a file or a folder, as the server over it tells: a process of its own, with bounds.

        Raises:
            FathomError: it cannot be read, and why.
        """
        from fathom.datasets.loading import look_at  # it brings DuckDB along

        await in_thread(look_at, path)
        source = DataSource(name=split_name(path.name)[0] or "data", paths=(str(path.absolute()),))
        async with self._looking, AsyncExitStack() as stack:
            (dataset,) = await wiring.opened_datasets(stack, (source,), self._settings)
            return await dataset.describe("", declared=True)


def data_suffixes() -> frozenset[str]:
    """Endings of data files, in lower case, with their dots."""
    from fathom.datasets.formats import FORMATS, TEXTS

    return frozenset({*FORMATS, *(f"{suffix}.gz" for suffix, format in FORMATS.items() if format in TEXTS)})


def _size(path: Path) -> int | None:
    """Bytes of a file; `None` of what is none, or was removed since it was listed."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
