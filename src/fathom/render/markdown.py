"""The report as Markdown: its tree, walked once. The short formats tell parts of it in the same way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal

from fathom.report import Claim, Contradiction, DatasetCoverage, Figure, Report, ReportSection, SourceEntry, TextBlock
from fathom.text import typeset
from fathom.text.commonmark import address, cell, fenced, in_code, inert
from fathom.text.marking import carriers, pieces, table_marks
from fathom.text.own import REPORT_MARK
from fathom.text.phrases import Phrases, phrases

PLACES = 3
"""Parts of a document that the list of sources names."""
_MARKS = re.compile(r"( \[S\d+\])")
_ITEM = re.compile(r"(\d{1,9})[.)] ")
_LINKED = re.compile(r"(?:https?|file)://|(?![a-z][a-z\d+.-]+:)", re.IGNORECASE)
"""An address that may be followed: a page, a file, or a place beside the report; nothing that a browser would run."""

LookedAt = Literal["documents", "web", "both"] | None
"""What was in reach besides data."""


class Marks:
    """How claims are marked with what they cite, and what the marks lead to: the ids of sources, in brackets."""

    def of(self, claim: Claim) -> Sequence[str]:
        """What the marks of a claim name."""
        return claim.citations

    def behind(self, claims: Sequence[Claim], *, within: Claim | None = None) -> str:
        """The marks of claims, what parts them from the text included; of those in a passage, whose beginning is marked
        as the claim that it is `within`, what that mark leaves open: nothing.

        A bracket right behind another one may be taken for the address of a link, so that a blank stands before each.
        """
        ids = dict.fromkeys(id for claim in claims for id in claim.citations)
        return f" {typeset.marks(tuple(ids))}" if ids and within is None else ""

    def targets(self, sources: Sequence[SourceEntry]) -> str:
        """What they lead to, as definitions that no reader of the page sees."""
        return "\n".join(f"[{each.id}]: <{address(each.uri)}>" for each in sources if _LINKED.match(each.uri))


_IDS = Marks()


def render(report: Report) -> str:
    """The report's own text, ending in a line break."""
    return report.markdown if report.markdown.endswith("\n") else report.markdown + "\n"


def write(report: Report, *, looked_at: LookedAt = None) -> str:
    """The report as CommonMark, ending in a line break; what it has `looked_at` stands nowhere else in it."""
    return walked(report, tuple(_footer(report, looked_at, phrases(report.language))))


def footer_of(report: Report) -> Sequence[str]:
    """The lines that end its own Markdown: what was checked and how much was read."""
    _, rule, last = report.markdown.rpartition("\n\n---\n\n")
    return last.partition("\n\n")[0].rstrip("\n").split("  \n") if rule else ()


def walked(report: Report, footer: Sequence[str], *, marks: Marks = _IDS) -> str:
    """The parts of a report, each where it belongs, and the lines of its footer."""
    words = phrases(report.language)
    claims = {claim.id: claim for claim in report.claims}
    figures = {figure.id: figure for figure in report.figures}

    def section(each: ReportSection, level: int) -> Iterator[str]:
        yield f"{'#' * min(level, 6)} {inert(each.heading)}"
        if level == 2:
            yield typeset.note(each, report, words)
        yield from blocks(each.in_blocks, claims, words, marks=marks)
        for id in each.figures:
            yield from figure_blocks(figures[id], words)
        for below in each.sections:
            yield from section(below, level + 1)

    parts = [*head(report, words), *(part for each in report.sections for part in section(each, 2))]
    if report.missing:
        items = "\n".join(f"- {inert(entry.what)}" for entry in report.missing)
        parts += [f"## {words.not_found}", words.not_found_intro, items]
    if report.contradictions:
        parts += [
            f"## {words.contradictions}",
            "\n".join(_contradiction(each, claims, words, marks) for each in report.contradictions),
        ]
    if report.limitations:
        parts += [f"## {words.limitations}", "\n".join(f"- {_with_marks(line, report)}" for line in report.limitations)]
    places = {} if report.quoted else _places(report)
    return joined(*parts, *ending(report.named, words, footer, places=places, marks=marks))


