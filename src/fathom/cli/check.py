"""The command that judges sentences by the texts that they are said to rest on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import click

from fathom.cli.terminal import counted, say
from fathom.errors import UsageError
from fathom.report import SupportStatus
from fathom.verification.verdicts import check as judge

FAILS: frozenset[SupportStatus] = frozenset({"unsupported", "contradicted"})
LONGEST_LINE = 1_000_000
"""Characters of a line, at most."""


@click.command()
@click.option(
    "--pairs",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True),
    help='JSON lines, each {"id", "claim", "evidence": [text, …]}; - is standard input.',
)
@click.option("--strict", is_flag=True, help="Fail also when a sentence could not be judged.")
def check(pairs: Path, strict: bool) -> int:
    """Judge sentences by the texts that they are said to rest on, without a model.

    Each verdict is a line of JSON on standard output: id, status, by, why, score. The last line on standard error
    counts them. The exit code is 1 when a sentence is contradicted or unsupported.
    """
    found: Counter[SupportStatus] = Counter()
    with click.open_file(str(pairs), encoding="utf-8", errors="surrogateescape") as lines:
        for id, claim, evidence in _pairs(lines, pairs):
            verdict = judge(claim, evidence)
            found[verdict.status] += 1
            told = {"status": verdict.status, "by": verdict.by, "why": verdict.why, "score": round(verdict.score, 3)}
            click.echo(json.dumps({"id": id, **told}, ensure_ascii=False))
    if not found:
        raise UsageError(f"{_name(pairs)} holds no pair: give one JSON object a line, with id, claim and evidence.")
    counts = ", ".join(f"{count} {status}" for status, count in found.most_common())
    say(f"{counted(found.total(), 'sentence')}: {counts}.")
    failing: set[SupportStatus] = {*FAILS, "unjudged"} if strict else {*FAILS}
    return int(any(found[status] for status in failing))


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
