"""The language models of a run: what its record pins of them, whether they can be asked, and what they are sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from urllib.parse import urlsplit

from fathom.errors import ConfigurationError
from fathom.registry import did_you_mean
from fathom.settings import Settings

if TYPE_CHECKING:
    from fathom.ports import Reasoner, RunRecord

PINNED = (
    "model",
    "model_fast",
    "model_strong",
    "prefer_local",
    "fallback_model",
    "base_url",
    "model_window",
    "cache",
    "prompts",
    "no_web",
)
"""The settings that a run's record keeps when a model answers. None of them holds a secret."""


class ModelCheck(Protocol):
    """How one model stands."""

    name: str
    """The model, as `provider:model`."""
    status: str
    """`ok`, `warning`, or `error` when it cannot be asked."""
    found: str
    """What there is, in a sentence."""
    cure: str
    """What to do about it; empty when nothing."""


@runtime_checkable
class _Checked(Protocol):
    async def check(self) -> Sequence[ModelCheck]: ...


async def can_answer(reasoner: Reasoner) -> None:
    """See that the models of a reasoner can be asked, without asking them anything; one without models can.

    Raises:
        ConfigurationError: one of them cannot: its key, its name or its server is wrong.
    """
    if not isinstance(reasoner, _Checked):
        return
    for check in await reasoner.check():
        if check.status == "error":
            raise ConfigurationError(f"{check.found} {check.cure}".strip())


def reasoner_name(settings: Settings) -> str:
    """The reasoner in force: `language_model` when a model is named and nothing else is said.

    Raises:
        ConfigurationError: a language model is to answer, and none is named.
    """
    named = settings.model or settings.model_fast or settings.model_strong
    name = settings.reasoner or ("language_model" if named else "extractive")
    if name == "language_model" and not named:
        raise ConfigurationError(
            "The reasoner 'language_model' needs a model: set `model`, as in `--model ollama:llama3.1`."
        )
    return name


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
    """What a record keeps of the models that answer, as JSON; empty when none does."""
    if not reasoner.metered:
        return {}
    values = settings.model_dump(include=set(PINNED))
    if settings.prompts:
        values["prompts"] = str(settings.prompts.resolve())
    return {**values, "reasoner": reasoner.name}


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
    if not run.models and not {"model", "model_fast", "model_strong"}.isdisjoint(changes or {}):
        fields["reasoner"] = "language_model"
    return settings.model_copy(update=fields)
