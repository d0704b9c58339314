"""What a page of the web says that is not what is asked: other things, asides, offers.

Manuals go on about one thing for a whole section. Pages of the web chat, advertise and tell of their authors, and a
search finds what shares words, not what is meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Set

from fathom.asks import ExtractFindings
from fathom.reasoners.extractive.names import Name, missing, names_of
from fathom.reasoners.extractive.parts import own_side
from fathom.reasoners.extractive.ranking import Ranked
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.subjects import kanji_names
from fathom.text.analysis import query_terms, terms

ASIDE = 3
"""Terms of its own from which a sentence says something without the words that are asked for."""
_NOTHING = Rarity({}, passages=0)
_SPECIFIC = re.compile(r"\d|\w_\w|\w\(\)|(?<![\w-])--?[a-z]|\b[A-Z]{3,}\b|\b[a-z]+[A-Z]\w+|(?<![\w.])[/~]\w+/|[`<>$]")
_OFFERS = re.compile(
    r"^(?:discover|explore|order|buy|shop|book|get|grab|try|enjoy|join|start|unlock|hurry|visit|download|upgrade"
    r"|do\s?n[o']t\s+miss)\b.*!$"
    r"|^(?:order|buy|shop|book|hurry)\b.*\b(?:today|now|save|free|discounts?|sale)\b"
    r"|^(?:free|fast|next-day)\s+(?:delivery|shipping)\b|\bmoney\s+back\b|^delivery\s+within\b"
    r"|今すぐ(?:購入|申し?込|予約|登録|ダウンロード)|送料無料",
    re.IGNORECASE,
)


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


def is_beside_the_point(ranked: Ranked, wanted: Collection[str], titles: Mapping[str, str]) -> bool:
    """Whether a sentence of a page is an offer, or neither it, nor what it belongs to, nor the heading above it has any
    word that is asked for.

    An aside (`But do not quote me.`) is one whatever it belongs to. What names a command, a setting or a number is
    none: manuals stand on the web too.
    """
    candidate, headings = ranked.place.candidate, ranked.place.passage.headings
    if _OFFERS.search(candidate.claim):
        return True
    wanted = frozenset(wanted)
    if not wanted.isdisjoint(candidate.terms) or is_specific(candidate.claim):
        return False
    if candidate.kind != "table_row" and len(query_terms(candidate.claim)) < ASIDE and _is_sentence(candidate.claim):
        return True
    if not wanted.isdisjoint(candidate.lead_terms):
        return False
    title = titles[ranked.place.passage.document].casefold()
    above = [heading for heading in headings if heading.casefold() not in title]
    return not above or wanted.isdisjoint(terms(above[-1]))


def is_specific(claim: str) -> bool:
    """Whether a sentence names a number, a command or a setting."""
    return bool(_SPECIFIC.search(claim))


def _is_sentence(claim: str) -> bool:
    return claim.endswith((".", "!", "?")) and not any(char.isdigit() for char in claim)
