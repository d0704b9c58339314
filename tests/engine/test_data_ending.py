"""When research on a dataset ends: every rule, and every combination of what decides."""

from __future__ import annotations

from itertools import product

import pytest

from fathom.engine.data.ending import MOST_BARREN, Ended, TurnProgress, ending

SCANS = ("none", "open", "complete", "capped", "blocked")


def cause(now: TurnProgress) -> str | None:
    ended = ending(now)
    return ended.cause if ended else None


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (TurnProgress(1, 10), None),
        (TurnProgress(1, 10, scan="open"), None),
        (TurnProgress(3, 10, scan="complete"), None),
        (TurnProgress(2, 10, promised=True, scan="complete"), "scanned"),
        (TurnProgress(2, 10, promised=True, scan="open"), None),
        (TurnProgress(2, 10, promised=True, scan="blocked"), "scan_blocked"),
        (TurnProgress(2, 10, scan="blocked"), None),
        (TurnProgress(2, 10, scan="capped"), "max_records"),
        (TurnProgress(2, 10, promised=True, scan="capped"), "max_records"),
        (TurnProgress(2, 10, confidence=0.7), "confident"),
        (TurnProgress(2, 10, confidence=0.69), None),
        (TurnProgress(2, 10, promised=True, scan="open", confidence=1.0), None),
        (TurnProgress(2, 10, promised=True, confidence=1.0), None),
        (TurnProgress(2, 10, scan="open", barren=MOST_BARREN), "no_news"),
        (TurnProgress(2, 10, scan="open", barren=MOST_BARREN - 1), None),
        (TurnProgress(2, 10, promised=True, scan="open", barren=50), None),
        (TurnProgress(10, 10), "max_turns"),
        (TurnProgress(10, 10, promised=True, scan="open"), "max_turns"),
        (TurnProgress(3, 10, synthesized=True), "synthesized"),
        (TurnProgress(3, 10, promised=True, scan="open", synthesized=True), None),
        (TurnProgress(3, 10, empty=1), None),
        (TurnProgress(3, 10, empty=2), "nothing_directed"),
        (TurnProgress(1, 10, planner_failed=True), "no_planner"),
        (TurnProgress(1, 10, stopped="max_calls"), "stopped"),
    ],
)
def test_each_rule_of_ending(now: TurnProgress, expected: str | None) -> None:
    assert cause(now) == expected


EVERY = [
    TurnProgress(turn, 4, promised, scan, barren, confidence, synthesized, empty, failed, stopped)  # type: ignore[arg-type]
    for turn, promised, scan, barren, confidence, synthesized, empty, failed, stopped in product(
        (1, 4),
        (False, True),
        SCANS,
        (0, 3, 9),
        (None, 0.2, 0.9),
        (False, True),
        (0, 1, 2),
        (False, True),
        ("", "max_time"),
    )
]


def test_a_promised_scan_is_ended_by_nothing_but_its_end_or_a_limit() -> None:
    open_promises = [now for now in EVERY if now.promised and now.scan in ("none", "open")]
    causes = {cause(now) for now in open_promises}
    assert causes == {None, "stopped", "max_turns", "nothing_directed", "no_planner"}
    assert [now for now in EVERY if now.owes_a_scan] == open_promises, "the synthesizer waits for it"


def test_a_limit_always_ends_it() -> None:
    assert all(cause(now) == "stopped" for now in EVERY if now.stopped)
    assert all(ending(now) is not None for now in EVERY if now.turn >= now.max_turns)


def test_it_goes_on_only_while_no_rule_holds() -> None:
    for now in EVERY:
        if ending(now) is not None:
            continue
        assert not now.stopped and now.turn < now.max_turns and now.empty < 2 and not now.planner_failed
        assert now.scan != "capped"
        if now.promised:
            assert now.scan in ("none", "open")
        else:
            assert not now.synthesized and now.barren < MOST_BARREN and (now.confidence or 0.0) < 0.7


def test_every_ending_says_why() -> None:
    assert all(isinstance(ended, Ended) and ended.reason for now in EVERY if (ended := ending(now)))
