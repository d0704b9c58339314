"""What may be connected to: public places and nothing else, however they are spelled and whatever a resolver says."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.browsing import WebRules
from fathom.errors import ConfigurationError, FathomError, PageRefused, Unreachable
from fathom.pages.guard import Address, AddressGuard, PrivateHosts, is_public
from fathom.urls import plain_host
from tests.pages.fetching import Recorder, answering, fetcher

FEWER = settings(max_examples=settings().max_examples // 3)
"""Of what fetches for each of its examples; the long counts ask ten times as many."""
PUBLIC = "93.184.215.14"
NETWORKS = (
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 "
    "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ::/128 ::1/128 ::/96 "
    "::ffff:10.0.0.0/104 ::ffff:127.0.0.0/104 64:ff9b::7f00:0/104 64:ff9b::a00:0/104 64:ff9b:1::/48 100::/64 "
    "2001::/32 2001:db8::/32 2002:7f00::/24 2002:a00::/24 2002:c0a8::/32 3fff::/20 5f00::/16 fc00::/7 fe80::/10 "
    "fec0::/10 ff00::/8"
).split()


@st.composite
def private_places(draw: st.DrawFn) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    net = ipaddress.ip_network(draw(st.sampled_from(NETWORKS)))
    return net[draw(st.integers(0, net.num_addresses - 1))]


@st.composite
def spellings(draw: st.DrawFn) -> str:
    """A private address as somebody who wants to hide it would write it."""
    place = draw(private_places())
    if isinstance(place, ipaddress.IPv6Address):
        return draw(st.sampled_from([f"[{place}]", f"[{place.exploded}]", f"[{place}%25eth0]", f"[{place}%lo]"]))
    number, parts = int(place), str(place).split(".")
    plain = draw(
        st.sampled_from(
            [
                str(place),
                str(number),
                hex(number),
                oct(number).replace("0o", "0"),
                ".".join(hex(int(part)) for part in parts),
                ".".join(f"0{int(part):o}" for part in parts),
                f"{parts[0]}.{number & 0xFFFFFF}",
                f"{parts[0]}.{parts[1]}.{number & 0xFFFF}",
                f"[::ffff:{place}]",
                f"[::{place}]",
                f"[64:ff9b::{place}]",
                f"[2002:{number >> 16:x}:{number & 0xFFFF:x}::1]",
            ]
        )
    )
    dressed = draw(
        st.sampled_from(["{}", "{}.", "public.example@{}", "public.example:80@{}", "{}:80", "{}#@public.example"])
    )
    text = dressed.format(plain)
    disguise = draw(st.sampled_from(["none", "full-width", "percent", "circled", "upper"]))
    if disguise == "full-width":
        return "".join(chr(0xFF10 + int(char)) if char.isdigit() else char for char in text)
    if disguise == "percent":
        return "".join(f"%{ord(char):02x}" if char.isdigit() else char for char in text)
    if disguise == "circled":
        return "".join("⓪①②③④⑤⑥⑦⑧⑨"[int(char)] if char.isdigit() else char for char in text)
    return text.upper() if disguise == "upper" else text


@given(private_places())
def test_no_place_of_a_special_network_is_public(place: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    assert not is_public(place)


@pytest.mark.parametrize(
    "text",
    [
        PUBLIC,
        "8.8.8.8",
        "2606:4700::1111",
        "2a00:1450:4001::1",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::1",
    ],
)
def test_places_of_the_public_internet_are_public(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))


@given(st.integers(0, 2**32 - 1))
def test_an_address_that_holds_another_is_as_public_as_that_one(number: int) -> None:
    plain = is_public(ipaddress.IPv4Address(number))
    for outer in (0xFFFF << 32, 0x64FF9B << 96):
        assert is_public(ipaddress.IPv6Address(outer | number)) == plain
    assert is_public(ipaddress.IPv6Address(0x2002 << 112 | number << 80)) == plain
    for network in (0x2606_4700 << 96, 0x2002_0808_0808 << 80, 0x2A00_1450_4001 << 80):
        for bits in (0, 0x0100, 0x0200, 0x0300):  # ISATAP, whatever it says of itself
            assert is_public(ipaddress.IPv6Address(network | bits << 48 | 0x5EFE << 32 | number)) == plain


@pytest.mark.parametrize(
    "text",
    (
        "2606:4700::5efe:10.0.0.1 2606:4700::200:5efe:192.168.1.1 2002:808:808::5efe:127.0.0.1 fe80::5efe:8.8.8.8 "
        "::5efe:8.8.8.8 ::5efe:10.0.0.1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001::f5ff:fffe 2002:a00:1:: "
        "64:ff9b:1::808:808 64:ff9b:1:ffff::a00:1 64:ff9b::10.0.0.1 ::10.0.0.1 ::8.8.8.8 ::ffff:0:10.0.0.1 "
        "::ffff:10.0.0.1 fec0::1 fc00::5efe:8.8.8.8"
    ).split(),
)
def test_an_address_that_tunnels_into_a_network_is_not_public(text: str) -> None:
    assert not is_public(ipaddress.ip_address(text))


async def _connected(url: str, *answers: Sequence[str]) -> list[tuple[str, int]]:
    """Where a fetch of that URL has connected to."""
    network = Recorder()
    pages = fetcher(private_hosts=(), resolve=answering(*answers), network=network)
    try:
        await pages.fetch(url)
    except FathomError as error:
        assert "\n" not in str(error)
    await pages.close()
    return network.connected


@FEWER
@given(spellings(), st.sampled_from(["http", "https", "HTTP", "//http"]))
async def test_no_spelling_of_a_private_address_is_connected_to(host: str, scheme: str) -> None:
    """Also when a resolver would understand the spelling, as those of many systems do."""
    place = str(ipaddress.IPv4Address("127.0.0.1"))
    assert await _connected(f"{scheme}://{host}/", [place]) == []


@FEWER
@given(st.text(max_size=60), st.lists(private_places().map(str), max_size=3))
async def test_no_text_as_a_url_leads_to_a_private_place(text: str, answers: list[str]) -> None:
    for url in (text, f"http://{text}", f"http://{text}/", f"http://a.example/{text}"):
        assert await _connected(url, answers) == []


@given(st.lists(st.one_of(private_places().map(str), st.just(PUBLIC)), min_size=1, max_size=5))
async def test_of_a_name_with_several_places_only_the_public_ones_are_connected_to(answers: list[str]) -> None:
    connected = await _connected("http://both.example/", answers)

    assert {host for host, _ in connected} <= {PUBLIC}
    assert bool(connected) == (PUBLIC in answers)


async def test_what_is_connected_to_is_the_address_that_was_checked_and_not_the_name() -> None:
    """A resolver that answers otherwise the second time has nobody to answer to."""
    asked = []

    async def rebinding(host: str, port: int) -> Sequence[str]:
        asked.append((host, port))
        return [PUBLIC] if len(asked) == 1 else ["127.0.0.1"]

    network = Recorder()
    pages = fetcher(private_hosts=(), robots=False, resolve=rebinding, network=network)
    await pages.fetch("http://rebind.example/one")

    with pytest.raises(PageRefused, match="off the public internet"):
        await pages.fetch("http://rebind.example/two")
    assert network.connected == [(PUBLIC, 80)]


async def test_a_name_that_changes_between_robots_txt_and_the_page_is_checked_again() -> None:
    network = Recorder()
    pages = fetcher(private_hosts=(), resolve=answering([PUBLIC], ["10.0.0.1"]), network=network)

    with pytest.raises(PageRefused):
        await pages.fetch("http://rebind.example/")
    assert network.connected == [(PUBLIC, 80)]


async def test_a_redirect_is_checked_like_the_first_address() -> None:
    for target in (
        "http://169.254.169.254/latest",
        "http://[::1]/",
        "http://2130706433/",
        "http://localhost/",
        "//127.1/",
    ):
        network = Recorder(f"HTTP/1.1 302 Found\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n".encode())
        pages = fetcher(private_hosts=(), robots=False, resolve=answering([PUBLIC]), network=network)
        with pytest.raises(PageRefused, match="leads elsewhere"):
            await pages.fetch("http://public.example/")
        assert network.connected == [(PUBLIC, 80)]


@pytest.mark.parametrize(
    "url", ["http://public.example:22/", "https://public.example:8443/", "http://93.184.215.14:6379/"]
)
async def test_other_ports_than_those_of_the_web_are_refused(url: str) -> None:
    assert await _connected(url, [PUBLIC]) == []


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://public.example/",
        "gopher://public.example/",
        "javascript:alert(1)",
        "data:text/html,tea",
        "http:///nothing",
        "http://",
        "",
        "http://user:password@public.example/",
        "http://public.example\\@127.0.0.1/",
        "http://public.example:80:80/",
        "http://public.example:99999/",
        "http://pub lic.example/",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://127.0.0.1%2f.public.example/",
        "http://0x7f.0x0.0x0.0x1/",
        "http://" + "a" * 300 + ".example/",
        "http://public.example/" + "a" * 9_000,
    ],
)
def test_what_is_no_plain_address_of_a_page_is_refused(url: str) -> None:
    with pytest.raises(PageRefused):
        Address.parse(url)


def test_a_host_has_one_spelling() -> None:
    assert plain_host("１２７.0.0.1") == "127.0.0.1"
    assert plain_host("127。0。0。1") == "127.0.0.1"
    assert plain_host("MÜNCHEN.example.") == "xn--mnchen-3ya.example"
    assert plain_host("under_score.example") == "under_score.example"
    assert [plain_host(name) for name in ("127.1", "0177.0.0.1", "1.2.3.4.5", "a..b", "-.0x1", "a%00b", "", ".")] == [
        None
    ] * 8


@given(st.text(max_size=40))
def test_an_address_that_was_read_reads_the_same_again(text: str) -> None:
    try:
        address = Address.parse(f"http://{text}")
    except PageRefused:
        return
    assert Address.parse(str(address)) == address
    assert str(address).isascii()
    assert str(address).isprintable()


async def test_a_name_that_nobody_knows_is_unreachable() -> None:
    async def unknown(host: str, port: int) -> Sequence[str]:
        assert port == 80
        raise OSError(f"{host}: Name or service not known")

    pages = fetcher(private_hosts=(), robots=False, resolve=unknown, network=Recorder())
    with pytest.raises(Unreachable, match=r"gone\.example cannot be found"):
        await pages.fetch("http://gone.example/")


async def test_names_below_localhost_are_this_machine_and_asked_of_no_resolver() -> None:
    guard = AddressGuard(PrivateHosts(["*.localhost:8000"]), resolve=answering(["8.8.8.8"]))

    assert await guard.places("alpha.localhost", 8000) == ["127.0.0.1"]
    with pytest.raises(PageRefused):
        await guard.places("alpha.localhost", 80)
    with pytest.raises(PageRefused):
        await guard.places("localhost", 80)


@pytest.mark.parametrize(
    ("entry", "opened", "closed"),
    [
        ("wiki.corp.example", [("wiki.corp.example", 80), ("wiki.corp.example", 8080)], [("a.wiki.corp.example", 80)]),
        ("*.corp.example", [("a.b.corp.example", 443)], [("corp.example", 80), ("badcorp.example", 80)]),
        ("Wiki.Corp.Example.:8080", [("wiki.corp.example", 8080)], [("wiki.corp.example", 80)]),
        ("127.0.0.1:8080", [("127.0.0.1", 8080)], [("127.0.0.1", 80), ("127.0.0.2", 8080)]),
        ("[::1]:8080", [("::1", 8080)], [("::1", 80)]),
        ("::1", [("::1", 80)], [("::2", 80)]),
    ],
)
def test_a_private_host_is_opened_by_its_name_and_nothing_beside_it(
    entry: str, opened: list[tuple[str, int]], closed: list[tuple[str, int]]
) -> None:
    hosts = PrivateHosts([entry])

    assert all(hosts.opens(*each) for each in opened)
    assert not any(hosts.opens(*each) for each in closed)


@pytest.mark.parametrize(
    "entry", ["*", "*.", "http://wiki.example", "a b", "127.1", "*.10.0.0.1", "wiki.example:port", ":80"]
)
def test_an_entry_that_names_no_host_is_refused_before_a_run(entry: str) -> None:
    with pytest.raises(ConfigurationError, match="private_hosts"):
        PrivateHosts([entry])


async def test_a_public_page_cannot_lead_to_a_host_that_the_operator_has_opened() -> None:
    network = Recorder(b"HTTP/1.1 302 Found\r\nlocation: http://wiki.corp.example/admin\r\ncontent-length: 0\r\n\r\n")
    pages = fetcher(
        private_hosts=("wiki.corp.example",), robots=False, resolve=answering([PUBLIC], ["10.0.0.1"]), network=network
    )

    with pytest.raises(PageRefused, match="a public page leads there"):
        await pages.fetch("http://public.example/")
    assert network.connected == [(PUBLIC, 80)]


async def test_a_host_that_the_operator_has_opened_may_lead_to_another_one() -> None:
    network = Recorder(b"HTTP/1.1 302 Found\r\nlocation: http://b.corp.example/\r\ncontent-length: 0\r\n\r\n")
    pages = fetcher(private_hosts=("*.corp.example",), robots=False, resolve=answering(["10.0.0.1"]), network=network)

    with pytest.raises(FathomError, match="in a circle"):
        await pages.fetch("http://a.corp.example/")
    assert network.connected == [("10.0.0.1", 80), ("10.0.0.1", 80)]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (WebRules(allow=("good.example",)), "not among those"),
        (WebRules(deny=("bad.example",)), "is denied"),
        (WebRules(deny=("*.Bad.Example.",)), "is denied"),
        (WebRules(deny=("ｂａｄ.example",)), "is denied"),
    ],
)
async def test_the_rules_of_a_run_hold_at_the_start_and_at_every_redirect(rules: WebRules, message: str) -> None:
    network = Recorder(b"HTTP/1.1 302 Found\r\nlocation: http://sub.bad.example/\r\ncontent-length: 0\r\n\r\n")
    pages = fetcher(private_hosts=(), robots=False, rules=rules, resolve=answering([PUBLIC]), network=network)

    with pytest.raises(PageRefused, match=message):
        await pages.fetch("http://bad.example/")
    assert network.connected == []
    with pytest.raises(PageRefused, match=message):
        await pages.fetch("http://good.example/")
    assert network.connected == [(PUBLIC, 80)]


def test_an_address_that_may_hide_its_host_is_taken_for_a_private_one() -> None:
    hosts = PrivateHosts(["*.corp.example:8080"])

    assert hosts.hold("http://wiki.corp.example:8080/x") and hosts.hold("https://a@b.example/")
    assert not hosts.hold("http://wiki.corp.example/x") and not hosts.hold("https://b.example/")
