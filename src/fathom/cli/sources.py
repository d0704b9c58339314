"""The commands that show what a run has read: its sources, and one of them with what is cited of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from fathom import wiring
from fathom.cli.columns import in_columns
from fathom.cli.options import Format, format_option, run_argument
from fathom.cli.terminal import awaited, counted, print_json, print_rows, say
from fathom.text.harmless import inert, inert_lines
from fathom.text.typeset import signed
from fathom.wiring.readings import MarkedSource, MarkedSpan, SourceSeen, marked_source, sources_seen

_OPEN, _CLOSE = "⟦", "⟧"
_NOT_OURS = str.maketrans({_OPEN: "[", _CLOSE: "]"})  # a page must not set marks of its own
_GAP = "⋮"
_TITLE_WIDTH = 60
_QUERY_WIDTH = 120
_READ = ("ID", "KIND", "PUBLISHED", "CITED", "TITLE", "ADDRESS")
_LEFT_OUT = ("ADDRESS", "WHY")


@click.command()
@run_argument
@format_option
def sources(run_id: str, format: Format) -> None:
    """List what RUN has read: the sources that its report cites, what else was read, and what was left out, and why.

    Files of its knowledge base that gave no text by now come last. With `--format json` it is one array of sources.
    """
    seen, unread = awaited(_seen(run_id))
    if format == "json":
        print_json([each.model_dump(mode="json") for each in seen])
        return
    groups = [[each for each in seen if each.state == state] for state in ("cited", "read", "left_out")]
    if not seen:
        say("It has read nothing yet, or nothing that it could take evidence from.")
    told = [each for each in zip(("Cited", "Read and not cited", "Left out"), groups, strict=True) if each[1]]
    for number, (heading, rows) in enumerate(told):
        if number:
            click.echo()
        click.echo(f"{heading}: {counted(len(rows), 'source')}")
        headings = _LEFT_OUT if rows[0].state == "left_out" else _READ
        print_rows(map(_row, rows), headings=headings, flexible=2)
    if unread:
        click.echo(f"\nWithout text in the knowledge base: {counted(len(unread), 'file')}")
        print_rows(unread.items(), headings=_LEFT_OUT, flexible=2)


@click.command()
@run_argument
@click.argument("id", metavar="SOURCE")
@click.option(
    "--context",
    metavar="N",
    type=click.IntRange(min=0),
    help="Show only the lines that are cited from, and N lines around them. [the whole text]",
)
@format_option
def source(run_id: str, id: str, context: int | None, format: Format) -> None:
    """Show SOURCE of RUN, such as S3, as it was when it was read, with what the report cites of it marked.

    What is marked `E4` is the evidence of that id in the report's JSON. With `--format json` it is one object: the
    source, its text, and the spans as offsets into it.
    """
    found = awaited(_marked(run_id, id))
    if format == "json":
        print_json(found.model_dump(mode="json"))
        return
    for line in (*_header(found), "", *_body(in_columns(found), context, styled=sys.stdout.isatty())):
        click.echo(line)


async def _seen(run_id: str) -> tuple[list[SourceSeen], dict[str, str]]:
    """What a run has read, and the files without text of its knowledge base."""
    async with wiring.opened_store() as store:
        run = await store.run(run_id)
        seen = await sources_seen(store, run.run_id)
    settings = wiring.load_settings().model_copy(update={"kb": run.kb, "embedder": None})
    if not run.kb or run.imported or not wiring.knowledge_file(settings).exists():
        return seen, {}
    within = [Path(path) for path in run.sources["paths"]]
    async with wiring.opened_knowledge(settings, within=within) as knowledge:
        return seen, await knowledge.unread()


async def _marked(run_id: str, id: str) -> MarkedSource:
    async with wiring.opened_store() as store:
        return await marked_source(store, (await store.run(run_id)).run_id, id)


def _row(seen: SourceSeen) -> Sequence[str]:
    if seen.state == "left_out":
        return seen.uri, seen.reason.removeprefix(f"{seen.uri} ")
    told = counted(seen.spans, "span") if seen.spans else "–"
    kind = _kind(seen.kind, seen.nature)
    read = () if sys.stdout.isatty() else (seen.retrieved_at[:10] or "–",)  # title and address want its room
    where = inert(seen.query, width=_QUERY_WIDTH) if seen.query else seen.uri
    title = f"{seen.title} ({signed(seen.authors)})" if seen.authors else seen.title
    return seen.id or "–", kind, seen.published or "–", *read, told, inert(title, width=_TITLE_WIDTH), where


def _kind(kind: str, nature: str | None) -> str:
    """`file`, or `web (official)`; `web` alone of a page that nobody knows the speaker of."""
    return f"{kind} ({nature})" if nature and nature != "other" else kind


def _header(found: MarkedSource) -> Iterator[str]:
    """Where the text comes from, and which claims rest on which place of it."""
    source = found.source
    facts = {
        "source": f"{source.id} of {found.run_id}",
        "title": source.title,
        "address": source.uri,
        "kind": _kind(source.kind, source.nature),
        "query": source.query,
        "counted": counted(source.records, "record") if source.records is not None else "",
        "published": source.published,
        "by": "; ".join(source.authors),
        "read": source.retrieved_at,
        "sha256": source.sha256,
    }
    yield from (f"{name:<10}{inert(value)}" for name, value in facts.items() if value)
    for span in found.spans:
        line = found.text.count("\n", 0, span.start) + 1
        told = f"cited by {', '.join(span.claims)}" if span.claims else "not told in the report"
        yield f"{span.id:<10}line {line}, {told}"


def _body(found: MarkedSource, context: int | None, *, styled: bool) -> Iterator[str]:
    """The lines of the text, those that are far from any span left out when `context` says so."""
    lines = _lines(found.text, _merged(found.spans), styled=styled)
    if context is None:
        yield from (line for line, _ in lines)
        return
    listed = list(lines)
    marked = [at for at, (_, is_marked) in enumerate(listed) if is_marked]
    near = {at for each in marked for at in range(each - context, each + context + 1) if 0 <= at < len(listed)}
    before = -1
    for at in sorted(near):
        if at > before + 1:
            yield f"{_GAP} {counted(at - before - 1, 'line')}"
        yield listed[at][0]
        before = at
    if left := len(listed) - before - 1:
        yield f"{_GAP} {counted(left, 'line')}"


def _merged(spans: Sequence[MarkedSpan]) -> list[tuple[int, int, str]]:
    """Start, end and label of each stretch that is marked; spans that share some text are one stretch."""
    found: list[tuple[int, int, str]] = []
    for span in spans:
        if found and span.start < found[-1][1]:
            start, end, label = found[-1]
            found[-1] = start, max(end, span.end), f"{label}, {span.id}"
        else:
            found.append((span.start, span.end, span.id))
    return found


def _lines(text: str, marks: Sequence[tuple[int, int, str]], *, styled: bool) -> Iterator[tuple[str, bool]]:
    """Each line as it is shown, and whether something in it is marked. A mark opens and closes on every line anew."""
    start = 0
    for line in text.removesuffix("\n").split("\n"):
        end = start + len(line)
        shown, at = "", start
        inside = [mark for mark in marks if mark[0] < end and mark[1] > start]
        for first, last, label in inside:
            first, last = max(first, start), min(last, end)
            shown += _shown(text[at:first]) + _mark(_shown(text[first:last]), label, styled=styled)
            at = last
        yield shown + _shown(text[at:end]), bool(inside)
        start = end + 1


def _mark(text: str, label: str, *, styled: bool) -> str:
    if not text.strip():
        return text
    if styled:
        return f"{click.style(f' {label} ', reverse=True)} {click.style(text, underline=True)}"
    return f"{_OPEN}{label}: {text}{_CLOSE}"


def _shown(text: str) -> str:
    return inert_lines(text).translate(_NOT_OURS)
