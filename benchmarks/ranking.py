"""How near the top the passages are that a question needs: by words alone, and as a report orders them. Prints a table.

Run `python benchmarks/ranking.py QUESTIONS.json FOLDER [HOW_MANY]`, with questions and a folder as
`benchmarks/several_pages.py` takes them: HotpotQA's and MuSiQue's development parts, or JSQuAD's, a file for each
paragraph. `R@10` is the share of the pages needed that are among the first ten, `nDCG@10` also says how far up.
"""

from __future__ import annotations

import asyncio
import json
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

import fathom
from fathom import wiring
from fathom.asks import ExtractFindings
from fathom.evidence import Query
from fathom.plan import Subtask
from fathom.reasoners.extractive.order import nearest
from fathom.settings import load_settings
from fathom.text.language import detect
from fathom.wiring.adapters import opened_rankers
from fathom.wiring.opening import FEW


def scores(pages: Sequence[str], gold: set[str]) -> tuple[float, float, float]:
    """Recall among the first, and the first ten, and nDCG of the ten."""
    gains = sum(1 / math.log2(at + 2) for at, page in enumerate(pages[:10]) if page in gold)
    best = sum(1 / math.log2(at + 2) for at in range(len(gold)))
    return len(gold.intersection(pages[:1])) / len(gold), len(gold.intersection(pages[:10])) / len(gold), gains / best


async def main(questions: Path, folder: Path, how_many: int) -> None:
    """Rank the pages for each question, and print the table."""
    rows = json.loads(questions.read_text(encoding="utf-8"))[:how_many]
    called = json.loads(folder.with_name(f"{folder.name}.index.json").read_text(encoding="utf-8"))
    settings = load_settings(home=folder.parent / ".fathom", kb=folder.name)
    await fathom.ingest([folder], settings=settings)
    first, second = opened_rankers(settings)
    results: dict[str, list[tuple[float, float, float]]] = {"words": [], "the order of a report": []}
    seconds = dict.fromkeys(results, 0.0)
    async with wiring.opened_knowledge(settings) as knowledge:
        view = knowledge.kept_to([], few=FEW if first else 0, ranker=first)
        for row in rows:
            text, gold = row["question"], set(row["gold_titles"])
            for name in results:
                began = time.process_time()
                found = await (view if first else knowledge).search(Query(text=text), limit=50)
                titles = {each.sha256: called[unquote(each.uri).rpartition("/")[2]] for each in found.documents}
                pages = [titles[each.document] for each in found.passages]
                if name != "words" and first:
                    ask = ExtractFindings(
                        query=text,
                        language=detect(text),
                        subtask=Subtask(subtask_id="task_1", description=text),
                        documents=found.documents,
                        passages=found.passages,
                        sources=(await view.describe(text),),
                        max_findings=50,
                    )
                    pages = [titles[each.stretch.document] for each in await nearest(ask, first, second)]
                results[name].append(scores(list(dict.fromkeys(pages)), gold))
                seconds[name] += time.process_time() - began
    print(f"{'questions':>10}  {'by':<22}{'R@1':>8}{'R@10':>8}{'nDCG@10':>8}{'CPU s':>8}")
    for name, each in results.items():
        means = [sum(column) / len(rows) for column in zip(*each, strict=True)]
        figures = "".join(f"{mean:>8.3f}" for mean in means)
        print(f"{len(rows):>10}  {name:<22}{figures}{seconds[name] / len(rows):>8.2f}")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 10**9))
