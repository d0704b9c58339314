"""What is told of the parts of a report, whatever the format: sentences, sources, figures, what was read of data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from fathom.data.snapshots import COUNT
from fathom.evidence import DocumentKind
from fathom.report import Claim, DatasetCoverage, Figure, Report, ReportSection, SourceEntry
from fathom.text.phrases import Phrases

QUERY_WIDTH = 200
"""Characters of what was asked of a dataset that the list of sources shows."""
ROWS = 20
"""Rows that the table of a figure has at most."""
CELL_WIDTH = 80
"""Characters that a cell has at most."""
MOST_PLACES = 6
"""Decimals that a cell has at most."""
CONCLUSION = "°"
"""Stands right behind the marks of a sentence or cell that is the report's own conclusion."""
BAR = " | "
"""Stands between the cells of a row."""
_BETWEEN = re.compile(r"(?:^|(?<=\s))\|(?=\s|$)")
_NUMBER = re.compile(r"-?[\d,]*(?:\d|\.\d+)")
_STEP = re.compile(r"^(?:\(?\d{1,3}[.)]\s+|\d{1,3}[．、]\s*)(?=\S)")
_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)


def marks(citations: Sequence[str]) -> str:
    """The marks of what is cited. With a blank between them: the second of two brackets would be the address of the
    first."""
    return " ".join(f"[{id}]" for id in citations)


def conclusion_line(claims: Iterable[Claim], words: Phrases) -> str:
    """What the sign of a conclusion means; empty when none of the claims is one."""
    return f"{CONCLUSION} {words.conclusion_sign}" if any(claim.is_assessment for claim in claims) else ""


def blank_behind(text: str) -> str:
    """What parts a sentence from the next one: a blank, but for Japanese and Chinese and where nothing is yet.

    >>> blank_behind("It is deep."), blank_behind("深い。"), blank_behind("")
    (' ', '', '')
    """
    return "" if text[-1:] in ("", *"。！？」") else " "


def unnumbered(claim: Claim) -> Claim:
    """The first sentence of a step without a number of its own: steps are numbered."""
    return claim.model_copy(update={"text": _STEP.sub("", claim.text, count=1)})


def note(section: ReportSection | None, report: Report, words: Phrases) -> str:
    """What a section of passages says of words of the question that they lack, and nothing of any other section.

    The first section of no subtask is on the whole question; without a section, so is the whole report.
    """
    own = [each for each in report.subtasks if section and each.subtask_id == section.subtask_id]
    if (own[0].outcome if own else report.outcome) != "closest":
        return ""
    if section and not own and section is not report.sections[0]:
        return ""
    asked = own or [each for each in report.subtasks if each.parent_id is None]
    return words.lacking(asked[0].unsaid) if len(asked) == 1 and asked[0].unsaid else ""


def cells_of(row: str) -> tuple[str, ...]:
    """The cells of a row of a table, empty ones included.

    >>> cells_of("| Postage | 12")
    ('', 'Postage', '12')
    """
    return tuple(cell.strip() for cell in _BETWEEN.split(row))


# ── Sources ────────────────────────────────────────────────────────────────────────────────────────────────────────


def source_groups(sources: Sequence[SourceEntry], words: Phrases) -> Iterator[tuple[str, list[SourceEntry]]]:
    """Sources by kind, with a heading each when there are several kinds."""
    headings: dict[DocumentKind, str] = {"file": words.your_documents, "dataset": words.your_data, "web": words.the_web}
    several = len({source.kind for source in sources}) > 1
    for kind, heading in headings.items():
        if group := [source for source in sources if source.kind == kind]:
            yield heading if several else "", group


def signed(authors: Sequence[str]) -> str:
    """Who has written something, in a list: of many authors three."""
    return "; ".join((*authors[:3], "…")[: len(authors)])


def source_details(
    source: SourceEntry, words: Phrases, *, shown: Callable[[str], str], code: Callable[[str], str]
) -> tuple[str, ...]:
    """What is told of a source besides its title; `shown` and `code` set what comes from outside."""
    details: tuple[str, ...] = (f"({shown(by)})" if (by := signed(source.authors)) else "",)
    if source.kind == "dataset":
        details = (
            code(source.query),
            words.counted.format(records=source.records) if source.records is not None else "",
            words.asked.format(date=shown(source.retrieved_at[:10])),
        )
    elif source.kind == "web":
        details = (
            shown(source.site),
            words.natures[source.nature or "other"],
            words.published.format(date=shown(source.published)) if source.published else "",
            words.read.format(date=shown(source.retrieved_at[:10])),
            words.copy_of.format(source=f"[{source.origin}]") if source.origin not in ("", source.id) else "",
        )
    return tuple(filter(None, details))


