"""A run in one file: it goes to another home, and replays there to the same bytes."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import io
import json
import math
import os
import random
import shutil
import stat
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import fathom
from fathom.errors import Conflict, FathomError, NotFound, UsageError
from fathom.outcomes import in_thread
from fathom.ports import RunRecord
from fathom.report import Report
from fathom.sessions.views import session_summaries, session_view
from fathom.settings import Settings
from fathom.wiring import Fathom, bundling, importing
from fathom.wiring.exports import FORMS, exported
from fathom.wiring.readings import snapshots_cited, sources_seen
from fathom_testing.little_web import LittleWeb
from fathom_testing.model_server import ModelServer
from tests.support.mcp_serving import PLAIN, plain
from tests.support.model_settings import settings_for

QUESTION = "What is a scope, and how are exceptions handled?"
MADE_HERE = ("md", "html", "json", "footnotes.md", "bib", "ris", "csl.json")
"""Forms that nothing beyond the default install is needed for."""


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "some" / "home", web=False)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Settings:
    """A clean home."""
    return Settings(home=tmp_path / "clean", web=False)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Documents of which two have one name, one is no text, and one is named in Japanese."""
    folder = tmp_path / "my notes"
    for name, text in {
        "a/names.md": "# Names\n\n## Scopes\n\nA scope defines the visibility of a name within a block.\n",
        "b/names.md": "# Exceptions\n\nExceptions are handled by the except clause of a try statement.\n",
        "例外.md": "# 例外\n\n例外は except 節で処理される。\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    return folder


async def researched(settings: Settings, **asked: Any) -> str:
    return (await fathom.research(asked.pop("query", QUESTION), settings=settings, **asked)).run_id


async def bundled(run_id: str, settings: Settings, folder: Path) -> Path:
    file = folder / f"{run_id}.zip"
    file.write_bytes(await Fathom(settings).bundle(run_id))
    return file


def unzipped(*arguments: str | Path) -> bytes:
    """What Info-ZIP says."""
    if shutil.which("unzip") is None:
        pytest.skip("there is no unzip: apt-get install unzip")
    return subprocess.run(["unzip", *arguments], capture_output=True, check=True).stdout


async def shown(run_id: str, settings: Settings) -> dict[str, Any]:
    """All that a reader gets of a run: its report in every form, what it has read, and its events."""
    async with Fathom(settings) as opened:
        report = await opened.store.report(run_id)
        texts = await snapshots_cited(opened.store, report)
        forms = {ending: await exported(report, ending, settings, snapshots=texts) for ending in MADE_HERE}
        seen = [(each.title, each.sha256, each.state) for each in await sources_seen(opened.store, run_id)]
        return {**forms, "seen": seen, "events": [each.event.kind for each in await opened.store.events(run_id)]}


async def comes_over(run_id: str, home: Settings, elsewhere: Settings, folder: Path) -> Report:
    """The run, imported elsewhere, where it is shown, exported and replayed as at home; its report there."""
    file, before = await bundled(run_id, home, folder), await shown(run_id, home)

    async with Fathom(elsewhere) as opened:
        run, is_new = await opened.take_in(file)
        stored = await opened.store.report(run_id)
        again = await opened.replay(run_id)

    assert is_new and run.run_id == run_id and run.title == stored.title
    assert again.model_dump_json() == stored.model_dump_json()
    assert await shown(run_id, elsewhere) == before
    assert await Fathom(elsewhere).bundle(run_id) == file.read_bytes()
    with zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            place = str(folder).encode()
            assert place not in archive.read(name), name
    return stored


# ── There and back ─────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_run_that_a_model_wrote_replays_to_the_same_bytes_on_a_clean_home(
    elsewhere: Settings, notes: Path, tmp_path: Path
) -> None:
    with ModelServer() as server:
        home = settings_for(tmp_path, server, web=False)
        run_id = await researched(home, documents=[notes])
        asked = len(server.calls)

        report = await comes_over(run_id, home, elsewhere, tmp_path)

        assert report.usage.models and len(server.calls) == asked


async def test_a_run_over_documents_and_one_that_follows_it_come_over_without_their_folder(
    home: Settings, elsewhere: Settings, notes: Path, tmp_path: Path
) -> None:
    first = await researched(home, documents=[notes])
    second = (await fathom.ask(first, "And what defines the visibility of a name?", settings=home)).run_id
    shutil.rmtree(notes)

    report = await comes_over(first, home, elsewhere, tmp_path)
    await comes_over(second, home, elsewhere, tmp_path)

    assert {source.uri for source in report.sources} >= {"file:///a/names.md", "file:///b/names.md"}


