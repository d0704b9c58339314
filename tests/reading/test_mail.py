"""A mail is read with what is attached to it, and a file of mails mail by mail."""

from __future__ import annotations

from email.message import EmailMessage
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.errors import Unreadable
from fathom.reading import mail
from fathom.reading.document import ReadDocument
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


def _raw(kind: str, body: str, head: str = "") -> bytes:
    return f"From: ann@example.org\nSubject: Dates\n{head}Content-Type: {kind}\n\n{body}".encode()


def _parted(how: str, *parts: tuple[str, str]) -> bytes:
    body = "".join(f"--b\nContent-Type: {kind}\n\n{text}\n" for kind, text in parts)
    return _raw(f"multipart/{how}; boundary=b", f"{body}--b--\n")


def _said(data: bytes) -> str:
    return read_bytes(data, ".eml").text.partition("\n\n")[2].strip()


CRANE, PAGE = "The crane comes on 14 June.", "<p>The crane comes on 14 June.</p>"


@pytest.mark.parametrize("kind", ["image/png", "application/x-unheard-of", "text/plain; charset=x"])
def test_a_part_without_a_name_that_cannot_be_read_costs_itself_alone(kind: str) -> None:
    data = _parted("related", ("text/html", PAGE), (f"{kind}\nContent-Transfer-Encoding: base64", "AAECAwQFBgcICQ=="))
    read = read_bytes(data, ".eml")
    assert CRANE in read.text
    ((name, reason),) = read.left_out
    assert "part 3" in name and reason


def test_a_document_without_a_name_is_read_by_its_type() -> None:
    read = read_bytes(_parted("mixed", ("text/plain", "See below."), ("text/csv", "Month,Fee\nMay,40")), ".eml")
    assert ("table_row", "May | 40") in shown(read)


@pytest.mark.parametrize(
    ("how", "parts", "text"),
    [
        ("mixed", [("text/html", PAGE), ("text/plain", "___\nBoats list")], f"{CRANE}\n\n___\nBoats list"),
        ("mixed", [("text/plain", "Hello."), ("text/html", PAGE)], f"Hello.\n\n{CRANE}"),
        ("alternative", [("text/plain", " \n"), ("text/html", PAGE)], CRANE),
        ("alternative", [("text/plain", "This is an HTML mail."), ("text/html", PAGE)], CRANE),
        ("alternative", [("text/plain", "See https://example.org/a/b/c/d/e/f?g=h"), ("text/html", PAGE)], CRANE),
        ("alternative", [("text/plain", f"{CRANE}\nIt stays."), ("text/html", PAGE)], f"{CRANE}\nIt stays."),
        ("alternative", [("text/plain", CRANE), ("text/html", PAGE)], CRANE),
        ("alternative", [("text/plain", CRANE), ("text/html", "<p></p>")], CRANE),
    ],
)
def test_the_text_of_a_mail_is_the_fullest_alternative_and_all_that_follows_one_another(
    how: str, parts: list[tuple[str, str]], text: str
) -> None:
    assert _said(_parted(how, *parts)) == text


def test_one_mail_that_cannot_be_read_costs_a_file_of_mails_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(data: bytes) -> ReadDocument:
        if b"BAD" in data:
            raise Unreadable("its head is not that of a mail")
        return whole(data)

    whole = mail.read
    monkeypatch.setattr(mail, "read", refuse)
    begin = b"From ada Wed Jun 03 07:58:40 2026\n"
    read = mail.read_many(
        b"\n\n".join(begin + each for each in (_raw("text/plain", CRANE), b"BAD", _raw("text/plain", "End.")))
    )
    assert CRANE in read.text and "End." in read.text
    assert read.left_out == ((begin.decode().strip(), "its head is not that of a mail"),)


