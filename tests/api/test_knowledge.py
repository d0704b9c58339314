"""The library over the API: knowledge bases, uploads, datasets; over real sockets."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from fathom import wiring
from fathom.errors import StoreError
from fathom.knowledge.knowledge_base import KnowledgeBase
from fathom.sessions.datasets import Datasets
from fathom.text.own import REPORT_MARK
from tests.support.office import package
from tests.support.serving import SESSIONS, Served, home_with_notes, served, wait_for

pytestmark = pytest.mark.usefixtures("read_here")
DOCUMENTS = "/api/knowledge/default/documents"
DATASETS = "/api/datasets"
SALES = b"day,city,amount\n2024-01-01,Oslo,10\n2024-01-02,Bergen,20\n2024-01-03,Oslo,30\n"
Sent = tuple[str, bytes]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = home_with_notes(tmp_path_factory.mktemp("library")).model_copy(update={"serve_upload_mb": 1})
    with served(settings) as running:
        yield running


def send(server: Served, path: str, *files: Sent, status: int = 201) -> list[dict[str, Any]]:
    reply = server.client.post(path, files=[("files", (name, data)) for name, data in files])
    assert reply.status_code == status, reply.text
    told: list[dict[str, Any]] = reply.json()["files"]
    return told


def left(server: Served) -> list[Path]:
    """What is on its way, or was left there."""
    incoming = server.settings.home / "uploads" / ".incoming"
    return list(incoming.iterdir()) if incoming.is_dir() else []


def raw(server: Served, data: bytes, *, wait: bool = True) -> bytes:
    """What comes back for bytes on the wire."""
    host, _, port = server.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(data)
        return connection.recv(65_536) if wait else b""


# ── Documents ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_uploaded_note_is_listed_read_found_and_removed(server: Served) -> None:
    (told,) = send(
        server, DOCUMENTS, ("pumps.md", b"# Pumps\n\n## Screws\n\nThe Archimedean screw lifts water by turning.\n")
    )

    assert (told["name"], told["status"], told["kind"], told["reason"]) == ("pumps.md", "added", "document", "")
    listed = server.client.get(DOCUMENTS, params={"q": "PUMPS"}).json()
    assert [each["id"] for each in listed["documents"]] == [told["id"]] and listed["total"] == 1
    read = server.client.get(f"{DOCUMENTS}/{told['id']}", params={"start": 20, "length": 15}).json()
    assert (read["text"], read["start"], read["end"], read["title"]) == ("The Archimedean", 20, 35, "Pumps")
    found = server.client.get("/api/knowledge/default/search", params={"q": "What lifts water?", "limit": 1}).json()
    assert [(each["document"], each["headings"]) for each in found["passages"]] == [(told["id"], ["Screws"])]
    assert server.client.delete(f"{DOCUMENTS}/{told['id']}").status_code == 204
    assert server.client.get(f"{DOCUMENTS}/{told['id']}").status_code == 404
    assert not (server.settings.home / "uploads/knowledge/default/pumps.md").exists()


def test_an_uploaded_archive_is_as_many_documents_as_it_holds_and_is_removed_as_one(server: Served) -> None:
    data = package({"pumps.md": "# Pumps\n\nThe ram lifts water by itself.\n", "fees.txt": "Guests pay 40 euros."})
    (told,) = send(server, DOCUMENTS, ("club.zip", data))
    assert (told["name"], told["status"]) == ("club.zip", "added")
    assert send(server, DOCUMENTS, ("club.zip", data), status=200)[0]["status"] == "unchanged"
    listed = server.client.get(DOCUMENTS).json()["documents"]
    held = {each["name"]: each for each in listed if each["name"] in {"pumps.md", "fees.txt"}}
    assert len(held) == 2 and all(each["uploaded"] for each in held.values())
    assert "ram lifts" in server.client.get(f"{DOCUMENTS}/{held['pumps.md']['id']}").json()["text"]
    assert server.client.delete(f"{DOCUMENTS}/{held['fees.txt']['id']}").status_code == 204
    assert server.client.get(f"{DOCUMENTS}/{held['pumps.md']['id']}").status_code == 200
    assert server.client.delete(f"{DOCUMENTS}/{told['id']}").status_code == 204
    assert server.client.get(f"{DOCUMENTS}/{held['pumps.md']['id']}").status_code == 404
    assert not (server.settings.home / "uploads/knowledge/default/club.zip").exists()


def test_what_gave_no_text_is_listed_with_the_reason_and_without_a_path(server: Served) -> None:
    head = b'Subject: Bill\nContent-Type: multipart/mixed; boundary="x"\n\n--x\n\nThe bill is due.\n--x\n'
    attached = b'Content-Disposition: attachment; filename="bill.pdf"\nContent-Type: application/pdf\n\nno\n--x--\n'
    send(server, "/api/knowledge/post/documents", ("bill.eml", head + attached))
    send(server, "/api/knowledge/post/documents", ("broken.pdf", b"%PDF-1.7 nothing"), status=200)

    (file,) = server.client.get("/api/knowledge/post/unread").json()

    assert file["name"] == "bill.eml › bill.pdf" and file["reason"]
    assert str(server.settings.home) not in file["reason"]
    bases = server.client.get("/api/knowledge").json()["knowledge_bases"]
    assert [each["unread"] for each in bases if each["name"] == "post"] == [1]
    assert server.client.get("/api/knowledge/nowhere/unread").status_code == 404
    assert server.client.delete("/api/knowledge/post").status_code == 204


def test_a_document_of_the_users_is_removed_from_the_index_and_stays_on_the_disk(server: Served) -> None:
    file = server.settings.home.parent / "notes" / "looms.md"
    (looms,) = server.client.get(DOCUMENTS, params={"q": "looms"}).json()["documents"]

    assert server.client.delete(f"{DOCUMENTS}/{looms['id']}").status_code == 204

    assert file.exists() and not looms["uploaded"]


def test_nothing_that_is_told_names_a_path_of_the_machine(server: Served) -> None:
    send(server, DOCUMENTS, ("paths.md", b"# Paths\n\nWhere things are kept.\n"))

    for path in (
        "/api/knowledge",
        DOCUMENTS,
        "/api/knowledge/default/search?q=paths",
        DATASETS,
    ):
        reply = server.client.get(path)
        assert reply.status_code == 200 and str(server.settings.home.parent) not in reply.text


def test_the_same_file_again_is_unchanged_and_another_of_its_name_takes_its_place(server: Served) -> None:
    first = send(server, DOCUMENTS, ("twice.txt", b"The first text says that snow is white."))
    again = send(server, DOCUMENTS, ("twice.txt", b"The first text says that snow is white."), status=200)
    other = send(server, DOCUMENTS, ("twice.txt", b"The second text says that coal is black."))

    assert [each[0]["status"] for each in (first, again, other)] == ["added", "unchanged", "added"]
    assert first[0]["id"] == again[0]["id"] == other[0]["id"]
    assert "second" in server.client.get(f"{DOCUMENTS}/{first[0]['id']}").json()["text"]


def test_two_files_of_one_name_that_come_together_are_two_documents(server: Served) -> None:
    files = (("README.md", b"# One\n\nThis is the first of them.\n"), ("README.md", b"# Two\n\nThis is the other.\n"))

    told = send(server, DOCUMENTS, *files)

    assert [(each["name"], each["status"]) for each in told] == [("README.md", "added"), ("README-2.md", "added")]
    assert [each["status"] for each in send(server, DOCUMENTS, *files, status=200)] == ["unchanged", "unchanged"]


def test_what_cannot_be_read_is_refused_in_words_and_the_others_go_on(server: Served) -> None:
    told = send(
        server,
        DOCUMENTS,
        ("good.md", "# 良い\n\nこれは良い文書です。\n".encode()),
        ("bomb.md", b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + b"\x00" * 100),
        ("tool.exe", b"MZ\x90\x00"),
        ("program.txt", b"\x7fELF\x02\x01\x01\x00" + b"\x00" * 64),
        ("late.txt", b"a" * 10_000 + b"\x00" * 10),
        ("paper.pdf", b"just text"),
        ("broken.pdf", b"%PDF-1.7\nnothing of the kind"),
        ("empty.md", b""),
        ("own.md", f"# Report\n\nIt says this.\n\n{REPORT_MARK}\n".encode()),
        ("../../../etc/議事録.md", "# 議事録\n\n会議は三時に始まりました。\n".encode()),
    )

    assert {each["name"]: each["reason"] for each in told if each["status"] == "refused"} == {
        "bomb.md": "its name ends in '.md', and it is a ZIP file",
        "tool.exe": told[2]["reason"],
        "program.txt": "its name ends in '.txt', and it is a program",
        "late.txt": "it is a binary file",
        "paper.pdf": "its name ends in '.pdf', and it is something else",
        "broken.pdf": told[6]["reason"],
        "empty.md": "it is empty",
        "own.md": "it is a report of Fathom, which is no source",
    }
    assert "'.exe' are not taken here; known are" in told[2]["reason"] and told[6]["reason"]
    assert [each["name"] for each in told if each["status"] == "added"] == ["good.md", "議事録.md"]
    folder = server.settings.home / "uploads/knowledge/default"
    assert not {"bomb.md", "late.txt", "broken.pdf", "own.md"} & {each.name for each in folder.iterdir()}
    assert left(server) == []


def test_a_file_that_cannot_be_read_does_not_take_the_place_of_a_good_one(server: Served) -> None:
    (good,) = send(server, DOCUMENTS, ("kept.txt", b"This text is good and stays."))
    (bad,) = send(server, DOCUMENTS, ("kept.txt", b"b" * 9_000 + b"\x00"), status=200)

    assert (bad["status"], bad["reason"]) == ("refused", "it is a binary file")
    assert "good and stays" in server.client.get(f"{DOCUMENTS}/{good['id']}").json()["text"]


def test_a_new_name_makes_a_knowledge_base_and_a_refused_file_makes_none(server: Served) -> None:
    send(server, "/api/knowledge/none/documents", ("a.exe", b"MZ"), status=200)
    send(server, "/api/knowledge/data/documents", ("a.md", b"# A\n\nThe letter a is the first one.\n"))

    names = [each["name"] for each in server.client.get("/api/knowledge").json()["knowledge_bases"]]
    assert names == ["default", "data"]
    assert server.client.get("/api/knowledge/none/documents").status_code == 404


@pytest.mark.parametrize(
    "error", [RuntimeError("a reader chokes"), RecursionError(), MemoryError(), StoreError("full")]
)
def test_an_upload_that_whatever_is_raised_ends_is_one_problem_and_leaves_nothing(
    server: Served, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    stem = f"choking-{type(error).__name__}"

    async def choke(*_: Any, **__: Any) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(KnowledgeBase, "ingest", choke)
        patched.setattr(Datasets, "_add", choke)
        for path, name in ((DOCUMENTS, f"{stem}.md"), (DATASETS, f"{stem}.csv")):
            reply = server.client.post(path, files={"files": (name, SALES)})
            assert reply.status_code in (500, 503), reply.text
            assert reply.json()["type"].startswith("urn:fathom:problem:")
    assert left(server) == []
    assert not list((server.settings.home / "uploads").rglob(f"{stem}*"))
    assert send(server, DOCUMENTS, (f"{stem}.md", b"# Choking\n\nIt is over now.\n"))[0]["status"] == "added"


def test_an_upload_that_takes_too_long_to_read_is_one_problem_and_leaves_nothing(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fathom.sessions.uploads.UploadFolder.most_seconds", 0.02)
    long = b"The sea rises, and falls again on the 3rd of May 2024.\n\n" * 10_000
    for path, sent in ((DOCUMENTS, ("late-1.md", long)), (DATASETS, ("late-2.csv", SALES))):
        reply = server.client.post(path, files=[("files", ("late-0" + sent[0][6:], b"a,b\n1,2\n")), ("files", sent)])
        assert reply.status_code == 422, reply.text
        assert reply.json()["detail"].startswith("Reading it all takes longer than 0.02 s: nothing of it was kept.")
    assert left(server) == []
    assert not list((server.settings.home / "uploads").rglob("late*"))
    assert server.client.get(DOCUMENTS, params={"q": "late"}).json()["documents"] == []


def test_documents_are_paged_without_loss(server: Served) -> None:
    path = "/api/knowledge/many/documents"
    send(server, path, *((f"n{at}.txt", f"This is note number {at} of them.".encode()) for at in range(7)))

    seen, after = [], None
    while True:
        page = server.client.get(path, params={"limit": 3, **({"after": after} if after else {})}).json()
        seen += [each["name"] for each in page["documents"]]
        after = page["next"]
        if after is None:
            break

    assert seen == [f"n{at}.txt" for at in range(7)]


# ── Bodies ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def body(*parts: bytes, end: bytes = b"--B--\r\n") -> bytes:
    return b"".join(b"--B\r\n" + part + b"\r\n" for part in parts) + end


def part(name: bytes, data: bytes, *, field: bytes = b"files") -> bytes:
    return b'Content-Disposition: form-data; name="' + field + b'"; filename="' + name + b'"\r\n\r\n' + data


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 422),
        (b"nonsense", 400),
        (b"--B", 422),
        (body(), 422),
        (body(b'Content-Disposition: form-data; name="files"\r\n\r\nno file'), 422),
        (body(part(b"a.md", b"# A", field=b"other")), 400),
        (body(part(b"a.md", b"# A half of a file"), end=b""), 400),
        (body(b"No header at all"), 400),
        (body(b"X: " + b"x" * 10_000 + b"\r\n\r\n"), 400),
        (body(*[part(b"t.exe", b"t")] * 10_000), 413),
        (body(*[b'Content-Disposition: form-data; name="x"\r\n\r\nx'] * 10_000), 413),
    ],
)
def test_a_wrong_body_is_told_and_leaves_nothing(server: Served, content: bytes, status: int) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=B"}

    reply = httpx.post(f"{server.url}{DOCUMENTS}", content=content, headers=headers)

    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json" and reply.json()["detail"]
    assert left(server) == []


def test_a_file_larger_than_is_allowed_is_refused_while_it_comes(server: Served) -> None:
    def large() -> Iterator[bytes]:
        yield b"--B\r\n" + part(b"large.txt", b"")
        for _ in range(30):
            yield b"word " * 20_000
        yield b"\r\n--B\r\n" + part(b"small.txt", b"This one is small enough for all.") + b"\r\n--B--\r\n"

    headers = {"Content-Type": "multipart/form-data; boundary=B"}

    reply = httpx.post(f"{server.url}{DOCUMENTS}", content=large(), headers=headers)

    assert [(each["status"], each["reason"]) for each in reply.json()["files"]] == [
        ("refused", "it is larger than 1 MB"),
        ("added", ""),
    ]


def test_a_client_that_breaks_off_leaves_nothing(server: Served) -> None:
    head = (
        f"POST {DOCUMENTS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=B\r\n"
        "Content-Length: 900000\r\n\r\n"
    )
    host, _, port = server.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(head.encode() + b"--B\r\n" + part(b"broken-off.txt", b"x" * 600_000))
        wait_for(lambda: any(each.is_file() for each in Path(left(server)[0]).rglob("*")) if left(server) else False)

    wait_for(lambda: left(server) == [])
    assert not (server.settings.home / "uploads/knowledge/default/broken-off.txt").exists()


def test_uploads_of_one_name_at_the_same_time_leave_one_whole_document(server: Served) -> None:
    texts = [f"Text number {at} says the same thing {at} times over. ".encode() * 200 for at in range(6)]
    answers: list[str] = []

    def upload(text: bytes) -> None:
        reply = httpx.post(f"{server.url}{DOCUMENTS}", files=[("files", ("same.txt", text))], timeout=30)
        answers.append(reply.json()["files"][0]["status"])

    threads = [threading.Thread(target=upload, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == ["added"] * 6
    (document,) = server.client.get(DOCUMENTS, params={"q": "same.txt"}).json()["documents"]
    stored = (server.settings.home / "uploads/knowledge/default/same.txt").read_bytes()
    assert stored in texts
    assert server.client.get(f"{DOCUMENTS}/{document['id']}").json()["text"] == stored.decode()


# ── Data ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_uploaded_table_is_listed_described_replaced_and_removed(server: Served) -> None:
    (told,) = send(server, DATASETS, ("売上.csv", SALES))

    assert [told[each] for each in ("name", "status", "id", "reason")] == ["売上.csv", "added", "売上.csv", ""]
    facts = {"kind": "file", "format": "csv", "bytes": len(SALES), "kb": "default", "uploaded": True}
    assert {"name": "売上.csv", **facts} in server.client.get(DATASETS).json()["datasets"]
    described = server.client.get(f"{DATASETS}/売上.csv").json()
    assert described["records"] == 3 and [each["name"] for each in described["fields"]] == [
        "_row",
        "day",
        "city",
        "amount",
    ]
    assert send(server, DATASETS, ("売上.csv", SALES), status=200)[0]["status"] == "unchanged"
    (other,) = send(server, DATASETS, ("売上.csv", SALES + b"2024-01-04,Bergen,40\n"))
    assert (other["id"], other["status"]) == ("売上.csv", "added")  # no session needs the other
    assert server.client.get(DATASETS).json()["datasets"][0]["bytes"] > len(SALES)
    assert server.client.delete(f"{DATASETS}/売上.csv").status_code == 204
    assert server.client.get(f"{DATASETS}/売上.csv").status_code == 404


def test_data_and_sessions_belong_to_the_knowledge_base_that_was_named(server: Served) -> None:
    (told,) = send(server, f"{DATASETS}?kb=club", ("members.csv", SALES))
    config = {"kb": "club", "knowledge": False, "datasets": [told["id"]]}
    id = server.client.post("/api/research/sessions", json={"query": "How many?", "config": config}).json()["id"]

    def sessions(kb: str) -> list[str]:
        page = server.client.get("/api/research/sessions", params={"kb": kb}).json()
        return [each["id"] for each in page["sessions"]]

    def datasets(kb: str) -> list[str]:
        return [each["name"] for each in server.client.get(DATASETS, params={"kb": kb}).json()["datasets"]]

    bases = server.client.get("/api/knowledge").json()["knowledge_bases"]
    assert ("club", 0, 1) in [(each["name"], each["documents"], each["datasets"]) for each in bases]
    assert (datasets("club"), datasets("default")) == (["members.csv"], [])
    assert (sessions("club"), sessions("default")) == ([id], [])
    assert server.client.get(DATASETS, params={"kb": "../club"}).status_code == 422


def test_a_knowledge_base_is_removed_with_its_uploads_and_what_was_asked_of_it_stays(server: Served) -> None:
    base, own = "/api/knowledge/attic", server.settings.home / "own.md"
    own.write_text("# Keys\n\nThe key of the attic hangs in the hall.\n")
    send(server, f"{base}/documents", ("trunk.md", b"# Trunk\n\nThe trunk in the attic holds 12 letters.\n"))
    send(server, f"{DATASETS}?kb=attic", ("letters.csv", SALES))
    server.run(wiring.ingest([own], settings=server.settings.model_copy(update={"kb": "attic"})))
    id = server.ended(server.ask("How many letters does the trunk hold?", kb="attic"))["id"]
    report = server.client.get(f"{SESSIONS}/{id}/report.md").text

    removed = server.client.delete(base)

    assert removed.status_code == 204
    assert "attic" not in [each["name"] for each in server.client.get("/api/knowledge").json()["knowledge_bases"]]
    assert own.exists() and not [each for each in server.settings.home.rglob("*") if each.stem in ("trunk", "letters")]
    assert not list((server.settings.home / "knowledge").glob("attic*"))
    assert server.client.get(f"{SESSIONS}/{id}/report.md").text == report and "12 letters" in report
    assert server.session(id)["kb"] == "attic"
    for path, body in (("fork", {}), ("fork", {"update": True}), ("ask", {"query": "And who wrote them?"})):
        again = server.client.post(f"{SESSIONS}/{id}/{path}", json=body)
        assert (again.status_code, "'attic' has been deleted" in again.json()["detail"]) == (422, True), again.text
    assert not list((server.settings.home / "knowledge").glob("attic*")), "nor does that make it anew"
    assert server.client.delete(base).status_code == 404

    send(server, f"{base}/documents", ("box.md", b"# Box\n\nThe box in the attic holds 3 hats.\n"))
    assert server.client.get(f"{base}/documents").json()["total"] == 1
    assert server.client.delete(base).status_code == 204


def test_a_knowledge_base_that_a_session_under_way_asks_is_not_removed(idle: Served) -> None:
    send(idle, "/api/knowledge/attic/documents", ("trunk.md", b"# Trunk\n\nThe trunk holds 12 letters.\n"))
    id = idle.ask("How many letters does the trunk hold?", kb="attic")

    refused = idle.client.delete("/api/knowledge/attic")

    assert (refused.status_code, id in refused.json()["detail"]) == (409, True)
    assert idle.client.get("/api/knowledge/attic/documents").json()["total"] == 1
    idle.client.post(f"{SESSIONS}/{id}/cancel")
    assert idle.client.delete("/api/knowledge/attic").status_code == 204


def test_data_that_cannot_be_read_are_refused_with_the_reason_and_without_a_path(server: Served) -> None:
    told = send(
        server,
        DATASETS,
        ("a.parquet", b"not parquet at all"),
        ("b.sqlite", b"SQLite format 3\x00 and nothing behind it"),
        ("c.csv", b"\x7fELF\x00\x00"),
        ("d.md", b"# Words"),
        status=200,
    )

    assert [each["status"] for each in told] == ["refused"] * 4
    assert all(each["reason"] and str(server.settings.home) not in each["reason"] for each in told), told


@pytest.mark.parametrize("name", ["..", "../../runs.sqlite3", "..%2f..%2fruns.sqlite3", ".incoming", "a%00b", "*"])
def test_a_name_reaches_nothing_but_an_uploaded_file(server: Served, name: str) -> None:
    assert server.client.delete(f"{DATASETS}/{name}").status_code in (404, 405)
    assert server.client.get(f"{DATASETS}/{name}").status_code in (200, 404)
    reply = server.client.post("/api/research/sessions", json={"query": "What?", "config": {"datasets": [name]}})
    assert reply.status_code == 422
    assert (server.settings.home / "runs.sqlite3").exists()


# ── The whole story ────────────────────────────────────────────────────────────────────────────────────────────────


def test_uploaded_notes_and_an_uploaded_table_are_asked_together_and_stand_among_the_sources(server: Served) -> None:
    notes = send(
        server,
        "/api/knowledge/story/documents",
        ("engines.md", b"# Engines\n\nThe analytical engine was designed by Charles Babbage in 1837.\n"),
        ("looms.md", b"# Looms\n\nThe Jacquard loom of 1804 reads cards with holes.\n"),
        ("abacus.md", "# そろばん\n\nそろばんは計算のための道具です。\n".encode()),
    )
    (table,) = send(server, DATASETS, ("story.csv", SALES))
    config = {"kb": "story", "documents": [each["id"] for each in notes], "datasets": [table["id"]]}

    id = server.ask("Who designed the analytical engine, and how many records are there per city?", **config)
    removed = server.client.delete(f"{DATASETS}/story.csv")
    ended = server.ended(id)

    assert ended["status"] == "completed", ended
    assert removed.status_code == 409 and id in removed.json()["detail"]
    seen = server.client.get(f"/api/research/sessions/{id}/sources").json()["sources"]
    cited = {each["kind"]: each["title"] for each in seen if each["state"] == "cited"}
    assert cited["file"] == "Engines" and set(cited) == {"file", "dataset"}
    report = server.client.get(f"/api/research/sessions/{id}/report.md").text
    assert "Babbage" in report and "Oslo" in report
    assert server.client.delete(f"{DATASETS}/story.csv").status_code == 204
    assert server.client.get(f"/api/research/sessions/{id}/report.md").text == report
