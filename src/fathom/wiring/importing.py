"""A bundle of another Fathom, opened: nothing in it is believed, and nothing of it is unpacked to a path.

It is checked in a process that is bounded in time and memory, member by member, by names that are known. What is stored
is not the report that it brings but the one that its journal replays to here; both must be the same.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import math
import os
import re
import stat
import struct
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack
from datetime import datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO, TypeVar, cast

from fathom.errors import Conflict, NotFound, Unreadable, UsageError
from fathom.events import StoredEvent
from fathom.evidence import now
from fathom.frozen import FrozenModel
from fathom.outcomes import in_thread
from fathom.ports import EndedRun, JournalEntry, RunRecord, RunStore
from fathom.reading import bounded
from fathom.report import Report
from fathom.sessions.progress import RunProgress
from fathom.settings import Settings
from fathom.text.harmless import inert
from fathom.text.places import portable
from fathom.wiring.bundling import ENDED, KIND, MANIFEST, SEAL, VERSION, carried
from fathom.wiring.opening import recorded
from fathom.wiring.readings import report_if_any
from fathom.wiring.shared import Shared

MOST_BYTES, MOST_UNPACKED = 100_000_000, 500_000_000
"""Of the file, and of its members together."""
MOST_TIMES, FEW_UNPACKED = 15, 20_000_000
"""How many times larger than the file its members may be, if they have more bytes than that; most are 4 to 7 times."""
MOST_PARSED, MOST_LINES, MOST_LINE = 20_000_000, 100_000, 5_000_000
"""Bytes of a member that is one value; lines, and bytes of a line, of one that has a value a line."""
MOST_DIRECTORY = 4_000_000
"""Bytes of the list of members: some thirty thousand of them."""
_NAME = re.compile(
    r"manifest\.json|run\.json|(?:journal|events)\.jsonl|report\.(?:md|html|json)"
    r"|tables/[^/\\\0]{1,200}\.csv|sources/[0-9a-f]{64}\.txt"
)
_RUN_ID = re.compile(r"run_[0-9a-hjkmnp-tv-z]{12}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|\+00:00)", re.ASCII)
_END = struct.Struct("<4s4x4xL4xH")
M = TypeVar("M", bound=FrozenModel)


class BundleRefused(UsageError):
    """A bundle is not imported: it was altered, is too large, or does not replay to its report."""

    kind = "damaged"


class NoBundle(BundleRefused):
    """The file is something else."""

    kind = "no_bundle"


class NewerBundle(BundleRefused):
    """It was written by a version of Fathom that this one does not know."""

    kind = "newer"


class Checked(FrozenModel):
    """What is stored of a bundle in place of what it says itself."""

    run: RunRecord
    """The record, with what its report amounts to."""
    report: Report
    """What its journal replays to."""


_REASONS = (BundleRefused, NoBundle, NewerBundle)


async def taken_in(path: Path, store: RunStore) -> tuple[RunRecord, bool]:
    """Store the run of a bundle; it, and whether it is new here.

    Raises:
        BundleRefused: the file is no bundle, was altered, is too large, or does not replay to its report.
        UsageError: it cannot be read.
        Conflict: another run has its id.
    """
    try:
        data = await in_thread(_content, path)
        found = await in_thread(partial(bounded.ask, Checked, f"{__name__}:checked", data, raises=_REASONS))
        return await _stored(_parsed(zipfile.ZipFile(io.BytesIO(data))), found, store)
    except Conflict as error:
        raise Conflict(f"{error} Nothing was imported.") from error
    except (BundleRefused, Unreadable) as error:
        refused = type(error) if isinstance(error, BundleRefused) else BundleRefused
        raise refused(f"{path.name} is not imported: {error}.") from error
    except OSError as error:
        raise UsageError(f"{path.name} cannot be read: {error.strerror}.") from error


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        if file.seek(0, 2) > MOST_BYTES:
            raise BundleRefused(f"it is larger than {MOST_BYTES // 1_000_000} MB")
        file.seek(0)
        return file.read(MOST_BYTES)


async def _stored(ended: EndedRun, found: Checked, store: RunStore) -> tuple[RunRecord, bool]:
    if known := await _known(ended, store):
        return known, False
    try:
        await store.adopt(ended._replace(run=found.run, report=found.report))
    except UsageError:  # its id is taken since: by the same bundle, or by another run
        if known := await _known(ended, store):
            return known, False
        raise
    return found.run, True


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


# ── In a process of its own ────────────────────────────────────────────────────────────────────────────────────────


def checked(data: bytes) -> Checked:
    """What is to be stored of a bundle, once all that is shown of its run can be had.

    Raises:
        BundleRefused: the bundle is not as Fathom has written it.
    """
    try:
        archive = _opened(io.BytesIO(data))
        ended = _consistent(_parsed(archive))
    except BundleRefused:
        raise
    except Exception as error:  # what others have written may be wrong in any way
        raise BundleRefused("it is damaged, or was altered: have it sent again") from error
    try:
        report = asyncio.run(_replayed(ended, archive))
    except Exception as error:
        raise BundleRefused(f"its journal cannot be replayed ({type(error).__name__})") from error
    if portable(report) != ended.report:
        raise BundleRefused("its journal replays to another report than the one that it holds")
    known = {"title": report.title, "claims": report.verdicts, "partial": report.partial, "tally": report.tally}
    run = ended.run.model_copy(update={**known, "sources": {**ended.run.sources, "imported": now()}})
    return Checked(run=run, report=report)


async def _replayed(ended: EndedRun, archive: zipfile.ZipFile) -> Report:
    """The report that the journal gives, where there is no home."""
    settings = Settings(home=Path(os.devnull))
    async with AsyncExitStack() as stack:
        store = cast("RunStore", _Unpacked(ended, archive))
        begun = await recorded(stack, Shared(stack, settings), ended.run, settings, store)
        return await begun.execute(replay=True)


class _Unpacked:
    """What a replay asks of a store, answered from the bundle."""

    def __init__(self, ended: EndedRun, archive: zipfile.ZipFile) -> None:
        self._ended, self._archive = ended, archive

    async def run(self, run_id: str) -> RunRecord:
        if run_id != self._ended.run.run_id:
            raise NotFound(f"The bundle does not hold the run {run_id}.")
        return self._ended.run

    async def journal(self, run_id: str) -> Iterable[JournalEntry]:
        await self.run(run_id)
        return self._ended.journal

    async def snapshot(self, sha256: str) -> str:
        try:
            return self._archive.read(f"sources/{sha256}.txt").decode("utf-8", "surrogatepass")
        except KeyError as error:
            raise NotFound(f"The bundle does not hold the text {sha256}.") from error


def _opened(file: IO[bytes]) -> zipfile.ZipFile:
    """Every check that costs no parsing, in an order in which none is asked more than it can bear."""
    size = file.seek(0, 2)
    file.seek(max(0, size - SEAL - _END.size - 20))
    before, end = file.read(20), file.read(_END.size)
    if len(end) < _END.size or not end.startswith(b"PK\5\6"):
        raise NoBundle("it is no bundle of a report, or only a part of one")
    _, directory, comment = _END.unpack(end)
    if before.startswith(b"PK\6\7") or directory > MOST_DIRECTORY or comment != SEAL:
        raise NoBundle("it is no bundle of a report, or has too many members")
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
    manifest = json.loads(_small(archive, MANIFEST))
    if manifest["kind"] != KIND or manifest["version"] > VERSION:
        raise NewerBundle("it was written by a newer version of Fathom: update this one")
    told = {name: each["sha256"] for name, each in manifest["members"].items()}
    found = {name: _digest(archive.open(name)) for name in told}
    file.seek(0)
    whole = sorted(archive.namelist()) == sorted((MANIFEST, *told)) and found == told
    named = all(name[8:-4] == digest for name, digest in told.items() if name.startswith("sources/"))
    if not whole or not named or _digest(file, size - SEAL) != file.read().decode("ascii"):
        raise zipfile.BadZipFile("it is not as it was written")
    return archive


def _digest(file: IO[bytes], length: int = MOST_UNPACKED) -> str:
    """SHA-256 of so many bytes, as far as there are any."""
    digest = hashlib.sha256()
    while chunk := file.read(min(length, 1_000_000)):
        digest.update(chunk)
        length -= len(chunk)
    return digest.hexdigest()


def _parsed(archive: zipfile.ZipFile) -> EndedRun:
    """What a store has of the run; its calls and events are read as they are asked for, once."""
    run = carried(RunRecord.model_validate_json(_small(archive, "run.json")))
    report = Report.model_validate_json(_small(archive, "report.json"))

    def snapshots() -> Iterator[tuple[str, str]]:
        for name in archive.namelist():
            if name.startswith("sources/"):
                yield name[8:-4], archive.read(name).decode("utf-8", "surrogatepass")

    journal, events = _lines(archive, "journal.jsonl", JournalEntry), _lines(archive, "events.jsonl", StoredEvent)
    return EndedRun(run, journal, events, snapshots, report)


def _small(archive: zipfile.ZipFile, name: str) -> bytes:
    """A member that is parsed as a whole."""
    if archive.getinfo(name).file_size > MOST_PARSED:
        raise BundleRefused(f"its '{name}' has more than {MOST_PARSED // 1_000_000} MB")
    return archive.read(name)


def _lines(archive: zipfile.ZipFile, name: str, kind: type[M]) -> Iterator[M]:
    with archive.open(name) as file:
        for number, line in enumerate(iter(lambda: file.readline(MOST_LINE), b""), 1):
            if number > MOST_LINES or len(line) == MOST_LINE:
                raise BundleRefused(f"its '{name}' has more than {MOST_LINES:,} lines, or one that is too long")
            yield kind.model_validate_json(line)


def _consistent(ended: EndedRun) -> EndedRun:
    """The same with its journal at hand; a `ValueError` if its members contradict each other, or it cannot be shown."""
    run, report, journal = ended.run, ended.report, list(ended.journal)
    if not _RUN_ID.fullmatch(run.run_id) or run.status not in ENDED or report.run_id != run.run_id:
        raise ValueError("this is no run that has ended, or its report is another one's")
    for moment in (run.created_at, run.updated_at, report.created_at):
        _check_moment(moment)
    if not 1 <= run.attempt <= MOST_LINES or not 0 <= run.seconds + sum(each.seconds for each in journal) < math.inf:
        raise ValueError("no run takes that long")
    shown, numbers = RunProgress(), [0]
    for each in (run, *journal):
        _check_kept(each)
    for event in ended.events:
        _check_kept(event)
        _check_moment(event.at)
        if event.run_id != run.run_id:
            raise ValueError("an event is another run's")
        shown.take(event)
        numbers.append(event.seq)
    shown.tree()
    for ordered in (numbers, [0, *(each.seq for each in journal)]):
        if ordered[-1] > MOST_LINES or any(after <= before for before, after in pairwise(ordered)):
            raise ValueError("its calls or its events are out of order")
    return ended._replace(journal=journal)


def _check_kept(value: FrozenModel) -> None:
    """See that what is stored can be read again, which a number that is none cannot."""
    type(value).model_validate_json(value.model_dump_json())


def _check_moment(moment: str) -> None:
    if not _MOMENT.fullmatch(moment):
        raise ValueError("this is no moment")
    datetime.fromisoformat(moment)
