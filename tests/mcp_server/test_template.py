"""A report after an outline that an agent brings."""

from __future__ import annotations

from tests.mcp_server.conftest import Served, call, refusal
from tests.support.serving import QUESTION


async def test_a_report_after_ones_own_outline_has_its_headings_in_its_order(served: Served) -> None:
    outline = "## Jacquard loom\nWhen it was shown.\n\n## Analytical engine\nWho designed it.\n"
    async with served.stdio(env=served.slow(0)) as client:
        planned = await call(client, "plan", question=QUESTION, template=outline)
        told = await call(client, "research", question=QUESTION, template=outline, wait_seconds=60)
        for wrong, said in (("no headings", "no heading"), ("## a\n## A\n", "twice"), ("#" * 20_001, "template")):
            assert said in await refusal(client, "research", question=QUESTION, template=wrong)

    assert len(planned["subtasks"]) == 2
    assert [each["reason"] for each in planned["subtasks"]] == ["a heading of the template"] * 2
    headings = [line for line in told["report"]["text"].splitlines() if line.startswith("## ")]
    assert headings[:2] == ["## Jacquard loom", "## Analytical engine"]
    assert all(each["quotes"] for each in told["report"]["claims"]) and told["report"]["claims"]
