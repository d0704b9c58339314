"""A bundle of another Fathom, opened: nothing in it is believed, and nothing of it is unpacked to a path.

It is read member by member, by names that are known and within bounds. What is stored is not the report that it brings
but the one that its journal replays to here; both must be the same.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from fathom.errors import Conflict, NotFound, UsageError
from fathom.events import StoredEvent
from fathom.evidence import now
from fathom.outcomes import in_thread
from fathom.ports import EndedRun, JournalEntry, RunRecord, RunStore
from fathom.report import Report
from fathom.settings import Settings
from fathom.text.harmless import inert
from fathom.text.places import portable
from fathom.wiring.bundling import ENDED, KIND, MANIFEST, SEAL, VERSION, carried
from fathom.wiring.opening import recorded
from fathom.wiring.readings import report_if_any
from fathom.wiring.shared import Shared

MOST_BYTES, MOST_UNPACKED = 200_000_000, 1_000_000_000
"""Of the file, and of its members together."""
MOST_TIMES, FEW_UNPACKED = 100, 20_000_000
"""How many times larger than the file its members may be, if they have more bytes than that; texts are some 5 times."""
MOST_DIRECTORY = 4_000_000
"""Bytes of the list of members: some thirty thousand of them."""
_NAME = re.compile(
    r"manifest\.json|run\.json|(?:journal|events)\.jsonl|report\.(?:md|html|json)"
    r"|tables/[^/\\\0]{1,200}\.csv|sources/[0-9a-f]{64}\.txt"
)
_RUN_ID = re.compile(r"run_[0-9a-hjkmnp-tv-z]{12}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|\+00:00)", re.ASCII)
_END = struct.Struct("<4s4x4xL4xH")


class BundleRefused(UsageError):
    """A bundle is not taken in: its `kind` is `no_bundle`, `newer` or, for all else, `damaged`."""

    def __init__(self, message: str, kind: str = "damaged") -> None:
        super().__init__(message)
        self.kind = kind


async def taken_in(path: Path, store: RunStore, settings: Settings) -> tuple[RunRecord, bool]:
    """Store the run of a bundle; it, and whether it is new here.

    Raises:
        BundleRefused: the file is no bundle, was altered, is too large, or does not replay to its report.
        UsageError: it cannot be read.
        Conflict: another run has its id.
    """
    with _trouble(path), path.open("rb") as file:
        ended = await in_thread(_read, file)
        if known := await _known(ended, store):
            return known, False
        with TemporaryDirectory() as folder:
            report = await _replayed(ended, settings.model_copy(update={"home": Path(folder)}))
        told = {"title": report.title, "claims": report.verdicts, "partial": report.partial, "tally": report.tally}
        run = ended.run.model_copy(update={**told, "sources": {**ended.run.sources, "imported": now()}})
        await store.adopt(ended._replace(run=run, report=report))
        return run, True


async def _known(ended: EndedRun, store: RunStore) -> RunRecord | None:
    """The run, if it is here already."""
    try:
        run = await store.run(ended.run.run_id)
    except NotFound:
        return None
    own = await report_if_any(store, run.run_id)
    if own is None or portable(own) != ended.report:
        raise Conflict(f"There is a run {run.run_id} already, and it is another one than in the file.")
    return run


async def _replayed(ended: EndedRun, settings: Settings) -> Report:
    """The report that the journal gives, in a home that is gone afterwards."""
    try:
        async with AsyncExitStack() as stack:
            shared = Shared(stack, settings)
            await (await shared.runs()).adopt(ended)
            report = await (await recorded(stack, shared, ended.run, settings)).execute(replay=True)
    except Exception as error:  # what others have written may be wrong in any way
        raise BundleRefused(f"its journal cannot be replayed ({type(error).__name__})") from error
    if portable(report) != ended.report:
        raise BundleRefused("its journal replays to another report than the one that it holds")
    return report


@contextmanager
def _trouble(path: Path) -> Iterator[None]:
    """Turn whatever is wrong with a file into one line."""
    try:
        yield
    except Conflict as error:
        raise Conflict(f"{error} Nothing was imported.") from error
    except BundleRefused as error:
        raise BundleRefused(f"{path.name} is not imported: {error}.", error.kind) from error
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, LookupError, RuntimeError) as error:
        if isinstance(error, OSError) and error.filename:
            raise UsageError(f"{path.name} cannot be read: {error.strerror}.") from error
        told = "it is damaged, or was altered. Have it sent again."
        raise BundleRefused(f"{path.name} is not imported: {told}") from error


def _read(file: IO[bytes]) -> EndedRun:
    """Every check that costs no replay, in an order in which none is asked more than it can bear."""
    size = file.seek(0, 2)
    if size > MOST_BYTES:
        raise BundleRefused(f"it is larger than {MOST_BYTES // 1_000_000} MB")
    file.seek(max(0, size - SEAL - _END.size - 20))
    before, end = file.read(20), file.read(_END.size)
    if len(end) < _END.size or not end.startswith(b"PK\5\6"):
        raise BundleRefused("it is no bundle of a report, or only a part of one", "no_bundle")
    _, directory, comment = _END.unpack(end)
    if before.startswith(b"PK\6\7") or directory > MOST_DIRECTORY or comment != SEAL:
        raise BundleRefused("it is no bundle of a report, or has too many members", "no_bundle")
    archive = zipfile.ZipFile(file)
    for member in archive.infolist():
        name = inert(member.filename, width=80)
        if not _NAME.fullmatch(member.filename):
            raise BundleRefused(f"it holds '{name}', which has no place in a bundle")
        if stat.S_ISLNK(member.external_attr >> 16) or member.flag_bits & 1:
            raise BundleRefused(f"its '{name}' is a link, or is encrypted")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BundleRefused(f"its '{name}' is packed in a way that no bundle is")
    unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > min(MOST_UNPACKED, max(FEW_UNPACKED, MOST_TIMES * size)):
        raise BundleRefused(f"it unpacks to {unpacked // 1_000_000:,} MB, which no bundle of its size does")
    manifest = json.loads(archive.read(MANIFEST))
    if manifest["kind"] != KIND or manifest["version"] > VERSION:
        raise BundleRefused("it was written by a newer version of Fathom: update this one", "newer")
    told = {name: each["sha256"] for name, each in manifest["members"].items()}
    found = {name: _digest(archive.open(name)) for name in told}
    file.seek(0)
    whole = sorted(archive.namelist()) == sorted((MANIFEST, *told)) and found == told
    named = all(name[8:-4] == digest for name, digest in told.items() if name.startswith("sources/"))
    if not whole or not named or _digest(file, size - SEAL) != file.read().decode("ascii"):
        raise zipfile.BadZipFile("it is not as it was written")
    return _parsed(archive)


def _digest(file: IO[bytes], length: int = MOST_UNPACKED) -> str:
    """SHA-256 of so many bytes, as far as there are any."""
    digest = hashlib.sha256()
    while chunk := file.read(min(length, 1_000_000)):
        digest.update(chunk)
        length -= len(chunk)
    return digest.hexdigest()


def _parsed(archive: zipfile.ZipFile) -> EndedRun:
    run = carried(RunRecord.model_validate_json(archive.read("run.json")))
    journal = [JournalEntry.model_validate_json(line) for line in archive.read("journal.jsonl").splitlines()]
    events = [StoredEvent.model_validate_json(line) for line in archive.read("events.jsonl").splitlines()]
    report = Report.model_validate_json(archive.read("report.json"))
    moments = (run.created_at, run.updated_at, report.created_at, *(each.at for each in events))
    if not _RUN_ID.fullmatch(run.run_id) or not all(map(_MOMENT.fullmatch, moments)) or run.status not in ENDED:
        raise zipfile.BadZipFile("the record tells what no run has")
    if {run.run_id, report.run_id, *(each.run_id for each in events)} != {run.run_id}:
        raise zipfile.BadZipFile("it tells of several runs")

    def snapshots() -> Iterator[tuple[str, str]]:
        for name in archive.namelist():
            if name.startswith("sources/"):
                yield name[8:-4], archive.read(name).decode("utf-8", "surrogatepass")

    return EndedRun(run, journal, events, snapshots, report)
