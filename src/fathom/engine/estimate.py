"""What a run is expected to take, made from its plan before any of it is done.

Low is a run in which every subtask finds at once what it needs. High has every subtask deepened in the dearest one of
the three ways that its limits allow: refined again and again, drilled into by a level, or researched anew after the
look back. A run that does all of it to every subtask takes more; `max_calls`, `max_tokens` and `max_cost` bound that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any, NamedTuple

from fathom.asks import (
    AllocateQueries,
    AnalyzeGaps,
    Ask,
    AssessDepth,
    CheckReport,
    DirectDataset,
    ExtractFindings,
    GeneratePerspectives,
    OutlineReport,
    PlanResearch,
    Reflect,
    RevisePlan,
    SynthesizeSubtask,
    ValidateFindings,
    WriteReport,
    WriteSection,
)
from fathom.browsing import Reach
from fathom.data.fields import DatasetDescription
from fathom.data.turns import Scan
from fathom.limits import Limits, Tier
from fathom.plan import MasterPlan, Subtask
from fathom.ports import RunRecord
from fathom.report import Estimate
from fathom.settings import Price

MILLION = 1_000_000
CHARACTERS_PER_TOKEN = 3
"""Of passages, rather few than many."""
Kind = type[Ask[Any]]


class Takes(NamedTuple):
    """Tokens of one call to a model, instructions and schema included: from and to."""

    sent: tuple[int, int]
    received: tuple[int, int]


TAKES: dict[Kind, Takes] = {
    PlanResearch: Takes((1_200, 2_000), (60, 900)),
    ExtractFindings: Takes((950, 1_050), (200, 1_500)),
    RevisePlan: Takes((1_200, 2_500), (60, 400)),
    Reflect: Takes((1_000, 3_000), (80, 900)),
    WriteReport: Takes((2_200, 9_000), (120, 4_000)),
    DirectDataset: Takes((1_000, 3_400), (60, 700)),
    CheckReport: Takes((2_000, 9_000), (30, 1_200)),
    GeneratePerspectives: Takes((600, 1_800), (150, 900)),
    ValidateFindings: Takes((900, 4_000), (80, 1_000)),
    AnalyzeGaps: Takes((900, 4_000), (80, 900)),
}
"""By ask that a model answers, without passages: from the least that whole runs took up to what the tasks allow
themselves."""
PASSAGES = 3_200
"""Most tokens of passages that one extraction shows in a narrow window."""
SECTION_WORDS = 1_200
"""Words of a report that one call writes, where it takes several."""
BATCH = Scan().batch_size
"""Records of a page."""
UNKNOWN_PAGES = 10
"""Pages of a dataset that does not say how large it is, and that may be read without a cap."""
TYPICAL = 0.1
"""How far from low to high most runs come: `benchmarks/estimates.py` holds it against runs."""
SECONDS, SECONDS_OF_A_PAGE, SECONDS_OF_A_MODEL = 0.1, 0.5, 6.0
"""Of a call that no model answers, a web page, and a call to a hosted model; the last one is not measured."""
NEW = 0.7
"""Share of what the whole question finds that a part of it finds as well."""


class Spread(NamedTuple):
    """Calls, by ask, and searches."""

    asks: Counter[Kind]
    searches: int
    """Calls to the sources that are not the web."""
    queries: int
    """Queries to each source."""
    rounds: int
    """Rounds of all subtasks together."""

    @property
    def total(self) -> int:
        return self.asks.total() + self.searches


class Browsing(NamedTuple):
    """What the web takes."""

    searches: int = 0
    pages: int = 0
    calls: int = 0
    """Those and the ones to the archive, and what is asked of the other sources to know whether the web is needed."""
    cost_usd: float = 0.0


def estimate(
    plan: MasterPlan,
    limits: Limits,
    *,
    sources: int,
    prices: Mapping[Tier, Price | None] | None = None,
    windows: Mapping[Tier, int] | None = None,
    material: int = PASSAGES,
    web: Reach | None = None,
    datasets: Sequence[DatasetDescription] = (),
    elapsed: float = 0.0,
) -> Estimate:
    """Calls, tokens and dollars of a run, from and to, and one figure of each that is typical.

    Args:
        sources: How many there are, the web and datasets not counted.
        prices: By tier, when models answer; a price that is not known counts nothing. `None` without models.
        windows: By tier, tokens of the models' windows: where they are wide, more is shown.
        material: Tokens of what the sources returned for the question as it stands.
        web: What of the web may be used.
        datasets: Those that each subtask may research, turn by turn.
        elapsed: Seconds that the run has taken before it had a plan.
    """
    planned = plan.subtasks[: limits.max_subtasks]
    metered = prices is not None
    low = _at_best(planned, limits, sources=sources, metered=metered)
    high = _at_most(plan, planned, limits, sources=sources, metered=metered)
    alone = not sources and web is None
    low = _with_data(low, planned, limits, datasets, end=0, alone=alone, metered=metered)
    high = _with_data(high, planned, limits, datasets, end=1, alone=alone, metered=metered)
    if sources + len(datasets) + (web is not None) > 1 and not metered:  # queries that are known are allocated, too
        for spread, rounds in ((low, low.rounds), (high, high.rounds)):
            spread.asks[AllocateQueries] = max(spread.asks[AllocateQueries], rounds)
    least, most_web = _browsing(low, limits, web, sources, end=0), _browsing(high, limits, web, sources, end=1)
    sent = partial(_sent, material=material, windows=windows or {})
    total = (low.total + least.calls, high.total + most_web.calls)
    most = _least(total[1], limits.max_calls)
    if prices is None and limits.max_calls is not None:  # those of the report are free
        most = min(total[1], limits.max_calls + sum(high.asks[kind] for kind in (OutlineReport, WriteSection)))
    cost = (least.cost_usd + _cost(low, 0, sent, prices or {}), most_web.cost_usd + _cost(high, 1, sent, prices or {}))
    most_cost = _least(cost[1], limits.max_cost)
    ends: dict[str, tuple[Any, Any]] = {
        "calls": (_least(total[0], limits.max_calls), most),
        "cost_usd": (round(min(cost[0], most_cost), 6), round(most_cost, 6)),
        "searches": (min(least.searches, most), min(most_web.searches, most)),
        "pages": (min(least.pages, most), min(most_web.pages, most)),
    }
    if metered:
        tokens = (_tokens(low, 0, sent), _tokens(high, 1, sent))
        asked, most_asked = (sum(spread.asks[kind] for kind in TAKES) for spread in (low, high))
        most_tokens, most_asked = _least(tokens[1], limits.max_tokens), _least(most_asked, limits.max_calls)
        ends |= {
            "model_calls": (min(asked, most_asked), most_asked),
            "tokens": (min(tokens[0], most_tokens), most_tokens),
        }
    typical = {name: first + TYPICAL * (last - first) for name, (first, last) in ends.items()}
    calls, steps = round(typical["calls"]), _steps(planned) if metered else 0
    seconds = elapsed + SECONDS * calls + SECONDS_OF_A_PAGE * typical["pages"] + SECONDS_OF_A_MODEL * steps
    return Estimate(
        **{f"{name}_low": first for name, (first, _) in ends.items()},
        **{f"{name}_high": last for name, (_, last) in ends.items()},
        calls_typical=calls,
        model_calls_typical=round(typical.get("model_calls", 0)),
        tokens_typical=round(typical.get("tokens", 0)),
        cost_usd_typical=round(typical["cost_usd"], 6),
        seconds_typical=float(ceil(seconds)),
    )


def prices_of(run: RunRecord) -> dict[Tier, Price | None]:
    """The prices that a run's record pins, by tier."""
    known: dict[Tier, Any] = run.models.get("prices", {})
    return {tier: price and Price.model_validate(price) for tier, price in known.items()}


