"""The web of a run: which providers are asked, how pages are read, and where both are remembered."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from fathom.browsing import WebRules
from fathom.errors import ConfigurationError
from fathom.settings import Settings
from fathom.urls import is_within
from fathom.wiring.offline import offline_web

if TYPE_CHECKING:
    from fathom.ports import RunRecord
    from fathom.ports.web import PageArchive, Web, WebSearch

OF_LAST_RESORT = "wikipedia"
"""Asked when no provider is named and none has a key or an address: it needs neither."""


def rules_for(settings: Settings) -> WebRules | None:
    """What the runs of these settings may ask and read on the web; `None` when it is left alone.

    Raises:
        ConfigurationError: a provider or a page reader has a name that nobody knows.
    """
    if not settings.web or settings.no_web:
        return None
    from fathom.pages import readers
    from fathom.search import searches

    for name in (*settings.search, *settings.search_fallback):
        searches.get(name)
    readers.get(settings.page_reader)
    if settings.web_allow and all(is_within(f"https://{host}/", settings.web_deny) for host in settings.web_allow):
        raise ConfigurationError(
            f"Nothing of the web may be read: all that `web_allow` names ({', '.join(settings.web_allow)}) `web_deny` "
            "forbids. Leave a host out of `web_deny`, or name another in `web_allow`."
        )
    return WebRules(
        search=tuple(dict.fromkeys(settings.search)) or configured(settings),
        fallback=tuple(dict.fromkeys(settings.search_fallback)),
        reader=settings.page_reader,
        allow=settings.web_allow,
        deny=settings.web_deny,
        since=settings.web_since.isoformat() if settings.web_since else "",
        refresh=settings.refresh,
    )


def configured(settings: Settings) -> tuple[str, ...]:
    """The providers that are asked when none is named: the general ones whose key or address is set."""
    from fathom.search import describe_providers

    chosen = (each for each in describe_providers(settings) if each.key == "needed" or each.needs_address)
    return tuple(each.name for each in chosen if each.general and each.ready) or (OF_LAST_RESORT,)


async def opened_web(stack: AsyncExitStack, rules: WebRules, settings: Settings, *, archive: PageArchive) -> Web:
    """The web as `rules` allow it, open until the stack is closed.

    Raises:
        ConfigurationError: a provider lacks its key or its address, a package is missing, or nothing may leave.
    """
    if rules.offline:
        return await offline_web(stack, rules, settings)
    from fathom.pages import readers
    from fathom.pages.guard import PrivateHosts
    from fathom.ports.web import Web

    if settings.no_web:
        raise ConfigurationError(
            "The run searches the web, and nothing may leave this machine: leave out `no_web`, or fork it "
            "offline, which researches what it has read."
        )

    def opened(names: Sequence[str]) -> list[WebSearch]:
        from fathom.search import searches

        found: list[WebSearch] = []
        for name in names:
            found.append(searches.get(name)(settings))
            stack.push_async_callback(found[-1].close)
        return found

    first, fallbacks = opened(rules.search), opened(rules.fallback)
    reader = readers.get(rules.reader)(settings, rules)
    stack.push_async_callback(reader.close)
    return Web(
        rules,
        searches=first,
        fallbacks=fallbacks,
        reader=reader,
        archive=archive,
        keep_searches=settings.search_keep_hours * 3600,
        keep_pages=None if settings.page_keep_hours is None else settings.page_keep_hours * 3600,
        is_private=PrivateHosts(settings.private_hosts).hold,
    )


def rules_of(run: RunRecord) -> WebRules | None:
    """The rules that a run's record pins; `None` for a run that leaves the web alone."""
    pinned = run.sources.get("web")
    return WebRules.model_validate(pinned) if pinned else None
