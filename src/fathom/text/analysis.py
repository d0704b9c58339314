"""The analyser: text to terms, the same when a document is indexed and when a query is asked."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import chain, pairwise
from threading import Lock

from snowballstemmer.english_stemmer import EnglishStemmer  # type: ignore[import-untyped]

from fathom.languages.packs import pack
from fathom.text.characters import CJK, HAN, HANGUL, KATAKANA
from fathom.text.language import detect
from fathom.text.sentences import sentences
from fathom.text.stopwords import ALSO_ENGLISH, ASKING_PHRASES, ASKING_WORDS, ENGLISH_STOP_WORDS, FUNCTION_WORDS

VERSION = 4
"""Changes whenever the same text gets other terms; an index of another version is built anew."""

_JOINED = r"(?:(?:[.\-'’]|_+|,(?=\d{3}(?!\d)))%s)*"
_ASCII_TOKEN = re.compile("[A-Za-z0-9]+" + _JOINED % "[A-Za-z0-9]+")
_WORD = f"[^\\W_{CJK}]+"
_TOKEN = re.compile(f"([{CJK}]+)|({_WORD}{_JOINED % _WORD})")
_PIECE = re.compile(r"[A-Z]{2,}(?=s(?![a-z]))|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+(?:\.\d+)*|[^\W\d_A-Za-z]+")
_PLAIN_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_PAIR = re.compile(r"(?<![\w-])([^\W\d_]{2,})(?= ([^\W\d_]{2,})(?![\w-]))")
_WITH_ENDING = re.compile(rf"([{HAN}])[しりきいえみちっけびぎ](?=([{HAN}])[ぁ-ゖ])")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_LONE_HAN = re.compile(f"(?<![{HAN}])[{HAN}](?![{HAN}])")
_TOPICAL = re.compile(f"[{HAN}{HANGUL}{KATAKANA}]")
_PARTICLE_PAIR = re.compile(f"[をにはがのとでもへや][{HAN}]|[{HAN}][をはの]")  # a particle belongs to no other word
_TOPICAL_PAIR = re.compile(f"[{HAN}{HANGUL}].|.[{HAN}{HANGUL}]|[{KATAKANA}]{{2}}")

_ELISION = re.compile(r"(?:[cdjlmnst]|qu|lorsqu|puisqu|jusqu|un|(?:d|n)?all|dell|nell|sull)'(?=[^\W\d])", re.IGNORECASE)
_FOREIGN = frozenset().union(*FUNCTION_WORDS.values()) - FUNCTION_WORDS["en"]
_COMMON = ENGLISH_STOP_WORDS | ASKING_WORDS
_REMEMBERED = 1 << 16
_AS_TYPED = {
    code: base
    for code in range(0xC0, 0x250)
    if (base := unicodedata.normalize("NFD", chr(code))[0]).isascii() and base.isalpha()
} | str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "æ": "ae", "ø": "oe", "œ": "oe"}
)
"""Latin letters as people write them where a keyboard or a file name has no others."""
_stemmer = EnglishStemmer()
_stemming = Lock()  # the stemmer keeps the word that it works on: two threads at once cut each other's words


def terms(text: str) -> list[str]:
    """The terms of `text` in order, repeated as often as they occur.

    Lower case after NFKC, Latin letters without their marks (ü is ue), French words without the article before them.
    Words are stemmed; an identifier is given whole and in its pieces; numbers and versions stay whole. Chinese,
    Japanese and Korean become pairs of characters, without the pairs that only hold hiragana; a lone ideograph between
    kana is a term too.

    >>> terms("Running max_connections")
    ['run', 'max_connections', 'max', 'connect']
    >>> terms("Spülmaschine") == terms("Spuelmaschine"), terms("règlement") == terms("reglement")
    (True, True)
    >>> terms("L'emplacement") == terms("emplacement")
    True
    >>> terms("表のバキューム 3.11")
    ['表', '表の', 'バキ', 'キュ', 'ュー', 'ーム', '3.11']
    """
    if len(_token_terms) > _REMEMBERED:
        _token_terms.clear()
    if text.isascii():
        return list(chain.from_iterable(map(_token_terms.__getitem__, _ASCII_TOKEN.findall(text))))
    found: list[str] = []
    for run, token in _TOKEN.findall(unicodedata.normalize("NFKC", text)):
        found += _run_terms(run) if run else _token_terms[token]
    return found


def query_terms(text: str) -> list[str]:
    """The terms of a question that say what it is about: each once, in order.

    Stop words and the phrases of asking, English and Japanese, are left out, and the function words of the language
    that the text is in.

    >>> query_terms("Please explain what autovacuum is."), query_terms("Quelle est l'adresse de la piscine ?")
    (['autovacuum'], ['adress', 'piscin'])
    """
    text = unicodedata.normalize("NFKC", text)
    if not text.isascii():
        text = ASKING_PHRASES.sub(" ", text)
    found: dict[str, None] = {}
    tokens: list[tuple[str, str]] = _TOKEN.findall(text)
    own = _function_words(text, tokens)
    for run, token in tokens:
        if run:
            found.update((pair, None) for pair in _run_terms(run) if not _PARTICLE_PAIR.fullmatch(pair))
        elif (word := _alone(token).lower()) not in _COMMON and word not in own:
            found.update(dict.fromkeys(_token_terms[token]))
    return list(found)


@lru_cache(maxsize=256)
def pieces(text: str) -> Mapping[str, str]:
    """The terms of a text that are only a piece of a word, each with the term of the whole word.

    >>> pieces("How does PostgreSQL spill to disk?")
    {'postgr': 'postgresql', 'sql': 'postgresql'}
    """
    words = [_token_terms[token] for _, token in _TOKEN.findall(unicodedata.normalize("NFKC", text)) if token]
    wholes = {word[0] for word in words}
    return {piece: whole for whole, *rest in words for piece in rest if piece not in wholes}


@lru_cache(maxsize=256)
def compounds(text: str) -> tuple[str, ...]:
    """The terms of what neighbouring words of a text make when they are written as one, with a hyphen or without.

    >>> compounds("How do I back up a server?")
    ('backup', 'back-up')

    In Japanese, of characters with the endings left out that documents often write without: 申し込む, 申込.

    >>> compounds("いつ申し込めばいいですか")
    ('申込',)
    """
    text = unicodedata.normalize("NFKC", text)
    pairs = [match.group(1, 2) for match in _PAIR.finditer(text)]
    said = [pair for pair in pairs if not _COMMON.issuperset(word.lower() for word in pair)]
    words = [joint.join(pair) for pair in said for joint in ("", "-")]
    found = [_token_terms[word.lower()][0] for word in words if word.lower() not in _COMMON]
    return tuple(dict.fromkeys([*found, *(match[1] + match[2] for match in _WITH_ENDING.finditer(text))]))


def occurrences(text: str, wanted: Collection[str]) -> list[tuple[int, int, str]]:
    """Where the terms `wanted` stand in `text`, in order: half-open offsets of the word or pair, and the term.

    >>> occurrences("It rests. 深い海", ["rest", "深い"])
    [(3, 8, 'rest'), (10, 12, '深い')]
    """
    found: list[tuple[int, int, str]] = []
    for match in _TOKEN.finditer(text):
        begin, end = match.span()
        if match[1]:
            found += [(at, at + n, text[at : at + n]) for at in range(begin, end) for n in (1, 2) if at + n <= end]
        else:
            found += [(begin, end, term) for term in _token_terms[unicodedata.normalize("NFKC", match[2])]]
    return [each for each in found if each[2] in wanted]


def snippet(text: str, wanted: Collection[str], *, width: int = 300) -> str:
    """The sentences of `text` in a row that hold most of the terms `wanted`, or else its beginning: `width` characters.

    >>> snippet("Cold is slow. A starter rests for a day.", ["starter", "rest"])
    '… A starter rests for a day.'
    """
    found, spans = occurrences(text, wanted), sentences(text)
    places, starts, stops = [at for at, _, _ in found], [start for start, _ in spans], [stop for _, stop in spans]
    runs: dict[tuple[int, int], None] = {}
    for at in places:
        first = starts[max(0, bisect_right(starts, at) - 1)] if spans else at
        first = first if 0 <= at - first < width // 2 else at  # of a long sentence, what the terms stand in
        fits = bisect_right(stops, first + width) - 1
        runs[first, stops[fits] if fits >= 0 and stops[fits] > at else first + width] = None
    most, begin, end = 0, 0, width
    for first, last in runs:
        inside = found[bisect_left(places, first) : bisect_left(places, last)]
        if (held := len({term for _, stop, term in inside if stop <= last})) > most:
            most, begin, end = held, first, last
    return f"{'… ' * bool(text[:begin].strip())}{text[begin:end].strip()}{' …' * bool(text[end:].strip())}"


def _function_words(text: str, tokens: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The function words of a text's language when it is in none of those whose words are dropped anyway.

    One that is an English word too, as in `trade war`, does not tell a language by itself.
    """
    words = {token.lower() for _, token in tokens}
    if words.isdisjoint(_FOREIGN):
        return frozenset()
    own = FUNCTION_WORDS.get(detect(text), frozenset())
    told = words & own
    return own if own is not FUNCTION_WORDS["en"] and (told - ALSO_ENGLISH or len(told) > 1) else frozenset()


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The English stem of a lower-case word."""
    if word[-1] in "abfhjkopquvwxz":  # no English suffix that is cut ends so
        return word
    with _stemming:
        return str(_stemmer.stemWord(word))


class _TokenTerms(dict[str, tuple[str, ...]]):
    """Remembers the terms of the tokens seen: most of a text is made of the same few thousand."""

    def __missing__(self, token: str) -> tuple[str, ...]:
        found = self[token] = _terms_of_token(token)
        return found


_token_terms = _TokenTerms()


def _alone(token: str) -> str:
    """A token without the article before it: l'adresse."""
    token = token.replace("’", "'")
    return token[elided.end() :] if (elided := _ELISION.match(token)) else token


