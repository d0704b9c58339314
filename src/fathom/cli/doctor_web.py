"""How the web stands: which providers of searches would work, and how pages would be read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from fathom import wiring
from fathom.browsing import WebQuery
from fathom.cli.checks import DoctorCheck
from fathom.errors import FathomError

if TYPE_CHECKING:
    from fathom.ports.web import WebSearch
    from fathom.search import ProviderDescription

_HOW = "docs/how-to/web.md"
_PROBE = WebQuery(text="Wikipedia", language="en", limit=1)


async def web_checks(settings: wiring.Settings) -> list[DoctorCheck]:
    """Whether the web is used and how each provider stands; those that a run would ask are asked for one hit."""
    from fathom.search import describe_providers

    described = describe_providers(settings)
    if settings.no_web:
        return [DoctorCheck(name="web", status="ok", found="off: nothing may leave this machine (no_web)")]
    if not settings.web:
        cure = f"To search and read the web too, give `--web` or set `web = true` in fathom.toml: {_HOW}."
        return [DoctorCheck(name="web", status="ok", found=f"off; {_would_work(described)}", cure=cure)]
    try:
        rules = wiring.rules_for(settings)
        assert rules is not None, "the web is on"
        async with AsyncExitStack() as stack:
            archive = wiring.open_archive(settings)
            stack.push_async_callback(archive.close)
            web = await wiring.opened_web(stack, rules, settings, archive=archive)
            asked = [*web.searches, *web.fallbacks]
            looks = await asyncio.gather(*map(_look, asked))
    except FathomError as error:
        return [
            DoctorCheck(name="web", status="error", found=str(error), cure=f"{_would_work(described).capitalize()}."),
            *_missing(described),
        ]
    known = {each.name: each for each in described}
    found = f"on; pages are read by the reader `{rules.reader}`; {_would_work(described)}"
    checks = [_check(search, known.get(search.name), failure) for search, failure in zip(asked, looks, strict=True)]
    return [DoctorCheck(name="web", status="ok", found=found), *checks]


async def _look(search: WebSearch) -> str:
    """Why a provider gives no answer; empty when it does."""
    try:
        await search.search(_PROBE)
    except FathomError as error:
        return str(error)
    return ""


def _check(search: WebSearch, known: ProviderDescription | None, failure: str) -> DoctorCheck:
    name = f"search {search.name}"
    if failure:
        cure = "Correct its key or its address, or name other providers with `--search`."
        return DoctorCheck(name=name, status="error", found=failure, cure=cure)
    told = ["answers", search.address]
    if known and known.per_second:
        told.append(f"{known.per_second:g} searches a second at most")
    told.append(f"{search.cost_usd:g} USD a search" if search.cost_usd else "free")
    return DoctorCheck(name=name, status="ok", found=", ".join(filter(None, told)))


def _would_work(described: Iterable[ProviderDescription]) -> str:
    """`ready: arxiv, wikipedia; not set up: brave (…)`."""
    described = list(described)
    ready = ", ".join(each.name for each in described if each.ready)
    lacking = ", ".join(f"{each.name} ({each.missing})" for each in described if not each.ready)
    return "; ".join(filter(None, (f"ready: {ready}" if ready else "", f"not set up: {lacking}" if lacking else "")))


def _missing(described: Iterable[ProviderDescription]) -> Iterator[DoctorCheck]:
    """A row for each provider that cannot be asked."""
    for each in described:
        if not each.ready:
            yield DoctorCheck(name=f"search {each.name}", status="warning", found=each.missing)
