"""The report: its outline, its written sections, and the JSON that is Fathom's public contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, Self

from pydantic import Field, model_validator

from fathom.clarification import Clarified
from fathom.evidence import DocumentKind, SourceNature
from fathom.findings import DepthEvaluation, GapAnalysis, Statement, Synthesis, Validation
from fathom.frozen import FrozenModel, later
from fathom.limits import Limits
from fathom.plan import ExecutionMode, Perspective, SubtaskStatus
from fathom.preferences import ReportPreferences
from fathom.text.display import word_count

SCHEMA_VERSION = "2.2"

SupportStatus = Literal["quoted", "supported", "partial", "unsupported", "contradicted", "unjudged"]
"""How a sentence stands to the spans that it cites (see `fathom.verification.verdicts`)."""

VERIFIED: frozenset[SupportStatus] = frozenset({"quoted", "supported"})
"""The statuses of a sentence that can be relied on."""


AnswerState = Literal["answered", "closest", "nothing"]
"""What came of a question: an answer, passages that come near and that no model has judged, or nothing."""
Doubt = Literal["contradicted", "one_weak_source"]
"""Why an answer may not hold: another source says something else, or all that is told rests on one page, or on its
copies, which nobody vouches for or which is out of date."""

SectionRole = Literal["summary", "section", "conclusion"]
"""What a section is for: to answer first, to tell more, to conclude or say what to do next."""

FindingFate = Literal["cited", "merged", "left_out"]
"""Where a finding went: a sentence of the report cites it, another finding that is cited says the same, or neither."""


class Verdicts(FrozenModel):
    """How the sentences of a report stand to what they cite: how many of each kind."""

    quoted: int = Field(default=0, ge=0)
    """Sentences that are a quotation, word for word."""
    supported: int = Field(default=0, ge=0)
    """Sentences that their spans bear out."""
    partial: int = Field(default=0, ge=0)
    """Sentences that they bear out in part."""
    unsupported: int = Field(default=0, ge=0)
    """Sentences that they do not bear out, and those that cite nothing."""
    contradicted: int = Field(default=0, ge=0)
    """Sentences that they contradict."""
    unjudged: int = Field(default=0, ge=0)
    """Sentences in other words, which no model has judged."""


class OutlineSection(FrozenModel):
    """A heading and the findings that are told under it."""

    heading: str
    """Says what the section holds."""
    subtask_id: str | None = None
    """The subtask that it answers."""
    findings: tuple[str, ...] = ()
    """Ids of findings, in the order of telling."""
    role: SectionRole = "section"
    """`summary` for a part of the question that is answered here."""
    sections: tuple[OutlineSection, ...] = ()
    """Its sub-sections."""


class Outline(FrozenModel):
    """Where each finding is told: in one section at most. Summary and conclusion may tell it once more."""

    title: str
    """Title of the report."""
    summary: tuple[str, ...] = ()
    """Ids of the findings that answer the question first."""
    sections: tuple[OutlineSection, ...] = ()
    """After the plan."""
    conclusion: tuple[str, ...] = ()
    """Ids of the findings that the conclusion rests on."""


class Section(FrozenModel):
    """What was written for one section of the outline."""

    statements: tuple[Statement, ...] = ()
    """In order."""


# ── The public contract ────────────────────────────────────────────────────────────────────────────────────────────


class ClaimClause(FrozenModel):
    """A stretch of a sentence with what it cites itself."""

    text: str
    """The white space and punctuation around it included."""
    citations: tuple[str, ...] = ()
    """Ids of the sources cited."""
    evidence: tuple[str, ...] = ()
    """Ids of the evidence."""
    is_assessment: bool = False
    """Whether it is concluded from that."""


class Claim(FrozenModel):
    """A sentence of the report, checked against what it cites."""

    id: str
    """`C1`, in the order of the report."""
    text: str
    """The sentence as it stands in the report, without its citation marks."""
    lead_in: str | None = None
    """For a list item, the sentence that the list stands under, when there is one."""
    citations: tuple[str, ...]
    """Ids of the sources cited."""
    evidence: tuple[str, ...]
    """Ids of the evidence that it was checked against."""
    clauses: tuple[ClaimClause, ...] = ()
    """Its stretches, where these cite different things; together they are its text."""
    status: SupportStatus
    """The verdict of the check."""
    verified: bool
    """`status` is `quoted` or `supported`."""
    judged_by: Literal["rule", "model"] = "rule"
    """Who decided on the status: the comparison with the words of the evidence, or a model that has read both."""
    why: str = ""
    """What decided, in a few words."""
    is_assessment: bool = False
    """Whether it is the report's own conclusion, judged by whether it follows from what it cites."""
    repaired: bool = False
    """Whether the sentence was written anew from its evidence because the first one was not supported."""
    confidence: float = Field(ge=0, le=1)
    """Probability that the claim is true given its evidence, and how many independent origins say so."""
    subtask_id: str | None = None
    """The subtask that it answers."""
    origins: int = Field(default=0, ge=0)
    """Independent origins that say so: those of its evidence, and of findings that state the same. Near-copies count
    once, and so do pages of one site; a local file is an origin of its own."""


