#!/usr/bin/env python3
"""Fit on evals/dev.toml what tells whether sources hold what is asked, and say how often that errs elsewhere.

    fit_extractive.py CORPORA KB_FOLDER [--write]

CORPORA holds one folder of pages per corpus (see evals/fetch_corpora.py); KB_FOLDER keeps their knowledge bases
between runs. Prints the errors by cross-validation over corpora: each corpus is answered with weights
fitted on the others. `--write` replaces src/fathom/reasoners/extractive/weights.py. The same input gives the same
weights.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fathom.asks import ExtractFindings, PlanResearch
from fathom.evidence import Document, Passage, Query, Retrieval, SourceDescription
from fathom.findings import ANSWERED
from fathom.knowledge.knowledge_base import KnowledgeBase
from fathom.limits import Limits
from fathom.reasoners.extractive import holding
from fathom.reasoners.extractive.plan import plan_research
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.rarity import Rarity

ROOT = Path(__file__).parents[1]
WEIGHTS = ROOT / "src" / "fathom" / "reasoners" / "extractive" / "weights.py"
LIMITS = Limits()
HELD_PENALTY = 0.5
RELATED = [  # corpora that answer each other's questions
    {"debian-policy", "debian-reference-ja", "developers-reference-ja", "maint-guide-ja"},
    {"sqlite3-doc", "postgresql-doc-15"},
    {"sqlite3-doc", "python3.11-doc"},
]


class Corpus:
    """A knowledge base of one corpus; equal requests are answered once."""

    def __init__(self, corpora: Path, kb_folder: Path, name: str, *, within: Sequence[str] = ()) -> None:
        """`within` restricts it to some pages; such a corpus must have been read as a whole before."""
        self.corpora, self.kb_folder, self.name = corpora, kb_folder, name
        self.root, self.within = corpora / name, frozenset(within)
        kb_folder.mkdir(parents=True, exist_ok=True)
        self._kb = KnowledgeBase(kb_folder / f"{name}.sqlite", within=[self.root / page for page in within])
        if not within:
            asyncio.run(self._kb.ingest([self.root]))

    def few(self, pages: Sequence[str], others: int, *, seed: str) -> Corpus:
        """The same with nothing but these pages and a number of others: a small folder of notes."""
        known = sorted(path.relative_to(self.root).as_posix() for path in self.root.rglob("*.html"))
        more = random.Random(seed).sample(known, min(others, len(known)))
        return Corpus(self.corpora, self.kb_folder, self.name, within=sorted({*pages, *more}))

    @cache  # noqa: B019 - lives as long as the program
    def search(self, query: Query, limit: int = LIMITS.max_passages) -> Retrieval:
        return asyncio.run(self._kb.search(query, limit=limit))

    @cache  # noqa: B019
    def describe(self, query: str) -> SourceDescription:
        return asyncio.run(self._kb.describe(query))

    def page(self, document: Document) -> str:
        """The page's path in the corpus."""
        return Path(document.uri.removeprefix("file://")).relative_to(self.root.resolve()).as_posix()


def asks_of(question: dict[str, Any], corpus: Corpus) -> list[ExtractFindings]:
    """What the reasoner is asked in the first round of each subtask."""
    query, language = question["query"], question["language"]
    source = corpus.describe(query)
    plan = plan_research(
        PlanResearch(
            query=query,
            language=language,
            sources=(source,),
            preview=corpus.search(Query(text=query)),
            max_questions=LIMITS.max_questions,
        )
    )
    asks = []
    for subtask in plan.subtasks:
        passages: dict[str, Passage] = {}
        documents: dict[str, Document] = {}
        retrievals = [corpus.search(query) for query in subtask.queries]
        for rank in range(LIMITS.max_passages):
            for retrieval in retrievals:
                if rank < len(retrieval.passages):
                    passages.setdefault(retrieval.passages[rank].id, retrieval.passages[rank])
                documents |= {document.sha256: document for document in retrieval.documents}
        asks.append(
            ExtractFindings(
                query=query,
                language=language,
                subtask=subtask,
                documents=tuple(documents.values()),
                passages=tuple(passages.values()),
                sources=(source,),
                max_findings=LIMITS.max_findings,
            )
        )
    return asks


# ── Abstaining ─────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Asked:
    """A question asked of a corpus."""

    id: str
    home: str
    """The corpus that it is about."""
    kind: str
    """A row of `KINDS`."""
    signs: list[dict[str, float]]
    """One per subtask."""

    @property
    def answerable(self) -> bool:
        return self.kind.startswith("answered")


KINDS = {  # how much all questions of a kind weigh together
    "answered": 30,
    "answered joined": 15,
    "answered by few pages": 48,
    "unanswerable": 25,
    "wrong corpus": 30,
    "wrong corpus joined": 10,
    "wrong few pages": 17,
    "few other pages": 14,
}


def asked(questions: Sequence[dict[str, Any]], corpora: dict[str, Corpus]) -> Iterator[Asked]:
    """Every question of its own corpus, the answerable ones also of others, and of folders with few pages."""
    answerable = [question for question in questions if not question.get("unanswerable")]
    for question in questions:
        home = question["corpus"]
        if question.get("unanswerable"):
            yield _asked(question, corpora[home], "unanswerable")
            continue
        suffix = " joined" if "+" in question["id"] else ""
        yield _asked(question, corpora[home], f"answered{suffix}")
        for name in corpora:
            if name != home and not _related(name, home):
                yield _asked(question, corpora[name], f"wrong corpus{suffix}")
        for others in (0, 4, 20) if not suffix else ():
            chance = random.Random(f"{question['id']} {others}")
            few = corpora[home].few(question["pages"], others, seed=question["id"])
            yield _asked(question, few, "answered by few pages")
            apart = [q for q in answerable if q["corpus"] == home and not few.within & set(q["pages"])]
            strange = [
                q
                for q in answerable
                if q["language"] == question["language"] and q["corpus"] != home and not _related(q["corpus"], home)
            ]
            for other in chance.sample(apart, min(1, len(apart))):
                yield _asked(other, few, "few other pages")
            for other in chance.sample(strange, min(2, len(strange))):
                yield _asked(other, few, "wrong few pages")


