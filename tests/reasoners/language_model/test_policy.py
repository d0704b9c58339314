"""What is done about failures."""

from __future__ import annotations

import pytest

from fathom import errors
from fathom.errors import ProviderError, ProviderFault, RateLimited, TimedOut
from fathom.reasoners.language_model.policy import POLICIES, Backoff, policy_for
from fathom.reasoners.language_model.prices import DEAREST, price_of, size_of
from fathom.settings import Price

KINDS: list[type[ProviderError]] = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type)
    and issubclass(kind, ProviderError)
    and kind not in (ProviderError, errors.Unavailable)
    and not issubclass(kind, (errors.PageError, errors.ToolError))
]
"""Those that a model may fail with: no model reads pages of the web or calls tools."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_every_kind_of_failure_has_a_policy(kind: type[ProviderError]) -> None:
    assert kind in POLICIES


def test_waits_double_up_to_a_bound_and_end() -> None:
    backoff = Backoff(first=1, longest=3, total=100)

    waits = [backoff.wait(RateLimited("busy"), tries=tries, waited=0) for tries in (1, 2, 3, 4)]
    assert waits == [1, 2, 3, None]


def test_what_the_provider_asks_for_counts_unless_it_is_too_long() -> None:
    backoff = Backoff(first=1, longest=3, total=4)

    assert backoff.wait(RateLimited("busy", retry_after=2.5), tries=1, waited=0) == 2.5
    assert backoff.wait(RateLimited("busy", retry_after=3.5), tries=1, waited=0) is None
    assert backoff.wait(TimedOut("late"), tries=1, waited=3.5) is None


def test_a_kind_of_a_kind_has_its_policy() -> None:
    class Overloaded(ProviderFault):
        """Too much to do."""

    assert policy_for(Overloaded("no")) == POLICIES[ProviderFault]


@pytest.mark.parametrize("name", ["gpt-5.5-mine", "gpt-oss-120b", "gpt-40", "claude-3-haiku", ""])
def test_a_price_is_known_or_it_is_not(name: str) -> None:
    assert price_of("openai", name, own={}) is None


def test_a_price_of_ones_own_is_that_of_the_model_it_names_and_of_none_that_is_known() -> None:
    own = {"openai:gpt-4o": Price(input=9, output=9), "openai:mine": Price(input=1, output=1)}
    names = ["gpt-4o", "gpt-4o-2024-11-20", "gpt-4o-mini", "mine-large"]
    assert [price and price.input for price in (price_of("openai", name, own=own) for name in names)] == [9, 9, 0.15, 1]


@pytest.mark.parametrize(
    ("provider", "name", "price"),
    [
        ("openai", "gpt-5-mini", Price(input=0.25, output=2)),
        ("openai", "gpt-4o-2024-11-20", Price(input=2.5, output=10)),
        ("anthropic", "claude-sonnet-4-5", Price(input=3, output=15)),
        ("google_genai", "gemini-2.5-pro", Price(input=1.25, output=10)),
    ],
)
def test_the_price_of_a_common_model_is_known_and_not_above_the_dearest(provider: str, name: str, price: Price) -> None:
    assert price_of(provider, name, own={}) == price
    assert price.input <= DEAREST.input and price.output <= DEAREST.output


@pytest.mark.parametrize(
    ("provider", "name", "window"),
    [("openai", "gpt-4", 8_192), ("openai", "gpt-4o-mini", 128_000), ("anthropic", "claude-x", 200_000)],
)
def test_the_longest_beginning_of_a_name_tells_its_size(provider: str, name: str, window: int) -> None:
    size = size_of(provider, name)

    assert size is not None and size.window == window
