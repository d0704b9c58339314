"""How the parts of a report stand in its Markdown: cited sentences, sources, figures, and how much data was read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from fathom.data.snapshots import COUNT
from fathom.evidence import DocumentKind
from fathom.report import AnswerState, Claim, DatasetCoverage, Figure, SourceEntry, SubtaskEntry, TextBlock
from fathom.text.commonmark import address, cell, fenced, in_code, inert
from fathom.text.phrases import Phrases

PLACES = 3
"""Parts of a document that the list of sources names."""
QUERY_WIDTH = 200
"""Characters of what was asked of a dataset that the list of sources shows."""
ROWS = 20
"""Rows that the table of a figure has at most."""
CELL_WIDTH = 80
"""Characters that a cell has at most."""
MOST_PLACES = 6
"""Decimals that a cell has at most."""
BAR = " | "
"""Stands between the cells of a row."""
_BETWEEN = re.compile(r"(?:^|(?<=\s))\|(?=\s|$)")
_ITEM = re.compile(r"(\d{1,9})[.)] ")
_NUMBER = re.compile(r"-?[\d,]*(?:\d|\.\d+)")
_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)
_LINKED = re.compile(r"(?:https?|file)://|(?![a-z][a-z\d+.-]+:)", re.IGNORECASE)
"""An address that may be followed: a page, a file, or a place beside the report; nothing that a browser would run."""


def cited(text: str, citations: Sequence[str], *, telling: str = "") -> str:
    """Text from outside with the marks of what it cites, a blank before them, and its `telling` part in bold.

    A bracket right behind another one may be taken for the address of a link.
    """
    return " ".join(filter(None, (in_bold(text, telling), marks(citations))))


def in_bold(text: str, telling: str) -> str:
    """Text from outside of which a part is set in bold: without the number of an item before it, and without marks at
    an end where no blank is, for there bold would not begin or end.

    >>> in_bold("Ask early. Flights go through Ines.", "Flights go through Ines.")
    'Ask early. **Flights go through Ines.**'
    """
    start = text.find(telling) if telling else -1
    end, number = start + len(telling), _ITEM.match(text)
    if number and start >= 0:
        start = max(start, number.end())
    while start < end < len(text) and not (text[end].isspace() or text[end - 1].isalnum()):
        end -= 1
    while 0 < start < end and not (text[start - 1].isspace() or text[start].isalnum()):
        start += 1
    before, said, after = text[: max(start, 0)], inert(text[max(start, 0) : end]), text[end:]
    can_open = not before or before[-1].isspace() or said[:1].isalnum()
    can_close = not after or after[0].isspace() or said[-1:].isalnum()
    if start < 0 or not said or not can_open or not can_close:
        return inert(text)
    blanks = " " * before[-1:].isspace(), " " * after[:1].isspace()
    return f"{inert(before)}{blanks[0]}**{said}**{blanks[1]}{inert(after)}"


def marks(citations: Sequence[str]) -> str:
    """The marks of what is cited. With a blank between them: the second of two brackets would be the address of the
    first."""
    return " ".join(f"[{id}]" for id in citations)


def sentence(claim: Claim, words: Phrases) -> str:
    """A claim with what it cites, and with its marks."""
    return " ".join(filter(None, (cited(claim.text, claim.citations, telling=claim.telling), claim_mark(claim, words))))


def claim_mark(claim: Claim, words: Phrases) -> str:
    """What stands behind a sentence that is the report's own conclusion, or that what it cites does not support."""
    own = words.assessment if claim.is_assessment else ""
    return " ".join(filter(None, (words.weak_mark.get(claim.status), own)))


def note(subtask_id: str | None, subtasks: Sequence[SubtaskEntry], outcome: AnswerState, words: Phrases) -> str:
    """What stands above a section whose passages only come close, and nothing above any other.

    A section of no subtask is on the whole question, whose outcome is given.
    """
    own = [each for each in subtasks if each.subtask_id == subtask_id]
    if (own[0].outcome if own else outcome) != "closest":
        return ""
    asked = own or [each for each in subtasks if each.parent_id is None]
    return words.close(asked[0].unsaid if len(asked) == 1 else ())


def blocks(blocks: Iterable[TextBlock], claims: Mapping[str, Claim], words: Phrases) -> Iterator[str]:
    """Paragraphs, lists, tables and code, where each passage begins a line that says where it stands and cites it."""
    place = ""
    for each in blocks:
        if each.place and each.place != place:
            yield cited(each.place, claims[each.items[0][0]].citations, telling=each.place)
        place = each.place
        yield _block(each, claims, words)


def _block(block: TextBlock, claims: Mapping[str, Claim], words: Phrases) -> str:
    """One of them; of a passage, whose place is told above it, without marks of what it cites."""

    def told(claim: Claim) -> str:
        return in_bold(claim.text, claim.telling) if block.place and claim.verified else sentence(claim, words)

    items = [[claims[id] for id in item] for item in block.items]
    if block.kind == "code":
        return "\n\n".join(fenced(claim.text) for item in items for claim in item)
    if block.kind == "table":
        rows = [cells_of(claim.text) for item in items for claim in item]
        head = cells_of(claims[block.head].text) if block.head else ()
        width = max(map(len, (head, *rows)))
        told_rows = [_row((*row, *("",) * (width - len(row))), width=None) for row in (head, *rows)]
        told_table = "\n".join((told_rows[0], f"|{' --- |' * width}", *told_rows[1:]))
        cites = dict.fromkeys(id for item in items for claim in item for id in claim.citations)
        return told_table if block.place or not cites else f"{told_table}\n\n{marks(tuple(cites))}"
    lines = [" ".join(map(told, item)) for item in items]
    if block.kind == "paragraph":
        return lines[0]
    numbers = [_ITEM.match(item[0].text) for item in items]
    counted = [int(number[1]) for number in numbers if number]
    if len(counted) == len(items) and counted in (
        list(range(counted[0], counted[0] + len(items))),
        counted[:1] * len(items),
    ):
        return "\n".join(f"{at}{line[len(str(at)) + 1 :]}" for at, line in zip(counted, lines, strict=True))
    return "\n".join(f"- {line}" for line in lines)


