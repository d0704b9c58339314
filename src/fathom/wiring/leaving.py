"""What leaves this machine for a run, and to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fathom.frozen import FrozenModel
from fathom.urls import is_loopback
from fathom.wiring.models import AsksModels, Ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fathom.data.servers import DataSource, Server
    from fathom.ports import Embedder, Reasoner
    from fathom.ports.web import Web, WebSearch
    from fathom.sources.guarded import Guarded

TO_MODELS = "the question, and passages of the documents that match it"
TO_SEARCHES = "the queries, which are made of the question's words"
TO_SEARCHES_BY_MODEL = "the queries, which the model writes"
TO_PAGES = "requests for the pages that are read"
TO_SERVERS = "what the tools are asked for: names of fields, values, and words of the question"
TO_EMBEDDERS = "the question, and the texts of the documents"


class Destination(FrozenModel):
    """A server that is sent something."""

    host: str
    """As a reader knows it: `api.openai.com`, `localhost:8080`."""
    what: str
    """What it is sent, in words."""
    names: tuple[str, ...]
    """What is asked there: `openai:gpt-4o-mini`."""
    is_local: bool
    """Whether it is on this machine."""
    unpriced: tuple[str, ...] = ()
    """Those of `names` that cost something, nobody knows what."""


def destinations(
    reasoner: Reasoner,
    embedder: Embedder | None,
    web: Web | None = None,
    datasets: Sequence[DataSource] = (),
    connectors: Sequence[Guarded] = (),
) -> tuple[Destination, ...]:
    """The servers that a run sends something to, those on this machine included; none without models, web and MCP."""
    found: dict[str, Destination] = {}
    for model in reasoner.models.all if isinstance(reasoner, AsksModels) else ():
        names = (*(found[model.host].names if model.host in found else ()), model.name)
        unpriced = found[model.host].unpriced if model.host in found else ()
        found[model.host] = Destination(
            host=model.host,
            what=TO_MODELS,
            names=names,
            is_local=model.is_local and (model.host not in found or found[model.host].is_local),
            unpriced=unpriced if model.price is not None else (*unpriced, model.name),
        )
    queries = TO_SEARCHES_BY_MODEL if found else TO_SEARCHES
    places = list(found.values())
    ranker = reasoner.embedder if isinstance(reasoner, Ranks) else None
    for each, what in ((embedder, TO_EMBEDDERS), (ranker, TO_MODELS)):
        host, is_local = place_of(each) if each is not None else ("", True)
        if each is not None and host:
            places.append(Destination(host=host, what=what, names=(each.name,), is_local=is_local))
    if web is not None:
        for search in (*web.searches, *web.fallbacks):
            host, is_local = place_of(search)
            whom = f"whoever {host} asks" if is_local else host  # a search server of one's own passes the query on
            places.append(Destination(host=whom, what=queries, names=(search.name,), is_local=False))
        hosts = ", ".join(web.rules.allow) or "the hosts of what is found"
        places.append(Destination(host=hosts, what=TO_PAGES, names=(f"reader {web.reader.name}",), is_local=False))
    for connector in connectors:
        host, is_local = place_of(connector)
        if host:
            places.append(Destination(host=host, what=queries, names=(connector.name,), is_local=is_local))
    for source in datasets:
        if source.server is not None:
            places.append(_server(source.name, source.server))
    return tuple(places)


def _server(name: str, server: Server) -> Destination:
    """An MCP server; what a command does with what it is sent, nobody can tell."""
    parts = urlsplit(server.url)
    host = parts.netloc or f"the command '{server.command[0]}', which may send it on"
    is_local = bool(server.url) and is_loopback(parts.hostname or "")
    return Destination(host=host, what=TO_SERVERS, names=(name,), is_local=is_local)


def place_of(adapter: Embedder | WebSearch | Guarded) -> tuple[str, bool]:
    """Where an adapter asks, and whether that is this machine; one that does not say is taken to be elsewhere.

    The address of what runs in this process is empty.
    """
    address = getattr(adapter, "address", None)
    if not isinstance(address, str):
        return f"wherever {adapter.name} is", False
    parts = urlsplit(address)
    return parts.netloc, not address or is_loopback(parts.hostname or "")
