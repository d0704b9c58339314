"""Questions in French: what they divide into, and how their words are met."""

from __future__ import annotations

import pytest

from fathom.languages.asking import Asking
from fathom.languages.packs import pack
from tests.languages.conftest import Told

FRENCH = Asking(pack("fr"))


@pytest.mark.parametrize(
    ("question", "clauses"),
    [
        (
            "La chaudière est en panne, qui dois-je appeler et est-ce que c'est couvert ?",
            ["qui dois-je appeler", "est-ce que c'est couvert"],
        ),
        ("Je voudrais savoir à qui je dois rendre les clés", ["à qui je dois rendre les clés"]),
    ],
)
def test_a_question_is_divided_before_each_word_that_asks(question: str, clauses: list[str]) -> None:
    assert [clause.text for clause in FRENCH.clauses(question)[1]] == clauses


def test_a_question_is_headed_with_a_space_before_its_mark() -> None:
    assert FRENCH.clauses("Quand a lieu la fête ?")[1][0].heading == "Quand a lieu la fête ?"


async def test_an_article_before_a_french_word_hides_it_in_no_document(told: Told) -> None:
    files = {
        "reglement.md": "# Règlement\n\n## Départ\n\nL'emplacement est libéré avant 11 h 30.\n\n"
        "## Animaux\n\nLes chiens ne sont jamais laissés en liberté.\n\n## Bruit\n\n"
        + "Le silence est total la nuit, et les appareils sonores sont réglés en conséquence par leurs maîtres. "
        * 20,
        "contrat.md": "# Contrat\n\nUn lit peut être mis à disposition des saisonniers.\n",
    }
    report = await told("À quelle heure libérer un emplacement ?", files)
    assert "11 h 30" in report and "chiens" not in report
