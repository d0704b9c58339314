"""The models of a run: which one answers which tier, where they are, and whether they can be reached."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import SecretStr

from fathom.errors import ConfigurationError, ProviderError, TimedOut
from fathom.limits import ReasoningEffort, Tier
from fathom.reasoners.language_model.completion import Message
from fathom.reasoners.language_model.failures import MethodRefused
from fathom.reasoners.language_model.model import Model
from fathom.reasoners.language_model.pace import ModelPace
from fathom.reasoners.language_model.policy import Backoff
from fathom.reasoners.language_model.prices import price_of
from fathom.reasoners.language_model.providers import Provider, ServerAddress, ServerInfo, known_providers
from fathom.reasoners.language_model.schema import schema_of
from fathom.reasoners.language_model.task import Wire
from fathom.registry import did_you_mean
from fathom.services.addresses import checked_key
from fathom.settings import Settings
from fathom.text.harmless import inert


class ModelCheck(NamedTuple):
    """What a look at a model has shown."""

    model: str
    """`provider:model`."""
    status: Literal["ok", "warning", "error"]
    """Whether it can be asked."""
    found: str
    """What was found, in a line."""
    cure: str = ""
    """What to do; empty when all is well."""


class Models:
    """The models of a run."""

    def __init__(
        self,
        tiers: Mapping[Tier, Model],
        *,
        fallback: Model | None = None,
        backoff: Backoff | None = None,
        efforts: Mapping[Tier, ReasoningEffort | None] | None = None,
    ) -> None:
        self.tiers: Mapping[Tier, Model] = dict(tiers)
        """Which model answers the asks of each tier."""
        self.fallback = fallback
        """The model to ask when another one gives no usable answer."""
        self.backoff = backoff or Backoff()
        """How long to wait before a request is sent again."""
        self.efforts: Mapping[Tier, ReasoningEffort | None] = efforts or {}
        """How long the model of a tier may think; nothing where that is left to it."""

    def for_tier(self, tier: Tier) -> Model:
        """The model that answers asks of `tier`."""
        return self.tiers[tier]

    @property
    def all(self) -> Sequence[Model]:
        """Each model once, the strongest first, the fallback last."""
        named = [*(self.tiers[tier] for tier in ("strong", "balanced", "fast", "check")), self.fallback]
        return list({model.name: model for model in named if model is not None}.values())

    @property
    def described(self) -> str:
        """The models in a line, for telling runs apart; never a secret."""
        tiers = [f"{tier}={model.name}" for tier, model in self.tiers.items()]
        names = {model.name for model in self.tiers.values()}
        told = names.pop() if len(names) == 1 else " ".join(tiers)
        return f"{told} fallback={self.fallback.name}" if self.fallback else told

    async def check(self) -> list[ModelCheck]:
        """Whether each model can be asked, in order of `all`; spends no token, and takes some seconds at most."""
        return list(await asyncio.gather(*(_checked(model) for model in self.all)))

    async def probe(self) -> list[ModelCheck]:
        """Whether each model gives structured answers, and how; one tiny call each, and one more for each form that
        it refuses."""
        return list(await asyncio.gather(*(_probed(model) for model in self.all)))

    async def close(self) -> None:
        """Close all connections."""
        await asyncio.gather(*(model.close() for model in self.all))


def models_from(settings: Settings, *, backoff: Backoff | None = None) -> Models:
    """The models that the settings name. Asks no server.

    Raises:
        ConfigurationError: no model is named, or one cannot be used: an unknown provider, a missing key, a model in
            the cloud where nothing may leave this machine.
    """
    named = [settings.model, settings.model_fast, settings.model_strong, settings.model_check, settings.fallback_model]
    if not any(named[:3]):
        raise ConfigurationError("No model is named: set `model` to provider:model, such as ollama:llama3.1.")
    parts = {name: _parsed(name) for name in named if name}
    providers = {provider.name: provider for provider, _ in parts.values()}
    pace = ModelPace()
    made = {
        name: Model(
            provider(bare, _place(provider, providers, settings)),
            pace=pace,
            price=price_of(provider.name, bare, own=settings.prices),
            window=settings.model_window,
            timeout=settings.model_timeout,
            stall=settings.model_stall,
            at_once=settings.model_concurrency,
        )
        for name, (provider, bare) in parts.items()
    }
    for model in made.values():
        if settings.no_web and not model.is_local:
            raise ConfigurationError(
                f"The model '{model.name}' is at {model.host}, and nothing may leave this machine: "
                "name a model that runs here, such as ollama:llama3.1, or leave out `no_web`."
            )

    def first(*names: str | None, local: bool = False) -> Model:
        models = [made[name] for name in names if name]
        here = [model for model in models if model.is_local] if local else models
        if not here:
            told = ", ".join(model.name for model in models)
            raise ConfigurationError(f"prefer_local is set, and no model is on this machine: {told}.")
        return here[0]

    whole, fast, strong = settings.model, settings.model_fast, settings.model_strong
    local = settings.prefer_local
    usual = (whole, fast, strong) if local else (whole, strong, fast)
    tiers: dict[Tier, Model] = {
        "fast": first(fast, whole, strong, local=local),
        "balanced": first(*usual, local=local),
        "strong": first(strong, whole, fast),
        "check": first(settings.model_check, *usual, local=local),
    }
    fallback = made[settings.fallback_model] if settings.fallback_model else None
    effort = settings.model_effort
    efforts: dict[Tier, ReasoningEffort | None] = {
        "fast": settings.model_fast_effort or effort,
        "balanced": effort,
        "strong": settings.model_strong_effort or effort,
        "check": settings.model_check_effort or effort,
    }
    return Models(tiers, fallback=fallback, backoff=backoff, efforts=efforts)


def _parsed(name: str) -> tuple[type[Provider], str]:
    provider, colon, bare = name.strip().partition(":")
    if not colon or not bare.strip():
        shown = inert(name, width=100)
        raise ConfigurationError(
            f"'{shown}' names no model: write it as provider:model, such as "
            f"{'ollama:llama3.1' if colon else f'ollama:{shown}'}."
        )
    return known_providers.get(provider.strip().replace("-", "_").lower()), bare.strip()


def _place(provider: type[Provider], providers: Mapping[str, type[Provider]], settings: Settings) -> ServerAddress:
    """Where the models of `provider` are asked, and with which key.

    The key in a provider's own variable goes to the provider alone, never to the address in `base_url`.
    """
    own = settings.model_api_key
    if settings.base_url and (provider.own_server or not any(each.own_server for each in providers.values())):
        address = provider.address(settings.base_url, setting="base_url")
        return ServerAddress(address, checked_key(own, setting="model_api_key"), public=address == provider.public)
    setting, value = _first_of(provider.address_variables)
    address = provider.address(value, setting=setting) if value else provider.public
    hosted = [each for each in providers.values() if each.needs_key]
    if own and not settings.base_url and (provider.needs_key or not hosted):
        if len(hosted) > 1:
            names = " and ".join(each.key_variables[0] for each in hosted)
            raise ConfigurationError(f"model_api_key is one key, and there are several providers: set {names}.")
        return ServerAddress(address, checked_key(own, setting="model_api_key"), public=address == provider.public)
    variable, key = _first_of(provider.key_variables)
    if provider.needs_key and not key and address == provider.public:
        raise ConfigurationError(
            f"The provider '{provider.name}' needs a key: set {provider.key_variables[0]}, or model_api_key."
        )
    return ServerAddress(
        address,
        checked_key(SecretStr(key), setting=variable),
        key_setting=variable or provider.key_variables[0],
        public=address == provider.public,
    )


def _first_of(variables: Sequence[str]) -> tuple[str, str]:
    """The first environment variable that is set, with its value; two empty strings when none is."""
    return next(((name, value) for name in variables if (value := os.environ.get(name, "").strip())), ("", ""))


async def _checked(model: Model) -> ModelCheck:
    try:
        found = await model.look()
    except ProviderError as error:
        is_slow = isinstance(error, TimedOut)  # which says nothing of the model itself
        return ModelCheck(model.name, "warning" if is_slow else "error", str(error), _cure(str(error)))
    bare = model.provider.model
    names = found.names
    window = await model.window()
    if names is None or bare in names:
        return ModelCheck(model.name, "ok", f"at {model.host}, {window:,} tokens")
    return _not_listed(model, bare, names, found)


def _not_listed(model: Model, bare: str, names: Sequence[str], found: ServerInfo) -> ModelCheck:
    shown = ", ".join(inert(name, width=60) for name in names[:5]) + (", …" if len(names) > 5 else "")
    told = f"{model.host} has no model '{bare}'.{did_you_mean(bare, list(names))} It has: {shown or 'none'}."
    if found.any_name:
        return ModelCheck(model.name, "warning", told, "It answers under any name.")
    return ModelCheck(model.name, "error", told, _cure(f"{model.provider.missing}."))


def _cure(message: str) -> str:
    """What an error says is to be done: what stands behind its last colon, and before what the provider said."""
    cure = re.split(r" \(\d{3}: ", message)[0].rpartition(": ")[2].rstrip(".") + "."
    return cure[:1].upper() + cure[1:]  # the names of variables keep their capitals


class _Sum(Wire):
    total: int
    """Two and three."""


_QUESTION = (Message("system", "Answer in JSON."), Message("user", "How much are two and three?"))
_ENOUGH = 200


async def _probed(model: Model) -> ModelCheck:
    schema = schema_of(_Sum)
    refused: list[str] = []
    for method in model.provider.methods:
        try:
            completion = await model.complete(_QUESTION, schema=schema, method=method, max_tokens=model.room(_ENOUGH))
            _Sum.model_validate_json(completion.text.strip())
        except (MethodRefused, ValueError):
            refused.append(method)
        except (ProviderError, ConfigurationError) as error:
            return ModelCheck(model.name, "error", str(error), _cure(str(error)))
        else:
            told = f"structured answers by {method}" + (f", not by {', '.join(refused)}" if refused else "")
            return ModelCheck(model.name, "ok", told)
    return ModelCheck(model.name, "warning", "no structured answers", "Name a larger model.")


__all__ = ["Message", "Model", "ModelCheck", "Models", "models_from"]
