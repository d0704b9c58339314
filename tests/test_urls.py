"""An address is written in one way, and only what all programs read alike is one."""

from __future__ import annotations

import pytest

from fathom.publishers import nature_of
from fathom.urls import canonical_url, host_of


@pytest.mark.parametrize(
    "url",
    [
        "http://evil.org\\.example.gov/",
        "http://evil.org%2eexample.gov/",
        "http://a b.org/",
        "http://a<b>.org/",
        "http://a)b.org/",
        "http://a..org/",
        "http://.org/",
        f"http://{'a' * 64}.org/",
        "http://a!b.org/",
    ],
)
def test_a_host_that_programs_read_in_different_ways_is_none(url: str) -> None:
    with pytest.raises(ValueError, match="no name of a host"):
        canonical_url(url)


def test_a_host_that_looks_like_another_is_shown_in_letters_that_do_not() -> None:
    assert host_of(canonical_url("https://www.whо.int/")).endswith("xn--wh-gmc.int")
    assert canonical_url("http://１２７.0.0.1/") == "http://127.0.0.1/"


@pytest.mark.parametrize("url", ["http://a_b.example.org/", "https://[2001:db8::1]:8443/x", "http://xn--bcher-kva.de/"])
def test_unusual_hosts_are_hosts(url: str) -> None:
    assert canonical_url(url) == url


def test_who_speaks_is_told_by_the_end_of_the_host_alone() -> None:
    assert nature_of("https://www.cdc.gov.evil.org/") == "other"
    assert nature_of("https://evil.org/www.cdc.gov/") == "other"
