"""What a set of questions came to: figures per language and corpus, as a table or as rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from fathom.evals.score import Score
from fathom.frozen import FrozenModel


class EvalResult(FrozenModel):
    """A set of questions and what came of each."""

    file: str
    """The set."""
    scores: tuple[Score, ...]
    """One per question, in the order of the file."""


_COLUMNS = {
    "questions": "questions",
    "facts": "facts",
    "fact_recall": "recall",
    "page_recall": "pages",
    "supported": "supported",
    "redundancy": "redundant",
    "words": "words",
    "seconds": "seconds",
    "false_abstentions": "false abst.",
    "false_answers": "false answ.",
    "not_verbatim": "not verb.",
    "failed": "failed",
}


def summary(scores: Sequence[Score]) -> dict[str, Any]:
    """The figures of a group of questions: counts, pooled shares from 0 to 1 (`None` of nothing), means.

    Words and seconds are means over the answerable questions. A question that failed counts as not answered.
    """
    answerable = [one for one in scores if one.answerable]
    found, missed = _count(one.facts_found for one in scores), _count(one.facts_missed for one in scores)
    pages, unseen = _count(one.pages_found for one in scores), _count(one.pages_missed for one in scores)
    claims = sum(one.claims for one in scores)
    return {
        "questions": len(scores),
        "facts": found + missed,
        "fact_recall": _share(found, found + missed),
        "page_recall": _share(pages, pages + unseen),
        "supported": _share(sum(one.supported for one in scores), claims),
        "redundancy": _share(sum(one.redundant for one in scores), claims),
        "words": _share(sum(one.words for one in answerable), len(answerable)),
        "seconds": _share(sum(one.seconds for one in answerable), len(answerable)),
        "false_abstentions": sum(one.abstained for one in answerable),
        "false_answers": sum(not one.abstained for one in scores if not one.answerable),
        "not_verbatim": sum(not one.verbatim for one in scores),
        "failed": sum(one.error is not None for one in scores),
    }


def table(result: EvalResult) -> str:
    """The figures per language and corpus, per language, and of all; then what went wrong, a line each."""
    groups: dict[tuple[str, str], list[Score]] = {}
    for one in result.scores:
        groups.setdefault((one.language, one.corpus), []).append(one)
    lines = []
    for language in sorted({language for language, _ in groups}):
        own = [(corpus, scores) for (spoken, corpus), scores in sorted(groups.items()) if spoken == language]
        lines += [(language, corpus, scores) for corpus, scores in own]
        lines.append((language, "all", [one for _, scores in own for one in scores]))
    lines.append(("all", "all", list(result.scores)))
    rows = [["language", "corpus", *_COLUMNS.values()]]
    rows += [[language, corpus, *_cells(summary(scores))] for language, corpus, scores in lines]
    return drawn(rows, left=2) + "".join(f"{line}\n" for line in _faults(result.scores))


def drawn(rows: Sequence[Sequence[str]], *, left: int) -> str:
    """Rows as lines with their cells under each other, the first `left` of them set flush left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = (
        "  ".join(
            cell.ljust(width) if n < left else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def rows(result: EvalResult) -> list[dict[str, Any]]:
    """One object per question, as `--format json` prints them."""
    return [one.model_dump(mode="json") for one in result.scores]


def _cells(figures: dict[str, Any]) -> list[str]:
    cells = []
    for name in _COLUMNS:
        value = figures[name]
        digits = 0 if name == "words" else 2
        cells.append("–" if value is None else f"{value:.{digits}f}" if isinstance(value, float) else str(value))
    return cells


def _faults(scores: Iterable[Score]) -> list[str]:
    faults = []
    for one in scores:
        if one.error is not None:
            faults.append(f"{one.question}: failed: {one.error}")
        elif one.abstained and one.answerable:
            faults.append(f"{one.question}: abstained, though the corpus holds the answer")
        elif not one.abstained and not one.answerable:
            faults.append(f"{one.question}: answered, though the corpus does not hold it")
        if not one.verbatim:
            faults.append(f"{one.question}: a quotation is not what the source holds")
    return ["", *faults] if faults else []


def _count(groups: Iterable[Sequence[str]]) -> int:
    return sum(len(group) for group in groups)


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None
