from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.text.analysis import identifiers, query_terms, stem, terms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("max_connections", {"max_connections", "max", "connect"}),
        ("os.path.join(a)", {"os.path.join", "os", "path", "join"}),
        ("--data-checksums", {"data-checksums", "data", "checksum"}),
        ("camelCase", {"camelcas", "camel", "case"}),
        ("ValueError", {"valueerror", "valu", "error"}),
        ("pg_hba.conf", {"pg_hba.conf", "pg", "hba", "conf"}),
        ("Python3.11", {"python3.11", "python", "3.11"}),
        ("9.6", {"9.6"}),
        ("1,000 rows", {"1000", "row"}),
        ("the server's", {"the", "server"}),
        ("APIs", {"api"}),
        ("ｆｓｙｎｃ", {"fsync"}),
    ],
)
def test_an_identifier_is_found_whole_and_in_pieces(text: str, found: set[str]) -> None:
    assert found <= set(terms(text))


def test_inflections_meet() -> None:
    assert terms("connections") == terms("connection") == terms("Connected")


def test_half_width_katakana_meets_full_width() -> None:
    assert terms("ｵｰﾄﾊﾞｷｭｰﾑ") == terms("オートバキューム") != []


def test_pairs_of_hiragana_alone_are_no_terms() -> None:
    assert terms("これはですがそれとも") == []
    assert "表の" in terms("これは表の例です")


def test_a_single_ideograph_finds_itself_between_kana() -> None:
    assert set(query_terms("表とは")) & set(terms("この表を作る")) == {"表"}


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What is autovacuum?", ["autovacuum"]),
        ("Please explain how the WAL works", ["wal"]),
        ("Compare vacuum and analyze_all", ["vacuum", "analyze_all", "analyz", "all"]),
        ("チェックポイントとは何ですか", ["チェ", "ェッ", "ック", "クポ", "ポイ", "イン", "ント"]),
        ("索引について教えてください", ["索引"]),
        ("索引を説明してください。", ["索引"]),
        ("バキュームの役割", ["バキ", "キュ", "ュー", "ーム", "役割"]),
        ("What is it?", []),
        ("🤖", []),
    ],
)
def test_a_query_keeps_what_it_is_about(question: str, left: list[str]) -> None:
    found = query_terms(question)
    assert found == left


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What does max_connections do?", ["max_connections"]),
        ("Is PostgreSQL faster than the MySQL of Monty Widenius?", ["PostgreSQL", "MySQL", "Monty Widenius"]),
        ("How do I use --data-checksums and -j with initdb?", ["--data-checksums", "-j"]),
        ("How does the WAL work?", ["WAL"]),
        ("What is 'hot standby' and `fsync`?", ["hot standby", "fsync"]),
        ("オートバキュームとVACUUMの違い", ["オートバキューム", "VACUUM"]),
        ("「安定版」とは何ですか", ["安定版"]),
        ("What is an index?", []),
        ("What does defining __slots__ change?", ["__slots__"]),
        ("Explain vacuuming.", []),
        ("Does it read /etc/fstab?", ["/etc/fstab"]),
        ("the Norvik light:\tIndia “Tallinn", ["Norvik"]),
        ("the sea\n \tNorvik ends. \tTallinn", []),
        ("  Norvik and\t \tTallinn", ["Norvik", "Tallinn"]),
    ],
)
def test_named_things_are_given_as_written(question: str, names: list[str]) -> None:
    assert identifiers(question) == names


@given(st.text())
@settings(deadline=None)
def test_terms_hold_no_white_space_and_are_never_empty(text: str) -> None:
    for term in terms(text) + query_terms(text):
        assert term
        assert term.split() == [term]


@given(st.text(alphabet="abcXYZ019_.-' \n"))
@settings(deadline=None)
def test_ascii_text_is_analysed_as_any_other(text: str) -> None:
    assert terms(text + "\n・")[: len(terms(text))] == terms(text)


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads that take turns as often as the interpreter can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hasty_threads")
def test_threads_do_not_cut_each_others_words() -> None:
    words = [f"{first}{middle}{last}" for first in "bcdg" for middle in "aeiou" for last in ("tionally", "ing", "ness")]
    alone = [stem(word) for word in words]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(20):
            stem.cache_clear()
            assert list(threads.map(stem, words)) == alone


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("Wann kann ich kündigen?", ["kuendigen"]),
        ("Wie hoch ist der Mitgliedsbeitrag für die Jugend?", ["hoch", "mitgliedsbeitrag", "jugend"]),
        ("Quels sont les horaires d'ouverture de la piscine ?", ["horair", "ouvertur", "piscin"]),
        ("¿Dónde está la biblioteca de mi barrio?", ["biblioteca", "barrio"]),
        ("Horario de la biblioteca", ["horario", "biblioteca"]),
        ("Did the trade war in La Paz die down?", ["trade", "war", "la", "paz", "die"]),
        ("trade war", ["trade", "war"]),
    ],
)
def test_a_question_drops_the_function_words_of_its_own_language_only(question: str, about: list[str]) -> None:
    assert query_terms(question) == about
