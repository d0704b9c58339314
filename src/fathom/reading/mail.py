"""Mails as mail programs save them: who wrote when about what, and the text."""

from __future__ import annotations

from email import message_from_bytes, policy

from fathom.errors import Unreadable
from fathom.reading import html, plain
from fathom.reading.document import ReadDocument, decode


def read(data: bytes) -> ReadDocument:
    """Read a mail without its attachments, as the plain text that a person would save of it.

    Raises:
        Unreadable: it holds no text, or its head is none.
    """
    try:
        message = message_from_bytes(data, policy=policy.default)
        head = [f"{name}: {' '.join(str(message[name] or '').split())}" for name in ("From", "To", "Date", "Subject")]
        parts = [part for part in message.walk() if not part.get_filename()]
        kinds = [(part.get_content_type(), part.get_content_charset(), part.get_payload(decode=True)) for part in parts]
    except (ValueError, LookupError, TypeError, AttributeError) as error:  # it breaks the rules of mail
        raise Unreadable("its head is not that of a mail") from error
    texts = {kind: decode(text, declared=charset) for kind, charset, text in reversed(kinds) if isinstance(text, bytes)}
    if (text := texts.get("text/plain")) is None:
        text = html.read(texts.get("text/html", "").encode("utf-8", "replace")).text
    return plain.read("\n".join((*head, "", text)).encode("utf-8", "replace"))
