"""A text held against documents, sentence by sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from fathom.errors import Unreadable, UsageError
from fathom.evidence import Passage, Query
from fathom.knowledge.ingestion import Progress
from fathom.outcomes import in_thread
from fathom.ports import Retriever
from fathom.reading.drafts import claims_in
from fathom.report import Verdicts
from fathom.settings import Settings, load_settings
from fathom.verification.texts import MOST, CheckedSentence, CheckedText, HeldAgainst, held_against
from fathom.wiring.adapters import checked_paths, opened_knowledge, read_in

LARGEST = 5_000_000
"""Bytes of a text, at most."""
PASSAGES = 5
"""Passages that a sentence is held against, at most."""


async def check(
    text: str | Path,
    *,
    documents: Sequence[Path | str] | None = None,
    settings: Settings | None = None,
    on_ingest: Callable[[Progress], None] | None = None,
) -> CheckedText:
    """Hold each sentence of a text against documents: which they bear out, which they contradict, which they do not
    speak of. Nobody need have cited anything.

    Args:
        text: In Markdown; or the path of a file of a type that can be read.
        documents: Files and folders to keep to, read in first; without any, the whole knowledge base.

    Raises:
        UsageError: a path is not there, the text is too large, claims nothing or cannot be read, or there is
            nothing to hold it against.
        ConfigurationError: nothing reads files of its type.
    """
    settings = settings or load_settings()
    paths = checked_paths(documents, settings)
    data, suffix, name = await in_thread(_taken, text)
    try:
        claims = await in_thread(claims_in, data, suffix)
    except Unreadable as error:
        raise UsageError(f"{name} cannot be read: {error}.") from error
    if not claims:
        raise UsageError(f"{name} holds no sentence that claims something: headings, code and questions do not.")
    await read_in(paths, settings, on_ingest)
    async with opened_knowledge(settings, within=paths) as knowledge:
        checked = [await _checked(claim, knowledge) for claim in claims[:MOST]]
    counts = Verdicts.model_validate(Counter(each.status for each in checked))
    return CheckedText(sentences=tuple(checked), left_out=len(claims) - len(checked), verdicts=counts)


def _taken(text: str | Path) -> tuple[bytes, str, str]:
    """The bytes of a text, the suffix that says what it is, and what to call it.

    Raises:
        UsageError: it cannot be had, or is too large.
    """
    name = text.name if isinstance(text, Path) else "The text"
    try:
        data = text.read_bytes() if isinstance(text, Path) else text.encode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{text} cannot be read: {error.strerror or error}.") from error
    if len(data) > LARGEST:
        raise UsageError(f"{name} is larger than {LARGEST // 1_000_000} MB: give a part of it.")
    return data, text.suffix.lower() if isinstance(text, Path) else ".md", name


async def _checked(claim: str, knowledge: Retriever) -> CheckedSentence:
    found = await knowledge.search(Query(text=claim), limit=PASSAGES)
    documents = {document.sha256: document for document in found.documents}
    verdict, nearest = await in_thread(
        held_against, claim, [(documents[passage.document].title, passage) for passage in found.passages]
    )
    against = None
    if nearest is not None:
        passage: Passage = found.passages[nearest]
        document = documents[passage.document]
        against = HeldAgainst(
            title=document.title, uri=document.uri, locator=" › ".join(passage.headings), quote=passage.text
        )
    return CheckedSentence(
        text=claim,
        status=verdict.status,
        by=verdict.by,
        why=verdict.why,
        score=round(verdict.score, 3),
        against=against,
    )