def _steps(planned: Sequence[Subtask]) -> int:
    """Calls to a model that follow each other: those around the research, and three for each part of the longest
    chain of parts that wait for one another."""
    levels: dict[str, int] = {}
    for _ in planned:  # as often as the longest chain can be long
        for each in planned:
            levels[each.subtask_id] = 1 + max((levels.get(id, 0) for id in each.dependencies), default=0)
    return 5 + 3 * max(levels.values(), default=1)


def _least(number: Any, limit: Any) -> Any:
    return number if limit is None else min(number, limit)


# ── Calls ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _at_best(planned: tuple[Subtask, ...], limits: Limits, *, sources: int, metered: bool) -> Spread:
    """Every subtask is answered by its first round. What a model's extraction judges and sums up is not asked again."""
    asks: Counter[Kind] = Counter({PlanResearch: 1, GeneratePerspectives: int(limits.max_perspectives > 0)})
    searches, judged = 2 * sources, 0 if metered else 1
    for subtask in planned:
        searches += _first_searches(subtask, limits, sources) if subtask.queries else min(sources, 1)
        asks[AllocateQueries] += not subtask.queries
        asks.update({ExtractFindings: 1, AssessDepth: judged, SynthesizeSubtask: judged})
    if metered:
        asks[WriteReport] += 1  # of which nothing has to be checked if all is quoted
    else:  # the summary included: one of the parts may be quoted with another
        asks.update({OutlineReport: 1, WriteSection: len(planned)})
    queries = sum(_first_searches(subtask, limits, 1) if subtask.queries else 1 for subtask in planned)
    return Spread(asks, searches, queries, len(planned))


