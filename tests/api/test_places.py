"""What the service tells names its files, and not where on the machine they are."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from fathom.errors import ConfigurationError, FathomError, UsageError
from fathom.sessions.datasets import ServedDataset
from fathom.sessions.service import Sessions
from fathom.text.places import names, portable, unplaced
from tests.support.serving import ID, QUESTION, SESSIONS, Served, home_with_notes, served
from tests.support.whole_report import whole_report

FOLDER = "Recognisable-folder-of-mine"
ROWS = "engine,year\nanalytical,1837\ndifference,1822\n"


def everything(served: Served, id: str, document: str) -> dict[str, httpx.Response]:
    """What every address that reads answers, with the parts of this session in it."""
    source = served.client.get(f"{SESSIONS}/{id}/sources").json()["sources"][0]["id"]
    parts = {"session_id": id, "source_id": source, "kb": "default", "doc_id": document, "name": "engines"}
    parts["ending"] = "footnotes.md"
    told = {}
    for path, methods in served.client.get("/api/openapi.json").json()["paths"].items():
        if "get" in methods:
            address = path.format(**parts)
            query = {"q": "engine", "query": "engine"} if path.endswith("search") else {}
            told[path] = served.client.get(address, params=query)
    return told


@pytest.mark.usefixtures("read_here")
def test_no_answer_of_the_service_tells_where_its_files_are(tmp_path: Path) -> None:
    settings = home_with_notes(tmp_path / FOLDER)
    data = tmp_path / FOLDER / "engines.csv"
    data.write_text(ROWS, encoding="utf-8")
    with served(settings, datasets=[ServedDataset(name="engines", path=str(data))]) as running:
        first = running.ask(QUESTION, datasets=["engines"], kb="default")
        assert running.ended(first)["status"] == "completed"
        id = running.client.post(f"{SESSIONS}/{first}/fork", json={"update": True}).json()["id"]  # has all to be told
        assert running.ended(id)["status"] == "completed"
        [document, *_] = [
            each["id"] for each in running.client.get("/api/knowledge/default/documents").json()["documents"]
        ]
        told = everything(running, id, document)
        assert len(told) > 15
        for path, answer in told.items():
            assert answer.status_code == 200, (path, answer.text[:300])
            assert FOLDER not in answer.text, path
        assert "engines.md" in told[f"{SESSIONS}/{{session_id}}/report.md"].text
        stored = running.run(running.fathom.store.report(id))
        assert FOLDER in stored.model_dump_json(), "the machine itself still knows"


@pytest.mark.parametrize("kind", [UsageError, ConfigurationError])
def test_an_error_names_a_file_and_not_its_folders(
    idle: Served, monkeypatch: pytest.MonkeyPatch, kind: type[FathomError]
) -> None:
    async def get(_self: Sessions, _id: str) -> None:
        raise kind(f"/srv/{FOLDER}/my notes/prompts.toml cannot be read: see https://example.org/a/b.")

    monkeypatch.setattr(Sessions, "get", get)
    detail = idle.client.get(f"{SESSIONS}/{ID}").json()["detail"]
    assert FOLDER not in detail
    assert "prompts.toml cannot be read: see https://example.org/a/b." in detail


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("file:///home/me/a%20b.md is gone", "a%20b.md is gone"),
        ("'/home/me/x.md' and (/home/me/y.md)", "'x.md' and (y.md)"),
        ("one/two, 1/2, ~/x/y, https://a.example/b/c and /docs", None),
    ],
)
def test_paths_alone_lose_their_folders(line: str, told: str | None) -> None:
    assert unplaced(line) == (told or line)


def test_names_of_files_that_are_alike_are_told_apart_in_what_is_handed_on() -> None:
    assert list(names(["file:///h/me/a/README.md", "file:///h/me/b/README.md", "file:///h/x.md"]).values()) == [
        "a/README.md",
        "b/README.md",
        "x.md",
    ]


def test_the_sources_of_a_report_are_named_by_the_way_from_its_folder_that_leads_over_no_root(tmp_path: Path) -> None:
    here = (tmp_path / "my notes" / "sea.md").as_uri()
    report = whole_report(
        sources=(whole_report().sources[0].model_copy(update={"uri": here}),), markdown=f"[a](<{here}>)"
    )

    assert portable(report, beside=tmp_path / "reports").markdown == "[a](<../my%20notes/sea.md>)"
    assert portable(report, beside=tmp_path / "my notes").sources[0].uri == "sea.md"
    assert portable(report, beside=Path(tmp_path.anchor)).markdown == portable(report).markdown == "[a](<sea.md>)"


def test_a_source_in_an_archive_leads_to_the_archive(tmp_path: Path) -> None:
    (tmp_path / "notes.zip").write_bytes(b"")
    here = (tmp_path / "notes.zip" / "2026" / "sea.md").as_uri()
    report = whole_report(sources=(), markdown=f"[a](<{here}>)")
    of_it = whole_report().sources[0].model_copy(update={"uri": here})

    told = portable(report.model_copy(update={"sources": (of_it,)}), beside=tmp_path / "reports")
    assert told.markdown == "[a](<../notes.zip>)"
