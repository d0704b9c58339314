"""Research over pages of the web: what they answer is found, and nothing is made of pages that do not answer."""

from __future__ import annotations

import math

import pytest

from fathom.asks import ExtractFindings
from fathom.evidence import Document, Passage, SourceDescription
from fathom.reasoners.extractive import weights
from fathom.reasoners.extractive.extract import extract_findings
from fathom.reasoners.extractive.rarity import Rarity
from fathom.text.analysis import query_terms, terms
from tests.reasoners.pages import CURRENTS, TIDES, described, extract, page

UNREAD = SourceDescription(name="web", kind="web", documents=0)
QUERY = "When are spring tides strongest, and what do they need?"
FAR = [
    page("Cakes", ("paragraph", "A sponge cake needs four eggs, sugar and flour. Beat the eggs until they are strong."),
         headings=("Spring baking",)),
    page("Gardens", ("paragraph", "Roses are planted in spring. They need sun, water and a strong soil to grow well.")),
]  # fmt: skip
Page = tuple[Document, Passage]


def of_the_web(pages: list[Page]) -> list[Page]:
    fields = {"kind": "web", "site": "sea.example", "nature": "other"}
    return [(document.model_copy(update=fields), passage) for document, passage in pages]


def read(query: str, pages: list[Page]) -> SourceDescription:
    """What the engine tells of the pages that were read."""
    held = [set(terms(" ".join((passage.text, *passage.headings)))) for _, passage in pages]
    return SourceDescription(
        name="web",
        kind="web",
        documents=len(pages),
        passages=len(pages),
        term_passages={term: sum(term in one for one in held) for term in query_terms(query)},
    )


def on_the_web(query: str, pages: list[Page]) -> ExtractFindings:
    return extract(query, *of_the_web(pages)).model_copy(update={"sources": (read(query, pages),)})


def test_pages_alone_answer() -> None:
    claims = [finding.claim for finding in extract_findings(on_the_web(QUERY, [TIDES, CURRENTS, *FAR])).findings]

    assert "They are strongest at new moon and at full moon." in claims


@pytest.mark.parametrize("query", [QUERY, "How is the Antikythera mechanism dated?", "大潮はいつ起こりますか。"])
def test_nothing_is_made_of_pages_that_only_share_words(query: str) -> None:
    findings = extract_findings(on_the_web(query, FAR)).findings

    assert max((finding.confidence for finding in findings), default=0.0) < weights.TOLD_FROM


def test_documents_and_pages_answer_together() -> None:
    query = "When are spring tides strongest?"
    near = page("Spring tides", ("paragraph", "Spring tides are strongest a day or two after new moon and full moon."),
                headings=("Spring tides",))  # fmt: skip
    pages = of_the_web([near, *FAR])
    ask = extract(query, TIDES, *pages)
    both = (described(query, [TIDES[1]]), read(query, pages))
    found = extract_findings(ask.model_copy(update={"sources": both})).findings

    assert {finding.evidence[0].document for finding in found} >= {TIDES[0].sha256, near[0].sha256}


def test_the_web_before_anything_is_read_changes_nothing() -> None:
    ask = extract(QUERY, TIDES, CURRENTS)

    assert extract_findings(ask.model_copy(update={"sources": (*ask.sources, UNREAD)})) == extract_findings(ask)


def test_a_web_that_was_not_read_knows_no_term() -> None:
    rarity = Rarity.over([UNREAD])

    assert not rarity.knows("tide") and not rarity.is_absent("tide") and math.isfinite(rarity.of("tide"))


def test_words_of_the_question_are_rare_though_every_page_that_was_found_holds_them() -> None:
    pages = [page(f"Tides {at}", ("paragraph", f"Tides of day {at} are strong.")) for at in range(10)]

    assert Rarity.over([read("tides", pages)]).of("tide") > 3.0


def test_pages_that_say_the_same_are_all_named_and_documents_stay_as_they_are() -> None:
    claim = "Tides are caused by the gravity of the moon."
    again = page("Tides again", ("paragraph", "Tides are caused by gravity of the moon."), headings=("Tides",))
    opposite = page("No tides", ("paragraph", "Tides are not caused by the gravity of the moon."), headings=("Tides",))
    for pages, documents in (([again, opposite], 2), ([opposite], 1)):
        found = extract_findings(extract("What are tides caused by?", TIDES, *of_the_web(pages))).findings
        assert max(len({each.document for each in finding.evidence}) for finding in found) == documents
        assert "Tides are not caused by the gravity of the moon." in [finding.claim for finding in found]

    found = extract_findings(extract("What are tides caused by?", TIDES, again)).findings
    assert claim in [finding.claim for finding in found] and all(len(finding.evidence) == 1 for finding in found)
