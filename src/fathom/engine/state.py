"""All that a run knows so far: one state per subtask, and the plan. Every process rebuilds it from the journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fathom.browsing import ArchivedPage, PageLink
from fathom.clarification import Clarified
from fathom.composing.numbering import Written
from fathom.composing.research import Outcome, ReportMaterial
from fathom.data.fields import DatasetDescription
from fathom.engine.data.state import DatasetState
from fathom.errors import LOST
from fathom.evidence import Document, Lack, Passage, Retrieval, SourceDescription
from fathom.findings import DepthEvaluation, Finding, GapAnalysis, Synthesis, Validation
from fathom.plan import Allocation, MasterPlan, Perspective, Subtask, SubtaskStatus
from fathom.ports.source import SourceAnswer, Trail
from fathom.preferences import ReportPreferences
from fathom.report import Coverage, DatasetCoverage, Estimate, Report
from fathom.sheet import Sheet
from fathom.steering import Approval
from fathom.text.copies import origins
from fathom.thread import THREAD, Thread
from fathom.verification.disagreement import Pair
from fathom.written import WrittenReport


@dataclass
class Round:
    """What is under way in a subtask: what is asked of whom, and what came, until it is taken down."""

    allocations: tuple[Allocation, ...]
    searched: Sequence[Allocation]
    """Those of them that go to what can be searched."""
    datasets: Sequence[DatasetState]
    """The datasets that are asked."""
    at_hand: Sequence[SourceAnswer] | None = None
    """What came from those that hold what they find; `None` until the searches have been made."""
    beyond: Sequence[SourceAnswer] = ()
    """The same from those that reach out."""
    news: int = 0
    """Findings that were not known before."""

    @property
    def open(self) -> list[DatasetState]:
        """The datasets whose planners have more to do."""
        return [each for each in self.datasets if not each.round.ended]


@dataclass
class SubtaskReading:
    """What a subtask has asked and read, and what whoever read it thought of it."""

    asked: dict[str, set[str]] = field(default_factory=dict)
    """Texts of the queries, in order, each with the sources that were asked."""
    passages: set[str] | None = None
    """Ids of the passages that were read; `None` until the subtask has begun."""
    unread: dict[str, Passage] = field(default_factory=dict)
    """Passages that were found and whose reader had no room for them, by their ids."""
    refined: bool = False
    """Whether what a round lacked was searched for in another one."""
    evaluation: DepthEvaluation | None = None
    """What the reader thought of their depth, until it is assessed."""
    synthesis: Synthesis | None = None
    """How the reader last summed them up, in terms of findings that stand."""
    contradictions: dict[tuple[str, str], None] = field(default_factory=dict)
    """Pairs of ids of findings that contradict each other, as any reader has seen it."""


@dataclass
class SubtaskRecord:
    """A subtask: how it was planned, how far it is, and what it has found."""

    planned: Subtask
    """As it was planned: what an ask says of a subtask must not depend on when a revision came."""
    why: str
    """The reason for it, which no ask knows."""
    priority: int
    """As it is by now."""
    status: SubtaskStatus = "pending"
    reason: str = ""
    """Why it has ended as it has."""
    broken: str = ""
    """What failed and could not be made up for."""
    children: list[str] = field(default_factory=list)
    inherited: dict[str, Finding] = field(default_factory=dict)
    """What it may build on, taken down when a pass over it starts."""
    round: Round | None = None
    """The last one."""
    reading: SubtaskReading = field(default_factory=SubtaskReading)
    findings: dict[str, Finding] = field(default_factory=dict)
    """By their ids, in the order in which they were found."""
    shown: set[str] = field(default_factory=set)
    """Ids of the findings that whoever follows the run was shown."""
    evaluation: DepthEvaluation | None = None
    synthesis: Synthesis | None = None
    datasets: dict[str, DatasetState] = field(default_factory=dict)
    """What research on datasets has found so far, by name."""

    @property
    def known(self) -> tuple[Finding, ...]:
        """What it may build on, and what it has found itself."""
        return tuple((self.inherited | self.findings).values())

    @property
    def current(self) -> Subtask:
        """The subtask with the priority that it has by now."""
        return self.planned.model_copy(update={"priority": self.priority})


@dataclass
class Material:
    """What the sources hold, what was met there, and what was missed."""

    sources: tuple[SourceDescription, ...] = ()
    thread: tuple[SourceDescription, ...] = ()
    """What the runs have read that this one follows: it is looked into before the sources are asked, and no plan
    allocates anything to it."""
    preview: Retrieval = field(default_factory=Retrieval)
    """What they have on the question as it stands."""
    trails: dict[str, Trail] = field(default_factory=dict)
    """What was come upon in each source, by name."""
    documents: dict[str, Document] = field(default_factory=dict)
    """Those that are no web pages, by `sha256`."""
    lent: dict[str, dict[str, Document]] = field(default_factory=dict)
    """By subtask, those that the findings which it builds on rest on, by `sha256`."""
    holders: dict[str, str] = field(default_factory=dict)
    """The source that holds a document, by `sha256`."""
    scanned: set[str] = field(default_factory=set)
    """Documents read for findings, by `sha256`."""
    failures: dict[str, str] = field(default_factory=dict)
    """What failed, by the name of the source."""
    lacks: set[Lack] = field(default_factory=set)
    """What was left out of searches for want of time."""
    missed: bool = False
    """Whether anything was answered in place of, or without, a provider that could not be reached."""

    def fail(self, name: str, error: Exception, *, stands_alone: bool = True) -> None:
        """Take down that a source has failed; of several failures one stands, however they overtake each other.

        What another one may answer in place of one that does not stand alone is not missed yet.
        """
        self.missed |= stands_alone and isinstance(error, LOST)
        self.failures[name] = min(str(error), self.failures.get(name, str(error)))

    def document(self, id: str, sha256: str) -> Document:
        """A document as a subtask has met it, or else whoever found what it builds on."""
        pages = self.pages_of(id)
        if sha256 in pages:
            return pages[sha256].document
        return self.documents.get(sha256) or self.lent[id][sha256]

    def pages_of(self, id: str) -> dict[str, ArchivedPage]:
        """The web pages that a subtask has met, by `sha256`."""
        return {sha256: page for trail in self.trails.values() for sha256, page in trail.pages.get(id, {}).items()}

    def links_of(self, id: str) -> dict[str, PageLink]:
        """Where the web pages that a subtask has met lead, by address."""
        return {url: link for trail in self.trails.values() for url, link in trail.links.get(id, {}).items()}

    @property
    def datasets(self) -> dict[str, DatasetDescription]:
        """The datasets that have told what they hold, by name."""
        return {name: trail.dataset for name, trail in self.trails.items() if trail.dataset}

    def described(self, id: str) -> tuple[SourceDescription, ...]:
        """The sources, those that reach out by what a subtask has met there."""
        held = {name: trail.holdings[id] for name, trail in self.trails.items() if id in trail.holdings}
        return tuple(held.get(source.name, source) for source in (*self.sources, *self.thread))

    def coverage(self, cited: Iterable[Document], datasets: tuple[DatasetCoverage, ...]) -> Coverage:
        """How much was looked at; `datasets` says it of each."""
        # what can be counted is so in records, beside documents and pages
        texts = [source for source in self.sources if "search" in source.can]
        trails = {name: trail for name, trail in self.trails.items() if name != THREAD}
        total = sum(source.documents or len(trails[source.name].found) for source in texts)
        matched = sum(len(trail.found) for trail in trails.values())
        fetched = sum(len(trail.read) for trail in trails.values())
        if known := self.trails.get(THREAD):  # what the sources hold too counts once
            again = len(known.found.difference(*(trail.found for trail in trails.values())))
            total, matched, fetched = max(total, matched + again), matched + again, fetched + again
        return Coverage(
            total=total,
            matched=matched,
            fetched=fetched,
            scanned=len(self.scanned),
            extracted=sum(document.kind != "dataset" for document in cited),
            datasets=datasets,
        )


@dataclass
class LookBack:
    """What was said of the run as a whole when it was last looked at."""

    not_found: tuple[str, ...] = ()
    """Ids of the subtasks that nothing was found for."""
    validation: Validation | None = None
    """Whether the findings hold."""
    gaps: GapAnalysis | None = None
    """What is missing."""
    findings: dict[str, int] = field(default_factory=dict)
    """How many each subtask had, its children's included, when these two were asked."""


