from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fathom.text.characters import count_cjk
from fathom.text.sentences import sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "parts",
    [
        ["It is on by default.", "Turn it off with care."],
        ["Use version 3.11 of it (e.g. the one of Debian. Or another).", "Then go on."],
        ["See Fig. 2 and No. 5, i.e. the tables, etc. of the book.", "J. Smith wrote it."],
        ["Edit pg_hba.conf.", "Then call os.path.join."],
        ['He said "Stop. Now." and went.', "She stayed."],
        ["It is `a. b` in code.", "Next."],
        ["Does it wait?", "Yes!", "Always."],
        ["Wait... then go.", "Done."],
        ["Use ALTER TABLE ... ADD COLUMN for it.", "It waits...", "Then it goes."],
        ["1. First comes this.", "a. Not that."],
        ["The first run is slow.", "pg_dump is not."],
        ["Für den 31. Dezember gilt das, z. B. am 8. März oder ab 1. Juli.", "Danach nicht."],
        ["Wir feiern meinen 50. Geburtstag.", "Zum 75. Jubiläum kommt jeder."],
        ["Die 2. Vorsitzende liest § 6 Abs. 2 vor, d. h. u. a. Nr. 5, ca. 3 Seiten.", "Ende."],
        ["Beschlossen bis 31.1. und bezahlt bis **31. Dezember**, frühestens ab 18.", "Wer jünger ist, wartet."],
        ["M. Dupont cite l'art. 12, p. ex. la p. 3 (env. 20 lignes).", "Mme. Martin approuve."],
        ["El Sr. López paga aprox. 30 euros, p. ej. en la pág. 4, núm. 7.", "Nada más."],
        ["It takes approx. 3 days for No. 5.", "They were 12.", "Now they are 13."],
        ["A.2.1. Des clés USB.", "Puis le réseau."],
        ["これは文です。", "次の文！", "本当ですか？", "はい"],
        ["彼は「行く。」と言った。", "終わり。"],
        ["（これは注です。）", "文です。"],
        ["値は3.11です。", "既定値は（詳しくは後述。次章）です。"],
        ["It costs 5 ms.", "（注）"],
        ['"-" や "_" を無視します。', '"iconv -l" で確認できます。'],
        ["待って... はい。", "次。"],
    ],
)
def test_sentences_are_what_a_reader_takes_them_for(parts: list[str]) -> None:
    text = ("" if count_cjk(parts[0]) and parts[0][0] != "値" else " ").join(parts)
    assert split(text) == parts


def test_a_line_break_is_no_end_and_a_blank_line_is() -> None:
    assert split("A hard-wrapped\nline. Another\none\n\nA title\n \n next") == [
        "A hard-wrapped\nline.",
        "Another\none",
        "A title",
        "next",
    ]


def test_only_the_part_asked_for_is_cut() -> None:
    text = "One. Two. Three. Four."
    assert [text[a:b] for a, b in sentences(text, start=5, end=16)] == ["Two.", "Three."]


PIECES = st.lists(
    st.sampled_from(
        [
            *" \n\t.!?…。！？」』）)(（「『“”\"'`*_[]aA1x\u3000",
            "e.g.",
            "No. 5",
            "Dr. X",
            "\n\n",
            "3.11",
            "...",
            "これは",
            "(see. ",
        ]
    )
).map("".join)


@given(st.one_of(st.text(), PIECES), st.integers(0, 30), st.integers(0, 60))
@example("0 \n\n", 0, 4)
@settings(max_examples=4 * settings().max_examples)
def test_sentences_tile_the_text(text: str, start: int, end: int) -> None:
    found = sentences(text, start=min(start, len(text)), end=end)
    lower, upper = min(start, len(text)), min(end, len(text))
    covered = [False] * len(text)
    before = lower
    for a, b in found:
        assert before <= a < b <= upper
        assert text[a:b].strip() == text[a:b]
        covered[a:b] = [True] * (b - a)
        before = b
    assert all(covered[at] or text[at].isspace() for at in range(lower, upper))
