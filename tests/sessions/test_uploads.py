"""Files on their way in."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.errors import StoreError
from fathom.sessions import uploads as uploads_module
from fathom.sessions.kinds import refusal
from fathom.sessions.uploads import Delivery, UploadFolder

TEXTS = frozenset({".txt", ".md"})


@pytest.fixture
def uploads(tmp_path: Path) -> UploadFolder:
    return UploadFolder(tmp_path / "uploads", kb="default", most_bytes=1_000, most_room=5_000)


@pytest.fixture
def delivery(uploads: UploadFolder) -> Iterator[Delivery]:
    delivery = Delivery(uploads, TEXTS)
    yield delivery
    delivery.discard()


def left(uploads: UploadFolder) -> list[Path]:
    folder = uploads.folder / uploads_module.INCOMING
    return list(folder.iterdir()) if folder.is_dir() else []


def test_a_file_is_in_its_place_only_when_it_is_whole(uploads: UploadFolder, delivery: Delivery) -> None:
    file = delivery.begin("a.txt")
    file.write(b"half ")
    assert not (uploads.data("default") / "a.txt").exists()
    file.write(b"and half")
    file.end()

    file.move(uploads.data("default") / "a.txt")
    delivery.discard()

    assert (uploads.data("default") / "a.txt").read_bytes() == b"half and half"
    assert (uploads.data("default") / "a.txt").stat().st_mode & 0o777 == 0o600
    assert left(uploads) == []


def test_what_was_placed_when_the_service_was_killed_is_swept_and_what_was_there_stays(
    uploads: UploadFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads.data("default").mkdir(parents=True)
    (uploads.data("default") / "old.txt").write_bytes(b"before")
    delivery = Delivery(uploads, TEXTS)
    for name in ("new.txt", "old.txt"):
        file = delivery.begin(name)
        file.write(b"after")
        file.end()
        file.move(uploads.data("default") / name)
    with monkeypatch.context() as patched:  # a process that is killed lets go of its locks, and of nothing else
        patched.setattr("fathom.sessions.uploads.shutil.rmtree", lambda *_, **__: None)
        delivery.discard()

    assert (uploads.data("default") / "new.txt").exists()
    assert uploads.sweep() == 1

    assert [path.name for path in uploads.data("default").iterdir()] == ["old.txt"]
    assert left(uploads) == []


def test_what_gets_no_place_is_removed(uploads: UploadFolder) -> None:
    delivery = Delivery(uploads, TEXTS)
    delivery.begin("a.txt").write(b"text")
    delivery.begin("b.txt").end()
    delivery.begin("c.exe").write(b"MZ")

    delivery.discard()
    delivery.discard()

    assert left(uploads) == []


def test_a_file_that_is_too_large_takes_no_room(delivery: Delivery) -> None:
    file = delivery.begin("a.txt")

    for _ in range(20):
        file.write(b"x" * 100)

    assert file.refusal == "it is larger than 0 MB" and not file.path.exists()
    file.end()
    assert file.size == 2_000 and file.refusal == "it is larger than 0 MB"


def test_a_text_of_too_many_lines_is_refused_while_it_comes_and_a_pdf_is_not(uploads: UploadFolder) -> None:
    delivery = Delivery(uploads, TEXTS | {".html", ".pdf"}, most_lines=10)
    told = {}
    for name, content in (
        ("a.txt", b"a\n" * 11),
        ("b.html", b"<p>" * 11),
        ("c.pdf", b"%PDF-\n" * 11),
        ("d.md", b"a\r\n" * 10),
    ):
        file = delivery.begin(name)
        for at in range(0, len(content), 5):
            file.write(content[at : at + 5])
        file.end()
        told[name] = file.refusal
    delivery.discard()

    reason = "it has more than 10 lines or tags: split it"
    assert told == {"a.txt": reason, "b.html": reason, "c.pdf": "", "d.md": ""}


def test_nothing_is_taken_when_all_together_have_no_room(uploads: UploadFolder, delivery: Delivery) -> None:
    uploads.data("default").mkdir(parents=True)
    (uploads.data("default") / "large.csv").write_bytes(b"x" * 5_000)

    file = delivery.begin("a.txt")
    file.write(b"text")
    file.end()

    assert file.refusal.startswith("there is no room: uploaded files may take 0 MB in all")


def test_a_long_file_finds_out_on_its_way_that_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads_module, "LOOKS_EVERY", 100)
    delivery = Delivery(UploadFolder(tmp_path, kb="default", most_bytes=10_000, most_room=500), TEXTS)
    file = delivery.begin("a.txt")

    for _ in range(20):
        file.write(b"x" * 60)

    assert "there is no room" in file.refusal
    assert sum(each.stat().st_size for each in tmp_path.rglob("*") if each.is_file()) == 0
    delivery.discard()


def test_a_full_disk_is_said_and_nothing_is_left(
    uploads: UploadFolder, delivery: Delivery, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = delivery.begin("a.txt")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError, match="The disk is full"):
        file.write(b"text")
    monkeypatch.undo()
    delivery.discard()

    assert left(uploads) == []


def test_a_replaced_file_has_another_time_even_within_one_tick(uploads: UploadFolder, delivery: Delivery) -> None:
    place = uploads.data("default") / "a.txt"
    times = set()
    for at in range(5):
        file = delivery.begin("a.txt")
        file.write(b"%d" % at)
        file.end()
        file.move(place)
        times.add(place.stat().st_mtime_ns)

    assert len(times) == 5


def test_only_what_a_dead_process_has_left_is_swept(uploads: UploadFolder, delivery: Delivery) -> None:
    code = (
        "import sys, time; from pathlib import Path; from fathom.sessions.uploads import Delivery, UploadFolder\n"
        "uploads = UploadFolder(Path(sys.argv[1]), kb='default', most_bytes=1000, most_room=5000)\n"
        "delivery = Delivery(uploads, frozenset({'.txt'}))\n"
        "delivery.begin('theirs.txt').write(b'half'); print('written', flush=True); time.sleep(60)"
    )
    delivery.begin("ours.txt").write(b"half")
    with subprocess.Popen(
        [sys.executable, "-c", code, str(uploads.folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "written\n"
        assert uploads.sweep() == 0 and len(left(uploads)) == 2
        process.send_signal(signal.SIGKILL)

    assert uploads.sweep() == 1
    assert [each.name for each in uploads.folder.rglob("*.txt")] == ["ours.txt"]


def test_a_link_in_place_of_what_is_on_its_way_is_not_followed(uploads: UploadFolder, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "a.txt").write_text("stays")
    incoming = uploads.folder / uploads_module.INCOMING
    incoming.mkdir(parents=True)
    (incoming / "link").symlink_to(precious)

    uploads.sweep()

    assert (precious / "a.txt").read_text() == "stays"


@pytest.mark.parametrize(
    ("name", "first", "reason"),
    [
        ("a.md", b"PK\x03\x04\x14\x00", "its name ends in '.md', and it is a ZIP file"),
        ("a.md", b"%PDF-1.4 text", "its name ends in '.md', and it is a PDF"),
        ("a.csv", b"\x7fELF\x02\x00", "its name ends in '.csv', and it is a program"),
        ("a.html", b"MZ\x90\x00", "its name ends in '.html', and it is a program"),
        ("a.txt", b"\xff\xfea\x00b\x00", ""),
        ("a.txt", b"MZ-80 computers were sold by Sharp.", ""),
        ("a.txt", "日本語".encode(), ""),
        ("a.pdf", b"\n%PDF-1.4", ""),
        ("a.pdf", b"PK\x03\x04", "its name ends in '.pdf', and it is a ZIP file"),
        ("a.csv.gz", b"\x1f\x8b\x08\x00", ""),
        ("A.MD", b"# A", ""),
    ],
)
def test_a_file_is_what_its_name_says(name: str, first: bytes, reason: str) -> None:
    assert refusal(name, frozenset(), first=first) == reason
