"""The reasoner that asks language models, within a budget, and trusts none of them.

What a model is shown fits its window, what it answers has the promised shape, and what it cites was given to it. When
it fails all the same, the extractive reasoner answers the ask, and says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, TypeVar, cast

from fathom.asks import Ask
from fathom.errors import LOST, ConfigurationError, ContextTooLong, LimitReached, ProviderError
from fathom.frozen import FrozenModel
from fathom.ports import Answered, Calls
from fathom.prompts import Prompts, Rendered
from fathom.reasoners.extractive import ExtractiveReasoner
from fathom.reasoners.language_model.exchange import exchange
from fathom.reasoners.language_model.models import Model, Models, models_from
from fathom.reasoners.language_model.schema import schema_of
from fathom.reasoners.language_model.task import Draft, Read, Stepwise, Task
from fathom.reasoners.language_model.tasks import TASKS
from fathom.reasoners.language_model.tokens import count_tokens
from fathom.settings import Settings
from fathom.text.language import name_of
from fathom.version import __version__

A = TypeVar("A", bound=FrozenModel)

ANSWER_SHARE = 0.3
"""Most of a model's window that is kept for its answer."""
SMALLER = 0.75
"""What a prompt that turned out too long is cut down to, again and again."""
TRIES_TO_FIT = 8
"""After so many cuts the window is too small for the ask."""
TRIES_AT_PROVIDER = 3
"""How often the provider may say that a prompt does not fit."""


class LanguageModelReasoner:
    """Answers every ask by a prompt; by rule what needs no model, and by extraction what no model answers."""

    name = "language_model"
    deterministic = False
    metered = True

    def __init__(self, models: Models, prompts: Prompts, *, today: Callable[[], date] = date.today) -> None:
        self.models = models
        self.prompts = prompts
        self.version = f"{__version__} {models.described} prompts {prompts.version}"
        self._today = today
        self._stand_in = ExtractiveReasoner()

    async def answer(self, ask: Ask[A], calls: Calls) -> Answered[A]:
        """The answer to `ask`.

        Raises:
            LimitReached: the run has stopped.
            ProviderError: no model answered, and neither did the extractive reasoner.
        """
        task = TASKS.get(type(ask))
        if task is None:
            return await self._stand_in.answer(ask, calls)
        if (known := task.rule(ask)) is not None:
            return Answered(known)
        if isinstance(task, Stepwise):  # what has no rule: the engine goes on without its answer
            read = await task.answer(ask, await self._put(task, ask, calls))
            return Answered(read.answer, invented=read.invented, by_model=True)
        try:
            return await self._asked(task, ask, calls)
        except ProviderError as error:
            answered = await self._stand_in.answer(ask, calls)
            return replace(answered, stood_in=" ".join(str(error).split()), is_missed=isinstance(error, LOST))

    async def _put(self, task: Stepwise[Ask[A], A], ask: Ask[A], calls: Calls) -> _Put:
        model = self.models.for_tier(ask.tier)
        window = await model.window()
        if self.models.fallback is not None:  # it has to hold the same prompts
            window = min(window, await self.models.fallback.window())
        return _Put(self, task.name, ask, calls, model.provider.model, window, model.max_output)

    async def _asked(self, task: Task[Ask[A], A], ask: Ask[A], calls: Calls) -> Answered[A]:
        model = self.models.for_tier(ask.tier)
        window = await model.window()
        most = ask.widened(task.prompt_tokens, window)
        for attempt in range(1, TRIES_AT_PROVIDER + 1):
            answer_tokens = min(task.answer_tokens, round(window * ANSWER_SHARE))
            most = min(most, window - answer_tokens)
            drafts = self._fitting(task, ask, most=most)
            try:
                reads = await self._exchanges(ask, drafts, calls, answer_tokens=answer_tokens)
                break
            except ContextTooLong:
                if attempt == TRIES_AT_PROVIDER:
                    raise
                most = round(most * SMALLER)
                if self.models.fallback is not None:  # it may hold less, and has to answer too
                    window = min(window, await self.models.fallback.window())
        return Answered(
            task.combine(ask, [read.answer for read in reads]),
            left_out=sum(draft.left_out for draft, _ in drafts),
            invented=sum(read.invented for read in reads),
            by_model=True,
        )

    def _fitting(self, task: Task[Ask[A], A], ask: Ask[A], *, most: int) -> list[tuple[Draft[A], Rendered]]:
        """The ask's prompts, none of them longer than `most` tokens, schema included.

        Raises:
            ContextTooLong: not even the least of them fits.
        """
        room = most - count_tokens(self.prompts.source(task.name)) - count_tokens(ask.query)
        for _ in range(TRIES_TO_FIT):
            drafts = [(draft, self.rendered(task.name, ask, draft)) for draft in task.drafts(ask, room=max(0, room))]
            longest = max(_length(draft, rendered) for draft, rendered in drafts)
            if longest <= most:
                return drafts
            room = min(round(room * SMALLER), room - (longest - most))
        raise ContextTooLong(
            f"{ask.kind()} takes {longest} tokens, and the model's window leaves it {most}: "
            "use a model with a larger window."
        )

    def rendered(self, name: str, ask: Ask[Any], draft: Draft[Any]) -> Rendered:
        """A prompt of an ask; `name` is that of the prompt, unless the draft names another one."""
        common = {
            "today": self._today().isoformat(),
            "language": name_of(ask.language),
            "query": ask.query,
            "wishes": ask.wishes,
        }
        return self.prompts.render(draft.prompt or name, {**common, **draft.variables})

    async def _exchanges(
        self,
        ask: Ask[A],
        drafts: Sequence[tuple[Draft[A], Rendered]],
        calls: Calls,
        *,
        answer_tokens: int,
    ) -> list[Read[A]]:
        """Every prompt's answer, side by side; an error is raised when all of them have ended and are paid for."""
        results = await asyncio.gather(
            *(
                exchange(self.models, draft, rendered, ask=ask, calls=calls, answer_tokens=answer_tokens)
                for draft, rendered in drafts
            ),
            return_exceptions=True,
        )
        errors = [result for result in results if isinstance(result, BaseException)]
        for error in sorted(errors, key=lambda error: not isinstance(error, LimitReached)):
            raise error
        return cast(list[Read[A]], results)

    async def close(self) -> None:
        """Close the connections."""
        await self.models.close()


