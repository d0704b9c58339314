"""Documents that are put together, block after block, from what another format holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fathom.evidence import Block, BlockKind, Span
from fathom.reading.document import ReadDocument, row_of
from fathom.reading.visible import without_marks


def line(text: str) -> str:
    """A text as one line, without what shows nothing."""
    return " ".join(without_marks(text).encode("utf-8", "replace").decode().split())


@dataclass
class Composition:
    """Its text says what its blocks say, and nothing else."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def write(
        self, kind: BlockKind, text: str, *, level: int = 0, lead_in: Span | None = None, mark: str = ""
    ) -> Span | None:
        """Append a block behind its `mark` and return its place; nothing if it says nothing. What is no code becomes
        one line, and a row is one already."""
        text = without_marks(text).strip("\n") if kind in {"code", "table_row"} else line(text)
        if not text.strip():
            return None
        close = self.blocks and self.blocks[-1].end == self.length and self.blocks[-1].kind == kind
        is_row = kind in {"table_row", "list_item"} and (close or (lead_in and lead_in.end == self.length))
        start = self._append(mark + text, "\n" if is_row else "\n\n") + len(mark)
        start, end = start + len(text) - len(text.lstrip()), self.length - len(text) + len(text.rstrip())
        self.blocks.append(Block(kind=kind, start=start, end=end, level=level, lead_in=lead_in))
        return Span(start=start, end=end)

    def lead(self, text: str, *, mark: str = "") -> Span:
        """Append what leads the blocks that follow, and is none itself: the head of a table."""
        start = self._append(mark + text, "\n\n")
        return Span(start=start + len(mark), end=self.length)

    def table(self, rows: Iterable[Iterable[str]]) -> None:
        """Append a table, whose first row leads the others."""
        told = list(filter(None, (row_of(map(line, row)) for row in rows)))
        head = self.lead(told[0]) if len(told) > 1 else None
        for row in told[1:] or told:
            self.write("table_row", row, lead_in=head)

    def embed(self, document: ReadDocument, *, under: str = "") -> None:
        """Append another document; under a name of its own, its headings are a level deeper."""
        self.write("heading", under, level=1)
        self.left_out += ((f"{under} › {name}".removeprefix(" › "), reason) for name, reason in document.left_out)
        at = self._append(document.text, "\n\n")
        for block in document.blocks:
            lead_in = block.lead_in and Span(start=at + block.lead_in.start, end=at + block.lead_in.end)
            level = block.level + (block.kind == "heading" and bool(under))
            moved = {"start": at + block.start, "end": at + block.end, "level": level, "lead_in": lead_in}
            self.blocks.append(block.model_copy(update=moved))

    def _append(self, text: str, gap: str) -> int:
        """Where a text begins that is appended behind a gap."""
        self.pieces += (gap if self.length else "", text)
        self.length += len(self.pieces[-2]) + len(text)
        return self.length - len(text)

    def document(self, title: str = "", *, dated: str = "", authors: tuple[str, ...] = ()) -> ReadDocument:
        """All of it."""
        text, blocks, title = "".join(self.pieces), tuple(self.blocks), line(title)[:300]
        return ReadDocument(text, title, "plain", blocks, dated, authors, tuple(self.left_out))