class TableCell(FrozenModel):
    """A cell of a table that the report has composed."""

    text: str = ""
    """What it shows, without citation marks."""
    claim: str | None = None
    """Id of the claim that it makes; `None` for a cell that only names its row, and for an empty one."""


class TextBlock(FrozenModel):
    """A paragraph, a list, steps, a table or code."""

    kind: Literal["paragraph", "list", "steps", "table", "code"]
    """Which of them it is."""
    items: tuple[tuple[str, ...], ...] = ()
    """Ids of claims, by item or row; a paragraph is a single item. Empty for a table in `rows`."""
    columns: tuple[str, ...] = ()
    """Headings of the columns of a table that the report has composed, one for each cell of a row."""
    rows: tuple[tuple[TableCell, ...], ...] = ()
    """Its cells, row by row; empty for a table whose rows are quoted from a source (`items`)."""
    head: str | None = None
    """The claim that is the head of the table; `None` when it has none."""
    place: str = ""
    """Where the passage that it is of stands, when it is told whole; behind another passage of the same document the
    headings alone."""
    labels: tuple[str, ...] = later(())
    """What stands before each item or row: the part of the question that it answers, or when that was."""

    @model_validator(mode="after")
    def _is_even(self) -> Self:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError("a row of a table has more or fewer cells than the table has columns")
        return self


class ReportSection(FrozenModel):
    """A section as it stands in the report."""

    heading: str
    """Its heading, without markup."""
    subtask_id: str | None = None
    """The subtask that it answers."""
    claims: tuple[str, ...] = ()
    """Ids of its claims, in order."""
    blocks: tuple[TextBlock, ...] = ()
    """How they are set."""
    figures: tuple[str, ...] = ()
    """Ids of the figures below them."""
    role: SectionRole = "section"
    """Whether it answers first, or concludes."""
    sections: tuple[ReportSection, ...] = ()
    """Its sub-sections."""

    @property
    def in_blocks(self) -> tuple[TextBlock, ...]:
        """How its sentences are set: as one paragraph where that is not said, as in a report from before 2.0."""
        whole = (TextBlock(kind="paragraph", items=(self.claims,)),) if self.claims else ()
        return self.blocks or whole

    @property
    def told(self) -> tuple[str, ...]:
        """Ids of its claims and of those below it, in order."""
        return (*self.claims, *(id for section in self.sections for id in section.told))


class EvidenceEntry(FrozenModel):
    """A verbatim quotation."""

    id: str
    """`E1`, …"""
    source_id: str
    """The source that it was taken from."""
    quote: str
    """The snapshot's text at `[start:end]`, to the letter."""
    start: int = Field(ge=0)
    """Offset of the quote in the snapshot, in characters."""
    end: int = Field(ge=0)
    """Offset behind it."""
    locator: str
    """Where that is: the heading path, the page, the record's id."""
    subtask_id: str | None = None
    """The subtask that it was found for."""