def _at_most(plan: MasterPlan, planned: tuple[Subtask, ...], limits: Limits, *, sources: int, metered: bool) -> Spread:
    """Every subtask is deepened in the dearest way."""
    start = _at_best(planned, limits, sources=sources, metered=metered)
    asks, searches, all_rounds = Counter(start.asks), start.searches, start.rounds
    per_round = limits.max_queries * sources
    searches += sum(max(0, _first_searches(subtask, limits, sources) - 1) for subtask in planned if not subtask.queries)
    places = limits.max_subtasks - len(planned)
    judged = 0 if metered else 1
    for subtask in planned:
        may_open = limits.max_depth > 1 and subtask.estimated_importance >= limits.drill_down_importance
        children = min(limits.max_children, places) if may_open else 0
        rounds = max(limits.max_refinements, limits.max_reflections)
        if children > rounds:
            places -= children
            rounds = children
            asks[WriteSection] += 0 if metered else children
        # each further round, or child, with its queries, its reading and its verdict, and what it amounts to
        asks.update({AllocateQueries: rounds, ExtractFindings: rounds, AssessDepth: judged * rounds})
        asks[SynthesizeSubtask] += rounds if not metered else min(rounds, 1)
        searches += rounds * per_round
        all_rounds += rounds
    if plan.execution_mode == "hierarchical" and limits.max_revisions:
        asks[RevisePlan] += min(limits.max_revisions, len(planned)) if metered else len(planned)
    asks[Reflect] += limits.max_reflections
    if metered:  # where one call cannot write it: a plan, its sections and their frame; and a check in several prompts
        asks[WriteReport] += 2 + ceil(limits.max_words / SECTION_WORDS)
        asks[CheckReport] += 2 * (limits.max_checks > 0)
    else:
        asks[WriteSection] += 2 if len(planned) == 1 else 3 + len(planned)
    queries = sum(_first_searches(subtask, limits, 1) for subtask in planned)
    queries += (all_rounds - start.rounds) * limits.max_queries
    return Spread(asks, searches, queries, all_rounds)


def _with_data(
    spread: Spread,
    planned: Sequence[Subtask],
    limits: Limits,
    datasets: Sequence[DatasetDescription],
    *,
    end: int,
    alone: bool,
    metered: bool,
) -> Spread:
    """The same with research on datasets: at best a count and its summary, at most every turn and every page.

    `alone` says that nothing else is asked, so that no passages are read.
    """
    if not datasets:
        return spread
    asks, calls = Counter(spread.asks), spread.searches + len(datasets)
    if alone and not end:
        for kind in (ExtractFindings, AssessDepth):
            asks[kind] = 0
    for dataset in datasets:
        subtasks, further = len(planned), spread.rounds - len(planned)
        pages = pages_of(dataset, limits) if end else 0
        turns = limits.max_turns if end else min(2, limits.max_turns)
        asks.update({DirectDataset: subtasks * turns + further, ExtractFindings: subtasks * pages})
        calls += subtasks * (pages + (limits.max_turns if end else 1)) + further
        asks[SynthesizeSubtask] += subtasks * (metered or bool(end))
        if end:  # each sub-agent that asks for judgement, once
            once = (PlanResearch, GeneratePerspectives, ValidateFindings, AnalyzeGaps)
            asks.update(dict.fromkeys(once, subtasks))
    return spread._replace(asks=asks, searches=calls)


def pages_of(dataset: DatasetDescription, limits: Limits) -> int:
    """Pages that reading all of a dataset takes, as far as it may be read."""
    records = [count for count in (dataset.total, limits.max_records) if count is not None]
    return ceil(min(records, default=BATCH * UNKNOWN_PAGES) / BATCH)


def _first_searches(subtask: Subtask, limits: Limits, sources: int) -> int:
    return min(len(subtask.queries) or limits.max_queries, limits.max_queries) * sources


def _browsing(spread: Spread, limits: Limits, web: Reach | None, sources: int, *, end: int) -> Browsing:
    """What the web takes: at best, where there are other sources, no more than the question as it stands."""
    if web is None:
        return Browsing()
    asked = spread.queries if end or not sources else 0
    rounds = 1 + (spread.rounds if asked else 0)
    queries = 1 + asked
    searches = queries * len(web.searches)
    found = searches * limits.max_results
    pages = min(rounds * limits.max_pages, found) if end else min(limits.max_pages, limits.max_results)
    return Browsing(
        searches=searches,
        pages=pages,
        calls=searches + pages + queries + rounds + spread.rounds * sources,
        cost_usd=queries * web.cost_usd,
    )


# ── Tokens and dollars ─────────────────────────────────────────────────────────────────────────────────────────────


def _sent(kind: Kind, end: int, *, material: int, windows: Mapping[Tier, int]) -> int:
    """Tokens sent by one call; `end` is 0 for the low end and 1 for the high one."""
    window = windows.get(kind.tier, 0)
    if kind is not ExtractFindings:
        return kind.widened(TAKES[kind].sent[end], window) if end else TAKES[kind].sent[end]
    passages = kind.widened(PASSAGES, window)
    return TAKES[kind].sent[end] + (passages if end else min(round(material * NEW), passages))


def _tokens(spread: Spread, end: int, sent: Callable[[Kind, int], int]) -> int:
    asked = ((kind, count) for kind, count in spread.asks.items() if kind in TAKES)
    return sum(count * (sent(kind, end) + TAKES[kind].received[end]) for kind, count in asked)


def _cost(spread: Spread, end: int, sent: Callable[[Kind, int], int], prices: Mapping[Tier, Price | None]) -> float:
    total = 0.0
    for kind, count in spread.asks.items():
        if kind in TAKES and (price := prices.get(kind.tier)):
            total += count * (sent(kind, end) * price.input + TAKES[kind].received[end] * price.output) / MILLION
    return total
