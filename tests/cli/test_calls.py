"""`fathom show --calls`: each call with what it took."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fathom.cli.calls import print_calls, totals
from fathom.engine import failures
from fathom.errors import TimedOut
from fathom.ports import CallUsage, JournalEntry
from fathom.wiring.calls import calls_of
from tests.cli.conftest import QUESTION, Call

SMALL = CallUsage(model="openai:small", tier="balanced", prompt_tokens=1_000, completion_tokens=50, cost_usd=0.25)


def entry(seq: int, path: str, kind: str, *, answer: str = "{}", usage: CallUsage | None = None) -> JournalEntry:
    return JournalEntry(seq=seq, path=path, kind=kind, request="r", answer=answer, seconds=0.5, usage=usage)


JOURNAL = [
    entry(1, "describe/knowledge", "describe"),
    entry(2, "task_1/r0/extract/model", "ExtractFindings", usage=SMALL),
    entry(3, "task_1/r0/extract", "answer"),
    entry(4, "task_2/r0/extract/model", "ExtractFindings", usage=SMALL.model_copy(update={"cached": True})),
    entry(5, "snapshot/abc", "decide"),
    entry(
        6,
        "failed/1/report/section_1/model/2",
        "failed",
        answer=json.dumps(failures.stored("WriteSection", TimedOut("no answer in 180 s"))),
        usage=SMALL.model_copy(update={"priced": False}),
    ),
]


def test_each_call_is_told_with_where_it_was_made_and_what_became_of_it() -> None:
    calls = calls_of(JOURNAL)

    assert [(call.number, call.path, call.ask, call.outcome) for call in calls] == [
        (1, "describe/knowledge", "describe", "answered"),
        (2, "task_1/r0/extract", "ExtractFindings", "answered"),
        (3, "task_2/r0/extract", "ExtractFindings", "cached"),
        (4, "report/section_1", "WriteSection", "failed"),
    ]
    assert (calls[1].tier, calls[1].model, calls[1].prompt_tokens, calls[1].cost_usd) == (
        "balanced",
        "openai:small",
        1_000,
        0.25,
    )
    assert calls[0].model is None and calls[3].error == "no answer in 180 s"


def test_the_totals_count_what_was_paid_and_name_what_has_no_price() -> None:
    assert list(totals(calls_of(JOURNAL))) == [
        "2 calls to models: 2,000 tokens sent, 100 received, 0.2500 USD.",
        "Not counted in USD, for its price is not known: openai:small.",
        "1 call spared by an earlier answer.",
        "1 call to sources.",
        "1 of them failed.",
    ]


def test_the_table_says_what_was_cached_and_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    print_calls(calls_of(JOURNAL))
    shown = capsys.readouterr().out.splitlines()
    assert "cached" in shown[3] and "failed: no answer in 180 s" in shown[4] and "?" in shown[4]
    assert shown[2].split()[-4:] == ["1000", "50", "0.25000", "0.500"]


def test_the_calls_of_a_run_are_shown_in_a_table_and_as_json(call: Call, notes: Path) -> None:
    assert call("research", QUESTION, "--docs", notes).code == 0

    table, listed = call("show", "run_", "--calls"), call("show", "run_", "--calls", "--format", "json")

    calls = json.loads(listed.out)
    assert [made["number"] for made in calls] == list(range(1, len(calls) + 1))
    assert {"search", "describe", "PlanResearch"} <= {made["ask"] for made in calls}
    assert f"{len(calls)} calls to sources and the reasoner." in table.out
    assert all(made["path"] in table.out for made in calls)
