"""A run's events, folded into what a person sees."""

from __future__ import annotations

import io
from typing import get_args

import pytest
from pydantic import BaseModel
from rich.console import Console

from fathom.cli.live import LiveTree
from fathom.cli.terminal import duration
from fathom.events import (
    Checked,
    DocumentShown,
    DrilledDown,
    Event,
    Extracted,
    Failed,
    LeftOut,
    NewFinding,
    PageLeftOut,
    PageRead,
    Planned,
    Routed,
    RunStarted,
    SectionDrafted,
    SectionWritten,
    StoodIn,
    StoredEvent,
    SubtaskEnded,
    SubtaskStarted,
    WebSearched,
)
from fathom.findings import DepthEvaluation
from fathom.plan import MasterPlan, Subtask
from fathom.sessions.progress import DRAFT_SHOWN, RunProgress, counts
from fathom.steering import Approval

ONE = Subtask(subtask_id="task_1", description="What is a name?")
TWO = Subtask(subtask_id="task_2", description="What is a scope?", dependencies=("task_1",))
CHILD = Subtask(subtask_id="task_1.1", parent_id="task_1", depth=1, description="What binds a name?")
PLAN = MasterPlan(is_complex=True, execution_mode="hierarchical", strategy="aspect", subtasks=(ONE, TWO))

ESCAPES = "\x1b]0;owned\x07\x1b[2J[red]x[/red]\r\n\u202e"


def stored(event: Event, seq: int = 1) -> StoredEvent:
    return StoredEvent(run_id="run_1", seq=seq, at="2026-01-01T00:00:00+00:00", event=event)


def view_of(*events: Event) -> RunProgress:
    view = RunProgress()
    for seq, event in enumerate(events, 1):
        view.take(stored(event, seq))
    return view


def example(kind: type[BaseModel], text: str) -> Event:
    """An event of that kind whose every text is `text`."""
    special = {
        "plan": PLAN,
        "subtask_id": "task_1",
        "evaluation": DepthEvaluation(is_sufficient=False, depth_quality="superficial", missing=(text,)),
        "children": (CHILD.model_copy(update={"description": text}),),
        "status": "partial",
        "queries": {"knowledge": (text,)},
        "added": (TWO,),
        "removed": ("task_2",),
        "priority_changes": {"task_1": 2},
        "weak": ("task_1",),
        "not_found": (),
        "sections": (text,),
        "tools": (text,),
        "agents": (text,),
        "refused": {text: text},
        "records": 3,
        "matched": 3,
        "shown": (NewFinding(finding_id=text, claim=text, title=text, uri=text),),
        "named": (DocumentShown(title=text, uri=text, kind="web"),),
        "cost_usd": 3.5,
        "doubts": {"task_1": ("contradicted",)},
        "approval": Approval(id=text, about="drilldown", subtask_id="task_1", reason=text, until=text),
        "approval_id": text,
        "about": "plan",
        "decision": "accept",
        "by": "time",
        "command": "skip",
    }
    values = {
        name: special.get(name, {str: text, int: 3, bool: True}.get(field.annotation, text))  # type: ignore[arg-type]
        for name, field in kind.model_fields.items()
        if name != "kind"
    }
    return kind(**values)  # type: ignore[return-value]


KINDS = get_args(get_args(Event)[0])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_event_can_steer_the_terminal(kind: type[BaseModel]) -> None:
    view = view_of(Planned(plan=PLAN))
    line = view.take(stored(example(kind, ESCAPES)))

    screen = Console(file=io.StringIO(), width=200, height=30, color_system=None, force_terminal=False)
    screen.print(LiveTree(view, screen)._picture())
    shown = screen.file.getvalue()  # type: ignore[attr-defined]

    for text in (line or "", shown):
        assert not set(text) & set("\x1b\x07\r\u202e")
    assert "\n" not in (line or "")


def test_children_stand_behind_their_parent_and_ten_behind_nine() -> None:
    tenth = Subtask(subtask_id="task_10", description="And then?")
    plan = PLAN.model_copy(update={"subtasks": (ONE, TWO, tenth)})

    view = view_of(Planned(plan=plan), DrilledDown(subtask_id="task_1", children=(CHILD,)))

    assert [row.subtask_id for row in view.tree()] == ["task_1", "task_1.1", "task_2", "task_10"]


def test_a_row_tells_what_its_subtask_is_doing_and_what_it_found() -> None:
    view = view_of(
        Planned(plan=PLAN),
        SubtaskStarted(subtask_id="task_1", description=ONE.description),
        Extracted(subtask_id="task_1", findings=3, total=5),
        Routed(subtask_id="task_1", decision="drill_down", reason="superficial"),
    )

    row = view.rows["task_1"]
    assert (row.status, row.doing, row.findings) == ("researching", "goes deeper", 5)
    assert view.rows["task_2"].status == "pending"


