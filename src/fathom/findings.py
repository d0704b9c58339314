"""What was found: claims on evidence, what they amount to per subtask, and how deep they go."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from pydantic import Field

from fathom.evidence import Evidence
from fathom.frozen import FrozenModel, later

ANSWERED = 0.4
"""Confidence from which a finding answers; with less it only comes close."""
DepthQuality = Literal["superficial", "adequate", "deep"]


Form = Literal["paragraph", "item", "head", "row", "code"]
"""How a piece of a passage is set: a paragraph, an item of a list, the head of a table, another row of it, or code."""
CUT = " …"
"""Behind the last row or item of a passage when its table or list goes on."""
_NUMBER = re.compile(r"\d[\d.,]*")
_MARKS: dict[Form, str] = {"item": "- ", "head": "|= ", "row": "| ", "code": "    "}


def root_of(subtask_id: str) -> str:
    """The root subtask above a subtask: `task_1` of `task_1.2`."""
    return subtask_id.partition(".")[0]


def without_numbers(text: str) -> str:
    """What a text says besides its numbers.

    >>> without_numbers("It kept 88.5 % of 40.")
    'It kept  % of '
    """
    return _NUMBER.sub("", text)


class Piece(NamedTuple):
    """A piece of a passage that is set by itself."""

    form: Form
    text: str
    """On one line, but for code; of a row the cells with ` | ` between them."""


def passage_of(pieces: Iterable[Piece]) -> str:
    """A passage as a claim: a piece to a line, behind the mark of its form.

    >>> print(passage_of([Piece("paragraph", "Bring:"), Piece("item", "1. a tent")]))
    Bring:
    - 1. a tent
    """
    return "\n".join(_MARKS.get(form, "") + line for form, text in pieces for line in text.split("\n"))


class Fact(FrozenModel):
    """What was worked out from the cells of a dataset: they are the evidence of the finding that states it."""

    kind: str
    """What it is about: `leader`, `change`, `mean`, …"""
    figures: dict[str, str] = {}
    """What it tells, by name: `count`, `share`, `key`, …, each as the claim writes it."""

    def __hash__(self) -> int:
        return hash((self.kind, *self.figures.items()))


class Finding(FrozenModel):
    """One claim and the spans that support it.

    Never edited: a contradicting claim is a second finding, and the synthesis weighs the two. A claim without
    evidence is a `ValidationError`, so nothing uncited can reach the report.
    """

    subtask_id: str
    """The subtask that it was found for."""
    claim: str = Field(min_length=1)
    """The claim in words that stand alone, markup removed."""
    evidence: tuple[Evidence, ...] = Field(min_length=1)
    """The spans that support the claim, strongest first."""
    lead_in: Evidence | None = None
    """What a reader needs before the claim: the sentence before its list, the term that it defines."""
    confidence: float = Field(default=0.5, ge=0, le=1)
    """Probability that the claim is true given its evidence. 0.5 means undecided."""
    relevance: float = 0.0
    """How much it answers the question, higher is better; comparable within a run."""
    facets: tuple[str, ...] = ()
    """Which parts of the subtask it answers, as terms."""
    is_passage: bool = False
    """Whether the claim is a whole passage of its source (see `pieces`)."""
    own: float = 1.0
    """Of a passage, the share of the words of its part that it holds with its headings and title, by rarity."""
    fact: Fact | None = None
    """What the claim was worked out from a dataset as; `None` of everything that was read."""

    @property
    def id(self) -> str:
        """`finding_<10 hex digits>`: the same claim on the same evidence in the same subtask has the same id."""
        key = "\0".join((self.subtask_id, self.claim, *(evidence.id for evidence in self.evidence)))
        return f"finding_{hashlib.sha256(key.encode()).hexdigest()[:10]}"

    @property
    def root(self) -> str:
        """The root subtask that it was found for."""
        return root_of(self.subtask_id)

    @property
    def spans(self) -> tuple[Evidence, ...]:
        """Its evidence in the order of reading: the lead-in first."""
        return (*([self.lead_in] if self.lead_in else []), *self.evidence)

    @property
    def held(self) -> tuple[str, ...]:
        """What may be told of it without a citation: its evidence, what was worked out, and else its claim without the
        numbers, which nobody has judged yet."""
        quotes = tuple(evidence.quote for evidence in self.evidence)
        return (*quotes, self.claim if self.fact else without_numbers(self.claim))

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What the claim is made of: of a passage its paragraphs, items, rows and code, else the claim as it is."""
        if not self.is_passage:
            return (Piece("paragraph", self.claim),)
        found: list[Piece] = []
        for line in self.claim.split("\n"):
            form: Form = next((form for form, mark in _MARKS.items() if line.startswith(mark)), "paragraph")
            text = line.removeprefix(_MARKS.get(form, ""))
            if form == "code" and found and found[-1].form == "code":
                found[-1] = Piece(form, f"{found[-1].text}\n{text}")
            elif line.strip():
                found.append(Piece(form, text))
        return tuple(found)


class DepthEvaluation(FrozenModel):
    """How deep the findings of a subtask go.

    Superficial: general statements, no specifics, no evidence. Adequate: facts, some context, the key questions
    are answered. Deep: rich, several sources, nuanced.
    """

    is_sufficient: bool
    """Whether the subtask is answered as far as its importance asks."""
    depth_quality: DepthQuality
    """The verdict that routing follows."""
    drill_down_needed: bool = False
    """Whether the missing areas deserve subtasks of their own."""
    drill_down_areas: tuple[str, ...] = ()
    """Areas to explore deeper, most important first."""
    missing: tuple[str, ...] = ()
    """What the subtask asks for and no finding answers."""
    reasoning: str = ""
    """Why, in a sentence."""
    queries: tuple[str, ...] = ()
    """Queries that would bring what is missing, if the judge knows any; the next round asks them as they stand."""
    openings: tuple[str, ...] = later(())
    """What the next round reads first: ids of passages that were found and not read, addresses that pages link to."""
    changes_plan: bool | None = None
    """Whether the findings bring up what the plan as a whole must follow; `None` when that was not judged."""