class FindingEntry(FrozenModel):
    """A claim on evidence, whether the report tells it or not."""

    id: str
    """The finding's id."""
    claim: str
    """The claim."""
    evidence: tuple[str, ...]
    """Ids of its evidence, strongest first."""
    confidence: float = Field(ge=0, le=1)
    """Probability that it is true given its evidence."""
    subtask_id: str
    """The subtask that it was found for."""
    relevance: float = 0.0
    """How much it answers the question, higher is better; comparable within a run."""
    fate: FindingFate = "left_out"
    """Where it went."""
    claims: tuple[str, ...] = ()
    """Ids of the claims of the report that cite it, or the finding that it was merged with."""
    why: str = ""
    """Why it was left out, or which finding says the same; empty when it is cited."""


class SourceEntry(FrozenModel):
    """Something that was read and that evidence was taken from."""

    id: str
    """`S1`, …: cited ones first, in the order of the report."""
    uri: str
    """Its address; of a local file its `file://` address, or its name alone in a report that is handed on."""
    title: str
    """Its title."""
    sha256: str
    """Digest of the snapshot's text in UTF-8; for a text file, of the file itself."""
    retrieved_at: str
    """When it was read: ISO 8601, UTC."""
    kind: DocumentKind
    """Where it comes from."""
    published: str = ""
    """When it was published or changed last (ISO 8601 date), of a page; empty when not known."""
    authors: tuple[str, ...] = later(())
    """Who has written it, as a file says itself."""
    left_out: tuple[str, ...] = later(())
    """What of a file was not read, and why, each in a line."""
    nature: SourceNature | None = None
    """Who speaks there, of a page; `None` for a file."""
    site: str = ""
    """Whose page it is: the registered part of its host; empty for a file."""
    origin: str = ""
    """Id of the first source of the report that it is a near-copy of; its own id when it is none."""
    query: str = ""
    """What was asked of a dataset, as the tool and its arguments in JSON; empty for all else."""
    records: int | None = None
    """Of counts, the records that they were made of; `None` for all else."""


class SubtaskEntry(FrozenModel):
    """A subtask and how it ended."""

    subtask_id: str
    """`task_1`; a child of it is `task_1.1`."""
    parent_id: str | None
    """The subtask that it deepens."""
    depth: int
    """0 at the root level."""
    description: str
    """The sub-question."""
    focus_area: str
    """What part of the query it covers."""
    priority: int
    """Its place in the order, 1 first."""
    dependencies: tuple[str, ...]
    """Ids of the subtasks whose findings it saw."""
    estimated_importance: float
    """0 to 1; 1.0 when the user asked for it by name."""
    reason: str = ""
    """Why it is there: which words of the question ask for it, or what has led to it; empty when nobody knows."""
    status: SubtaskStatus
    """How it ended."""
    evaluation: DepthEvaluation | None
    """Its last evaluation; `None` when it was not assessed."""
    outcome: AnswerState = "answered"
    """What came of it, by what the report tells of it and of the subtasks below it."""
    unsaid: tuple[str, ...] = ()
    """Its words that none of the passages has that come nearest, if there are such words."""
    doubts: tuple[Doubt, ...] = ()
    """Why what the report tells of it may not hold."""


class ContradictionSide(FrozenModel):
    """What one source says where another one says something else."""

    finding: str
    """Id of the finding."""
    claim: str
    """What it says."""
    source_id: str
    """The source that says so."""
    kind: DocumentKind
    """Whether that is a document of the user's or a page."""
    date: str = ""
    """When it was published or changed last (ISO 8601 date); empty when not known."""


class Contradiction(FrozenModel):
    """Two claims that cannot both be true. Both are told; nothing is averaged."""

    findings: tuple[str, str]
    """Ids of the findings."""
    description: str
    """Which source says what, with their citation marks."""
    claims: tuple[str, ...] = ()
    """Ids of the claims of the report that say so, where a model has written it."""
    sides: tuple[ContradictionSide, ...] = ()
    """The same as data: the user's documents first, then the newer page."""


