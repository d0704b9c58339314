"""A question of the seeds, asked of the real engine over a small corpus, with all that happened on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import fathom
from fathom.events import (
    Allocated,
    Assessed,
    DrilledDown,
    Event,
    Planned,
    PlanRevised,
    Routed,
    SubtaskEnded,
    SubtaskStarted,
)
from fathom.plan import MasterPlan
from fathom.report import Claim, Report, ReportSection
from fathom.settings import Settings, load_settings
from fathom.wiring import opened_store
from fathom_testing.little_web import LittleWeb
from tests.support.honest import faults_of

CORPORA = Path(__file__).parents[1] / "acceptance" / "corpora"
E = TypeVar("E")


@dataclass(frozen=True)
class Ran:
    """A whole run."""

    report: Report
    events: tuple[Event, ...]

    def of(self, kind: type[E]) -> list[E]:
        """The events of a kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def plan(self) -> MasterPlan:
        """The first plan."""
        return self.of(Planned)[0].plan

    @property
    def asked(self) -> dict[str, set[str]]:
        """The sources that each subtask asked, whatever the round."""
        asked: dict[str, set[str]] = {}
        for each in self.of(Allocated):
            asked.setdefault(each.subtask_id, set()).update(name for name, texts in each.queries.items() if texts)
        return asked

    @property
    def opened(self) -> list[str]:
        """The areas that subtasks were drilled into."""
        return [child.focus_area for each in self.of(DrilledDown) for child in each.children]

    @property
    def added(self) -> list[str]:
        """What revisions have added to the plan."""
        return [task.focus_area or task.description for each in self.of(PlanRevised) for task in each.added]

    @property
    def rounds(self) -> int:
        """Rounds of queries over the whole run, by subtask at most one first one."""
        return len(self.of(Allocated))

    @property
    def started(self) -> list[str]:
        """The subtasks, in the order in which they started."""
        return [each.subtask_id for each in self.of(SubtaskStarted)]

    @property
    def ended(self) -> dict[str, str]:
        """How each subtask ended."""
        return {each.subtask_id: each.status for each in self.of(SubtaskEnded)}

    @property
    def judged(self) -> set[str]:
        """The subtasks whose depth was assessed."""
        return {each.subtask_id for each in self.of(Assessed)}

    @property
    def routes(self) -> list[str]:
        """Where subtasks went, in order."""
        return [each.decision for each in self.of(Routed)]

    @property
    def sections(self) -> list[ReportSection]:
        """The sections with what is below them, in the order of the report."""
        return [each for section in self.report.sections for each in (section, *section.sections)]

    def told(self, *words: str) -> bool:
        """Whether a checked sentence with a citation holds all of the words."""
        return any(all(word in claim.text for word in words) for claim in self.cited)

    @property
    def cited(self) -> list[Claim]:
        """The sentences that cite something and were found to say what it says."""
        return [claim for claim in self.report.claims if claim.citations and claim.verified]

    def first(self, count: int) -> str:
        """The first cited sentences, as one text."""
        return " ".join(claim.text for claim in self.cited[:count])

    def kinds(self) -> set[str]:
        """Kinds of the sources that the report cites."""
        return {source.kind for source in self.report.sources if source.id in self.report.cited}


@contextmanager
def web_of(*folders: Path) -> Iterator[LittleWeb]:
    """A web that holds nothing but the files of the folders, each a site of its own."""
    with LittleWeb(generated=False) as web:
        for folder in folders:
            web.serve(folder, host=f"{folder.parent.name.replace('_', '-')}.localhost")
        yield web


async def ask(
    question: str,
    home: Path,
    *,
    documents: Path | None = None,
    data: Path | None = None,
    web: LittleWeb | None = None,
    settings: Mapping[str, Any] | None = None,
    before: Callable[[Settings], None] | None = None,
    replays: bool = True,
    **options: Any,
) -> Ran:
    """Research; the report is honest, and a replay gives it once more to the byte."""
    events: list[Event] = []
    with _environment(web):
        made = load_settings(home=home, web=web is not None, **(settings or {}))
        if before is not None:
            before(made)
        report = await fathom.research(
            question,
            documents=[documents] if documents else None,
            data=[data] if data else None,
            settings=made,
            on_event=lambda stored: events.append(stored.event),
            **options,
        )
        async with opened_store(made) as store:
            texts = {source.sha256: await store.snapshot(source.sha256) for source in report.sources}
        assert faults_of(report, texts) == []
        if replays:
            assert (await fathom.replay(report.run_id, settings=made)).model_dump_json() == report.model_dump_json()
    return Ran(report, tuple(events))


@contextmanager
def _environment(web: LittleWeb | None) -> Iterator[None]:
    import pytest

    with pytest.MonkeyPatch.context() as patch:
        for name, value in (web.environment() if web else {}).items():
            patch.setenv(name, value)
        yield


PERIODS = "日本のAI研究の歴史、現状、今後の展望について包括的なレポートを作成してください"


TOPIC = "日本のAI研究について"


WALK = (
    "日本のAI研究の歴史から現在、今後の展望について、技術的側面と社会的影響の両面から包括的なレポートを作成してください。"
    "特に第五世代コンピュータプロジェクトの影響と、現代のディープラーニングブームとの関連性について詳しく調査してください。"
)


AUTH = "Compare our authentication system with OAuth2 best practices and provide migration recommendations"
