"""The commands around the knowledge base."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fathom import wiring
from fathom.cli.options import Format, format_option, kb_option
from fathom.cli.sections import Told
from fathom.cli.terminal import T, awaited, counted, print_json, print_rows, say, size
from fathom.errors import FathomError, NotFound
from fathom.evidence import Query
from fathom.text.analysis import occurrences, query_terms, snippet
from fathom.text.harmless import inert

if TYPE_CHECKING:
    from fathom.evidence import Retrieval
    from fathom.knowledge.knowledge_base import KnowledgeBaseStatus, StoredDocument
    from fathom.sessions.library import Library


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@kb_option
@click.option("--again", is_flag=True, help="First look through what is stored, and read again what has rotted.")
@click.option("--quiet", "-q", is_flag=True, help="Show nothing but errors.")
def ingest(paths: tuple[Path, ...], kb: str | None, again: bool, quiet: bool) -> None:
    """Read files and folders into the knowledge base.

    An unchanged file costs nothing, a changed one replaces its passages, and one that has gone from a folder goes.
    """
    settings = wiring.load_settings(kb=kb)
    if not quiet:
        say(f"Reading into the knowledge base '{settings.kb}'")
    from fathom.cli.ingesting import IngestBar, told  # what is heavy comes after the first line

    with IngestBar(quiet=quiet) as bar:
        done = awaited(wiring.ingest(paths, settings=settings, on_progress=bar.progress, again=again))
    failed = not done.documents and bool(done.skipped or done.unknown)
    if failed or not quiet:
        for line in told(done):
            say(line)
    if failed:
        raise FathomError(f"None of these files gives text: the knowledge base '{settings.kb}' holds nothing of them.")


@click.group(cls=Told)
def kb() -> None:
    """List, search, empty and delete knowledge bases."""


@kb.command()
@kb_option
@format_option
def status(kb: str | None, format: Format) -> None:
    """List the documents of the knowledge base, newest first, say how large it is, and which files gave no text."""
    settings = wiring.load_settings(kb=kb)
    if not wiring.knowledge_file(settings).exists():
        _tell_empty(settings, format)
        return
    held, documents, unread = awaited(_status(settings))
    documents.sort(key=lambda document: document.retrieved_at, reverse=True)
    if format == "json":
        print_json([_entry(document) for document in documents])
        return
    if documents:
        print_rows(
            (
                (document.retrieved_at[:10], document.language, f"{document.passages}", document.title, document.path)
                for document in documents
            ),
            headings=("READ", "LANGUAGE", "PASSAGES", "TITLE", "FILE"),
            flexible=2,
        )
    else:
        _tell_empty(settings, format)
    languages = ", ".join(f"{count} {language}" for language, count in held.languages.items())
    told = f" ({languages})" if languages else ""
    documents_held, passages = counted(held.documents, "document"), counted(held.passages, "passage")
    say(f"{documents_held}{told} in {passages}, {size(held.bytes)} in {held.path}")
    for path, reason in unread.items():
        say(f"Not read: {path}: {reason}")


@kb.command(name="list")
@format_option
def list_(format: Format) -> None:
    """List the knowledge bases: how many documents, files of data, files without text and bytes each holds."""

    known = awaited(_of_library(lambda library: library.knowledge_bases()))
    if format == "json":
        print_json([each.model_dump(mode="json") for each in known])
        return
    print_rows(
        (
            each.name,
            counted(each.documents, "document"),
            counted(each.datasets, "dataset"),
            f"{each.unread} not read",
            size(each.bytes),
        )
        for each in known
    )


@kb.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask first.")
def delete(name: str, yes: bool) -> None:
    """Delete the knowledge base NAME with all that was uploaded to it; your own files and the runs stay."""
    if yes or click.confirm(f"Delete the knowledge base '{name}' with all that was uploaded to it?", err=True):
        awaited(_of_library(lambda library: library.delete(name)))
        say(f"The knowledge base '{name}' is deleted.")


@kb.command()
@click.argument("query")
@kb_option
@click.option("--limit", metavar="N", type=click.IntRange(1, 500), default=10, help="At most this many. [10]")
@format_option
def search(query: str, kb: str | None, limit: int, format: Format) -> None:
    """Find passages for QUERY, best first, and show the sentences of each that hold most of its words."""
    if not query.strip():
        raise click.UsageError("The query is empty.")
    settings = wiring.load_settings(kb=kb)
    if not wiring.knowledge_file(settings).exists():
        _tell_empty(settings, format)
        return
    hits = _hits(awaited(_search(settings, query, limit)))
    if format == "json":
        print_json(hits)
        return
    if not hits:
        say("Nothing matches.")
    wanted = frozenset(query_terms(query))
    for hit in hits:
        click.echo(" › ".join(inert(part) for part in (hit["title"], hit["locator"]) if part))
        click.echo(f"  {_emphasised(inert(snippet(hit['quote'], wanted)), wanted)}")
        click.echo(f"  {inert(hit['uri'])}\n")


@kb.command()
@click.argument("path", type=click.Path(path_type=Path))
@kb_option
def remove(path: Path, kb: str | None) -> None:
    """Take the document PATH, or those of the folder PATH, out of the knowledge base; the files stay."""

    async def work(settings: wiring.Settings) -> int:
        async with wiring.opened_knowledge(settings) as knowledge:
            return await knowledge.remove(path)

    settings = wiring.load_settings(kb=kb)
    if not wiring.knowledge_file(settings).exists():
        raise NotFound(f"The knowledge base '{settings.kb}' is empty: there is nothing to remove.")
    count = awaited(work(settings))
    say(f"{counted(count, 'document')} removed.")


async def _of_library(work: Callable[[Library], Awaitable[T]]) -> T:
    from fathom.sessions.library import Library

    async with wiring.Fathom(wiring.load_settings()) as fathom:
        return await work(Library(fathom))


def _tell_empty(settings: wiring.Settings, format: Format) -> None:
    """Say that there is nothing; a knowledge base that was only asked about is not made."""
    if format == "json":
        print_json([])
    else:
        option = "" if settings.kb == "default" else f" --kb {settings.kb}"
        say(f"The knowledge base '{settings.kb}' is empty. Fill it with `fathom ingest PATH{option}`.")


async def _status(settings: wiring.Settings) -> tuple[KnowledgeBaseStatus, list[StoredDocument], dict[str, str]]:
    async with wiring.opened_knowledge(settings) as knowledge:
        return await knowledge.status(), await knowledge.documents(), await knowledge.unread()


async def _search(settings: wiring.Settings, query: str, limit: int) -> Retrieval:
    async with wiring.opened_knowledge(settings) as knowledge:
        return await knowledge.search(Query(text=query), limit=limit)


def _emphasised(text: str, wanted: Collection[str]) -> str:
    """`text` with the words in bold that hold a term; what is no terminal gets it as it is."""
    held = {at for start, end, _ in occurrences(text, wanted) for at in range(start, end)}
    runs = groupby(range(len(text)), key=held.__contains__)
    return "".join(click.style("".join(text[at] for at in run), bold=bold or None) for bold, run in runs)


def _entry(document: StoredDocument) -> dict[str, Any]:
    """A document with the names of the report's `sources`."""
    fields = document.model_dump(mode="json")
    return {"uri": Path(fields.pop("path")).as_uri(), "kind": "file", **fields}


def _hits(found: Retrieval) -> list[dict[str, Any]]:
    """The passages with the names of the report's `evidence` and `sources`."""
    documents = {document.sha256: document for document in found.documents}
    return [
        {
            "uri": documents[passage.document].uri,
            "title": documents[passage.document].title,
            "sha256": passage.document,
            "quote": passage.text,
            "start": passage.start,
            "end": passage.end,
            "locator": " › ".join(passage.headings),
            "score": passage.score,
        }
        for passage in found.passages
    ]