def _terms_of_token(token: str) -> tuple[str, ...]:
    """Terms of a word or an identifier, the whole first."""
    token = _alone(token).translate(_AS_TYPED)
    if _PLAIN_WORD.fullmatch(token):
        return (stem(token.lower()),)
    if _NUMBER.fullmatch(token):
        return (token,)
    token = token.replace(",", "")
    if token.endswith(("'s", "'S")):
        return _terms_of_token(token[:-2])
    whole = token.lower()
    if whole.isalpha():
        if token[1:].islower():
            return (stem(whole),)
        whole = stem(whole)  # so that `JavaScript` and `javascript` meet
    pieces = [stem(piece.lower()) for piece in _PIECE.findall(token)] if "'" not in token else whole.split("'")
    return (whole, *(piece for piece in pieces if piece != whole and (len(piece) > 1 or piece.isdigit())))


@lru_cache(maxsize=1 << 16)
def _run_terms(run: str) -> tuple[str, ...]:
    """Terms of a run of Chinese, Japanese or Korean letters."""
    if len(run) == 1:
        return (run,) if _TOPICAL.match(run) else ()
    pairs = [(at, run[at : at + 2]) for at in range(len(run) - 1)]
    found = [(at, 1, pair) for at, pair in pairs if _TOPICAL_PAIR.fullmatch(pair)]
    found += [(lone.start(), 0, lone[0]) for lone in _LONE_HAN.finditer(run)]
    return tuple(term for _, _, term in sorted(found))


