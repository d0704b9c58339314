"""What is typed into a terminal about a plan, and the commands that tell a run something."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fathom.cli.planning import Proposal
from fathom.errors import UsageError
from fathom.plan import Subtask
from fathom.steering import Answer, Approval, check_answer, edited
from tests.cli.conftest import Call

PARTS = (
    Subtask(subtask_id="task_1", description="How does it work?", priority=1),
    Subtask(subtask_id="task_2", description="費用はいくらか", priority=2),
    Subtask(subtask_id="task_3", description="When does it fail?", dependencies=("task_1",), priority=3),
)


def typed(*lines: str, about: str = "plan") -> Answer | None:
    """What comes of lines that are typed below a plan."""
    proposal = Proposal(Approval.model_validate({"id": "plan_1", "about": about, "proposed": PARTS}))
    said = None
    for line in lines:
        assert said is None
        said = proposal.take(line)
    return said


def plan_of(said: Answer | None) -> list[tuple[str, tuple[str, ...]]]:
    """The plan that an answer makes, each part with those that it waits for."""
    assert said is not None
    check_answer(Approval(id="plan_1", about="plan", proposed=PARTS), said, most=20)
    made = edited(PARTS, said.parts)
    told = {each.subtask_id: each.description for each in made}
    return [(each.description, tuple(told[id] for id in each.dependencies)) for each in made]


def test_a_plan_is_accepted_rejected_and_made_again() -> None:
    assert typed("a") == typed("accept") == Answer(decision="accept")
    assert typed("q") == Answer(decision="reject")
    assert typed("again but leave the costs out") == Answer(decision="again", remark="but leave the costs out")


def test_a_plan_is_edited_line_by_line() -> None:
    said = typed("r 2 導入の費用は？", "+ Who decides?", "d 1", "m 3 1", "2 after 1", "i 2 .5", "a")
    assert plan_of(said) == [
        ("Who decides?", ()),
        ("導入の費用は？", ("Who decides?",)),
        ("When does it fail?", ()),
    ]
    assert said is not None and edited(PARTS, said.parts)[1].estimated_importance == 0.5


def test_a_part_that_is_added_and_dropped_again_leaves_the_plan_as_it_was() -> None:
    assert typed("+new", "d 4", "a") == Answer(decision="accept")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "x",
        "r 9 words",
        "r 2",
        "d 0",
        "d two",
        "m 1",
        "m 1 9",
        "2 after 7",
        "1 after 3",
        "i 1 2",
        "+",
        "again",
        "r 1 \x07",
    ],
)
def test_what_cannot_be_done_changes_nothing(line: str) -> None:
    proposal = Proposal(Approval(id="plan_1", about="plan", proposed=PARTS))
    before = [*proposal.lines()]
    with pytest.raises(UsageError):
        proposal.take(line)
    assert [*proposal.lines()] == before and proposal.take("a") == Answer(decision="accept")


def test_only_a_plan_is_edited() -> None:
    for line in ("d 1", "again but not so", "r 1 x"):
        with pytest.raises(UsageError):
            typed(line, about="drilldown")
    assert typed("q", about="revision") == Answer(decision="reject")


def test_the_wrong_words_are_one_line(call: Call, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    for text, says in (
        ("{", "is not JSON"),
        ("{}", "holds no array"),
        ('[{"descriptio": "x"}]', "part 1, description"),
        ('["x"]', "part 1"),
    ):
        plan.write_text(text, encoding="utf-8")
        code, _, err = call("approve", "run_none", "--edit", plan)
        assert (code, err.count("\n")) == (2, 1) and says in err
    for arguments in (
        ("approve", "run_none"),
        ("approve", "run_none", "--again", " "),
        ("approve", "run_none", "--reject", "--show"),
        ("approve", "run_none", "--edit", tmp_path / "none.json"),
        ("steer", "run_none", "skip", "task_1"),
        ("steer", "run_none", "dance"),
        ("research", "x?", "--docs", tmp_path, "--approve", "plans"),
        ("research", "x?", "--docs", tmp_path, "--approval-time", "soon"),
        ("research", "x?", "--docs", tmp_path, "--static-plan", "--max-depth", "3"),
    ):
        code, out, err = call(*arguments)
        assert (code, out, err.count("\n")) == (2, "", 1), (arguments, err)


def test_a_run_that_has_ended_is_told_nothing(call: Call, notes: Path) -> None:
    assert call("research", "How is a name looked up?", "--docs", notes, "--static-plan")[0] == 0
    [run] = json.loads(call("runs", "--format", "json")[1])
    assert (run["limits"]["max_depth"], run["limits"]["max_revisions"]) == (1, 0)
    for arguments in (("approve", run["run_id"]), ("steer", run["run_id"], "write")):
        code, _, err = call(*arguments)
        assert (code, err.count("\n")) == (1, 1)
    assert json.loads(call("approve", run["run_id"], "--show", "--format", "json")[1]) == []


def test_nobody_answers_and_the_run_goes_on_and_says_so(call: Call, notes: Path) -> None:
    question = "How is a name looked up in a scope, and how are exceptions raised and handled?"
    code, out, err = call("research", question, "--docs", notes, "--approve", "plan", "--approval-time", "1s")
    assert code == 0 and "`fathom approve run_" in err and "nobody has answered in time" in err
    assert "Approvals that nobody gave in time" in out
