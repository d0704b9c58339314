"""The service itself: what it offers, and its health."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request

from fathom import wiring
from fathom.api.depends import OfFathom, OfLibrary
from fathom.api.problems import documented
from fathom.frozen import FrozenModel
from fathom.limits import Effort, Limits
from fathom.ports import RunStatus
from fathom.reading.readers import suffixes
from fathom.sessions.datasets import data_suffixes
from fathom.sessions.listings import KnowledgeBaseSummary
from fathom.version import __version__
from fathom.wiring.exports import exportable
from fathom.wiring.models import model_name, offered_models, reasoner_name
from fathom.wiring.web import configured

router = APIRouter(prefix="/api", tags=["service"])

EFFORTS: tuple[Effort, ...] = ("quick", "standard", "deep")


class DatasetOffer(FrozenModel):
    """Structured data that sessions may ask."""

    name: str
    """Its name."""
    kind: Literal["files", "server"]
    """Whether it is read from files, or asked of an MCP server."""
    kb: str | None
    """The knowledge base that it belongs to; `None` when it is offered in all of them."""


class Uploads(FrozenModel):
    """Which files are taken, and how large they may be."""

    max_bytes: int
    """Bytes that one file may have."""
    documents: tuple[str, ...]
    """Endings of documents that can be read, with their dots."""
    data: tuple[str, ...]
    """Endings of files of data that can be read, with their dots."""


class Offer(FrozenModel):
    """What a session may ask for here."""

    version: str
    """Version of Fathom."""
    knowledge_bases: tuple[KnowledgeBaseSummary, ...]
    """The one that is asked when none is named comes first."""
    web: bool
    """Whether the web may be asked."""
    search: tuple[str, ...]
    """Who is asked for pages of the web; nobody when `web` is `false`."""
    datasets: tuple[DatasetOffer, ...]
    """Data that may be asked."""
    model: str | None
    """The language model in force; `None` without one."""
    models: tuple[str, ...]
    """Those that a session may ask for, that one first."""
    reasoners: tuple[str, ...]
    """What may answer the asks; the first does when none is named."""
    efforts: dict[Effort, Limits]
    """The limits of each effort."""
    effort: Effort
    """The one that is taken when none is named."""
    uploads: Uploads
    """What may be uploaded."""
    exports: dict[str, str]
    """What a report can be had as: by the endings of the files, without the first dot, what they are called."""
    login_required: bool
    """Whether a token is needed."""


class WorkerHealth(FrozenModel):
    """The worker of this process."""

    running: int
    """Sessions that it has under way."""


class Health(FrozenModel):
    """How the service is."""

    status: Literal["ok"]
    """It answers, and its store can be read."""
    version: str
    """Version of Fathom."""
    sessions: dict[RunStatus, int]
    """How many sessions there are of each status that any has."""
    worker: WorkerHealth | None
    """The worker of this process; `None` when sessions are carried out by others."""


@router.get("/offer", summary="What the service gives", responses=documented())
async def get_offer(request: Request, fathom: OfFathom, library: OfLibrary) -> Offer:
    """What a session may use: knowledge bases, datasets, the web, models, and the limits of each effort."""
    settings = fathom.settings
    return Offer(
        version=__version__,
        knowledge_bases=tuple(await library.knowledge_bases()),
        web=not settings.no_web,
        search=() if settings.no_web else settings.search or configured(settings),
        datasets=tuple(
            DatasetOffer(name=each.name, kind="server" if each.kind == "server" else "files", kb=each.kb)
            for each in await library.datasets.listed()
        ),
        model=model_name(settings),
        models=offered_models(settings),
        reasoners=tuple(dict.fromkeys([reasoner_name(settings), "extractive"])),
        efforts={effort: wiring.limits_for(settings, effort=effort) for effort in EFFORTS},
        effort=settings.effort,
        uploads=Uploads(
            max_bytes=settings.serve_upload_mb * 1_000_000,
            documents=tuple(sorted(suffixes())),
            data=tuple(sorted(data_suffixes())),
        ),
        exports=exportable(settings),
        login_required=bool(getattr(request.app.state, "login_required", False)),
    )


@router.get("/health", summary="How the service is", responses=documented())
async def get_health(request: Request, fathom: OfFathom) -> Health:
    """Health of the service and the length of its queue. Needs no token and reveals nothing about sessions."""
    worker = request.app.state.worker
    return Health(
        status="ok",
        version=__version__,
        sessions=await fathom.store.counts(),
        worker=WorkerHealth(running=worker.running) if worker is not None else None,
    )
