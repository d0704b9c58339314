"""What a client may ask for says what it means, and only that."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from fathom.limits import Limits
from fathom.sessions.requests import SessionConfig


def test_only_the_limits_that_were_given_are_changed() -> None:
    config = SessionConfig.model_validate({"limits": {"max_time": "2m", "max_records": None}, "max_iterations": 15})
    assert config.changed_limits == {"max_time": 120.0, "max_records": None, "max_subtasks": 15}


@pytest.mark.parametrize("name", [name for name, field in Limits.model_fields.items() if field.annotation is not bool])
def test_no_limit_that_counts_is_a_truth_value(name: str) -> None:
    with pytest.raises(ValidationError):
        SessionConfig.model_validate({"limits": {name: True}})


@pytest.mark.parametrize(("given", "mode"), [(True, "hierarchical"), (False, "simple"), (None, "auto")])
def test_the_mode_may_be_given_as_whether_to_plan(given: bool | None, mode: str) -> None:
    assert SessionConfig(enable_hierarchical=given).wanted_mode == mode


@pytest.mark.parametrize(
    "config", [{"enable_hierarchical": True, "mode": "simple"}, {"max_iterations": 3, "limits": {"max_subtasks": 2}}]
)
def test_what_is_said_twice_is_refused(config: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="give one of them"):
        SessionConfig.model_validate(config)


def test_documents_that_are_left_out_are_not_named() -> None:
    with pytest.raises(ValidationError, match="leave documents out"):
        SessionConfig.model_validate({"knowledge": False, "documents": ["0" * 12]})
    assert SessionConfig.model_validate({"knowledge": False, "kb": "notes"}).kb == "notes"  # it belongs there still
