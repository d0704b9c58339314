"""Pages to reason over: sections with paragraphs and lists, cut as a source would cut them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fathom.evidence import Block, Document, Markup, Passage, Retrieval, SourceDescription, Span, text_digest
from fathom.text.analysis import query_terms, terms

SEA: Mapping[str, Sequence[str]] = {
    "Depth": (
        "The ocean is 3,682 metres deep on average. The deepest known point, the Challenger Deep, lies 10,935 metres "
        "below the surface.",
        "The sea floor has three main parts:",
        "- The continental shelf reaches down to about 200 metres and is where most fishing takes place.",
        "- The abyssal plain lies between 3,000 and 6,000 metres and covers half of the sea floor.",
        "- Trenches form where one plate sinks under another, and hold the deepest water.",
    ),
    "Salt": (
        "Sea water holds about 35 grams of salt per litre, because rivers carry dissolved minerals into the sea.",
        "Salt lowers the freezing point of sea water to about −1.8 °C.",
    ),
}
TIDES: Mapping[str, Sequence[str]] = {
    "How tides arise": (
        "Tides arise because the Moon pulls the near side of the Earth more strongly than its centre. The Sun has "
        "about half the effect of the Moon.",
    ),
    "Spring and neap tides": (
        "A spring tide occurs at new and full moon, when Sun and Moon pull in one line. A neap tide occurs at half "
        "moon, when they pull at right angles, and its range is about 40 % smaller than that of a spring tide.",
    ),
}
JAPANESE: Mapping[str, Sequence[str]] = {
    "潮の満ち引き": (
        "潮の満ち引きは、月の引力によって起こる。太陽の引力は月の約半分の影響を与える。",
        "大潮は新月と満月のときに起こり、干満の差が最も大きくなる。小潮は半月のときに起こる。",
    ),
}


def a_page(title: str, sections: Mapping[str, Sequence[str]], *, markup: Markup = "plain") -> Retrieval:
    """A document and its sections; what begins with `- ` is an item of the list that the block before introduces."""
    text = ""
    cut: list[tuple[str, list[Block]]] = []
    for heading, pieces in sections.items():
        text += f"{heading}\n\n"
        blocks: list[Block] = []
        lead_in: Span | None = None
        for piece in pieces:
            item = piece.startswith("- ")
            start = len(text) + 2 * item
            text += f"{piece}\n\n"
            end = start + len(piece) - 2 * item
            blocks.append(
                Block(
                    kind="list_item" if item else "paragraph", start=start, end=end, lead_in=lead_in if item else None
                )
            )
            lead_in = lead_in if item else Span(start=start, end=end)
        cut.append((heading, blocks))
    sha256 = text_digest(text)
    document = Document(
        sha256=sha256,
        uri=f"file:///pages/{title.replace(' ', '-')}.txt",
        title=title,
        kind="file",
        markup=markup,
        language="en",
        retrieved_at="2026-01-01T00:00:00+00:00",
    )
    passages = tuple(
        Passage(
            document=sha256,
            start=blocks[0].start,
            end=blocks[-1].end,
            text=text[blocks[0].start : blocks[-1].end],
            headings=(title, heading),
            blocks=tuple(blocks),
            score=1.0,
        )
        for heading, blocks in cut
        if blocks
    )
    return Retrieval(documents=(document,), passages=passages)


def together(*retrievals: Retrieval) -> Retrieval:
    """What several searches found, each document and each span once."""
    documents = {document.sha256: document for found in retrievals for document in found.documents}
    passages = {passage.id: passage for found in retrievals for passage in found.passages}
    return Retrieval(documents=tuple(documents.values()), passages=tuple(passages.values()))


def a_source(query: str, found: Retrieval, *, name: str = "knowledge") -> SourceDescription:
    """A source that holds nothing but what was found."""
    held = [set(terms(" ".join((*passage.headings, passage.text)))) for passage in found.passages]
    return SourceDescription(
        name=name,
        kind="file",
        documents=len(found.documents),
        passages=len(found.passages),
        languages={"en": len(found.documents)} if found.documents else {},
        titles=tuple(document.title for document in found.documents[:20]),
        headings=tuple(passage.headings[-1] for passage in found.passages[:40]),
        term_passages={term: sum(term in passage for passage in held) for term in query_terms(query)},
        revision="1",
    )
