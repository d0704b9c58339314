"""What it takes to ask a service, and whether the settings hold it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import SecretStr

from fathom.errors import ConfigurationError
from fathom.services.addresses import checked_address, checked_key
from fathom.services.failures import Who
from fathom.services.http import LARGEST, Service
from fathom.services.pace import Pace
from fathom.settings import Settings

KeyUse = Literal["needed", "optional", "none"]


@dataclass(frozen=True)
class Terms:
    """Known without asking anybody. Its settings are `<name>_api_key` and `<name>_base_url`."""

    name: str
    """Its name in the settings: `tavily`."""
    title: str
    """Its name for a person: `Tavily`."""
    key: KeyUse = "none"
    """Whether it takes a key."""
    variable: str = ""
    """The service's own variable for the key, which counts at the service's own address."""
    header: str = ""
    """Header that brings the key, which never stands behind the `?` of an address; empty when a call brings it."""
    needs_address: bool = False
    """Whether it has no address of its own, being a server of the user's."""
    address: str = ""
    """Where it is asked when its setting is empty."""
    per_second: float = 1.0
    """Calls in a second, where `search_rates` does not say otherwise."""
    advice: Mapping[int, str] = field(default_factory=dict)
    """What to do about a status, where that is more than what is said of all services."""

    @property
    def key_setting(self) -> str:
        """The setting that holds its key."""
        return f"{self.name}_api_key"

    @property
    def address_setting(self) -> str:
        """The setting that holds its address."""
        return f"{self.name}_base_url"

    def address_of(self, settings: Settings) -> str:
        """Where it is asked; empty when the settings do not say.

        Raises:
            ConfigurationError: the address is none.
        """
        url: str | None = getattr(settings, self.address_setting)
        if url is None or not url.strip():
            return self.address
        key_setting = self.key_setting if self.key != "none" else ""
        return checked_address(url, setting=self.address_setting, key_setting=key_setting)

    def key_of(self, settings: Settings) -> SecretStr | None:
        """Its key. The service's own variable only counts at its own address.

        Raises:
            ConfigurationError: it holds characters that no key has.
        """
        if self.key == "none":
            return None
        own = checked_key(getattr(settings, self.key_setting), setting=self.key_setting)
        if own or not (self.variable and self._at_home(settings)):
            return own
        return checked_key(SecretStr(os.environ.get(self.variable, "")), setting=self.variable)

    def missing(self, settings: Settings) -> str:
        """What must be set before it can be asked, as the end of a sentence; empty when nothing is missing.

        Raises:
            ConfigurationError: what is set is wrong.
        """
        if not self.address_of(settings) and self.needs_address:
            return f"set {self.address_setting} (FATHOM_{self.address_setting.upper()})"
        if self.key == "needed" and self.key_of(settings) is None:
            own = f" or {self.variable}" if self.variable and self._at_home(settings) else ""
            return f"set {self.key_setting} (FATHOM_{self.key_setting.upper()}{own})"
        return ""

    def rate_of(self, settings: Settings) -> float:
        """Calls in a second.

        Raises:
            ConfigurationError: `search_rates` holds none for it.
        """
        rate = settings.search_rates.get(self.name, self.per_second)
        if not (math.isfinite(rate) and rate > 0):
            raise ConfigurationError(f"search_rates is wrong: searches per second of {self.name} must be above 0.")
        return rate

    def who(self, address: str) -> Who:
        """Whom errors name when it is asked at that address."""
        host = address.partition("://")[2].partition("/")[0]
        key_setting = self.key_setting if self.key != "none" else ""
        return Who(self.title, host, self.address_setting, key_setting, self.advice)

    def open(
        self,
        settings: Settings,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = 20.0,
        first_wait: float = 0.5,
        largest: int = LARGEST,
    ) -> Service:
        """The service at its address, under its key; `headers` are others of every request.

        Raises:
            ConfigurationError: a setting that it needs is missing or wrong.
        """
        self.check(settings)
        address, key, own = self.address_of(settings), self.key_of(settings), dict[str, str]()
        if key and self.header:
            own[self.header] = f"{'Bearer ' if self.header == 'Authorization' else ''}{key.get_secret_value()}"
        return Service(
            self.who(address),
            address=address,
            pace=Pace(self.rate_of(settings)),
            key=key,
            headers={**own, **(headers or {})},
            timeout=timeout,
            first_wait=first_wait,
            largest=largest,
        )

    def check(self, settings: Settings) -> None:
        """Refuse settings that lack something.

        Raises:
            ConfigurationError: names the setting.
        """
        if missing := self.missing(settings):
            raise ConfigurationError(f"{self.title} cannot be asked: {missing}, or leave '{self.name}' out.")

    def _at_home(self, settings: Settings) -> bool:
        own: object = type(settings).model_fields[self.address_setting].default
        return bool(own == getattr(settings, self.address_setting))
