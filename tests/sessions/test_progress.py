"""What a run's events amount to: in which of its parts it is, and what it has read."""

from __future__ import annotations

import pytest

from fathom.events import (
    Checked,
    DocumentShown,
    Event,
    Extracted,
    Finished,
    Gathered,
    NewFinding,
    Outlined,
    PageRead,
    Planned,
    RecordsScanned,
    Reflected,
    Routed,
    RunStarted,
    SectionWritten,
    Stopping,
    StoredEvent,
    ToolCalled,
    WebSearched,
)
from fathom.plan import MasterPlan, Subtask
from fathom.sessions.progress import RunProgress
from fathom.sessions.views import SOURCES_TOLD, Progress

PLAN = Planned(plan=MasterPlan(is_complex=False, subtasks=(Subtask(subtask_id="task_1", description="Why?"),)))
NOTES = "file:///home/ada/secret/notes.md"


def told(*events: Event) -> RunProgress:
    progress = RunProgress()
    for seq, event in enumerate(events, 1):
        progress.take(StoredEvent(run_id="run_1", seq=seq, at="2026-01-01T00:00:00+00:00", event=event))
    return progress


def found(id: str, *, title: str, uri: str, **more: str) -> Extracted:
    new = NewFinding.model_validate({"finding_id": id, "claim": "So.", "title": title, "uri": uri, **more})
    return Extracted(subtask_id="task_1", findings=1, total=1, shown=(new,))


def rows(*events: Event) -> list[tuple[str, str, str, int, int]]:
    sources = Progress.of(told(*events)).sources
    assert sources is not None
    return [(each.kind, each.title, each.host, each.records, each.findings) for each in sources]


def test_a_run_goes_through_four_stages_in_their_order() -> None:
    events: list[Event] = [
        RunStarted(query="Why?"),
        WebSearched(provider="searxng", query="why", hits=1),
        PLAN,
        Reflected(round=1, weak=("task_1",), not_found=()),
        Reflected(round=2, weak=(), not_found=()),
        Outlined(title="Why", sections=("One",)),
        SectionWritten(heading="One", statements=1),
        Routed(decision="check", reason=""),
        Checked(supported=1),
        Finished(words=1, sources=1, claims=1),
    ]
    stages = [told(*events[: n + 1]).stage for n in range(len(events))]
    assert stages == ["plan", "plan", "read", "read", "write", "write", "write", "check", "check", "check"]


@pytest.mark.parametrize(("so_far", "stage"), [((), "plan"), ((PLAN,), "read")])
def test_a_run_that_is_stopped_or_taken_up_again_is_where_it_was(so_far: tuple[Event, ...], stage: str) -> None:
    for last in (Stopping(reason="cancelled"), RunStarted(query="Why?", resumed=True)):
        assert told(RunStarted(query="Why?"), *so_far, last).stage == stage


def test_what_was_read_is_told_once_with_what_was_found_in_it_and_newest_first() -> None:
    page = "https://www.example.org/a"
    assert rows(
        Gathered(subtask_id="task_1", passages=2, documents=1, named=(DocumentShown(title="Notes", uri=NOTES),)),
        PageRead(url="https://example.org/old", title="A page", characters=9),
        ToolCalled(subtask_id="task_1", dataset="sales", tool="count", matched=9, records=0, groups=2),
        found("finding_1", title="A page", uri=page, kind="web"),
        found("finding_2", title="A page", uri=page, kind="web"),
        found("finding_2", title="A page", uri=page, kind="web"),
        found("finding_3", title="sales: by year", uri="file:///sales.csv", kind="dataset"),
        RecordsScanned(subtask_id="task_1", dataset="sales", scanned=40, matched=None, findings=1),
        RecordsScanned(subtask_id="task_2", dataset="sales", scanned=5, matched=None, findings=1),
    ) == [
        ("dataset", "sales", "", 45, 0),
        ("web", "A page", "example.org", 0, 2),
        ("file", "Notes", "", 0, 0),
    ]


def test_a_file_without_a_title_is_named_and_not_located() -> None:
    assert rows(found("finding_1", title="", uri=NOTES)) == [("file", "notes.md", "", 0, 1)]


def test_the_last_of_what_was_read_are_told_and_how_many_there_were() -> None:
    many = [PageRead(url=f"https://example.org/{n}", title=f"Page {n}", characters=9) for n in range(20)]
    far = Progress.of(told(*many))
    assert far.read == 20
    assert far.sources is not None
    assert [each.number for each in far.sources] == [*range(20, 20 - SOURCES_TOLD, -1)]


def test_what_a_viewer_knows_of_what_was_read_is_not_told_again() -> None:
    read: list[Event] = [RunStarted(query="Why?"), PLAN, PageRead(url="https://example.org/a", title="A", characters=9)]
    before, after = Progress.of(told(*read)), Progress.of(told(*read, Stopping(reason="cancelled")))
    assert after.since(before).sources is None
    assert after.since(None) == after
    assert Progress.of(told(*read, found("f", title="B", uri=NOTES))).since(before).sources is not None


def test_the_verdicts_are_told_in_words_and_what_is_doubted_is_not() -> None:
    checked = Checked.model_validate({"quoted": 2, "partial": 1, "doubts": {"task_1": ("contradicted",)}})
    stored = StoredEvent(run_id="run_1", seq=1, at="2026-01-01T00:00:00+00:00", event=checked)

    assert RunProgress().take(stored) == "Checked: 2 quoted, 1 partial."
