"""What a writer is shown under short ids, and what it writes on them: statements that cite nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from fathom.evidence import Document, Evidence
from fathom.findings import Finding, Statement, Synthesis
from fathom.reasoners.language_model.task import Wire
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.reasoners.language_model.tasks.sources import has_web, speaker
from fathom.reasoners.language_model.tasks.words import Number, picked, shown_tokens
from fathom.text.display import display, word_count

TAG_TOKENS = 13
"""Of a tag with its ids and of the list that it may stand in, besides the texts in them."""
FRAME_TOKENS = 30
"""Of the tags around all of the material."""
SPEAKER_TOKENS = 24
"""Of the tag that tells who speaks in a source."""


class Said(Wire):
    """A statement."""

    text: str
    """One or two plain sentences: no markup, no link, no citation mark."""
    cites: list[Number]
    """Ids of every finding that the text rests on."""


@dataclass(frozen=True)
class Item:
    """Something that may be cited."""

    text: str
    """What it says."""
    findings: tuple[str, ...]
    """Ids of the findings that it stands for."""
    under: str = ""
    """What a reader needs before it, such as the sentence before a list."""
    quotes: tuple[str, ...] = ()
    """The words of its sources, where it is not one of these itself."""
    source: int = 0
    """Number of the source that it rests on first; 0 when it stands for several."""
    figures: Mapping[str, str] = field(default_factory=dict)
    """What it tells of a dataset, by name."""

    @property
    def texts(self) -> tuple[str, ...]:
        """All that is shown of it."""
        return tuple(filter(None, (self.under, self.text, *self.quotes)))

    @property
    def tokens(self) -> int:
        """What showing it takes."""
        return sum(map(shown_tokens, (*self.texts, *map("=".join, self.figures.items())))) + TAG_TOKENS

    @property
    def words(self) -> int:
        """Its length, at least 1."""
        return max(1, word_count(self.under) + word_count(self.text))

    relevance: str = ""
    """How much it answers the question, 0 to 1, as it is shown."""


def items_of(
    findings: Sequence[Finding],
    documents: Sequence[Document] = (),
    *,
    quoted: bool = False,
    sources: Sequence[str] = (),
) -> tuple[Item, ...]:
    """Each finding as an item; with `quoted`, also the words of its evidence where the claim is in others.

    `sources` are numbered in their order; without it, those of the findings are.
    """
    known = {document.sha256: document for document in documents}
    sources = sources or sources_of(findings)

    def readable(evidence: Evidence) -> str:
        document = known.get(evidence.document)
        return display(evidence.quote, document.markup) if document else evidence.quote

    def item(finding: Finding) -> Item:
        quotes = dict.fromkeys(map(readable, finding.evidence)) if quoted else {}
        return Item(
            text=finding.claim,
            findings=(finding.id,),
            under=readable(finding.lead_in) if finding.lead_in else "",
            quotes=tuple(quote for quote in quotes if not _same(quote, finding.claim)),
            source=sources.index(finding.evidence[0].document) + 1,
            figures=finding.fact.figures if finding.fact else {},
        )

    return tuple(map(item, findings))


def sources_of(findings: Iterable[Finding]) -> list[str]:
    """The documents that the findings rest on first, by `sha256`, each once."""
    return list(dict.fromkeys(finding.evidence[0].document for finding in findings))


def speakers(numbers: Iterable[int], sources: Sequence[str], documents: Sequence[Document]) -> dict[int, str]:
    """Who speaks in the sources with these numbers; nothing where there is no web, for then it does not matter."""
    if not has_web(documents):
        return {}
    known = {document.sha256: document for document in documents}
    return {number: speaker(known[sources[number - 1]]) for number in sorted({*numbers} - {0})}


def answer_items(synthesis: Synthesis, known: Collection[str]) -> tuple[Item, ...]:
    """The statements of a synthesis as items; one for all of it when only the whole is known.

    Only what rests on one of the findings `known` may be cited.
    """
    statements = synthesis.statements or (Statement(text=synthesis.text or " ", findings=synthesis.findings),)
    items = (
        Item(text=statement.text, findings=tuple(id for id in statement.findings if id in known))
        for statement in statements
        if statement.text.strip()
    )
    return tuple(item for item in items if item.findings)


def _same(one: str, other: str) -> bool:
    return " ".join(one.casefold().split()).rstrip(" .。") == " ".join(other.casefold().split()).rstrip(" .。")


def fitting_items(items: Sequence[Item], room: int) -> tuple[list[Item], int]:
    """The items that fit into `room` tokens, most important first, and how many do not; at least one is kept.

    One that is too long is passed over: shorter ones behind it may fit.
    """
    kept: list[Item] = []
    left = room
    for item in items:
        if item.tokens <= left:
            kept.append(item)
            left -= item.tokens
    kept = kept or [min(items, key=lambda item: item.tokens)]
    return kept, len(items) - len(kept)


def in_batches(items: Sequence[Item], room: int, *, words: float) -> tuple[list[list[Item]], int]:
    """The items in their order, in few batches of `room` tokens and `words` words, and how many are too long for any.

    At least one batch of at least one item.
    """
    short = [item for item in items if item.tokens <= room]
    batches: list[list[Item]] = []
    left, left_words = 0, 0.0
    for item in short or [min(items, key=lambda item: item.tokens)]:
        if not batches or item.tokens > left or item.words > left_words:
            batches.append([])
            left, left_words = room, words
        batches[-1].append(item)
        left -= item.tokens
        left_words -= item.words
    return batches, len(items) - sum(map(len, batches))


def numbered(items: Iterable[Item]) -> dict[int, Item]:
    """The items under the ids that the model is shown."""
    return dict(enumerate(items, start=1))


Form = Literal["paragraph", "lead_in", "item"]


def statement_of(
    said: Said, items: Mapping[int, Item], *, form: Form = "paragraph", is_assessment: bool = False
) -> tuple[Statement | None, int]:
    """What was said as a statement, `None` when nothing was; and how many of the ids cited stand for nothing."""
    cited, invented = picked(said.cites, items)
    text, unknown = filled(said.text, items)
    if unknown:  # a figure that no dataset holds: then its findings speak for themselves
        text, invented = " ".join(item.text for item in cited), invented + unknown
    text = plain(text, [text for item in cited for text in item.texts])
    if not text:
        return None, invented
    findings = tuple(dict.fromkeys(id for item in cited for id in item.findings))
    return Statement(text=text, findings=findings, form=form, is_assessment=is_assessment), invented


def filled(text: str, items: Mapping[int, Item]) -> tuple[str, int]:
    """A text with the figures that it names in place of their names, and how many of the names stand for nothing.

    >>> filled("AI leads with {3.count}.", {3: Item("", (), figures={"count": "50"})})
    ('AI leads with 50.', 0)
    """
    unknown = 0

    def figure(name: re.Match[str]) -> str:
        nonlocal unknown
        item = items.get(int(name[1]))
        unknown += item is None or name[2] not in item.figures
        return item.figures.get(name[2], "") if item else ""

    return _FIGURE.sub(figure, text), unknown


_FIGURE = re.compile(r"\{[Ff]?(\d{1,4})\.(\w{1,20})\}")


def grouped(items: Mapping[int, Item]) -> list[dict[str, Any]]:
    """The variables of a prompt: items that share what leads them in stand together under it, where it is shown once.

    It is not shown when it is what the item before says.
    """
    groups: list[dict[str, Any]] = []
    said = led = ""
    for id, item in items.items():
        under = "" if _same(item.under, said) else item.under
        if not groups or (item.under != led and under != groups[-1]["under"]):
            groups.append({"under": under, "findings": []})
        shown = {"id": id, "text": item.text, "quotes": item.quotes, "source": item.source, "relevance": item.relevance}
        shown["figures"] = "; ".join(f"{{{id}.{name}}} = {value}" for name, value in item.figures.items())
        groups[-1]["findings"].append(shown)
        said, led = item.text, item.under
    return groups


def ids_to_cite(items: Mapping[int, Item]) -> str:
    """For a message to the model: which ids there are."""
    return f"the ids 1 to {len(items)}" if len(items) > 1 else "the id 1"
