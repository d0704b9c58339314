"""Files out of a multipart body, streamed to the disk while they come; nothing of them is held in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import HTTPException, Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect

from fathom.api.problems import documented
from fathom.errors import UsageError
from fathom.frozen import FrozenModel
from fathom.outcomes import in_thread
from fathom.sessions.datasets import UploadedFile
from fathom.sessions.uploads import Delivery, Incoming

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

FIELD = "files"
"""Name of the field in which files come, one or several."""
MOST_FILES = 100
"""Files of a request."""
MOST_PARTS = 200
"""Parts of a request, whatever they are."""
_AT_ONCE = 256 * 1024
"""Bytes that are looked through and written at once, in a thread of their own."""


class UploadedFiles(FrozenModel):
    """What became of the files of a request."""

    files: tuple[UploadedFile, ...]
    """In the order in which they were sent."""

    @property
    def status(self) -> int:
        """201 when something is new, else 200."""
        return 201 if any(file.status == "added" for file in self.files) else 200


UPLOAD: dict[str, Any] = {
    "status_code": 201,
    "responses": {
        **documented(400, 409, 413, 415),
        200: {"model": UploadedFiles, "description": "Nothing is new: each file was there already, or was refused."},
    },
    "openapi_extra": {
        "requestBody": {
            "required": True,
            "content": {
                "multipart/form-data": {
                    "schema": {
                        "type": "object",
                        "required": [FIELD],
                        "properties": {
                            FIELD: {
                                "type": "array",
                                "items": {"type": "string", "format": "binary"},
                                "description": f"The files, each with its name; at most {MOST_FILES}.",
                            }
                        },
                    }
                }
            },
        }
    },
}
"""What every operation is described by that takes files."""


@asynccontextmanager
async def received(request: Request, delivery: Delivery) -> AsyncIterator[list[Incoming]]:
    """The files of a request once they have come; those that get no place meanwhile are removed at the end.

    Raises:
        HTTPException: it is no such body, it breaks off, or it has too many parts.
        UsageError: it holds no file.
        StoreError: the disk does not take it.
    """
    try:
        await _read(request, delivery)
        if not delivery.files:
            raise UsageError(f"No file was sent: send one or several in the field `{FIELD}`.")
        yield delivery.files
    finally:
        await asyncio.shield(in_thread(delivery.discard))


async def _read(request: Request, delivery: Delivery) -> None:
    parts = _Parts(delivery)
    try:
        parser = MultipartParser(_boundary(request), parts.callbacks())
        held = bytearray()
        async for chunk in request.stream():  # whoever falls silent is broken off by the connection
            held += chunk
            if len(held) >= _AT_ONCE:
                await in_thread(parser.write, bytes(held))
                held.clear()
        if held:
            await in_thread(parser.write, bytes(held))
        if parts.count and not parts.ended:
            raise _refused(400, "The body of the request breaks off: its last boundary is missing.")
    except ClientDisconnect as error:
        raise _refused(400, "The client has broken off.") from error
    except FormParserError as error:
        raise _refused(400, "The body of the request is no multipart/form-data as it should be.") from error


def _boundary(request: Request) -> bytes:
    media_type, options = parse_options_header(request.headers.get("content-type"))
    if media_type != b"multipart/form-data":
        raise _refused(415, "Files are sent with `Content-Type: multipart/form-data`.")
    if not options.get(b"boundary"):
        raise _refused(400, "The `Content-Type` of the request names no boundary.")
    return options[b"boundary"]


def _refused(status: int, detail: str) -> HTTPException:
    """What is left of the body is not waited for, so nothing can follow it on the connection."""
    return HTTPException(status, detail, headers={"Connection": "close"})


class _Parts:
    """What the parser of the body tells."""

    def __init__(self, delivery: Delivery) -> None:
        self.ended = False
        """Whether the last boundary has come."""
        self._delivery = delivery
        self._file: Incoming | None = None
        self.count = 0
        """Parts that have begun."""
        self._name = b""
        self._value = b""
        self._disposition = b""

    def callbacks(self) -> MultipartCallbacks:
        """What is called, and when."""
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._header_name,
            "on_header_value": self._header_value,
            "on_header_end": self._header,
            "on_headers_finished": self._headers,
            "on_part_data": self._data,
            "on_part_end": self._end,
            "on_end": self._all,
        }

    def _begin(self) -> None:
        self.count += 1
        self._disposition = b""
        if self.count > MOST_PARTS:
            raise _refused(413, f"The request has more than {MOST_PARTS} parts.")

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header(self) -> None:
        if self._name.lower() == b"content-disposition":
            self._disposition = self._value
        self._name = self._value = b""

    def _headers(self) -> None:
        kind, options = parse_options_header(self._disposition)
        if kind != b"form-data" or b"filename" not in options:
            return  # a field of a form that holds more than files
        if options.get(b"name") != FIELD.encode():
            raise _refused(400, f"Files come in the field `{FIELD}`.")
        if len(self._delivery.files) >= MOST_FILES:
            raise _refused(413, f"At most {MOST_FILES} files are taken at once.")
        given = options[b"filename"].decode("utf-8", "replace").replace("%22", '"')  # as browsers write it
        self._file = self._delivery.begin(given)

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self._file.write(data[start:end])

    def _end(self) -> None:
        if self._file is not None:
            self._file.end()
            self._file = None

    def _all(self) -> None:
        self.ended = True