StatementForm = Literal["paragraph", "lead_in", "item", "row", "code"]


class Statement(FrozenModel):
    """One or more sentences that cite the same findings."""

    text: str = Field(min_length=1)
    """The sentences, without citation marks and without markup."""
    findings: tuple[str, ...] = ()
    """Ids of the findings that they rest on. None makes the sentences `unsupported`."""
    is_assessment: bool = False
    """Whether it weighs, concludes or recommends: it follows from what it cites, and stands in none of it."""
    form: StatementForm = "paragraph"
    """How it is set: an item stands in the list under the nearest lead-in before it, a row of a table under its head, a
    lead-in, too, and code has its lines."""


class Synthesis(FrozenModel):
    """What the findings of a subtask, and the syntheses of its children, amount to."""

    subtask_id: str
    """The subtask that is answered."""
    text: str
    """The answer; empty when nothing was found."""
    findings: tuple[str, ...] = ()
    """Ids of the findings that it rests on, most important first, those of its children included."""
    confidence: float = Field(default=0.0, ge=0, le=1)
    """Probability that the answer is right and complete."""
    contradictions: tuple[tuple[str, str], ...] = ()
    """Pairs of ids of findings that contradict each other."""
    caveats: tuple[str, ...] = ()
    """What a reader must know before relying on it."""
    statements: tuple[Statement, ...] = ()
    """The answer sentence by sentence, each with what it cites; empty when only the whole is known."""


class Findings(FrozenModel):
    """What a batch of passages says about a subtask.

    A reasoner that has read them may judge them and sum them up in the same breath: that saves two asks.
    """

    findings: tuple[Finding, ...] = ()
    """Best first. Empty when the passages say nothing about it."""
    evaluation: DepthEvaluation | None = None
    """How deep these and the findings known before go; `None` when that was not judged."""
    synthesis: Synthesis | None = None
    """What these and the findings known before amount to; `None` when they were not summed up."""
    unread: tuple[str, ...] = later(())
    """Ids of the passages that found no room, best first: they are still to be read."""


# ── Judging findings ───────────────────────────────────────────────────────────────────────────────────────────────

Check = Literal["contradiction", "coverage", "evidence_strength", "relevance"]
WEAK_BELOW = 3
"""Independent sources, for a dataset records, below which a finding rests on weak evidence."""
CONFIDENT = 0.7
"""Confidence from which a question counts as answered."""


class ValidationIssue(FrozenModel):
    """Something that is wrong with the findings."""

    type: Check
    """What was looked at."""
    description: str = Field(min_length=1)
    """What is wrong, in a sentence."""
    severity: Literal["low", "medium", "high"] = "medium"
    """How much it weighs."""
    suggested_action: str = ""
    """What would mend it."""
    findings: tuple[str, ...] = ()
    """Ids of the findings that it concerns."""
    question: str = ""
    """Id of the question that it belongs to; empty for the whole."""


class Validation(FrozenModel):
    """Whether the findings hold."""

    status: Literal["PASSED", "NEEDS_REVISION", "FAILED"]
    """`NEEDS_REVISION` asks for more; `FAILED` says that more would not help."""
    issues: tuple[ValidationIssue, ...] = ()
    """The gravest first."""
    confidence_scores: dict[str, float] = {}
    """0 to 1 by id of the question."""
    overall_confidence: float = Field(default=0.0, ge=0, le=1)
    """How sure the answer as a whole is."""


class ResearchGap(FrozenModel):
    """Something that is missing."""

    description: str = Field(min_length=1)
    """What, in a sentence."""
    importance: float = Field(default=0.5, ge=0, le=1)
    """How much the answer gains by it."""
    suggested_agent: str = ""
    """The sub-agent that would bring it; empty for a search."""
    suggested_params: dict[str, str] = {}
    """What to ask that agent for, or under `query` what to search for."""
    question: str = ""
    """Id of the question that it belongs to; empty for the whole."""


class GapAnalysis(FrozenModel):
    """What is missing, and whether to go on."""

    gaps: tuple[ResearchGap, ...] = ()
    """The most important first."""
    coverage_by_question: dict[str, float] = {}
    """0 to 1 by id of the question: how far it is answered."""
    recommendation: Literal["CONTINUE_RESEARCH", "SUFFICIENT_COVERAGE", "DIMINISHING_RETURNS"]
    """Go on while a question that matters is answered less than `CONFIDENT`; not when the last batches found little."""
    reasoning: str = ""
    """Why, in a sentence."""


class Reflection(FrozenModel):
    """Which answers are still weak when all subtasks have ended."""

    needs_improvement: bool
    """Whether another round is worth its calls."""
    weak: tuple[str, ...] = ()
    """Ids of subtasks to research again, worst first."""
    suggested_searches: dict[str, tuple[str, ...]] = {}
    """Queries per weak subtask, used as they stand."""
    not_found: tuple[str, ...] = ()
    """Ids of subtasks that the sources cannot answer."""
    reasoning: str = ""
    """Why, in a sentence."""
    validation: Validation | None = None
    """Whether the findings hold; `None` when that was not judged."""
    gaps: GapAnalysis | None = None
    """What is missing; `None` when that was not looked for."""
