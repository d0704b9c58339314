"""What the first words of a report tell, beside a plain search for the same question: prints a table.

Run `python benchmarks/first_words.py [SET.toml [CORPORA]]` after `python evals/fetch_corpora.py CORPORA SET.toml`; by
default the set is `evals/everyday_look.toml` and the folder `eval-corpora`. No model is asked.

Recall is the share of all facts of the answerable questions that stand in the first so many words, each in a sentence
that cites a page of the fact; `fact @80` counts the questions of which the first words tell one at all. The search is
that of `fathom kb search`: its passages with their text whole, best first.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import get_args

import fathom
from fathom import wiring
from fathom.evals.questions import EvalQuestion, load_questions
from fathom.evals.score import is_page
from fathom.evidence import Query
from fathom.knowledge.knowledge_base import KnowledgeBase
from fathom.report import AnswerState, Report
from fathom.settings import load_settings
from fathom.text.display import display, word_count
from fathom.text.sentences import sentences

CUTS = (80, 150, 300, 600)
"""Words."""
PASSAGES = 8
"""Of the search, about as many words as the longest cut."""

Told = list[tuple[str, list[str]]]
"""Sentences, each with the addresses that it cites."""


def of_report(report: Report) -> Told:
    """The sentences of a report in its order, a lead-in before its first item."""
    uris = {source.id: source.uri for source in report.sources}
    told, lead = Told(), None
    for claim in report.claims:
        cited = [uris[id] for id in claim.citations]
        if claim.lead_in and claim.lead_in != lead:
            told += [(claim.lead_in, cited)]
        lead = claim.lead_in
        told += [(each, cited) for each in _sentences(claim.text)]
    return told


async def of_search(question: EvalQuestion, knowledge: KnowledgeBase) -> Told:
    """The sentences of the passages that a search finds."""
    found = await knowledge.search(Query(text=question.query), limit=PASSAGES)
    documents = {document.sha256: document for document in found.documents}
    told = Told()
    for passage in found.passages:
        document = documents[passage.document]
        for block in passage.blocks:
            if passage.start <= block.start < block.end <= passage.end:
                shown = display(passage.quote(block.start, block.end), document.markup)
                told += [(each, [document.uri]) for each in _sentences(shown)]
    return told


def _sentences(text: str) -> Iterator[str]:
    yield from (text[start:end] for start, end in sentences(text))


def words_until(told: Told, question: EvalQuestion) -> list[int]:
    """How many words must be read for each fact that is told."""
    words, found = 0, dict[str, int]()
    for text, uris in told:
        words += word_count(text)
        for fact in question.facts:
            pages = any(is_page(uri, page) for uri in uris for page in fact.pages)
            if fact.name not in found and pages and re.search(fact.pattern, " ".join(text.split())):
                found[fact.name] = words
    return list(found.values())


def line(name: str, asked: Sequence[EvalQuestion], told: Sequence[Told]) -> str:
    """A row of the table."""
    pairs = [(question, words_until(each, question)) for question, each in zip(asked, told, strict=True)]
    answerable = [(question, words) for question, words in pairs if not question.unanswerable]
    facts = sum(len(question.facts) for question, _ in answerable) or 1
    recall = [sum(at <= cut for _, words in answerable for at in words) / facts for cut in CUTS]
    first = [sum(any(at <= cut for at in words) for _, words in answerable) for cut in CUTS]
    length = sum(_length(each) for each in told) / max(len(told), 1)
    cells = [*(f"{share:.3f}" for share in recall), *(f"{count}/{len(answerable)}" for count in first), f"{length:.0f}"]
    return f"{name:<10}" + "".join(f"{cell:>11}" for cell in cells)


def _length(told: Iterable[tuple[str, list[str]]]) -> int:
    return sum(word_count(text) for text, _ in told)


async def main(file: Path, corpora: Path) -> None:
    """Ask every question, and print the table."""
    asked = load_questions(file)
    if not all((corpora / question.corpus).is_dir() for question in asked):
        print(f"Not measured: fetch the corpora with python evals/fetch_corpora.py {corpora} {file}")
        return
    reports, searched = list[Report](), list[Told]()
    for question in asked:
        settings = load_settings(home=corpora / ".fathom", kb=question.corpus)
        reports.append(await fathom.research(question.query, documents=[corpora / question.corpus], settings=settings))
        async with wiring.opened_knowledge(settings) as knowledge:
            searched.append(await of_search(question, knowledge))
    heads = [*(f"@{cut}" for cut in CUTS), *(f"fact @{cut}" for cut in CUTS), "words"]
    print(f"{len(asked)} questions of {file}")
    print(f"{'':<10}" + "".join(f"{head:>11}" for head in heads))
    print(line("reports", asked, [of_report(report) for report in reports]))
    print(line("kb search", asked, searched))
    for name, is_answerable in (("answerable", True), ("unanswerable", False)):
        told = Counter(
            report.outcome
            for question, report in zip(asked, reports, strict=True)
            if question.unanswerable != is_answerable
        )
        print(f"{name}: " + ", ".join(f"{state} {told[state]}" for state in get_args(AnswerState)))


if __name__ == "__main__":
    given = [*map(Path, sys.argv[1:]), *(Path("evals/everyday_look.toml"), Path("eval-corpora"))[len(sys.argv) - 1 :]]
    asyncio.run(main(given[0], given[1]))
