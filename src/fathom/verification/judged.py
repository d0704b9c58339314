"""A sentence with what it cites, and how the two compare by rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from fathom.data.snapshots import cells_of
from fathom.data.turns import AggregationResult
from fathom.evidence import Document, Evidence
from fathom.findings import Finding, Statement, StatementForm
from fathom.text.display import display
from fathom.text.sentences import sentences
from fathom.verification.verdicts import Verdict, check, check_counts


class Stretch(NamedTuple):
    """A part of a sentence that cites something of its own."""

    text: str
    cited: tuple[Finding, ...]
    is_assessment: bool


@dataclass(frozen=True)
class Judged:
    """A sentence of the report, and how it stands to what it cites."""

    text: str
    form: StatementForm
    cited: tuple[Finding, ...]
    spans: tuple[str, ...]
    """The readable text of all that it cites, but for counts."""
    verdict: Verdict
    repaired: bool = False
    """Whether it was written anew from its evidence."""
    facts: tuple[str, ...] = ()
    """What was worked out from the counts that it cites."""
    cells: tuple[str, ...] = ()
    """These counts, row by row; empty when it cites none."""
    is_assessment: bool = False
    """Whether it draws a conclusion from what it cites."""
    label: str = ""
    """What stands before it in a table or a timeline: the part that it answers, or when that was."""
    goes_on: bool = False
    """Whether it stands in one paragraph with the sentence before it, whatever that cites."""
    behind: tuple[str, ...] | None = None
    """Ids of the findings of the run whose sentences it cites; `None` where these are those in `cited`."""
    stretches: tuple[Stretch, ...] = ()
    """Its parts, where they cite different things; together they are its text."""
    says: tuple[str, ...] = ()
    """Ids of others that it says, too, from other sentences."""

    @property
    def findings(self) -> tuple[str, ...]:
        """Ids of the findings of the run that it cites."""
        return self.behind if self.behind is not None else tuple(finding.id for finding in self.cited)

    def compared(self, text: str) -> Verdict:
        """How another sentence in its place would compare with what it cites."""
        return _compared(text, self.spans, self.facts, self.cells)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Every span that it cites, each once."""
        spans = {span.id: span for finding in self.cited for span in finding.spans}
        return tuple(spans.values())


def judged_sentences(
    statement: Statement,
    cited: Sequence[Finding],
    documents: dict[str, Document],
    results: Mapping[str, AggregationResult],
) -> Iterator[Judged]:
    """The statement's sentences, each with its verdict; a quotation, an item and a lead-in are judged as a whole."""
    evidence = [each for finding in cited for each in finding.spans]
    is_code = statement.form == "code"  # which has no marks of a markup
    read = [each for each in evidence if each.document not in results]
    spans = tuple(display(each.quote, "plain" if is_code else documents[each.document].markup) for each in read)
    facts = tuple(each.claim for each in cited if each.fact)
    counted = dict.fromkeys(each.document for each in evidence if each.document in results)
    cells = tuple(line for sha256 in counted for line in counted_cells(results[sha256]))
    verdict = _compared(statement.text, spans, facts, cells)
    draws, form = statement.is_assessment, statement.form
    whole = Judged(statement.text, form, tuple(cited), spans, verdict, facts=facts, cells=cells, is_assessment=draws)
    is_one = verdict.score == 1.0  # a finding's own words are one sentence, whatever stands in a key
    if statement.form != "paragraph" or is_one:
        yield whole
        return
    # a quotation is whole though it has no full stop: what somebody writes behind it is judged by itself
    quoted = max((len(each.claim) for each in cited if statement.text.startswith(f"{each.claim} ")), default=0)
    pieces = [(0, quoted)] if quoted else []
    pieces += [(quoted + start, quoted + end) for start, end in sentences(statement.text[quoted:])]
    for start, end in pieces:
        text = statement.text[start:end].strip()
        yield replace(whole, text=text, verdict=whole.compared(text))


def _compared(text: str, spans: Sequence[str], facts: Sequence[str], cells: Sequence[str]) -> Verdict:
    return check_counts(text, facts, cells, spans) if cells else check(text, spans)


def counted_cells(result: AggregationResult) -> Iterator[str]:
    """All that counts hold, line by line: a figure may also follow from rows that are not cited."""
    counts = result.aggregation
    for what, number in (("records match", result.matched), ("records in all", result.total)):
        if number is not None:
            yield f"{number:,} {what}"
    for bucket in counts.buckets:
        yield " | ".join(cells_of(counts, bucket))
