"""Which language a text is written in: by its script, then by its most frequent words."""

from __future__ import annotations

import re
from collections import Counter

from fathom.languages.packs import pack
from fathom.text.characters import HAN, HANGUL, HIRAGANA, KATAKANA, is_cjk
from fathom.text.stopwords import FUNCTION_WORDS

__all__ = ["detect", "is_cjk", "name_of"]

_NAMES = {
    "ar": "Arabic",
    "el": "Greek",
    "he": "Hebrew",
    "hi": "Hindi",
    "ko": "Korean",
    "pl": "Polish",
    "ru": "Russian",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
}
"""Languages that have no file of their own."""

_SAMPLE = 8_000
_KANA = re.compile(f"[{HIRAGANA}{KATAKANA}]")
_HAN = re.compile(f"[{HAN}]")
_HANGUL = re.compile(f"[{HANGUL}]")
_LATIN_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?![\w.(])")
_IDENTIFIER = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]++[_./:=(){}<>@\\-]+[A-Za-z0-9]\S*")
_INVERSION = re.compile(r"-(?:t-)?(?=(?:il|elle|on|je|tu|nous|vous|ils|elles|ce|moi)\b)", re.IGNORECASE)
"""What joins a French verb to its pronoun, as in `y a-t-il`: such a word is no identifier."""
_LANGUAGES_OF = {
    word: [code for code, known in FUNCTION_WORDS.items() if word in known]
    for word in frozenset().union(*FUNCTION_WORDS.values())
}
_OTHER_SCRIPTS = {
    "ru": re.compile("[\u0400-\u04ff]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
}


def name_of(code: str) -> str:
    """The English name of a language; of one that `detect` does not tell, "the language of the question".

    >>> name_of("ja"), name_of("xx")
    ('Japanese', 'the language of the question')
    """
    return pack(code).holds("about.name") or _NAMES.get(code, "the language of the question")


def detect(text: str, *, likely: str = "und") -> str:
    """The main language of `text` as an ISO 639-1 code; where nothing tells, or as much tells that it is this one, the
    `likely` one.

    A script of its own decides. Identifiers are in no language, so a Japanese question full of
    Latin identifiers is Japanese: Latin prose shows in its function words, not in its letters.

    >>> detect("What is autovacuum?"), detect("pg_dump と pg_dumpall の違いは何ですか"), detect("🤖🤖")
    ('en', 'ja', 'und')
    >>> detect("Was kostet Tennis?"), detect("Was kostet Tennis?", likely="de"), detect("clavier", likely="fr")
    ('en', 'de', 'fr')
    """
    sample = text[:_SAMPLE]
    latin = _latin_scores(sample)
    prose = max(latin.values(), default=0)
    if not sample.isascii():
        kana, han, hangul = (len(pattern.findall(sample)) for pattern in (_KANA, _HAN, _HANGUL))
        if kana + han + hangul > 3 * prose:
            if hangul > kana and hangul > han / 4:
                return "ko"
            return "ja" if kana * 20 > han else "zh"
        for code, pattern in _OTHER_SCRIPTS.items():
            if len(pattern.findall(sample)) > 5 * prose + 1:
                return code
    return _best(latin, likely=likely) if prose else likely


def _latin_scores(sample: str) -> dict[str, int]:
    scores: Counter[str] = Counter()
    for word, count in Counter(
        _LATIN_WORD.findall(_IDENTIFIER.sub(" ", _INVERSION.sub(" ", sample)).casefold())
    ).items():
        for code in _LANGUAGES_OF.get(word, ()):
            scores[code] += count
    return dict(scores)


def _best(scores: dict[str, int], *, likely: str) -> str:
    """The highest score; the likely one wins a tie, then English, then the alphabet decides."""
    return min(scores, key=lambda code: (-scores[code], code != likely, code != "en", code))