_QUOTED = re.compile(
    r"`([^`\n]{2,60})`+|[\"“]([^\"“”\n]{2,60})[\"”]|(?<!\w)'([^'\n]{2,60})'(?!\w)|「([^「」\n]{1,40})」|『([^『』\n]{1,40})』"
)
_NAME = re.compile(
    rf"""(?P<option>(?<![\w-])--?[A-Za-z][\w-]*)
    | (?P<path>(?<![\w./~-])/?[\w.~-]*/[\w./~-]*[\w~])
    | (?P<katakana>[{KATAKANA}][{KATAKANA}・]*[{KATAKANA}])
    | (?P<word>(?<!_)_*{_WORD}(?:(?:[.\-]|_+|::){_WORD})*_*)""",
    re.VERBOSE,
)
_BEFORE_A_SENTENCE = tuple('.!?。！？:;"“(「『')


def identifiers(text: str) -> list[str]:
    """The things that `text` names, as written, each once, in order of occurrence.

    Those are quoted terms, options, paths, identifiers, acronyms, words with digits, katakana words, and
    capitalised names inside a sentence (neighbours joined; not in German, where every noun has a capital).

    >>> identifiers("How does max_connections in PostgreSQL relate to the work of Michael Stonebraker and --jobs?")
    ['max_connections', 'PostgreSQL', 'Michael Stonebraker', '--jobs']
    >>> identifiers("Womit wische ich die Liegen ab, und wie lange muss das auf der USV einwirken?")
    ['USV']
    """
    text = unicodedata.normalize("NFKC", text)
    found: dict[str, int] = {}
    for match in _QUOTED.finditer(text):
        quoted = next(group for group in match.groups() if group).strip()
        if quoted and (len(quoted) > 1 or not quoted.isascii()):
            found.setdefault(quoted, match.start())
    tells_names = not pack(detect(text)).holds("about.capitals")
    name, name_start, name_end = "", 0, -1
    for match in _NAME.finditer(text):
        word, kind = match[0], match.lastgroup
        capitalised = kind == "word" and tells_names and _is_name(text, match)
        if capitalised and name and text[name_end : match.start()] == " ":
            name, name_end = f"{name} {word}", match.end()
            continue
        if name:
            found.setdefault(name, name_start)
            name = ""
        if capitalised:
            name, name_start, name_end = word, match.start(), match.end()
        elif kind != "word" or _is_identifier(word):
            found.setdefault(word, match.start())
    if name:
        found.setdefault(name, name_start)
    return sorted(found, key=lambda item: found[item])


def _is_identifier(word: str) -> bool:
    """Whether the form alone says that a word is a name: `a_b`, `a.b`, `aB`, `WAL`, `utf8`."""
    if (word.isalpha() and word[1:].islower()) or not any(char.isalpha() for char in word):
        return False
    if "_" in word or "::" in word or "." in word:
        return word.lower() not in ENGLISH_STOP_WORDS
    letters = word.replace("-", "")
    if any(char.isdigit() for char in letters):
        return True
    if letters.isupper():
        return len(letters) > 1 and word.lower() not in ENGLISH_STOP_WORDS
    return any(a.islower() and b.isupper() for a, b in pairwise(word)) or (
        sum(char.isupper() for char in letters) > 1 and "-" not in word
    )


def _is_name(text: str, match: re.Match[str]) -> bool:
    """Whether a word is capitalised although no sentence begins with it."""
    word = match[0]
    if not word[0].isupper() or len(word) < 2 or _is_identifier(word) or word.lower() in _COMMON:
        return False
    before = text[max(0, match.start() - 8) : match.start()]
    ended = before.rstrip()
    return bool(before) and "\n" not in before[len(ended) :] and not ended.endswith(_BEFORE_A_SENTENCE)
