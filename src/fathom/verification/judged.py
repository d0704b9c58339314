"""A sentence and what it cites: how the two stand by rule, what a judge is asked, and what comes of its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fathom.asks import Doubt, Judgement
from fathom.data.snapshots import cells_of
from fathom.data.turns import AggregationResult
from fathom.evidence import Document, Evidence
from fathom.findings import Finding, Statement, StatementForm
from fathom.report import VERIFIED
from fathom.text.display import display
from fathom.text.sentences import sentences
from fathom.verification.disagreement import Pair
from fathom.verification.verdicts import Verdict, check, check_counts


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

    def compared(self, text: str) -> Verdict:
        """How another sentence in its place would stand to what it cites; of a conclusion words cannot tell it."""
        verdict = _compared(text, self.spans, self.facts, self.cells)
        is_open = self.is_assessment and self.cited and not verdict.is_proved
        return replace(verdict, status="unjudged") if is_open else verdict

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Every span that it cites, each once."""
        spans = {span.id: span for finding in self.cited for span in finding.spans}
        return tuple(spans.values())

    @property
    def doubt(self) -> Doubt:
        """As it is put to a judge."""
        return Doubt(
            sentence=self.text,
            evidence=self.evidence,
            status=self.verdict.status,
            reason=self.verdict.doubt,
            facts=self.facts,
            is_assessment=self.is_assessment,
        )


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
    cells = tuple(line for sha256 in counted for line in _cells(results[sha256]))
    verdict = _compared(statement.text, spans, facts, cells)
    draws, form = statement.is_assessment, statement.form
    whole = Judged(statement.text, form, tuple(cited), spans, verdict, facts=facts, cells=cells, is_assessment=draws)
    whole = replace(whole, verdict=whole.compared(statement.text)) if draws else whole
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


def _cells(result: AggregationResult) -> Iterator[str]:
    """All that counts hold, line by line: a figure may also follow from rows that are not cited."""
    counts = result.aggregation
    for what, number in (("records match", result.matched), ("records in all", result.total)):
        if number is not None:
            yield f"{number:,} {what}"
    for bucket in counts.buckets:
        yield " | ".join(cells_of(counts, bucket))


# ── What a judge is asked ──────────────────────────────────────────────────────────────────────────────────────────


def set_against(pair: Pair) -> Judged:
    """What one side says, as a sentence that the other is the evidence of: they disagree where it contradicts it."""
    said, other = pair
    why = "the source seems to say otherwise: is it of the same thing, time and condition?"
    verdict = Verdict("unjudged", 0.0, why)
    return Judged(said.text, "paragraph", (other.finding,), (other.text,), verdict)


def open_to_a_judge(judged: Sequence[Judged], *, most: int) -> list[int]:
    """The places of the sentences that cite something and are not proved right, in the order of the report.

    When there are more than `most`, those that nothing speaks against are left out first.
    """
    is_open = [at for at, each in enumerate(judged) if each.cited and each.verdict.is_open]
    doubtful_first = sorted(is_open, key=lambda at: judged[at].verdict.status in VERIFIED)
    return sorted(doubtful_first[:most])


def repaired(sentence: Judged, judgement: Judgement) -> Judged | None:
    """The sentence as a judge has written it anew, held against its evidence; `None` without such a one, and when its
    figures are proved wrong."""
    text = " ".join(judgement.repaired.split())
    if judgement.status in VERIFIED or not any(char.isalnum() for char in text):
        return None
    verdict = sentence.compared(text)
    refuted = verdict.is_proved and verdict.status not in VERIFIED
    return None if refuted else replace(sentence, text=text, verdict=verdict, repaired=True)


def settled(sentence: Judged, judgement: Judgement, anew: Judged | None, again: Judgement | None) -> Judged:
    """The sentence as it stands after a model has judged it: it may overrule every doubt but arithmetic on figures.

    Written anew (`anew`), it takes the place of the first where the words of the evidence, or the judge when asked
    `again`, bear it out.
    """
    if anew and anew.verdict.status in VERIFIED:
        return anew
    if anew and again and again.status in VERIFIED:
        return replace(anew, verdict=anew.verdict.overruled(again))
    return sentence if sentence.verdict.is_proved else replace(sentence, verdict=sentence.verdict.overruled(judgement))
