"""What a client may ask for: a question, and how it is to be answered."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import FailFast, Field, model_validator

from fathom.frozen import FrozenModel
from fathom.limits import Effort, Limits
from fathom.plan import Mode
from fathom.settings import KB_NAME

Names = Annotated[tuple[str, ...], FailFast()]
"""The first wrong one ends the look at them: a client may send as many as a body holds, and each costs."""


class WebConfig(FrozenModel):
    """What of the web may be searched and read."""

    allow: Names = Field(default=(), max_length=1_000)
    """Hosts whose pages may be read, subdomains included; without any, all."""
    deny: Names = Field(default=(), max_length=1_000)
    """Hosts whose pages are not read, subdomains included."""
    since: date | None = None
    """Only pages from that day on, where their day is known."""
    refresh: bool = False
    """Whether searches and pages of the archive are asked for again."""


class SessionConfig(FrozenModel):
    """How a question is to be answered; what is left out is as the service is set up."""

    effort: Effort | None = None
    """How far to go: sets the limits."""
    mode: Mode = "auto"
    """One question, or a plan of several; `auto` decides by the question."""
    enable_hierarchical: bool | None = None
    """`true` stands for the mode `hierarchical`, `false` for `simple`."""
    max_iterations: int | None = Field(default=None, ge=1, le=200)
    """Another name for the limit `max_subtasks`."""
    template: str | None = Field(default=None, max_length=20_000)
    """The outline of the report, in Markdown: each heading is a section, and what stands under it says what belongs
    there."""
    limits: Limits = Limits()
    """Limits that differ from those of the effort; one that is left out is the effort's."""
    knowledge: bool = True
    """Whether documents are asked: `false` leaves them out. With datasets they are asked only when `kb` or `documents`
    names them."""
    kb: str | None = Field(default=None, pattern=KB_NAME)
    """Name of the knowledge base to ask, which the session belongs to from then on."""
    documents: Names = Field(default=(), max_length=1_000)
    """Ids of documents of the knowledge base to keep to; without any, all of them are asked."""
    web: bool | WebConfig = False
    """Whether the web is asked too, and what of it."""
    datasets: Names = Field(default=(), max_length=20)
    """Names of datasets to ask, out of those that the service offers."""
    reasoner: Literal["extractive", "language_model"] | None = None
    """`extractive` does without the model that the service is set up with."""
    model: str | None = Field(default=None, max_length=200)
    """The language model to ask, out of those that the service offers."""

    @model_validator(mode="after")
    def _means_one_thing(self) -> SessionConfig:
        if self.enable_hierarchical is not None and self.mode != "auto":
            raise ValueError("enable_hierarchical and mode say the same: give one of them")
        if self.max_iterations is not None and "max_subtasks" in self.limits.model_fields_set:
            raise ValueError("max_iterations is another name for limits.max_subtasks: give one of them")
        if not self.knowledge and self.documents:
            raise ValueError("knowledge is false, so that no documents are asked: leave documents out")
        return self

    @property
    def wanted_mode(self) -> Mode:
        """The mode, however it was given."""
        if self.enable_hierarchical is None:
            return self.mode
        return "hierarchical" if self.enable_hierarchical else "simple"

    @property
    def changed_limits(self) -> dict[str, Any]:
        """The limits that were given, by name."""
        given = self.limits.model_dump(exclude_unset=True)
        return given if self.max_iterations is None else {**given, "max_subtasks": self.max_iterations}


class CheckRequest(FrozenModel, defer_build=False):
    """A text to hold against documents."""

    text: str = Field(min_length=1, max_length=400_000)
    """The text, in Markdown; it need not cite anything."""
    kb: str | None = Field(default=None, pattern=KB_NAME)
    """Name of the knowledge base to hold it against."""
    documents: Names = Field(default=(), max_length=1_000)
    """Ids of documents of the knowledge base to keep to; without any, all of them are asked."""
    limits: Limits = Limits()
    """What a model may take: `max_calls`, `max_tokens`, `max_cost`, `max_time`, `max_checks`."""
    reasoner: Literal["extractive", "language_model"] | None = None
    """`extractive` does without the model that the service is set up with."""


class FollowUpRequest(FrozenModel, defer_build=False):
    """A question that follows a session."""

    query: str = Field(default="", max_length=100_000)
    """The question; it may lean on what was asked before. With `about` it may be left out."""
    about: str = Field(default="", max_length=20)
    """Id of a sentence of the report that is to be researched further: `C7`."""
    limits: Limits = Limits()
    """Limits that replace the session's own; one that is left out stays as it is."""


class ForkRequest(FrozenModel, defer_build=False):
    """A session again: what is to be different."""

    question: str | None = None
    """Asked in place of that of the session."""
    update: bool = False
    """Whether it is to be compared with the session, which must have a report: the web is asked anew, too."""
    limits: Limits = Limits()
    """Limits that replace the session's own; one that is left out stays as it is."""


class LabelRequest(FrozenModel, defer_build=False):
    """How a list is to show a session; what is left out stays as it is."""

    name: Annotated[str, Field(max_length=200)] | None = None
    """What it is called in place of its question; empty for the question again."""
    pinned: bool | None = None
    """Whether it stands at the top."""


class SessionRequest(FrozenModel, defer_build=False):  # FastAPI hushes a warning about a body while it makes the route
    """A question to research."""

    query: str = Field(max_length=100_000)
    """The question, in any language."""
    config: SessionConfig = SessionConfig()
    """How it is to be answered."""
