"""Words that carry no topic, and the phrases of asking."""

from __future__ import annotations

import re

from fathom.languages.packs import either, packs, words

FUNCTION_WORDS = {each.code: frozenset(known) for each in packs() if (known := each.words("words.function"))}
"""The most frequent words of each language, by ISO 639-1 code; several languages share some."""

ALSO_ENGLISH = words("words.shared")
"""Function words of other languages that English texts hold too, as words or in names."""

ENGLISH_STOP_WORDS = FUNCTION_WORDS["en"] - words("words.relations") | words("words.dropped")
"""English words that a query drops."""

ASKING_WORDS = words("words.asking")
"""English words that ask and do not say what about."""

ASKING_PHRASES = re.compile(either("words.phrases"))
"""Phrases that ask in languages whose words do not stand apart, which a query drops before it is cut into bigrams."""
