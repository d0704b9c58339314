"""Writes `src/fathom/text/common/`: the terms that a language uses often, from the frequencies of wordfreq.

Run `pip install wordfreq==3.1.1`, then `python benchmarks/fit_common_words.py`, after every change of the analyser.
"""

from __future__ import annotations

import math
from collections import defaultdict
from importlib import import_module
from pathlib import Path

from fathom.text.analysis import terms
from fathom.text.common import COMMONEST, LANGUAGES, LEAST, RARE

FOLDER = Path(__file__).parent.parent / "src" / "fathom" / "text" / "common"


def main() -> None:
    """One file for each language, a line for each tenth of a weight."""
    wordfreq = import_module("wordfreq")
    for language in sorted(LANGUAGES):
        frequencies: dict[str, float] = defaultdict(float)
        for word, frequency in wordfreq.get_frequency_dict(language, wordlist="best").items():
            for term in set(terms(word)):
                frequencies[term] += frequency
        levels: dict[float, list[str]] = defaultdict(list)
        for term, frequency in frequencies.items():
            zipf = math.log10(frequency * 1e9)
            weight = round(max(LEAST, (COMMONEST - zipf) / (COMMONEST - RARE)), 1)
            if weight < 1 and not term.isdigit():
                levels[weight].append(term)
        lines = [f"{weight} {' '.join(sorted(found))}\n" for weight, found in sorted(levels.items())]
        (FOLDER / f"{language}.txt").write_text("".join(lines), encoding="utf-8")
        print(language, sum(map(len, levels.values())))


if __name__ == "__main__":
    main()
