"""How a session stands is decided in one place, for every way in which it can stand."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from fathom.report import Tally, Verdicts
from fathom.sessions.outcome import Name, outcome_of
from fathom.steering import Approval
from tests.contracts.stores import a_run


def done(parts: int, answered: int, *, disagreements: int = 0, **changes: Any) -> dict[str, Any]:
    tally = Tally(parts=parts, answered=answered, disagreements=disagreements)
    return {"status": "completed", "claims": Verdicts(quoted=3), "tally": tally, **changes}


DOUBTFUL = Verdicts(quoted=3, unsupported=5, contradicted=2)
CASES: list[tuple[dict[str, Any], str, str]] = [
    ({"status": "planned"}, "planned", "planned"),
    ({"status": "queued"}, "queued", "queued"),
    ({"status": "running"}, "running", "running"),
    ({"status": "running", "waiting_for": (Approval(id="plan_1", about="plan"),)}, "waiting", "waiting for you"),
    ({"status": "failed", "failure": "outside"}, "failed", "failed"),
    ({"status": "failed", "failure": "declined"}, "declined", "declined"),
    ({"status": "failed", "failure": "cancelled"}, "cancelled", "cancelled"),
    (done(2, 2), "completed", "answered"),
    (done(3, 2), "partial", "2 of 3 answered"),
    (done(3, 0), "completed", "passages found"),
    (done(1, 0, claims=Verdicts()), "nothing", "no answer found"),
    (done(1, 1, claims=DOUBTFUL), "partial", "answered · 7 sentences not supported"),
    (
        done(3, 2, claims=DOUBTFUL, disagreements=1),
        "partial",
        "2 of 3 answered · 7 sentences not supported · sources disagree",
    ),
    (done(1, 1, status="partial", partial="max_calls"), "partial", "incomplete"),
    (done(2, 1, status="partial", partial="max_calls"), "partial", "incomplete · 1 of 2 answered"),
    ({"status": "completed", "claims": Verdicts(quoted=1)}, "completed", "completed"),  # of an earlier version
    ({"status": "completed", "claims": DOUBTFUL}, "partial", "completed · 7 sentences not supported"),
]


@pytest.mark.parametrize(("stands", "state", "told"), CASES)
def test_a_session_tells_what_has_come_of_it(stands: dict[str, Any], state: str, told: str) -> None:
    outcome = outcome_of(a_run(**stands))
    assert (outcome.state, outcome.told) == (state, told)


def test_everything_that_is_said_of_a_session_is_tried_here() -> None:
    said = {remark.name for stands, _, _ in CASES for remark in outcome_of(a_run(**stands)).remarks}
    assert said == {name for each in get_args(Name) for name in get_args(each) or (each,)}
