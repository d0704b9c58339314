"""Where a model is asked: the address of its server."""

from __future__ import annotations

import httpx

from fathom.services.addresses import checked_address


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
    url = httpx.URL(checked_address(text, setting=setting, key_setting="model_api_key"))
    if url.host in ("0.0.0.0", "::"):  # where a server listens; this machine is where it is asked
        url = url.copy_with(host="127.0.0.1")
    if url.port is None and bare:
        url = url.copy_with(port=11434)
    return str(url).rstrip("/")
