"""Reports, findings and sources over HTTP."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from fathom.api.results import Results
from fathom.api.sources import WINDOW, SourceText
from fathom.render import formats
from fathom.report import Report
from fathom.stores import sqlite
from fathom.text.harmless import file_name
from fathom.text.places import portable
from fathom.wiring.readings import SourceSeen
from tests.support.serving import NOTES, SESSIONS, Served, home_with_notes, served

FORMS = {
    "report.json": "application/json",
    "report.md": "text/markdown; charset=utf-8",
    "report.html": "text/html; charset=utf-8",
    "report/article": "text/html; charset=utf-8",
    "report.footnotes.md": "text/markdown; charset=utf-8",
    "report.docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "report.bib": "application/x-bibtex",
    "report.ris": "application/x-research-info-systems",
    "report.csl.json": "application/vnd.citationstyles.csl+json",
}


def stored(server: Served, id: str) -> Report:
    """The report as the store has it, with its files named as for others."""
    report: Report = server.run(server.fathom.store.report(id))
    return portable(report)


def test_the_report_as_json_is_the_public_contract(server: Served, done: dict[str, Any]) -> None:
    reply = server.client.get(f"{SESSIONS}/{done['id']}/report.json")

    assert reply.json() == json.loads(formats.get("json")(stored(server, done["id"])))


def test_a_long_report_is_read_piece_by_piece_and_is_the_same(
    server: Served, done: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    report = stored(server, done["id"])
    monkeypatch.setattr(sqlite, "IN_ONE_GO", 0)

    assert stored(server, done["id"]) == report
    assert server.client.get(f"{SESSIONS}/{done['id']}/report.json").json() == report.model_dump(mode="json")


@pytest.mark.parametrize(("style", "format"), [("report", "markdown"), ("summary", "summary"), ("bullets", "bullets")])
def test_the_report_as_markdown_has_three_styles(server: Served, done: dict[str, Any], style: str, format: str) -> None:
    reply = server.client.get(f"{SESSIONS}/{done['id']}/report.md", params={"style": style})

    assert reply.text == formats.get(format)(stored(server, done["id"]))


def test_the_report_as_html_holds_all_it_needs_and_may_do_nothing_else(server: Served, done: dict[str, Any]) -> None:
    reply = server.client.get(f"{SESSIONS}/{done['id']}/report.html")

    assert "<script" not in reply.text
    assert "Charles Babbage" in reply.text
    policy = reply.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    assert "style-src 'sha256-" in policy


def test_the_article_is_a_part_of_a_page(server: Served, done: dict[str, Any]) -> None:
    text = server.client.get(f"{SESSIONS}/{done['id']}/report/article").text

    assert text.lstrip().startswith("<article")
    assert "<html" not in text


@pytest.mark.parametrize("path", FORMS)
def test_a_report_that_is_known_already_is_not_sent_again(server: Served, done: dict[str, Any], path: str) -> None:
    address = f"{SESSIONS}/{done['id']}/{path}"
    first = server.client.get(address)
    tag = first.headers["etag"]
    known = server.client.get(address, headers={"If-None-Match": f'W/"other", {tag}'})
    other = server.client.get(address, headers={"If-None-Match": '"other"'})

    assert first.headers["content-type"] == FORMS[path]
    assert (known.status_code, known.content, known.headers["etag"]) == (304, b"", tag)
    assert (other.status_code, other.content) == (200, first.content)


@pytest.mark.parametrize("path", [path for path in FORMS if "." in path])
def test_a_report_is_kept_as_a_file_when_that_is_wanted(server: Served, done: dict[str, Any], path: str) -> None:
    address = f"{SESSIONS}/{done['id']}/{path}"
    reply = server.client.get(address, params={"download": "1"})

    ending, title = path.removeprefix("report"), file_name(stored(server, done["id"]).title)
    kept = reply.headers["content-disposition"]
    assert kept == f"attachment; filename=\"{done['id']}{ending}\"; filename*=UTF-8''{quote(title)}{ending}"
    assert "content-disposition" not in server.client.get(address).headers


def test_the_sources_are_a_bibliography(server: Served, done: dict[str, Any]) -> None:
    address = f"{SESSIONS}/{done['id']}/report"
    report = stored(server, done["id"])

    for ending, format in (("bib", "bibtex"), ("ris", "ris"), ("csl.json", "csl")):
        assert server.client.get(f"{address}.{ending}").text == formats.get(format)(report)
    assert [each["id"] for each in server.client.get(f"{address}.csl.json").json()] == [
        f"{done['id']}_{source.id}" for source in report.named
    ]


def test_every_ending_that_is_offered_is_given(server: Served, done: dict[str, Any]) -> None:
    exports = server.client.get("/api/offer").json()["exports"]

    replies = {each: server.client.get(f"{SESSIONS}/{done['id']}/report.{each}") for each in exports}

    assert {"docx", "odt", "epub", "bib", "ris", "csl.json", "footnotes.md"} <= replies.keys()
    assert ("pdf" in replies) == bool(shutil.which("chromium"))
    assert {reply.status_code for reply in replies.values()} == {200}
    begins = {"docx": b"PK", "odt": b"PK", "epub": b"PK", "pdf": b"%PDF-", "bib": b"@misc{"}
    assert all(replies[each].content.startswith(begins[each]) for each in begins.keys() & replies.keys())


def test_what_is_not_installed_is_not_offered_and_says_how_to_have_it(
    server: Served, done: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fathom.render.documents.find_spec", lambda _: None)
    monkeypatch.setattr("fathom.pages.printing.find_spec", lambda _: None)

    offered = server.client.get("/api/offer").json()["exports"]
    assert [*offered] == ["html", "md", "footnotes.md", "bib", "ris", "csl.json", "json", "zip"]
    for ending, extra in (("docx", "documents"), ("pdf", "browser")):
        reply = server.client.get(f"{SESSIONS}/{done['id']}/report.{ending}")
        assert (reply.status_code, reply.json()["type"]) == (422, "urn:fathom:problem:not-set-up")
        assert f"fathom-research[{extra}]" in reply.json()["detail"]


def test_there_is_no_report_of_an_ending_that_is_not_known(server: Served, done: dict[str, Any]) -> None:
    reply = server.client.get(f"{SESSIONS}/{done['id']}/report.exe")

    assert (reply.status_code, reply.json()["type"]) == (404, "urn:fathom:problem:not-found")


@pytest.mark.parametrize("path", FORMS)
def test_a_session_without_a_report_says_so(idle: Served, path: str) -> None:
    reply = idle.client.get(f"{SESSIONS}/{idle.ask()}/{path}")

    assert reply.status_code == 404
    assert "no report yet" in reply.json()["detail"]


def test_results_hold_every_finding_and_the_whole_report(server: Served, done: dict[str, Any]) -> None:
    results = Results.model_validate_json(server.client.get(f"{SESSIONS}/{done['id']}/results").content)

    report = stored(server, done["id"])
    assert results.report == report
    assert results.syntheses == report.syntheses
    assert [each.id for each in results.findings] == [each.id for each in report.findings]
    assert {each.title for each in results.findings} <= {source.title for source in report.sources}
    assert [each.model_dump(mode="json") for each in results.subtasks] == done["subtasks"]


def test_results_hold_what_was_found_before_there_is_a_report(server: Served) -> None:
    async def without_report() -> None:
        database = server.fathom.store.database  # type: ignore[attr-defined]
        gone = "DELETE FROM reports WHERE run = (SELECT no FROM runs WHERE run_id = ?)"
        await database.write(lambda db: db.execute(gone, (id,)))

    id = server.ask("What does a Jacquard loom read?")
    server.ended(id)
    known = [each.id for each in stored(server, id).findings]
    server.run(without_report())
    results = Results.model_validate_json(server.client.get(f"{SESSIONS}/{id}/results").content)

    assert (results.report, results.syntheses) == (None, ())
    assert results.findings
    assert {each.id for each in results.findings} <= set(known)
    assert all(each.claim and each.title and each.confidence is None for each in results.findings)


def test_every_source_is_listed_and_can_be_read_as_it_was(server: Served, done: dict[str, Any]) -> None:
    address = f"{SESSIONS}/{done['id']}/sources"
    listed = [SourceSeen.model_validate(each) for each in server.client.get(address).json()["sources"]]

    assert {each.state for each in listed} == {"cited"}
    for each in listed:
        by_id = server.client.get(f"{address}/{each.id}")
        source = SourceText.model_validate_json(by_id.content)
        assert source.source == each
        assert hashlib.sha256(source.text.encode()).hexdigest() == each.sha256
        assert source.text in NOTES.values()
        assert (source.start, source.end, source.length) == (0, len(source.text), len(source.text))
        assert server.client.get(f"{address}/{each.sha256}").content == by_id.content


def test_the_spans_of_a_source_are_what_the_report_quotes(server: Served, done: dict[str, Any]) -> None:
    report = stored(server, done["id"])
    quotes = {each.id: each for each in report.evidence}
    for each in report.sources:
        reply = server.client.get(f"{SESSIONS}/{done['id']}/sources/{each.id}")
        source = SourceText.model_validate_json(reply.content)
        assert source.spans
        for span in source.spans:
            assert source.text[span.start : span.end] == quotes[span.id].quote
            assert all(span.id in claim.evidence for claim in report.claims if claim.id in span.claims)


def test_of_a_source_a_window_is_shown(server: Served, done: dict[str, Any]) -> None:
    address = f"{SESSIONS}/{done['id']}/sources/S1"
    whole = server.client.get(address).json()

    part = server.client.get(address, params={"start": 10, "end": 20}).json()
    assert (part["text"], part["start"], part["end"]) == (whole["text"][10:20], 10, 20)
    assert part["length"] == whole["length"]
    behind = server.client.get(address, params={"start": 2**53}).json()
    assert (behind["text"], behind["start"], behind["end"]) == ("", whole["length"], whole["length"])
    backwards = server.client.get(address, params={"start": 9, "end": 3}).json()
    assert (backwards["text"], backwards["start"], backwards["end"]) == ("", 9, 9)


def test_of_a_long_source_the_window_holds_the_quotation_that_is_asked_for(tmp_path: Path) -> None:
    line = "Nothing much is said in this line, which is there to fill a page. 𝔘\n\n"
    note = f"# Long\n\n{line * 4_000}The zebra engine was built by Ada Quill in 1901.\n\n{line * 4_000}"
    settings = home_with_notes(tmp_path, {"long.md": note})
    with served(settings) as server:
        id = server.ask("Who built the zebra engine?")
        server.ended(id)
        evidence = next(each for each in stored(server, id).evidence if "Quill" in each.quote)
        address = f"{SESSIONS}/{id}/sources/{evidence.source_id}"
        whole = server.client.get(address).json()
        around = server.client.get(address, params={"evidence": evidence.id}).json()
        missing = server.client.get(address, params={"evidence": "E999"})

    assert (whole["start"], whole["end"], whole["length"]) == (0, WINDOW, len(note))
    assert around["end"] - around["start"] == WINDOW
    assert around["text"][evidence.start - around["start"] : evidence.end - around["start"]] == evidence.quote
    assert missing.status_code == 404


def test_a_source_of_another_session_is_not_there(server: Served, done: dict[str, Any]) -> None:
    listed = server.client.get(f"{SESSIONS}/{done['id']}/sources").json()["sources"]
    other = server.ask("What did Ada Lovelace write?", limits={"max_calls": 1})
    server.ended(other)

    assert server.client.get(f"{SESSIONS}/{other}/sources/{listed[0]['sha256']}").status_code == 404
    assert server.client.get(f"{SESSIONS}/{done['id']}/sources/{'0' * 64}").status_code == 404
    assert server.client.get(f"{SESSIONS}/{done['id']}/sources/S99").status_code == 404


@pytest.mark.usefixtures("read_here")
def test_the_pages_of_records_of_a_dataset_are_sources_with_their_records(tmp_path: Path) -> None:
    from fathom.sessions.datasets import ServedDataset

    file = tmp_path / "issues.csv"
    rows = [
        f"{number},{'billing' if number % 3 else 'login'},The page {number} is slow,2024-01-{number:02}"
        for number in range(1, 25)
    ]
    file.write_text("id,area,summary,day\n" + "\n".join(rows) + "\n", encoding="utf-8")
    with served(home_with_notes(tmp_path), datasets=[ServedDataset(name="issues", path=str(file))]) as server:
        id = server.ask("Which area has the most issues, and what do they say?", datasets=["issues"])
        assert server.ended(id)["status"] == "completed"
        listed = server.client.get(f"{SESSIONS}/{id}/sources").json()["sources"]
        texts = [server.client.get(f"{SESSIONS}/{id}/sources/{each['sha256']}").json() for each in listed]

    seen = [(text, record) for text in texts for record in text["records"] or ()]
    assert {record["id"] for _, record in seen} == {str(number) for number in range(1, 25)}
    assert all(text["text"][record["start"] : record["end"]].startswith(f"# {record['id']}\n") for text, record in seen)
