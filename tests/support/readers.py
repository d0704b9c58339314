"""Shared by tests: `read`, `shown`, `lead_ins`."""

from __future__ import annotations

from fathom.reading.document import ReadDocument
from fathom.reading.readers import read_bytes


def read(text: str, suffix: str) -> ReadDocument:
    return read_bytes(text.encode(), suffix)


def shown(document: ReadDocument) -> list[tuple[str, str]]:
    return [(block.kind, " ".join(document.text[block.start : block.end].split())) for block in document.blocks]


def lead_ins(document: ReadDocument) -> dict[str, str]:
    return {
        document.text[block.start : block.end]: document.text[block.lead_in.start : block.lead_in.end]
        for block in document.blocks
        if block.lead_in
    }
