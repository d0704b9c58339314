"""Composes the report's Markdown. Text from documents stays text: it can add no link, no image and no markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fathom.report import REPORT_MARK, Claim, Contradiction, NotFoundEntry, SourceEntry
from fathom.text.phrases import Phrases

PARAGRAPH_SENTENCES = 6
"""A paragraph has at most this many sentences."""


@dataclass(frozen=True)
class Sentence:
    """A checked sentence, and how it is set."""

    claim: Claim
    form: Literal["paragraph", "lead_in", "item"] = "paragraph"
    opens: bool = False
    """It begins a paragraph: what it cites stands elsewhere than what the sentence before cites."""
    goes_on: bool = False
    """It belongs to the list item before: what both cite stands in one item of the source."""


@dataclass(frozen=True)
class Part:
    """A heading with the sentences told under it."""

    heading: str
    sentences: tuple[Sentence, ...] = ()
    parts: tuple[Part, ...] = ()
    subtask_id: str | None = None

    def all_sentences(self) -> Iterator[Sentence]:
        """Its own sentences and those of its parts, in the order of the report."""
        yield from self.sentences
        for part in self.parts:
            yield from part.all_sentences()


@dataclass(frozen=True)
class Draft:
    """Everything that the Markdown shows."""

    title: str
    phrases: Phrases
    parts: tuple[Part, ...]
    not_found: tuple[NotFoundEntry, ...] = ()
    conclusion: tuple[str, ...] = ()
    """How well the question is answered, when nobody has written a conclusion."""
    contradictions: tuple[Contradiction, ...] = ()
    limitations: tuple[str, ...] = ()
    sources: tuple[SourceEntry, ...] = ()
    footer: tuple[str, ...] = ()
    notice: str = ""
    """Why the report is partial; stands at the top."""
    nothing_found: bool = field(default=False)
    """No source holds an answer, as far as the research went."""


def compose(draft: Draft) -> str:
    """The report as CommonMark, ending in a newline."""
    words = draft.phrases
    blocks = [f"# {inert(draft.title)}"]
    if draft.notice:
        blocks.append(f"> {draft.notice}")
    if draft.nothing_found:
        blocks.append(words.nothing_yet if draft.notice else words.nothing_found)
    for part in draft.parts:
        blocks += _part(part, words, level=2)
    if draft.not_found:
        items = [f"- {inert(entry.what)}" for entry in draft.not_found]
        blocks += [f"## {words.not_found}", words.not_found_intro, "\n".join(items)]
    if draft.conclusion:
        blocks += [f"## {words.conclusion}", " ".join(map(inert, draft.conclusion))]
    if draft.contradictions:
        lines = (f"- {_contradiction(contradiction, words)}" for contradiction in draft.contradictions)
        blocks += [f"## {words.contradictions}", "\n".join(lines)]
    if draft.limitations:
        blocks += [f"## {words.limitations}", "\n".join(f"- {inert(line)}" for line in draft.limitations)]
    if draft.sources:
        blocks += [f"## {words.sources}", *_sources(draft.sources, words)]
    if draft.footer:
        blocks += ["---", "  \n".join(draft.footer)]
    return "\n\n".join([*blocks, REPORT_MARK]) + "\n"


def _part(part: Part, words: Phrases, *, level: int) -> Iterator[str]:
    if not any(part.all_sentences()):
        return
    yield f"{'#' * min(level, 6)} {inert(part.heading)}"
    yield from _blocks(part.sentences, words)
    for child in part.parts:
        yield from _part(child, words, level=level + 1)


def _blocks(sentences: Sequence[Sentence], words: Phrases) -> Iterator[str]:
    """Paragraphs and lists: sentences that belong together share a paragraph, items in a row share a list."""
    block: list[Sentence] = []
    for sentence in sentences:
        if block and not _goes_on(block, sentence):
            yield _set(block, words)
            block = []
        block.append(sentence)
    if block:
        yield _set(block, words)


def _goes_on(block: Sequence[Sentence], sentence: Sentence) -> bool:
    if sentence.form != block[-1].form or sentence.form == "lead_in":
        return False
    return sentence.form == "item" or not (sentence.opens or len(block) == PARAGRAPH_SENTENCES)


def _set(block: Sequence[Sentence], words: Phrases) -> str:
    lines = [_sentence(sentence.claim, words) for sentence in block]
    if block[0].form != "item":
        return " ".join(lines)
    pairs = zip(block, lines, strict=True)
    return "".join((" " if sentence.goes_on else "\n- ") + line for sentence, line in pairs).lstrip()


def _sentence(claim: Claim, words: Phrases) -> str:
    cited = "".join(f"[{id}]" for id in claim.citations)
    # with a blank between: a bracket right behind another one may be taken for the address of a link
    return " ".join(filter(None, (inert(claim.text), cited, words.weak_mark.get(claim.status))))


def _contradiction(contradiction: Contradiction, words: Phrases) -> str:
    return " ".join(
        words.says_of(side.kind, side.source_id, inert(side.date), inert(side.claim)) for side in contradiction.sides
    )


def _sources(sources: Sequence[SourceEntry], words: Phrases) -> Iterator[str]:
    """The list of sources; the user's documents and the web in two groups when there are both."""
    own = [source for source in sources if source.kind != "web"]
    pages = [source for source in sources if source.kind == "web"]
    for heading, group in ((words.your_documents, own), (words.the_web, pages)):
        if group:
            if own and pages:
                yield f"### {heading}"
            yield "\n".join(_source(source, words) for source in group)


