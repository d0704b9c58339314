"""The command that judges sentences, of a text or one by one, by what they are said to rest on."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from fathom import wiring
from fathom.cli.options import docs_option, kb_option, limit_options, model_options, settings_in_force
from fathom.cli.sections import Sectioned
from fathom.cli.terminal import awaited, counted, print_json, say
from fathom.errors import UsageError
from fathom.text.analysis import query_terms, snippet
from fathom.text.harmless import inert
from fathom.verification.texts import MOST, fails
from fathom.verification.verdicts import check as judge

if TYPE_CHECKING:
    from fathom.verification.texts import CheckedSentence

LONGEST_LINE = 1_000_000
"""Characters of a line, at most."""
SHOWN = 300
"""Characters of a passage that are shown, at most."""


@click.command(cls=Sectioned)
@click.argument("draft", required=False, type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True))
@docs_option
@kb_option
@click.option(
    "--json",
    "json_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the verdicts as JSON; `-` writes them to standard output in place of the lines.",
)
@click.option(
    "--html",
    "html_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the text as one HTML file, each sentence with its verdict and the passage that it was checked against.",
)
@click.option(
    "--pairs",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True),
    help='Instead of a draft: JSON lines, each {"id", "claim", "evidence": [text, …]}; - is standard input.',
)
@model_options
@partial(limit_options, names=("max_checks", "max_calls", "max_tokens", "max_cost", "max_time", "max_concurrency"))
@click.option("--strict", is_flag=True, help="Fail also when a sentence could not be judged.")
def check(
    draft: Path | None,
    docs: tuple[Path, ...],
    kb: str | None,
    json_file: Path | None,
    html_file: Path | None,
    pairs: Path | None,
    strict: bool,
    models: dict[str, Any],
    limits: dict[str, Any],
) -> int:
    """Check each sentence of DRAFT, whoever wrote it, against documents: which they support, and which they do not.

    DRAFT is a file of any type that can be read, or `-` for Markdown on standard input. The last line on standard error
    counts the verdicts. The exit code is 1 when a sentence is contradicted or unsupported.
    """
    if pairs is not None:
        if draft is not None or docs or kb or json_file or html_file or models or limits:
            raise click.UsageError("--pairs brings its own texts: give nothing else but --strict.")
        return _check_pairs(pairs, strict)
    if draft is None:
        raise click.UsageError("Name the text to check, or --pairs.")
    from fathom.cli.output import STDOUT, Destinations, write_file
    from fathom.cli.spending import taken

    settings = settings_in_force({}, models, kb=kb)
    Destinations(json_file=json_file, html_file=html_file).check()
    text: str | Path = draft
    if draft == STDOUT:  # which is standard input here
        text = sys.stdin.buffer.read().decode(errors="replace")
    done = awaited(wiring.check(text, documents=docs, limits=limits, settings=settings))
    if json_file == STDOUT:
        print_json(done.model_dump(mode="json"))
    else:
        for sentence in done.sentences:
            _show(sentence)
    if json_file is not None and json_file != STDOUT:
        write_file(json_file, done.model_dump_json(indent=2) + "\n")
    if html_file is not None:
        from fathom.render.html.checked import render  # jinja2 is only needed now

        write_file(html_file, render(done))
    if done.left_out:
        say(f"{counted(done.left_out, 'sentence')} at the end not checked: a text is checked up to {MOST:,} sentences.")
    for line in (*(taken(done.usage) if done.usage else ()), *map("Not judged by a model: {}".format, done.notes)):
        say(line)
    counts = done.verdicts.model_dump()
    _count({status: count for status, count in counts.items() if count})
    return int(fails(counts, strict=strict))


def _show(sentence: CheckedSentence) -> None:
    """The sentence with its status; unless it may stand as it is, with the reason and the passage nearest to it."""
    click.echo(f"{sentence.status:<12}  {inert(sentence.text)}")
    if sentence.status in {"quoted", "supported"}:
        return
    click.echo(f"{'':12}  {inert(sentence.why)}")
    if sentence.repair:
        click.echo(f"{'':12}  Supported: {inert(sentence.repair)}")
    if near := sentence.against:
        where = " › ".join(part for part in (near.title, near.locator) if part)
        wanted = frozenset(query_terms(sentence.text))
        click.echo(f"{'':12}  {inert(where)}: {inert(snippet(near.quote, wanted), width=SHOWN)}")


def _check_pairs(pairs: Path, strict: bool) -> int:
    """Judge each pair, and print its verdict as a line of JSON."""
    found: Counter[str] = Counter()
    with click.open_file(str(pairs), encoding="utf-8", errors="surrogateescape") as lines:
        for id, claim, evidence in _pairs(lines, pairs):
            verdict = judge(claim, evidence)
            found[verdict.status] += 1
            told = {"status": verdict.status, "by": verdict.by, "why": verdict.why, "score": round(verdict.score, 3)}
            click.echo(json.dumps({"id": id, **told}, ensure_ascii=False))
    if not found:
        raise UsageError(f"{_name(pairs)} holds no pair: give one JSON object a line, with id, claim and evidence.")
    _count(dict(found.most_common()))
    return int(fails(found, strict=strict))


def _count(found: Mapping[str, int]) -> None:
    counts = ", ".join(f"{count} {status}" for status, count in found.items())
    say(f"{counted(sum(found.values()), 'sentence')}: {counts}.")


def _pairs(lines: IO[Any], path: Path) -> Iterator[tuple[str | int, str, list[str]]]:
    """The pairs of a file, in order.

    Raises:
        UsageError: a line is none.
    """
    for number, line in enumerate(iter(lambda: lines.readline(LONGEST_LINE), ""), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            id, claim, evidence = row["id"], row["claim"], row["evidence"]
        except (ValueError, TypeError, KeyError, RecursionError):
            id = claim = evidence = None
        are_texts = isinstance(evidence, list) and all(isinstance(text, str) for text in evidence)
        if not (isinstance(id, str | int) and isinstance(claim, str) and are_texts):
            raise UsageError(
                f"Line {number} of {_name(path)} is no pair: it must be a JSON object with id, claim and evidence,"
                f" the last a list of texts, of at most {LONGEST_LINE:,} characters in all."
            )
        yield id, _clean(claim), [_clean(text) for text in evidence]


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _name(path: Path) -> str:
    return "standard input" if str(path) == "-" else path.name
