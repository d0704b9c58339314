"""Every limit of a run: one field each. Flags, environment variables and the docs' table come from here."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from fathom.frozen import FrozenModel, later

Effort = Literal["quick", "standard", "deep"]
ReasoningEffort = Literal["none", "low", "medium", "high"]
"""How long a model may think before it answers."""
Tier = Literal["fast", "balanced", "strong", "check"]
Order = Literal["breadth_first", "depth_first", "hybrid"]
Approvable = Literal["plan", "drilldown", "revision"]
"""What a run may be told to wait with for its person."""


APPROVAL_SECONDS = 3_600.0
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


def seconds(value: object) -> object:
    """A duration such as `90`, `90s`, `1.5m` or `1h` as seconds; anything but a string is left as it is.

    >>> seconds("2m"), seconds("90"), seconds(3.5)
    (120.0, 90.0, 3.5)

    Raises:
        ValueError: the string is no duration.
    """
    if not isinstance(value, str):
        return value
    if not (match := re.fullmatch(r"(\d{1,9}(?:\.\d+)?)\s*([smh]?)", value.strip(), re.IGNORECASE)):
        raise ValueError("a duration is written like 90, 90s, 2m or 1h")
    return float(match[1]) * _UNITS[match[2].lower()]


_THOUSANDS = {"": 1, "k": 1_000, "m": 1_000_000}


def tokens(value: object) -> object:
    """A number such as `200000`, `200k` or `1.5M` as an integer; anything but a string is left as it is.

    >>> tokens("200k"), tokens("1.5M"), tokens(7)
    (200000, 1500000, 7)

    Raises:
        ValueError: the string is no number of tokens.
    """
    if not isinstance(value, str):
        return value
    if not (match := re.fullmatch(r"(\d{1,9}(?:\.\d+)?)\s*([km]?)", value.strip(), re.IGNORECASE)):
        raise ValueError("a number of tokens is written like 200000, 200k or 1.5M")
    return round(float(match[1]) * _THOUSANDS[match[2].lower()])


def names(value: object) -> object:
    """Names such as `plan,revision` as a tuple, each once; anything but a string is left as it is.

    >>> names("plan, revision,plan"), names(["plan"])
    (('plan', 'revision'), ['plan'])
    """
    return tuple(dict.fromkeys(value.replace(",", " ").split())) if isinstance(value, str) else value


class Limits(FrozenModel):
    """What a run may take. `None` means no limit."""

    max_questions: int = Field(default=6, ge=1, le=10)
    """Subtasks that the first plan of a complex question may have."""

    max_subtasks: int = Field(default=20, ge=1, le=200)
    """Subtasks of the whole run, drill-downs and revisions included."""

    max_depth: int = Field(default=3, ge=1, le=5)
    """Levels of the plan, the root's included. 1 answers the plan as it stands."""

    max_children: int = Field(default=3, ge=1, le=10)
    """Subtasks that one drill-down may open."""

    drill_down_importance: float = Field(default=0.7, ge=0, le=1)
    """Importance from which a superficial subtask is drilled into."""

    max_refinements: int = Field(default=2, ge=0, le=10)
    """Further rounds of queries that one subtask may take."""

    max_reflections: int = Field(default=1, ge=0, le=5)
    """Times that the run as a whole looks for weak answers and researches them again."""

    max_revisions: int = Field(default=3, ge=0, le=10)
    """Times that the plan may change while it runs."""

    max_queries: int = Field(default=4, ge=1, le=5)
    """Queries to one source in one round of a subtask."""

    max_results: int = Field(default=5, ge=1, le=50)
    """Hits that one web search may return."""

    max_pages: int = Field(default=10, ge=1, le=50)
    """Web pages that one round of a subtask may read: the best of all its searches."""

    max_passages: int = Field(default=30, ge=1, le=500)
    """Passages that one query may return."""

    max_records: int | None = Field(default=None, ge=1)
    """Records of a dataset that one subtask may read for findings. Counts are made of all of them in any case. With a
    model it is 300 unless you say otherwise."""

    max_turns: int = Field(default=10, ge=1, le=10)
    """Turns that research on one dataset may take in a subtask: in each, sub-agents and tools run side by side."""

    max_perspectives: int = Field(default=0, ge=0, le=7)
    """Kinds of experts through whose eyes a question is looked at before it is planned; 0 leaves that out."""

    max_validations: int = Field(default=0, ge=0, le=5)
    """Reflections in which the findings are validated and gaps are looked for; 0 leaves that out. Research on a
    dataset does both by itself."""

    max_findings: int = Field(default=50, ge=1, le=500)
    """Findings that one batch of passages may yield."""

    max_calls: int | None = Field(default=None, ge=1)
    """Calls to reasoner, models, sources and the web together. The report is still written when it binds: with a model
    a part is kept back for writing, and what is then left is written without one."""

    max_tokens: Annotated[int | None, BeforeValidator(tokens)] = Field(default=None, ge=1)
    """Tokens sent to and received from models. May be written `200000`, `200k` or `1.5M`. A part is kept back for
    writing. What research has no tokens left for is done without a model; so is the report when all is spent."""

    max_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """US dollars for models and for searches of the web. A part is kept back for writing, as of tokens. What research
    has no dollars left for is done without a model, and without searches that cost."""

    max_time: Annotated[float | None, BeforeValidator(seconds)] = Field(default=None, gt=0, allow_inf_nan=False)
    """Seconds until research stops and the report is written, from the question on: reading documents in may take half
    of them. No call gets more than is left. May be written `90`, `90s`, `2m` or `1h`."""

    max_concurrency: int = Field(default=16, ge=1, le=256)
    """Calls under way at once."""

    max_checks: int = Field(default=1_000, ge=0, le=10_000)
    """Sentences of the report, other than quotations, that a model is asked about; 0 asks it about none."""

    max_words: int = Field(default=950, ge=100, le=20_000)
    """Words of the report, headings and list of sources included."""

    max_query_length: int = Field(default=8_000, ge=1, le=100_000)
    """Characters of the question."""

    order: Order = "breadth_first"
    """Which of several ready subtasks starts first when a limit binds."""

    approve: Annotated[tuple[Approvable, ...], BeforeValidator(names)] = later(())
    """What the run waits with until you have approved it: `plan`, `drilldown`, `revision`, or several of them with
    commas between. Everything else goes on meanwhile, and waiting takes nothing from `max_time`."""

    clarify: bool = later(False)
    """Ask you before it plans what the question means, at most three things, and only where the answer would change the
    plan. What you leave open is researched as it stands."""

    approval_time: Annotated[float | None, BeforeValidator(seconds)] = Field(
        default=APPROVAL_SECONDS, gt=0, allow_inf_nan=False, exclude_if=lambda value: value == APPROVAL_SECONDS
    )
    """Seconds that it waits for an approval, or an answer, before it goes on as proposed. May be written `90`, `90s`,
    `2m` or `1h`."""

    @field_validator("*", mode="before")
    @classmethod
    def _is_no_truth_value(cls, value: object, info: ValidationInfo) -> object:
        is_one = cls.model_fields[info.field_name or ""].annotation is bool
        if isinstance(value, bool) and not is_one:  # JSON's `true` is not 1 to whoever wrote it
            raise ValueError("true and false are no limits")
        return value

    @property
    def has_usual_length(self) -> bool:
        """Whether nobody has set how long a report may be: it has the length of an effort."""
        return self.max_words in {Limits.for_effort(effort).max_words for effort in _EFFORTS}

    @classmethod
    def for_effort(cls, effort: Effort, **changes: Any) -> Limits:
        """The limits of an effort, with `changes` on top."""
        return cls(**{**_EFFORTS[effort], **changes})


STATIC = {"max_depth": 1, "max_revisions": 0}
"""The limits of a run that keeps to its first plan."""
_EFFORTS: dict[Effort, dict[str, Any]] = {
    "quick": {"max_questions": 3, "max_depth": 1, "max_refinements": 0, "max_reflections": 0, "max_words": 500},
    "standard": {},
    "deep": {
        "max_questions": 10,
        "max_refinements": 2,
        "max_reflections": 2,
        "max_passages": 50,
        "max_words": 2_000,
        "max_perspectives": 3,
        "max_validations": 1,
    },
}