@dataclass(frozen=True)
class _Put:
    """See `fathom.reasoners.language_model.task.Put`."""

    reasoner: LanguageModelReasoner
    name: str
    ask: Ask[Any]
    calls: Calls
    model: str
    window: int
    max_output: int

    def tokens(self, draft: Draft[Any]) -> int:
        return _length(draft, self.reasoner.rendered(self.name, self.ask, draft))

    async def __call__(self, draft: Draft[Any], *, answer_tokens: int) -> Read[Any]:
        rendered = self.reasoner.rendered(self.name, self.ask, draft)
        if _length(draft, rendered) + answer_tokens > self.window:
            raise ContextTooLong(
                f"{self.ask.kind()} takes {_length(draft, rendered)} tokens and {answer_tokens} for its answer, and "
                f"the model's window has {self.window}: use a model with a larger window."
            )
        models, ask, calls = self.reasoner.models, self.ask, self.calls
        return await exchange(models, draft, rendered, ask=ask, calls=calls, answer_tokens=answer_tokens)


def _length(draft: Draft[Any], rendered: Rendered) -> int:
    """Tokens of a prompt with its schema."""
    return count_tokens(rendered.system) + count_tokens(rendered.user) + count_tokens(schema_of(draft.schema).text)


def from_settings(settings: Settings) -> LanguageModelReasoner:
    """The reasoner with the models and prompts of the settings.

    Raises:
        ConfigurationError: no model is named, or one cannot be used.
    """
    if not (settings.model or settings.model_fast or settings.model_strong):
        raise ConfigurationError(
            "Fathom needs a model that researches and writes: set `model` to provider:model, such as ollama:llama3.1."
        )
    return LanguageModelReasoner(models_from(settings), Prompts(settings.prompts))


__all__ = ["LanguageModelReasoner", "Model", "from_settings"]
