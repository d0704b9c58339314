"""Which of both worlds a question goes to, in whole runs."""

from __future__ import annotations

import json
from pathlib import Path

from fathom_testing.little_web import LittleWeb
from tests.cli.conftest import Call


def allocations(call: Call, *arguments: str | Path) -> list[dict[str, int]]:
    """Research, and how many queries each source was asked in each allocation of the run."""
    done = call("research", *arguments, "--json", "-", "--quiet")
    assert done.code == 0, done.err
    run = json.loads(done.out)["run_id"]
    events = [each["event"] for each in json.loads(call("show", run, "--format", "json").out)["events"]]
    told = [each for each in events if each["kind"] == "allocated"]
    return [{source: len(queries) for source, queries in each["queries"].items()} for each in told]


def test_a_one_fact_question_takes_one_search_and_one_round(call: Call, web: LittleWeb) -> None:
    reservoir = web.world.topics[1].name
    asked = allocations(call, f"When was the dam of the {reservoir} completed?", "--web")
    assert asked == [{"web": 1}]
    assert len(web.search.seen) == 1


def test_own_matters_go_to_the_documents_and_what_they_do_not_hold_to_the_web(
    call: Call, web: LittleWeb, notes: Path
) -> None:
    bridge, reservoir = web.world.topics[0].name, web.world.topics[1].name
    question = f"What did our inspection of the {bridge} find, and how high is the dam of the {reservoir}?"
    asked = allocations(call, question, "--docs", notes, "--web")
    assert sorted(asked, key=str) == [{"knowledge": 1}, {"web": 1}]  # side by side: either may come first