class DatasetCoverage(FrozenModel):
    """How much of a dataset was looked at, in records."""

    name: str
    """The dataset."""
    tables: int = 0
    """How many tables it has, when it has several."""
    asked: tuple[str, ...] = ()
    """Those of them that were asked."""
    total: int | None = None
    """Its records, of several tables those of the one that was asked last; `None` when it does not say."""
    matched: int | None = None
    """Those that the filters of the question match; `None` when it does not say."""
    fetched: int = 0
    """Of those, fetched, each once."""
    scanned: int = 0
    """Of those, read for findings, each once."""
    extracted: int = 0
    """Of those, named by evidence."""
    counted: int = 0
    """Counts that were made of all that matched."""
    capped_by: str | None = None
    """The limit that kept the rest from being read; `None` when none did."""
    caveats: tuple[str, ...] = ()
    """What of the question was left out, or could not be meant."""
    subtask_id: str
    """The subtask that asked."""


class Coverage(FrozenModel):
    """How much of what is in reach was looked at, in documents (for a dataset, in records; for the web, in pages)."""

    total: int = Field(default=0, ge=0)
    """In reach of the run; of the web, the pages that its searches have found."""
    matched: int = Field(default=0, ge=0)
    """Returned for at least one query; of the web, the pages that its searches have found."""
    fetched: int = Field(default=0, ge=0)
    """Whose text was fetched."""
    scanned: int = Field(default=0, ge=0)
    """Whose text was read for findings."""
    extracted: int = Field(default=0, ge=0)
    """That evidence was taken from."""
    datasets: tuple[DatasetCoverage, ...] = ()
    """Of each dataset that was researched, by subtask."""


class Figure(FrozenModel):
    """Counts that the report shows: as a table, and as a picture where pictures can be drawn."""

    id: str
    """`F1`, …"""
    title: str
    """What is counted."""
    kind: Literal["bar", "line", "table"]
    """Bars for a distribution, a line for counts over time; `table` when neither would tell anything."""
    source_id: str
    """The source that holds the counts."""
    subtask_id: str
    """The subtask that they were made for; the table stands at the end of its section."""
    columns: tuple[str, ...]
    """Names of the columns."""
    rows: tuple[tuple[str, ...], ...]
    """Their cells, as they stand in the snapshot."""
    labels: tuple[str, ...]
    """What stands at each bar or point."""
    values: tuple[float, ...]
    """How large it is."""
    value_name: str
    """What the values are: the name of their column."""
    more_groups: int = 0
    """Groups that were left out of the rows."""
    more_records: int = 0
    """Records in them."""
    note: str = ""
    """What was left out; empty when nothing was."""


ModelPart = Literal["", "nothing", "research", "report"]
"""How far models have made a report."""


class Usage(FrozenModel):
    """What the run took, repeated work of resumed processes excluded."""

    calls: dict[str, int] = {}
    """Calls by kind: the name of an ask, or `search`, `describe`, …"""
    prompt_tokens: int = 0
    """Tokens sent to models."""
    completion_tokens: int = 0
    """Tokens received from models."""
    cost_usd: float = 0.0
    """US dollars, for models and for searches."""
    seconds: float = 0.0
    """Wall time from start to report, pauses between processes excluded."""
    models: dict[str, int] = {}
    """Answers by model, `provider:model`; those that an earlier run was spared included."""
    cached_calls: int = 0
    """Calls to models that an earlier answer saved."""
    unpriced_tokens: int = 0
    """Tokens of models whose price is not known; `cost_usd` leaves them out."""
    estimated_tokens: int = 0
    """Tokens that Fathom has counted itself because the provider told none."""
    searches: dict[str, int] = {}
    """Searches of the web by provider; those that were answered from the archive excluded."""
    search_cost_usd: float = 0.0
    """US dollars for searches of the web, which `cost_usd` holds too."""
    pages: int = 0
    """Web pages that were asked for and read; those that came from the archive excluded."""