@dataclass
class DraftedReport:
    """A report that is written, and once its citations are checked also as it is finished."""

    material: ReportMaterial
    title: str
    sheet: Sheet = field(default_factory=Sheet)
    """What a model may cite; empty without one."""
    report: WrittenReport | None = None
    """As a model has written it."""
    pairs: Sequence[Pair] = ()
    """What may contradict each other of all that it was written from."""
    written: tuple[Written, ...] = ()
    """Its sections in the words of their sources, where no model has."""
    finished: Report | None = None
    """With every citation checked."""


@dataclass
class Told:
    """What the run asks its person, and what it was told."""

    asked: dict[str, Approval] = field(default_factory=dict)
    """What it waits for its person to approve, by id."""
    unapproved: set[str] = field(default_factory=set)
    """Ids of what nobody has approved in time."""
    deepened: set[str] = field(default_factory=set)
    """Ids of the subtasks that are to be looked into further, whatever is thought of their depth."""


@dataclass
class Asked:
    """What belongs to the question besides what is researched."""

    preferences: ReportPreferences | None = None
    """How it wishes to be answered, where it says so."""
    clarified: Clarified | None = None
    """What it leaves open and its person was asked about; `None` when nothing was."""
    thread: Thread | None = None
    """What the runs know that this one follows; `None` when it follows nobody."""


