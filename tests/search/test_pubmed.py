"""What is asked of PubMed, and what is made of its ids and records."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.browsing import WebQuery
from fathom.errors import MalformedReply
from fathom.search.hits import RawHit, cleaned
from fathom.search.pubmed import PubMed, read_records
from fathom.settings import Settings
from fathom_testing.model_server.http import Asked
from fathom_testing.search_server import SearchServer
from fathom_testing.search_server.shelf import Shelf
from fathom_testing.search_server.wires import form, wire_of
from tests.contracts.searches import CORPUS, DEEP, KEY
from tests.search.replying import replied, searched

HEAD = (
    '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
)
STRUCTURED = """<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version="1">31452104</PMID><Article>
<Journal><JournalIssue><PubDate><Year>2019</Year><Month>Sep</Month></PubDate></JournalIssue></Journal>
<ArticleTitle>Effect of <i>H. pylori</i> on H<sub>2</sub>O &amp; more.</ArticleTitle>
<Abstract><AbstractText Label="BACKGROUND" NlmCategory="BACKGROUND">It is  <b>common</b>.</AbstractText>
<AbstractText Label="RESULTS">Risk fell (p &lt; 0.05).</AbstractText><AbstractText Label="NOTE"/></Abstract>
</Article><CommentsCorrectionsList><PMID>1</PMID></CommentsCorrectionsList></MedlineCitation>
<PubmedData><History><PubMedPubDate PubStatus="received"><Year>2018</Year><Month>1</Month><Day>2</Day></PubMedPubDate>
<PubMedPubDate PubStatus="pubmed"><Year>2019</Year><Month>8</Month><Day>28</Day></PubMedPubDate></History></PubmedData>
</PubmedArticle></PubmedArticleSet>"""
TAGS = (
    "PubmedArticleSet PubmedArticle PubmedBookArticle MedlineCitation BookDocument PMID Article Book BookTitle "
    "Abstract AbstractText ArticleTitle ArticleDate PubDate Year Month Day"
).split()
TREES = st.recursive(
    st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=12).map(escape)
    | st.sampled_from(["31452104", "2019", "Sep", "7", "<!-- x -->", "<?x y?>", "<![CDATA[<b>]]>", "&#x3b1;"]),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag} Label='A'>{''.join(parts)}</{tag}>",
        st.sampled_from(TAGS),
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


async def test_ids_are_asked_for_first_and_their_records_then() -> None:
    query = WebQuery(text='deep "sea" [Title]', limit=7, since="2024-03-09", language="de")
    with SearchServer(CORPUS) as server:
        await searched(server, "pubmed", query, contact="me@example.org")
        first, second = server.seen

    ours = {"db": "pubmed", "tool": "fathom", "email": "me@example.org", "api_key": KEY}
    assert (first.asked.path, first.asked.query) == ("/entrez/eutils/esearch.fcgi", "")
    assert dict(form(first.asked)) == ours | {
        "term": "deep sea Title",
        "retmode": "json",
        "retmax": "7",
        "sort": "relevance",
        "datetype": "pdat",
        "mindate": "2024/03/09",
        "maxdate": "3000",
    }
    assert (second.asked.path, second.asked.query) == ("/entrez/eutils/efetch.fcgi", "")
    sent = dict(form(second.asked))
    assert len(sent.pop("id").split(",")) == 5
    assert sent == ours | {"retmode": "xml", "rettype": "abstract"}


async def test_without_contact_and_key_none_is_sent_and_no_records_are_asked_for_when_there_are_none() -> None:
    with SearchServer(CORPUS) as server:
        await searched(server, "pubmed", WebQuery(text="xylophone"), pubmed_api_key=None)
        (seen,) = server.seen

    assert not {"email", "api_key"} & set(form(seen.asked))


async def test_words_that_no_paper_holds_all_of_are_asked_for_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = wire_of("pubmed").answer

    def of_any(asked: Asked, shelf: Shelf) -> Any:
        term = form(asked).get("term")
        return answer(asked, shelf) if term is None or " OR " in term else {"esearchresult": {"idlist": []}}

    monkeypatch.setattr(wire_of("pubmed"), "answer", of_any)
    with SearchServer(CORPUS) as server:
        found = await searched(server, "pubmed", WebQuery(text="How deep is the sea?", limit=5))
        first, second, third = server.seen

    assert (form(first.asked)["term"], form(second.asked)["term"]) == ("How deep is the sea", "deep OR sea")
    assert third.asked.path.endswith("efetch.fcgi")
    assert len(found.hits) == 5


def test_a_key_raises_the_rate_unless_a_rate_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NCBI_API_KEY", raising=False)
    assert PubMed.terms.rate_of(Settings()) == 3
    assert PubMed.terms.rate_of(Settings(search_rates={"pubmed": 1})) == 1

    monkeypatch.setenv("NCBI_API_KEY", "k")
    assert PubMed.terms.rate_of(Settings()) == 10
    assert PubMed.terms.rate_of(Settings(search_rates={"pubmed": 1})) == 1


def test_a_structured_abstract_keeps_its_labels() -> None:
    text = "BACKGROUND: It is common. RESULTS: Risk fell (p < 0.05)."

    assert read_records((HEAD + STRUCTURED).encode()) == {
        "31452104": RawHit(
            "https://pubmed.ncbi.nlm.nih.gov/31452104/",
            title="Effect of H. pylori on H2O & more.",
            snippet=text,
            published="2019-08-28",
            text=text,
        )
    }


@pytest.mark.parametrize(
    ("dates", "day"),
    [
        ("<ArticleDate><Year>2019</Year><Month>08</Month><Day>27</Day></ArticleDate>", "2019-08-27"),
        (
            "<JournalIssue><PubDate><Year>2019</Year><Month>Sep</Month><Day>3</Day></PubDate></JournalIssue>",
            "2019-09-03",
        ),
        ("<JournalIssue><PubDate><MedlineDate>2019 Sep-Oct</MedlineDate></PubDate></JournalIssue>", "2019-08-28"),
    ],
)
def test_the_day_is_the_first_that_is_exact(dates: str, day: str) -> None:
    data = (HEAD + STRUCTURED.replace("<ArticleTitle>", f"{dates}<ArticleTitle>", 1)).encode()

    assert read_records(data)["31452104"].published == day


def test_a_book_is_a_record_too() -> None:
    book = (
        "<PubmedArticleSet><PubmedBookArticle><BookDocument><PMID>20301295</PMID><Book><BookTitle>GeneReviews</BookTitle>"
        "</Book><Abstract><AbstractText>A summary.</AbstractText></Abstract></BookDocument></PubmedBookArticle>"
        "</PubmedArticleSet>"
    )

    found = read_records(book.encode())["20301295"]

    assert (found.title, found.text, found.published) == ("GeneReviews", "A summary.", "")


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    "data",
    [
        f'<!DOCTYPE x [<!ENTITY l0 "lol">{LAUGHS}]><PubmedArticleSet>&l9;</PubmedArticleSet>',
        f'<!DOCTYPE x [<!ENTITY l "{"a" * 50_000}">]><PubmedArticleSet>{"&l;" * 50_000}</PubmedArticleSet>',
        "<PubmedArticleSet>" + "<a>" * 100_000,
        "<PubmedArticleSet><PubmedArticle>&unknown;</PubmedArticle></PubmedArticleSet>",
        "<eFetchResult><ERROR>no ids</ERROR></eFetchResult>",
        '{"error": "API rate limit exceeded"}',
        "",
    ],
    ids=["laughs", "quadratic", "deep", "unknown", "error", "json", "empty"],
)
def test_hostile_xml_is_refused(data: str) -> None:
    with pytest.raises(ValueError, match="it is no"):
        read_records(data.encode())


@pytest.mark.parametrize(
    "declared",
    ['<!ENTITY x SYSTEM "file:///etc/hostname">', '<!ENTITY x SYSTEM "http://127.0.0.1:9/">', '<!ENTITY x "secret">'],
)
def test_an_entity_brings_nothing_into_a_record(declared: str) -> None:
    record = STRUCTURED.replace("common", "&x;common", 1).replace("<PubmedArticleSet>", "<PubmedArticleSet>&x;", 1)

    found = read_records(f"<!DOCTYPE PubmedArticleSet [{declared}]>{record}".encode())["31452104"]

    assert found.text == "BACKGROUND: It is common. RESULTS: Risk fell (p < 0.05)."


async def test_ids_without_records_are_a_malformed_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    wire = wire_of("pubmed")
    answer = wire.answer
    empty = "<PubmedArticleSet></PubmedArticleSet>"
    monkeypatch.setattr(wire, "answer", lambda asked, shelf: empty if "efetch" in asked.path else answer(asked, shelf))
    with SearchServer(CORPUS) as server, pytest.raises(MalformedReply, match="no record"):
        await searched(server, "pubmed", DEEP)


async def test_hits_come_in_the_order_of_the_ids_and_what_is_no_id_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    record = "<PubmedArticle><MedlineCitation><PMID>{}</PMID></MedlineCitation></PubmedArticle>"
    reply = f"<PubmedArticleSet>{''.join(map(record.format, (3, 1, 2)))}</PubmedArticleSet>"
    found = {"esearchresult": {"idlist": ["1", "2&api=x", "../2", "9" * 50, 7, None, "2", "4", "3"]}}
    monkeypatch.setattr(wire_of("pubmed"), "answer", lambda asked, _: reply if "efetch" in asked.path else found)
    with SearchServer(CORPUS) as server:
        hits = (await searched(server, "pubmed", DEEP)).hits
        asked = server.seen[1].asked

    assert form(asked)["id"] == "1,2,4,3"
    assert [hit.url.split("/")[3] for hit in hits] == ["1", "2", "3"]


async def test_a_list_without_a_single_id_is_a_malformed_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MalformedReply, match="ids"):
        await replied(monkeypatch, "pubmed", {"esearchresult": {"idlist": ["x", "-1"]}}, DEEP)


@given(TREES.map(lambda tree: f"<PubmedArticleSet>{tree}</PubmedArticleSet>") | TREES | st.text(max_size=80))
def test_any_xml_is_records_or_refused(data: str) -> None:
    try:
        found = read_records(data.encode("utf-8", "surrogatepass"))
    except ValueError as error:
        assert str(error).startswith("it is no")
    else:
        cleaned(found.values(), DEEP)


@given(st.binary(max_size=200))
def test_any_bytes_are_records_or_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="it is no"):
        read_records(data)