async def test_a_run_over_data_brings_its_tables_as_csv_and_no_command(
    home: Settings, elsewhere: Settings, tmp_path: Path
) -> None:
    lines = ["id,severity", *(f"INC-{n},{('low', 'high', 'critical')[n % 7 % 3]}" for n in range(60))]
    (tmp_path / "incidents.csv").write_text("\n".join(lines))
    query = "How many incidents are there by severity?"
    run_id = await researched(home, query=query, data=[tmp_path / "incidents.csv"], mcp=[plain("none")])

    report = await comes_over(run_id, home, elsewhere, tmp_path)

    with zipfile.ZipFile(tmp_path / f"{run_id}.zip") as archive:
        assert report.figures
        for figure in report.figures:
            rows = list(csv.reader(io.StringIO(archive.read(f"tables/{figure.id}.csv").decode())))
            assert rows == [list(figure.columns), *map(list, figure.rows)]
        told = json.loads(archive.read("run.json"))
        assert [set(each) for each in told["sources"]["data"]] == [{"name"}, {"name"}]
        assert not any(str(PLAIN.parent).encode() in archive.read(name) for name in archive.namelist())


async def test_a_run_on_the_web_brings_its_pages_and_nothing_into_the_archive(
    elsewhere: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LittleWeb(size=4) as web:
        for name, value in web.environment().items():
            monkeypatch.setenv(name, value)
        home = fathom.wiring.load_settings(home=tmp_path / "some" / "home", web=True)
        topic = web.world.topics[0]
        run_id = await researched(home, query=f"What is the {topic.new.label.lower()} of the {topic.name}?")

    report = await comes_over(run_id, home, elsewhere, tmp_path)

    assert {source.kind for source in report.sources} == {"web"}
    assert not (elsewhere.home / "web.sqlite3").exists(), "no other run may take a page for one that was read here"


async def test_another_zip_program_and_json_program_read_a_bundle(home: Settings, notes: Path, tmp_path: Path) -> None:
    file = await bundled(await researched(home, documents=[notes]), home, tmp_path)

    manifest = json.loads(unzipped("-p", file, "manifest.json"))
    for name, told in manifest["members"].items():
        data = unzipped("-p", file, name)
        assert (hashlib.sha256(data).hexdigest(), len(data)) == (told["sha256"], told["bytes"]), name
    assert set(unzipped("-Z1", file).decode().split()) == {"manifest.json", *manifest["members"]}
    assert (manifest["kind"], manifest["version"]) == ("fathom-bundle", 1)


async def test_no_run_takes_over_what_an_imported_one_says_a_model_has_answered(
    elsewhere: Settings, notes: Path, tmp_path: Path
) -> None:
    with ModelServer() as server:
        home = settings_for(tmp_path, server, web=False)
        run_id = await researched(home, documents=[notes])
    async with Fathom(home) as here, Fathom(elsewhere) as there:
        paid = [entry.request for entry in await here.store.journal(run_id) if entry.usage]
        await there.take_in(await bundled(run_id, home, tmp_path))

        assert paid and [request for request in paid if await here.store.reply(request) is None] == []
        assert [request for request in paid if await there.store.reply(request) is not None] == []


async def test_an_imported_run_is_not_gone_on_with(
    home: Settings, elsewhere: Settings, notes: Path, tmp_path: Path
) -> None:
    run_id = await researched(home, documents=[notes], limits={"max_calls": 4})
    run, _ = await Fathom(elsewhere).take_in(await bundled(run_id, home, tmp_path))
    assert run.status == "partial"

    for going_on in (fathom.resume, fathom.fork, fathom.update, fathom.ask):
        with pytest.raises(Conflict, match="was imported"):
            await going_on(run_id, *(["Why?"] if going_on is fathom.ask else []), settings=elsewhere)


async def test_a_run_whose_journal_is_gone_says_what_can_still_be_taken(home: Settings, notes: Path) -> None:
    run_id = await researched(home, documents=[notes])
    async with Fathom(home) as opened:
        await opened.store.prune("9999-01-01T00:00:00+00:00", keep_reports=True, dry_run=False)

        with pytest.raises(UsageError, match=r"cannot be replayed any more.*html"):
            await opened.bundle(run_id)


# ── Bad input ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
async def file(home: Settings, notes: Path, tmp_path: Path) -> Path:
    return await bundled(await researched(home, documents=[notes]), home, tmp_path)


async def refused(file: Path, settings: Settings) -> str:
    """The one line that says why a file is not imported; nothing of it is there."""
    async with Fathom(settings) as opened:
        before = await opened.store.runs()
        with pytest.raises(FathomError) as told:
            await opened.take_in(file)
        assert await opened.store.runs() == before
    assert "\n" not in str(told.value)
    assert str(file.parent) not in str(told.value)
    return str(told.value)


def members_of(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def sealed(file: Path, members: Mapping[str, bytes], *, change: Callable[[dict[str, Any]], None] | None = None) -> Path:
    """A bundle of other members, made as carefully as somebody would who means harm: manifest and seal fit them."""
    told = {name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)} for name, data in members.items()}
    manifest = {**json.loads(members["manifest.json"]), "members": told}
    manifest["members"].pop("manifest.json")
    if change:
        change(manifest)
    file.write_bytes(bundling._zipped({**members, "manifest.json": json.dumps(manifest).encode()}))
    return file


