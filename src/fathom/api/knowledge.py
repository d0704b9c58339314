"""Knowledge bases: which there are, what they hold, and how it is found; documents come in and are removed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from fathom.api.depends import OfLibrary
from fathom.api.problems import documented, removes
from fathom.api.receiving import UPLOAD, UploadedFiles, received
from fathom.frozen import FrozenModel
from fathom.sessions.library import MOST_PASSAGES, MOST_TEXT
from fathom.sessions.listings import DocumentPage, DocumentText, FoundPassage, KnowledgeBaseSummary, UnreadFile
from fathom.settings import KB_NAME

router = APIRouter(prefix="/api/knowledge", tags=["knowledge"])

LIMIT = 50
MOST = 500

KnowledgeBaseName = Annotated[str, Path(pattern=KB_NAME, description="Name of the knowledge base.")]
DocumentId = Annotated[
    str, Path(pattern=r"^doc_[0-9a-f]{12}$", description="Id of the document.", examples=["doc_67d00b7b3b4d"])
]


class KnowledgeBases(FrozenModel):
    """The knowledge bases of the service."""

    knowledge_bases: tuple[KnowledgeBaseSummary, ...]
    """The one that is asked when none is named comes first, be it there or not."""


class FoundPassages(FrozenModel):
    """What a search has found."""

    passages: tuple[FoundPassage, ...]
    """Best first."""


@router.get("", summary="List knowledge bases", responses=documented())
async def list_knowledge_bases(library: OfLibrary) -> KnowledgeBases:
    """What sessions may ask as `kb`."""
    return KnowledgeBases(knowledge_bases=tuple(await library.knowledge_bases()))


@router.get("/{kb}/documents", summary="List documents", responses=documented(404))
async def list_documents(
    kb: KnowledgeBaseName,
    library: OfLibrary,
    limit: Annotated[int, Query(ge=1, le=MOST, description="At most so many.")] = LIMIT,
    after: Annotated[str | None, Query(max_length=100, description="Only those behind this one.")] = None,
    q: Annotated[str, Query(max_length=1_000, description="Only those whose title or file name holds this.")] = "",
) -> DocumentPage:
    """The documents of a knowledge base in the order of their files, a page at a time."""
    return await library.documents(kb, text=q, limit=limit, after=after)


@router.get("/{kb}/unread", summary="List files without text", responses=documented(404))
async def list_unread(kb: KnowledgeBaseName, library: OfLibrary) -> list[UnreadFile]:
    """The files of a knowledge base that gave no text, each with the reason. Uploads that were refused are not kept."""
    return await library.unread(kb)


@router.delete("/{kb}", summary="Remove a knowledge base", **removes(404, 409))
async def delete_knowledge_base(kb: KnowledgeBaseName, library: OfLibrary) -> None:
    """Remove a knowledge base with all that was uploaded to it. The user's own files and the sessions stay."""
    await library.delete(kb)


@router.post("/{kb}/documents", summary="Upload documents", **UPLOAD)
async def upload_documents(
    kb: KnowledgeBaseName, library: OfLibrary, request: Request, response: Response
) -> UploadedFiles:
    """Upload documents. The knowledge base is created if there is none of that name.

    Each file gets a result of its own: one that cannot be read is refused with the reason, the others are added. A file
    replaces an earlier one of the same name.
    """
    async with received(request, library.delivery("document")) as files:
        told = UploadedFiles(files=tuple(await library.add(kb, files)))
    response.status_code = told.status
    return told


@router.get("/{kb}/documents/{doc_id}", summary="Read a document", responses=documented(404))
async def get_document(
    kb: KnowledgeBaseName,
    doc_id: DocumentId,
    library: OfLibrary,
    start: Annotated[int, Query(ge=0, le=2**31, description="Offset of the first character.")] = 0,
    length: Annotated[int, Query(ge=0, le=MOST_TEXT, description="At most so many characters.")] = MOST_TEXT,
) -> DocumentText:
    """A document with an excerpt of its text."""
    return await library.document(kb, doc_id, start=start, length=length)


@router.delete("/{kb}/documents/{doc_id}", summary="Remove a document", **removes(404))
async def delete_document(kb: KnowledgeBaseName, doc_id: DocumentId, library: OfLibrary) -> None:
    """Remove a document from the knowledge base, and its file if it was uploaded. The user's own files stay."""
    await library.remove(kb, doc_id)


@router.get("/{kb}/search", summary="Search a knowledge base", responses=documented(404))
async def search_knowledge(
    kb: KnowledgeBaseName,
    library: OfLibrary,
    q: Annotated[str, Query(min_length=1, max_length=2_000, description="What to look for, in any language.")],
    limit: Annotated[int, Query(ge=1, le=MOST_PASSAGES, description="At most so many passages.")] = 10,
) -> FoundPassages:
    """Search a knowledge base: the best passages, as a session would find them."""
    return FoundPassages(passages=tuple(await library.search(kb, q, limit=limit)))