def _asked(question: dict[str, Any], corpus: Corpus, kind: str) -> Asked:
    parsed = read_question(question["query"], language=question["language"])
    signs = [holding.signs(ask, parsed, rarity=Rarity.over(ask.sources)) for ask in asks_of(question, corpus)]
    return Asked(question["id"], question["corpus"], kind, signs)


def _related(one: str, other: str) -> bool:
    return any({one, other} <= related for related in RELATED)


def fit_held(rows: Sequence[Asked]) -> dict[str, float]:
    """Logistic regression by Newton's method, L2 on standardised signs."""
    table = np.array([[signs[name] for name in holding.SIGNS] for row in rows for signs in row.signs])
    label = np.array([float(row.answerable) for row in rows for _ in row.signs])
    count = Counter(row.kind for row in rows)
    weight = np.array([KINDS[row.kind] / count[row.kind] / len(row.signs) for row in rows for _ in row.signs])
    mean, deviation = table.mean(axis=0), table.std(axis=0) + 1e-9
    columns = np.hstack([(table - mean) / deviation, np.ones((len(table), 1))])
    penalty = np.array([*[HELD_PENALTY] * len(holding.SIGNS), 1e-3])
    beta = np.zeros(len(penalty))
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(columns @ beta, -30, 30)))
        gradient = columns.T @ (weight * (chance - label)) + penalty * beta
        curvature = (columns * (weight * chance * (1 - chance))[:, None]).T @ columns + np.diag(penalty + 1e-6)
        beta -= np.linalg.solve(curvature, gradient)
    found = dict(zip(holding.SIGNS, beta[:-1] / deviation, strict=True))
    found["bias"] = beta[-1] - float((beta[:-1] * mean / deviation).sum())
    return {name: float(value) for name, value in found.items()}


def joined(questions: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Questions about two things at once: what one question asks first, and what the next one of its corpus does."""
    answerable = [question for question in questions if not question.get("unanswerable")]
    for one in answerable:
        others = [q for q in answerable if q["corpus"] == one["corpus"]]
        other = others[(others.index(one) + 1) % len(others)]
        first, second = (
            read_question(question["query"], language=question["language"]).clauses[0] for question in (one, other)
        )
        wide = one["language"] == "ja"
        texts = [f"{clause.topic} {clause.text}".strip() for clause in (first, second)]
        query = "。".join(texts) + "。" if wide else "? ".join(texts) + "?"
        yield {**one, "id": f"{one['id']}+{other['id']}", "query": query}


# ── The program ────────────────────────────────────────────────────────────────────────────────────────────────────

TEMPLATE = '''"""The weights of the extractive reasoner, as benchmarks/fit_extractive.py writes them.

Fitted on evals/dev.toml: {questions} answerable questions over {corpora} corpora, and
{held_rows} pairs of a question and a corpus, or a part of one. By cross-validation over corpora it
wrongly abstains from {silent} answerable questions, and
wrongly answers {wrong} that were written to be unanswerable and {strange} that were asked of a wrong corpus.
"""

from __future__ import annotations

HELD: dict[str, float] = {{
{held}
}}
"""Logistic regression on the signs that the sources hold what is asked."""

HELD_FROM = {held_from}
"""Probability from which a subtask gets findings."""
'''
HELD_FROM = 0.25


def main(arguments: Sequence[str]) -> int:
    options = [argument for argument in arguments if not argument.startswith("--")]
    if len(options) != 2:
        print((__doc__ or "").strip(), file=sys.stderr)
        return 2
    questions = tomllib.loads((ROOT / "evals" / "dev.toml").read_text("utf-8"))["question"]
    names = sorted({question["corpus"] for question in questions})
    corpora = {name: Corpus(Path(options[0]), Path(options[1]), name) for name in names}

    rows = list(asked([*questions, *joined(questions)], corpora))
    chances: list[tuple[Asked, float]] = []
    for name in names:
        table = fit_held([row for row in rows if row.home != name])
        for row in (row for row in rows if row.home == name):
            chances.append((row, max(holding.probability(signs, table=table) for signs in row.signs)))
    faults: Counter[str] = Counter()
    for row, chance in chances:
        faults[row.kind] += row.answerable != (chance >= ANSWERED)
    count = Counter(row.kind for row in rows)
    for kind in KINDS:
        names_of_faults = sorted(
            {row.id for row, c in chances if row.kind == kind and row.answerable != (c >= ANSWERED)}
        )
        shown = " ".join(names_of_faults[:8])
        print(f"wrong about {kind:26} {faults[kind]:4} of {count[kind]:4}  {shown}")

    if "--write" in arguments:
        WEIGHTS.write_text(
            TEMPLATE.format(
                questions=sum(not question.get("unanswerable") for question in questions),
                corpora=len(names),
                held_rows=len(rows),
                silent=f"{faults['answered']} of {count['answered']}",
                wrong=f"{faults['unanswerable']} of {count['unanswerable']}",
                strange=f"{faults['wrong corpus']} of {count['wrong corpus']}",
                held="\n".join(f'    "{name}": {value:.3f},' for name, value in fit_held(rows).items()),
                held_from=HELD_FROM,
            ),
            encoding="utf-8",
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