class Estimate(FrozenModel):
    """What a run is expected to take, made from its plan."""

    calls_low: int = 0
    """Calls when no subtask is refined or drilled into."""
    calls_high: int = 0
    """Calls when every subtask is deepened as far as the limits allow, in the dearest way."""
    model_calls_low: int = 0
    """Calls to models when no subtask is refined or drilled into; 0 without a model."""
    model_calls_high: int = 0
    """Calls to models when every subtask is deepened; 0 without a model."""
    tokens_low: int = 0
    """Tokens sent and received when no subtask is refined or drilled into; 0 without a model."""
    tokens_high: int = 0
    """Tokens sent and received when every subtask is deepened; 0 without a model."""
    cost_usd_low: float = 0.0
    """US dollars when no subtask is refined or drilled into."""
    cost_usd_high: float = 0.0
    """US dollars when every subtask is deepened; 0 without a model and without searches that cost."""
    searches_low: int = 0
    """Searches of the web when no subtask is refined or drilled into; 0 without the web."""
    searches_high: int = 0
    """Searches of the web when every subtask is deepened; 0 without the web."""
    pages_low: int = 0
    """Web pages read when no subtask is refined or drilled into; 0 without the web."""
    pages_high: int = 0
    """Web pages read when every subtask is deepened; 0 without the web."""
    calls_typical: int = later(0)
    """Calls of a run as most of them are; 0 where nobody has said."""
    model_calls_typical: int = later(0)
    """Calls to models of such a run."""
    tokens_typical: int = later(0)
    """Tokens that it sends and receives."""
    cost_usd_typical: float = later(0.0)
    """US dollars that it costs."""
    seconds_typical: float = later(0.0)
    """Seconds that it takes, reading the documents in left out; with a model, of a hosted one."""

    @property
    def bounds(self) -> Estimate:
        """From and to alone, as a report tells it: by then it is known what the run took."""
        return self.model_copy(update={name: 0 for name in Estimate.model_fields if name.endswith("_typical")})


class NotFoundEntry(FrozenModel):
    """Something that was asked for and that the sources do not hold."""

    what: str
    """In the words of the plan."""
    subtask_id: str | None = None
    """The subtask that it was part of."""
    reason: str = ""
    """How that is known."""


class Tally(FrozenModel):
    """What came of a question, in figures: what a list shows of its report."""

    parts: int
    """Parts of the question: the subtasks at the root of its plan."""
    answered: int
    """Those of them that the sources answer."""
    disagreements: int
    """Places at which the sources contradict each other."""


