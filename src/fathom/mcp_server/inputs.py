"""What the tools may be asked for: each class is the schema of a tool's arguments, and its docstrings are what models
read."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, FailFast, Field

from fathom.frozen import FrozenModel
from fathom.limits import Approvable, Effort, Limits, names, seconds, tokens
from fathom.ports import RunStatus
from fathom.settings import KB_NAME
from fathom.steering import Answer, Command

WAIT = 30
"""Seconds that a call waits for a session unless it says otherwise: many clients give a call up after a minute."""
LONGEST_WAIT = 600

Format = Literal["summary", "report", "bullets", "json"]


def _listed(value: Any) -> Any:
    """A list that a client has sent as a string: as JSON, or as its only member."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value) if value.lstrip().startswith("[") else [value]
    except ValueError:
        return [value]
    return parsed if isinstance(parsed, list) else [value]


Names = Annotated[tuple[str, ...], FailFast(), BeforeValidator(_listed)]


class _Bounds(FrozenModel):
    """Limits that a caller may set, each as in `Limits`."""

    max_time: Annotated[float | None, BeforeValidator(seconds)] = Field(default=None, gt=0, allow_inf_nan=False)
    """Seconds until research stops and the report is written from what was found. Default: no limit."""
    max_calls: int | None = Field(default=None, ge=1)
    """Calls to models, sources and the web together. Default: no limit."""
    max_tokens: Annotated[int | None, BeforeValidator(tokens)] = Field(default=None, ge=1)
    """Tokens sent to and received from language models. Default: no limit."""
    max_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """US dollars for models and paid searches. Default: no limit."""

    @property
    def limits(self) -> dict[str, Any]:
        """Those that were given, by name."""
        own = (name for name in type(self).model_fields if name in Limits.model_fields)
        return {name: value for name in own if (value := getattr(self, name)) is not None}


class Question(_Bounds):
    """A question, and what is asked for the answer."""

    question: str = Field(min_length=1, max_length=100_000)
    """The question, complete in itself and in any language; the report is in its language."""
    effort: Effort | None = None
    """How far to go: `quick`, `standard` or `deep`. Default: as Fathom is set up, usually `standard`."""
    knowledge_base: str | None = Field(default=None, pattern=KB_NAME)
    """Name of the knowledge base to read (see `list_sources`). Default: the one that Fathom is set up with."""
    documents: Names = Field(default=(), max_length=1_000)
    """Ids of documents of that knowledge base to keep to (see `list_sources`). Default: all of them."""
    web: bool | None = None
    """Whether to search and read the web too. Default: as Fathom is set up, usually not."""
    datasets: Names = Field(default=(), max_length=20)
    """Names of datasets to ask (see `list_sources`). Default: none."""
    template: str | None = Field(default=None, max_length=20_000)
    """Outline of the report in Markdown: each `## heading` is a section, and what stands under it says what belongs
    there. Default: the question gives it."""


class _Waits(FrozenModel):
    wait_seconds: float = Field(default=WAIT, ge=0, le=LONGEST_WAIT, allow_inf_nan=False)
    """Seconds to wait for the session to end, 0 to return at once. When they are over the session goes on."""


class _Approves(FrozenModel):
    approve: Annotated[tuple[Approvable, ...] | None, BeforeValidator(names)] = Field(default=None, max_length=10)
    """What the session waits with until it is approved (see `approvals`): `plan`, `drilldown`, `revision`. Default:
    nothing."""
    clarify: bool | None = None
    """Whether to wait, before it is planned, with what the question leaves open where the answer would change the plan
    (see `approvals`). Default: no."""


class Research(Question, _Approves, _Waits):
    """The arguments of `research`."""

    format: Format = "report"
    """What to return of the report when it is done in time (see `report`)."""


class Ask(_Bounds, _Waits):
    """The arguments of `ask`."""

    session_id: str = Field(min_length=1, max_length=200)
    """Id of the session that the question follows; it must have a report."""
    question: str = Field(default="", max_length=100_000)
    """The question; it may lean on what was asked before: "and which of them is cheaper?"."""
    about: str = Field(default="", max_length=20)
    """Id of a claim of that report to research further, such as `C7`; the question may then be left out."""
    format: Format = "report"
    """What to return of the report when it is done in time (see `report`)."""


class OneSession(FrozenModel):
    """Names a session."""

    session_id: str = Field(min_length=1, max_length=200)
    """Id of the session, as `research` or `list_sessions` gives it."""


class AnswerApproval(OneSession, Answer):
    """The arguments of `answer`."""

    approval_id: str | None = Field(default=None, max_length=100)
    """Which approval, as `approvals` names it. Default: the only one that the session waits for."""


class Steer(OneSession):
    """The arguments of `steer`."""

    command: Command
    """`skip` leaves a sub-question out, `deeper` looks into it further, `write` ends the research and has the report
    written from what was found."""
    subtask_id: str | None = Field(default=None, max_length=100)
    """Which sub-question, such as `task_2`; none for `write`."""


class Follow(OneSession, _Waits):
    """The arguments of `follow`."""

    after: int = Field(default=0, ge=0)
    """Tell only what happened behind the event of this number: `last_event` of the call before."""


class GetReport(OneSession):
    """The arguments of `report`."""

    format: Format = "report"
    """`summary`: the answer in brief; `report`: the whole report; `bullets`: the key findings as points; these are
    Markdown. `json`: the report as data."""
    claims_from: int = Field(default=1, ge=1)
    """Number of the first claim to list, where an earlier call has left some out."""
    text_from: int = Field(default=0, ge=0)
    """Offset in the text to begin at, in characters, where an earlier call has cut it."""


class GetSource(OneSession):
    """The arguments of `source`."""

    source_id: str = Field(pattern=r"^[SsEe][0-9]{1,9}$")
    """A source of the report, such as `S1`; or a piece of evidence, such as `E3`, to be shown in its context."""
    start: int | None = Field(default=None, ge=0)
    """Offset to show the text from, in characters. Default: around the evidence, or around the first quotation."""
    length: int = Field(default=4_000, ge=200, le=60_000)
    """Characters of the text to show."""


class SearchKnowledge(FrozenModel):
    """The arguments of `search_knowledge`."""

    query: str = Field(min_length=1, max_length=4_000)
    """The words to look for; a question will do."""
    knowledge_base: str | None = Field(default=None, pattern=KB_NAME)
    """Name of the knowledge base. Default: the one that Fathom is set up with."""
    limit: int = Field(default=8, ge=1, le=50)
    """Passages to return at most."""


class Check(_Bounds):
    """The arguments of `check`."""

    text: str = Field(min_length=1, max_length=100_000)
    """The text to check, in Markdown: whoever wrote it, with citations or without."""
    knowledge_base: str | None = Field(default=None, pattern=KB_NAME)
    """Name of the knowledge base to hold it against. Default: the one that Fathom is set up with."""
    documents: Names = Field(default=(), max_length=1_000)
    """Ids of documents of that knowledge base to keep to (see `list_sources`). Default: all of them."""


class ListSources(FrozenModel):
    """The arguments of `list_sources`."""

    knowledge_base: str | None = Field(default=None, pattern=KB_NAME)
    """List the documents of this knowledge base. Default: the one that Fathom is set up with."""
    text: str = Field(default="", max_length=1_000)
    """Only documents whose title or file name holds this, in whatever case."""
    after: str | None = Field(default=None, max_length=200)
    """Only documents behind this one, where an earlier call has not listed all."""
    limit: int = Field(default=50, ge=1, le=200)
    """Documents to return at most."""


class ListSessions(FrozenModel):
    """The arguments of `list_sessions`."""

    limit: int = Field(default=20, ge=1, le=100)
    """Sessions to return at most, newest first."""
    before: str | None = Field(default=None, max_length=200)
    """Only sessions that were created before the session of this id."""
    statuses: Annotated[tuple[RunStatus, ...], FailFast(), BeforeValidator(_listed)] = ()
    """Only sessions with one of these. Default: all."""
    text: str = Field(default="", max_length=1_000)
    """Only sessions whose question holds this, in whatever case."""
    knowledge_base: str | None = Field(default=None, pattern=KB_NAME)
    """Only sessions of this knowledge base. Default: all."""


class Resume(OneSession, _Bounds, _Approves, _Waits):
    """The arguments of `resume` and `update`."""

    format: Format = "report"
    """What to return of the report when it is done in time (see `report`)."""


class Compare(OneSession):
    """The arguments of `compare`."""

    earlier_id: str | None = Field(default=None, min_length=1, max_length=200)
    """Id of the session to compare with. Default: the one that this one updates or was forked from."""
