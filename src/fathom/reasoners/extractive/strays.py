"""Pages of the web on other things than what is asked for: a search finds what shares words, not what is meant."""

from __future__ import annotations

from collections.abc import Set

from fathom.asks import ExtractFindings
from fathom.reasoners.extractive.names import Name, kanji_names, missing, names_of
from fathom.reasoners.extractive.parts import own_side
from fathom.reasoners.extractive.rarity import Rarity
from fathom.text.analysis import query_terms

_NOTHING = Rarity({}, passages=0)


def about_others(ask: ExtractFindings, pages: Set[str]) -> set[str]:
    """The pages that hold none of the names that the subtask asks for, those that it is set against not counted."""
    text = own_side(ask.subtask.description)
    names = names_of(text)
    names += [name for name in names_of(ask.query) if name.text in text]  # at its beginning any word is capitalised
    names += [Name(name, tuple(query_terms(name))) for name in kanji_names(text)]
    if not names:
        return set()
    shown: dict[str, list[str]] = {each.sha256: [each.title] for each in ask.documents if each.sha256 in pages}
    for passage in ask.passages:
        if passage.document in shown:
            shown[passage.document] += (" ".join(passage.text.split()), *passage.headings)
    return {id for id, texts in shown.items() if len(missing(names, texts=texts, rarity=_NOTHING)) == len(names)}
