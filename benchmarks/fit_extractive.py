#!/usr/bin/env python3
"""Fit the weights of the extractive reasoner on evals/dev.toml, and say what they are worth on corpora not fitted on.

    fit_extractive.py CORPORA KB_FOLDER [--write]

CORPORA holds one folder of pages per corpus (see evals/fetch_corpora.py); KB_FOLDER keeps their knowledge bases
between runs. Prints fact recall and abstention by cross-validation over corpora: each corpus is answered with weights
fitted on the others. `--write` replaces src/fathom/reasoners/extractive/weights.py. The same input gives the same
weights.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fathom.asks import ExtractFindings, PlanResearch
from fathom.evidence import Document, Passage, Query, Retrieval, SourceDescription
from fathom.knowledge.knowledge_base import KnowledgeBase
from fathom.limits import Limits
from fathom.reasoners.extractive import holding
from fathom.reasoners.extractive.facets import facets_of, scene_of
from fathom.reasoners.extractive.features import NAMES, Place, measure, places
from fathom.reasoners.extractive.outline import SOURCE_MARKS
from fathom.reasoners.extractive.plan import plan_research
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.ranking import standardised
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.selection import Option, choose
from fathom.text.display import word_count

ROOT = Path(__file__).parents[1]
WEIGHTS = ROOT / "src" / "fathom" / "reasoners" / "extractive" / "weights.py"
LIMITS = Limits()
FRAME_WORDS = 60
SENTENCE_PENALTY = 0.2
HELD_PENALTY = 0.5
RELATED = [  # corpora that answer each other's questions
    {"debian-policy", "debian-reference-ja", "developers-reference-ja", "maint-guide-ja"},
    {"sqlite3-doc", "postgresql-doc-15"},
    {"sqlite3-doc", "python3.11-doc"},
]

Array = NDArray[np.float64]


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


# ── Sentences ──────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Sample:
    """An answerable question with the places that its asks offer."""

    corpus: str
    language: str
    facts: int
    rows: list[Array] = field(default_factory=list)
    """Standardised features, one array per facet of each ask."""
    places: list[list[Place]] = field(default_factory=list)
    """The places of each of them."""
    subtasks: list[str] = field(default_factory=list)
    hits: list[list[frozenset[int]]] = field(default_factory=list)
    """Which facts each place tells."""
    titles: dict[str, int] = field(default_factory=dict)
    """Words of each document's title."""


def sample_of(question: dict[str, Any], corpus: Corpus) -> Sample:
    facts = [(re.compile(fact["pattern"]), set(fact["pages"])) for fact in question["facts"]]
    sample = Sample(question["corpus"], question["language"], len(facts))
    parsed = read_question(question["query"], language=question["language"])
    for ask in asks_of(question, corpus):
        found = places(ask.passages, ask.documents)
        if not found:
            continue
        pages = {document.sha256: corpus.page(document) for document in ask.documents}
        sample.titles |= {document.sha256: word_count(document.title) for document in ask.documents}
        rarity = Rarity.over(ask.sources)
        scene = scene_of(ask, found, parsed, rarity=rarity)
        hits = [
            frozenset(
                at
                for at, (pattern, gold) in enumerate(facts)
                if pages[place.passage.document] in gold and pattern.search(place.candidate.claim)
            )
            for place in found
        ]
        for facet in facets_of(ask.subtask, parsed, rarity=rarity):
            sample.rows.append(standardised(measure(scene, facet)))
            sample.places.append(found)
            sample.subtasks.append(ask.subtask.subtask_id)
            sample.hits.append(hits)
    return sample


def fit_sentences(samples: Sequence[Sample], *, steps: int = 250, rate: float = 0.05) -> Array:
    """Listwise: the share of the softmax over a question's places that falls on each fact's sentences (Adam, L2)."""
    packed = []
    for sample in samples:
        hits = [hit for one in sample.hits for hit in one]
        positions = [np.array([at for at, hit in enumerate(hits) if fact in hit]) for fact in range(sample.facts)]
        if any(len(found) for found in positions):
            packed.append((np.vstack(sample.rows), [found for found in positions if len(found)]))
    total = sum(len(positions) for _, positions in packed)
    weights, mean, square = np.zeros(len(NAMES)), np.zeros(len(NAMES)), np.zeros(len(NAMES))
    for step in range(1, steps + 1):
        gradient = SENTENCE_PENALTY * weights
        for rows, positions in packed:
            scores = rows @ weights
            shares = np.exp(scores - scores.max())
            expected = (shares / shares.sum()) @ rows
            for found in positions:
                gradient += (expected - (shares[found] / shares[found].sum()) @ rows[found]) / total
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights


def recall(sample: Sample, weights: Array, *, max_words: int = LIMITS.max_words) -> float:
    """Share of the facts that a report of that length tells."""
    best: dict[tuple[str, int, int], tuple[float, int, int]] = {}
    for group, rows in enumerate(sample.rows):
        scores = np.exp(rows @ weights)
        for at in np.argsort(-scores, kind="stable")[: LIMITS.max_findings]:
            place = sample.places[group][at]
            key = (place.passage.document, place.candidate.start, place.candidate.end)
            if key not in best or scores[at] > best[key][0]:
                best[key] = (float(scores[at]), group, int(at))
    options = [_option(sample, score, group, at) for score, group, at in best.values()]
    told = choose(options, max_words=max_words, frame_words=FRAME_WORDS)
    found: set[int] = set()
    for option in told.options:
        group, at = map(int, option.key.split())
        found |= sample.hits[group][at]
    return len(found) / sample.facts


def _option(sample: Sample, score: float, group: int, at: int) -> Option:
    place = sample.places[group][at]
    candidate, document = place.candidate, place.passage.document
    return Option(
        key=f"{group} {at}",
        score=score,
        subtask=sample.subtasks[group],
        terms=frozenset(candidate.terms),
        words=candidate.words,
        document=document,
        span=(candidate.start, candidate.end),
        lead=(candidate.lead_in.start, candidate.lead_in.end) if candidate.lead_in else None,
        lead_words=candidate.lead_words,
        section=" ".join(place.passage.headings),
        source_words=sample.titles[document] + SOURCE_MARKS,
    )


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

Fitted on evals/dev.toml: {questions} answerable questions with {facts} facts over {corpora} corpora, and
{held_rows} pairs of a question and a corpus, or a part of one. By cross-validation over corpora they tell
{recall:.0%} of the facts in a report of {words} words; they wrongly abstain from {silent} answerable questions, and
wrongly answer {wrong} that were written to be unanswerable and {strange} that were asked of a wrong corpus.
"""

from __future__ import annotations

SENTENCE: dict[str, float] = {{
{sentence}
}}
"""Linear scorer of sentences, on features with mean 0 and deviation 1 within a question."""

HELD: dict[str, float] = {{
{held}
}}
"""Logistic regression on the signs that the sources hold what is asked."""

HELD_FROM = {held_from}
"""Probability from which a subtask gets findings."""

TOLD_FROM = {told_from}
"""The same, that at least one subtask must reach for anything to be told."""
'''
HELD_FROM, TOLD_FROM = 0.25, 0.4


def main(arguments: Sequence[str]) -> int:
    options = [argument for argument in arguments if not argument.startswith("--")]
    if len(options) != 2:
        print((__doc__ or "").strip(), file=sys.stderr)
        return 2
    questions = tomllib.loads((ROOT / "evals" / "dev.toml").read_text("utf-8"))["question"]
    names = sorted({question["corpus"] for question in questions})
    corpora = {name: Corpus(Path(options[0]), Path(options[1]), name) for name in names}

    samples = [sample_of(q, corpora[q["corpus"]]) for q in questions if not q.get("unanswerable")]
    told: list[tuple[Sample, float]] = []
    for name in names:
        weights = fit_sentences([sample for sample in samples if sample.corpus != name])
        told += [(sample, recall(sample, weights)) for sample in samples if sample.corpus == name]
    for label, chosen in [("all", told), *((name, [t for t in told if t[0].corpus == name]) for name in names)]:
        print(f"recall {label:26} {np.mean([value for _, value in chosen]):.3f}  ({len(chosen)} questions)")

    rows = list(asked([*questions, *joined(questions)], corpora))
    chances: list[tuple[Asked, float]] = []
    for name in names:
        table = fit_held([row for row in rows if row.home != name])
        for row in (row for row in rows if row.home == name):
            chances.append((row, max(holding.probability(signs, table=table) for signs in row.signs)))
    faults: Counter[str] = Counter()
    for row, chance in chances:
        faults[row.kind] += row.answerable != (chance >= TOLD_FROM)
    count = Counter(row.kind for row in rows)
    for kind in KINDS:
        names_of_faults = sorted(
            {row.id for row, c in chances if row.kind == kind and row.answerable != (c >= TOLD_FROM)}
        )
        shown = " ".join(names_of_faults[:8])
        print(f"wrong about {kind:26} {faults[kind]:4} of {count[kind]:4}  {shown}")

    if "--write" in arguments:
        sentence = dict(zip(NAMES, fit_sentences(samples), strict=True))
        WEIGHTS.write_text(
            TEMPLATE.format(
                questions=len(samples),
                facts=sum(sample.facts for sample in samples),
                corpora=len(names),
                held_rows=len(rows),
                recall=float(np.mean([value for _, value in told])),
                words=LIMITS.max_words,
                silent=f"{faults['answered']} of {count['answered']}",
                wrong=f"{faults['unanswerable']} of {count['unanswerable']}",
                strange=f"{faults['wrong corpus']} of {count['wrong corpus']}",
                sentence="\n".join(f'    "{name}": {value:.3f},' for name, value in sentence.items()),
                held="\n".join(f'    "{name}": {value:.3f},' for name, value in fit_held(rows).items()),
                held_from=HELD_FROM,
                told_from=TOLD_FROM,
            ),
            encoding="utf-8",
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
