"""What it takes to put an ask to a model: what it is shown, the shape of its answer, and what that means."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from fathom.asks import Ask
from fathom.frozen import Described, FrozenModel

A = TypeVar("A", bound=FrozenModel)
K = TypeVar("K", bound=Ask[Any], contravariant=True)


class Wire(Described, BaseModel):
    """What a model writes. Short ids stand for ours; the docstring under a field is what the model reads of it.

    Lenient where leniency costs nothing: fields that nobody asked for are ignored.
    """

    model_config = ConfigDict(extra="ignore", defer_build=True)


@dataclass(frozen=True)
class Read(Generic[A]):
    """A model's answer as a model of ours."""

    answer: A
    invented: int = 0
    """Ids that the model was not given; what they stood for was dropped."""
    is_cut: bool = False
    """Whether the answer ended before its end, so that this is what of it came whole."""


@dataclass(frozen=True)
class Draft(Generic[A]):
    """One prompt, not rendered yet."""

    variables: dict[str, Any]
    """Of the ask's prompt, without `today`, `language`, `query` and `wishes`, which every prompt has."""
    schema: type[Wire]
    """The shape of the answer; its title is the name of the ask."""
    read: Callable[[Any], Read[A]]
    """From an instance of `schema` to a model of ours: ids are mapped back, what was not given is dropped and counted.

    Raises:
        ValueError: the answer makes no sense; the message tells the model what to do better.
    """
    left_out: int = 0
    """Passages or findings of the ask that found no room."""
    streamed: bool = False
    """Whether its blocks are shown while they are written."""
    prompt: str = ""
    """Name of the prompt, where it is another one than that of the task."""


class Task(ABC, Generic[K, A]):
    """How asks of one kind are put to a model."""

    name: ClassVar[str]
    """Of the prompt: `plan_research`."""
    answer_tokens: ClassVar[int]
    """Room kept for the answer, in tokens."""
    prompt_tokens: ClassVar[int]
    """How long a prompt should be at most, in tokens, in a narrow window (see `Ask.widened`)."""

    def rule(self, ask: K) -> A | None:  # noqa: ARG002 - most asks take judgement
        """The answer, when it takes no model to know it; else `None`."""
        return None

    @abstractmethod
    def drafts(self, ask: K, *, room: int) -> Sequence[Draft[A]]:
        """One prompt, or several whose answers are combined, each with at most `room` tokens of material.

        What matters most comes first, nothing is cut within a sentence, and what does not fit is counted.
        """

    def combine(self, ask: K, answers: Sequence[A]) -> A:  # noqa: ARG002 - most asks are one prompt
        """One answer of those to several prompts; the answer itself when there was one prompt."""
        return answers[0]


class Put(Protocol):
    """Puts prompts to the model of an ask, one after the other."""

    @property
    def model(self) -> str:
        """Its name, without the provider."""
        ...

    @property
    def window(self) -> int:
        """Tokens that a prompt and its answer take together, at most."""
        ...

    @property
    def max_output(self) -> int:
        """Tokens that it writes in one call, at most."""
        ...

    def tokens(self, draft: Draft[Any]) -> int:
        """What a prompt takes, the schema included."""
        ...

    async def __call__(self, draft: Draft[Any], *, answer_tokens: int) -> Read[Any]:
        """The answer.

        Raises:
            LimitReached: the run has stopped.
            ContextTooLong: the prompt has to be shorter.
            ProviderError: no usable answer.
        """
        ...


class Stepwise(ABC, Generic[K, A]):
    """How asks are put to a model that take several prompts, each made from the answers before."""

    name: ClassVar[str]
    """Of the first prompt."""

    def rule(self, ask: K) -> A | None:  # noqa: ARG002 - most asks take judgement
        """The answer, when it takes no model to know it; else `None`."""
        return None

    @abstractmethod
    async def answer(self, ask: K, put: Put) -> Read[A]:
        """The answer, from as many prompts as it takes.

        Raises:
            LimitReached, ProviderError: as for `Put`.
        """
