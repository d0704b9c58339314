"""Reads every record that matches, page by page; or, when groups are meant, samples of each group at once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fathom.data.fields import DataTool
from fathom.data.met import FETCHED, PAGED
from fathom.data.paging import Paging
from fathom.data.requests import PAGE_SIZE, SAMPLES, DataRequest, Scalar
from fathom.data.tooling import Choice, of_table, reading_tools
from fathom.data.turns import AgentName, RecordsRead, Scan, ToolAnswer
from fathom.engine.data.agent import AgentContext
from fathom.engine.data.ending import MOST_BARREN
from fathom.engine.data.reading import RecordBatch, batch_of, each_kept, most_of_a_batch, read
from fathom.engine.data.state import DatasetState, RecordPage, conditions_of
from fathom.errors import LimitReached
from fathom.findings import Finding
from fathom.outcomes import both

MOST_AT_HAND = 1_000
"""Findings of a scan that are held before those are let go of that are not kept."""


class Scanner:
    """Fetches a page while the one before is read, keeps their order, and goes on where it was."""

    name: AgentName = "scanner"
    fetches = True
    reads = True
    line = (
        "Reads the records that match, every one of them, page by page, for findings; with group_by and "
        "samples_per_bucket a few of each group instead. Without a request of its own it reads what the last count has "
        "counted."
    )

    async def run(self, agent: AgentContext, call: Scan) -> RecordsRead:
        """What the records say; the tools one after the other, each from where it was left."""
        request, besides, conditions, (tools, _) = meant(agent.dataset, call)
        agent.outcome.request, agent.outcome.besides = request, besides
        so_far = _SoFar()
        for number, tool in enumerate(tools):
            if call.by_samples and request.group_by:
                await _samples(agent, call, tool, request, so_far, number)
            else:
                await _Pages(agent, call, tool, request, so_far, number, alone=len(tools) == 1).scan()
            if so_far.stopped:
                break
        scans = [agent.dataset.records.scans.get((tool.name, conditions)) for tool in tools]
        agent.outcome.stopped = so_far.stopped
        return RecordsRead(
            records=so_far.scanned,
            findings=len(each_kept(agent, so_far.findings)),
            complete=bool(scans) and all(scan is not None and scan.complete for scan in scans),
        )


class Meant(NamedTuple):
    """What a scan reads."""

    request: DataRequest
    besides: Mapping[str, Any]
    """Arguments that only the tool in force understands, when what that one has counted is read."""
    conditions: str
    choice: Choice
    """The tools, and why others cannot serve."""


def meant(dataset: DatasetState, call: Scan) -> Meant:
    """What the call asks for, or the request in force, of the table that is described unless it names one.

    Groups stay only when they are meant. The tools are those that it names, or the one in force if it returns pages.
    """
    is_bare, names = call.request == DataRequest(), call.tool_names
    last = dataset.in_force
    own = of_table(dataset.description, last.request if is_bare and not call.by_samples else call.request)
    request = own if call.by_samples and own.group_by else own.as_pages(call.batch_size)
    besides = last.besides if is_bare and not call.by_samples and not names else {}
    if is_bare and not names:
        in_force = (tool for tool in dataset.description.tools if tool.name == last.tool)
        names = tuple(tool.name for tool in in_force if tool.profile.pages or tool.profile.page_size)[:1]
    return Meant(request, besides, conditions_of(request, besides), reading_tools(dataset.description, names, request))


@dataclass
class _SoFar:
    """What one call has brought."""

    findings: list[Finding] = field(default_factory=list)
    scanned: int = 0
    stopped: str = ""


async def _samples(
    agent: AgentContext, call: Scan, tool: DataTool, request: DataRequest, so_far: _SoFar, number: int
) -> None:
    """One batch of samples of each group, and no pages."""
    dataset = agent.dataset
    request = request.model_copy(update={"samples_per_bucket": request.samples_per_bucket or SAMPLES})
    try:
        answer = await agent.fetch(tool, request, at=f"samples/{number}")
        if answer is None:
            return
        agent.outcome.answers.append(answer)
        if not answer.page:
            agent.outcome.errors.append(f"{tool.name}: no samples came with the groups")
            return
        page = RecordPage(answer.document(answer.page), conditions_of(request), request.table)
        if answer.matched is not None:
            dataset.records.matched[page.conditions] = answer.matched
        batch = await batch_of(agent.context, dataset, page)
        dataset.records.met.note(page.conditions, page.scope, batch.all_ids, FETCHED)
        most = dataset.limits.max_findings
        new = await read(agent, batch, at=f"read/{number}", focus=call.extraction_focus, most=most)
    except LimitReached as stop:
        so_far.stopped = stop.reason
        return
    if new is not None:
        so_far.scanned += len(batch.ids)
        so_far.findings += new


@dataclass
class _Pages:
    """One tool, page by page."""

    agent: AgentContext
    call: Scan
    tool: DataTool
    request: DataRequest
    so_far: _SoFar
    number: int
    alone: bool
    """Whether no other tool is read in the same call."""
    batches: int = 0
    matched: int | None = None
    """Records that the tool says match."""

    def __post_init__(self) -> None:
        self.dataset, self.records = self.agent.dataset, self.agent.dataset.records
        self.conditions = conditions_of(self.request, self.agent.outcome.besides)
        # of several tools, each has its own pages
        self.own = self.conditions if self.alone else f"{self.tool.name} {self.conditions}"
        self.at = self.records.scans.setdefault((self.tool.name, self.conditions), Paging(self.tool))
        self.size = min(self.call.batch_size, self.tool.profile.max_page_size or PAGE_SIZE, PAGE_SIZE)

    async def scan(self) -> None:
        """Until the last page, a limit, or a tool that does not get on."""
        if self.at.has_ended or not self._may_read():
            return
        answer = await self._fetch(self.at.request(self.request, size=self.size, left=self.records.left), self.agent)
        while answer is not None and not self.so_far.stopped:
            batch = await self._lay_out(answer)
            if batch is None:
                return
            following = self._following(answer, batch)
            # a page that may not be wanted any more is not fetched ahead
            is_last_chance = not self.dataset.notes.promised and self.dataset.round.barren + 1 >= MOST_BARREN
            if following is None or is_last_chance:
                went_well = await self._read(batch)
                answer = await self._fetch(following, self.agent) if following and went_well else None
            else:
                beside = self.agent.aside()
                answer, went_well = await both(self._fetch(following, beside), self._read(batch))
                self.agent.outcome.errors += beside.outcome.errors
                if answer is not None and not went_well:
                    await self._put_aside(answer)
                    answer = None

    def _may_read(self) -> bool:
        return self.records.left != 0 and (self.dataset.notes.promised or self.dataset.round.barren < MOST_BARREN)

    async def _fetch(self, request: DataRequest, agent: AgentContext) -> ToolAnswer | None:
        """The next page; a limit that cuts it off is taken down, so that what is read beside it is kept."""
        page = self.at.pages + 1
        try:
            answer = await agent.fetch(self.tool, request, at=f"page/{self._name(page)}")
        except LimitReached as stop:
            self.so_far.stopped = self.so_far.stopped or stop.reason
            return None
        if answer is None:
            self.at.end(f"failed at page {page}")
        return answer

    def _name(self, page: int) -> str:
        return f"{self.number}.{page}" if self.number else str(page)

    async def _lay_out(self, answer: ToolAnswer) -> RecordBatch | None:
        """The records of a page; `None` when it has none, or none that was not there before."""
        self.at.pages += 1
        self.batches += 1
        if answer.matched is not None:
            self.matched = answer.matched
            others = 0 if self.number == 0 else self.records.matched.get(self.conditions, 0)
            self.records.matched[self.conditions] = max(others, answer.matched)
        if answer.total is not None:
            self.records.total = answer.total
        if not answer.page:
            self._end("says that there is more, and returns nothing" if answer.has_more else "")
            return None
        page = RecordPage(answer.document(answer.page), self.conditions, self.request.table)
        batch = await batch_of(self.agent.context, self.dataset, page)
        new = self.records.met.note(self.own, page.scope, batch.all_ids, PAGED)
        if not self.alone:
            self.records.met.note(self.conditions, page.scope, batch.all_ids, FETCHED)
        if not new and answer.has_more:
            self._end("returns the same records again")
            return None
        return batch

    def _following(self, answer: ToolAnswer, batch: RecordBatch) -> DataRequest | None:
        """What asks for the next page; `None` when there is none, or none is wanted."""

        def is_new(cursor: tuple[Scalar, ...]) -> bool:
            name = json.dumps([self.tool.name, self.conditions, list(cursor)], ensure_ascii=False)
            return self.records.met.first_time("cursor", name)

        missing = None if self.matched is None else self.matched - self.records.met.paged[self.own]
        if not self.at.goes_on(answer, missing=missing, is_new=is_new):
            self._tell()
            return None
        left = None if self.records.left is None else self.records.left - len(batch.ids)
        if (left is not None and left <= 0) or self.batches == self.call.max_batches:
            return None
        return self.at.request(self.request, size=self.size, left=left)

    def _end(self, why: str) -> None:
        self.at.end(why)
        self._tell()

    def _tell(self) -> None:
        if self.at.blocked:
            self.agent.outcome.errors.append(f"scanner: {self.at.blocked}")

    async def _read(self, batch: RecordBatch) -> bool:
        """Read a page for findings. Returns whether to go on."""
        most = most_of_a_batch(self.dataset.limits.max_findings, self._batches_ahead())
        place = f"read/{self._name(self.at.pages)}"
        try:
            new = await read(self.agent, batch, at=place, focus=self.call.extraction_focus, most=most)
        except LimitReached as stop:
            self._set_aside(batch)
            self.so_far.stopped = self.so_far.stopped or stop.reason
            return False
        if new is None:
            self._set_aside(batch)
            self.dataset.remember_batch(0)
        else:
            self.so_far.scanned += len(batch.ids)
            self.so_far.findings += new
            if len(self.so_far.findings) > MOST_AT_HAND:  # what was let go of never comes back
                self.so_far.findings = list(each_kept(self.agent, self.so_far.findings))
        return self._may_read()

    def _batches_ahead(self) -> int:
        """Batches that the scan is expected to take as a whole."""
        known = self.records.matched.get(self.conditions, self.records.total)
        wanted = known if self.records.most is None else min(known or PAGE_SIZE, self.records.most)
        return -(-(wanted or self.size) // self.size)

    def _set_aside(self, batch: RecordBatch) -> None:
        """Keep a page that was not read for an extractor."""
        self.records.pages[batch.page.document.sha256] = batch.page

    async def _put_aside(self, answer: ToolAnswer) -> None:
        """A page that was fetched ahead and is not read any more still counts as fetched."""
        batch = await self._lay_out(answer)
        if batch is not None:
            self._set_aside(batch)
            self._following(answer, batch)
