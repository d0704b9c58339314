"""Words that no document holds, looked for as the documents write them."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom.evidence import Query
from fathom.knowledge.knowledge_base import KnowledgeBase
from fathom.settings import load_settings

NOTES = {
    "de": {
        "beitrag.md": "# Beitrag\n\nFamilien zahlen 180 Euro.\n",
        "ende.md": "# Ende\n\nWer kündigt, bleibt bis Juni.\n",
    },
    "en": {
        "health.md": "# Servers\n\nThe health check fails when a server returns 301.\n",
        "tea.md": "# Tea\n\nGreen.\n",
    },
}


@pytest.mark.parametrize(
    ("language", "question", "told"),
    [
        ("en", "Why does the helth check fail?", "The health check fails"),
        ("de", "Was zahlen wir als Familie?", "Familien zahlen 180 Euro"),
        ("de", "Wann kann man kündigen?", "Wer kündigt, bleibt bis Juni"),
    ],
)
async def test_a_word_is_looked_for_as_the_documents_write_it(
    tmp_path: Path, language: str, question: str, told: str
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES[language].items():
        (folder / name).write_text(text, encoding="utf-8")

    report = await fathom.research(question, documents=[folder], settings=load_settings(home=tmp_path / "home"))

    assert report.outcome == "closest" and told in report.claims[0].text


async def test_a_word_is_not_taken_for_another_that_begins_alike_but_for_its_umlaut(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Halle\n\nDie Schlüssel hat Frau Kern, und sie bleiben da.\n", encoding="utf-8")
    knowledge = KnowledgeBase(tmp_path / "kb.sqlite3")
    await knowledge.ingest([tmp_path / "note.md"])

    assert (await knowledge.describe("Wann muss in der Halle Schluss sein?")).spellings == {}


async def test_a_word_is_not_looked_for_as_one_that_is_made_of_it_and_another(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Bau\n\nDie Schlussrechnung kommt mit den Plänen.\n", encoding="utf-8")
    knowledge = KnowledgeBase(tmp_path / "kb.sqlite3")
    await knowledge.ingest([tmp_path / "note.md"])

    assert (await knowledge.describe("Wann ist mit dem Plan Schluss?")).spellings == {"plan": "plaenen"}


async def test_a_compound_that_no_document_holds_is_looked_for_as_what_it_is_a_kind_of(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Halle\n\nDie Schlüssel hat Frau Kern, den Ring auch.\n", encoding="utf-8")
    knowledge = KnowledgeBase(tmp_path / "kb.sqlite3")
    await knowledge.ingest([tmp_path / "note.md"])

    asked = await knowledge.describe("Wo ist mein Hausschlüssel, und wer hatte den Ehering?")
    assert asked.spellings == {"hausschluessel": "schluessel"}


async def test_a_word_is_found_in_the_compounds_that_begin_or_end_with_it(tmp_path: Path) -> None:
    texts = {
        "Protokoll": "Balkonkraftwerke werden gestattet, wenn die Befestigung nach Merkblatt geschieht.",
        "Garten": "Die Solaranlage im Garten bleibt bis Juni, und der Balkon ist zu fegen.",
        "Tiere": "Zwei Katzen sind erlaubt, ein Hund auch.",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    knowledge = KnowledgeBase(tmp_path / "kb.sqlite3")
    await knowledge.ingest(sorted(tmp_path.glob("*.md")))
    found = await knowledge.search(Query(text="Was gilt für die Befestigung auf dem Balkon?"), limit=2)
    assert [each.text.split()[0] for each in found.passages] == ["Balkonkraftwerke", "Die"]

    settings = load_settings(home=tmp_path / "home")
    asked = "Was gilt für die Befestigung auf dem Balkon, wenn mein Balkongeländer wackelt?"
    report = await fathom.research(asked, documents=[*tmp_path.glob("*.md")], settings=settings)
    assert "Balkonkraftwerke werden gestattet" in report.claims[0].text


async def test_a_word_that_was_looked_for_in_another_form_is_not_said_to_be_missing(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Halle\n\nDie Schlüssel hat Frau Kern, und sie bleiben da.\n", encoding="utf-8")
    asked = "Wer ersetzt mir meinen Hausschlüssel, den ich im Freibad verlor?"
    settings = load_settings(home=tmp_path / "home")

    report = await fathom.research(asked, documents=[tmp_path / "note.md"], settings=settings)
    assert report.outcome == "closest" and report.subtasks[0].unsaid == ()


async def test_a_name_that_no_document_holds_is_not_taken_for_another_word(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Backups\n\nWe restrict backups to the night.\n", encoding="utf-8")
    knowledge = KnowledgeBase(tmp_path / "kb.sqlite3")
    await knowledge.ingest([tmp_path / "note.md"])

    assert (await knowledge.describe("Does restic make a bakcup?")).spellings == {"bakcup": "backup"}


async def test_two_words_are_found_where_the_documents_write_them_as_one(tmp_path: Path) -> None:
    texts = {
        "people": "Call Kim on the phone, and keep it running.",
        "rota": "The on-call week begins on Monday.",
        "server": "A backup of the server is made at night.",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    knowledge = KnowledgeBase(tmp_path / "kb.sqlite3")
    await knowledge.ingest(sorted(tmp_path.glob("*.md")))

    for asked, held in (("Who is on call?", "on-call"), ("How do I back up while it is running?", "backup")):
        found = await knowledge.search(Query(text=asked), limit=1)
        assert [held in passage.text for passage in found.passages] == [True]
        assert (await knowledge.describe(asked)).term_passages[held] == 1
