"""Where a model is asked: the address of its server, and whether that is this machine."""

from __future__ import annotations

import ipaddress

import httpx

from fathom.errors import ConfigurationError
from fathom.text.harmless import inert


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


def checked_address(url: str, *, setting: str) -> str:
    """The address without a slash at the end.

    Raises:
        ConfigurationError: it is none, or holds a password, which would end up in logs and messages.
    """
    try:
        parsed = httpx.URL(url.strip().rstrip("/"))
    except httpx.InvalidURL as error:
        raise ConfigurationError(f"{setting} is wrong: {inert(str(error), width=200)}.") from error
    if parsed.userinfo:
        raise ConfigurationError(f"{setting} holds a password: set model_api_key instead.")
    if parsed.query or parsed.fragment:
        raise ConfigurationError(f"{setting} is wrong: an address has no ? and no #.")
    if parsed.port is not None and not 0 < parsed.port < 65536:
        raise ConfigurationError(f"{setting} is wrong: there is no port {parsed.port}.")
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ConfigurationError(f"{setting} is wrong: it must begin with http:// or https://.")
    return str(parsed).rstrip("/")


def host_of(address: str) -> str:
    """The host of an address, with the port when it names one: what a reader knows a server by.

    >>> host_of("http://localhost:8080/v1"), host_of("https://api.openai.com/v1")
    ('localhost:8080', 'api.openai.com')
    """
    return httpx.URL(address).netloc.decode("ascii")


def ollama_address(host: str, *, setting: str) -> str:
    """The address that Ollama's own variable stands for: scheme and port may be missing.

    >>> [ollama_address(host, setting="OLLAMA_HOST") for host in ("0.0.0.0", ":8000", "https://box.example/ollama")]
    ['http://127.0.0.1:11434', 'http://127.0.0.1:8000', 'https://box.example/ollama']

    Raises:
        ConfigurationError: it is no address.
    """
    text = host.strip()
    bare = "://" not in text
    if bare:
        text = f"http://127.0.0.1{text}" if text.startswith(":") else f"http://{text}"
    url = httpx.URL(checked_address(text, setting=setting))
    if url.host in ("0.0.0.0", "::"):  # where a server listens; this machine is where it is asked
        url = url.copy_with(host="127.0.0.1")
    if url.port is None and bare:
        url = url.copy_with(port=11434)
    return str(url).rstrip("/")
