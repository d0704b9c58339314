from __future__ import annotations

import asyncio
import hashlib
import os
import sqlite3
from collections.abc import AsyncIterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import ConfigurationError, NotFound, StoreError, Unavailable, UsageError
from fathom.evidence import Query
from fathom.knowledge import finding, ingestion
from fathom.knowledge.ingestion import IngestProgress, prepare_file
from fathom.knowledge.knowledge_base import KnowledgeBase
from fathom.reading import bounded
from fathom.reasoners.extractive.ranking import evidence_of
from tests.support.doubles.embedder import SimulatedEmbedder
from tests.support.office import package, word, workbook
from tests.support.tiny_embedder import TinyEmbedder, counts

SEA = (
    "# The sea\n\nThe sea is deep. Whales live there.\n\n## Tides\n\nTides follow the moon:\n\n"
    "- spring tide\n- neap tide\n"
)
HILL = "# The hill\n\nThe hill is high. Goats live there.\n"
TABLE_JA = "# 表の管理\n\n自動バキュームは不要な行を回収します。\n\n## 索引\n\n索引は検索を速くします。\n"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "sea.md").write_text(SEA, encoding="utf-8")
    (folder / "deep" / "hill.md").write_text(HILL, encoding="utf-8")
    (folder / "表.md").write_text(TABLE_JA, encoding="utf-8")
    return folder


@pytest.fixture
async def kb(tmp_path: Path) -> AsyncIterator[KnowledgeBase]:
    base = KnowledgeBase(tmp_path / "kb" / "default.db")
    yield base
    await base.close()


