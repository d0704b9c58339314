"""A mail is read with what is attached to it, and a file of mails mail by mail."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.errors import Unreadable
from fathom.reading.inside import MOST_DEPTH
from fathom.reading.readers import read_bytes, read_here
from tests.support.office import word
from tests.support.readers import shown


def _mail(subject: str = "Keys", text: str = "The keys hang by the door.") -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "Ada <ada@example.org>", subject
    mail["Date"] = "Wed, 03 Jun 2026 07:58:40 +0100"
    mail.set_content(text)
    return mail


def test_what_is_attached_to_a_mail_is_read_under_its_name_and_what_cannot_be_is_told_of() -> None:
    mail = _mail()
    fees = word(lambda made: made.add_paragraph("Guests pay 40 euros."))
    mail.add_attachment(fees, maintype="application", subtype="octet-stream", filename="Gebühren.docx")
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="plan.png")
    mail.add_attachment(b"x", maintype="application", subtype="octet-stream", filename="a.xyz")
    read = read_bytes(mail.as_bytes(), ".eml")
    assert shown(read) == [
        ("heading", "Ada"),
        ("paragraph", "The keys hang by the door."),
        ("heading", "Gebühren.docx"),
        ("paragraph", "Guests pay 40 euros."),
    ]
    assert (read.title, read.dated) == ("Keys", "2026-06-03")
    assert dict(read.left_out).keys() == {"plan.png", "a.xyz"}
    assert "picture" in dict(read.left_out)["plan.png"]


def test_mails_in_mails_are_read_up_to_a_depth() -> None:
    mail = _mail("Depth 0", "Words of depth 0.")
    for depth in range(1, 10):
        outer = _mail(f"Depth {depth}", f"Words of depth {depth}.")
        outer.add_attachment(mail)
        mail = outer
    read = read_bytes(mail.as_bytes(), ".eml")
    assert [f"Words of depth {depth}." in read.text for depth in (9, 8, 7, 6)] == [True] * MOST_DEPTH + [False]
    ((name, reason),) = read.left_out
    assert name == "Depth 8.eml › Depth 7.eml › Depth 6.eml" and "a file in a file" in reason


def test_a_file_of_mails_is_read_mail_by_mail_each_under_what_it_is_about() -> None:
    mails = [
        _mail("Keys", "The keys hang by the door.\n\n>From here on it is quoted."),
        _mail("Fees", "Guests pay 40."),
    ]
    data = b"".join(b"From ada Wed Jun 03 07:58:40 2026\n" + mail.as_bytes() + b"\n" for mail in mails)
    read = read_bytes(data, ".mbox")
    headings = [(b.level, read.text[b.start : b.end]) for b in read.blocks if b.kind == "heading"]
    day = "(2026-06-03)"
    assert headings == [(1, f"Keys {day}"), (2, "Ada"), (1, f"Fees {day}"), (2, "Ada")]
    assert read.dated == "2026-06-03" and "\nFrom here on" in read.text
    with pytest.raises(Unreadable, match="no mail"):
        read_bytes(b"hello", ".mbox")


def test_a_name_in_shift_jis_is_no_hindrance() -> None:
    mail = _mail().as_bytes().replace(b"Subject: Keys", "Subject: 料金のお知らせ".encode("shift_jis"))
    assert read_bytes(mail, ".eml").text


HEADS = st.sampled_from(
    [b"From: a\n", b"Date: x\n", b"Content-Type: message/rfc822\n", b"Content-Type: multipart/mixed; boundary=b\n",
     b"--b\n", b"--b--\n", b"Content-Disposition: attachment; filename=a.eml\n", b"Content-Transfer-Encoding: base64\n",
     b"From x\n", b"\xff\xfe", b"Date: Wed, 99 Jun 2026 07:58:40 +9999\n", b"\n",
     b"Content-Disposition: attachment; filename*=x''%\n"]
)  # fmt: skip


@pytest.mark.parametrize("suffix", [".eml", ".mbox"])
@given(st.lists(st.one_of(HEADS, HEADS, st.binary(max_size=30)), max_size=20).map(b"".join))
@settings(deadline=None)
def test_any_bytes_are_read_as_a_mail_or_refused_with_a_reason(suffix: str, data: bytes) -> None:
    try:
        document = read_here(b"From x\n" * (suffix == ".mbox") + data, suffix)
    except Unreadable as error:
        assert str(error)
        return
    last = 0
    for block in document.blocks:
        assert last <= block.start < block.end <= len(document.text)
        last = block.end