def test_a_run_that_is_taken_up_again_waits_for_what_was_under_way() -> None:
    view = view_of(
        Planned(plan=PLAN),
        SubtaskStarted(subtask_id="task_1", description=ONE.description),
        SubtaskStarted(subtask_id="task_2", description=TWO.description),
        SubtaskEnded(subtask_id="task_1", status="completed", findings=2),
        RunStarted(query="q", resumed=True),
    )

    assert [row.status for row in view.tree()] == ["completed", "pending"]


def test_the_tree_fits_the_terminal_and_says_what_it_hides() -> None:
    plan = PLAN.model_copy(
        update={"subtasks": tuple(Subtask(subtask_id=f"task_{n}", description=f"Part {n}") for n in range(1, 41))}
    )
    view = view_of(Planned(plan=plan), SubtaskStarted(subtask_id="task_33", description="Part 33"))
    screen = Console(file=io.StringIO(), width=100, height=12, color_system=None, force_terminal=False)

    screen.print(LiveTree(view, screen)._picture())

    shown = screen.file.getvalue()  # type: ignore[attr-defined]
    assert shown.count("\n") <= 12
    assert "Part 33" in shown and "33 rows hidden" in shown


def test_the_tree_shows_the_end_of_a_section_until_it_is_written() -> None:
    drafted = [SectionDrafted(heading="Scopes", text=f"Sentence {number} of the draft.") for number in range(40)]
    view = view_of(Planned(plan=PLAN), *drafted)
    screen = Console(file=io.StringIO(), width=100, height=20, color_system=None, force_terminal=False)

    screen.print(LiveTree(view, screen)._picture())

    assert "Sentence 39 of the draft." in screen.file.getvalue()  # type: ignore[attr-defined]
    assert len(view.drafts["Scopes"]) <= DRAFT_SHOWN
    view.take(stored(SectionWritten(heading="Scopes", statements=40)))
    assert view.drafts == {}


def test_a_log_tells_a_section_when_it_stands_and_not_while_it_is_drafted() -> None:
    view = RunProgress()
    assert view.take(stored(SectionDrafted(heading="Scopes", text="A scope"))) is None
    assert view.take(stored(SectionWritten(heading="Scopes", statements=2))) == "Written: Scopes (2 statements)."


def test_what_a_model_could_not_do_is_told_in_a_line() -> None:
    view = RunProgress()
    stood_in = view.take(stored(StoodIn(subtask_id="task_1", call="ExtractFindings", reason="no JSON after 3 tries")))
    assert stood_in == "task_1: ExtractFindings answered without the model: no JSON after 3 tries"
    again = view.take(stored(StoodIn(call="OutlineReport", reason="no JSON after 3 tries")))
    assert again == "run: OutlineReport answered without the model: again, for the same reason."
    left_out = view.take(stored(LeftOut(call="OutlineReport", count=1)))
    assert left_out == "run: OutlineReport has no room for 1 item, the least relevant."
    assert view.troubles == [stood_in, again, left_out]


def test_a_failure_is_told_by_the_command_and_not_twice() -> None:
    view = RunProgress()
    assert view.take(stored(Failed(error="the disk is full"))) is None
    assert view.error == "the disk is full"


def test_counts_leave_out_what_there_is_none_of() -> None:
    assert counts(Checked(supported=4, unsupported=1)) == "4 supported, 1 unsupported"


@pytest.mark.parametrize(("seconds", "text"), [(0.2, "0 s"), (59.9, "59 s"), (125, "2:05"), (3725, "1:02:05")])
def test_durations_read_as_a_clock(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_run_that_was_taken_up_again_has_no_error_any_more() -> None:
    started = RunStarted(query="What is a name?", resumed=False)
    assert view_of(started, Failed(error="no source answered")).error == "no source answered"
    assert view_of(started, Failed(error="no source answered"), RunStarted(query="?", resumed=True)).error is None


def test_what_is_asked_of_the_web_before_there_is_a_plan_is_told() -> None:
    view = view_of(
        RunStarted(query="What is a name?"),
        WebSearched(provider="searxng", query="name", hits=5),
        PageRead(url="https://example.org/a", title="A", characters=9),
        PageRead(url="https://example.org/b", title="B", characters=9, cached=True),
    )
    assert (view.phase, view.pages) == ("asking searxng", 2)
    screen = Console(file=io.StringIO(), width=100)
    screen.print(LiveTree(view, screen)._picture())
    assert isinstance(screen.file, io.StringIO)
    assert "2 pages" in screen.file.getvalue()
    view.take(stored(RunStarted(query="What is a name?", resumed=True), 5))
    assert view.pages == 0


def test_a_page_that_is_left_out_is_named_once() -> None:
    url = "https://example.org/wall"
    view = RunProgress()
    for reason in (f"{url} may not be read: HTTP 403.", "may not be read: HTTP 403."):
        line = view.take(stored(PageLeftOut(url=url, reason=reason)))
        assert line is not None
        assert line.count(url) == 1
        assert line.endswith("may not be read: HTTP 403.")
