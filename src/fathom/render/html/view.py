"""What the templates of a report show: its parts in the order of the Markdown, with everything that they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from markdown_it import MarkdownIt
from markupsafe import Markup

from fathom.render.html.inert import address, language, line, lines, link, prose
from fathom.render.html.notes import Note, notes, sides
from fathom.render.html.pictures import picture
from fathom.render.html.words import Words, words
from fathom.render.markdown import footer_of
from fathom.report import (
    Claim,
    Contradiction,
    ContradictionSide,
    Figure,
    Report,
    ReportSection,
    SourceEntry,
    SupportStatus,
    TextBlock,
)
from fathom.text import typeset
from fathom.text.marking import TableMarks, carriers, pieces, table_marks
from fathom.text.phrases import Phrases, phrases

LONG = 5
"""Parts from which on a report has a table of contents."""
_NUMBER = re.compile(r"\(?\d{1,3}[.)]")
_OPENING = ("“", "「")
_SPLIT = "\ue000"  # of private use: stands in for a claim in a phrase


@dataclass(frozen=True)
class SideView:
    """One side of a contradiction."""

    side: ContradictionSide
    who: str
    """Who says so, up to the quotation mark."""
    mark: str
    """The quotation mark."""
    after: str
    """The closing quotation mark, and what stands behind it."""
    notes: tuple[Note, ...]


def _code(text: str) -> str:
    text = line(text).replace("`", "")
    cut = text if len(text) <= typeset.QUERY_WIDTH else f"{text[: typeset.QUERY_WIDTH - 1].rstrip()}…"
    return Markup("<code>{}</code>").format(cut) if cut else ""


def _bare(text: str) -> str:
    return text.rstrip(".?!。？！ ").casefold()


def _figures_in(sections: Iterable[ReportSection]) -> set[str]:
    return {id for each in sections for id in (*each.figures, *_figures_in(each.sections))}


def _footer(report: Report) -> list[str]:
    """The lines that end the Markdown: what was checked and how much was read, as plain text."""
    parser = MarkdownIt("commonmark", {"html": False})
    return [
        "".join(token.content for token in inline.children or () if token.type in ("text", "code_inline"))
        for told_line in footer_of(report)
        for inline in parser.parseInline(told_line)
    ]


class View:
    """Everything that a template asks of a report."""

    def __init__(self, report: Report, snapshots: Mapping[str, str]) -> None:
        self.report = report
        self.phrases: Phrases = phrases(report.language)
        self.words: Words = words(report.language)
        self.lang = language(report.language)
        self.title = line(report.title)
        self.question = line(report.query)
        self.is_asked = _bare(self.title) == _bare(self.question)
        """The title is the question, and need not be told twice."""
        self.notice = self.phrases.notice(report.partial)
        self.nothing = (
            "" if report.claims else self.phrases.nothing_yet if report.partial else self.phrases.nothing_found
        )
        self.notes = tuple(notes(report, snapshots))
        self._note = {note.id: note for note in self.notes}
        kinds = [source.kind for source in self.report.named]
        self.quotes = self.phrases.quotes(report.quoted, kinds) if report.quoted else ""
        """What a report that only quotes says in place of how its sentences stand to what they cite."""
        self.claims = {claim.id: claim for claim in report.claims}
        self.in_sections = frozenset(id for section in report.sections for id in section.told)
        """The sentences that the sections say; others say where sources disagree."""
        self.in_words = report.in_words
        """The sentences and cells as they are read alone."""
        self._unmarked = frozenset(self._repeated(report.sections))
        self.figures = {figure.id: figure for figure in report.figures}
        self.loose_figures = self.figures.keys() - _figures_in(report.sections)
        """Those that no section names."""
        self.footer = _footer(report)

    # ── Sections ───────────────────────────────────────────────────────────────────────────────────────────────────

    def remark(self, section: ReportSection) -> str:
        """What is said under its heading."""
        return typeset.note(section, self.report, self.phrases)

    def blocks(self, section: ReportSection) -> Iterator[tuple[TextBlock, str]]:
        """How its sentences are set, each with where the passage stands that begins with it."""
        place = ""
        for block in section.in_blocks:
            yield block, "" if block.place == place else line(block.place)
            place = block.place

    def is_numbered(self, block: TextBlock) -> bool:
        """Whether each item begins with its number."""
        return all(_NUMBER.match(self.claims[item[0]].text) for item in block.items)

    def table(self, figure: Figure) -> typeset.FigureTable:
        """What of a figure is shown."""
        return typeset.figure_table(figure, self.phrases)

    def picture(self, figure: Figure) -> str:
        """The figure as an address that holds it; empty when it is a table alone."""
        return picture(figure, self.report.language)

    def _repeated(self, sections: Iterable[ReportSection]) -> Iterator[str]:
        """The rows of tables in passages that cite what one before them in the table does."""
        for section in sections:
            for block in section.blocks:
                told: set[str] = set()
                for id in (block.head, *(id for item in block.items for id in item)):
                    if id and block.place and block.kind == "table":
                        evidence = {*self.claims[id].evidence}
                        yield from [id] if evidence <= told else ()
                        told |= evidence
            yield from self._repeated(section.sections)

    def backs(self, note: Note) -> list[str]:
        """The sentences that a note stands at."""
        return [id for id in note.cited_by if id not in self._unmarked]

    def refs(self, claim: Claim) -> list[Note]:
        """The footnotes of a sentence; of a table in a passage its first row has them."""
        ids = dict.fromkeys(claim.evidence) if claim.id not in self._unmarked else ()
        return [self._note[id] for id in ids if id in self._note]

    def pieces(self, claim: Claim, text: str, *, is_quiet: bool) -> tuple[Claim, ...]:
        """A sentence or a cell by the stretches that have footnotes of their own; in one piece where it has none."""
        return (claim.model_copy(update={"text": text}),) if is_quiet or text != claim.text else pieces(claim)

    def is_marked(self, ids: Sequence[str]) -> list[bool]:
        """Whether each sentence of a paragraph or an item shows its footnotes; the others show them when they are asked
        for."""
        return carriers([self.claims[id] for id in ids], lambda claim: [note.id for note in self.refs(claim)])

    def table_marks(self, block: TextBlock) -> TableMarks:
        """Where a table that the report has composed is marked with the sources that its cells cite."""
        return table_marks(block.rows, self.claims, lambda claim: claim.citations)

    def table_name(self, section: ReportSection, block: TextBlock) -> str:
        """What a table is called by who cannot see it: one section may have several."""
        return line(self.phrases.comma.join(filter(None, (section.heading, *block.columns))))

    def weak(self, claim: Claim) -> str:
        """The words behind a sentence that is not supported."""
        return self.phrases.weak_mark.get(claim.status, "")

    # ── What stands behind the sections ────────────────────────────────────────────────────────────────────────────

    def sides(self, contradiction: Contradiction) -> list[SideView]:
        """What each source says."""
        evidence = sides(self.report)
        views = []
        for side in contradiction.sides:
            said = self.phrases.says_of(side.kind, side.source_id, line(side.date), _SPLIT)
            before, _, after = said.partition(_SPLIT)
            who, mark = (before[:-1], before[-1:]) if before[-1:] in _OPENING else (before, "")
            found = [self._note[id] for id in evidence.get(side.finding, ()) if id in self._note]
            views.append(
                SideView(side, who.rstrip(), mark, after, tuple(n for n in found if n.source.id == side.source_id))
            )
        return views

    @cached_property
    def disputed(self) -> dict[str, int]:
        """The sentences that another source contradicts, each with the number of that contradiction: those that say
        what a side does, and where none says it alike, those that rest on the same."""
        evidence = sides(self.report)
        found: dict[str, int] = {}
        own = {id for contradiction in self.report.contradictions for id in contradiction.claims}
        others = [claim for claim in self.report.claims if claim.id not in own]
        for number, contradiction in enumerate(self.report.contradictions, 1):
            for side in contradiction.sides:
                resting = [each for each in others if {*each.evidence} & {*evidence.get(side.finding, ())}]
                alike = [each for each in resting if _bare(side.claim) in _bare(each.text)]
                found |= {each.id: number for each in alike or resting if alike or self.refs(each)}
        return found

    # ── Sources ────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def groups(self) -> Iterator[tuple[str, list[SourceEntry]]]:
        """The sources that the report names, in groups by kind with a heading each when there are several."""
        return typeset.source_groups(self.report.named, self.phrases)

    def details(self, source: SourceEntry) -> tuple[str, ...]:
        """What is told of a source besides its title."""
        return typeset.source_details(source, self.phrases, shown=line, code=_code)

    # ── How it was made ────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def counts(self) -> list[tuple[SupportStatus, int]]:
        """How many sentences have each status, those that none has left out."""
        found = self.report.verdicts.model_dump()
        return [(status, found[status]) for status in get_args(SupportStatus) if found[status]]

    @property
    def facts(self) -> Iterator[tuple[str, str]]:
        """What made the report, and what it took: names with values."""
        usage, words = self.report.usage, self.words
        yield words.understood, line(self.report.clarified.question) if self.report.clarified else ""
        yield words.date, line(self.report.created_at.replace("T", " ").partition("+")[0].partition(".")[0]) + " UTC"
        yield words.answered_by, line(self.report.reasoner)
        yield words.models, self.phrases.comma.join(f"{line(name)} × {count:,}" for name, count in usage.models.items())
        yield words.calls, f"{sum(usage.calls.values()):,}"
        if usage.prompt_tokens or usage.completion_tokens:
            yield words.tokens, words.told_tokens.format(sent=usage.prompt_tokens, received=usage.completion_tokens)
        if usage.models or usage.cost_usd:
            yield words.cost, f"{usage.cost_usd:.4f} USD"
        yield words.seconds, words.told_seconds.format(seconds=usage.seconds)
        yield words.run, line(self.report.run_id)

    @property
    def contents(self) -> list[tuple[str, str]]:
        """Addresses and headings of the parts; nothing when the report is short."""
        told = self.phrases
        parts = [(f"part-{number}", line(section.heading)) for number, section in enumerate(self.report.sections, 1)]
        behind = (
            ("not-found", told.not_found, self.report.missing),
            ("contradictions", told.contradictions, self.report.contradictions),
            ("limitations", told.limitations, self.report.limitations),
            ("suggestions", told.suggestions, self.report.suggestions),
            ("notes", self.words.notes, self.notes),
            ("sources", told.sources, self.report.named),
        )
        parts += [(id, heading) for id, heading, content in behind if content]
        return parts if len(parts) >= LONG else []

    prose = staticmethod(prose)
    lines = staticmethod(lines)
    line = staticmethod(line)
    link = staticmethod(link)
    address = staticmethod(address)
    cells = staticmethod(typeset.cells_of)
    blank_behind = staticmethod(typeset.blank_behind)
    unnumbered = staticmethod(typeset.unnumbered)
    conclusion = typeset.CONCLUSION

    @staticmethod
    def cell(text: str) -> str:
        """The text of a cell, cut as in the Markdown."""
        text = text if len(text) <= typeset.CELL_WIDTH else f"{text[: typeset.CELL_WIDTH - 1].rstrip()}…"
        return line(text)
