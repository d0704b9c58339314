"""What sources say to the sentences of a text, whoever wrote it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fathom.evidence import Passage
from fathom.frozen import FrozenModel
from fathom.report import SupportStatus, Usage, Verdicts
from fathom.verification.doubts import doubts_of
from fathom.verification.verdicts import Verdict, check

SCHEMA_VERSION = "1.0"
"""Of the JSON of a checked text."""
MOST = 2_000
"""Sentences of a text that are checked, at most."""


class HeldAgainst(FrozenModel):
    """The passage of a source that a sentence was held against."""

    title: str
    """Title of the document."""
    uri: str
    """Where the document is."""
    locator: str
    """The headings that the passage stands under, outermost first."""
    quote: str
    """What it says."""


class CheckedSentence(FrozenModel):
    """A sentence of a text, and what the sources say to it."""

    text: str
    """The sentence, without markup and marks of citations."""
    status: SupportStatus
    """How it stands to the sources."""
    by: str
    """Who said so: `rule` or `model`."""
    why: str
    """What decided, in a few words."""
    score: float
    """Share of its words that the passage holds, 0 to 1; 0 for what it does not bear out."""
    against: HeldAgainst | None = None
    """The passage that is nearest to it; `None` when the sources have none."""
    repair: str = ""
    """What the sources say instead, as a model has put it; empty when none has."""

    def placed(self, told: Mapping[str, str]) -> CheckedSentence:
        """The same with the address of its document as it is `told` to others."""
        if self.against is None:
            return self
        against = self.against.model_copy(update={"uri": told[self.against.uri]})
        return self.model_copy(update={"against": against})


class CheckedText(FrozenModel):
    """A text whose sentences were held against sources."""

    schema_version: str = SCHEMA_VERSION
    """Version of this form."""
    title: str
    """What the text is called: its file's name, or its first sentence."""
    sentences: tuple[CheckedSentence, ...]
    """In the order of the text."""
    left_out: int = 0
    """Sentences behind those, which were not checked."""
    verdicts: Verdicts
    """How many sentences have each status."""
    usage: Usage | None = None
    """What a model took that judged; `None` without one."""
    notes: tuple[str, ...] = ()
    """What kept a model from judging."""


def fails(found: Mapping[str, int], *, strict: bool) -> bool:
    """Whether a sentence of those counted by status should not stand as it is; with `strict`, also whether one could
    not be judged."""
    return any(found.get(status) for status in ("unsupported", "contradicted", *(["unjudged"] if strict else [])))


def held_against(claim: str, passages: Sequence[tuple[str, Passage]]) -> tuple[Verdict, int | None]:
    """What passages, best first and each with the title of its document, say to a sentence; and which of them is the
    nearest to it.

    One passage has to bear it out alone: words of several places prove nothing together. That a figure or a name is
    nowhere is told by all of them.
    """
    if not passages:
        return Verdict("unsupported", 0.0, "nothing in the sources speaks of it"), None
    verdicts = [check(claim, [passage.text], titles=(title, *passage.headings)) for title, passage in passages]
    for status in ("quoted", "supported"):
        for at, verdict in enumerate(verdicts):
            if verdict.status == status:
                return verdict, at
    texts = [passage.text for _, passage in passages]
    doubts = [doubts_of(claim, [text]) for text in texts]
    nearest = max(range(len(texts)), key=lambda at: doubts[at].share)
    verdict = verdicts[nearest]
    if verdict.status == "contradicted" or (verdict.status == "unsupported" and not doubts[nearest].figures):
        return verdict, nearest
    together = check(claim, texts, titles=[part for title, each in passages for part in (title, *each.headings)])
    if together.status == "unsupported":
        return together, nearest
    return Verdict("unjudged", verdict.score, verdict.why), nearest
