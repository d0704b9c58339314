"""Mails as mail programs save them: who wrote when about what, the text, and what is attached."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import MIMEPart
from itertools import islice, pairwise

from fathom.errors import ConfigurationError, Unreadable
from fathom.reading import html, plain
from fathom.reading.composition import Composition, line
from fathom.reading.document import ReadDocument, decode, iso_day
from fathom.reading.inside import read_inner
from fathom.reading.titles import given_authors

_BEGINS = re.compile(rb"^From [^\r\n]*\r?\n", re.MULTILINE)
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_BROKEN = (ValueError, LookupError, TypeError, AttributeError, RecursionError)  # what the rules of mail forbid


def read(data: bytes) -> ReadDocument:
    """Read a mail as the plain text that a person would save of it, and what is attached to it, each under its name.

    Raises:
        Unreadable: it holds no text, or its head is none.
    """
    try:
        message = message_from_bytes(data, policy=policy.default)
        head = [f"{name}: {' '.join(str(message[name] or '').split())}" for name in ("From", "To", "Date", "Subject")]
        parts = list(_parts(message))
        texts: dict[str, list[str]] = {}
        for part, name, content in parts:
            if not name:
                told = decode(content, declared=part.get_content_charset())
                texts.setdefault(part.get_content_type(), []).append(told)
        dated = iso_day(message["Date"].datetime.isoformat()) if message["Date"] and message["Date"].datetime else ""
        senders = message["From"].addresses if message["From"] else ()
        authors = given_authors("; ".join(each.display_name or each.addr_spec for each in senders))
    except _BROKEN as error:
        raise Unreadable("its head is not that of a mail") from error
    text = "\n\n".join(texts.get("text/plain", ()))
    if "text/plain" not in texts:
        text = html.read("".join(texts.get("text/html", ())).encode("utf-8", "replace")).text
    said = plain.read("\n".join((*head, "", text)).encode("utf-8", "replace"))
    out = Composition()
    out.embed(said)
    for _, name, content in parts:
        if name:
            try:
                out.embed(read_inner(name, content), under=name)
            except (Unreadable, ConfigurationError) as error:
                out.left_out.append((name, str(error)))
    about, _, day = said.title.rpartition(" (")  # which is said with `dated`
    return out.document(about if dated and day.endswith(")") else said.title, dated=dated, authors=authors)


def read_many(data: bytes) -> ReadDocument:
    """Read a file of mails (mbox), or a part of one, each mail under what it is about; none is `Unreadable`."""
    begins = [each for each in _BEGINS.finditer(data) if _is_after_a_gap(data, each.start())]
    if not begins:
        raise Unreadable("there is no mail in it: each begins with a line 'From …'")
    out, dated = Composition(), ""
    for begin, end in pairwise([each.span() for each in begins] + [(len(data), 0)]):
        mail = read(_QUOTED.sub(rb"\1", data[begin[1] : end[0]]))
        out.embed(mail, under=f"{mail.title or 'Mail'} ({mail.dated})" if mail.dated else mail.title or "Mail")
        dated = max(dated, mail.dated)
    found = out.document(dated=dated)
    return replace(found, text=f"{found.text}\n\n")  # another part may follow


def _is_after_a_gap(data: bytes, at: int) -> bool:
    """Whether an empty line stands before a place, or nothing does."""
    return not at or data[max(0, at - 3) : at].replace(b"\r", b"").endswith(b"\n\n")


def _parts(message: MIMEPart) -> Iterator[tuple[MIMEPart, str, bytes]]:
    """What a mail is made of, with the names of what is attached; a mail that is attached is one part."""
    if message.get_content_type() == "message/rfc822":
        for inner in islice(message.walk(), 1, 2):
            yield message, line(message.get_filename() or f"{inner['Subject'] or 'mail'}.eml"), inner.as_bytes()
    elif message.is_multipart():
        for part in message.iter_parts():
            yield from _parts(part)
    else:
        content = message.get_payload(decode=True)
        yield message, line(message.get_filename() or ""), content if isinstance(content, bytes) else b""
