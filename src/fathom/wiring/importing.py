"""A bundle of another Fathom, opened: nothing in it is believed, and nothing of it is unpacked to a path.

What it holds is read from the ZIP file itself, by names that are known and within bounds that are told. The report that
is stored is not the one that it brings but the one that its journal replays to here; both must be the same.
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
from typing import IO, Any, NamedTuple

from fathom.errors import Conflict, NotFound, UsageError
from fathom.events import StoredEvent
from fathom.evidence import now
from fathom.outcomes import in_thread
from fathom.ports import JournalEntry, RunRecord, RunStore
from fathom.report import Report
from fathom.settings import Settings
from fathom.text.harmless import inert
from fathom.text.places import portable
from fathom.wiring.bundling import ENDED, KIND, MANIFEST, SEAL, VERSION, carried
from fathom.wiring.opening import recorded
from fathom.wiring.readings import report_if_any
from fathom.wiring.shared import Shared

MOST_BYTES = 200_000_000
"""Of the file."""
MOST_UNPACKED = 1_000_000_000
"""Bytes of all members together."""
MOST_TIMES = 100
"""How many times larger than the file they may be, if they are more than `FEW_UNPACKED`: texts are about 5 times."""
FEW_UNPACKED = 20_000_000
MOST_DIRECTORY = 4_000_000
"""Bytes of the list of members: some thirty thousand of them."""
_NAME = re.compile(
    r"manifest\.json|run\.json|(?:journal|events)\.jsonl|report\.(?:md|html|json)"
    r"|tables/[^/\\\0]{1,200}\.csv|sources/[0-9a-f]{64}\.txt"
)
_RUN_ID = re.compile(r"run_[0-9a-hjkmnp-tv-z]{12}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|\+00:00)", re.ASCII)
_END = struct.Struct("<4s4x2H2LH")


class Bundle(NamedTuple):
    """What a file holds, checked but for whether it replays."""

    archive: zipfile.ZipFile
    run: RunRecord
    journal: list[JournalEntry]
    events: list[StoredEvent]
    report: Report
    """As it was exported."""

    def snapshots(self) -> Iterator[tuple[str, str]]:
        """Digests and texts of what was read, one at a time."""
        for name in self.archive.namelist():
            if name.startswith("sources/"):
                yield name[8:-4], self.archive.read(name).decode("utf-8", "surrogatepass")


async def taken_in(path: Path, store: RunStore, settings: Settings) -> tuple[RunRecord, bool]:
    """Store the run of a bundle.

    Returns:
        The run, and whether it is new here.

    Raises:
        UsageError: the file is no bundle, was altered, is too large, or does not replay to its report.
        Conflict: another run has its id.
    """
    with _trouble(path), path.open("rb") as file:
        bundle = await in_thread(_read, file)
        if known := await _known(bundle, store):
            return known, False
        with TemporaryDirectory() as folder:
            report = await _replayed(bundle, settings.model_copy(update={"home": Path(folder)}))
        imported = {**bundle.run.sources, "imported": now()}
        told = {"title": report.title, "claims": report.verdicts, "partial": report.partial, "sources": imported}
        run = bundle.run.model_copy(update=told)
        await store.adopt(
            run, journal=bundle.journal, events=bundle.events, snapshots=bundle.snapshots(), report=report
        )
        return run, True


async def _known(bundle: Bundle, store: RunStore) -> RunRecord | None:
    """The run of a bundle, if it is here already."""
    try:
        run = await store.run(bundle.run.run_id)
    except NotFound:
        return None
    own = await report_if_any(store, run.run_id)
    if own is None or portable(own) != bundle.report:
        raise Conflict(f"There is a run {run.run_id} already, and it is another one than in the file.")
    return run


async def _replayed(bundle: Bundle, settings: Settings) -> Report:
    """The report that the journal of a bundle gives, in a home that is gone afterwards."""
    try:
        async with AsyncExitStack() as stack:
            shared = Shared(stack, settings)
            store = await shared.runs()
            await store.adopt(
                bundle.run,
                journal=bundle.journal,
                events=bundle.events,
                snapshots=bundle.snapshots(),
                report=bundle.report,
            )
            begun = await recorded(stack, shared, bundle.run, settings)
            report = await begun.execute(replay=True)
    except Exception as error:  # what others have written may be wrong in any way
        raise UsageError(f"its journal cannot be replayed ({type(error).__name__})") from error
    if portable(report) != bundle.report:
        raise UsageError("its journal replays to another report than the one that it holds")
    return report


@contextmanager
def _trouble(path: Path) -> Iterator[None]:
    """Turn whatever is wrong with a file into one line."""
    try:
        yield
    except Conflict as error:
        raise Conflict(f"{error} Nothing was imported.") from error
    except UsageError as error:
        raise UsageError(f"{path.name} is not imported: {error}.") from error
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, LookupError, RuntimeError) as error:
        if isinstance(error, OSError) and error.filename:
            raise UsageError(f"{path.name} cannot be read: {error.strerror}.") from error
        raise UsageError(f"{path.name} is not imported: it is damaged, or was altered. Have it sent again.") from error


def _read(file: IO[bytes]) -> Bundle:
    """Every check that costs no replay, in an order in which none is asked more than it can bear."""
    size = file.seek(0, 2)
    if size > MOST_BYTES:
        raise UsageError(f"it is larger than {MOST_BYTES // 1_000_000} MB")
    _check_end(file, size)
    archive = zipfile.ZipFile(file)
    members = archive.infolist()
    for member in members:
        if not _NAME.fullmatch(member.filename):
            raise UsageError(f"it holds '{inert(member.filename)[:80]}', which has no place in a bundle")
        if stat.S_ISLNK(member.external_attr >> 16) or member.flag_bits & 1:
            raise UsageError(f"its '{inert(member.filename)}' is a link, or is encrypted")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UsageError(f"its '{inert(member.filename)}' is packed in a way that no bundle is")
    unpacked = sum(member.file_size for member in members)
    if unpacked > MOST_UNPACKED or unpacked > max(FEW_UNPACKED, MOST_TIMES * size):
        raise UsageError(f"it unpacks to {unpacked // 1_000_000:,} MB, which no bundle of its size does")
    manifest = json.loads(archive.read(MANIFEST))
    if manifest["kind"] != KIND or manifest["version"] > VERSION:
        raise UsageError("it was written by a newer version of Fathom: update this one")
    _check_seal(file, size)
    _check_members(archive, manifest["members"])
    return _parsed(archive)


def _check_end(file: IO[bytes], size: int) -> None:
    """See that the file ends as a bundle does, and that its list of members is no bomb itself."""
    file.seek(max(0, size - SEAL - _END.size - 20))
    before, end = file.read(20), file.read(_END.size)
    if len(end) < _END.size or not end.startswith(b"PK\5\6"):
        raise UsageError("it is no bundle of a report, or only a part of one")
    _, _, _, directory, _, comment = _END.unpack(end)
    if before.startswith(b"PK\6\7") or directory > MOST_DIRECTORY or comment != SEAL:
        raise UsageError("it is no bundle of a report, or has too many members")


def _check_seal(file: IO[bytes], size: int) -> None:
    file.seek(0)
    digest, left = hashlib.sha256(), size - SEAL
    while left:
        chunk = file.read(min(left, 1_000_000))
        digest.update(chunk)
        left -= len(chunk)
    if file.read() != digest.hexdigest().encode():
        raise zipfile.BadZipFile("the seal is broken")


def _check_members(archive: zipfile.ZipFile, told: dict[str, Any]) -> None:
    names = archive.namelist()
    if sorted(names) != sorted((MANIFEST, *told)):
        raise zipfile.BadZipFile("a member is missing, or there twice")
    for name in told:
        digest = hashlib.sha256()
        with archive.open(name) as member:
            while chunk := member.read(1_000_000):
                digest.update(chunk)
        if digest.hexdigest() != told[name]["sha256"] or (
            name.startswith("sources/") and digest.hexdigest() != name[8:-4]
        ):
            raise zipfile.BadZipFile(f"{name} is another one")


def _parsed(archive: zipfile.ZipFile) -> Bundle:
    run = carried(RunRecord.model_validate_json(archive.read("run.json")))
    journal = [JournalEntry.model_validate_json(line) for line in archive.read("journal.jsonl").splitlines()]
    events = [StoredEvent.model_validate_json(line) for line in archive.read("events.jsonl").splitlines()]
    report = Report.model_validate_json(archive.read("report.json"))
    moments = (run.created_at, run.updated_at, report.created_at, *(each.at for each in events))
    if not _RUN_ID.fullmatch(run.run_id) or not all(map(_MOMENT.fullmatch, moments)) or run.status not in ENDED:
        raise zipfile.BadZipFile("the record tells what no run has")
    if {run.run_id, report.run_id, *(each.run_id for each in events)} != {run.run_id}:
        raise zipfile.BadZipFile("it tells of several runs")
    return Bundle(archive, run, journal, events, report)
