"""An archive is read file by file; what is wrong with one of them is said of it alone."""

from __future__ import annotations

import stat
import struct
from collections.abc import Callable
from email.message import EmailMessage
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fathom.errors import Unreadable
from fathom.reading.inside import MOST_DEPTH, members
from fathom.reading.readers import read_bytes, read_here
from tests.support.office import package, word
from tests.support.readers import shown

TIDE = b"The tide is high at noon."


def told(data: bytes) -> dict[str, str]:
    """The texts of the files in an archive, or why they are not read."""
    return {name: found if isinstance(found, str) else found.text for name, found in members(data)}


def _linked(archive: ZipFile) -> None:
    link = ZipInfo("passwd.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive.writestr(link, "/etc/passwd")


def _locked(data: bytes) -> bytes:
    """The same with the last file of the list said to be encrypted."""
    at = data.rindex(b"PK\1\2") + 8
    return data[:at] + struct.pack("<H", 1) + data[at + 2 :]


def test_each_file_in_an_archive_is_read_under_its_name() -> None:
    fees = word(lambda made: made.add_paragraph("40 euros."))
    data = package({"notes/tide.md": b"# Tide\n\n" + TIDE, "fees.docx": fees})
    assert shown(read_bytes(data, ".zip")) == [
        ("heading", "notes/tide.md"),
        ("heading", "Tide"),
        ("paragraph", TIDE.decode()),
        ("heading", "fees.docx"),
        ("paragraph", "40 euros."),
    ]


@pytest.mark.parametrize(
    ("spoil", "name", "reason"),
    [
        (lambda archive: archive.writestr("../../etc/tide.txt", TIDE), "../../etc/tide.txt", "leads out"),
        (lambda archive: archive.writestr("/etc/tide.txt", TIDE), "/etc/tide.txt", "leads out"),
        (lambda archive: archive.writestr("a\\..\\..\\tide.txt", TIDE), "a/../../tide.txt", "leads out"),
        (lambda archive: archive.writestr("C:\\tide.txt", TIDE), "C:/tide.txt", "leads out"),
        (_linked, "passwd.txt", "a link"),
        (lambda archive: archive.writestr("bomb.txt", b" " * 200_000_001), "bomb.txt", "200 MB"),
        (lambda archive: archive.writestr("tide.txt", TIDE), "tide.txt", "twice"),
        (lambda archive: archive.writestr("old.doc", TIDE), "1 × .doc", "save it as .docx"),
        (lambda archive: archive.writestr("broken.docx", TIDE), "broken.docx", "damaged"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_is_wrong_with_one_file_is_said_and_the_others_are_read(
    spoil: Callable[[ZipFile], object], name: str, reason: str
) -> None:
    written = BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as archive:
        archive.writestr("tide.txt", TIDE)
        spoil(archive)
        archive.writestr("sea.txt", b"The sea is wide.")
    read = read_here(written.getvalue(), ".zip")
    ((named, why),) = read.left_out
    assert named == name and reason in why
    assert TIDE.decode() in read.text and "The sea is wide." in read.text


def test_an_encrypted_file_is_named_and_the_others_are_read() -> None:
    found = told(_locked(package({"tide.txt": TIDE, "secret.txt": TIDE})))
    assert found == {"tide.txt": TIDE.decode(), "secret.txt": "it is encrypted: pack it without a password"}


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("料金表.txt", "cp932"), ("表/ソース（改）.txt", "cp932"), ("Größe.txt", "utf-8"), ("Émile.txt", "cp437")],
)
def test_names_come_out_as_who_packed_them_saw_them(name: str, encoding: str) -> None:
    raw = name.encode(encoding)
    data = package({raw.decode("cp437", "replace").encode("ascii", "replace").decode(): TIDE})
    data = data.replace(raw.decode("cp437").encode("ascii", "replace"), raw)  # as programs without the flag write it
    assert list(told(data)) == [name]


def test_what_programs_leave_behind_is_left_aside() -> None:
    assert list(told(package({"__MACOSX/._tide.txt": b"\0", ".DS_Store": b"\0", "tide.txt": TIDE}))) == ["tide.txt"]


def test_archives_and_mails_in_one_another_are_read_up_to_a_depth() -> None:
    data = package({"deepest.txt": TIDE})
    for _ in range(MOST_DEPTH):
        mail = EmailMessage()
        mail.set_content("Here it is.")
        mail.add_attachment(data, maintype="application", subtype="zip", filename="notes.zip")
        data = package({"mail.eml": mail.as_bytes(), "beside.txt": b"The sea is wide."})
    read = read_bytes(data, ".zip")
    ((name, reason),) = read.left_out
    assert name == "mail.eml › notes.zip › mail.eml" and "a file in a file" in reason
    assert read.text.count("The sea is wide.") == 2 and TIDE.decode() not in read.text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"no archive", "no ZIP file"),
        (package({}), "no file in it"),
        (package({"old.doc": TIDE}), r"nothing in it can be read \(1 × .doc: save it as .docx\)"),
        (package({"manifest.json": "{}", "run.json": "{}", "journal.jsonl": ""}), "import it"),
    ],
)
def test_an_archive_in_which_nothing_is_read_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_here(data, ".zip")


@given(st.integers(0, 400), st.binary(min_size=1, max_size=30))
@example(346, b"\0")  # a name that begins with the character that ends one
@settings(deadline=None)
def test_a_damaged_archive_is_read_or_refused_with_a_reason(at: int, damage: bytes) -> None:
    data = package({"tide.txt": TIDE, "sea.md": b"# Sea\n\nIt is wide.", "a.zip": package({"b.txt": TIDE})})
    try:
        read = read_here(data[:at] + damage + data[at + len(damage) :], ".zip")
    except Unreadable as error:
        assert str(error)
        return
    assert all(read.text[block.start : block.end].strip() for block in read.blocks)
