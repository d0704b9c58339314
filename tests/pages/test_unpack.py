"""A packed body is unpacked as it was packed, however it is cut into pieces, and never beyond its cap."""

from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.errors import MalformedReply, PageTooLarge
from fathom.pages.media import header_type, is_silent, media_type
from fathom.pages.unpack import Unpacker

CAP = 50_000


def packed(data: bytes, encoding: str) -> bytes:
    match encoding:
        case "gzip" | "x-gzip":
            return gzip.compress(data)
        case "deflate":
            return zlib.compress(data)
        case "raw":
            packer = zlib.compressobj(wbits=-15)
            return packer.compress(data) + packer.flush()
        case "two gzip":
            return gzip.compress(data[: len(data) // 2]) + gzip.compress(data[len(data) // 2 :])
        case _:
            return data


def unpacked(data: bytes, encoding: str, pieces: int, *, cut: bool = False) -> bytes:
    unpacker = Unpacker(
        {"raw": "deflate", "two gzip": "gzip", "padded": "gzip"}.get(encoding, encoding), max_bytes=CAP, cut=cut
    )
    for start in range(0, len(data), pieces):
        unpacker.add(data[start : start + pieces])
        assert len(unpacker.body) <= CAP + 2**18
    return unpacker.end()


@given(st.binary(max_size=20), st.integers(1, 7))
def test_what_stands_behind_a_packed_body_is_left_aside(padding: bytes, pieces: int) -> None:
    assert unpacked(gzip.compress(b"tea") + b"\0" + padding, "padded", pieces) == b"tea"


ENCODINGS = ["gzip", "x-gzip", "deflate", "raw", "two gzip", "", "identity"]


@given(st.binary(max_size=3_000), st.sampled_from(ENCODINGS), st.integers(1, 500))
def test_what_was_packed_comes_out_again_from_pieces_of_any_size(data: bytes, encoding: str, pieces: int) -> None:
    assert unpacked(packed(data, encoding), encoding, pieces) == data


@given(st.binary(min_size=1, max_size=300), st.sampled_from(["gzip", "deflate", "raw"]), st.data())
def test_a_body_that_breaks_off_is_never_taken_for_a_whole_one(
    data: bytes, encoding: str, drawn: st.DataObject
) -> None:
    whole = packed(data, encoding)
    part = whole[: drawn.draw(st.integers(1, len(whole) - 1))]

    with pytest.raises(MalformedReply):
        unpacked(part, encoding, 64)


@given(st.binary(max_size=500), st.sampled_from(["gzip", "deflate"]), st.integers(1, 100))
def test_bytes_that_are_not_packed_end_in_one_error(data: bytes, encoding: str, pieces: int) -> None:
    try:
        unpacked(data, encoding, pieces)
    except MalformedReply:
        return
    assert data == b"" or data[:2] == b"\x1f\x8b" or encoding == "deflate"


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "raw", "two gzip"])
def test_a_bomb_is_not_unpacked(encoding: str) -> None:
    with pytest.raises(PageTooLarge, match="more than 50,000 bytes unpacked"):
        unpacked(packed(bytes(20_000_000), encoding), encoding, 4_096)


@pytest.mark.parametrize("encoding", [*ENCODINGS])
def test_what_may_be_cut_is_cut_at_the_cap(encoding: str) -> None:
    data = bytes(range(256)) * 1_000

    assert unpacked(packed(data, encoding), encoding, 4_096, cut=True) == data[:CAP]


@pytest.mark.parametrize("encoding", ["br", "zstd", "compress", "gzip, gzip", "deflate, gzip", "gzip, br", "utf-8"])
def test_an_encoding_that_was_not_asked_for_is_refused(encoding: str) -> None:
    with pytest.raises(MalformedReply, match="not asked for"):
        Unpacker(encoding, max_bytes=CAP)


@pytest.mark.parametrize(
    ("said", "start", "is_"),
    [
        ("text/html", b"  <html>", "text/html"),
        ("text/html", b"\xef\xbb\xbf%PDF-1.4", "application/pdf"),
        ("application/octet-stream", b"<!-- a --><!DOCTYPE HTML>", "text/html"),
        ("application/octet-stream", b"a\0b", "application/octet-stream"),
        ("application/pdf", b"<html>", "text/html"),
        ("application/pdf", b"nothing", "application/pdf"),
        ("", b"<?xml version='1.0'?><rss>", "application/xml"),
        ("", b"Tea is made of leaves.", "text/plain"),
        ("", "tea".encode("utf-16"), "text/plain"),
        ("", b"", "text/plain"),
        ("nonsense", b"<p>tea", "text/html"),
        ("text/plain", b"<html>", "text/plain"),
        ("text/plain", b"PK\x03\x04", "application/zip"),
    ],
)
def test_a_body_is_what_its_bytes_and_its_header_say_together(said: str, start: bytes, is_: str) -> None:
    assert media_type(said, start) == is_
    assert is_silent(is_) == (is_ in ("application/zip", "application/octet-stream"))


def test_a_thousand_comments_are_looked_at_once() -> None:
    """A pattern that could read them in several ways would try all of them."""
    assert media_type("", b"<!-- -->" * 120 + b"<tea>") == "text/plain"
    assert media_type("", b"<!-- -->" * 120 + b"<html>") == "text/html"


@given(st.text(max_size=80), st.binary(max_size=1_500))
def test_no_header_and_no_body_is_too_strange(header: str, start: bytes) -> None:
    kind, charset = header_type(header)

    assert media_type(kind, start) == media_type(kind, start[:1_024])
    assert charset is None or 0 < len(charset) <= 40