class Report(FrozenModel):
    """A finished run, as `--json` writes it. Additive changes raise the minor version, all others the major one."""

    schema_version: str = SCHEMA_VERSION
    """Version of this contract."""
    run_id: str
    """The run."""
    query: str
    """The user's question."""
    language: str
    """ISO 639-1 code of the language of the question and the report."""
    mode: ExecutionMode
    """How it was answered."""
    created_at: str
    """When the report was written: ISO 8601, UTC."""
    title: str
    """Title of the report."""
    markdown: str
    """The report as Markdown."""
    key_findings: tuple[str, ...]
    """The sentences that answer first, with their citation marks; each is a claim too."""
    conclusions: tuple[str, ...]
    """The sentences of the conclusion, with their citation marks, when one was written; each is a claim too."""
    limitations: tuple[str, ...]
    """What a reader must know before relying on the report."""
    suggestions: tuple[str, ...]
    """What to research further."""
    sections: tuple[ReportSection, ...]
    """The report's sections, as a tree."""
    claims: tuple[Claim, ...]
    """Every sentence of the report that states something about the world."""
    evidence: tuple[EvidenceEntry, ...]
    """Every quotation that a claim or a finding rests on."""
    findings: tuple[FindingEntry, ...]
    """Every finding of the run, told or not."""
    syntheses: tuple[Synthesis, ...]
    """What each subtask amounts to."""
    sources: tuple[SourceEntry, ...]
    """Every source that evidence was taken from."""
    subtasks: tuple[SubtaskEntry, ...]
    """Every subtask of the plan, as a flat list."""
    not_found: tuple[NotFoundEntry, ...]
    """What the sources do not hold."""
    contradictions: tuple[Contradiction, ...]
    """Claims that contradict each other."""
    coverage: Coverage
    """How much of what is in reach was looked at."""
    usage: Usage
    """What the run took."""
    limits: Limits
    """The limits that it ran under."""
    estimate: Estimate
    """What it was expected to take."""
    outcome: AnswerState = "answered"
    """What came of the question."""
    quoted: int = Field(default=0, ge=0)
    """Passages that it tells, each word for word, when it does nothing else; 0 when a model wrote, or data were
    counted."""
    partial: str | None
    """Why the report is incomplete; `None` when it is not."""
    reasoner: str = ""
    """What answered the asks: name and version, with the models."""
    by_models: ModelPart = later("")
    """What models have answered: `report` when one wrote it, too, `nothing` when none gave a usable answer; empty when
    none was asked."""
    stand_ins: dict[str, int] = {}
    """Asks, by name, that the extractive reasoner has answered because the model could not."""
    figures: tuple[Figure, ...] = ()
    """Counts that the report shows, in its order."""
    perspectives: tuple[Perspective, ...] = ()
    """How experts would look at the question, when they were asked for."""
    validation: Validation | None = None
    """Whether the findings hold, when that was checked."""
    gaps: GapAnalysis | None = None
    """What is missing, when that was looked for."""
    preferences: ReportPreferences | None = later(None)
    """How the question wishes to be answered, when it says so."""
    clarified: Clarified | None = later(None)
    """What the run has asked about the question, when it has."""

    @property
    def verdicts(self) -> Verdicts:
        """How its sentences stand to what they cite."""
        return verdicts_of(self.claims)

    @property
    def tally(self) -> Tally:
        """How much of the question is answered, and how often the sources disagree."""
        roots = [each for each in self.subtasks if each.parent_id is None and each.status != "removed"]
        told = self.outcome == "answered" and bool(self.claims or self.figures)
        answered = sum(each.outcome == "answered" for each in roots) if told else 0
        return Tally(parts=len(roots), answered=answered, disagreements=len(self.contradictions))

    @property
    def words(self) -> int:
        """How many it has: those of its sentences and cells."""
        return sum(word_count(claim.text) for claim in self.claims)

    def claims_of(self, *roles: SectionRole) -> list[Claim]:
        """Its claims in the sections with one of these roles."""
        claims = {claim.id: claim for claim in self.claims}
        return [claims[id] for section in self.sections if section.role in roles for id in section.claims]

    @property
    def in_words(self) -> dict[str, str]:
        """Each claim as it can be read alone, by its id: a cell behind the names of its row and its column."""
        return {claim.id: claim.text for claim in self.claims} | dict(_cells(self.sections))

    @property
    def cited(self) -> tuple[str, ...]:
        """Ids of the sources that its sentences cite, each once; evidence was taken from others too."""
        return tuple(dict.fromkeys(id for claim in self.claims for id in claim.citations))

    @property
    def named(self) -> tuple[SourceEntry, ...]:
        """The sources that it names: those that it cites, shows counts of, or that contradict each other."""
        named = {*self.cited, *(figure.source_id for figure in self.figures)}
        named |= {side.source_id for each in self.contradictions for side in each.sides}
        return tuple(source for source in self.sources if source.id in named)

    @property
    def missing(self) -> tuple[NotFoundEntry, ...]:
        """What the sources do not hold, as it is listed; nothing when the whole answer says that already."""
        return () if not self.claims and len(self.not_found) == 1 else self.not_found


def _cells(sections: Iterable[ReportSection]) -> Iterator[tuple[str, str]]:
    for section in sections:
        for block in section.blocks:
            for row in block.rows:
                for at, (cell, column) in enumerate(zip(row, block.columns, strict=True)):
                    if cell.claim:
                        yield cell.claim, " | ".join(filter(None, (row[0].text if at else "", column, cell.text)))
        yield from _cells(section.sections)


def verdicts_of(claims: Iterable[Claim]) -> Verdicts:
    """How many claims have each status."""
    return Verdicts.model_validate(Counter(claim.status for claim in claims))