async def found(kb: KnowledgeBase, text: str, *, limit: int = 10, context: str = "") -> list[str]:
    retrieval = await kb.search(Query(text=text, context=context), limit=limit)
    return [passage.text for passage in retrieval.passages]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The expressions that the full-text index is asked."""
    expressions: list[str] = []
    matching = finding._matching

    def heard(connection: sqlite3.Connection, expression: str, **rest: Any) -> list[finding.IndexHit]:
        expressions.append(expression)
        return matching(connection, expression, **rest)

    monkeypatch.setattr(finding, "_matching", heard)
    return expressions


async def test_of_very_many_words_the_first_thousand_are_looked_for(
    kb: KnowledgeBase, notes: Path, asked: list[str]
) -> None:
    await kb.ingest([notes])
    many = " ".join(f"w{at}x" for at in range(2_000))

    assert await found(kb, f"goats {many}") == await found(kb, "goats")
    await found(kb, "goats whales", context=many)
    await found(kb, "?", context=many)
    assert len(asked) >= 4
    assert all(expression.count(" OR ") < 3 * finding.MOST_TERMS for expression in asked)
    assert asked[-1].count(" OR ") < finding.MOST_TERMS


async def test_rare_words_say_what_is_scored_and_common_ones_only_rank_it(
    kb: KnowledgeBase, tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sections = []
    for number in range(600):
        rare = "narwhal " * (number % 4 == 0) + "beluga " * (number % 8 == 0)
        rare += "moon " * (number % 3 == 0)
        text = f"The whale {'swims ' * (number % 5)} by the {'ship ' * (number % 7)} of the day {number}. {rare}"
        sections.append(f"# {number}\n\n{text}\n")
    (tmp_path / "log.md").write_text("\n".join(sections), encoding="utf-8")
    await kb.ingest([tmp_path])
    questions = [("whale narwhal beluga swim", ""), ("beluga ship", "swim whale"), ("moon ship narwhal", "")]
    whole = [await found(kb, text, context=context, limit=3) for text, context in questions]

    monkeypatch.setattr(finding, "_SCORED", 240)
    asked.clear()

    assert [await found(kb, text, context=context, limit=3) for text, context in questions] == whole
    assert [expression.split(") AND (")[:2] for expression in asked] == [
        ['("narwhal" OR "beluga"', '"narwhal" OR "beluga"'],
        ['("beluga" OR "ship"', '"beluga" OR "ship"'],
        ['("narwhal" OR "moon"', '"narwhal" OR "ship"'],
    ]


async def test_what_only_holds_common_words_is_found_where_rare_ones_are_not_in_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "_SCORED", 4)
    for name, rare in (("in", ""), ("out", "narwhal")):
        (tmp_path / name).mkdir()
        for number in range(60):
            (tmp_path / name / f"{number}.txt").write_text(f"A whale of day {number}. {rare}", encoding="utf-8")
    await KnowledgeBase(tmp_path / "a.db").ingest([tmp_path])

    kb = KnowledgeBase(tmp_path / "a.db", within=[tmp_path / "in"])

    assert len(await found(kb, "whale narwhal", limit=3)) == 3


async def test_what_was_ingested_is_found_with_its_place(kb: KnowledgeBase, notes: Path) -> None:
    report = await kb.ingest([notes])
    retrieval = await kb.search(Query(text="neap tides"), limit=5)

    assert (report.added, report.unchanged, report.skipped) == (3, 0, ())
    best = retrieval.passages[0]
    assert best.headings == ("Tides",)
    assert [block.kind for block in best.blocks] == ["paragraph", "list_item", "list_item"]
    document = retrieval.documents[0]
    assert document.uri == (notes / "sea.md").as_uri()
    assert document.title == "The sea"
    assert document.markup == "markdown"
    assert document.sha256 == hashlib.sha256((notes / "sea.md").read_bytes()).hexdigest() == best.document
    assert (await kb.snapshot(best.document))[best.start : best.end] == best.text


async def test_a_lead_in_outside_of_the_passage_comes_with_it(kb: KnowledgeBase, tmp_path: Path) -> None:
    items = "\n".join(f"- item {n} " + "word " * 60 for n in range(12))
    (tmp_path / "long.md").write_text(f"These are the zebras:\n\n{items}\n", encoding="utf-8")
    await kb.ingest([tmp_path / "long.md"])

    retrieval = await kb.search(Query(text="zebras item 11"), limit=10)

    assert len(retrieval.passages) > 1
    for passage in retrieval.passages:
        for block in passage.blocks:
            assert (
                block.lead_in is None
                or passage.quote(block.lead_in.start, block.lead_in.end) == "These are the zebras:"
            )


async def test_japanese_is_found(kb: KnowledgeBase, notes: Path) -> None:
    await kb.ingest([notes])
    assert await found(kb, "自動バキュームとは何ですか", limit=1) == ["自動バキュームは不要な行を回収します。"]


async def test_an_unchanged_file_is_not_read_again(
    kb: KnowledgeBase, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await kb.ingest([notes])
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} was read"))
    report = await kb.ingest([notes])
    assert (report.added, report.changed, report.removed, report.unchanged) == (0, 0, 0, 3)


async def test_a_file_is_read_again_when_it_would_be_read_differently(
    kb: KnowledgeBase, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await kb.ingest([notes])
    monkeypatch.setattr(ingestion, "_TAG", ":later")
    assert (await kb.ingest([notes])).changed == 3
    assert (await kb.ingest([notes])).unchanged == 3


async def test_the_title_of_a_document_holds_the_date_of_its_name(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = tmp_path / "dated"
    folder.mkdir()
    (folder / "2026-06-17_Heizung.md").write_text("# Vorstand\n\nDer Kessel ist alt.\n", encoding="utf-8")
    (folder / "forklift-key-facts.txt").write_text("It lifts 1.6 t.\n", encoding="utf-8")
    await kb.ingest([folder])
    assert [document.title for document in await kb.documents()] == [
        "Vorstand (2026-06-17 Heizung)",
        "forklift key facts",
    ]
    found = await kb.search(Query(text="Kessel Heizung 2026-06-17"), limit=1)
    assert [document.title for document in found.documents] == ["Vorstand (2026-06-17 Heizung)"]


async def test_a_touched_file_with_the_same_content_is_unchanged(kb: KnowledgeBase, notes: Path) -> None:
    await kb.ingest([notes])
    os.utime(notes / "sea.md", (1, 1))
    report = await kb.ingest([notes])
    assert (report.changed, report.unchanged) == (0, 3)


async def test_a_changed_file_leaves_no_stale_hit(kb: KnowledgeBase, notes: Path) -> None:
    await kb.ingest([notes])
    (notes / "sea.md").write_text("# The lake\n\nPike live in the lake now.\n", encoding="utf-8")
    report = await kb.ingest([notes])
    assert report.changed == 1
    assert await found(kb, "whales") == []
    assert await found(kb, "pike") == ["Pike live in the lake now."]
    assert counts(kb.path)[0] == counts(kb.path)[1]


async def test_a_file_that_is_gone_goes_and_others_stay(kb: KnowledgeBase, notes: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    other.write_text("# Other\n\nWhales swim elsewhere too.\n", encoding="utf-8")
    await kb.ingest([notes, other])
    (notes / "sea.md").unlink()
    report = await kb.ingest([notes])
    assert report.removed == 1
    assert await found(kb, "whales") == ["Whales swim elsewhere too."]


async def test_remove_takes_a_file_or_a_folder(kb: KnowledgeBase, notes: Path) -> None:
    await kb.ingest([notes])
    assert await kb.remove(notes / "deep") == 1
    assert await kb.remove(notes / "sea.md") == 1
    assert [document.title for document in await kb.documents()] == ["表の管理"]
    with pytest.raises(NotFound, match="deep"):
        await kb.remove(notes / "deep")


async def test_a_file_that_cannot_be_read_is_named_and_the_rest_goes_on(kb: KnowledgeBase, notes: Path) -> None:
    (notes / "bad.md").write_bytes(b"\x00\x01\x02")
    (notes / "empty.txt").write_bytes(b"")
    (notes / "photo.jpg").write_bytes(b"\xff\xd8")
    (notes / ".hidden.md").write_text("# Hidden", encoding="utf-8")
    (notes / ".git").mkdir()
    (notes / ".git" / "x.md").write_text("# Hidden", encoding="utf-8")
    report = await kb.ingest([notes])
    assert report.added == 3
    assert [(Path(path).name, reason) for path, reason in report.skipped] == [
        ("bad.md", "it is a binary file"),
        ("empty.txt", "it holds no text"),
    ]
    assert report.unknown == {".jpg": 1}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
async def test_a_pipe_is_named_and_not_waited_for(kb: KnowledgeBase, notes: Path) -> None:
    os.mkfifo(notes / "pipe.md")

    report = await kb.ingest([notes])

    assert [(Path(path).name, reason) for path, reason in report.skipped] == [("pipe.md", "it is no regular file")]


async def test_a_file_that_cannot_be_read_is_named_again_without_being_read(
    kb: KnowledgeBase, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "bad.md").write_bytes(b"\x00\x01\x02")
    first = await kb.ingest([notes])
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} was read"))
        assert (await kb.ingest([notes])).skipped == first.skipped
    (notes / "bad.md").write_text("Good now.", encoding="utf-8")
    assert (await kb.ingest([notes])).added == 1
    assert (await kb.ingest([notes])).skipped == ()


async def test_a_file_of_unknown_type_that_was_asked_for_is_named(kb: KnowledgeBase, notes: Path) -> None:
    (notes / "photo.xyz").write_bytes(b"\xff\xd8")
    report = await kb.ingest([notes / "photo.xyz"])
    assert next(reason for _, reason in report.skipped).startswith("files of type '.xyz' are not known")


async def test_a_picture_is_read_where_it_is_named_and_left_aside_in_a_folder(kb: KnowledgeBase, notes: Path) -> None:
    (notes / "photo.jpg").write_bytes(b"\xff\xd8")
    assert (await kb.ingest([notes])).skipped == ()
    assert [reason for _, reason in (await kb.ingest([notes / "photo.jpg"])).skipped] == [
        "it is no picture, or a broken one"
    ]


async def test_a_file_is_dated_by_what_it_says_and_what_a_mail_holds_that_cannot_be_read_is_told(
    kb: KnowledgeBase, notes: Path
) -> None:
    mail = EmailMessage()
    mail["From"], mail["Subject"], mail["Date"] = "Ada", "Harbour dues", "Wed, 03 Jun 2026 07:58:40 +0100"
    mail.set_content("The harbour dues rise to 40 euros in June.")
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="plan.png")
    (notes / "dues.eml").write_bytes(mail.as_bytes())
    (notes / "moon.md").write_text("---\ndate: 2025-01-02\n---\n\nThe harbour dues were 30 euros.\n", encoding="utf-8")
    report = await kb.ingest([notes])
    assert [(Path(path).name, reason.partition(",")[0]) for path, reason in report.skipped] == [
        ("dues.eml › plan.png", "it is no picture")
    ]
    retrieval = await kb.search(Query(text="harbour dues"), limit=5)
    assert {Path(each.uri).name: each.published for each in retrieval.documents} == {
        "dues.eml": "2026-06-03",
        "moon.md": "2025-01-02",
    }
    assert {Path(each.uri).name: each.authors for each in retrieval.documents} == {"dues.eml": ("Ada",), "moon.md": ()}


async def test_a_file_that_waits_for_a_package_is_read_once_it_is_there(
    kb: KnowledgeBase, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "fees.docx").write_bytes(word(lambda made: made.add_paragraph("Guests pay 40 euros.")))
    with monkeypatch.context() as without:
        without.setattr(bounded, "ask", _without_packages)
        report = await kb.ingest([notes])
    assert report.skipped == ((str(notes / "fees.docx"), "Documents of Word need a package"),)
    assert (await kb.ingest([notes])).added == 1


def _without_packages(*_: Any, path: str, **named: Any) -> Any:
    if path.endswith(".docx"):
        raise ConfigurationError("Documents of Word need a package")
    return prepare_file(b"", path=path, **{name: named[name] for name in ("content", "mtime_ns", "size", "now")})


async def test_a_row_of_a_workbook_is_cited_by_its_sheet_and_number(kb: KnowledgeBase, notes: Path) -> None:
    rows = [["Member", "Fee"], ["Adults", "pay thirty euros"], ["Guests", "pay forty euros a day"]]

    def fill(made: Any) -> None:
        sheet = made.add_worksheet("Fees")
        for at, row in enumerate(rows):
            sheet.write_row(at + 10, 0, row)

    (notes / "fees.xlsx").write_bytes(workbook(fill))
    await kb.ingest([notes])
    (passage, *_) = (await kb.search(Query(text="guests pay"), limit=1)).passages
    start = passage.start + passage.text.index("Guests")
    assert evidence_of(passage, start, start + 6).locator == "Sheet Fees, row 13"


async def test_a_file_that_became_unreadable_is_not_found_any_more(kb: KnowledgeBase, notes: Path) -> None:
    await kb.ingest([notes])
    (notes / "sea.md").write_bytes(b"\x00\x01")
    report = await kb.ingest([notes])
    assert len(report.skipped) == 1
    assert await found(kb, "whales") == []


async def test_a_path_that_is_not_there_is_an_error(kb: KnowledgeBase, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        await kb.ingest([tmp_path / "nowhere"])


async def test_a_link_that_leads_back_up_is_followed_once(kb: KnowledgeBase, notes: Path) -> None:
    (notes / "deep" / "loop").symlink_to(notes, target_is_directory=True)
    assert (await kb.ingest([notes])).added == 3


async def test_progress_ends_with_everything_done(kb: KnowledgeBase, notes: Path) -> None:
    seen: list[IngestProgress] = []
    await kb.ingest([notes], on_progress=seen.append)
    assert (seen[0].done_files, seen[0].total_files) == (0, 3)
    assert (seen[-1].done_files, seen[-1].done_bytes) == (seen[-1].total_files, seen[-1].total_bytes)


async def test_a_search_within_paths_finds_as_many_as_there_are(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "inner").mkdir()
    for number in range(30):
        (tmp_path / "inner" / f"{number}.md").write_text(f"whale whale whale {number}", encoding="utf-8")
    for number in range(5):
        (tmp_path / "in" / f"{number}.md").write_text(f"one whale among many other words {number}", encoding="utf-8")
    await KnowledgeBase(tmp_path / "a.db").ingest([tmp_path])

    kb = KnowledgeBase(tmp_path / "a.db", within=[tmp_path / "in"])

    assert len(await found(kb, "whale", limit=5)) == 5
    assert all("among" in text for text in await found(kb, "whale", limit=20))
    assert (await kb.describe("whale")).documents == 5
    assert (await kb.describe("whale")).term_passages == {"whale": 5}
    assert len(await kb.documents()) == 5


async def test_the_same_text_is_given_once(kb: KnowledgeBase, notes: Path) -> None:
    for number in range(20):
        (notes / f"copy{number}.md").write_text(SEA, encoding="utf-8")
    await kb.ingest([notes])
    texts = await found(kb, "whales goats live there", limit=2)
    assert len(texts) == len(set(texts)) == 2


async def test_words_of_the_context_tip_the_scale(kb: KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The default of autovacuum is on.", encoding="utf-8")
    (tmp_path / "b.md").write_text("The default of logging is off.", encoding="utf-8")
    await kb.ingest([tmp_path])
    assert (await found(kb, "default", context="logging"))[0].startswith("The default of logging")
    assert (await found(kb, "default", context="autovacuum"))[0].startswith("The default of autovacuum")
    assert await found(kb, "zeppelin", context="logging") == []


async def test_the_order_is_the_same_in_every_knowledge_base(tmp_path: Path, notes: Path) -> None:
    for number in range(10):
        (notes / f"{number}.md").write_text(f"whales are {'abcdefghij'[number]}", encoding="utf-8")
    one, two = KnowledgeBase(tmp_path / "1.db"), KnowledgeBase(tmp_path / "2.db")
    await one.ingest([notes])
    for path in sorted(notes.glob("*.md"), reverse=True):
        await two.ingest([path])
    await two.ingest([notes])
    assert await found(one, "whales live") == await found(two, "whales live")
    assert (await one.describe("whales")).revision == (await two.describe("whales")).revision


async def test_describe_tells_what_lies_near_the_question(kb: KnowledgeBase, notes: Path) -> None:
    await kb.ingest([notes])
    described = await kb.describe("What are tides, and what is a zeppelin?")
    assert described.documents == 3
    assert described.passages == 5
    assert described.languages == {"en": 2, "ja": 1}
    assert described.titles == ("The sea",)
    assert described.headings == ("Tides",)
    assert described.term_passages == {"tide": 1, "zeppelin": 0}


async def test_the_revision_changes_with_the_content(kb: KnowledgeBase, notes: Path) -> None:
    await kb.ingest([notes])
    before = (await kb.describe("x")).revision
    assert (await kb.describe("another")).revision == before
    (notes / "sea.md").write_text("# The sea\n\nIt has changed.\n", encoding="utf-8")
    await kb.ingest([notes])
    assert (await kb.describe("x")).revision != before


async def test_an_empty_knowledge_base_answers_with_nothing(kb: KnowledgeBase) -> None:
    assert await found(kb, "whales") == []
    described = await kb.describe("whales")
    assert (described.documents, described.passages, described.term_passages) == (0, 0, {"whale": 0})
    assert (await kb.status()).documents == 0
    with pytest.raises(NotFound):
        await kb.snapshot("0" * 64)


@pytest.mark.parametrize("query", ['"', 'a"b AND (c', "NEAR(", "*", "the of", "🤖", "x" * 5000, "title:sea", "-sea^2"])
async def test_no_query_is_taken_for_syntax(kb: KnowledgeBase, notes: Path, query: str) -> None:
    await kb.ingest([notes])
    assert isinstance(await found(kb, query, context=query), list)
    await kb.describe(query)


async def test_vectors_find_what_words_do_not(tmp_path: Path, notes: Path) -> None:
    embedder = TinyEmbedder()
    kb = KnowledgeBase(tmp_path / "v.db", embedder)
    await kb.ingest([notes])
    chunks, indexed, vectors = counts(kb.path)
    assert chunks == indexed == vectors
    assert (await kb.status()).vectors == {"tiny": vectors}
    assert len(await found(kb, "zzz")) == chunks
    (notes / "sea.md").unlink()
    await kb.ingest([notes])
    assert not any("Whales" in text for text in await found(kb, "zzz"))
    assert len(set(counts(kb.path))) == 1


async def test_an_embedder_that_comes_later_gets_its_vectors(tmp_path: Path, notes: Path) -> None:
    without = KnowledgeBase(tmp_path / "v.db")
    await without.ingest([notes])
    embedder = TinyEmbedder()
    later = KnowledgeBase(tmp_path / "v.db", embedder)
    assert (await later.ingest([notes])).changed == 3
    assert len(set(counts(later.path))) == 1
    embedder.asked.clear()
    assert (await later.ingest([notes])).unchanged == 3
    assert (await without.ingest([notes])).unchanged == 3
    assert embedder.asked == []


async def test_texts_are_found_although_the_embedder_failed_and_get_their_vectors_later(
    tmp_path: Path, notes: Path
) -> None:
    embedder = SimulatedEmbedder(failing=True)
    kb, without = KnowledgeBase(tmp_path / "v.db", embedder), KnowledgeBase(tmp_path / "v.db")
    with pytest.raises(Unavailable):
        await kb.ingest([notes])
    assert await found(without, "whales")
    chunks, _, vectors = counts(kb.path)
    assert (chunks > 0, vectors) == (True, 0)

    embedder.failing = False
    await kb.ingest([notes])

    assert len(set(counts(kb.path))) == 1
    assert len(await found(kb, "zzz")) == chunks


async def test_vectors_of_another_embedder_are_never_compared(tmp_path: Path, notes: Path) -> None:
    await KnowledgeBase(tmp_path / "v.db", SimulatedEmbedder("one")).ingest([notes])
    kb = KnowledgeBase(tmp_path / "v.db", SimulatedEmbedder("other"))
    assert await found(kb, "zzz") == []

    await kb.ingest([notes])

    assert len(await found(kb, "zzz")) == counts(kb.path)[0]
    assert (await kb.status()).vectors == {"other": counts(kb.path)[0]}


async def test_a_model_that_changed_behind_its_name_breaks_no_search(tmp_path: Path, notes: Path) -> None:
    await KnowledgeBase(tmp_path / "v.db", SimulatedEmbedder(dimensions=8)).ingest([notes])
    kb = KnowledgeBase(tmp_path / "v.db", SimulatedEmbedder(dimensions=16))
    assert await found(kb, "whales")


async def test_an_english_embedder_is_not_asked_about_japanese(tmp_path: Path, notes: Path) -> None:
    embedder = TinyEmbedder()
    kb = KnowledgeBase(tmp_path / "v.db", embedder)
    await kb.ingest([notes])
    embedder.asked.clear()
    assert await found(kb, "索引") == ["索引は検索を速くします。"]
    assert embedder.asked == []


async def test_a_damaged_file_is_one_clear_error(tmp_path: Path, notes: Path) -> None:
    path = tmp_path / "broken.db"
    path.write_bytes(b"this is no database " * 500)
    with pytest.raises(StoreError, match=r"broken\.db' is damaged") as error:
        await KnowledgeBase(path).ingest([notes])
    assert "\n" not in str(error.value)


async def test_a_file_of_a_newer_version_is_left_alone(kb: KnowledgeBase, notes: Path) -> None:
    await kb.ingest([notes])
    await kb.close()
    with sqlite3.connect(kb.path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="newer"):
        await KnowledgeBase(kb.path).status()


async def test_a_full_disk_is_one_clear_error(kb: KnowledgeBase, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await kb.ingest([notes])

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("fathom.knowledge.index.put", full)
    (notes / "new.md").write_text("# New\n\nText.\n", encoding="utf-8")
    with pytest.raises(StoreError, match="disk is full"):
        await kb.ingest([notes])
    monkeypatch.undo()
    assert (await kb.ingest([notes])).added == 1


async def test_two_at_once_do_not_disturb_each_other(tmp_path: Path, notes: Path) -> None:
    one, two = KnowledgeBase(tmp_path / "c.db"), KnowledgeBase(tmp_path / "c.db")
    await asyncio.gather(one.ingest([notes]), two.ingest([notes]), one.ingest([notes / "sea.md"]))
    assert len(await one.documents()) == 3
    chunks, indexed, _ = counts(one.path)
    assert chunks == indexed == 5


async def test_a_name_that_is_not_utf8_is_named_and_the_rest_goes_on(kb: KnowledgeBase, notes: Path) -> None:
    bad = notes / os.fsdecode(b"bad\xff.md")
    bad.write_text("# Bad\n\nA name in another encoding.\n")

    report = await kb.ingest([notes])

    assert [reason for _, reason in report.skipped] == ["its name is not UTF-8: rename it"]
    assert report.added == len(await kb.documents()) > 0
    with pytest.raises(UsageError, match="not UTF-8"):
        await kb.ingest([bad])


async def test_it_says_how_much_of_a_question_its_best_passage_holds(tmp_path: Path) -> None:
    (tmp_path / "sea.md").write_text("# The sea\n\nThe sea is deep.\n\n# Land\n\nThe land is wide.\n", encoding="utf-8")
    knowledge = KnowledgeBase(tmp_path / "kb.sqlite3")
    await knowledge.ingest([tmp_path])

    assert (await knowledge.describe("How deep is the sea?")).cover == 1.0
    assert (await knowledge.describe("How is glass blown?")).cover == 0.0
    common, rare = [(await knowledge.describe(query)).cover for query in ("sea and glass", "wide and glass")]
    assert 0 < common < 1
    assert 0 < rare < 1
    await knowledge.close()


async def test_titles_and_chosen_documents_are_those_in_reach(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    for name in ("b.md", "a.md", "deep/c.md"):
        (folder / name).write_text(f"# {Path(name).stem.upper()}\n\nSome words.\n", encoding="utf-8")
    whole = KnowledgeBase(tmp_path / "kb.sqlite3")
    await whole.ingest([folder])
    deep = KnowledgeBase(tmp_path / "kb.sqlite3", within=[folder / "deep"])
    paths = [str(folder / name) for name in ("a.md", "b.md", "deep/c.md")]

    assert list((await whole.titles()).items()) == list(zip(paths, "ABC", strict=True))
    assert [each.path for each in await whole.documents(only=[*paths[1:], "/nowhere.md"])] == paths[1:]
    assert await whole.documents(only=[]) == []
    assert await deep.titles() == {paths[2]: "C"} and await deep.documents(only=paths[:1]) == []
    await whole.close()
    await deep.close()


async def test_a_link_in_a_folder_is_removed_under_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "real.md").write_text("# Real\n\nSome words.\n", encoding="utf-8")
    link = tmp_path / "notes" / "link.md"
    link.symlink_to(tmp_path / "real.md")
    knowledge = KnowledgeBase(tmp_path / "kb.sqlite3")
    await knowledge.ingest([tmp_path / "notes"])

    assert await knowledge.remove(link) == 1
    assert await knowledge.titles() == {} and link.exists()
    await knowledge.close()


async def test_a_file_that_is_made_to_break_its_reader_is_refused_and_the_others_are_read(
    notes: Path, kb: KnowledgeBase
) -> None:
    (notes / "frozen.html").write_text(f"<p style='clip-path:polygon({'0 ' * 40}!'>The tide rises.</p>")
    (notes / "report.txt").write_text("The tide falls.\n\n<!-- written by Fathom -->\n")
    (notes / "deep.html").write_text(f"<style>{'@media all{' * 3_000}</style><p>{'<sup>' * 90}The tide turns.")
    report = await kb.ingest([notes])
    assert report.added == 5
    assert report.skipped == ((str(notes / "report.txt"), "it is a report of Fathom, which is no source"),)


@pytest.mark.soak
async def test_lines_without_end_are_refused_in_little_memory(notes: Path, kb: KnowledgeBase) -> None:
    (notes / "lines.md").write_bytes(b"\n" * 10_000_000)
    report = await kb.ingest([notes])
    assert report.added == 3
    assert report.skipped == ((str(notes / "lines.md"), "it holds no text"),)  # its first part says so already


async def test_each_file_in_an_archive_is_a_document_until_the_archive_changes_or_goes(
    kb: KnowledgeBase, notes: Path
) -> None:
    archive = notes / "club.zip"
    archive.write_bytes(package({"sea.md": SEA + "Seals.", "old/fees.txt": "Guests pay 40.", "old.doc": "x"}))
    report = await kb.ingest([notes])
    assert (report.added, dict(report.skipped)) == (5, {f"{archive} › 1 × .doc": "save it as .docx"})
    titles = await kb.titles()
    assert titles[f"{archive}/sea.md"] == "The sea" and f"{archive}/old/fees.txt" in titles
    view = kb.kept_to([archive])
    assert await found(view, "goats whales") == await found(view, "whales") != []

    again = await kb.ingest([notes])
    assert (again.unchanged, again.added, again.changed, again.removed) == (5, 0, 0, 0)
    os.utime(archive, (1, 1))
    assert (await kb.ingest([notes])).unchanged == 5

    archive.write_bytes(package({"sea.md": SEA + "Seals, too, and eels."}))
    changed = await kb.ingest([notes])
    assert (changed.changed, changed.unchanged, len(await kb.titles())) == (1, 3, 4)
    archive.unlink()
    assert (await kb.ingest([notes])).removed == 1 and len(await kb.titles()) == 3


async def test_an_archive_in_which_nothing_is_read_is_refused_once_and_read_when_it_has_changed(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    archive = tmp_path / "old.zip"
    archive.write_bytes(package({"old.doc": "x"}))
    for _ in range(2):
        ((path, reason),) = (await kb.ingest([archive])).skipped
        assert path == str(archive) and reason == "nothing in it can be read (1 × .doc: save it as .docx)"
    archive.write_bytes(package({"new.md": SEA}))
    assert (await kb.ingest([archive])).added == 1
    assert await kb.remove(archive) == 1 and not await kb.titles()
