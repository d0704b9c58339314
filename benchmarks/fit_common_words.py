"""Writes `src/fathom/text/common/`: the terms that a language uses often, from the frequencies of wordfreq.

Function words say least, however rare a form of them is: those of Snowball's lists, which Whoosh holds, and our own.
Run `pip install wordfreq==3.1.1 whoosh==2.7.4`, then `python benchmarks/fit_common_words.py`, after every change of the
analyser.
"""

from __future__ import annotations

import math
from collections import defaultdict
from importlib import import_module
from pathlib import Path

from fathom.text.analysis import terms
from fathom.text.common import COMMONEST, LANGUAGES, LEAST, RARE
from fathom.text.stopwords import FUNCTION_WORDS

FOLDER = Path(__file__).parent.parent / "src" / "fathom" / "text" / "common"


def main() -> None:
    """One file for each language, a line for each tenth of a weight."""
    wordfreq, snowball = import_module("wordfreq"), import_module("whoosh.lang.stopwords").stoplists
    for language in sorted(LANGUAGES):
        frequencies: dict[str, float] = defaultdict(float)
        for word, frequency in wordfreq.get_frequency_dict(language, wordlist="best").items():
            for term in set(terms(word)):
                frequencies[term] += frequency
        levels: dict[float, list[str]] = defaultdict(list)
        small = {*snowball.get(language, ()), *FUNCTION_WORDS.get(language, ())}
        least = {term for word in small for term in terms(word)}
        for term, frequency in frequencies.items():
            zipf = math.log10(frequency * 1e9)
            weight = LEAST if term in least else round(max(LEAST, (COMMONEST - zipf) / (COMMONEST - RARE)), 1)
            if weight < 1 and not term.isdigit():
                levels[weight].append(term)
        lines = [f"{weight} {' '.join(sorted(found))}\n" for weight, found in sorted(levels.items())]
        (FOLDER / f"{language}.txt").write_text("".join(lines), encoding="utf-8")
        print(language, sum(map(len, levels.values())))


if __name__ == "__main__":
    main()
