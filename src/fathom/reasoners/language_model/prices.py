"""What models cost and how much they hold: a table with a date (`prices.toml`), which the settings override."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from fathom.settings import Price

MILLION = 1_000_000
FREE = Price(input=0, output=0)
_VERSION = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|\d{3,4}|latest|preview\S*|exp\S*)$")


class Size(BaseModel):
    """How much a model holds, in tokens."""

    model_config = ConfigDict(frozen=True)

    window: int
    """Read and written in one call."""
    output: int
    """Written at most."""


class _Table(BaseModel):
    prices: dict[str, dict[str, Price]]
    sizes: dict[str, dict[str, Size]]


@cache
def _table() -> _Table:
    return _Table.model_validate(tomllib.loads((files(__package__) / "prices.toml").read_text(encoding="utf-8")))


def price_of(provider: str, model: str, *, own: Mapping[str, Price]) -> Price | None:
    """The price of a model; `None` when it is not known.

    `own` are the user's, by `provider:model`; for a model that no table has, the beginning of its name is enough.

    >>> price_of("openai", "gpt-4o-2024-11-20", own={}).input, price_of("openai", "gpt-4o-realtime", own={})
    (2.5, None)
    """
    name = f"{provider}:{model}"
    known = _table().prices.get(provider, {})
    for prices, key in ((own, name), (known, model)):
        if price := prices.get(key) or prices.get(_VERSION.sub("", key)):
            return price
    given = [key for key in own if name.startswith(key)]
    return own[max(given, key=len)] if given else None


@cache
def dearest() -> Price:
    """The upper bound for a model whose price is not known."""
    prices = [price for models in _table().prices.values() for price in models.values()]
    return Price(input=max(price.input for price in prices), output=max(price.output for price in prices))


def size_of(provider: str, model: str) -> Size | None:
    """How much a hosted model holds; `None` for a provider whose models are not in the table."""
    known = _table().sizes.get(provider, {})
    fitting = [beginning for beginning in known if model.startswith(beginning)]
    return known[max(fitting, key=len)] if fitting else None


def cost(price: Price, *, sent: int, received: int) -> float:
    """US dollars for so many tokens."""
    return (sent * price.input + received * price.output) / MILLION
