"""Questions in German, French and Spanish: what they divide into, and how their words are met."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom.languages.asking import Asking
from fathom.languages.packs import pack
from fathom.settings import load_settings

GERMAN, FRENCH, SPANISH = (Asking(pack(code)) for code in ("de", "fr", "es"))
MINUTES = """# Vorstandssitzung 8. Mai

Anwesend: Katrin Lohse, Jens Adomeit, Simone Rau, Petra Voigt

1. Beiträge. Die Stadt hat die Richtsätze um rund drei Prozent angehoben, die neue Tabelle gilt ab dem ersten September.
2. Essen. Der Caterer erhöht die Preise auf 4,35 Euro, das Verpflegungsgeld steigt ab September um acht Euro im Monat.
3. Geräte. Für die Spülmaschine kam Herr Maurer vom Gastro-Service, die Reparatur der Pumpe hat 214 Euro gekostet.
4. Wasser. Die Proben vom April sind in Ordnung, der Hahn im Gartenhaus bleibt bis auf Weiteres gesperrt.
"""


@pytest.mark.parametrize(
    ("asking", "question", "clauses"),
    [
        (
            GERMAN,
            "Kann ich im Heim meinen 50. Geburtstag feiern, was kostet das und wann muss Schluss sein?",
            ["Kann ich im Heim meinen 50. Geburtstag feiern", "was kostet das", "wann muss Schluss sein"],
        ),
        (GERMAN, "Ich wüsste gern, wann die Halle offen ist und wer den Schlüssel hat.",
         ["wann die Halle offen ist", "wer den Schlüssel hat"]),
        (GERMAN, "Die Heizung ist aus, wen rufe ich an und zahlt das die Versicherung?",
         ["wen rufe ich an", "zahlt das die Versicherung"]),
        (GERMAN, "Wer ersetzt mir den Ring, den ich im Freibad verlor?",
         ["Wer ersetzt mir den Ring, den ich im Freibad verlor"]),
        (FRENCH, "La chaudière est en panne, qui dois-je appeler et est-ce que c'est couvert ?",
         ["qui dois-je appeler", "est-ce que c'est couvert"]),
        (FRENCH, "Je voudrais savoir à qui je dois rendre les clés", ["à qui je dois rendre les clés"]),
        (SPANISH, "¿Cuánto cuesta la cuota y cuándo se paga?", ["Cuánto cuesta la cuota", "cuándo se paga"]),
    ],
)  # fmt: skip
def test_a_question_is_divided_before_each_word_that_asks(asking: Asking, question: str, clauses: list[str]) -> None:
    assert [clause.text for clause in asking.clauses(question)[1]] == clauses


def test_what_is_asked_is_headed_as_its_language_writes_a_question() -> None:
    assert [clause.heading for clause in SPANISH.clauses("cuánto cuesta y quién lo paga")[1]] == [
        "¿Cuánto cuesta?",
        "¿Quién lo paga?",
    ]
    assert FRENCH.clauses("Quand a lieu la fête ?")[1][0].heading == "Quand a lieu la fête ?"
    assert GERMAN.clauses("Weiß jemand, wann offen ist.")[1][0].heading == "Wann offen ist"


async def told(question: str, files: dict[str, str], folder: Path) -> str:
    (folder / "docs").mkdir()
    for name, text in files.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    settings = load_settings(home=folder / "home")
    return (await fathom.research(question, documents=[folder / "docs"], settings=settings)).markdown


async def test_each_part_of_a_german_question_is_answered_in_its_place(tmp_path: Path) -> None:
    files = {
        "vertrag.md": "# Vertrag\n\n## Kaution\n\nDie Kaution von 250 Euro wird nach acht Wochen zurückgezahlt.\n\n"
        "## Kündigung\n\nDie Kündigung ist schriftlich an den Vorstand zu richten, sechs Wochen zum Monatsende.\n",
        "hausordnung.md": "# Hausordnung\n\nDie Haustür ist immer zu schließen. Hunde bleiben vor dem Tor.\n",
    }
    report = await told("An wen geht die Kündigung, und wann kommt die Kaution zurück?", files, tmp_path)

    notice, deposit = report.index("## An wen geht die Kündigung?"), report.index("## Wann kommt die Kaution zurück?")
    assert deposit < report.index("acht Wochen zurückgezahlt") < notice < report.index("an den Vorstand zu richten")


async def test_of_minutes_the_item_that_is_asked_for_is_told_and_not_the_evening(tmp_path: Path) -> None:
    report = await told("Was hat die Reparatur der Spülmaschine gekostet?", {"protokoll.md": MINUTES}, tmp_path)

    assert "214 Euro" in report
    assert "Richtsätze" not in report and "Gartenhaus" not in report


async def test_steps_below_a_heading_that_is_asked_for_are_told_from_the_first_on(tmp_path: Path) -> None:
    steps = MINUTES.replace("# Vorstandssitzung 8. Mai", "# Reparatur der Spülmaschine")
    report = await told("Wie geht die Reparatur der Spülmaschine?", {"anleitung.md": steps}, tmp_path)

    assert report.index("Richtsätze") < report.index("214 Euro") < report.index("Gartenhaus")


async def test_a_file_is_found_by_its_name_however_its_letters_are_typed(tmp_path: Path) -> None:
    files = {
        "Bedienung-Spuelmaschine.txt": "E05 Ablauf. Flächensieb herausnehmen und spülen, Schlauch auf Knick prüfen.\n",
        "Notiz.txt": "Geschirrtücher wäscht jede Woche eine andere Familie.\n",
    }
    assert "Flächensieb" in await told("Bedienung der Spülmaschine", files, tmp_path)


async def test_an_article_before_a_french_word_hides_it_in_no_document(tmp_path: Path) -> None:
    files = {
        "reglement.md": "# Règlement\n\n## Départ\n\nL'emplacement est libéré avant 11 h 30.\n\n"
        "## Animaux\n\nLes chiens ne sont jamais laissés en liberté.\n\n## Bruit\n\n"
        + "Le silence est total la nuit, et les appareils sonores sont réglés en conséquence par leurs maîtres. "
        * 20,
        "contrat.md": "# Contrat\n\nUn lit peut être mis à disposition des saisonniers.\n",
    }
    report = await told("À quelle heure libérer un emplacement ?", files, tmp_path)
    assert "11 h 30" in report and "chiens" not in report


async def test_what_its_name_calls_old_stands_behind_what_took_its_place(tmp_path: Path) -> None:
    files = {
        "restore-database-OLD.md": "# Restore the database - OLD\n\nTo restore the database, copy the tape by hand.\n",
        "restore-database.md": "# Restore the database\n\nTo restore it, ask the cluster for the last snapshot.\n",
    }
    report = await told("How do I restore the database?", files, tmp_path)
    assert report.index("last snapshot") < report.index("OLD (older)") < report.index("copy the tape")