def _with_marks(text: str, report: Report) -> str:
    """A text that names sources, with their marks as marks."""
    known = {f" [{source.id}]" for source in report.sources}
    parts = [part if part in known else inert(part) for part in _MARKS.split(text)]
    return " ".join(part.strip() for part in parts if part.strip()).replace(
        f" {typeset.CONCLUSION}", typeset.CONCLUSION
    )


def joined(*parts: str) -> str:
    """The parts of a report, one below the other."""
    return "\n\n".join(filter(None, parts)) + "\n"


def head(report: Report, words: Phrases) -> Iterator[str]:
    """The title, why the report is partial, and that nothing was found, where that is so."""
    yield f"# {inert(report.title)}"
    if notice := words.notice(report.partial):
        yield f"> {notice}"
    if not report.claims:
        yield words.nothing_yet if report.partial else words.nothing_found


def ending(
    sources: Sequence[SourceEntry],
    words: Phrases,
    footer: Sequence[str],
    *,
    places: Mapping[str, Sequence[str]] | None = None,
    marks: Marks = _IDS,
) -> Iterator[str]:
    """The list of sources, and what the report rests on."""
    if sources:
        yield f"## {words.sources}"
        yield from source_list(sources, words, places=places or {})
    if footer:
        yield "---"
        yield "  \n".join(footer)
    yield marks.targets(sources)
    yield REPORT_MARK


def _contradiction(contradiction: Contradiction, claims: Mapping[str, Claim], words: Phrases, marks: Marks) -> str:
    if contradiction.claims:
        return f"- {sentences([claims[id] for id in contradiction.claims], words, marks=marks)}"
    sides = (
        words.says_of(side.kind, side.source_id, inert(side.date), inert(side.claim)) for side in contradiction.sides
    )
    return f"- {' '.join(sides)}"


def _footer(report: Report, looked_at: LookedAt, words: Phrases) -> Iterator[str]:
    """What the sign of a conclusion means; what the report rests on: how much it quotes, and of which sources, or how
    its sentences stand to what they cite; and how much was read."""
    if line := typeset.conclusion_line(report.claims, words):
        yield line
    verdicts = {**report.verdicts.model_dump(), "repaired": sum(claim.repaired for claim in report.claims)}
    if report.quoted:
        yield words.quotes(report.quoted, [source.kind for source in report.named])
    elif report.claims:
        yield words.footer.format(claims=len(report.claims), verdicts=words.counts(verdicts))
    if looked_at:
        yield words.coverage.format(what=words.looked_at[looked_at], **report.coverage.model_dump())
    yield from dataset_lines(report, words)
    if (report.claims or looked_at or report.coverage.datasets) and report.usage.models:
        yield words.made_with[report.by_models or "report"].format(models=inert(words.comma.join(report.usage.models)))


def _places(report: Report) -> dict[str, list[str]]:
    """Which parts of each document the report cites, in its order: headings and pages. Of data the query says it."""
    entries = {entry.id: entry for entry in report.evidence}
    data = {source.id for source in report.sources if source.kind == "dataset"}
    titles = {source.id: source.title for source in report.sources}
    cited = (entries[id] for claim in report.claims for id in claim.evidence if id in entries)
    places: dict[str, list[str]] = {}
    for source, locator in dict.fromkeys((entry.source_id, entry.locator) for entry in cited if entry.locator):
        if source not in data:
            title = f"{titles[source]} › "
            places.setdefault(source, []).append(locator.removeprefix(title))
    return places


# ── Sentences ──────────────────────────────────────────────────────────────────────────────────────────────────────


def bold(text: str) -> str:
    """A line of text from outside in bold, but for the number of an item at its beginning.

    >>> bold("The school day"), bold("")
    ('**The school day**', '')
    """
    number = _ITEM.match(text)
    before, said = (f"{inert(number[0])} ", inert(text[number.end() :])) if number else ("", inert(text))
    return f"{before}**{said}**" if said else inert(text)


