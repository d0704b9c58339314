"""All that a run knows so far, in memory: every process rebuilds it from the journal."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fathom.browsing import ArchivedPage, PageLink
from fathom.composing.research import Outcome, ReportMaterial
from fathom.data.fields import DatasetDescription
from fathom.errors import LOST
from fathom.evidence import Document, Lack, Passage, Retrieval, SourceDescription
from fathom.findings import DepthEvaluation, Finding, GapAnalysis, Synthesis, Validation
from fathom.plan import Allocation, MasterPlan, Perspective, Subtask, SubtaskStatus
from fathom.ports.source import SourceAnswer, Trail
from fathom.report import Coverage, DatasetCoverage, Estimate
from fathom.text.copies import origins

if TYPE_CHECKING:
    from fathom.engine.data.desk import Desk


@dataclass
class Round:
    """What is under way in a subtask: what is asked of whom, and what came, until it is taken down."""

    allocations: tuple[Allocation, ...]
    searched: Sequence[Allocation]
    """Those of them that go to what can be searched."""
    desks: Sequence[Desk]
    """The datasets that are asked."""
    at_hand: Sequence[SourceAnswer] | None = None
    """What came from those that hold what they find; `None` until the searches have been made."""
    beyond: Sequence[SourceAnswer] = ()
    """The same from those that reach out."""
    news: int = 0
    """Findings that were not known before."""

    @property
    def open(self) -> list[Desk]:
        """The datasets whose planners have more to do."""
        return [desk for desk in self.desks if not desk.ended]


@dataclass
class Board:
    """The nouns that the steps hand on to each other; the graphs' state holds their ids only."""

    sources: tuple[SourceDescription, ...] = ()
    preview: Retrieval = field(default_factory=Retrieval)
    roots: list[str] = field(default_factory=list)
    """Ids of the root level, removed subtasks included."""
    plan: MasterPlan | None = None
    """The root level as it stands, removed subtasks left out."""
    parts: tuple[str, ...] = ()
    """What the subtasks of the first plan ask: the same for ever, however early a revision comes."""
    subtasks: dict[str, Subtask] = field(default_factory=dict)
    """As they were planned: what an ask says of a subtask must not depend on when a revision came."""
    why: dict[str, str] = field(default_factory=dict)
    """The reason of each, which no ask knows."""
    priorities: dict[str, int] = field(default_factory=dict)
    """Those that a revision has changed."""
    inherited: dict[str, dict[str, Finding]] = field(default_factory=dict)
    """What each subtask may build on, taken down when a pass over it starts."""
    rounds: dict[str, Round] = field(default_factory=dict)
    """The last round of each subtask."""
    read: dict[str, set[str]] = field(default_factory=dict)
    """Ids of the passages that a subtask has read."""
    unread: dict[str, dict[str, Passage]] = field(default_factory=dict)
    """Passages that a subtask has found and whose reader had no room for them, by their ids."""
    asked: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    """Texts of the queries that a subtask has asked, in order, each with the sources that it has asked."""
    broken: dict[str, str] = field(default_factory=dict)
    """What failed in a subtask and could not be made up for."""
    holders: dict[str, str] = field(default_factory=dict)
    """The source that holds a document, by `sha256`."""
    status: dict[str, SubtaskStatus] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    children: dict[str, list[str]] = field(default_factory=dict)
    findings: dict[str, dict[str, Finding]] = field(default_factory=dict)
    """Of each subtask by their ids, in the order in which they were found."""
    shown: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Of each subtask the ids of the findings that whoever follows the run was shown."""
    judged: dict[str, DepthEvaluation] = field(default_factory=dict)
    """Of each subtask what whoever read the passages of this round thought of its depth, until it is assessed."""
    summed_up: dict[str, Synthesis] = field(default_factory=dict)
    """Of each subtask how whoever read the passages last summed them up, in terms of findings that stand."""
    evaluations: dict[str, DepthEvaluation] = field(default_factory=dict)
    syntheses: dict[str, Synthesis] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    """Those that are no web pages, by `sha256`."""
    trails: dict[str, Trail] = field(default_factory=dict)
    """What was come upon in each source, by name."""
    desks: dict[tuple[str, str], Desk] = field(default_factory=dict)
    """What research on a dataset has found so far, by subtask and name."""
    scanned: set[str] = field(default_factory=set)
    """Documents read for findings, by `sha256`."""
    failures: dict[str, str] = field(default_factory=dict)
    lacks: set[Lack] = field(default_factory=set)
    """What was left out of searches for want of time."""
    not_found: tuple[str, ...] = ()
    estimate: Estimate = field(default_factory=Estimate)
    planned: int = 0
    """Subtasks of the first plan that are researched."""
    cut: bool = False
    """Whether `max_subtasks` has cut something."""
    follows: bool = False
    """Whether leads are followed by rule: a run that began before that was possible goes on as it began."""
    perspectives: tuple[Perspective, ...] = ()
    """How experts would look at the question."""
    brought: Counter[tuple[int, int]] = field(default_factory=Counter)
    """New findings by how far the run was: which look back, 0 for none, and how deep in the research."""
    validation: Validation | None = None
    """Whether the findings hold, as was said last."""
    gaps: GapAnalysis | None = None
    """What is missing, as was said last."""
    judged_with: dict[str, int] = field(default_factory=dict)
    """Findings of each subtask, its children's included, when these two were asked."""
    stand_ins: Counter[str] = field(default_factory=Counter)
    """Asks, by name, that the extractive reasoner has answered in place of a model."""
    missed: bool = False
    """Whether anything was answered in place of, or without, a provider that could not be reached."""
    invented: int = 0
    """Ids in a model's answers that it had not been given; they were dropped."""

    def fail(self, name: str, error: Exception, *, stands_alone: bool = True) -> None:
        """Take down that a source has failed; of several failures one stands, however they overtake each other.

        What another one may answer in place of one that does not stand alone is not missed yet.
        """
        self.missed |= stands_alone and isinstance(error, LOST)
        self.failures[name] = min(str(error), self.failures.get(name, str(error)))

    def document(self, id: str, sha256: str) -> Document:
        """A document as a subtask has met it."""
        pages = self.pages_of(id)
        return pages[sha256].document if sha256 in pages else self.documents[sha256]

    def pages_of(self, id: str) -> dict[str, ArchivedPage]:
        """The web pages that a subtask has met, by `sha256`."""
        return {sha256: page for trail in self.trails.values() for sha256, page in trail.pages.get(id, {}).items()}

    def links_of(self, id: str) -> dict[str, PageLink]:
        """Where the web pages that a subtask has met lead, by address."""
        return {url: link for trail in self.trails.values() for url, link in trail.links.get(id, {}).items()}

    def take_over(self, id: str) -> None:
        """Give a subtask what was read for the question as a whole."""
        for trail in self.trails.values():
            trail.pages[id] = trail.pages.get("", {}) | trail.pages.get(id, {})
        self.read.setdefault(id, set()).update(passage.id for passage in self.preview.passages)

    @property
    def datasets(self) -> dict[str, DatasetDescription]:
        """The datasets that have told what they hold, by name."""
        return {name: trail.dataset for name, trail in self.trails.items() if trail.dataset}

    def described(self, id: str) -> tuple[SourceDescription, ...]:
        """The sources, those that reach out by what a subtask has met there."""
        held = {name: trail.holdings[id] for name, trail in self.trails.items() if id in trail.holdings}
        return tuple(held.get(source.name, source) for source in self.sources)

    def desks_of(self, id: str) -> list[Desk]:
        """The datasets that a subtask has researched, by name."""
        return [desk for (subtask, _), desk in sorted(self.desks.items(), key=lambda each: each[0]) if subtask == id]

    def close(self) -> None:
        """Let go of what research on datasets holds open."""
        for desk in self.desks.values():
            desk.met.close()

    def add(self, subtasks: Iterable[Subtask]) -> None:
        """Put subtasks on the board, as `pending`."""
        for subtask in subtasks:
            self.subtasks[subtask.subtask_id] = subtask.model_copy(update={"reason": ""})
            self.why[subtask.subtask_id] = subtask.reason
            self.status[subtask.subtask_id] = "pending"
            self.findings[subtask.subtask_id] = {}
            if subtask.parent_id is None:
                self.roots.append(subtask.subtask_id)
            else:
                self.children.setdefault(subtask.parent_id, []).append(subtask.subtask_id)

    def current(self, id: str) -> Subtask:
        """The subtask with the priority that it has by now."""
        subtask = self.subtasks[id]
        return subtask.model_copy(update={"priority": self.priorities.get(id, subtask.priority)})

    def inherit(self, id: str) -> None:
        """Take down what the subtask may build on: findings of its dependencies with their children, of its parents."""
        subtask = self.subtasks[id]
        known: dict[str, Finding] = {}
        for needed in subtask.dependencies:
            known |= self.below(needed)
        if subtask.parent_id is not None:
            known |= self.inherited[subtask.parent_id] | self.findings[subtask.parent_id]
        self.inherited[id] = known

    def known(self, id: str) -> tuple[Finding, ...]:
        """What the subtask may build on, and what it has found itself."""
        return tuple((self.inherited[id] | self.findings[id]).values())

    def below(self, id: str) -> dict[str, Finding]:
        """Findings of a subtask and of its children, by id."""
        below = (self.findings.get(each, {}) for each in (id, *self._descendants(id)))
        return {name: finding for found in below for name, finding in found.items()}

    def may_change_plan(self, id: str) -> bool:
        """Whether the plan is worth a review after the subtask: whoever has judged it, or a child, may have said no."""
        evaluation = self.evaluations.get(id)
        brings_up = None if evaluation is None else evaluation.changes_plan
        return brings_up is not False or any(
            self.evaluations[child].changes_plan for child in self._descendants(id) if child in self.evaluations
        )

    def _descendants(self, id: str) -> list[str]:
        children = self.children.get(id, ())
        return [each for child in children for each in (child, *self._descendants(child))]

    def in_order(self) -> list[str]:
        """Every subtask: the root level by priority, each one followed by its children; removed ones last."""
        roots = sorted(self.roots, key=lambda id: (self.status[id] == "removed", self.current(id).priority))
        return [each for root in roots for each in (root, *self._descendants(root))]

    def research(self, *, partial: str | None, datasets: tuple[DatasetCoverage, ...] = ()) -> ReportMaterial:
        """What the report is written from; `datasets` says how much of each was looked at."""
        assert self.plan is not None, "the plan comes first"
        outcomes = tuple(
            Outcome(
                subtask=self.current(id),
                why=self.why[id],
                status=self.status[id],
                reason=self.reasons.get(id, ""),
                evaluation=self.evaluations.get(id),
                findings=tuple(self.findings[id].values()),
                synthesis=self.syntheses.get(id),
            )
            for id in self.in_order()
        )
        cited: dict[str, Document] = {}
        for outcome in outcomes:
            for finding in outcome.findings:
                for span in finding.spans:
                    document = self.document(outcome.subtask.subtask_id, span.document)
                    cited.setdefault(span.document, document)
        # what can be counted is so in records, beside documents and pages
        texts = [source for source in self.sources if "search" in source.can]
        return ReportMaterial(
            plan=self.plan,
            outcomes=outcomes,
            documents=dict(sorted(cited.items())),
            sources=self.sources,
            preview=self.preview,
            failures=dict(sorted(self.failures.items())),
            lacks=tuple(sorted(self.lacks)),
            not_found=self.not_found,
            coverage=Coverage(
                total=sum(source.documents or len(self.trails[source.name].found) for source in texts),
                matched=sum(len(trail.found) for trail in self.trails.values()),
                fetched=sum(len(trail.read) for trail in self.trails.values()),
                scanned=len(self.scanned),
                extracted=sum(document.kind != "dataset" for document in cited.values()),
                datasets=datasets,
            ),
            estimate=self.estimate,
            partial=partial,
            stand_ins=dict(sorted(self.stand_ins.items())),
            invented=self.invented,
            perspectives=self.perspectives,
            validation=self.validation,
            gaps=self.gaps,
            researched_since=frozenset(id for id, count in self.judged_with.items() if len(self.below(id)) > count),
            origins=origins(
                page for id in self.in_order() for sha256, page in self.pages_of(id).items() if sha256 in cited
            ),
            results={
                sha256: result
                for id in self.in_order()
                for desk in self.desks_of(id)
                for sha256, result in desk.results.items()
                if sha256 in cited
            },
        )
