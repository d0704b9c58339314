"""The address and the key of a service: whether they can be used."""

from __future__ import annotations

import httpx
from pydantic import SecretStr

from fathom.errors import ConfigurationError
from fathom.text.harmless import inert


def checked_address(url: str, *, setting: str, key_setting: str = "") -> str:
    """The address without a slash at the end.

    Args:
        setting: what holds the address, for the message.
        key_setting: what a password belongs in instead, when the service takes a key.

    Raises:
        ConfigurationError: it is none, or holds a password, which would end up in logs and messages.
    """
    try:
        parsed = httpx.URL(url.strip().rstrip("/"))
    except httpx.InvalidURL as error:
        if "@" in url:  # what is wrong with it may be a part of the password
            raise ConfigurationError(f"{setting} is wrong, and holds a password: {_instead(key_setting)}.") from None
        raise ConfigurationError(f"{setting} is wrong: {inert(str(error), width=200)}.") from error
    if parsed.userinfo:
        raise ConfigurationError(f"{setting} holds a password: {_instead(key_setting)}.")
    if parsed.query or parsed.fragment:
        raise ConfigurationError(f"{setting} is wrong: an address has no ? and no #.")
    if parsed.port is not None and not 0 < parsed.port < 65536:
        raise ConfigurationError(f"{setting} is wrong: there is no port {parsed.port}.")
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ConfigurationError(f"{setting} is wrong: it must begin with http:// or https://.")
    return str(parsed).rstrip("/")


def checked_key(key: SecretStr | None, *, setting: str) -> SecretStr | None:
    """The key without blanks around it; `None` when there is none.

    Raises:
        ConfigurationError: it holds characters that no key has; the message does not quote it.
    """
    text = key.get_secret_value().strip() if key else ""
    if not (text.isascii() and text.isprintable()):
        raise ConfigurationError(f"{setting} is wrong: it holds characters that no key has.")
    return SecretStr(text) if text else None


def _instead(key_setting: str) -> str:
    return f"set {key_setting} instead" if key_setting else "leave it out"
