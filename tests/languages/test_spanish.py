"""Questions in Spanish: what they divide into."""

from __future__ import annotations

from fathom.languages.asking import Asking
from fathom.languages.packs import pack

SPANISH = Asking(pack("es"))


def test_a_question_is_divided_before_each_word_that_asks() -> None:
    asked = "¿Cuánto cuesta la cuota y cuándo se paga?"
    assert [clause.text for clause in SPANISH.clauses(asked)[1]] == ["Cuánto cuesta la cuota", "cuándo se paga"]


def test_a_question_is_headed_between_two_marks() -> None:
    assert [clause.heading for clause in SPANISH.clauses("cuánto cuesta y quién lo paga")[1]] == [
        "¿Cuánto cuesta?",
        "¿Quién lo paga?",
    ]