@dataclass(eq=False)
class ModelAnswers:
    """What models have answered of a run, and what they have not."""

    usable: int = 0
    """Asks that a model has answered."""
    stand_ins: Counter[str] = field(default_factory=Counter)
    """Asks, by name, that the extractive reasoner has answered in place of a model."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Why it has, each in a line."""
    invented: int = 0
    """Ids in a model's answers that it had not been given; they were dropped."""

    def stand_in(self, kind: str, reason: str) -> None:
        """Take down that an ask was not answered by a model, and why."""
        self.stand_ins[kind] += 1
        self.reasons[reason] += 1

    def for_report(self) -> dict[str, Any]:
        """The same as fields of `ReportMaterial`."""
        return {
            "stand_ins": dict(sorted(self.stand_ins.items())),
            "stand_in_reason": min(self.reasons, key=lambda each: (-self.reasons[each], each), default=""),
            "by_models": "research" if self.usable else "nothing" if self.stand_ins else "",
            "invented": self.invented,
        }


@dataclass
class RunState:
    """What the steps of a run hand on to each other; the states of the graphs hold ids only."""

    asked: Asked = field(default_factory=Asked)
    plan: MasterPlan | None = None
    """The root level as it stands, removed subtasks left out."""
    parts: tuple[str, ...] = ()
    """What the subtasks of the first plan are about: the same for ever, however early a revision comes."""
    perspectives: tuple[Perspective, ...] = ()
    """How experts would look at the question."""
    estimate: Estimate = field(default_factory=Estimate)
    cut: bool = False
    """Whether `max_subtasks` has cut something."""
    roots: list[str] = field(default_factory=list)
    """Ids of the root level, removed subtasks included."""
    subtasks: dict[str, SubtaskRecord] = field(default_factory=dict)
    material: Material = field(default_factory=Material)
    brought: Counter[tuple[int, int]] = field(default_factory=Counter)
    """New findings by how far the run was: which look back, 0 for none, and how deep in the research."""
    look_back: LookBack = field(default_factory=LookBack)
    models: ModelAnswers = field(default_factory=ModelAnswers)
    draft: DraftedReport | None = None
    """The report, once it is written."""

    def take_over(self, id: str) -> None:
        """Give a subtask what was read for the question as a whole."""
        for trail in self.material.trails.values():
            trail.pages[id] = trail.pages.get("", {}) | trail.pages.get(id, {})
        reading = self.subtasks[id].reading
        reading.passages = (reading.passages or set()) | {passage.id for passage in self.material.preview.passages}

    def close(self) -> None:
        """Let go of what research on datasets holds open."""
        for subtask in self.subtasks.values():
            for dataset in subtask.datasets.values():
                dataset.records.met.close()

    def add(self, subtasks: Iterable[Subtask]) -> None:
        """Take subtasks in, as `pending`."""
        for subtask in subtasks:
            self.subtasks[subtask.subtask_id] = SubtaskRecord(
                subtask.model_copy(update={"reason": ""}), why=subtask.reason, priority=subtask.priority
            )
            level = self.roots if subtask.parent_id is None else self.subtasks[subtask.parent_id].children
            level.append(subtask.subtask_id)

    def inherit(self, id: str) -> None:
        """Take down what the subtask may build on: findings of its dependencies with their children, of its parents;
        and what its thread has told, where that is researched further."""
        subtask, thread = self.subtasks[id], self.asked.thread
        known = {finding.id: finding for finding in thread.known} if thread else {}
        for needed in subtask.planned.dependencies:
            known |= self.below(needed)
        if subtask.planned.parent_id is not None:
            parent = self.subtasks[subtask.planned.parent_id]
            known |= parent.inherited | parent.findings
        subtask.inherited = known
        lent = {each.sha256: each for each in thread.documents} if thread else {}
        spans = [(finding.subtask_id, span) for finding in known.values() for span in finding.spans]
        lent |= {span.document: self.material.document(of, span.document) for of, span in spans if of in self.subtasks}
        self.material.lent[id] = lent

    def below(self, id: str) -> dict[str, Finding]:
        """Findings of a subtask and of its children, by id; none of one that is not in the plan."""
        found = (self.subtasks[each].findings for each in (id, *self._descendants(id)) if each in self.subtasks)
        return {name: finding for findings in found for name, finding in findings.items()}

    def citable(self, id: str) -> dict[str, Finding]:
        """What an answer to a subtask may rest on, by id: what it has found, those below it, and those it builds on."""
        known = self.subtasks[id].inherited.items()
        return self.below(id) | {name: finding for name, finding in known if finding.subtask_id in self.subtasks}

    def verdict(self, id: str) -> DepthEvaluation | None:
        """How far a subtask is answered by now: with children, as far as these are, which looked for what it lacked."""
        own = self.subtasks[id].evaluation
        below = [said for child in self.subtasks[id].children if (said := self.verdict(child))]
        if own is None or not below:
            return own
        missing = tuple(dict.fromkeys(text for said in below for text in said.missing))
        return own.model_copy(update={"is_sufficient": all(said.is_sufficient for said in below), "missing": missing})

    def may_change_plan(self, id: str) -> bool:
        """Whether the plan is worth a review after the subtask: whoever has judged it, or a child, may have said no; it
        is if something contradicts what another part has found."""
        synthesis, found = self.subtasks[id].synthesis, self.below(id)
        if synthesis and any(not found.keys() >= {*pair} for pair in synthesis.contradictions):
            return True
        own, *below = (self.subtasks[each].evaluation for each in (id, *self._descendants(id)))
        return own is None or own.changes_plan is not False or any(each.changes_plan for each in below if each)

    def _descendants(self, id: str) -> list[str]:
        children = self.subtasks[id].children if id in self.subtasks else ()
        return [each for child in children for each in (child, *self._descendants(child))]

    def in_order(self) -> dict[str, SubtaskRecord]:
        """Every subtask: the root level by priority, each one followed by its children; removed ones last."""

        def place(id: str) -> tuple[bool, int]:
            return self.subtasks[id].status == "removed", self.subtasks[id].priority

        roots = sorted(self.roots, key=place)
        return {each: self.subtasks[each] for root in roots for each in (root, *self._descendants(root))}

    def research(
        self, *, partial: str | None, datasets: tuple[DatasetCoverage, ...] = (), unapproved: int = 0
    ) -> ReportMaterial:
        """What the report is written from; `datasets` says how much of each was looked at, `unapproved` how many
        approvals nobody has answered in time."""
        assert self.plan is not None, "the plan comes first"
        subtasks, material, said = self.in_order(), self.material, self.look_back
        outcomes = tuple(
            Outcome(
                subtask=each.current,
                why=each.why,
                status=each.status,
                reason=each.reason,
                evaluation=each.evaluation,
                findings=tuple(each.findings.values()),
                synthesis=each.synthesis,
            )
            for each in subtasks.values()
        )
        cited: dict[str, Document] = {}
        for id, subtask in subtasks.items():
            for finding in subtask.findings.values():
                for span in finding.spans:
                    cited.setdefault(span.document, material.document(id, span.document))
        return ReportMaterial(
            plan=self.plan,
            outcomes=outcomes,
            documents=dict(sorted(cited.items())),
            sources=material.sources,
            preview=material.preview,
            failures=dict(sorted(material.failures.items())),
            lacks=tuple(sorted(material.lacks)),
            not_found=said.not_found,
            coverage=material.coverage(cited.values(), datasets),
            estimate=self.estimate.bounds,
            partial=partial,
            **self.models.for_report(),
            perspectives=self.perspectives,
            validation=said.validation,
            gaps=said.gaps,
            researched_since=frozenset(id for id, count in said.findings.items() if len(self.below(id)) > count),
            unapproved=unapproved,
            origins=origins(
                page for id in subtasks for sha256, page in material.pages_of(id).items() if sha256 in cited
            ),
            results={
                sha256: result
                for subtask in subtasks.values()
                for _, dataset in sorted(subtask.datasets.items())
                for sha256, result in dataset.results.items()
                if sha256 in cited
            },
        )