def sentences(claims: Sequence[Claim], words: Phrases, *, marks: Marks = _IDS, within: Claim | None = None) -> str:
    """The sentences of a paragraph or an item with what they cite, several that cite the same marked once.
    Those of a passage that are verified have no marks of what the claim `within` cites."""
    line = ""
    for claim, is_marked in zip(claims, carriers(claims, marks.of), strict=True):
        above = within if claim.verified else None
        behind = partial(marks.behind, within=above) if is_marked else _unmarked
        line += typeset.blank_behind(line) + _signed(claim, behind, words, _in_prose)
    return line


def _unmarked(_: Sequence[Claim]) -> str:
    return ""


def _in_prose(claim: Claim) -> str:
    return inert(claim.text)


def _in_cell(claim: Claim) -> str:
    return cell(claim.text, width=None)


def _in_cells(claim: Claim) -> str:
    return cell(", ".join(typeset.cells_of(claim.text)), width=None)


def _signed(
    claim: Claim, behind: Callable[[Sequence[Claim]], str], words: Phrases, shown: Callable[[Claim], str]
) -> str:
    """A sentence or a cell with its marks, each behind the stretch that they are of, with the sign of a conclusion, and
    with what says that it is weak."""
    text, parts = "", pieces(claim)
    signed = [f"{behind((each,))}{typeset.CONCLUSION if each.is_assessment else ''}" for each in parts]
    for at, each in enumerate(parts):
        own = "" if signed[at] in signed[at + 1 : at + 2] else signed[at]  # the next stretch has the same
        said = shown(each).strip()
        is_apart = each.text[:1].isspace() or (text.endswith("]") and said.startswith(("(", "[")))  # else it was a link
        text += f"{' ' * is_apart}{said}{own}{' ' * each.text[-1:].isspace()}"
    return " ".join(filter(None, (text.strip(), words.weak_mark.get(claim.status))))


def blocks(
    blocks: Iterable[TextBlock], claims: Mapping[str, Claim], words: Phrases, *, marks: Marks = _IDS
) -> Iterator[str]:
    """Paragraphs, lists, steps, tables and code; above each passage a line that says where it is and cites it."""
    place, first = "", None
    for each in blocks:
        if each.place != place:
            place, first = each.place, claims[each.items[0][0]] if each.place else None
            if first:
                yield f"{bold(place)}{marks.behind((first,))}"
        yield _block(each, claims, words, marks, first)


def _block(block: TextBlock, claims: Mapping[str, Claim], words: Phrases, marks: Marks, first: Claim | None) -> str:
    """One of them; of a passage, whose place is told above it as what its `first` claim cites, without those marks."""
    if block.rows:
        return _table(block, claims, words, marks)
    items = [[claims[id] for id in item] for item in block.items]
    every = [claim for item in items for claim in item]
    if block.kind == "code":
        behind = marks.behind(every, within=first).strip() if first else ""
        return "\n\n".join(filter(None, (*(fenced(claim.text) for claim in every), behind)))
    if block.labels and block.kind == "table":
        told_rows = [_row((words.wishes["part"], words.wishes["told"])), "| --- | --- |"]
        for label, item in zip(block.labels, items, strict=True):
            said = _signed(item[0], marks.behind, words, _in_cells)
            told_rows.append(f"| {cell(label, width=None)} | {said} |")
        return "\n".join(told_rows)
    if block.kind == "table":
        rows = [typeset.cells_of(claim.text) for claim in every]
        head = typeset.cells_of(claims[block.head].text) if block.head else ()
        width = max(map(len, (head, *rows)))
        told_rows = [_row((*row, *("",) * (width - len(row))), width=None) for row in (head, *rows)]
        told_table = "\n".join((told_rows[0], f"|{' --- |' * width}", *told_rows[1:]))
        return f"{told_table}\n\n{marks.behind(every, within=first).strip()}".rstrip()
    if block.kind == "steps":
        items = [[typeset.unnumbered(item[0]), *item[1:]] for item in items]
        return "\n".join(f"{at}. {sentences(item, words, marks=marks)}" for at, item in enumerate(items, start=1))
    lines = [sentences(item, words, marks=marks, within=first) for item in items]
    if block.labels:
        return "\n".join(f"- **{inert(label)}**: {line}" for label, line in zip(block.labels, lines, strict=True))
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


