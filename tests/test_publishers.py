"""Who speaks at an address, by the address alone."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.evidence import SourceNature
from fathom.publishers import nature_of


@pytest.mark.parametrize(
    ("address", "nature"),
    [
        ("www.cdc.gov/flu", "official"),
        ("www.army.mil/", "official"),
        ("www.meti.go.jp/policy", "official"),
        ("www.city.kyoto.lg.jp/", "official"),
        ("www.gov.uk/vat-rates", "official"),
        ("service.gov.au/x", "official"),
        ("www.economie.gouv.fr/", "official"),
        ("www.bmi.bund.de/", "official"),
        ("ec.europa.eu/eurostat", "official"),
        ("www.who.int/news", "official"),
        ("news.mit.edu/2024", "academic"),
        ("www.u-tokyo.ac.jp/", "academic"),
        ("arxiv.org/abs/1706.03762", "academic"),
        ("pubmed.ncbi.nlm.nih.gov/123", "academic"),
        ("link.springer.com/article/10.1", "academic"),
        ("www.jstage.jst.go.jp/article", "academic"),
        ("journals.plos.org/plosone", "academic"),
        ("ja.wikipedia.org/wiki/X", "reference"),
        ("www.rfc-editor.org/rfc/rfc9110", "reference"),
        ("developer.mozilla.org/en-US", "reference"),
        ("plato.stanford.edu/entries/x", "reference"),
        ("kotobank.jp/word/x", "reference"),
        ("www3.nhk.or.jp/news/html/x", "news"),
        ("www.reuters.com/world", "news"),
        ("www.thelocalpaper.example/news/2024/05/12/story", "news"),
        ("www.thelocalpaper.example/2024/05/12/story", "news"),
        ("news.paper.example/story", "news"),
        ("old.reddit.com/r/x", "forum"),
        ("unix.stackexchange.com/q/1", "forum"),
        ("detail.chiebukuro.yahoo.co.jp/qa", "forum"),
        ("qiita.com/somebody/items/1", "forum"),
        ("discuss.project.example/t/how/12", "forum"),
        ("www.maker.example/forum/viewtopic?t=1", "forum"),
        ("www.maker.example/pricing", "vendor"),
        ("www.maker.example/products/anvil", "vendor"),
        ("store.maker.example/", "vendor"),
        ("www.amazon.co.jp/dp/1", "vendor"),
        ("www.maker.example/productivity", "other"),
        ("notgov.example/", "other"),
        ("10.0.0.1/", "other"),
    ],
)
def test_the_host_and_then_the_path_tell_who_speaks(address: str, nature: SourceNature) -> None:
    assert nature_of(f"https://{address}") == nature
    assert nature_of(f"HTTP://{address}#part") == nature


@given(
    st.one_of(st.text(st.characters()), st.text(st.sampled_from("htp:/.[]@%aゆ\u2100govedu0")).map("https://".__add__))
)
def test_any_string_has_a_nature(url: str) -> None:
    assert nature_of(url) in get_args(SourceNature)
