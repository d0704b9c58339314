"""Research over pages of the web: what they answer is found, and nothing is made of pages that do not answer."""

from __future__ import annotations

import math

import pytest

from fathom.asks import ExtractFindings, OutlineReport
from fathom.evidence import Document, Passage, SourceDescription, SourceNature
from fathom.findings import ANSWERED
from fathom.plan import Subtask
from fathom.reasoners.extractive.extract import extract_findings
from fathom.reasoners.extractive.outline import outline_report
from fathom.reasoners.extractive.rarity import Rarity
from fathom.text.analysis import query_terms, terms
from tests.support.reasoner_pages import CURRENTS, TIDES, described, extract, page

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

    assert "They are strongest at new moon and at full moon." in claims[0]


@pytest.mark.parametrize("query", [QUERY, "How is the Antikythera mechanism dated?", "大潮はいつ起こりますか。"])
def test_nothing_is_made_of_pages_that_only_share_words(query: str) -> None:
    findings = extract_findings(on_the_web(query, FAR)).findings

    assert max((finding.confidence for finding in findings), default=0.0) < ANSWERED


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
    first = page("Tides", ("paragraph", claim), headings=("Tides",))
    again = page("Tides again", ("paragraph", "Tides are caused by gravity of the moon."), headings=("Tides",))
    opposite = page("No tides", ("paragraph", "Tides are not caused by the gravity of the moon."), headings=("Tides",))
    for pages, documents in (([again, opposite], 2), ([opposite], 1)):
        found = extract_findings(extract("What are tides caused by?", first, *of_the_web(pages))).findings
        assert max(len({each.document for each in finding.evidence}) for finding in found) == documents
        assert "Tides are not caused by the gravity of the moon." in [finding.claim for finding in found]

    found = extract_findings(extract("What are tides caused by?", first, again)).findings
    assert found and all(len(finding.evidence) == 1 for finding in found)


BRIDGE = "How long is the main span of the Norvik Bridge?"


def claims_of(ask: ExtractFindings) -> list[str]:
    return [finding.claim for finding in extract_findings(ask).findings]


def about(name: str, *more: str, title: str = "") -> Page:
    text = " ".join((f"The main span of the {name} is {len(name)}41 metres long.", *more))
    return page(title or name, ("paragraph", text), headings=(title or name,))


def test_a_page_that_holds_none_of_the_names_is_left_out_and_a_document_is_not() -> None:
    ours, other = about("Norvik Bridge"), about("Fenmoor Bridge")
    span = "The main span of the Fenmoor Bridge is 1441 metres long."

    assert span not in claims_of(on_the_web(BRIDGE, [ours, other]))
    assert span in claims_of(extract(BRIDGE, ours, other))


def test_a_japanese_name_in_kanji_is_a_name_for_pages() -> None:
    def bridge(name: str) -> Page:
        return page(name, ("paragraph", f"{name}は全長が1375メートルである。"), headings=(name,), language="ja")

    pages = [bridge("霧ヶ原大橋"), bridge("白鳥浦大橋")]
    ask = on_the_web("霧ヶ原大橋の全長はどれくらいですか。", pages)

    assert claims_of(ask) == ["霧ヶ原大橋は全長が1375メートルである。"]


@pytest.mark.parametrize(
    "sentence",
    ["Discover the Norvik Bridge with our guide, now with a free map!", "Order before Sunday and save."],
)
def test_what_a_page_offers_is_not_told(sentence: str) -> None:
    web = on_the_web(BRIDGE, [about("Norvik Bridge", sentence)])

    assert claims_of(web) == ["The main span of the Norvik Bridge is 1341 metres long."]


def test_unrelated_pages_take_no_answer_of_a_document_away() -> None:
    query = "How are exceptions handled?"
    manual = page("Errors", ("paragraph", "Exceptions are handled by the except clause."), headings=("Errors",))
    pages = of_the_web([page(f"Cakes {at}", ("paragraph", f"Cake {at} is handled with care in the oven at home."))
                        for at in range(8)])  # fmt: skip
    ask = extract(query, manual, *pages)
    few = (described(query, [manual[1]], more=0), read(query, pages))

    assert "Exceptions are handled by the except clause." in claims_of(ask.model_copy(update={"sources": few}))


def test_a_value_that_most_and_better_sites_state_is_told_first() -> None:
    def site(host: str, nature: SourceNature, metres: int, day: str) -> Page:
        text = f"Seen at {host}. The main span of the Norvik Bridge is {metres} metres long."
        document, passage = page(f"{host} on it", ("paragraph", text), headings=(host,))
        fields = {"kind": "web", "site": host, "nature": nature, "published": day}
        return document.model_copy(update=fields), passage

    def summary(*pages: Page) -> list[str]:
        documents = tuple(document for document, _ in pages)
        ask = extract(BRIDGE, *pages).model_copy(update={"sources": (read(BRIDGE, list(pages)),)})
        findings = extract_findings(ask).findings
        subtask = Subtask(subtask_id="task_1", description=BRIDGE, focus_area="Main span")
        outline = outline_report(
            OutlineReport(
                query=BRIDGE, language="en", subtasks=(subtask,), findings=findings, documents=documents,
                syntheses=(), max_words=400,
            )
        )  # fmt: skip
        return [finding.claim for finding in findings if finding.id in outline.summary]

    right, wrong = (f"The main span of the Norvik Bridge is {metres} metres long." for metres in (1041, 1686))
    shop, forum = site("shop.example", "vendor", 1686, ""), site("forum.example", "forum", 1686, "2025-01-01")
    office, wiki = site("office.gov", "official", 1041, "2025-01-01"), site("wiki.org", "other", 1041, "2025-01-01")
    old = site("herald.example", "official", 1686, "2020-01-01")

    for pages in ((shop, forum, office, wiki), (office, shop), (old, office), (office, old)):
        (told,) = summary(*pages)
        assert right in told and wrong not in told


def test_a_side_of_a_comparison_is_read_on_its_own_pages_and_not_on_those_of_the_other_side() -> None:
    query = "Compare Selorstadin and Orlunholmin: what is the recommended dose of each?"
    doses = [f"The recommended dose of {name} is 20 milligrams a day." for name in ("Selorstadin", "Orlunholmin")]
    pages = [page(dose.split()[4], ("paragraph", dose), headings=(dose.split()[4],)) for dose in doses]
    side = Subtask(subtask_id="task_1", description="Selorstadin (compared with Orlunholmin)", focus_area="Selorstadin")

    assert claims_of(on_the_web(query, pages).model_copy(update={"subtask": side})) == doses[:1]


def test_of_pages_that_say_the_same_the_one_with_the_best_standing_speaks_first() -> None:
    said = "Spring tides are strongest a day or two after new moon and after full moon."
    forum, register = (page(title, ("paragraph", f"{said} {title}.")) for title in ("Ask us", "Tables are printed"))
    natures = {forum[0].sha256: "forum", register[0].sha256: "official"}
    pages = [
        (document.model_copy(update={"kind": "web", "site": document.title, "nature": natures[document.sha256]}), each)
        for document, each in (forum, register)
    ]
    query = "When are spring tides strongest?"
    found = extract_findings(extract(query, *pages).model_copy(update={"sources": (read(query, pages),)})).findings

    both = next(finding for finding in found if len(finding.evidence) == 2)
    assert both.evidence[0].document == register[0].sha256
