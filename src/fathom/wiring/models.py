"""The language models of a run: what its record pins of them, whether they can be asked, and what they are sent."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable
from urllib.parse import urlsplit

from fathom.errors import ConfigurationError, MissingAnswer
from fathom.frozen import FrozenModel
from fathom.registry import did_you_mean
from fathom.settings import Settings

if TYPE_CHECKING:
    from fathom.asks import Ask
    from fathom.ports import Answered, Calls, Embedder, Reasoner, RunRecord
    from fathom.reasoners.language_model.models import ModelCheck, Models

A = TypeVar("A", bound=FrozenModel)

PINNED = (
    "model",
    "model_fast",
    "model_strong",
    "model_check",
    "model_effort",
    "model_fast_effort",
    "model_strong_effort",
    "model_check_effort",
    "prefer_local",
    "fallback_model",
    "ranker",
    "base_url",
    "model_window",
    "cache",
    "prompts",
    "no_web",
)
"""The settings that a run's record keeps when a model answers. None of them holds a secret."""


@runtime_checkable
class AsksModels(Protocol):
    """A reasoner that answers with the help of models."""

    models: Models


@runtime_checkable
class Ranks(Protocol):
    """A reasoner that compares passages with the question in meaning, if it is given an embedder."""

    version: str
    embedder: Embedder | None
    second: Embedder | None


class Recorded:
    """In place of the reasoner of a run that has ended: its answers are in the journal, and nobody is asked again."""

    deterministic = True

    def __init__(self, run: RunRecord) -> None:
        self.name, _, self.version = run.reasoner.partition(" ")
        self.metered = bool(run.models)

    async def answer(self, ask: Ask[A], calls: Calls) -> Answered[A]:  # noqa: ARG002 - it answers nothing
        """Never the answer.

        Raises:
            MissingAnswer: the journal should have held it.
        """
        raise MissingAnswer(f"The journal holds no answer to {ask.kind()}: resume the run instead of replaying it.")

    async def close(self) -> None:
        """Nothing is held open."""


async def can_answer(reasoner: Reasoner, *, seconds: float | None = None) -> None:
    """See that the models of a reasoner can be asked, without asking them anything; an embedder is given a word.

    Of one that has not said in `seconds` nothing is known: the run finds out.

    Raises:
        ConfigurationError: one of them cannot: its key, its name or its server is wrong.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            if isinstance(reasoner, Ranks) and reasoner.embedder:
                await reasoner.embedder.embed(["fathom"])
            for check in await reasoner.models.check() if isinstance(reasoner, AsksModels) else ():
                if check.status == "error":
                    raise ConfigurationError(told(check))


def told(check: ModelCheck) -> str:
    """What was found and what to do, in a line; nothing is said twice."""
    cure = check.cure if check.cure.rstrip(".").casefold() not in check.found.casefold() else ""
    return f"{check.found} {cure}".strip()


def reasoner_name(settings: Settings) -> str:
    """The reasoner in force: `language_model` when a model is named and nothing else is said."""
    named = model_name(settings) or settings.model_check  # which needs one that writes
    return settings.reasoner or ("language_model" if named else "extractive")


def model_name(settings: Settings) -> str | None:
    """The language model that is named, the stronger one of two; `None` when none is."""
    return settings.model or settings.model_strong or settings.model_fast


def offered_models(settings: Settings) -> tuple[str, ...]:
    """Those that a session may ask for: the one in force first, and none when there is none."""
    first = model_name(settings)
    return tuple(dict.fromkeys([first, *settings.serve_models])) if first else ()


def refuse_secrets(settings: Settings) -> None:
    """See that nothing that a run's record keeps holds a key.

    Raises:
        ConfigurationError: an address does.
    """
    if not settings.base_url:
        return
    try:
        parts = urlsplit(settings.base_url)
        secret = parts.username is not None or parts.password is not None or parts.query or parts.fragment
    except ValueError as error:
        raise ConfigurationError(
            f"`base_url` is no address: {error}. Write it like http://localhost:8080/v1."
        ) from error
    if secret:
        raise ConfigurationError(
            "`base_url` may hold no user, password or query, for runs keep it: give the key by FATHOM_MODEL_API_KEY."
        )


def pinned_models(settings: Settings, reasoner: Reasoner) -> dict[str, Any]:
    """What a record keeps of the models that answer, as JSON; empty when none does.

    Besides the settings: the prices and the windows by tier that hold now, which the estimate is made with.
    """
    if not reasoner.metered:
        return {}
    values = settings.model_dump(include=set(PINNED))
    if settings.prompts:
        values["prompts"] = str(settings.prompts.resolve())
    pinned = {**values, "reasoner": reasoner.name}
    if isinstance(reasoner, AsksModels):
        models = reasoner.models.tiers
        pinned["prices"] = {tier: each.price and each.price.model_dump() for tier, each in models.items()}
        pinned["windows"] = {tier: each.known_window for tier, each in models.items()}
    return pinned


def settings_of(run: RunRecord, settings: Settings, changes: Mapping[str, Any] | None = None) -> Settings:
    """The settings that a run goes on with: those that its record pins, with `changes` in place of some.

    Raises:
        ConfigurationError: a change names nothing that a run pins.
    """
    for name in changes or {}:
        if name not in PINNED:
            raise ConfigurationError(f"A run pins no '{name}'.{did_you_mean(name, list(PINNED))}")
    kept = {name: run.models[name] for name in PINNED if name in run.models}
    if kept.get("prompts"):
        kept["prompts"] = Path(kept["prompts"])
    fields = {"kb": run.sources["kb"], "reasoner": run.reasoner.split()[0], **kept, **(changes or {})}
    fields["no_web"] = fields.get("no_web", False) or settings.no_web  # who forbids it now means what is sent now
    if not run.models and not {"model", "model_fast", "model_strong", "model_check"}.isdisjoint(changes or {}):
        fields["reasoner"] = "language_model"
    return settings.model_copy(update=fields)
