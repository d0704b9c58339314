"""What is read: the best of all searches, whatever their order, of many sites, and nothing that the rules forbid."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.browsing import SearchHit, WebRules
from fathom.sources.fusion import PAGES_OF_A_SITE, Fused, ProviderRanking, fuse
from fathom.urls import canonical_url, is_within, page_key, site_of

TODAY = "2026-06-01"


def fused(*rankings: ProviderRanking, question: str = "How deep is the sea?", limit: int = 10, **rules: Any) -> Fused:
    return fuse(rankings, question=question, rules=WebRules(**rules), today=TODAY, limit=limit)


def urls(found: Fused) -> list[str]:
    return [choice.url for choice in found.choices]


def found(query: str, *hits: SearchHit | str, provider: str = "alpha") -> ProviderRanking:
    return ProviderRanking(query, provider, [SearchHit(url=hit) if isinstance(hit, str) else hit for hit in hits])


FEWER = settings(max_examples=settings().max_examples // 4)
"""Of each: what it draws is large, and a choice that is wrong shows soon."""

HOSTS = st.sampled_from(
    "a.example www.a.example b.example c.example d.example:8443 arxiv.org epa.gov old.reddit.com".split()
)
ADDRESSES = st.one_of(
    st.builds("{}://{}/{}{}".format, st.sampled_from(["http", "https"]), HOSTS, st.integers(0, 9), st.just("")),
    st.builds("https://{}/p?utm_source=x&id={}".format, HOSTS, st.integers(0, 3)),
    st.sampled_from(
        ["", "javascript:alert(1)", "https://", "https://[::1", "https://u:p@a.example/", "ftp://a.example/"]
    ),
    st.text(max_size=30),
)
HITS = st.builds(
    SearchHit,
    url=ADDRESSES,
    title=st.sampled_from(["", "How deep the sea is", "Sea depth", "Cakes"]) | st.text(max_size=20),
    snippet=st.text(max_size=40),
    score=st.none() | st.floats(0, 1),
    published=st.sampled_from(["", "2026-05-01", "2019-01-01", "yesterday", "2026-13-45", "２０２６"]),
    text=st.sampled_from(["", "The sea is deep."]),
)
RANKINGS = st.lists(
    st.builds(
        ProviderRanking,
        query=st.sampled_from(["sea depth", "deep sea", "trench"]),
        provider=st.sampled_from(["alpha", "beta"]),
        hits=st.lists(HITS, max_size=8).map(tuple),
    ),
    max_size=6,
    unique_by=lambda ranking: (ranking.query, ranking.provider),
)


@FEWER
@given(RANKINGS, st.integers(1, 12), st.randoms(use_true_random=False))
def test_the_choice_is_the_same_whatever_the_order_in_which_the_providers_answer(
    rankings: list[ProviderRanking], limit: int, chance: Any
) -> None:
    one = fused(*rankings, limit=limit)
    chance.shuffle(rankings)
    assert fused(*rankings, limit=limit) == one


@FEWER
@given(RANKINGS, st.integers(1, 12))
def test_every_choice_is_a_page_of_its_own_under_a_canonical_address_and_there_are_no_more_than_asked_for(
    rankings: list[ProviderRanking], limit: int
) -> None:
    chosen = fused(*rankings, limit=limit)
    keys = [page_key(choice.url) for choice in chosen.choices]
    assert len(set(keys)) == len(keys) == min(limit, len(chosen.found))
    assert all(canonical_url(choice.url) == choice.url for choice in chosen.choices)
    assert set(keys) <= chosen.found


@FEWER
@given(RANKINGS)
def test_nothing_that_the_rules_forbid_is_chosen(rankings: list[ProviderRanking]) -> None:
    chosen = fused(*rankings, allow=("a.example", "arxiv.org"), deny=("www.a.example",), since="2026-01-01")
    assert all(is_within(url, ["a.example", "arxiv.org"]) for url in urls(chosen))
    assert not any(is_within(url, ["www.a.example"]) for url in urls(chosen))
    old = {
        page_key(hit.url)
        for ranking in rankings
        for hit in ranking.hits
        if hit.published == "2019-01-01" and hit.url.startswith(("http://a.example", "https://a.example"))
    }
    assert old.isdisjoint(map(page_key, urls(chosen)))
    assert all("before 2026-01-01" in reason for reason in chosen.left_out.values())


@FEWER
@given(RANKINGS, st.integers(3, 12))
def test_every_query_that_found_a_page_has_one_among_the_chosen(rankings: list[ProviderRanking], limit: int) -> None:
    chosen = fused(*rankings, limit=limit)
    keys = {page_key(url) for url in urls(chosen)}
    of_query: dict[str, set[str]] = {}
    for ranking in rankings:
        for key in fused(ranking, limit=50).found:
            of_query.setdefault(ranking.query, set()).add(key)
    assert all(keys & own for own in of_query.values())


@FEWER
@given(RANKINGS, st.integers(1, 12))
def test_more_than_a_few_pages_of_a_site_are_only_chosen_when_there_are_no_others(
    rankings: list[ProviderRanking], limit: int
) -> None:
    chosen = fused(*rankings, limit=limit)
    sites = Counter(site_of(url) for url in urls(chosen))
    everything = fused(*rankings, limit=1_000)
    left = [url for url in urls(everything) if url not in urls(chosen)]
    if any(count > PAGES_OF_A_SITE for count in sites.values()) and len({each.query for each in rankings}) <= 1:
        assert all(sites[site_of(url)] >= PAGES_OF_A_SITE for url in left)


def test_a_query_with_many_strong_pages_does_not_crowd_out_the_others() -> None:
    strong = [SearchHit(url=f"https://s{n}.example/", title="How deep is the sea", score=0.9) for n in range(20)]
    weak = SearchHit(url="https://weak.example/", title="Trenches", score=0.1)
    chosen = fused(found("sea depth", *strong), found("trench", weak), limit=5)
    assert "https://weak.example/" in urls(chosen)


def test_what_several_providers_have_found_comes_before_what_one_has() -> None:
    alone, shared = "https://alone.example/", "https://shared.example/"
    chosen = fused(found("q", alone, shared), found("q", shared, provider="beta"))
    assert urls(chosen) == [shared, alone]


def test_words_of_the_question_weigh_more_than_the_rank() -> None:
    far = SearchHit(url="https://far.example/", title="Baking cakes at home", snippet="Flour and eggs.")
    near = SearchHit(url="https://near.example/", title="How deep the sea is", snippet="The sea is deep.")
    assert urls(fused(found("q", far, near)))[0] == "https://near.example/"


def test_a_forum_comes_after_an_authority_that_says_the_same() -> None:
    forum, authority = "https://old.reddit.com/sea", "https://www.noaa.gov/sea"
    assert urls(fused(found("q", forum), found("q", authority, provider="beta")))[0] == authority


@pytest.mark.parametrize(
    ("question", "first"),
    [("What is the latest depth record?", "new"), ("How did the ancients measure the sea?", "old")],
)
def test_a_question_for_what_is_current_prefers_new_pages(question: str, first: str) -> None:
    old = SearchHit(url="https://old.example/", title="Sea", published="2016-05-01")
    new = SearchHit(url="https://new.example/", title="Sea", published="2026-05-30")
    others = ("https://c.example/", "https://d.example/")
    assert urls(fused(found("q", old, *others, new), question=question))[0] == f"https://{first}.example/"


def test_pages_without_a_date_are_kept_when_only_new_ones_are_wanted() -> None:
    undated, old = "https://undated.example/", SearchHit(url="https://old.example/", published="2020-02-02")
    chosen = fused(found("q", undated, old), found("q", "https://old.example/", provider="beta"), since="2025-01-01")
    assert urls(chosen) == [undated]
    assert chosen.left_out == {"https://old.example/": "published 2020-02-02, before 2025-01-01"}


def test_of_several_spellings_of_an_address_the_safest_one_is_read() -> None:
    chosen = fused(found("q", "http://www.a.example/x/"), found("q", "https://a.example/x", provider="beta"))
    assert urls(chosen) == ["https://a.example/x"]


def test_the_hit_that_holds_a_text_of_its_own_speaks_for_its_page() -> None:
    abstract = SearchHit(url="https://arxiv.org/abs/1", title="A paper", text="We measured the sea.")
    chosen = fused(found("q", "https://arxiv.org/abs/1"), found("q", abstract, provider="arxiv"))
    assert [(choice.provider, choice.hit.text) for choice in chosen.choices] == [("arxiv", "We measured the sea.")]
