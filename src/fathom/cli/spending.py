"""What a run is expected to take and what it took, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fathom.cli.terminal import counted
from fathom.report import Estimate, Report, Usage
from fathom.wiring.leaving import Destination


def short(number: float) -> str:
    """A count of tokens, as short as it can be said.

    >>> short(950), short(5_240), short(51_700), short(1_250_000)
    ('950', '5.2k', '52k', '1.2M')
    """
    if number < 1_000:
        return f"{number:.0f}"
    if number < 999_500:
        return f"{number / 1_000:.1f}k" if number < 9_950 else f"{number / 1_000:.0f}k"
    return f"{number / 1_000_000:.1f}M"


def dollars(amount: float) -> str:
    """An amount of US dollars, without the unit.

    >>> dollars(0), dollars(0.000412), dollars(0.0312), dollars(12.345)
    ('0', '0.00041', '0.031', '12.35')
    """
    if amount >= 0.1:
        return f"{amount:.2f}"
    return f"{amount:.2g}" if amount >= 0.0001 else f"{amount:.5f}".rstrip("0").rstrip(".")


def between(low: str, high: str) -> str:
    """`17 to 31`, or `17` when there is only one."""
    return low if low == high else f"{low} to {high}"


def expected(estimate: Estimate) -> str:
    """The figures of an estimate: calls; with a model its calls, tokens and dollars."""
    if estimate.calls_typical:
        return _about(estimate)
    calls = between(str(estimate.calls_low), str(estimate.calls_high))
    if not estimate.model_calls_high:
        return f"{calls} calls"
    asked = between(str(estimate.model_calls_low), str(estimate.model_calls_high))
    return f"{asked} calls to models, {_tokens(estimate)}{_cost(estimate)}; {calls} calls with those to the sources"


def _about(estimate: Estimate) -> str:
    """One typical figure of each, and what it takes at most."""
    calls, time = f"{estimate.calls_typical} calls", _time(estimate.seconds_typical)
    cost = f", {dollars(estimate.cost_usd_typical)} USD" if estimate.cost_usd_typical else ""
    most = f", {dollars(estimate.cost_usd_high)} USD" if estimate.cost_usd_high else ""
    if not estimate.model_calls_high:
        return f"about {calls}{cost}, {time}; at most {estimate.calls_high}{most}"
    return (
        f"about {estimate.model_calls_typical} calls to models, {short(estimate.tokens_typical)} tokens{cost}, {time}; "
        f"at most {estimate.model_calls_high}, {short(estimate.tokens_high)} tokens{most}"
    )


def _time(seconds: float) -> str:
    """How long something takes, roughly.

    >>> _time(0.4), _time(42), _time(70), _time(150), _time(7_000)
    ('1 second', '40 seconds', '1 minute', '2 minutes', '117 minutes')
    """
    if seconds < 55:
        return counted(round(seconds / 10) * 10 if seconds >= 10 else max(1, round(seconds)), "second")
    return counted(round(seconds / 60), "minute")


def _tokens(estimate: Estimate) -> str:
    return f"{between(short(estimate.tokens_low), short(estimate.tokens_high))} tokens"


def _cost(estimate: Estimate) -> str:
    if not estimate.cost_usd_high:
        return ""
    return f", {between(dollars(estimate.cost_usd_low), dollars(estimate.cost_usd_high))} USD"


def leaving(destinations: Sequence[Destination]) -> Iterator[str]:
    """What would leave this machine and to whom, in lines."""
    elsewhere = [each for each in destinations if not each.is_local]
    for each in elsewhere:
        yield f"What leaves this machine: {each.what}, to {each.host} ({', '.join(each.names)})."
    if not elsewhere:
        here = ", ".join(f"{' and '.join(each.names)} at {each.host}" for each in destinations)
        yield f"Nothing leaves this machine{f': asked is {here}' if here else ''}."
    for name in dict.fromkeys(name for each in destinations for name in each.unpriced):
        yield f"The price of {name} is not known, so its tokens are not counted in USD: set it under `prices`."


def taken(usage: Usage, expected: str = "") -> Iterator[str]:
    """What models took, in lines; `expected` stands behind it."""
    # the name of an ask is that of a class; what sources are asked for is in small letters
    calls = sum(count for kind, count in usage.calls.items() if kind[:1].isupper())
    tokens = usage.prompt_tokens + usage.completion_tokens
    cost = f", {dollars(usage.cost_usd)} USD" if usage.cost_usd else ""
    yield f"Models: {counted(calls, 'call')}, {short(tokens)} tokens{cost}{expected}."
    if usage.cached_calls:
        yield f"{counted(usage.cached_calls, 'call')} spared by earlier answers."
    if usage.unpriced_tokens:
        yield f"Not counted in USD: {short(usage.unpriced_tokens)} tokens of models whose price is not known."


def spent(report: Report) -> Iterator[str]:
    """What the models of a run took against what was expected, in lines; none without models."""
    estimate = report.estimate
    if not estimate.model_calls_high:
        return
    asked = between(str(estimate.model_calls_low), str(estimate.model_calls_high))
    yield from taken(report.usage, f" (estimated: {asked} calls, {_tokens(estimate)}{_cost(estimate)})")
    if report.stand_ins:
        asks = ", ".join(f"{count} {kind}" for kind, count in sorted(report.stand_ins.items()))
        yield f"Answered without a model, because it could not: {asks}. `fathom show {report.run_id}` says why."
