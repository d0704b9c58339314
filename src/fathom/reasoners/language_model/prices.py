"""What models cost, by a list that is installed and which the settings override, and how much they hold."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, TypeAdapter

from fathom.settings import Price

MILLION = 1_000_000
FREE = Price(input=0, output=0)
DEAREST = Price(input=30, output=120)
"""The upper bound for a model whose price is not known: next to none costs more."""
_SELLERS = {"anthropic": "anthropic", "google_genai": "google", "openai": "openai"}
"""How the list calls the providers that have their price."""
_OPEN = "gpt-oss"
"""A model that anybody may serve: its price is not the provider's."""
_VERSION = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|\d{3,4}|latest|preview\S*|exp\S*)$")


class Size(BaseModel):
    """How much a model holds, in tokens."""

    model_config = ConfigDict(frozen=True)

    window: int
    """Read and written in one call."""
    output: int
    """Written at most."""


@cache
def _sizes() -> dict[str, dict[str, Size]]:
    text = (files(__package__) / "sizes.toml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, dict[str, Size]]).validate_python(tomllib.loads(text))


def price_of(provider: str, model: str, *, own: Mapping[str, Price]) -> Price | None:
    """The price of a model; `None` when it is not known.

    `own` are the user's, by `provider:model`; for a model that has no price otherwise, the beginning of its name is
    enough. The others are those of `genai-prices` as it is installed, of a short call; it asks nobody.

    >>> price_of("openai", "gpt-4o-2024-11-20", own={}).input, price_of("openai", "gpt-40", own={})
    (2.5, None)
    """
    name = f"{provider}:{model}"
    if price := own.get(name) or own.get(_VERSION.sub("", name)) or _listed(provider, model):
        return price
    given = [key for key in own if name.startswith(key)]
    return own[max(given, key=len)] if given else None


@cache
def _listed(provider: str, model: str) -> Price | None:
    if provider not in _SELLERS or _OPEN in model:
        return None
    from genai_prices import Usage, calc_price  # its table takes half a second

    usage = Usage(input_tokens=1_000, output_tokens=1_000)
    try:
        found = calc_price(usage, model, provider_id=_SELLERS[provider])
    except LookupError:
        return None
    return Price(input=float(found.input_price) * 1_000, output=float(found.output_price) * 1_000)


def size_of(provider: str, model: str) -> Size | None:
    """How much a hosted model holds; `None` for a provider whose models are not in the table."""
    known = _sizes().get(provider, {})
    fitting = [beginning for beginning in known if model.startswith(beginning)]
    return known[max(fitting, key=len)] if fitting else None


def cost(price: Price, *, sent: int, received: int) -> float:
    """US dollars for so many tokens."""
    return (sent * price.input + received * price.output) / MILLION
