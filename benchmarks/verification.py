"""How sentences are judged without a model, on files of pairs with labels.

Run `python benchmarks/verification.py FILE.jsonl…`: each line {"claim", "evidence": [text, …], "label"}, the label
supported, partial, unsupported or contradicted; or {"good", "wrong", "evidence"}, which stands for two. A file may be
gzipped. `evals/sentences.jsonl` is one.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, get_args

from fathom.report import VERIFIED, SupportStatus
from fathom.verification.verdicts import check


def main() -> None:
    """Print a row for each file: of the good sentences and of the wrong ones the share that has each status."""
    if not sys.argv[1:]:
        print("It needs files of pairs; see its docstring.")
    for name in sys.argv[1:]:
        path = Path(name)
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        rows = [each for row in rows for each in _both(row)]
        started = time.perf_counter()
        found = Counter((row["label"] == "supported", check(row["claim"], row["evidence"]).status) for row in rows)
        seconds = time.perf_counter() - started
        called = sum(count for (_, status), count in found.items() if status in VERIFIED)
        right = sum(found[True, status] for status in VERIFIED)
        good = sum(count for (is_good, _), count in found.items() if is_good)
        print(f"\n{path.name}: {len(rows)} sentences, {good} of them good, {1_000 * seconds / len(rows):.1f} ms each")
        print(f"called good: precision {right / called if called else 0:.3f}, recall {right / good:.3f}")
        for is_good, kind, total in ((True, "good", good), (False, "wrong", len(rows) - good)):
            shares = (f"{status} {found[is_good, status] / total:.3f}" for status in get_args(SupportStatus))
            print(f"of the {kind}: {', '.join(shares)}")


def _both(row: dict[str, Any]) -> list[dict[str, Any]]:
    """The pair that a line is, or the two that it stands for."""
    if "claim" in row:
        return [row]
    labels = (("good", "supported"), ("wrong", "contradicted"))
    return [{"claim": row[name], "evidence": row["evidence"], "label": label} for name, label in labels]


if __name__ == "__main__":
    main()
