"""The sections of a report in the outline that its user has brought."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.composing.numbering import JudgedSection
from fathom.preferences import ReportTemplate
from fathom.verification.judged import Judged
from fathom.written import WrittenBlock, WrittenReport, WrittenSection


def in_template(
    sections: Sequence[JudgedSection], template: ReportTemplate, ids: Sequence[str]
) -> tuple[JudgedSection, ...]:
    """A section for each heading, with all that was quoted for its part; one that has nothing is left out.

    Args:
        ids: The subtask of each heading.
    """
    told: dict[str, list[Judged]] = {id: [] for id in ids}
    root = ""
    for section in sections:
        for sentence in section.all_sentences():
            root = section.subtask_id or (sentence.cited[0].root if sentence.cited else root)
            if root in told and sentence.text not in {each.text for each in told[root]}:
                told[root].append(sentence)
    made = zip(template.sections, told.items(), strict=False)
    return tuple(JudgedSection("section", part.heading, id, tuple(own)) for part, (id, own) in made if own)


def in_outline(report: WrittenReport, template: ReportTemplate) -> WrittenReport:
    """A written report with the headings of an outline, in its order; what it has under another heading is added to the
    section before it."""
    blocks: dict[str, list[WrittenBlock]] = {part.heading: [] for part in template.sections}
    known = {_folded(heading): heading for heading in blocks}
    at = template.sections[0].heading
    for section in report.sections:
        at = known.get(_folded(section.heading), at)
        blocks[at] += section.blocks
    sections = (WrittenSection(heading=heading, blocks=tuple(own)) for heading, own in blocks.items() if own)
    title = template.title or report.title
    return report.model_copy(update={"title": title, "sections": tuple(sections)})


def _folded(heading: str) -> str:
    return " ".join(heading.casefold().split())
