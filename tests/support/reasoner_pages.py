"""Small pages as passages, for tests of the extractive reasoner."""

from __future__ import annotations

from fathom.asks import ExtractFindings
from fathom.evidence import Block, BlockKind, Document, Passage, Query, SourceDescription, Span, text_digest
from fathom.findings import Finding
from fathom.plan import Subtask
from fathom.reasoners.extractive.ranking import rank
from fathom.text.analysis import query_terms, terms

Piece = tuple[BlockKind, str] | tuple[BlockKind, str, str]
"""Kind and text of a block, and the text of an earlier block that is its lead-in."""


def page(title: str, *pieces: Piece, headings: tuple[str, ...] = (), language: str = "en") -> tuple[Document, Passage]:
    """A document of one passage whose blocks stand on lines of their own."""
    text, blocks, spans = "", [], {}
    for kind, content, *lead in pieces:
        text += "\n\n" if text else ""
        start, end = len(text), len(text) + len(content)
        text += content
        spans[content] = Span(start=start, end=end)
        if kind != "heading":
            blocks.append(Block(kind=kind, start=start, end=end, lead_in=spans[lead[0]] if lead else None))
    sha = text_digest(text)
    document = Document(
        sha256=sha,
        uri=f"file:///{title}.html",
        title=title,
        kind="file",
        language=language,
        retrieved_at="2026-01-01T00:00:00Z",
    )
    passage = Passage(document=sha, start=0, end=len(text), text=text, headings=headings, blocks=tuple(blocks))
    return document, passage


def described(query: str, passages: list[Passage], *, more: int = 200) -> SourceDescription:
    """A source that holds the passages and `more` others in which none of the question's terms stand."""
    held = [set(terms(" ".join((passage.text, *passage.headings)))) for passage in passages]
    return SourceDescription(
        name="knowledge",
        kind="file",
        documents=len(passages) + more,
        passages=len(passages) + more,
        term_passages={term: sum(term in one for one in held) for term in query_terms(query)},
    )


def extract(query: str, *pages: tuple[Document, Passage], language: str = "en", most: int = 40) -> ExtractFindings:
    """The ask of a question that is one subtask."""
    documents, passages = [document for document, _ in pages], [passage for _, passage in pages]
    return ExtractFindings(
        query=query,
        language=language,
        subtask=Subtask(subtask_id="task_1", description=query, queries=(Query(text=query),)),
        documents=tuple(documents),
        passages=tuple(passages),
        sources=(described(query, passages),),
        max_findings=most,
    )


TIDES = page(
    "Tides",
    ("heading", "Tides"),
    ("paragraph", "Tides are caused by the gravity of the moon. They are strongest at new moon and at full moon."),
    ("paragraph", "A spring tide needs the following:"),
    ("list_item", "the sun and the moon in line with the earth;", "A spring tide needs the following:"),
    ("list_item", "no storm that holds the water back.", "A spring tide needs the following:"),
    ("code", "tide --height 12"),
    ("paragraph", "See the chapter on the moon for more about tides."),
    headings=("Tides",),
)
CURRENTS = page(
    "Currents",
    ("paragraph", "Wind drives an ocean current, and so do differences in density."),
    ("paragraph", "The Gulf Stream moves 30 million cubic metres of water a second."),
    headings=("Currents",),
)


def sentences(ask: ExtractFindings) -> tuple[Finding, ...]:
    """The sentences of the passages, best first, as a model that quotes them all would find them."""
    return tuple(
        Finding(
            subtask_id=ask.subtask.subtask_id,
            claim=each.line.text,
            evidence=(each.evidence,),
            lead_in=each.lead_in,
            confidence=0.8,
            relevance=round(each.score, 6),
        )
        for each in rank(ask)
    )
