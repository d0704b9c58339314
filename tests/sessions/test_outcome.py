"""How a session stands is decided in one place, for every way in which it can stand."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from fathom.report import Verdicts
from fathom.sessions.outcome import Name, outcome_of
from fathom.steering import Approval
from tests.contracts.stores import a_run

SOUND, DOUBTFUL = Verdicts(quoted=3), Verdicts(quoted=3, unsupported=5, contradicted=2)
DONE = {"status": "completed", "claims": SOUND}
CASES: list[tuple[dict[str, Any], str, str, str]] = [
    ({"status": "planned"}, "planned", "open", "planned"),
    ({"status": "queued"}, "queued", "open", "queued"),
    ({"status": "running"}, "running", "open", "running"),
    (
        {"status": "running", "waiting_for": (Approval(id="plan_1", about="plan"),)},
        "waiting",
        "open",
        "waiting for you",
    ),
    ({"status": "failed", "declined": True}, "declined", "open", "declined"),
    ({"status": "running", "declined": True}, "running", "open", "running"),
    ({"status": "failed"}, "failed", "bad", "failed"),
    ({**DONE, "status": "partial", "outcomes": ("answered",)}, "partial", "amber", "incomplete"),
    ({**DONE, "claims": Verdicts(), "outcomes": ("nothing",)}, "nothing", "amber", "no answer found"),
    ({**DONE, "claims": Verdicts()}, "nothing", "amber", "no answer found"),
    ({**DONE, "outcomes": ("closest", "nothing")}, "closest", "amber", "no direct answer found"),
    ({**DONE, "outcomes": ("answered", "closest", "answered")}, "parts", "amber", "2 of 3 answered"),
    (
        {**DONE, "claims": DOUBTFUL, "outcomes": ("answered",)},
        "unsupported",
        "amber",
        "7 sentences not supported",
    ),
    ({**DONE, "claims": Verdicts(quoted=1, unsupported=1)}, "unsupported", "amber", "1 sentence not supported"),
    ({**DONE, "outcomes": ("answered", "answered")}, "answered", "good", "answered"),
    (DONE, "completed", "good", "completed"),  # by a version that has not kept what came of its parts
    ({"status": "completed"}, "completed", "good", "completed"),
]


@pytest.mark.parametrize(("stands", "name", "tone", "told"), CASES)
def test_a_session_tells_what_has_come_of_it(stands: dict[str, Any], name: str, tone: str, told: str) -> None:
    outcome = outcome_of(a_run(**stands))
    assert (outcome.name, outcome.tone, outcome.told) == (name, tone, told)


def test_every_way_of_standing_is_tried_here() -> None:
    assert {name for _, name, _, _ in CASES} == set(get_args(Name))
