"""A text held against documents, sentence by sentence."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fathom.asks import CheckReport, UnitToCheck
from fathom.engine.calls import RunCalls
from fathom.engine.journal import FAILED, GRACE_SECONDS, Journal
from fathom.errors import ProviderError, Unreadable, UsageError
from fathom.evidence import Document, Evidence, Passage, Query, now
from fathom.knowledge.ingestion import IngestProgress
from fathom.limits import Limits
from fathom.outcomes import in_thread
from fathom.ports import CallUsage, Reasoner, Retriever, RunStore
from fathom.reading.drafts import claims_in
from fathom.report import VERIFIED, Usage, Verdicts
from fathom.settings import Settings
from fathom.sheet import Sheet, SheetDocument, SheetSentence
from fathom.text.harmless import inert
from fathom.text.language import detect
from fathom.verification.texts import MOST, CheckedSentence, CheckedText, HeldAgainst, held_against
from fathom.verification.units import STATUS
from fathom.verification.verdicts import Verdict
from fathom.wiring.adapters import checked_paths, knowledge_file, opened_knowledge, opened_reasoner, read_in
from fathom.wiring.question import limits_for
from fathom.wiring.shared import Shared
from fathom.wiring.tracing import tracing_allowed
from fathom.written import Clause, Unit, WrongUnit

LARGEST = 5_000_000
"""Bytes of a text, at most."""
PASSAGES = 5
"""Passages that a sentence is held against, at most."""
SHOWN = 3
"""Passages that a model is shown of a sentence, at most: the nearest, then the best found."""


TITLE = 80
"""Characters of a first sentence that a text is called by, at most."""


async def held_against_documents(
    text: str | Path,
    documents: Sequence[Path | str] | None,
    limits: Mapping[str, Any] | None,
    settings: Settings,
    shared: Shared,
    *,
    on_ingest: Callable[[IngestProgress], None] | None = None,
) -> CheckedText:
    """What `Fathom.check` tells of a text."""
    asked = time.monotonic()
    in_force = limits_for(settings, limits)
    paths = checked_paths(documents, settings, or_else=True)
    if not paths and not knowledge_file(settings).exists():
        raise UsageError(
            f"There is nothing to check it against: give `documents`, or fill the knowledge base '{settings.kb}'."
        )
    data, suffix, name = await in_thread(_taken, text)
    try:
        claims = await in_thread(claims_in, data, suffix)
    except Unreadable as error:
        raise UsageError(f"{name} cannot be read: {error}.") from error
    if not claims:
        raise UsageError(f"{name} holds no sentence that claims something: headings, code and questions do not.")
    async with opened_reasoner(settings) as reasoner:
        await read_in(paths, settings, on_ingest)
        async with opened_knowledge(settings, within=paths) as knowledge:
            held = [await _held(claim, knowledge) for claim in claims[:MOST]]
        usage, notes = None, list[str]()
        if reasoner.metered:
            with tracing_allowed(no_web=settings.no_web):
                taken, paid = time.monotonic() - asked, _Paid(await shared.runs() if settings.cache else None)
                usage = await _judge(held, reasoner, in_force, paid, name=name, notes=notes, taken=taken)
    sentences = tuple(each.told() for each in held)
    return CheckedText(
        title=name if isinstance(text, Path) else inert(claims[0], width=TITLE),
        sentences=sentences,
        left_out=len(claims) - len(held),
        verdicts=Verdicts.model_validate(Counter(each.status for each in sentences)),
        usage=usage,
        notes=tuple(notes),
    )


def _taken(text: str | Path) -> tuple[bytes, str, str]:
    """The bytes of a text, the suffix that says what it is, and what to call it.

    Raises:
        UsageError: it cannot be had, or is too large.
    """
    name = inert(text.name) if isinstance(text, Path) else "The text"
    try:
        data = text.read_bytes() if isinstance(text, Path) else text.encode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{text} cannot be read: {error.strerror or error}.") from error
    if len(data) > LARGEST:
        raise UsageError(f"{name} is larger than {LARGEST // 1_000_000} MB: give a part of it.")
    return data, text.suffix.lower() if isinstance(text, Path) else ".md", name


@dataclass
class _Held:
    """A sentence and the passages that it was held against, the nearest first."""

    claim: str
    verdict: Verdict
    passages: tuple[tuple[Document, Passage], ...]
    repair: str = ""

    def settle(self, wrong: WrongUnit | None) -> None:
        """Take over what a model has found: nothing wrong, or what is."""
        if wrong is None:
            if self.verdict.status not in VERIFIED:
                why = "it was compared with the sources"
                self.verdict = replace(self.verdict, status="supported", why=why, by="model")
            return
        status, why = STATUS[wrong.kind], wrong.why or wrong.kind
        self.verdict = replace(self.verdict, status=status, why=why, by="model")
        self.repair = wrong.repair.text if wrong.repair else ""

    def told(self) -> CheckedSentence:
        """As it is told."""
        against = None
        if self.passages:
            document, passage = self.passages[0]
            against = HeldAgainst(
                title=document.title, uri=document.uri, locator=" › ".join(passage.headings), quote=passage.text
            )
        return CheckedSentence(
            text=self.claim,
            status=self.verdict.status,
            by=self.verdict.by,
            why=self.verdict.why,
            score=round(self.verdict.score, 3),
            against=against,
            repair=self.repair,
        )


async def _held(claim: str, knowledge: Retriever) -> _Held:
    found = await knowledge.search(Query(text=claim), limit=PASSAGES)
    documents = {document.sha256: document for document in found.documents}
    passages = [(documents[passage.document], passage) for passage in found.passages]
    verdict, nearest = await in_thread(
        held_against, claim, [(document.title, passage) for document, passage in passages]
    )
    if nearest is not None:
        passages.insert(0, passages.pop(nearest))
    return _Held(claim, verdict, tuple(passages))


def _sheet_of(held: Sequence[_Held]) -> tuple[Sheet, list[tuple[int, ...]]]:
    """The passages beside which a model is shown sentences, and the numbers of those of each sentence."""
    documents: dict[str, Document] = {}
    passages: dict[str, dict[str, Passage]] = {}
    for each in held:
        for document, passage in each.passages[:SHOWN]:
            documents[document.sha256] = document
            passages.setdefault(document.sha256, {})[passage.id] = passage
    sheet = Sheet(
        documents=tuple(
            SheetDocument(document=documents[sha256], sentences=tuple(map(_as_sentence, own.values())))
            for sha256, own in passages.items()
        )
    )
    numbers = {sentence.evidence[0].id: number for number, _, sentence in sheet}
    return sheet, [tuple(numbers[passage.id] for _, passage in each.passages[:SHOWN]) for each in held]


def _as_sentence(passage: Passage) -> SheetSentence:
    evidence = Evidence(
        document=passage.document,
        start=passage.start,
        end=passage.end,
        quote=passage.text,
        locator=" › ".join(passage.headings),
    )
    return SheetSentence(text=" ".join(passage.text.split()), evidence=(evidence,))


@dataclass(frozen=True)
class _Paid:
    """Keeps what a model has answered, so that a check which is broken off goes on where it was, and one that is asked
    for again costs nothing."""

    store: RunStore | None
    """`None` has every check pay for itself."""

    async def record(self, *, kind: str, request: str, answer: str, usage: CallUsage | None = None, **_: object) -> str:
        """The `Record` of a journal."""
        if self.store and usage and kind != FAILED:
            await self.store.keep_reply(request, answer)
        return answer


async def _judge(
    held: Sequence[_Held],
    reasoner: Reasoner,
    limits: Limits,
    paid: _Paid,
    *,
    name: str,
    notes: list[str],
    taken: float,
) -> Usage:
    """Have a model judge every sentence that is no quotation, at most `max_checks`; what it took.

    What kept it from that goes to `notes`, and the verdicts of the rules stand.
    """
    replies = paid.store.reply if paid.store else None
    journal = Journal((), record=paid.record, limits=limits, metered=True, taken=taken, replies=replies)
    to_judge = [each for each in held if each.passages and each.verdict.is_open][: limits.max_checks]
    if to_judge:
        language = detect(" ".join(each.claim for each in held)[:LARGEST])
        sheet, numbers = _sheet_of(to_judge)
        units = tuple(
            UnitToCheck(
                id=f"u{at}",
                unit=Unit(clauses=(Clause(text=each.claim, cites=cites),)),
                flag="" if each.verdict.status in VERIFIED else each.verdict.why,
            )
            for at, (each, cites) in enumerate(zip(to_judge, numbers, strict=True), start=1)
        )
        ask = CheckReport(query=name, language=language, sheet=sheet, units=units)
        try:
            answered = await reasoner.answer(ask, RunCalls(journal, "check", phase="report"))
        except ProviderError as error:
            notes.append(str(error))
        else:
            wrong = {each.id: each for each in answered.answer.wrong}
            for unit, each in zip(units, to_judge, strict=True):
                if unit.id in answered.answer.read:
                    each.settle(wrong.get(unit.id))
            if left := len(units) - len(answered.answer.read):
                notes.append(f"{left} of the sentences were not read, for want of room or of an answer.")
        finally:
            await journal.close(grace=GRACE_SECONDS)
    _, usage = await journal.end(created_at=now())
    return usage