def cells_of(row: str) -> tuple[str, ...]:
    """The cells of a row of a table, empty ones included.

    >>> cells_of("| Postage | 12")
    ('', 'Postage', '12')
    """
    return tuple(cell.strip() for cell in _BETWEEN.split(row))


# ── Sources ────────────────────────────────────────────────────────────────────────────────────────────────────────


def source_list(
    sources: Sequence[SourceEntry], words: Phrases, *, places: Mapping[str, Sequence[str]] | None = None
) -> Iterator[str]:
    """The list of sources; the user's documents, the data and the web in groups when there are several.

    `places` are the parts of a document that are cited, by its id, unless the text says where each passage stands.
    """
    for heading, group in source_groups(sources, words):
        if heading:
            yield f"### {heading}"
        yield "\n".join(_source(source, words, (places or {}).get(source.id, ())) for source in group)


def source_groups(sources: Sequence[SourceEntry], words: Phrases) -> Iterator[tuple[str, list[SourceEntry]]]:
    """Sources by kind, with a heading each when there are several kinds."""
    headings: dict[DocumentKind, str] = {"file": words.your_documents, "dataset": words.your_data, "web": words.the_web}
    several = len({source.kind for source in sources}) > 1
    for kind, heading in headings.items():
        if group := [source for source in sources if source.kind == kind]:
            yield heading if several else "", group


def link_targets(sources: Sequence[SourceEntry]) -> str:
    """What the marks of citations lead to, as definitions that no reader of the page sees."""
    return "\n".join(f"[{source.id}]: <{address(source.uri)}>" for source in sources if _is_link(source))


def _is_link(source: SourceEntry) -> bool:
    return _LINKED.match(source.uri) is not None


def _source(source: SourceEntry, words: Phrases, places: Sequence[str]) -> str:
    entry = f"- [{source.id}] {inert(source.title, in_link=True)}"
    told = source_details(source, words, shown=partial(inert, in_link=True), code=partial(in_code, width=QUERY_WIDTH))
    details = (*map(inert, places[:PLACES]), "…" if len(places) > PLACES else "", *told)
    return f"{entry} {words.comma.join(filter(None, details))}".rstrip()


def source_details(
    source: SourceEntry, words: Phrases, *, shown: Callable[[str], str], code: Callable[[str], str]
) -> tuple[str, ...]:
    """What is told of a source besides its title; `shown` and `code` set what comes from outside."""
    details: tuple[str, ...] = ()
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


def caption(figure: Figure) -> str:
    """The line above a figure."""
    return f"**{figure.id}** · {inert(figure.title)} [{figure.source_id}]"


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


def figure_blocks(figure: Figure, words: Phrases) -> Iterator[str]:
    """A figure as a table of at most `ROWS` rows, its caption above, below it how much is not shown."""
    yield caption(figure)
    table = figure_table(figure, words)
    rules = ("---:" if is_number else "---" for is_number in table.are_numbers)
    yield "\n".join([_row(table.names), f"| {' | '.join(rules)} |", *map(_row, table.rows)])
    if table.note:
        yield table.note


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


def _row(cells: Sequence[str], *, width: int | None = CELL_WIDTH) -> str:
    return f"| {' | '.join(cell(text, width=width) for text in cells)} |"


def _is_number(text: str) -> bool:
    return not text or bool(_NUMBER.fullmatch(text))


# ── Coverage ───────────────────────────────────────────────────────────────────────────────────────────────────────


def dataset_lines(datasets: Sequence[DatasetCoverage], parts: Mapping[str, str], words: Phrases) -> Iterator[str]:
    """How much of each dataset was read, a line for each subtask that has asked it, as CommonMark.

    `parts` names the subtasks, by id: a dataset that several have asked is told with them.
    """
    asked = Counter(each.name for each in datasets)
    for each in datasets:
        part = parts.get(each.subtask_id, "") if asked[each.name] > 1 else ""
        name = words.data_part.format(name=inert(each.name), part=inert(part)) if part else inert(each.name)
        yield _dataset_line(each, name, words)


def _dataset_line(each: DatasetCoverage, name: str, words: Phrases) -> str:
    named = "none" if each.matched == 0 else "known" if each.matched is not None else "unknown"
    line = words.data_read[named].format(name=name, scanned=each.scanned, matched=each.matched or 0)
    if each.total is not None:
        line += words.data_total.format(total=each.total)
    if each.capped_by:
        line += words.data_capped.format(why=inert(_why(each.capped_by, words)))
    if each.counted and each.matched != 0:
        line += words.data_counted["one" if each.counted == 1 else "many"].format(counted=each.counted)
    return line


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
                name=each.name, scanned=each.scanned, matched=each.matched or 0, why=_why(each.capped_by, words)
            )


def _why(reason: str, words: Phrases) -> str:
    """What kept records from being read: a limit by its name, anything else in its own words."""
    if reason.startswith("max_"):
        return words.data_capped_by.format(limit=reason)
    return reason.rstrip(".。")
