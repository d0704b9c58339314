"""Files that gave no text: each is named with the reason, for as long as that is so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import fathom
from fathom.knowledge.knowledge_base import KnowledgeBase
from fathom.settings import Settings
from tests.support.office import package
from tests.support.pdfs import Put, pdf

HEAD = 'Subject: Bill\nContent-Type: multipart/mixed; boundary="x"\n\n--x\n\nThe bill is due.\n'
ATTACHED = '--x\nContent-Disposition: attachment; filename="bill.pdf"\nContent-Type: application/pdf\n\nno\n--x--\n'


@pytest.fixture
def shoebox(tmp_path: Path) -> Path:
    """A text, and a mail, a PDF and an old document that give none, or not all."""
    folder = tmp_path / "shoebox"
    folder.mkdir()
    (folder / "sea.md").write_text("# The sea\n\nThe sea is deep.\n")
    (folder / "bill.eml").write_text(HEAD + ATTACHED)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    (folder / "old.doc").write_bytes(b"old")
    return folder


async def test_files_without_text_stay_listed_until_they_are_read_or_gone(shoebox: Path, tmp_path: Path) -> None:
    kb = KnowledgeBase(tmp_path / "kb.sqlite3")
    paths = [shoebox, shoebox / "old.doc"]

    first = await kb.ingest(paths)
    listed = await kb.unread()

    mail, broken, old = names = [f"{shoebox}/bill.eml › bill.pdf", f"{shoebox}/broken.pdf", f"{shoebox}/old.doc"]
    assert list(listed) == names and all(listed.values())
    assert dict(first.skipped) == listed
    await kb.ingest(paths)
    assert await kb.unread() == listed, "nor is one forgotten when nothing has changed"
    assert list(await kb.kept_to([Path(broken)]).unread()) == [broken]

    Path(broken).write_bytes(pdf([[Put("The bridge is long and made of stone.")]]))
    Path(old).unlink()
    await kb.ingest([shoebox])
    assert list(await kb.unread()) == [mail]
    await kb.remove(shoebox / "bill.eml")
    assert await kb.unread() == {}
    await kb.close()


async def test_a_folder_that_could_not_be_entered_is_listed_no_more_once_it_can(
    shoebox: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb, deep, scan = KnowledgeBase(tmp_path / "kb.sqlite3"), shoebox / "deep", os.scandir
    deep.mkdir()

    def denied(path: str) -> object:
        if path == str(deep):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", denied)
        await kb.ingest([shoebox])
    assert (await kb.unread())[str(deep)] == "Permission denied"

    await kb.ingest([shoebox])
    assert str(deep) not in await kb.unread()
    await kb.close()


async def test_what_gives_no_text_in_an_archive_is_listed_until_the_archive_is_another_one(tmp_path: Path) -> None:
    kb, club = KnowledgeBase(tmp_path / "kb.sqlite3"), tmp_path / "club.zip"
    mail = f"{HEAD}{ATTACHED}"
    club.write_bytes(package({"sea.md": "# The sea\n\nThe sea is deep.\n", "bill.eml": mail, "plan.pdf": "no"}))

    first = await kb.ingest([club])
    names = [f"{club} › plan.pdf", f"{club}/bill.eml › bill.pdf"]
    assert list(await kb.unread()) == names == sorted(name for name, _ in first.skipped)

    club.write_bytes(package({"sea.md": "# The sea\n\nThe sea is deep.\n"}))
    await kb.ingest([club])
    assert await kb.unread() == {}
    await kb.close()


async def test_what_may_not_be_looked_at_is_not_gone(
    shoebox: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = KnowledgeBase(tmp_path / "kb.sqlite3")
    await kb.ingest([shoebox])
    held, listed = await kb.titles(), await kb.unread()

    def denied(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "is_file", denied)
        assert await kb.unread() == listed
        assert (await kb.ingest([shoebox])).removed == 0
    assert await kb.titles() == held
    await kb.close()


async def test_a_report_says_what_of_the_documents_that_it_cites_was_not_read(shoebox: Path, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", web=False)
    report = await fathom.research("When is the bill due?", documents=[shoebox], settings=settings)

    (said,) = (each for each in report.limitations if "bill.pdf" in each)
    assert said.startswith("Not read in “Bill”: bill.pdf: ")
    assert f"- {said}" in report.markdown
    assert await fathom.replay(report.run_id, settings=settings) == report