EVENT = (
    "BEGIN:VCALENDAR\r\nMETHOD:{method}\r\nBEGIN:VTIMEZONE\r\nDTSTART:16010101T000000\r\nEND:VTIMEZONE\r\n"
    "BEGIN:VEVENT\r\n{lines}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["DTSTART;TZID=Europe/Berlin:20260618T190000"], "When: 18 June 2026, 19:00 (Europe/Berlin)"),
        (
            ['DTSTART;TZID="W. Europe":20260618T190000', "DTEND:20260618T203000"],
            "When: 18 June 2026, 19:00 to 20:30 (W. Europe)",
        ),
        (["DTSTART:20260618T170000Z", "DURATION:PT1H30M"], "When: 18 June 2026, 17:00 to 18:30 (UTC)"),
        (["DTSTART:20260618T2300", "DTEND:20260619T0100"], "When: 18 June 2026, 23:00 to 19 June 2026, 01:00"),
        (["DTSTART;VALUE=DATE:20260618", "DTEND;VALUE=DATE:20260619"], "When: 18 June 2026"),
        (["DTSTART;VALUE=DATE:20260618", "DTEND;VALUE=DATE:20260621"], "When: 18 June 2026 to 20 June 2026"),
        (["DTSTART:next week"], "When: next week"),
        (["DTSTART:99991231T2359", "DURATION:P99999D"], "When: 99991231T2359"),
        (["LOCATION:Boat house\\, upper\r\n  floor"], "Where: Boat house, upper floor"),
        (
            ["ORGANIZER;CN=Ann:mailto:a@b", 'ATTENDEE;CN="Cy, D":mailto:c@d', "ATTENDEE:mailto:e@f"],
            "Organizer: Ann\n\nInvited: Cy, D, e@f",
        ),
        (["DESCRIPTION:One.\\nTwo.", "BEGIN:VALARM", "DESCRIPTION:Ring", "END:VALARM"], "One.\nTwo."),
        (["RRULE:FREQ=WEEKLY;BYDAY=TH"], "Repeated: FREQ=WEEKLY;BYDAY=TH"),
    ],
)  # fmt: skip
def test_an_invitation_says_what_when_where_and_who(lines: list[str], text: str) -> None:
    for method, told in (("REQUEST", "Invitation"), ("CANCEL", "Cancelled")):
        calendar = EVENT.format(method=method, lines="\r\n".join(["SUMMARY:Board", *lines]))
        data = _parted("alternative", ("text/plain", "Please come."), ("text/calendar", calendar))
        assert _said(data).replace("\r", "") == f"Please come.\n\n{told}: Board\n\n{text}"
    named = _parted("mixed", ("text/plain", "Please come."), ("application/ics; name=invite.ics", calendar))
    assert _said(named).replace("\r", "").endswith(text)


@pytest.mark.parametrize(
    ("how", "body", "text"),
    [
        ("flowed; delsp=yes", "The har \nbour is clo \nsed.", "The harbour is closed."),
        ("flowed", "The harbour \nis closed.\nIt opens \nin May.", "The harbour is closed.\nIt opens in May."),
        (
            "flowed",
            "> The harbour \n> is closed.\n>> When \n>> did it?\nNow.",
            "> The harbour is closed.\n>> When did it?\nNow.",
        ),
        ("flowed", " From here \non.\n-- \nAnn", "From here on.\n-- \nAnn"),
        ("fixed", "The harbour \nis closed.", "The harbour \nis closed."),
    ],
)
def test_a_flowed_text_is_read_in_its_paragraphs(how: str, body: str, text: str) -> None:
    assert _said(_raw(f"text/plain; charset=utf-8; format={how}", body)) == text


@pytest.mark.parametrize(
    ("written", "subject"),
    [
        ("=?utf-8?q?Geb=C3=BChren_f=C3=BCr?= =?utf-8?q?_Mai?=", "Gebühren für Mai"),
        ("=?utf-8?b?R2Viw7w=?=\n =?utf-8?b?aHJlbg==?= now", "Gebühren now"),
        ("=?utf-8?b?5paZ6Q==?= =?utf-8?b?h5Hooag=?=", "料金表"),  # a letter in two words
        ("=?iso-2022-jp?b?GyRCTkE2YhsoQg==?=", "料金"),
        ("=?utf-8?b?A?= and =?x", "=?utf-8?b?A?= and =?x"),
    ],
)
def test_encoded_words_in_a_head_are_decoded(written: str, subject: str) -> None:
    assert read_bytes(f"From: a@b\nSubject: {written}\n\nHello.".encode(), ".eml").title == subject


def test_the_report_of_a_mail_server_and_parts_behind_another_mark_are_read() -> None:
    report = _parted(
        "report", ("text/plain", "Sorry."), ("message/delivery-status", "Status: 5.1.1\n\nAction: failed\n")
    )
    assert "Status: 5.1.1" in _said(report) and "Action: failed" in _said(report)
    assert CRANE in _said(_raw("multipart/mixed; boundary=other", f"--b\nContent-Type: text/html\n\n{PAGE}\n--b--\n"))


HARMLESS = {
    "a long subject": lambda times: b"Subject: " + b"harbour " * times,
    "many encoded words": lambda times: b"Subject: " + b"=?utf-8?q?harbour?= " * times,
    "many recipients": lambda times: b"To: " + b"Ann Example <ann@example.org>, " * times,
    "many senders": lambda times: b"From: " + b"Ann Example <ann@example.org>, " * times,
    "many heads": lambda times: b"X-Boat: harbour\n" * times,
    "many parameters": lambda times: b"Content-Type: text/plain" + b"; a=b" * times,
}


@pytest.mark.soak
@pytest.mark.parametrize("name", list(HARMLESS))
def test_the_head_of_a_mail_takes_time_that_grows_with_it(name: str) -> None:
    def seconds(times: int) -> float:
        started = process_time()
        mail.read(HARMLESS[name](times) + b"\n\nHello.")
        return process_time() - started

    assert seconds(16_000) < 8 * 3 * max(seconds(2_000), 0.02)
