"""What a session tells while it works, as a stream of server-sent events."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Response
from fastapi.responses import StreamingResponse

from fathom.api.depends import OfFeed, SessionId
from fathom.api.problems import documented

router = APIRouter(prefix="/api/research/sessions", tags=["sessions"])

_END = {
    "type": "object",
    "properties": {"status": {"type": "string", "description": "The session's status; `deleted` of one that is gone."}},
    "required": ["status"],
}
_STREAM = {
    "description": "Each frame has the number of the event as its `id`, its kind as `event`, and a StoredEvent as "
    "`data`. After the last one comes a frame `end`, without an id, that tells the session's status. With `progress`, "
    "frames `progress`, without an id, come between them: each has a Progress as its `data`.",
    "content": {
        "text/event-stream": {
            "schema": {"type": "array"},
            "itemSchema": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "event": {"type": "string"},
                    "data": {
                        "type": "string",
                        "contentMediaType": "application/json",
                        "contentSchema": {
                            "anyOf": [
                                {"$ref": "#/components/schemas/StoredEvent"},
                                {"$ref": "#/components/schemas/Progress"},
                                _END,
                            ]
                        },
                    },
                },
                "required": ["event", "data"],
            },
        }
    },
}


class EventStream(StreamingResponse):
    """A stream that nothing on the way keeps back."""

    media_type = "text/event-stream"


@router.get(
    "/{session_id}/events",
    summary="Follow a session",
    response_class=EventStream,
    responses={
        **documented(404),
        200: _STREAM,
        204: {"description": "It has ended, and there is nothing behind that number."},
    },
)
async def follow_session(
    session_id: SessionId,
    feed: OfFeed,
    after: Annotated[
        int, Query(ge=0, le=2**53, description="Number of the last event that is known: the stream begins behind it.")
    ] = 0,
    last_event_id: Annotated[
        int | None,
        Header(ge=0, le=2**53, description="The same, as an EventSource sends it; it counts before `after`."),
    ] = None,
    progress: Annotated[
        bool, Query(description="Whether to tell how far the session is, too, folded from all events.")
    ] = False,
) -> Response:
    """Stream the events of a session, starting behind the last one the client has, until the session ends.

    Every event is stored before it is sent, so a client that reconnects misses none. Disconnecting ends only this
    stream; the session goes on. A comment is sent every 15 seconds to keep the connection open.
    """
    known = after if last_event_id is None else last_event_id
    if await feed.has_ended(session_id, after=known) and known:
        return Response(status_code=204)
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return EventStream(feed.frames(session_id, after=known, progress=progress), headers=headers)
