"""Addresses of the web: how one is written, whose it is, and which of them are the same page."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit, urlunsplit

_TRACKING = re.compile(
    r"utm_\w+|(?:g|fb|dc|ms|tw|y|wbra|gbra|igsh|srsl)clid|gclsrc|fbclid|msclkid|mc_[ce]id|igshid|srsltid|_ga|_gl|ref_src"
    r"|ref_url|spm|cmpid|ns_\w+|vero_\w+|oly_\w+|mkt_tok|trk|guccounter|guce_\w+",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
_DEFAULT_PORTS = {"http": 80, "https": 443}

IP = ipaddress.IPv4Address | ipaddress.IPv6Address


@lru_cache(maxsize=4_096)
def canonical_url(url: str) -> str:
    """The address as Fathom writes it: without fragment, default port and marks of whoever counts clicks.

    >>> canonical_url("HTTPS://Example.org:443/a b?utm_source=x&q=1#part")
    'https://example.org/a%20b?q=1'

    Raises:
        ValueError: it is no address of a page: not `http` or `https`, or no host.
    """
    text = "".join(char for char in url.strip() if char.isprintable())
    parts = urlsplit(text)
    scheme, host = parts.scheme.lower(), (parts.hostname or "").rstrip(".")
    if scheme not in _DEFAULT_PORTS or not host:
        raise ValueError(f"{text[:200]!r} is no address of a web page")
    if parts.username or parts.password:
        raise ValueError("an address of a web page holds no password")
    try:
        host = host if ":" in host or host.isascii() else host.encode("idna").decode("ascii").lower()
    except UnicodeError as error:
        raise ValueError(f"{host[:100]!r} is no name of a host") from error
    if ":" in host:
        host = f"[{host}]"
    elif not _NAME.fullmatch(host):  # programs read what is around it in different ways: `evil.org\\.example.gov`
        raise ValueError(f"{host[:100]!r} is no name of a host")
    port = parts.port  # raises ValueError when it is none
    place = host if port in (None, _DEFAULT_PORTS[scheme]) else f"{host}:{port}"
    pairs = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True)]
    kept = [(name, value) for name, value in pairs if not _TRACKING.fullmatch(name)]
    query = parts.query if len(kept) == len(pairs) else urlencode(kept)
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    return urlunsplit(SplitResult(scheme, place, path, quote(query, safe="/%:@!$&'()*+,;=~-._?[]"), ""))


@lru_cache(maxsize=4_096)
def page_key(url: str) -> str:
    """What addresses of the same page share, whatever their scheme, `www.`, index file and last slash.

    >>> page_key("http://www.example.org/a/index.html") == page_key("https://example.org/a/?utm_medium=x")
    True
    """
    parts = urlsplit(canonical_url(url))
    path = re.sub(r"/(?:index|default)\.(?:html?|php|aspx?)$", "/", parts.path).rstrip("/")
    query = "&".join(sorted(parts.query.split("&")))
    return f"{parts.netloc.removeprefix('www.')}{path}?{query}".rstrip("?")


def host_of(url: str) -> str:
    """The host of an address, in lower case, without its port; empty when it has none.

    >>> host_of("https://Docs.Example.org:8443/x")
    'docs.example.org'
    """
    try:
        return (urlsplit(url.strip()).hostname or "").rstrip(".")
    except ValueError:
        return ""


@lru_cache(maxsize=4096)
def site_of(url: str) -> str:
    """Whose page it is: the part of the host that somebody has registered, by the public suffix list.

    >>> site_of("https://docs.example.co.uk/x"), site_of("http://alpha.localhost:8000/"), site_of("http://10.0.0.1/")
    ('example.co.uk', 'alpha.localhost', '10.0.0.1')
    """
    from tld import get_fld  # only who goes to the web needs the list

    host = host_of(url)
    found = get_fld(f"http://{host}/", fail_silently=True) if "." in host and not host.endswith(".localhost") else None
    return str(found) if found else host


def plain_host(name: str) -> str | None:
    """A host in its one plain spelling; `None` when it is spelled as programs read in different ways.

    Refused are numbers for an IP address (`2130706433`, `0x7f.1`, `127.1`), zones of IPv6, and whatever is neither a
    name nor an address.

    >>> plain_host("Docs.Example.ORG."), plain_host("１２７.0.0.1"), plain_host("127.1"), plain_host("::FFFF:127.0.0.1")
    ('docs.example.org', '127.0.0.1', None, '::ffff:7f00:1')
    """
    if ":" in name:
        return str(found) if (found := ip_of(name)) and "%" not in name else None
    try:
        host = (name if name.isascii() else name.encode("idna").decode("ascii")).lower().removesuffix(".")
    except UnicodeError:
        return None
    if not _NAME.fullmatch(host):
        return None
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        return str(found) if (found := ip_of(host)) else None
    return host


def ip_of(host: str) -> IP | None:
    """A host that is an IP address as one; `None` for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_within(url: str, hosts: Iterable[str]) -> bool:
    """Whether an address belongs to one of the hosts or to a subdomain of one.

    >>> is_within("https://docs.example.org/", ["example.org"]), is_within("https://badexample.org/", ["example.org"])
    (True, False)
    >>> is_within("https://xn--mnchen-3ya.example/", ["München.example"])
    True
    """
    host = _bare(host_of(url))
    return any(host == each or host.endswith(f".{each}") for each in map(_bare, hosts))


@lru_cache(maxsize=4_096)
def _bare(host: str) -> str:
    """A host in its one spelling: a name in letters of its own is the same as in ASCII."""
    host = host.strip().lower().removeprefix("*.").strip(".")
    return plain_host(host) or host


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine itself.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("::1"), is_loopback("10.0.0.1")
    (True, True, True, False)
    """
    host = host.strip("[]").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
