"""The sections of a report in the outline that its user has brought."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.composing.numbering import JudgedSection
from fathom.preferences import ReportTemplate
from fathom.verification.judged import Judged


def in_template(
    sections: Sequence[JudgedSection], template: ReportTemplate, ids: Sequence[str], *, is_written: bool
) -> tuple[JudgedSection, ...]:
    """A section for each heading, with all that was told for its part; one that nothing was told for is left out.

    Args:
        ids: The subtask of each heading.
        is_written: Whether a model wrote: its summary and its conclusion tell what the sections tell.
    """
    told: dict[str, list[Judged]] = {id: [] for id in ids}
    root = ""
    for section in sections:
        if is_written and section.role != "section" and not section.subtask_id:
            continue
        for sentence in section.all_sentences():
            root = section.subtask_id or (sentence.cited[0].root if sentence.cited else root)
            if root in told and sentence.text not in {each.text for each in told[root]}:
                told[root].append(sentence)
    made = zip(template.sections, told.items(), strict=False)
    return tuple(JudgedSection("section", part.heading, id, tuple(own)) for part, (id, own) in made if own)
