"""What the tools do: each turns its arguments into one thing done with sessions, and tells what came of it."""

from __future__ import annotations

from fathom import wiring
from fathom.limits import Limits
from fathom.mcp_server import inputs, outputs, reports, sources
from fathom.mcp_server.fitting import MOST, fitting, size, slice_fitting
from fathom.mcp_server.following import Tell, Watched, line_of, watched
from fathom.outcomes import in_thread
from fathom.sessions.listings import DocumentPage
from fathom.sessions.requests import CheckRequest, FollowUpRequest, ForkRequest, SessionConfig, SessionRequest
from fathom.sessions.service import Sessions
from fathom.settings import Settings
from fathom.steering import Answer
from fathom.text.harmless import inert
from fathom.text.places import portable
from fathom.wiring.models import model_name
from fathom.wiring.readings import marked_source, report_if_any

LINES = 20
"""Lines of what has happened that a call tells which has waited for the report."""
MOST_LINES = 200
"""Lines that `follow` tells at once."""
MOST_SUBTASKS = 200
MOST_NAMES = 200


class ToolHandlers:
    """Where calls are answered. It keeps nothing: what it tells comes out of the store."""

    def __init__(self, sessions: Sessions, fathom: wiring.Fathom) -> None:
        self._sessions = sessions
        self._store = fathom.store
        self._settings: Settings = fathom.settings

    # ── Sessions ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def research(self, given: inputs.Research, tell: Tell) -> outputs.Researched:
        """Start a session, and wait for it."""
        run, _ = await self._sessions.create(self._request(given))
        return await self._waited(run.run_id, given.wait_seconds, given.format, tell)

    async def ask(self, given: inputs.Ask, tell: Tell) -> outputs.Researched:
        """Start a session that follows another one, and wait for it."""
        limits = Limits.model_validate(given.limits)
        request = FollowUpRequest(query=given.question, about=given.about, limits=limits)
        run, _ = await self._sessions.ask(given.session_id, request)
        return await self._waited(run.run_id, given.wait_seconds, given.format, tell)

    async def plan(self, given: inputs.Question, _: Tell) -> outputs.PlanTold:
        """Say how a question would be answered."""
        prospect = await self._sessions.estimate(self._request(given))
        subtasks = [
            outputs.PlannedSubtask.like(
                each, description=inert(each.description, width=300), reason=inert(each.reason, width=300)
            )
            for each in prospect.plan.subtasks[:MOST_SUBTASKS]
        ]
        start = f"`resume` with session_id {prospect.run_id} starts it." if prospect.run_id else "`research` starts it."
        return outputs.PlanTold(
            mode=prospect.plan.execution_mode,
            strategy=inert(prospect.plan.overall_strategy, width=1_000),
            subtasks=tuple(subtasks),
            estimate=prospect.estimate,
            sends_to=prospect.destinations,
            session_id=prospect.run_id,
            next=f"Nothing was researched. {start}",
        )

    async def resume(self, given: inputs.Resume, tell: Tell) -> outputs.Researched:
        """Go on with a session, and wait for it."""
        id = given.session_id
        news = (await self._store.news({id: 0}, limit=0)).get(id)
        await self._sessions.resume(id, limits=given.limits or None)
        after = news.last if news else 0
        return await self._waited(id, given.wait_seconds, given.format, tell, after=after)

    async def update(self, given: inputs.Resume, tell: Tell) -> outputs.Researched:
        """Start a session again over what its sources hold today, and wait for it."""
        request = ForkRequest(update=True, limits=Limits.model_validate(given.limits))
        run, _ = await self._sessions.fork(given.session_id, request)
        return await self._waited(run.run_id, given.wait_seconds, given.format, tell)

    async def compare(self, given: inputs.Compare, _: Tell) -> outputs.ComparedTold:
        """Tell what has changed between two reports."""
        from fathom.render.comparison import markdown

        comparison = await self._sessions.compare(given.session_id, given.earlier_id)
        text = await in_thread(markdown.render, comparison)
        shown = slice_fitting(text, MOST - 2_000)
        left = f"{len(text) - len(shown):,} characters of the text." if shown != text else ""
        return outputs.ComparedTold(unchanged=comparison.unchanged, text=shown, left_out=left)

    async def cancel(self, given: inputs.OneSession, _: Tell) -> outputs.Heard:
        """Have a session finish early."""
        run = await self._sessions.cancel(given.session_id)
        state = (await watched(self._store, run.run_id)).state
        said = "It has ended already." if state.done else "It writes a report of what was found: `follow` it."
        return outputs.Heard(session=state, next=said)

    async def approvals(self, given: inputs.OneSession, _: Tell) -> outputs.ApprovalsTold:
        """Say what a session waits for."""
        run = await self._sessions.get(given.session_id)
        waits = fitting(run.waiting_for, MOST - 1_000)
        return outputs.ApprovalsTold(
            approvals=waits, next="Ask the user, then `answer`." if waits else "It waits for nothing: `follow` it."
        )

    async def answer(self, given: inputs.AnswerApproval, _: Tell) -> outputs.Heard:
        """Answer what a session waits for."""
        await self._sessions.answer(given.session_id, Answer.like(given), given.approval_id)
        state = (await watched(self._store, given.session_id)).state
        return outputs.Heard(session=state, next="It goes on: `follow` it.")

    async def steer(self, given: inputs.Steer, _: Tell) -> outputs.Heard:
        """Tell a session what to do otherwise."""
        await self._sessions.steer(given.session_id, given.command, given.subtask_id)
        state = (await watched(self._store, given.session_id)).state
        return outputs.Heard(session=state, next="It hears that within seconds: `follow` it.")

    async def follow(self, given: inputs.Follow, tell: Tell) -> outputs.Followed:
        """Tell what has happened in a session, and wait for more."""
        run = await self._sessions.get(given.session_id)
        seen = await watched(self._store, run.run_id, after=given.after, wait=given.wait_seconds, tell=tell)
        lines = seen.lines[:MOST_LINES]
        has_more = len(seen.lines) > MOST_LINES
        subtasks = fitting(seen.subtasks, MOST // 3)
        left = len(seen.subtasks) - len(subtasks)
        return outputs.Followed(
            session=seen.state,
            lines=tuple(lines),
            last_event=lines[-1].seq if has_more else max(seen.last_event, given.after),
            has_more=has_more,
            subtasks=subtasks,
            left_out=f"{left} sub-questions are left out." if left else "",
            next=_next(seen),
        )

    async def list_sessions(self, given: inputs.ListSessions, _: Tell) -> outputs.SessionsTold:
        """List sessions."""
        runs = await self._store.runs(
            limit=given.limit + 1,
            before=given.before,
            statuses=given.statuses,
            text=given.text,
            kb=given.knowledge_base or "",
        )
        lines = fitting([line_of(run, width=300) for run in runs[: given.limit]], MOST - 1_000)
        return outputs.SessionsTold(
            sessions=lines, before=lines[-1].session_id if lines and len(runs) > len(lines) else None
        )

    # ── Reports and their sources ──────────────────────────────────────────────────────────────────────────────────

    async def report(self, given: inputs.GetReport, _: Tell) -> outputs.ReportTold:
        """Return the report of a session."""
        run = await self._sessions.get(given.session_id)
        report = await self._sessions.report(run.run_id)
        return await in_thread(
            reports.told,
            report,
            run.status,
            format=given.format,
            claims_from=given.claims_from,
            text_from=given.text_from,
        )

    async def source(self, given: inputs.GetSource, _: Tell) -> outputs.SourceTold:
        """Show a source of a report."""
        report = await self._sessions.report(given.session_id)
        id, evidence = sources.source_named(report, given.source_id)
        marked = await marked_source(self._store, report.run_id, id)
        return sources.stretch(marked, report, evidence=evidence, start=given.start, length=given.length)

    # ── What can be asked ──────────────────────────────────────────────────────────────────────────────────────────

    async def search_knowledge(self, given: inputs.SearchKnowledge, _: Tell) -> outputs.Found:
        """Find passages in a knowledge base."""
        name = given.knowledge_base or self._settings.kb
        found = await self._sessions.library.search(name, given.query, limit=given.limit)
        return sources.passages(found, knowledge_base=name)

    async def check(self, given: inputs.Check, _: Tell) -> outputs.CheckTold:
        """Hold a text against documents."""
        limits = Limits.model_validate(given.limits)
        request = CheckRequest(text=given.text, kb=given.knowledge_base, documents=given.documents, limits=limits)
        return sources.checked(await self._sessions.check(request))

    async def list_sources(self, given: inputs.ListSources, _: Tell) -> outputs.Offered:
        """Say what research can ask."""
        library, settings = self._sessions.library, self._settings
        known = await library.knowledge_bases()
        name = given.knowledge_base or settings.kb
        if any(each.name == name and each.documents == 0 for each in known):  # it may not be there at all
            page = DocumentPage(documents=(), total=0, next=None)
        else:
            page = await library.documents(name, text=given.text, limit=given.limit, after=given.after)
        offered = outputs.Offered(
            knowledge_bases=tuple(map(outputs.KnowledgeBaseTold.like, known[:MOST_NAMES])),
            knowledge_base=name,
            documents=(),
            documents_total=page.total,
            after=page.next,
            datasets=tuple(each.name for each in (await library.datasets.listed(name))[:MOST_NAMES]),
            web=not settings.no_web,
            web_by_default=settings.web and not settings.no_web,
            model=model_name(settings),
        )
        listed = [outputs.DocumentTold.like(each, title=inert(each.title, width=200)) for each in page.documents]
        kept = fitting(listed, MOST - size(offered) - 1_000)
        after = kept[-1].id if len(kept) < len(listed) else page.next
        return offered.model_copy(update={"documents": kept, "after": after})

    # ── ────────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _request(self, given: inputs.Question) -> SessionRequest:
        """A question as the service takes it."""
        web = self._settings.web and not self._settings.no_web if given.web is None else given.web
        limits = Limits.model_validate(given.limits)
        config = SessionConfig.like(given, kb=given.knowledge_base, web=web, limits=limits)
        return SessionRequest(query=given.question, config=config)

    async def _waited(
        self, run_id: str, wait: float, format: inputs.Format, tell: Tell, *, after: int = 0
    ) -> outputs.Researched:
        """How a session stands, once it has ended or the time is up."""
        seen = await watched(self._store, run_id, after=after, wait=wait, tell=tell)
        report = await report_if_any(self._store, run_id) if not seen.run.is_active else None
        lines = tuple(each.line for each in seen.lines[-LINES:])
        result = outputs.Researched(
            session=seen.state, report=None, progress=lines, last_event=seen.last_event, next=_next(seen)
        )
        if report is None:
            return result
        short = result.model_copy(update={"progress": lines[-3:]})  # the report says more
        shown = await in_thread(
            reports.told, portable(report), seen.run.status, format=format, room=MOST - size(short) - 500
        )
        return short.model_copy(update={"report": shown})


def _next(seen: Watched) -> str:
    """What a caller does with a session that stands so."""
    match seen.run.status:
        case "running" if seen.run.waiting_for:
            return "It waits for the user: `approvals` says what for, `answer` answers it."
        case "queued" | "running":
            return f"It goes on: `follow` it with session_id {seen.run.run_id} and after={seen.last_event}."
        case "planned":
            return "Only its plan is made: `resume` starts it."
        case "completed" if seen.run.standing != "completed":
            return "Nothing was found: `list_sources` says what can be asked, `research` asks in other words."
        case "completed" if seen.run.earlier:
            return "`compare` tells what has changed since."
        case "completed":
            return "`report` returns it in other forms, `source` shows a quote in its context."
        case "partial":
            return "`report` returns what was found, `resume` goes on with higher limits."
        case "failed":
            return "Its error says what to change; `resume` tries again."
