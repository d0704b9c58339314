"""Mails as mail programs save them: who wrote when about what, the text, and what is attached."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from email import message_from_bytes, message_from_string, policy
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from itertools import pairwise
from mimetypes import guess_extension
from pathlib import PurePath
from typing import Any

from fathom.errors import ConfigurationError, Unreadable
from fathom.reading import html, plain
from fathom.reading.composition import Composition, line
from fathom.reading.document import ReadDocument, decode, iso_day
from fathom.reading.inside import read_inner
from fathom.reading.invitation import invitation
from fathom.reading.titles import given_authors

_BEGINS = re.compile(rb"^(?:(?<!\n)|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]*\r?\n", re.MULTILINE)
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_BROKEN = (ValueError, LookupError, TypeError, AttributeError, RecursionError, MessageError)
"""What is raised of what the rules of mail forbid."""
_LONGEST = 20_000
"""Characters of a head that are read: what Python knows of the grammar of mail takes time with their square."""
_ADDRESS = re.compile(r"\b[a-zA-Z]{1,20}://\S*+")
_WORD = re.compile(r"\w+")
_MARK = re.compile(r"^--(\S+)[ \t]*\r?\nContent-", re.MULTILINE)
_SIGNATURE = "-- "
_SHORT = 100
"""Characters of a date."""


def _head(name: str, value: str) -> str:
    cut = value if len(value) <= _LONGEST else f"{value[:_LONGEST]} …"
    return cut if name.lower().startswith("content-") else _decoded(cut)


_POLICY = policy.default.clone(header_factory=_head, refold_source="none")


def read(data: bytes) -> ReadDocument:
    """Read a mail as the plain text that a person would save of it, and what is attached to it, each under its name.

    Of alternatives the one is read that says more; invitations say what, when, where and who. Raises `Unreadable` if
    its head is none.
    """
    try:
        message = message_from_bytes(data, policy=_POLICY)
        heads = {name: " ".join((message[name] or "").split()) for name in ("From", "To", "Date", "Subject")}
        parts = _Parts()
        text = "\n\n".join(filter(None, (each.strip("\r\n") for each in parts.texts(message))))
    except _BROKEN as error:
        raise Unreadable("its head is not that of a mail") from error
    head = (f"{name}: {value}" for name, value in heads.items())
    said = plain.read("\n".join((*head, "", text)).encode("utf-8", "replace"))
    out = Composition(left_out=parts.left_out)
    out.embed(said)
    for name, file, content in parts.files:
        try:
            out.embed(read_inner(file, content), under=name)
        except (Unreadable, ConfigurationError) as error:
            out.left_out.append((name, str(error)))
    dated, senders = "", list[str]()
    with suppress(*_BROKEN):
        dated = iso_day(parsedate_to_datetime(heads["Date"][:_SHORT]).isoformat())
    with suppress(*_BROKEN):
        senders = [name or address for name, address in getaddresses([heads["From"]])]
    about, _, day = said.title.rpartition(" (")  # which is said with `dated`
    return out.document(
        about if dated and day.endswith(")") else said.title, dated=dated, authors=given_authors("; ".join(senders))
    )


def read_many(data: bytes) -> ReadDocument:
    """Read a file of mails (mbox), or a part of one, each mail under what it is about; one that cannot be read is left
    out. `Unreadable` if there is none in it."""
    begins = list(_BEGINS.finditer(data))
    if not begins:
        raise Unreadable("there is no mail in it: each begins with a line 'From …'")
    out, dated = Composition(), ""
    for begin, end in pairwise([each.span() for each in begins] + [(len(data), 0)]):
        try:
            mail = read(_QUOTED.sub(rb"\1", data[begin[1] : end[0]]))
        except Unreadable as error:
            out.left_out.append((line(data[slice(*begin)].decode("utf-8", "replace")), str(error)))
            continue
        out.embed(mail, under=f"{mail.title or 'Mail'} ({mail.dated})" if mail.dated else mail.title or "Mail")
        dated = max(dated, mail.dated)
    found = out.document(dated=dated)
    return replace(found, text=f"{found.text}\n\n")  # another part may follow


@dataclass
class _Parts:
    """What a mail holds besides its text."""

    files: list[tuple[str, str, bytes]] = field(default_factory=list)
    """What is attached: by what name it is shown, and by what name and content it is read."""
    left_out: list[tuple[str, str]] = field(default_factory=list)
    count: int = 0
    is_mended: bool = False

    def texts(self, part: Message[str, str]) -> Iterator[str]:
        """The texts in a part, in order; what is attached is kept aside."""
        self.count += 1
        kind, name = part.get_content_type(), line(_decoded(part.get_filename() or ""))
        payload: Any = part.get_payload()
        if part.get_content_maintype() == "message" and isinstance(payload, list):
            if kind in {"message/rfc822", "message/global"} and payload:
                name = name or f"{line(payload[0]['Subject'] or 'mail')}.eml"
                self.files.append((name, name if name.lower().endswith(".eml") else ".eml", payload[0].as_bytes()))
            else:  # the report of a mail server
                yield "\n\n".join("\n".join(f"{key}: {value}" for key, value in each.items()) for each in payload)
        elif kind == "multipart/alternative" and isinstance(payload, list):
            each_says = [(each, "\n\n".join(self.texts(each))) for each in payload]
            invitations = [text for each, text in each_says if each.get_content_type() == "text/calendar"]
            others = [text for each, text in each_says if each.get_content_type() != "text/calendar"]
            yield from (_fullest(others), *invitations)
        elif isinstance(payload, list):
            for each in payload:
                yield from self.texts(each)
        elif part.get_content_maintype() == "multipart":  # whose parts have another mark between them than it says
            mark = None if self.is_mended else _MARK.search(payload or "")
            self.is_mended = True
            if mark:
                head = f'Content-Type: multipart/mixed; boundary="{mark[1]}"\n\n'
                yield from self.texts(message_from_string(head + payload, policy=_POLICY))
            else:
                yield payload or ""
        else:
            yield self._text(part, kind, name)

    def _text(self, part: Message, kind: str, name: str) -> str:
        """The text of one part; nothing if it is a file."""
        content = part.get_payload(decode=True)
        content = content if isinstance(content, bytes) else b""
        end, usual = PurePath(name).suffix.lower(), guess_extension(kind) or ""
        is_invitation = kind == "text/calendar" or end == ".ics"
        is_text = kind == "text/plain" or kind.endswith("html") or (kind.startswith("text/") and not usual)
        if not is_invitation and (name or not is_text):
            name = name or f"part {self.count} ({kind})"
            self.files.append((name, name if end else f"part{usual}", content))
            return ""
        try:
            text = decode(content, declared=part.get_content_charset())
            if is_invitation:
                return invitation(text)
            if kind.endswith("html"):
                return self._page(text)
        except Unreadable as error:
            self.left_out.append((name or f"part {self.count} ({kind})", str(error)))
            return ""
        is_flowed = str(part.get_param("format", "")).lower() == "flowed"
        return "\n".join(_unflowed(text, joined=part.get_param("delsp") == "yes")) if is_flowed else text

    def _page(self, text: str) -> str:
        found = html.read(text.encode("utf-8", "replace"))
        self.left_out += found.left_out
        return found.text


def _fullest(texts: Iterable[str]) -> str:
    """Of texts that should say the same, the first of which the others have the fewest words beside it."""
    best, known = "", set[str]()
    for text in texts:
        words = set(_WORD.findall(_ADDRESS.sub("", text).casefold()))
        if len(words - known) > len(known - words):
            best, known = text, words
    return best


def _unflowed(text: str, *, joined: bool) -> Iterator[str]:
    """The paragraphs of a text whose lines go on behind a space (RFC 3676); `joined` if that is no part of the text."""
    said: list[str] = []
    depth = 0
    for each in text.replace("\r\n", "\n").split("\n"):
        words = each.lstrip(">")
        deep, words = len(each) - len(words), words.removeprefix(" ")
        if said and (deep != depth or words == _SIGNATURE):
            yield ">" * depth + " " * bool(depth) + "".join(said)
            said = []
        goes_on, depth = words.endswith(" ") and words != _SIGNATURE, deep
        said.append(words[:-1] if goes_on and joined else words)
        if not goes_on:
            yield ">" * depth + " " * bool(depth) + "".join(said)
            said = []
    yield ">" * depth + " " * bool(depth and said) + "".join(said)


def _decoded(value: str) -> str:
    """A head with its encoded words (RFC 2047) decoded, and what is no ASCII as its bytes are."""
    try:
        pieces = decode_header(value)
    except _BROKEN:
        pieces = [(value, None)]
    said = "".join(
        each if isinstance(each, str) else _text_of(each, charset) if charset else each.decode("raw-unicode-escape")
        for each, charset in pieces
    )
    return said if said.isascii() else _text_of(said.encode("utf-8", "surrogateescape"))


def _text_of(content: bytes, charset: str | None = None) -> str:
    try:
        return decode(content, declared=charset)
    except Unreadable:
        return content.decode("utf-8", "replace")
