"""Steps of a histogram in time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.render.steps import positions


@pytest.mark.parametrize(
    ("steps", "missing"),
    [
        (["2021", "2023"], ["2022"]),
        (["2021-01-01", "2023-01-01"], ["2022-01-01"]),
        (["2023-Q3", "2024-Q1"], ["2023-Q4"]),
        (["2023-11", "2024-01"], ["2023-12"]),
        (["2023-11-01", "2023-12-01", "2024-02-01"], ["2024-01-01"]),
        (["2024-02-28", "2024-03-01"], ["2024-02-29"]),
        (["2024-01-01", "2024-01-08", "2024-01-22"], ["2024-01-15"]),
        (["2024-01-01T22", "2024-01-02T00"], ["2024-01-01T23"]),
        (["spring", "autumn"], []),
        (["2024-02-28", "2024-02-30"], []),
        (["2024", "2024-02"], []),
        (["0001-01-02", "9999-12-31"], []),
    ],
)
def test_missing_steps_of_every_width_are_put_in(steps: list[str], missing: list[str]) -> None:
    placed = positions(steps)
    assert sorted(set(placed) - set(steps)) == missing
    assert list(placed.values()) == sorted(placed.values())


@given(st.lists(st.dates().map(str) | st.sampled_from(["2024-Q1", "1999", "", "2024-13", "\x00"]), max_size=6))
def test_every_step_has_a_place_of_its_own(steps: list[str]) -> None:
    placed = positions(steps)
    assert set(steps) <= set(placed)
    assert len(set(placed.values())) == len(placed)
