"""The documents and pages that a run has met, as its journal tells them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from fathom.browsing import ArchivedPage
from fathom.evidence import Document, Retrieval
from fathom.ports import JournalEntry


def documents_found(journal: Iterable[JournalEntry]) -> dict[str, Document]:
    """The documents that searches of a run, and looks into its thread, have returned, by `sha256`."""
    found: dict[str, Document] = {}
    for entry in journal:
        if entry.kind in ("search", "recall"):
            for document in Retrieval.model_validate_json(entry.answer).documents:
                found.setdefault(document.sha256, document)
        elif entry.kind == "open" and (page := json.loads(entry.answer)["page"]):  # what a connector has found
            found[page["document"]["sha256"]] = Document.model_validate(page["document"])
    return found


def pages_read(journal: Iterable[JournalEntry]) -> dict[str, ArchivedPage]:
    """The pages that a run has read, by the address that was asked for."""
    found: dict[str, ArchivedPage] = {}
    for entry in journal:
        if entry.kind == "read":
            page = json.loads(entry.answer).get("page")
        elif entry.kind == "keep":  # what a provider held of a page that could not be read
            page = json.loads(entry.answer)
        else:
            continue
        if page is not None:
            archived = ArchivedPage.model_validate(page)
            if entry.kind == "read" or archived.url not in found:  # what was lost was read again
                found[archived.url] = archived
    return found