# ── Figures ────────────────────────────────────────────────────────────────────────────────────────────────────────


class FigureTable(NamedTuple):
    """What of a figure is shown."""

    names: tuple[str, ...]
    """The headings of the columns, in the language of the report."""
    are_numbers: tuple[bool, ...]
    """Whether a column holds nothing but numbers."""
    rows: tuple[tuple[str, ...], ...]
    """At most `ROWS`, figures as people write them, each column rounded alike."""
    note: str
    """How much is not shown; empty when nothing is left out."""


def figure_table(figure: Figure, words: Phrases) -> FigureTable:
    """A figure as a table, in plain text."""
    at = count_column(figure)
    hidden = figure.rows[ROWS:]
    groups, records = len(hidden) + figure.more_groups, sum(int(row[at]) for row in hidden) + figure.more_records
    return FigureTable(
        names=(*figure.columns[:at], *(column_name(name, words) for name in figure.columns[at:])),
        are_numbers=tuple(all(map(_is_number, column)) for column in zip(*figure.rows, strict=True))
        or (False,) * len(figure.columns),
        rows=tuple(_as_written(figure.rows[:ROWS], at)),
        note=left_out(words, groups=groups, records=records, in_steps=figure.kind == "line"),
    )


def _as_written(rows: Sequence[Sequence[str]], first: int) -> Iterator[tuple[str, ...]]:
    """Rows, the figures from the column `first` on as people write them: thousands apart, a column rounded alike."""
    places = [max((_places(text) for text in column), default=0) for column in zip(*rows, strict=True)]
    for cells in rows:
        yield tuple(
            f"{Decimal(text):,.{places[at]}f}" if at >= first and _PLAIN_NUMBER.fullmatch(text) else text
            for at, text in enumerate(cells)
        )


def _places(text: str) -> int:
    """The decimals that a figure needs: two, or below one so many that two digits count."""
    if not _PLAIN_NUMBER.fullmatch(text):
        return 0
    value = Decimal(text)
    written = len(text.partition(".")[2])
    return min(written, 2 if abs(value) >= 1 or not value else 1 - value.adjusted(), MOST_PLACES)


def count_column(figure: Figure) -> int:
    """The place of the column that counts: the parts of a key stand before it, measures behind it."""
    return max(at for at, name in enumerate(figure.columns) if name == COUNT)  # a field may have that name, too


def column_name(name: str, words: Phrases) -> str:
    """The heading of a column that counts or measures, in the language of the report."""
    for measure, heading in words.measures.items():
        if name.startswith(f"{measure} of "):
            return heading.format(field=name.removeprefix(f"{measure} of "))
    return words.records if name == COUNT else name


def left_out(words: Phrases, *, groups: int, records: int, in_steps: bool = False) -> str:
    """Which groups, or steps, with how many records, are not shown; nothing when all are."""
    named = ("steps" if in_steps else "both") if groups and records else "groups" if groups else "records"
    return words.more[named].format(groups=groups, records=records) if groups or records else ""


def _is_number(text: str) -> bool:
    return not text or bool(_NUMBER.fullmatch(text))


# ── Coverage ───────────────────────────────────────────────────────────────────────────────────────────────────────


def dataset_notes(datasets: Sequence[DatasetCoverage], parts: Mapping[str, str], words: Phrases) -> Iterator[str]:
    """What a reader must know of data that was not read in full, or that holds nothing; plain text."""
    yield from dict.fromkeys(caveat for each in datasets for caveat in each.caveats)
    for name in dict.fromkeys(each.name for each in datasets if each.tables):
        several = [each for each in datasets if each.name == name]
        tables, asked = several[0].tables, sorted({table for each in several for table in each.asked})
        if len(asked) < tables:
            number = "one" if len(asked) == 1 else "many"
            yield words.data_tables[number].format(name=name, tables=tables, asked=words.comma.join(asked))
    for each in datasets:
        if each.matched == 0:
            what = parts.get(each.subtask_id, "")
            yield words.data_nothing.format(name=each.name, what=what)
        elif each.capped_by:
            named = "known" if each.matched is not None else "unknown"
            yield words.data_capped_note[named].format(
                name=each.name, scanned=each.scanned, matched=each.matched or 0, why=why_capped(each.capped_by, words)
            )


def why_capped(reason: str, words: Phrases) -> str:
    """What kept records from being read: a limit by its name, anything else in its own words."""
    if reason.startswith("max_"):
        return words.data_capped_by.format(limit=reason)
    return reason.rstrip(".。")
