"""What a question would take, and how a session goes about it."""

from __future__ import annotations

from fastapi import APIRouter, Request

from fathom.api.depends import OfFathom, OfSessions, SessionId, while_waited_for
from fathom.api.problems import WITH_A_BODY, documented
from fathom.events import Planned, PlanRevised
from fathom.frozen import FrozenModel
from fathom.plan import MasterPlan
from fathom.report import Estimate
from fathom.sessions.requests import SessionRequest
from fathom.wiring.leaving import Destination
from fathom.wiring.readings import report_if_any

router = APIRouter(prefix="/api/research", tags=["sessions"])


class Forecast(FrozenModel):
    """What research on a question would be like."""

    plan: MasterPlan
    """How it would be answered."""
    estimate: Estimate
    """What that would take."""
    destinations: tuple[Destination, ...]
    """The servers that would be sent something, those on the service's own machine included."""
    session: str | None
    """The session that keeps the plan, which `resume` starts; `None` when no model has made it."""


class PlanView(FrozenModel):
    """How a session goes about its question."""

    plan: MasterPlan | None
    """The first plan; `None` as long as there is none."""
    estimate: Estimate | None
    """What the research was expected to take; `None` as long as there is no report."""
    revisions: tuple[PlanRevised, ...]
    """How the plan was changed on the way, and what was declined."""


@router.post("/estimate", summary="What a question would take", responses=documented(502, *WITH_A_BODY))
async def estimate(request: Request, asked: SessionRequest, sessions: OfSessions) -> Forecast:
    """Estimate a question without running it: the plan, its cost, and who would be sent what.

    With a model, planning costs model calls, so the plan is kept as a session with the status `planned`.
    Disconnecting cancels the work.
    """
    prospect = await while_waited_for(request, sessions.estimate(asked))
    return Forecast.like(prospect, session=prospect.run_id)


@router.get("/sessions/{session_id}/plan", summary="The plan of a session", responses=documented(404))
async def get_plan(session_id: SessionId, sessions: OfSessions, fathom: OfFathom) -> PlanView:
    """The subtasks of a session, and every revision of the plan while they were researched."""
    run = await sessions.get(session_id)
    report = await report_if_any(fathom.store, run.run_id)
    plan, revisions = None, list[PlanRevised]()
    for stored in await fathom.store.events(run.run_id):
        match stored.event:
            case Planned(plan=first):
                plan = plan or first
            case PlanRevised() as revision:
                revisions.append(revision)
            case _:
                continue
    return PlanView(plan=plan, estimate=report.estimate if report else None, revisions=tuple(revisions))
