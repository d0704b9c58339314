"""A run in one ZIP file that another Fathom opens and replays: what it is made of, and how it is written.

It holds the report, the texts that were read, the tables of the report, and the record, the journal and the events of
the run. The journal has other names for the places of this machine, and the report is the one that it replays to.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, create_model

from fathom.browsing import WebRules
from fathom.engine.moving import mapped
from fathom.engine.run import moved
from fathom.errors import Conflict, MissingAnswer, UsageError
from fathom.events import StoredEvent
from fathom.frozen import FrozenModel
from fathom.limits import Tier
from fathom.outcomes import in_thread
from fathom.ports import JournalEntry, RunRecord
from fathom.preferences import ReportTemplate
from fathom.report import Report
from fathom.settings import KB_NAME, Price, Settings
from fathom.steering import EditedPart
from fathom.text.harmless import file_name
from fathom.text.places import names, unplaced
from fathom.text.tabular import as_csv, rows_as_csv
from fathom.version import __version__
from fathom.wiring.exports import exported
from fathom.wiring.models import PINNED
from fathom.wiring.readings import records_listed, snapshots_cited
from fathom.wiring.running import Begun

KIND, VERSION = "fathom-bundle", 1
"""What the manifest says that it is; the version counts the changes that an older Fathom cannot read."""
MANIFEST = "manifest.json"
SEAL = 64
"""Characters of the comment that ends the file: the SHA-256 of all bytes before it."""
ENDED = ("completed", "partial")
"""How a run stands that can be carried."""
_ADDRESS, _ADDRESSES = re.compile(r'"(file://[^"\\\s]+)"'), ("file://", "http://", "https://")
_OURS = {"url", "uri", "reason", "error", "warning", "refused"}
"""Fields of events that may tell a place."""


async def bundled(begun: Begun, settings: Settings) -> bytes:
    """The file; the same bytes whenever it is made by one version of Fathom.

    Raises:
        Conflict: the run is not over.
        UsageError: it cannot be replayed.
    """
    run, store = begun.run, begun.store
    if run.status not in ENDED:
        raise Conflict(f"{run.run_id} is {run.status}: a bundle is made of a run that has ended with a report.")
    places = _places(await store.journal(run.run_id), await store.report(run.run_id))
    try:
        report, journal = await moved(run, places, store=store, **begun.adapters)
    except MissingAnswer as error:
        raise UsageError(
            f"{run.run_id} cannot be replayed any more, as its journal is not whole: take the report alone, as .html."
        ) from error
    events = [_told(each, places) for each in await store.events(run.run_id)]
    cited, records = await snapshots_cited(store, report), await records_listed(store, report)
    texts = {digest: await store.snapshot(digest) for digest in await store.snapshots(run.run_id)}
    shown = [(each, await exported(report, each, settings, snapshots=cited)) for each in ("md", "html", "json")]

    def written() -> bytes:
        members = {
            "run.json": carried(run).model_dump_json().encode(),
            "journal.jsonl": _lines(journal),
            "events.jsonl": _lines(events),
            **{f"report.{ending}": content for ending, content in shown},
            **dict(_tables(report, records)),
            **{f"sources/{digest}.txt": text.encode("utf-8", "surrogatepass") for digest, text in texts.items()},
        }
        told = {
            name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)} for name, data in members.items()
        }
        head = {"kind": KIND, "version": VERSION, "fathom": __version__, "run": run.run_id, "title": report.title}
        manifest = json.dumps({**head, "members": told}, ensure_ascii=False, indent=1) + "\n"
        return _zipped({MANIFEST: manifest.encode("utf-8", "replace"), **members})

    return await in_thread(written)


class _Carried(FrozenModel):
    """What is carried of something; the rest is left out."""

    model_config = ConfigDict(extra="ignore")


class _Dataset(_Carried):
    name: str


class _Sources(_Carried):
    kb: Annotated[str, Field(pattern=KB_NAME)]
    paths: tuple[()] = ()
    knowledge: bool = True
    web: WebRules | None = None
    data: tuple[_Dataset, ...] = ()
    template: ReportTemplate | None = None
    parts: tuple[EditedPart, ...] = ()
    follows: str = ""
    thread: str = ""
    about: str = ""
    update_of: str = ""
    fork_of: str = ""
    offline: str = ""


@cache
def _models() -> type[_Carried]:
    """What is carried of `RunRecord.models`: the settings that it pins, but those that tell of a machine."""
    settings = {name: Settings.model_fields[name] for name in PINNED if name not in ("base_url", "prompts")}
    windows = dict[Tier, Annotated[int, Field(ge=1, le=10**9)] | None]
    fields: dict[str, Any] = {
        **{name: (each.annotation, each.default) for name, each in settings.items()},
        "reasoner": (str, ""),
        "prices": (dict[Tier, Price | None], {}),
        "windows": (windows, {}),
    }
    return create_model("_Models", __base__=_Carried, **fields)


def carried(run: RunRecord) -> RunRecord:
    """The record of a run without what tells of a machine, and without all that a process would start or ask.

    Raises:
        ValidationError: its sources or its models are not those of a run.
    """
    sources = _Sources.model_validate({**run.sources, "paths": ()}).model_dump(mode="json", exclude_unset=True)
    models = _models().model_validate(run.models).model_dump(mode="json", exclude_unset=True)
    changes = {"sources": sources, "models": models, "tally": None, "waiting_for": (), "error": None}
    return run.model_copy(update={**changes, "name": "", "pinned": False})


def _places(journal: Iterable[JournalEntry], report: Report) -> dict[str, str]:
    """The places of this machine that a run tells, and what they are called elsewhere."""
    commands, files = dict[str, str](), {source.uri for source in report.sources}
    for entry in journal:
        files.update(_ADDRESS.findall(entry.answer))
        if entry.kind == "dataset" and not (told := json.loads(entry.answer))["address"].startswith(_ADDRESSES):
            commands[told["address"]] = f"command:{told['name']}"
    local = names(sorted(uri for uri in files if uri.startswith("file://")))
    return {uri: f"file:///{name}" for uri, name in local.items()} | commands


def _told(stored: StoredEvent, places: Mapping[str, str]) -> StoredEvent:
    """An event that tells no place."""

    def changed(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {each: changed(within, each) for each, within in value.items()}
        if isinstance(value, list):
            return [changed(each, name) for each in value]
        return mapped(value, lambda text: places.get(text) or (unplaced(text) if name in _OURS else text))

    return StoredEvent.model_validate(changed(stored.model_dump(mode="json")))


def _tables(report: Report, records: Mapping[str, Sequence[Mapping[str, str]]]) -> Iterator[tuple[str, bytes]]:
    """The figures of a report as CSV, and the records that it lists a part of."""
    tables = {each.id: as_csv(each.columns, each.rows) for each in report.figures}
    tables |= {file_name(Path(name).stem): rows_as_csv(rows) for name, rows in records.items()}
    return ((f"tables/{name}.csv", text.encode("utf-8", "replace")) for name, text in tables.items())


def _lines(nouns: Iterable[JournalEntry | StoredEvent]) -> bytes:
    return "".join(f"{each.model_dump_json()}\n" for each in nouns).encode("utf-8", "surrogatepass")


def _zipped(members: Mapping[str, bytes]) -> bytes:
    """A ZIP file, the same for the same members, that ends in its seal."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            member = zipfile.ZipInfo(name)
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(member, data)
        archive.comment = b"0" * SEAL
    content = file.getvalue()[:-SEAL]
    return content + hashlib.sha256(content).hexdigest().encode()
