"""How near in meaning passages are to what is asked, where a model tells: vectors of the best passages by words.

Words find the candidates, in a small folder all; cosines count three times as much as words. A part is answered if both
say so: words tell a near miss in a large corpus, meaning a page on the same subject that lacks what was asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import mul
from statistics import median

from fathom.asks import ExtractFindings
from fathom.ports import Embedder, knows
from fathom.reasoners.extractive.facets import is_lead
from fathom.reasoners.extractive.relevance import Relevant

CANDIDATES = 200
"""Passages that are compared, the best by words."""
PART, QUESTION = 0.6, 0.4
"""What the nearness to the part counts, and that to the whole question."""
SHARE = 0.75
"""What nearness counts beside the words."""
BEARS = 0.25
"""Cosine from which a passage bears on a part, whatever its words; the nearest one always does."""
NEAR, LIKELY, APART = 0.6, 0.35, 0.1
"""Cosine from which a passage may answer; and from which it may if it is so much nearer than the middle one of those
that share words with the part. Chosen with all-MiniLM-L6-v2."""


@dataclass(frozen=True, kw_only=True)
class Near:
    """The passages of an ask, by words and meaning together."""

    found: tuple[Relevant, ...]
    """Best first."""
    answers: bool
    """Whether one of them is near enough to hold the answer."""


async def by_meaning_too(ask: ExtractFindings, found: Sequence[Relevant], embedder: Embedder) -> Near:
    """What was found by words, the best of it compared in meaning with the part and with the whole question.

    Raises:
        ConfigurationError, ProviderError: the embedder gave no vectors.
    """
    titles = {document.sha256: document.title for document in ask.documents}
    texts = [_text(each, titles[each.stretch.document]) for each in found[:CANDIDATES]]
    own = ask.subtask.focus_area if is_lead(ask.subtask, ask.query) else ask.subtask.description
    part, question, *passages = await embedder.embed([own, ask.query, *texts])
    to_part, to_question = ([sum(map(mul, asked, each)) for each in passages] for asked in (part, question))
    near = [max(0.0, PART * one + QUESTION * other) for one, other in zip(to_part, to_question, strict=True)]
    scale = max((each.score for each in found), default=0.0) / (max(near, default=0.0) or 1.0)
    bears = min(BEARS, max(near, default=0.0))
    mixed = [
        replace(
            each,
            score=(1 - SHARE) * each.score + SHARE * scale * alike,
            own=max(each.own, alike) if alike >= bears else 0.0,
        )
        for each, alike in zip(found, [*near, *[0.0] * (len(found) - len(near))], strict=True)
    ]
    closest = max([*to_part, *to_question], default=0.0)
    stands_out = bool(to_part) and max(to_part) - median(to_part) >= APART
    return Near(
        found=tuple(sorted(mixed, key=lambda each: -each.score)),
        answers=closest >= NEAR or (closest >= LIKELY and stands_out),
    )


def can_tell(ask: ExtractFindings, embedder: Embedder) -> bool:
    """Whether a model knows the language of an ask that is about documents alone."""
    return knows(embedder, ask.language) and all(each.kind == "file" for each in ask.documents)


def _text(each: Relevant, title: str) -> str:
    stretch = each.stretch
    above = ". ".join(dict.fromkeys((title, *stretch.headings)))
    lead = f"{stretch.lead.rstrip(' :：')}: " if stretch.lead else ""
    return f"{above}. {lead}{stretch.text}"