def _table(block: TextBlock, claims: Mapping[str, Claim], words: Phrases, marks: Marks) -> str:
    """A table that the report has composed."""
    rows = [[claims[each.claim] if each.claim else None for each in row] for row in block.rows]
    places = table_marks(block.rows, claims, marks.of)

    def behind(claim: Claim | None) -> str:
        return marks.behind((claim,)) if claim else ""

    def shown(text: str, claim: Claim | None) -> str:
        if claim is None:
            return cell(text, width=None)
        own = marks.behind if claim.id in places.cells else _unmarked
        return _signed(claim, own, words, _in_cell)

    names = (cell(name, width=None) + behind(claim) for name, claim in zip(block.columns, places.columns, strict=True))
    lines = [f"| {' | '.join(names)} |", f"|{' --- |' * len(block.columns)}"]
    for cells, own, shared in zip(block.rows, rows, places.rows, strict=True):
        first, *others = map(shown, (each.text for each in cells), own)
        lines.append(f"| {' | '.join((first + behind(shared), *others))} |")
    return "\n".join(lines)


# ── Sources ────────────────────────────────────────────────────────────────────────────────────────────────────────


def source_list(
    sources: Sequence[SourceEntry], words: Phrases, *, places: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """The list of sources; the user's documents, the data and the web in groups when there are several.

    `places` are the parts of a document that are cited, by its id, unless the text says where each passage stands.
    """
    for heading, group in typeset.source_groups(sources, words):
        if heading:
            yield f"### {heading}"
        yield "\n".join(_source(source, words, places.get(source.id, ())) for source in group)


def _source(source: SourceEntry, words: Phrases, places: Sequence[str]) -> str:
    entry = f"- [{source.id}] {inert(source.title, in_link=True)}{':' if places else ''}"
    told = typeset.source_details(
        source, words, shown=partial(inert, in_link=True), code=partial(in_code, width=typeset.QUERY_WIDTH)
    )
    details = (*map(inert, places[:PLACES]), "…" if len(places) > PLACES else "", *told)
    return f"{entry} {words.comma.join(filter(None, details))}".rstrip()


# ── Figures ────────────────────────────────────────────────────────────────────────────────────────────────────────


def caption(figure: Figure) -> str:
    """The line above a figure."""
    return f"**{figure.id}** · {inert(figure.title)} [{figure.source_id}]"


def figure_blocks(figure: Figure, words: Phrases) -> Iterator[str]:
    """A figure as a table of at most `ROWS` rows, its caption above, below it how much is not shown."""
    yield caption(figure)
    table = typeset.figure_table(figure, words)
    rules = ("---:" if is_number else "---" for is_number in table.are_numbers)
    yield "\n".join([_row(table.names), f"| {' | '.join(rules)} |", *map(_row, table.rows)])
    if table.note:
        yield table.note


def _row(cells: Sequence[str], *, width: int | None = typeset.CELL_WIDTH) -> str:
    return f"| {' | '.join(cell(text, width=width) for text in cells)} |"


# ── Coverage ───────────────────────────────────────────────────────────────────────────────────────────────────────


def dataset_lines(report: Report, words: Phrases) -> Iterator[str]:
    """How much of each dataset was read, a line for each subtask that has asked it; a dataset that several have asked
    is told with them."""
    parts = {subtask.subtask_id: subtask.focus_area or subtask.description for subtask in report.subtasks}
    asked = Counter(each.name for each in report.coverage.datasets)
    for each in report.coverage.datasets:
        part = parts.get(each.subtask_id, "") if asked[each.name] > 1 else ""
        name = words.data_part.format(name=inert(each.name), part=inert(part)) if part else inert(each.name)
        yield _dataset_line(each, name, words)


def _dataset_line(each: DatasetCoverage, name: str, words: Phrases) -> str:
    named = "none" if each.matched == 0 else "known" if each.matched is not None else "unknown"
    line = words.data_read[named].format(name=name, scanned=each.scanned, matched=each.matched or 0)
    if each.total is not None:
        line += words.data_total.format(total=each.total)
    if each.capped_by:
        line += words.data_capped.format(why=inert(typeset.why_capped(each.capped_by, words)))
    if each.counted and each.matched != 0:
        line += words.data_counted["one" if each.counted == 1 else "many"].format(counted=each.counted)
    return line
