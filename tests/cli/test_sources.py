"""`fathom sources` and `fathom source`: what a run has read, and what is cited of it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import click
import pytest

from fathom.browsing import ArchivedPage
from fathom.cli.columns import in_columns
from fathom.cli.sources import _kind, _lines, _merged
from fathom.events import PageLeftOut, PageRead
from fathom.evidence import Document, text_digest
from fathom.report import Claim, EvidenceEntry, SourceEntry
from fathom.stores.sqlite import SqliteRunStore
from fathom.wiring.readings import MarkedSource, MarkedSpan
from tests.cli.conftest import QUESTION, Call
from tests.contracts import a_report, a_run
from tests.support.counted import counted
from tests.support.office import package

ESCAPES = "\x1b]0;owned\x07\x1b[2J\u202e"
TEXT = f"# Tides{ESCAPES}\r\n\r\nThe sea rises ⟦E9: at will⟧.\r\nThe moon draws it,\r\nand the sun.\r\n"


@pytest.fixture
def run_id(call: Call, notes: Path) -> str:
    assert call("research", QUESTION, "--docs", notes, "--quiet").code == 0
    return str(json.loads(call("runs", "--format", "json").out)[0]["run_id"])


def seen(call: Call, *arguments: str) -> Any:
    return json.loads(call(*arguments, "--format", "json").out)


def test_the_sources_of_a_run_are_listed_with_how_much_is_cited_of_each(call: Call, run_id: str) -> None:
    listed = seen(call, "sources", run_id)
    done = call("sources", run_id)

    assert [each["id"] for each in listed] == ["S1", "S2", "S3"]
    assert [each["state"] for each in listed] == ["cited", "cited", "cited"]
    assert all(each["kind"] == "file" and (each["spans"] > 0) == (each["state"] == "cited") for each in listed)
    assert done.out.startswith("Cited: 3 sources\nS1  file")
    assert "naming.md" in done.out


def test_files_without_text_are_listed_with_the_run_and_with_the_knowledge_base(call: Call, notes: Path) -> None:
    (notes / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    call("ingest", notes)
    call("research", QUESTION, "--quiet")
    [run] = json.loads(call("runs", "--format", "json").out)

    listed = call("sources", run["run_id"]).out.splitlines()
    status = call("kb", "status").err.splitlines()

    assert listed[-2] == "Without text in the knowledge base: 1 file"
    assert listed[-1].startswith(f"{notes}/broken.pdf  ")
    assert status[-1].startswith(f"Not read: {notes}/broken.pdf: ")
    assert call("kb", "list").out.split("  ")[3] == "1 not read"


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_nothing_but_files_without_text_is_a_failure_that_says_why(
    call: Call, tmp_path: Path, quiet: list[str]
) -> None:
    for name in ("broken.pdf", "empty.md", "old.doc"):
        (tmp_path / name).write_bytes(b"%PDF-1.7 nothing"[: 0 if name == "empty.md" else None])

    done = call("ingest", *(tmp_path / name for name in ("broken.pdf", "empty.md", "old.doc")), *quiet)

    assert done.code == 1 and len(done.complaints) == 1
    assert [line.split("/")[-1].split(":")[0] for line in done.err.splitlines() if line.startswith("Not read: ")] == [
        "broken.pdf",
        "empty.md",
        "old.doc",
    ]
    assert call("ingest", tmp_path, *quiet).code == 1, "a folder of them, too"


def test_a_source_is_shown_with_what_is_cited_of_it_marked(call: Call, run_id: str, notes: Path) -> None:
    (notes / "naming.md").unlink()  # what was read stays
    id = next(each["id"] for each in seen(call, "sources", run_id) if each["title"] == "Names")

    shown = call("source", run_id, id.lower())
    told = seen(call, "source", run_id, id)

    assert text_digest(told["text"]) == told["source"]["sha256"]
    assert told["spans"]
    for span in told["spans"]:
        for line in told["text"][span["start"] : span["end"]].splitlines():
            assert f"{span['id']}: {line}⟧" in shown.out
        assert span["claims"]
    assert f"sha256    {told['source']['sha256']}" in shown.out
    assert "## Scopes" in shown.out


def test_the_context_of_what_is_cited_can_be_kept_short(call: Call, run_id: str) -> None:
    id = next(each["id"] for each in seen(call, "sources", run_id) if each["title"] == "Names")
    short, longer = (call("source", run_id, id, "--context", lines).out for lines in ("0", "2"))

    assert "## Scopes" not in short
    assert "## Scopes" in longer
    assert "⋮ 4 lines\n⟦E" in short


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("source", "RUN", "S33"), "has no source 'S33'. Did you mean 'S3'?"),
        (("source", "RUN", "x"), "It has S1 to S3."),
        (("source", "run_none", "S1"), "No run is named 'run_none'"),
        (("sources", "run_none"), "No run is named 'run_none'"),
    ],
)
def test_what_is_not_there_is_said_in_a_line(call: Call, run_id: str, arguments: tuple[str, ...], said: str) -> None:
    done = call(*(run_id if each == "RUN" else each for each in arguments))

    assert (done.code, done.out) == (2, "")
    assert len(done.complaints) == 1
    assert said in done.complaints[0]


def test_a_report_with_one_source_says_which_that_is(call: Call, notes: Path) -> None:
    call("research", "What is a free variable?", "--docs", notes / "naming.md", "--quiet")
    [run] = json.loads(call("runs", "--format", "json").out)

    assert call("source", run["run_id"], "x").complaints[0].endswith("has no source 'x'. It has S1.")


@pytest.fixture
def online(home: Path, here: Path) -> str:  # noqa: ARG001 - `here` names the home
    """A run that has read the web: one page is cited, one is not, two were left out."""
    asyncio.run(_read_the_web(home / "runs.sqlite3"))
    return "run_web"


def page(url: str, text: str, title: str) -> ArchivedPage:
    document = Document(
        sha256=text_digest(text),
        uri=url,
        title=title,
        kind="web",
        language="en",
        retrieved_at="2026-02-03T04:05:06+00:00",
        published="2026-01-02",
        nature="news",
        site="example.org",
    )
    return ArchivedPage(document=document, url=url, characters=len(text))


async def _read_the_web(path: Path) -> None:
    store = SqliteRunStore(path)
    await store.create_run(a_run("run_web"))
    fence = await store.acquire("run_web")
    cited = page("https://example.org/tides", TEXT, f"Tides{ESCAPES}")
    other = page("https://example.org/other", "Nothing.", "Other")
    for each in (cited, other):
        answer = json.dumps({"page": each.model_dump(mode="json"), "left_out": ""})
        path_of_call = f"read/{each.url}"
        await store.record(
            "run_web", fence=fence, path=path_of_call, kind="read", request=each.url, answer=answer, seconds=0.1
        )
        event = PageRead(url=each.url, title=each.document.title, characters=each.characters)
        await store.emit("run_web", event, fence=fence)
    wall = "https://example.org/wall"
    for url, reason in ((wall, f"{wall} a consent wall{ESCAPES}"), ("https://example.org/old", "old")):
        await store.emit("run_web", PageLeftOut(url=url, reason=reason), fence=fence)
    await store.add_snapshot("run_web", cited.document.sha256, TEXT, fence=fence)
    start = TEXT.index("The moon")
    quote = TEXT[start : TEXT.index(" sun")]
    evidence = EvidenceEntry(
        id="E1", source_id="S1", quote=quote, start=start, end=start + len(quote), locator="", subtask_id="task_1"
    )
    claim = Claim(
        id="C1", text="t", citations=("S1",), evidence=("E1",), status="supported", verified=True, confidence=1.0
    )
    names = cited.document.model_dump(include={"uri", "title", "sha256", "retrieved_at", "kind", "published", "nature"})
    report = a_report("run_web").model_copy(
        update={"sources": (SourceEntry(id="S1", **names),), "evidence": (evidence,), "claims": (claim,)}
    )
    await store.save_report("run_web", report, fence=fence)
    await store.close()


def test_pages_are_listed_with_what_was_not_cited_and_what_was_left_out_and_why(call: Call, online: str) -> None:
    listed = seen(call, "sources", online)
    done = call("sources", online)

    assert [(each["state"], each["uri"], each["reason"]) for each in listed] == [
        ("cited", "https://example.org/tides", ""),
        ("read", "https://example.org/other", ""),
        ("left_out", "https://example.org/wall", f"https://example.org/wall a consent wall{ESCAPES}"),
        ("left_out", "https://example.org/old", "old"),
    ]
    assert (listed[0]["nature"], listed[0]["published"], listed[0]["spans"]) == ("news", "2026-01-02", 1)
    assert "Cited: 1 source\nS1  web (news)  2026-01-02  2026-02-03  1 span  Tides" in done.out
    assert "\nLeft out: 2 sources\nhttps://example.org/wall  a consent wall" in done.out


def test_who_speaks_is_told_of_a_page_where_it_is_known() -> None:
    assert (_kind("web", "forum"), _kind("web", "other"), _kind("file", None)) == ("web (forum)", "web", "file")


def test_nothing_from_outside_steers_the_terminal_or_sets_a_mark(call: Call, online: str) -> None:
    for shown in (call("sources", online), call("source", online, "S1")):
        assert shown.code == 0
        assert not set(shown.out) & set("\x1b\x07\u202e\r")

    lines = call("source", online, "S1").out.splitlines()

    assert "The sea rises [E9: at will]." in lines
    assert lines[-2:] == ["⟦E1: The moon draws it,⟧", "⟦E1: and the⟧ sun."]


@pytest.mark.parametrize(
    ("styled", "shown"),
    [
        (False, "⟦E1, E2: one two thr⟧e ⟦E3, E4: fou⟧r"),
        (True, "< E1, E2 > <one two thr>e < E3, E4 > <fou>r"),
    ],
)
def test_spans_that_share_text_are_one_mark(monkeypatch: pytest.MonkeyPatch, styled: bool, shown: str) -> None:
    monkeypatch.setattr(click, "style", lambda text, **_: f"<{text}>")
    places = ((0, 7), (4, 11), (13, 16), (13, 16))
    spans = [MarkedSpan(id=f"E{at}", start=start, end=end, claims=()) for at, (start, end) in enumerate(places, 1)]

    assert list(_lines("one two thre four\n", _merged(spans), styled=styled)) == [(shown, True)]


COUNTS = counted({"AI": 50, "人工知能": 40, "Cloud | x": 5})


@pytest.fixture
def asked(home: Path, here: Path) -> str:  # noqa: ARG001 - `here` names the home
    """A run that has counted the records of a dataset."""
    asyncio.run(_ask_a_dataset(home / "runs.sqlite3"))
    return "run_data"


async def _ask_a_dataset(path: Path) -> None:
    store = SqliteRunStore(path)
    await store.create_run(a_run("run_data"))
    fence = await store.acquire("run_data")
    await store.add_snapshot("run_data", COUNTS.document.sha256, COUNTS.text, fence=fence)
    finding = COUNTS.finding("AI has 50 records.", 0, 1, matched=True)
    evidence = tuple(
        EvidenceEntry(id=f"E{at}", source_id="S1", quote=span.quote, start=span.start, end=span.end, locator="")
        for at, span in enumerate(finding.evidence, 1)
    )
    names = COUNTS.document.model_dump(include={"uri", "title", "sha256", "retrieved_at", "kind", "query"})
    source = SourceEntry(id="S1", records=95, **names)
    claim = Claim(
        id="C1",
        text=finding.claim,
        citations=("S1",),
        evidence=tuple(each.id for each in evidence),
        status="supported",
        verified=True,
        confidence=1.0,
    )
    report = a_report("run_data").model_copy(update={"sources": (source,), "evidence": evidence, "claims": (claim,)})
    await store.save_report("run_data", report, fence=fence)
    await store.close()


def test_a_dataset_is_listed_with_what_was_asked_of_it(call: Call, asked: str) -> None:
    assert seen(call, "sources", asked)[0]["query"] == COUNTS.document.query
    assert "S1  dataset  –  2026-01-02  3 spans  events: event_theme" in call("sources", asked).out
    assert 'analyze {"filters": [{"field": "country"' in call("sources", asked).out


def test_counts_are_shown_as_a_table_with_the_query_and_the_rows_that_are_cited(call: Call, asked: str) -> None:
    shown = call("source", asked, "S1").out.splitlines()
    assert f"query     {COUNTS.document.query}" in shown
    assert "counted   95 records" in shown
    assert shown[-4:] == [
        "event_theme | records",
        "⟦E1: AI          |      50⟧",
        "⟦E2: 人工知能    |      40⟧",
        "Cloud ¦ x   |       5",
    ]
    assert "⟦E3: matched records: 95⟧" in shown
    told = seen(call, "source", asked, "S1")
    assert told["text"] == COUNTS.text, "offsets are those of the snapshot"


def test_records_are_shown_as_they_stand_in_their_snapshot() -> None:
    names = COUNTS.document.model_dump(include={"uri", "title", "sha256", "retrieved_at", "kind"})
    text = "dataset: events\n\n# EV1\ntitle: a | b\nyear: 2024\n"
    page_of_records = MarkedSource(run_id="run_data", source=SourceEntry(id="S1", **names), spans=(), text=text)
    assert in_columns(page_of_records) is page_of_records


def test_who_has_written_a_file_in_an_archive_stands_in_the_report_and_in_the_list(call: Call, tmp_path: Path) -> None:
    note = "---\nauthors: [Ada Lovelace, Bo, Cy, Di]\n---\n# Fees\n\nGuests pay 40 euros a day from June on.\n"
    archive = tmp_path / "club.zip"
    archive.write_bytes(package({"fees.md": note}))
    done = call("research", "What do guests pay from June on?", "--docs", archive, "--no-web")

    assert "Guests pay 40 euros a day from June on." in done.out
    assert "[S1] Fees (Ada Lovelace; Bo; Cy; …)" in done.out
    (run,) = json.loads(call("runs", "--format", "json").out)
    assert "Fees (Ada Lovelace; Bo; Cy; …)" in call("sources", run["run_id"]).out
    (source,) = seen(call, "sources", run["run_id"])
    assert source["authors"] == ["Ada Lovelace", "Bo", "Cy", "Di"] and source["uri"].endswith("club.zip/fees.md")