def forged(file: Path, name: str, old: bytes, new: bytes) -> Path:
    """The bundle with one member changed."""
    members = members_of(file)
    assert old in members[name]
    return sealed(file, {**members, name: members[name].replace(old, new)})


async def test_a_byte_that_was_altered_anywhere_is_found(file: Path, elsewhere: Settings) -> None:
    sound = file.read_bytes()
    for at in range(0, len(sound), max(1, len(sound) // 150)):
        file.write_bytes(sound[:at] + bytes([sound[at] ^ 0x01]) + sound[at + 1 :])
        await refused(file, elsewhere)
    for half in (sound[: len(sound) // 2], sound + b"\n", sound[1:], b"", b"PK"):
        file.write_bytes(half)
        await refused(file, elsewhere)
    file.write_bytes(sound)
    assert (await Fathom(elsewhere).take_in(file))[1]


async def test_a_newer_version_is_named(file: Path, elsewhere: Settings) -> None:
    sealed(file, members_of(file), change=lambda manifest: manifest.update(version=2))
    assert "newer version of Fathom: update" in await refused(file, elsewhere)


@pytest.mark.parametrize(
    "name", ["../../evil.txt", "/etc/evil.txt", "sources/../../evil.txt", "C:\\evil.txt", "tables/..\\x.csv", "x\n.txt"]
)
async def test_a_path_that_climbs_out_has_no_place(name: str, file: Path, elsewhere: Settings, tmp_path: Path) -> None:
    before = set(tmp_path.rglob("*"))
    sealed(file, {**members_of(file), name: b"evil"})

    assert "no place in a bundle" in await refused(file, elsewhere)
    assert {path for path in set(tmp_path.rglob("*")) - before if elsewhere.home not in path.parents} == {
        elsewhere.home
    }


async def test_a_link_and_what_is_encrypted_are_refused(file: Path, elsewhere: Settings) -> None:
    members = members_of(file)
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        link = zipfile.ZipInfo(f"sources/{'0' * 64}.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.comment = b"0" * bundling.SEAL
    assert "is a link" in await refused(file, elsewhere)


async def test_a_bomb_is_not_unpacked(file: Path, elsewhere: Settings) -> None:
    many = {f"sources/{n:064x}.txt": b"\0" * 30_000_000 for n in range(3)}
    sealed(file, {**members_of(file), **many})
    assert file.stat().st_size < 500_000
    assert "unpacks to 90 MB" in await refused(file, elsewhere)


async def test_too_many_members_and_too_large_a_file_are_refused(
    file: Path, elsewhere: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = members_of(file)
    sealed(file, {**members, **{f"tables/{n:0150}.csv": b"" for n in range(21_000)}})
    assert "too many members" in await refused(file, elsewhere)
    monkeypatch.setattr(importing, "MOST_BYTES", 1_000_000)
    assert "larger than 1 MB" in await refused(file, elsewhere)


@pytest.mark.parametrize("content", [b"no zip at all", b"", b"%PDF-1.7\n" * 100])
async def test_what_is_no_zip_is_called_so(content: bytes, elsewhere: Settings, tmp_path: Path) -> None:
    (tmp_path / "file.zip").write_bytes(content)
    assert "no bundle of a report" in await refused(tmp_path / "file.zip", elsewhere)


async def test_a_zip_of_something_else_and_a_folder_are_refused(elsewhere: Settings, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("report.md", "# Nothing")
    assert "no bundle of a report" in await refused(tmp_path / "other.zip", elsewhere)
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        await Fathom(elsewhere).take_in(tmp_path)


async def test_the_same_run_twice_is_one_and_another_one_of_its_id_is_refused(
    file: Path, home: Settings, elsewhere: Settings, notes: Path, tmp_path: Path
) -> None:
    first, is_new = await Fathom(elsewhere).take_in(file)
    assert is_new
    assert await Fathom(elsewhere).take_in(file) == (first, False)
    run, is_new = await Fathom(home).take_in(file)
    assert (run.run_id, is_new) == (first.run_id, False), "where it comes from, it is there too"

    other_id = await researched(home, query="What is a block?", documents=[notes])
    other = members_of(await bundled(other_id, home, tmp_path))
    sealed(file, {name: data.replace(other_id.encode(), first.run_id.encode()) for name, data in other.items()})
    assert f"There is a run {first.run_id} already" in await refused(file, elsewhere)


async def test_a_report_that_its_journal_does_not_give_is_not_believed(file: Path, elsewhere: Settings) -> None:
    sound = file.read_bytes()
    for name in ("report.json", "journal.jsonl"):
        forged(file, name, b"visibility of a name", b"visibility of a fame")
        assert "replay" in await refused(file, elsewhere)
        file.write_bytes(sound)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("run.json", b'"status":"completed"', b'"status":"running"'),
        ("run.json", b'"run_id":"run_', b'"run_id":"RUN_'),
        ("events.jsonl", b'"at":"2', b'"at":"\\"2'),
        ("events.jsonl", b'"run_id":"run_', b'"run_id":"run_0'),
        ("run.json", b'"mode":', b'"unknown":1,"mode":'),
        ("manifest.json", b'"kind": "fathom-bundle"', b'"kind": ["fathom-bundle"]'),
    ],
)
async def test_a_record_that_tells_what_no_run_has_is_refused(
    name: str, old: bytes, new: bytes, file: Path, elsewhere: Settings
) -> None:
    await refused(forged(file, name, old, new), elsewhere)


async def test_what_a_record_would_start_or_ask_is_left_out(file: Path, elsewhere: Settings, tmp_path: Path) -> None:
    evil = json.dumps({"data": [{"name": "x", "server": {"command": ["touch", str(tmp_path / "evil")]}}]})
    forged(file, "run.json", b'"sources":{', b'"sources":{' + evil[1:-1].encode() + b",")
    forged(file, "run.json", b'"models":{', b'"models":{"base_url":"http://evil.example","prompts":"/etc"')

    run, _ = await Fathom(elsewhere).take_in(file)

    assert run.sources["data"] == [{"name": "x"}]
    assert run.models == {}
    await fathom.replay(run.run_id, settings=elsewhere)
    assert not (tmp_path / "evil").exists()


async def test_of_a_bundle_that_is_refused_nothing_can_be_asked(file: Path, elsewhere: Settings) -> None:
    run_id = file.stem
    forged(file, "report.json", b"visibility", b"invisibility")
    await refused(file, elsewhere)
    with pytest.raises(NotFound):
        await fathom.replay(run_id, settings=elsewhere)


ODD: tuple[Any, ...] = (
    None,
    1,
    -1,
    10**30,
    math.nan,
    "",
    "x",
    "\0",
    "\ud800",
    [],
    {},
    ["a"],
    {"a": 1},
    True,
    "9999-99-99T99:99:99Z",
)
"""Values that a field may not have, or only seems to."""


def places_in(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield place
    for name in value if isinstance(value, dict) else range(len(value[:1])) if isinstance(value, list) else ():
        yield from places_in(value[name], (*place, name))


def changed(value: Any, place: tuple[str | int, ...], new: Any) -> Any:
    """A copy with another value in one place."""
    if not place:
        return new
    copied = value.copy()
    copied[place[0]] = changed(value[place[0]], place[1:], new)
    return copied


def odd_members(members: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Members of a bundle with one field changed: of the record, and of one call and one event of each kind."""
    for name in ("run.json", "journal.jsonl", "events.jsonl"):
        values, seen = [json.loads(line) for line in members[name].splitlines()], set()
        for at, value in enumerate(values):
            kind = value["kind"] if "kind" in value else value.get("event", {}).get("kind")
            if kind in seen:
                continue
            seen.add(kind)
            for place in places_in(value):
                for odd in ODD:
                    lines = [*values[:at], changed(value, place, odd), *values[at + 1 :]]
                    yield name, "".join(f"{json.dumps(each)}\n" for each in lines).encode()


@pytest.mark.parametrize("share", [0.02, pytest.param(1.0, marks=pytest.mark.soak)])
async def test_a_run_with_any_field_changed_is_refused_or_shown_like_any_other(
    share: float, file: Path, tmp_path: Path
) -> None:
    members, chance, kept = members_of(file), random.Random(7), 0
    for number, (name, data) in enumerate(odd_members(members)):
        if chance.random() > share:
            continue
        sealed(file, {**members, name: data})
        try:
            found = await in_thread(importing.checked, file.read_bytes())
        except importing.BundleRefused as error:
            assert "\n" not in str(error)
            continue
        async with Fathom(Settings(home=tmp_path / f"home {number}", web=False)) as opened:
            await importing._stored(importing._parsed(zipfile.ZipFile(file)), found, opened.store)
            (run,) = await opened.store.runs()
            for view in (await session_summaries(opened.store, [run]))[0], await session_view(opened.store, run):
                assert view.model_dump_json()
            await sources_seen(opened.store, run.run_id)
            assert await opened.bundle(run.run_id)
        kept += 1
    assert kept, "some fields may say anything"


@pytest.mark.parametrize(
    "models",
    [{"model": 1}, {"prices": {"fast": 2}}, {"prices": {"odd": None}}, {"windows": {"fast": 0}}, {"cache": "perhaps"}],
)
def test_models_that_no_run_pins_are_not_carried(models: dict[str, Any], file: Path) -> None:
    record = RunRecord.model_validate_json(members_of(file)["run.json"])
    sound = {"model": "openai:x", "cache": True, "prices": {"fast": {"input": 1.0, "output": 2.0}}}
    carried = bundling.carried(record.model_copy(update={"models": {**sound, "base_url": "http://there"}}))
    assert carried.models == sound
    with pytest.raises(ValidationError):
        bundling.carried(record.model_copy(update={"models": {**sound, **models}}))


async def test_two_imports_of_one_bundle_at_once_give_one_run(file: Path, elsewhere: Settings) -> None:
    async with Fathom(elsewhere) as opened:
        told = await asyncio.gather(*(opened.take_in(file) for _ in range(4)))
        assert sorted(is_new for _, is_new in told) == [False, False, False, True]
        assert len(await opened.store.runs()) == 1


def test_an_import_writes_nothing_but_the_run(file: Path, elsewhere: Settings, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch), "FATHOM_HOME": str(elsewhere.home)}
    with subprocess.Popen([sys.executable, "-m", "fathom", "import", str(file)], env=environment) as process:
        while process.poll() is None:  # so that a kill at any moment would have found nothing
            assert not list(scratch.iterdir())
            time.sleep(0.005)
    assert process.returncode == 0
    assert not list(scratch.iterdir())


@pytest.mark.parametrize(
    ("member", "line"),
    [
        ("journal.jsonl", {"seq": 1, "path": "", "kind": "", "request": "", "answer": "1", "seconds": 0}),
        ("events.jsonl", {"seq": 1, "at": "2026-01-01T00:00:00Z", "event": {"kind": "failed", "error": ""}}),
    ],
)
async def test_more_lines_than_any_run_has_are_not_read(
    member: str, line: dict[str, Any], file: Path, elsewhere: Settings
) -> None:
    told = {**line, "run_id": file.stem} if "at" in line else line
    sealed(file, {**members_of(file), member: f"{json.dumps(told)}\n".encode() * (importing.MOST_LINES + 1)})
    assert "more than 100,000 lines" in await refused(file, elsewhere)


def test_every_form_that_is_offered_is_told_apart(home: Settings) -> None:
    from fathom.wiring.exports import exportable

    assert exportable(home)["zip"] == "ZIP"
    assert len({form.media_type for ending, form in FORMS.items() if not ending.endswith("md")}) == len(FORMS) - 2
