"""The sentences of a prompt, put back into pages that the extractive reasoner can read."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from fathom.evidence import Block, Document, Evidence, Passage, SourceDescription, Span, text_digest
from fathom.findings import Finding
from fathom.text.analysis import query_terms, terms
from fathom_testing.model_server.answers.tags import Tag

_NUMBERED = re.compile(r"\[(\d+)\] (.+)")
_ENDS = re.compile(r"[.!?。！？][\"'”’)\]」』）]*$")
ELSEWHERE = 40
"""How many times as many passages as are shown the sources are taken to hold."""


class Pages:
    """What is shown as documents and passages; each sentence is found by its number again."""

    def __init__(self, shown: Sequence[Tag]) -> None:
        documents: dict[str, Document] = {}
        passages: list[Passage] = []
        self._lines: dict[str, list[tuple[int, int, int]]] = {}
        self._texts: dict[tuple[str, int], str] = {}
        for tag in shown:
            title = tag.attributes["title"]
            sha256 = text_digest(title)
            documents[sha256] = Document(
                sha256=sha256, uri="file:///", title=title, kind="file", language="und", retrieved_at=""
            )
            for section in _sections(tag.inner):
                self._lines.setdefault(sha256, []).extend(section.lines)
                self._texts |= {
                    (sha256, start): section.text[start - section.start : end - section.start]
                    for _, start, end in section.lines
                }
                passages.append(
                    Passage(
                        document=sha256,
                        start=section.start,
                        end=section.end,
                        text=section.text,
                        headings=section.headings,
                        blocks=tuple(section.blocks),
                    )
                )
        self.documents = tuple(documents.values())
        self.passages = tuple(passages)

    def sentences_of(self, passage: Finding) -> Iterator[tuple[int, Finding]]:
        """The sentences that are shown of a passage, each as a finding, by their numbers."""
        (whole,) = passage.evidence
        for number, start, end in self._lines[whole.document]:
            if whole.start <= start and end - 1 <= whole.end:  # which may end without its colon
                quote = self._texts[whole.document, start]
                span = Evidence(document=whole.document, start=start, end=end, quote=quote, locator=whole.locator)
                yield number, passage.model_copy(update={"claim": quote, "evidence": (span,), "is_passage": False})

    def described(self, asked: str) -> SourceDescription:
        """A source that holds these pages, and much else in which none of the terms stands."""
        held = [set(terms(" ".join((passage.text, *passage.headings)))) for passage in self.passages]
        return SourceDescription(
            name="shown",
            kind="file",
            documents=len(self.documents),
            passages=ELSEWHERE * len(self.passages),
            term_passages={term: sum(term in one for one in held) for term in query_terms(asked)},
        )


def _sections(shown: str) -> list[_Section]:
    """The sections of a document, each under its heading."""
    found = [_Section(0)]
    for line in html.unescape(shown).strip().splitlines():
        if line.startswith("#"):
            found.append(_Section(found[-1].end + 2, tuple(filter(None, line[2:].split(" › ")))))
        else:
            found[-1].add(line)
    return [section for section in found if section.lines]


class _Section:
    """The lines of a section as blocks of a text that begins at `start`."""

    def __init__(self, start: int, headings: tuple[str, ...] = ()) -> None:
        self.start, self.headings = start, headings
        self.text = ""
        self.blocks: list[Block] = []
        self.lines: list[tuple[int, int, int]] = []
        """Number, start and end of each sentence."""
        self._lead: Span | None = None
        self._goes_on = False

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def add(self, line: str) -> None:
        """One line of the prompt."""
        numbered = _NUMBERED.fullmatch(line)
        if numbered is None:
            self._goes_on = False
            self._lead = self._put(line.removeprefix("> ")) if line.startswith("> ") else None
            return
        if self._goes_on:  # the sentences of a paragraph
            before = self.blocks.pop()
            span = self._put(numbered[2], between=" ")
            self.blocks.append(before.model_copy(update={"end": span.end}))
        else:
            span = self._put(numbered[2])
            kind = "list_item" if self._lead or not _ENDS.search(numbered[2]) else "paragraph"
            self.blocks.append(Block(kind=kind, start=span.start, end=span.end, lead_in=self._lead))
        self._goes_on = self.blocks[-1].kind == "paragraph" and bool(_ENDS.search(numbered[2]))
        self.lines.append((int(numbered[1]), span.start, span.end))

    def _put(self, text: str, *, between: str = "\n\n") -> Span:
        self.text += between if self.text else ""
        start = self.end
        self.text += text
        return Span(start=start, end=self.end)
