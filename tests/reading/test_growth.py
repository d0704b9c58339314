"""What takes a reader one second takes it two when there is twice as much of it, whatever it is made of."""

from __future__ import annotations

import random
import time
from contextlib import suppress

import pytest

from fathom.errors import Unreadable
from fathom.reading import bounded
from fathom.reading.chunking import chunks
from fathom.reading.document import ReadDocument
from fathom.reading.readers import read_here

REPEATED = [
    *("<sup>", "<div hidden>", "<style>", "<style>@media all{", "<tr>", "<!--", '<a "', "<p style='clip-path:rect(0 "),
    *("[![a](", "`", "``` ", "* ", "> ", "*a", "_a ", "[a]: b\n", "| a ", "&amp;", "<b>", "</b>", "\n\n", "\t", " \n"),
    *("!", "。", "「", "(", "\u3000\n", "a_", "a.", "1,", "-", "--", "+-", "===  ", ".. x\n", ":a:`", "`a <", "\ufe01"),
]


def seconds(text: str, suffix: str) -> float:
    """Seconds of CPU for reading a text and cutting it."""
    started = time.process_time()
    with suppress(Unreadable, RecursionError):  # the guard is at the door
        chunks(read_here(text.encode(), suffix))
    return time.process_time() - started


def is_linear(text: str, suffix: str) -> bool:
    """Whether three doublings take at most about three times as long as they should, above what is noise."""
    few = max(seconds(text, suffix), 0.02)
    return seconds(text * 8, suffix) < 8 * 3 * few


@pytest.mark.soak
@pytest.mark.parametrize("suffix", [".md", ".rst", ".txt", ".html"])
@pytest.mark.parametrize("repeated", REPEATED)
def test_reading_takes_time_that_grows_with_the_text(repeated: str, suffix: str) -> None:
    assert is_linear(repeated * (20_000 // len(repeated)), suffix)


MIXED = {".md": 10_000, ".rst": 60_000, ".txt": 60_000, ".html": 60_000}
"""Bytes of a mixture. Quotations that go on without their mark take markdown-it a time that grows with their square;
the bound of the process ends that at the cost of the document."""


@pytest.mark.soak
@pytest.mark.parametrize("suffix", [".md", ".rst", ".txt", ".html"])
def test_any_mixture_repeated_is_read_in_bounds_or_refused(suffix: str) -> None:
    chosen = random.Random(7)
    for _ in range(300):
        part = "".join(chosen.choices(REPEATED, k=chosen.randint(1, 6)))
        try:
            data = (part * (MIXED[suffix] // len(part))).encode()
            bounded.ask(ReadDocument, "fathom.reading.readers:read_here", data, seconds=20, suffix=suffix)
        except Unreadable as error:
            assert "longer than" not in str(error), part
