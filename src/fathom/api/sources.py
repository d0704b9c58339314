"""What a session has read: the list of it, and each source as it was when it was read."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from fathom.api.depends import OfFathom, OfSessions, SessionId
from fathom.api.problems import documented
from fathom.data.snapshots import records_in
from fathom.errors import NotFound
from fathom.frozen import FrozenModel
from fathom.text.places import unplaced
from fathom.wiring.readings import MarkedSpan, SourceSeen, source_seen, sources_seen

router = APIRouter(prefix="/api/research/sessions/{session_id}/sources", tags=["results"])

WINDOW = 200_000
"""Characters of a source that one answer has at most."""

SourceId = Annotated[
    str,
    Path(
        pattern=r"^([Ss][1-9][0-9]{0,5}|[0-9a-f]{64})$",
        description="Id of a source of the report, or the SHA-256 of anything that the session has read.",
        examples=["S1"],
    ),
]


class SourceList(FrozenModel):
    """Everything that a session has read, or would have."""

    sources: tuple[SourceSeen, ...]
    """What the report cites first, then what else was read, then what was left out."""


class PlacedRecord(FrozenModel):
    """A record of a dataset, and where it stands in the text."""

    id: str
    """Its id in the dataset."""
    start: int
    """Offset of its first line in the snapshot."""
    end: int
    """Offset behind its last line."""


class SourceText(FrozenModel):
    """A source as it was when it was read, or a window of it. Offsets count characters (code points)."""

    source: SourceSeen
    """What it is."""
    spans: tuple[MarkedSpan, ...]
    """What the report cites of the whole source; if that is nothing, what was found in it. In the order of the text."""
    text: str
    """The snapshot from `start` to `end`."""
    start: int
    """Offset of the first character of `text` in the snapshot."""
    end: int
    """Offset behind its last character."""
    length: int
    """Characters of the whole snapshot."""
    records: tuple[PlacedRecord, ...] | None
    """Of a page of records of a dataset, those that begin in the window; `None` for all else."""


@router.get("", summary="Everything that was read", responses=documented(404))
async def list_sources(session_id: SessionId, sessions: OfSessions, fathom: OfFathom) -> SourceList:
    """What the report cites, what else was read, every page of records of a dataset included, and what was left out."""
    run = await sessions.get(session_id)
    return SourceList(sources=tuple(map(_told, await sources_seen(fathom.store, run.run_id))))


@router.get("/{source_id}", summary="A source as it was read", responses=documented(404))
async def get_source(
    session_id: SessionId,
    source_id: SourceId,
    sessions: OfSessions,
    fathom: OfFathom,
    start: Annotated[int | None, Query(ge=0, le=2**53, description="Offset from which the text is wanted.")] = None,
    end: Annotated[int | None, Query(ge=0, le=2**53, description="Offset up to which it is wanted.")] = None,
    evidence: Annotated[
        str | None, Query(pattern=r"^E[1-9][0-9]{0,5}$", description="A quotation that the window is to hold.")
    ] = None,
) -> SourceText:
    """The text of a source as it was read, with the passages that the report quotes.

    The text is stored with the session and never changes. Long texts come as a window: from `start` to `end`, around
    `evidence`, or the beginning.
    """
    store, run = fathom.store, await sessions.get(session_id)
    source, spans = await source_seen(store, run.run_id, source_id)
    text = await store.snapshot(source.sha256)
    first, last = _window(len(text), start, end, _place(spans, evidence))
    records = records_in(text) if source.kind == "dataset" else []
    return SourceText(
        source=_told(source),
        spans=spans,
        text=text[first:last].encode("utf-8", "replace").decode(),  # half a character has no place in JSON
        start=first,
        end=last,
        length=len(text),
        records=tuple(PlacedRecord.like(each) for each in records if first <= each.start < last) or None,
    )


def _told(source: SourceSeen) -> SourceSeen:
    return source.model_copy(update={"uri": unplaced(source.uri), "reason": unplaced(source.reason)})


def _place(spans: tuple[MarkedSpan, ...], evidence: str | None) -> MarkedSpan | None:
    """The quotation of that id.

    Raises:
        NotFound: the source has none of that id.
    """
    if evidence is None:
        return None
    for span in spans:
        if span.id == evidence:
            return span
    raise NotFound(f"The source has no quotation {evidence} that the report tells.")


def _window(length: int, start: int | None, end: int | None, around: MarkedSpan | None) -> tuple[int, int]:
    """From where to where the text is shown: as it was asked for, at most `WINDOW` characters.

    >>> _window(10, None, None, None), _window(500_000, 450_000, None, None), _window(500_000, None, None, None)
    ((0, 10), (450000, 500000), (0, 200000))
    """
    if start is None and end is None and around is not None:
        middle = (around.start + around.end) // 2
        start = max(0, min(around.start, middle - WINDOW // 2, length - WINDOW))
    first = min(start or 0, length)
    last = min(length, first + WINDOW if end is None else end)
    return first, max(first, min(last, first + WINDOW))
