"""Questions in German: what they divide into, and how their words are met."""

from __future__ import annotations

import pytest

from fathom.languages.asking import Asking
from fathom.languages.packs import pack
from tests.languages.conftest import Told

GERMAN = Asking(pack("de"))
MINUTES = """# Vorstandssitzung 8. Mai

Anwesend: Katrin Lohse, Jens Adomeit, Simone Rau, Petra Voigt

1. Beiträge. Die Stadt hat die Richtsätze um rund drei Prozent angehoben, die neue Tabelle gilt ab dem ersten September.
2. Essen. Der Caterer erhöht die Preise auf 4,35 Euro, das Verpflegungsgeld steigt ab September um acht Euro im Monat.
3. Geräte. Für die Spülmaschine kam Herr Maurer vom Gastro-Service, die Reparatur der Pumpe hat 214 Euro gekostet.
4. Wasser. Die Proben vom April sind in Ordnung, der Hahn im Gartenhaus bleibt bis auf Weiteres gesperrt.
"""


@pytest.mark.parametrize(
    ("question", "clauses"),
    [
        (
            "Kann ich im Heim meinen 50. Geburtstag feiern, was kostet das und wann muss Schluss sein?",
            ["Kann ich im Heim meinen 50. Geburtstag feiern", "was kostet das", "wann muss Schluss sein"],
        ),
        (
            "Ich wüsste gern, wann die Halle offen ist und wer den Schlüssel hat.",
            ["wann die Halle offen ist", "wer den Schlüssel hat"],
        ),
        (
            "Die Heizung ist aus, wen rufe ich an und zahlt das die Versicherung?",
            ["wen rufe ich an", "zahlt das die Versicherung"],
        ),
        (
            "Wer ersetzt mir den Ring, den ich im Freibad verlor?",
            ["Wer ersetzt mir den Ring, den ich im Freibad verlor"],
        ),
    ],
)
def test_a_question_is_divided_before_each_word_that_asks(question: str, clauses: list[str]) -> None:
    assert [clause.text for clause in GERMAN.clauses(question)[1]] == clauses


def test_what_is_asked_indirectly_is_headed_by_no_question() -> None:
    assert GERMAN.clauses("Weiß jemand, wann offen ist.")[1][0].heading == "Wann offen ist"


async def test_each_part_of_a_german_question_is_answered_in_its_place(told: Told) -> None:
    files = {
        "vertrag.md": "# Vertrag\n\n## Kaution\n\nDie Kaution von 250 Euro wird nach acht Wochen zurückgezahlt.\n\n"
        "## Kündigung\n\nDie Kündigung ist schriftlich an den Vorstand zu richten, sechs Wochen zum Monatsende.\n",
        "hausordnung.md": "# Hausordnung\n\nDie Haustür ist immer zu schließen. Hunde bleiben vor dem Tor.\n",
    }
    report = await told("An wen geht die Kündigung, und wann kommt die Kaution zurück?", files)

    notice, deposit = report.index("## An wen geht die Kündigung?"), report.index("## Wann kommt die Kaution zurück?")
    assert notice < report.index("an den Vorstand zu richten") < deposit < report.index("acht Wochen zurückgezahlt")


async def test_steps_below_a_heading_that_is_asked_for_are_told_from_the_first_on(told: Told) -> None:
    steps = MINUTES.replace("# Vorstandssitzung 8. Mai", "# Reparatur der Spülmaschine")
    report = await told("Wie geht die Reparatur der Spülmaschine?", {"anleitung.md": steps})

    assert report.index("Richtsätze") < report.index("214 Euro") < report.index("Gartenhaus")


async def test_a_file_is_found_by_its_name_however_its_letters_are_typed(told: Told) -> None:
    files = {
        "Bedienung-Spuelmaschine.txt": "E05 Ablauf. Flächensieb herausnehmen und spülen, Schlauch auf Knick prüfen.\n",
        "Notiz.txt": "Geschirrtücher wäscht jede Woche eine andere Familie.\n",
    }
    assert "Flächensieb" in await told("Bedienung der Spülmaschine", files)
