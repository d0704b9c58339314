"""What a run with a model may spend is a contract, kept over the wire: research stops, and a report always comes."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fathom
from fathom.report import Report
from fathom_testing.model_server import Entry, ModelServer
from fathom_testing.model_server.faults import Rule
from fathom_testing.model_server.talk import Reply, Request
from tests.support.corpus import QUESTION, corpus
from tests.support.honest import faults_of
from tests.support.injected_runs import snapshots
from tests.support.model_settings import PRICE, settings_for


async def researched(folder: Path, server: ModelServer, **limits: Any) -> Report:
    settings = settings_for(folder, server)
    report = await fathom.research(QUESTION, documents=[corpus(folder)], settings=settings, limits=limits)
    assert faults_of(report, await snapshots(settings, report)) == []
    return report


def tokens(server: ModelServer) -> int:
    """Sent and received, by the server's own account."""
    return sum(call.prompt_tokens + call.completion_tokens for call in server.calls)


def dollars(server: ModelServer) -> float:
    return (
        sum(call.prompt_tokens * PRICE["input"] + call.completion_tokens * PRICE["output"] for call in server.calls)
        / 1e6
    )


async def test_without_limits_the_account_is_the_servers_own(tmp_path: Path) -> None:
    with ModelServer() as server:
        report = await researched(tmp_path, server)
    assert report.partial is None and report.stand_ins == {}
    assert report.usage.prompt_tokens == sum(call.prompt_tokens for call in server.calls)
    assert report.usage.completion_tokens == sum(call.completion_tokens for call in server.calls)
    assert report.usage.cost_usd == pytest.approx(dollars(server))
    made = sum(count for kind, count in report.usage.calls.items() if kind not in ("describe", "search"))
    assert made == len(server.calls)


@pytest.mark.parametrize(
    "most", [2_000, 9_000, *(pytest.param(n, marks=pytest.mark.soak) for n in (1, 500, 5_000, 14_000))]
)
async def test_tokens_are_never_overshot_and_the_report_is_written_with_what_was_kept_back(
    tmp_path: Path, most: int
) -> None:
    with ModelServer(latency=0.005) as server:
        report = await researched(tmp_path, server, max_tokens=most)
    assert tokens(server) == report.usage.prompt_tokens + report.usage.completion_tokens <= most
    assert report.partial in (None, "max_tokens")
    assert most > 5_000 or report.partial == "max_tokens"


@pytest.mark.parametrize(
    "most", [0.02, 0.2, *(pytest.param(n, marks=pytest.mark.soak) for n in (0.000_001, 0.05, 0.1))]
)
async def test_dollars_are_never_overshot_and_the_report_is_written_with_what_was_kept_back(
    tmp_path: Path, most: float
) -> None:
    with ModelServer(latency=0.005) as server:
        report = await researched(tmp_path, server, max_cost=most)
    assert dollars(server) == pytest.approx(report.usage.cost_usd)
    assert report.usage.cost_usd <= most
    assert report.partial in (None, "max_cost")
    assert most > 0.05 or report.partial == "max_cost"


@pytest.mark.parametrize("most", [1, 3, 5, 9, *(pytest.param(n, marks=pytest.mark.soak) for n in (2, 8, 13, 21))])
async def test_calls_are_never_overshot_and_the_report_is_written_with_what_was_kept_back(
    tmp_path: Path, most: int
) -> None:
    with ModelServer(latency=0.005) as server:
        report = await researched(tmp_path, server, max_calls=most)
    assert len(server.calls) <= sum(report.usage.calls.values()) <= most
    assert report.partial in (None, "max_calls")
    assert most > 5 or report.partial == "max_calls"
    assert report.claims or most < 3, "what was found is told"


class Liar(ModelServer):
    """Tells another usage than that of its log."""

    def __init__(self, share: float, **options: Any) -> None:
        super().__init__(**options)
        self._share = share

    async def _tell(
        self, connection: Any, entry: Entry, wire: Any, request: Request, reply: Reply, rule: Rule | None
    ) -> None:
        told = {
            name: max(1, round(getattr(reply, name) * self._share)) for name in ("prompt_tokens", "completion_tokens")
        }
        await super()._tell(connection, entry, wire, request, replace(reply, **told), rule)


@pytest.mark.parametrize(
    "share", [0.1, *(pytest.param(each, marks=pytest.mark.soak) for each in (0.01, 0.34, 0.6, 3.0))]
)
@pytest.mark.parametrize(
    "most", [11_000, *(pytest.param(n, marks=pytest.mark.soak) for n in (6_000, 8_000, 16_000, 30_000))]
)
async def test_a_server_that_tells_a_part_of_its_usage_overshoots_nothing(
    tmp_path: Path, share: float, most: int
) -> None:
    for limits, spent in (({"max_tokens": most}, tokens), ({"max_cost": most / 50_000}, dollars)):
        with Liar(share, latency=0.02, faults=[{"fault": "endless", "share": 0.2}]) as server:
            folder = tmp_path / next(iter(limits))
            report = await researched(folder, server, max_concurrency=64, **limits)
        assert 0 < spent(server) <= next(iter(limits.values()))
        assert (report.usage.estimated_tokens > 0) == (share < 1 / 3)
        assert share > 1 or not any("are passed by" in each for each in report.limitations)


