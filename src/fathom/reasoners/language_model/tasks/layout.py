"""The sections of a report as a model has laid them out: bounded, and with nothing in them that was not given."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fathom.findings import Finding
from fathom.plan import Subtask
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.reasoners.language_model.tasks.words import line, picked
from fathom.report import OutlineSection
from fathom.verification.doubts import missing

HEADING_LENGTH = 120
"""Characters of a heading."""
WRITTEN = 8
"""Sections and sub-sections that are written by a call each, unless the question has more parts."""
SPARE = 2
"""How many more there may be than the question has parts."""
LEAST = 2
"""Findings of a sub-section."""
MISSING = 6
"""Findings told of a part of the question that the model has forgotten."""
MISSING_SHARE = 0.2
"""Share of the best relevance that these must have."""
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_CAPITALISED = re.compile(r"\b[^\W\d_][^\W\d_A-Z]*\b")


def heading_of(subtask: Subtask) -> str:
    """The heading of what answers a subtask, when nobody has made one."""
    return line(subtask.focus_area or subtask.description, HEADING_LENGTH)


@dataclass
class _Section:
    heading: str
    subtask_id: str
    findings: list[Finding]
    below: list[tuple[str, list[Finding]]]

    @property
    def all(self) -> list[Finding]:
        return [*self.findings, *(finding for _, group in self.below for finding in group)]


@dataclass
class Layout:
    """What is placed so far; each finding once."""

    parts: Mapping[int, Subtask]
    """The parts of the question by the ids that the model was shown."""
    given: Mapping[int, Finding]
    """The findings by the ids that it was shown."""
    sections: list[_Section] = field(default_factory=list)
    invented: int = 0
    """Ids that it was not shown."""
    _told: set[str] = field(default_factory=set)

    @property
    def placed(self) -> list[Finding]:
        """The findings of all sections."""
        return [finding for section in self.sections for finding in section.all]

    def place(
        self, heading: str, part: int, ids: Sequence[int], below: Iterable[tuple[str, Sequence[int]]] = ()
    ) -> None:
        """Add a section with its sub-sections; one in which nothing new is told is left out."""
        first = self._new(ids)
        groups = [(text, self._new(numbers)) for text, numbers in below]
        findings = [*first, *(finding for _, group in groups for finding in group)]
        if not findings:
            return
        if part not in self.parts:
            self.invented += 1
        root = self._root(part, findings)
        section = _Section(self._heading(heading, findings) or self._named(root), root, first, [])
        for text, group in groups:
            name = self._heading(text, group)
            if name and name.casefold() != section.heading.casefold() and len(group) >= LEAST:
                section.below.append((name, group))
            else:
                section.findings += group
        self.sections.append(section)

    def pick(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Ids of findings, each once, that are told here whatever is told elsewhere."""
        found, invented = picked(ids, self.given)
        self.invented += invented
        return tuple(dict.fromkeys(finding.id for finding in found))

    def add_missing(self, summary: Collection[str]) -> None:
        """Place the best findings of every part of the question that is told nowhere, in the order of the parts."""
        told = {each.root for each in self.given.values() if each.id in self._told or each.id in summary}
        for at, subtask in enumerate(self.parts.values()):
            own = [finding for finding in self.given.values() if finding.root == subtask.subtask_id]
            if not own or subtask.subtask_id in told:
                continue
            least = MISSING_SHARE * max(finding.relevance for finding in self.given.values())
            best = sorted(own, key=lambda finding: -finding.relevance)[:MISSING]
            kept = [finding for finding in own if finding in best and finding.relevance >= least]
            kept = [finding for finding in kept or best[:1] if finding.id not in self._told]
            if kept:
                self._told |= {finding.id for finding in kept}
                self.sections.insert(at, _Section(heading_of(subtask), subtask.subtask_id, kept, []))

    def title(self, text: str, query: str) -> str:
        """The title as it may stand there: with no number and no name that neither question nor findings hold."""
        return self._borne_out(text, [query, *(text for finding in self.given.values() for text in finding.held)])

    def _new(self, ids: Sequence[int]) -> list[Finding]:
        found, invented = picked(ids, self.given)
        self.invented += invented
        new = [finding for finding in dict.fromkeys(found) if finding.id not in self._told]
        self._told |= {finding.id for finding in new}
        return new

    def _root(self, part: int, findings: Sequence[Finding]) -> str:
        """The subtask that a section answers: the part that it names if it tells anything of it, else the commonest."""
        roots = Counter(finding.root for finding in findings)
        if part in self.parts and self.parts[part].subtask_id in roots:
            return self.parts[part].subtask_id
        return roots.most_common(1)[0][0]

    def _named(self, root: str) -> str:
        return next((heading_of(subtask) for subtask in self.parts.values() if subtask.subtask_id == root), root)

    def _heading(self, text: str, findings: Sequence[Finding]) -> str:
        asked = [f"{subtask.focus_area} {subtask.description}" for subtask in self.parts.values()]
        return self._borne_out(text, [*asked, *(text for finding in findings for text in finding.held)])

    @staticmethod
    def _borne_out(text: str, held: Sequence[str]) -> str:
        """A heading cites nothing: it names nothing that is not held, or it is not used."""
        text = plain(text, held).rstrip(" .:;,、。：")
        words = text[:1].lower() + text[1:]  # in the middle of a sentence only names are capitalised
        if all(word[0].isupper() for word in _LONG_WORD.findall(text)):  # But Not in a Heading Like This One
            words = _CAPITALISED.sub(lambda match: match[0].lower(), text)
        return text if len(text) <= HEADING_LENGTH and not missing(words, held) else ""


def laid_out(layout: Layout, kept: frozenset[str]) -> tuple[OutlineSection, ...]:
    """The sections with the findings `kept`; when too many would be written, the smallest lose their sub-headings."""
    sections = [
        _Section(
            section.heading,
            section.subtask_id,
            [finding for finding in section.findings if finding.id in kept],
            [(heading, [finding for finding in group if finding.id in kept]) for heading, group in section.below],
        )
        for section in layout.sections
    ]
    for section in sections:
        _merge(section, [pair for pair in section.below if len(pair[1]) < LEAST])
    most = max(WRITTEN, len(layout.parts) + SPARE)
    for section in sorted(sections, key=lambda each: len(each.all)):
        if sum(bool(each.findings) + len(each.below) for each in sections) <= most:
            break
        _merge(section, section.below)
    return tuple(_outlined(section) for section in sections if section.all)


def _merge(section: _Section, parts: Sequence[tuple[str, list[Finding]]]) -> None:
    """Tell sub-sections in their section."""
    for pair in list(parts):
        section.below.remove(pair)
        section.findings += pair[1]


def _outlined(section: _Section) -> OutlineSection:
    return OutlineSection(
        heading=section.heading,
        subtask_id=section.subtask_id,
        findings=tuple(finding.id for finding in section.findings),
        sections=tuple(
            OutlineSection(
                heading=heading, subtask_id=section.subtask_id, findings=tuple(finding.id for finding in group)
            )
            for heading, group in section.below
        ),
    )
