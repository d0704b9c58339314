"""A text of a client's own, held against the documents of the service."""

from __future__ import annotations

from fastapi import APIRouter, Request

from fathom.api.depends import OfSessions, while_waited_for
from fathom.api.problems import WITH_A_BODY, documented
from fathom.sessions.requests import CheckRequest
from fathom.verification.texts import CheckedText

router = APIRouter(prefix="/api", tags=["knowledge"])


@router.post("/check", summary="Check a text", responses=documented(502, *WITH_A_BODY))
async def check(request: Request, asked: CheckRequest, sessions: OfSessions) -> CheckedText:
    """What the documents say to each sentence of a text, whoever wrote it: which they bear out, which they contradict,
    which they do not speak of.

    The text is not stored. With a model, every sentence that is not a quotation is judged by it, at its price.
    Disconnecting cancels the work.
    """
    return await while_waited_for(request, sessions.check(asked))