class Babbler(ModelServer):
    """Writes on and on, whatever room it was given, and says so."""

    async def _tell(
        self, connection: Any, entry: Entry, wire: Any, request: Request, reply: Reply, rule: Rule | None
    ) -> None:
        await super()._tell(connection, entry, wire, request, replace(reply, completion_tokens=50_000), rule)


async def test_by_how_much_a_provider_has_passed_a_cap_stands_in_the_report(tmp_path: Path) -> None:
    with Babbler() as server:
        report = await researched(tmp_path, server, max_tokens=20_000)
    over = report.usage.prompt_tokens + report.usage.completion_tokens - 20_000
    told = [each for each in report.limitations if "the limits are passed by" in each]
    (said,) = re.findall(r"([\d,]+) tokens", told[0])
    # the caps are held against the provider's count or Fathom's own, whichever is larger
    assert 0 < over <= int(said.replace(",", "")) < over * 1.01
    again = await fathom.replay(report.run_id, settings=settings_for(tmp_path, server))
    assert again.model_dump_json() == report.model_dump_json()


async def test_time_stops_research_and_the_report_is_written(tmp_path: Path) -> None:
    with ModelServer(latency=0.6) as server:  # the plan alone takes longer than research may
        report = await researched(tmp_path, server, max_time=0.7)
        asked = [call.ask for call in server.calls]
    assert report.partial == "max_time" and report.markdown.startswith("# ")
    assert set(asked) <= {"PlanResearch", "ExtractFindings"}, "research has asked on"


@pytest.mark.soak
@pytest.mark.parametrize("fault", ["timeout", "stall_stream"])
@pytest.mark.parametrize("ask", ["", "PlanResearch", "ExtractFindings", "WriteReport"])
async def test_a_model_that_hangs_gets_the_time_left_and_the_report_tells_what_was_found(
    tmp_path: Path, fault: str, ask: str
) -> None:
    with ModelServer(faults=[{"fault": fault, "ask": ask}]) as server:
        report = await asyncio.wait_for(researched(tmp_path, server, max_time=10), 600)
    assert report.claims and (report.stand_ins or report.partial == "max_time")


async def test_when_all_is_spent_the_report_is_written_without_a_model(tmp_path: Path) -> None:
    with ModelServer() as server:
        whole = await researched(tmp_path / "whole", server)
        research = [call for call in server.calls if call.ask in ("PlanResearch", "ExtractFindings")]
    enough = sum(call.prompt_tokens + call.completion_tokens for call in research) + 1_700
    with ModelServer() as server:
        report = await researched(tmp_path / "cut", server, max_tokens=round(enough / 0.75))
        written = [call for call in server.calls if call not in research]
    assert whole.claims and report.claims
    assert tokens(server) <= round(enough / 0.75) and written


async def test_a_budget_that_buys_no_model_still_buys_a_report_of_what_the_documents_say(tmp_path: Path) -> None:
    with ModelServer() as server:
        report = await researched(tmp_path, server, max_tokens=1)
        settings = settings_for(tmp_path, server)
        assert not [call for call in server.calls if call.model]
        again = await fathom.replay(report.run_id, settings=settings)
        whole = await fathom.resume(report.run_id, settings=settings, limits={"max_tokens": 200_000})

    assert report.partial == "max_tokens" and report.claims and report.stand_ins
    assert "without the model" in report.markdown
    assert again.markdown == report.markdown
    # with money the models are asked for all that stood in
    assert whole.partial is None and whole.stand_ins == {} and whole.usage.prompt_tokens > 0


async def test_a_partial_report_is_completed_with_higher_limits_and_pays_for_nothing_twice(tmp_path: Path) -> None:
    with ModelServer(log_prompts=True) as server:
        settings = settings_for(tmp_path, server)
        first = await fathom.research(
            QUESTION, documents=[corpus(tmp_path)], settings=settings, limits={"max_tokens": 6_000}
        )
        spent = tokens(server)
        whole = await fathom.resume(first.run_id, settings=settings, limits={"max_tokens": 200_000})
        prompts = ["\0".join(call.prompt) for call in server.calls]
    assert first.partial == "max_tokens" and whole.partial is None
    assert spent <= 6_000 and len(whole.findings) >= len(first.findings)
    assert len(prompts) == len(set(prompts))