def _source(source: SourceEntry, words: Phrases) -> str:
    entry = f"- [{source.id}] [{inert(source.title, in_link=True)}](<{_address(source.uri)}>)"
    if source.kind != "web":
        return entry
    details = (
        inert(source.site, in_link=True),
        words.natures[source.nature or "other"],
        words.published.format(date=inert(source.published)) if source.published else "",
        words.read.format(date=inert(source.retrieved_at[:10])),
        words.copy_of.format(source=f"[{source.origin}]") if source.origin not in ("", source.id) else "",
    )
    return f"{entry} {words.comma.join(filter(None, details))}"


def _address(uri: str) -> str:
    """The address with everything percent-encoded that could end the link's target."""
    return re.sub(r"[<>\s\\]", lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode()), uri)


_CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_ADDRESS = re.compile(
    r"(?:(?:https?|ftp|file|javascript|data|mailto):|www\.)[^\s<>`「」（）]*[^\s<>`「」（）.,;:!?)\]'\"]", re.I
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_IDENTIFIER = re.compile(r"(?<![\w`*])(?:\*{0,2}\w[\w.]*(?:\(\))?|[A-Za-z_][\w.]*\*)(?![\w`*])")
_CITATION_MARK = re.compile(r"\[S\d+\]")
_SPECIAL = re.compile(
    r"[`*]|\](?=[(\[:])|<(?=[A-Za-z/!?])|(?<!\w)_|_(?!\w)|&(?=#?\w+(?:;|$))|~(?=~)|(?<=~)~|\\(?=[!-/:-@\[-`{-~]|$)"
)
_SPECIAL_IN_LINK = re.compile(rf"{_SPECIAL.pattern}|[\[\]]")
_BLOCK_START = re.compile(r"^(?:#{1,6}(?=\s|$)|>|[-+=](?=\s|$|[-=])|(?:\d{1,9})(?=[.)](?:\s|$)))")


def inert(text: str, *, in_link: bool = False) -> str:
    """`text` as CommonMark (with GitHub's extensions) that shows just these characters, on one line.

    What would become a link, emphasis or a citation of ours is set as code; what else would be markup is escaped,
    `in_link` also every bracket: one alone would end the text of the link.

    >>> inert("See [here](http://evil.example) for __init__ and *args")
    'See [here\\\\](`http://evil.example`) for `__init__` and `*args`'
    """
    text = re.sub(r"\s+", " ", _printable(text)).strip()
    special = _SPECIAL_IN_LINK if in_link else _SPECIAL
    pieces: list[str] = []
    at = 0
    for start, end in _spans_to_set_as_code(text):
        pieces += [_escaped(text[at:start], special), _as_code(text[start:end], special)]
        at = end
    line = "".join([*pieces, _escaped(text[at:], special)])
    opening = _BLOCK_START.match(line)
    if not opening:
        return line
    return f"{line[: opening.end()]}\\{line[opening.end() :]}" if opening.group()[0].isdigit() else f"\\{line}"


def _printable(text: str) -> str:
    """Without control characters, and without the marks that turn the direction of writing."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", "", text)


def _spans_to_set_as_code(text: str) -> list[tuple[int, int]]:
    """What is code already, addresses, and identifiers that markup would eat, in order.

    Neighbours are one span: the ticks of two would run together and mean something else.
    """
    found = [match.span() for pattern in (_CODE, _ADDRESS, _EMAIL, _CITATION_MARK) for match in pattern.finditer(text)]
    found += [match.span() for match in _IDENTIFIER.finditer(text) if _looks_like_markup(match.group())]
    kept: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if kept and start <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


def _looks_like_markup(name: str) -> bool:
    return len(name) > 1 and (name[0] in "_*" or name.removesuffix("()")[-1] in "_*")


def _as_code(text: str, special: re.Pattern[str]) -> str:
    """A code span without ticks of its own, so that it ends where we end it."""
    code = text.replace("`", "")
    return f"`{code}`" if code.strip() else _escaped(text, special)


def _escaped(text: str, special: re.Pattern[str]) -> str:
    return special.sub(lambda match: f"\\{match.group()}", text)
