"""How the calls of a run are shown: a table, and what all of them took together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from fathom.cli.terminal import counted, print_rows
from fathom.text.harmless import inert
from fathom.wiring.calls import CallMade

HEADINGS = ("no", "where", "ask", "tier", "model", "sent", "received", "USD", "seconds", "")


def print_calls(calls: Sequence[CallMade]) -> None:
    """Each call on a line, then the totals."""
    print_rows([HEADINGS, *map(_row, calls)], numbers=(0, 5, 6, 7, 8))
    click.echo()
    for line in totals(calls):
        click.echo(inert(line))


def _row(call: CallMade) -> tuple[str, ...]:
    told = {"answered": "", "cached": "cached", "failed": f"failed: {call.error}"}[call.outcome]
    took = f"{call.seconds:.3f}"
    if call.model is None:
        return str(call.number), call.path, call.ask, "–", "–", "–", "–", "–", took, told
    cost = "?" if call.cost_usd is None else f"{call.cost_usd:.5f}"
    tokens = str(call.prompt_tokens), str(call.completion_tokens)
    return str(call.number), call.path, call.ask, call.tier or "–", call.model, *tokens, cost, took, told


def totals(calls: Sequence[CallMade]) -> Iterator[str]:
    """What the calls took together, in a few lines; nothing is counted as paid that was cached."""
    models = [call for call in calls if call.model is not None]
    paid = [call for call in models if call.outcome != "cached"]
    others = len(calls) - len(models)
    if models:
        sent, received = sum(call.prompt_tokens for call in paid), sum(call.completion_tokens for call in paid)
        cost = sum(call.cost_usd or 0.0 for call in paid)
        yield (f"{counted(len(paid), 'call')} to models: {sent:,} tokens sent, {received:,} received, {cost:.4f} USD.")
        if unknown := sorted({call.model or "" for call in paid if call.cost_usd is None}):
            yield f"Not counted in USD, for its price is not known: {', '.join(unknown)}."
        if cached := len(models) - len(paid):
            yield f"{counted(cached, 'call')} spared by an earlier answer."
    if others:
        yield f"{counted(others, 'call')} to sources{'' if models else ' and the reasoner'}."
    if failed := sum(call.outcome == "failed" for call in calls):
        yield f"{failed} of them failed."
