"""However much a report holds, a result takes no more than there is room for, and the rest can be asked for."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.mcp_server import reports, sources
from fathom.mcp_server.fitting import MOST, as_text, plain, size, slice_fitting
from fathom.report import Claim, EvidenceEntry, Report, SourceEntry
from fathom.wiring.readings import MarkedSource, MarkedSpan
from tests.contracts.stores import a_report

QUOTE = 'The "sea"\\ is deep. ' * 150


def large(claims: int, *, words: int = 20_000) -> Report:
    """A report of many claims, each with a long quote of a source of its own."""
    quotes = [
        EvidenceEntry(id=f"E{at}", source_id=f"S{at}", quote=QUOTE, start=0, end=len(QUOTE), locator="Sea" * 200)
        for at in range(1, claims + 1)
    ]
    told = [
        Claim(
            id=f"C{at}",
            text=f"The sea is {at} km deep.",
            citations=(f"S{at}",),
            evidence=(f"E{at}",),
            status="supported",
            verified=True,
            confidence=0.9,
        )
        for at in range(1, claims + 1)
    ]
    read = [
        SourceEntry(
            id=f"S{at}",
            uri="https://sea.example/" + "x" * 3_000,
            title="Sea " * 500,
            sha256=f"{at:064}",
            retrieved_at="2026-01-01T00:00:00+00:00",
            kind="web",
        )
        for at in range(1, claims + 1)
    ]
    changed = {
        "claims": tuple(told),
        "evidence": tuple(quotes),
        "sources": tuple(read),
        "markdown": 'deep "sea"\n' * words,
    }
    return a_report().model_copy(update={**changed, "limitations": ("It is deep. " * 100,) * 45})


@pytest.mark.parametrize("claims", [1, 400])
def test_the_whole_of_a_large_report_can_be_asked_for_piece_by_piece(claims: int) -> None:
    report = large(claims)
    text = ""
    listed: list[str] = []
    for _ in range(100):
        told = reports.told(report, "completed", format="report", claims_from=len(listed) + 1, text_from=len(text))
        assert size(told) <= MOST
        text += told.text
        listed += [claim.id for claim in told.claims]
        assert {id for claim in told.claims for id in claim.sources} == {source.id for source in told.sources}
        if not told.left_out:
            break

    assert text == report.markdown
    assert listed == [claim.id for claim in report.claims]


def test_a_report_as_data_says_which_parts_had_no_room_and_where_they_are() -> None:
    small = reports.told(large(3, words=10), "completed", format="json")
    told = reports.told(large(400), "completed", format="json")

    assert small.left_out == "" and small.data and len(small.data["evidence"]) == 3
    assert told.data and "evidence" not in told.data and size(told) <= MOST
    assert "evidence" in told.left_out and "report.json" in told.left_out


def test_a_source_with_many_quotations_keeps_the_one_that_was_asked_for() -> None:
    report = large(300)
    spans = tuple(MarkedSpan(id=f"E{at}", start=at, end=at + 2_500, claims=(f"C{at}",)) for at in range(1, 301))
    of_one = report.model_copy(
        update={
            "evidence": tuple(
                entry.model_copy(update={"source_id": "S1", "start": span.start, "end": span.end})
                for entry, span in zip(report.evidence, spans, strict=True)
            )
        }
    )
    marked = MarkedSource(run_id=report.run_id, source=report.sources[0], spans=spans, text="\x00 \\" * 100_000)

    told = sources.stretch(marked, of_one, evidence="E250", start=None, length=60_000)

    assert size(told) <= MOST
    assert told.quotes[0].evidence_id == "E250" and told.start <= 250 and "left out" in told.left_out


@given(st.text(max_size=2_000), st.integers(0, 500))
@settings(max_examples=40)
def test_a_slice_is_a_beginning_that_takes_no_more_than_its_room(text: str, room: int) -> None:
    piece = slice_fitting(text, room + 2)

    assert text.startswith(piece) and size(piece) <= room + 2
    assert piece or not text or size(text[0]) > room + 2


@given(
    st.recursive(st.text() | st.integers() | st.none(), lambda each: st.lists(each) | st.dictionaries(st.text(), each))
)
@settings(max_examples=40)
def test_what_is_plain_stays_so_and_is_json_that_can_be_sent(value: object) -> None:
    told = plain(value)

    assert plain(told) == told
    assert json.loads(as_text(told).encode()) == told
    assert not {"\x1b", "\x00", "\u202e", "\u2028"} & set(as_text(told))
