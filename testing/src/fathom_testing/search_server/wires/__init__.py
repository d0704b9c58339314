"""The formats, one module each: `fathom_testing.search_server.wires.<provider>`, served below `/<provider>`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

from fathom_testing.model_server.http import Asked
from fathom_testing.search_server.shelf import Shelf


class Wire(Protocol):
    """What a module of a format holds."""

    RESULTS: str
    """Where the hits are in a reply, names joined by dots: `web.results`; empty when a reply is no JSON."""
    ROUTE: str
    """Method and path of its only request: `GET /search`; empty when `answer` tells several apart."""
    KEY: str
    """Name of the header, or of the field of a form, that brings the key; empty when it takes none."""

    def answer(self, asked: Asked, shelf: Shelf) -> Any:
        """The reply to a request: a value for JSON, or the text itself, such as XML. `asked.path` begins behind the
        name of the provider.

        Raises:
            ValueError: the provider would refuse the request (400); why.
            LookupError: it has nothing at that path (404).
        """
        ...

    def failure(self, status: int, message: str) -> Any:
        """How the provider says what went wrong: a value for JSON, or the text itself."""
        ...


_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold, not even escaped."""
NAMES = "arxiv brave duckduckgo exa openalex pubmed searxng semantic_scholar serper tavily wikipedia".split()


def wire_of(name: str) -> Wire:
    """The format of a provider.

    Raises:
        LookupError: none has that name.
    """
    if name not in NAMES:
        raise LookupError(f"There is no provider '{name}'.")
    module: Any = import_module(f"{__name__}.{name}")
    wire: Wire = module
    return wire


def parameters(asked: Asked) -> Mapping[str, str]:
    """What stands behind the `?`, the last value of each name."""
    return MappingProxyType({name: values[-1] for name, values in parse_qs(asked.query).items()})


def form(asked: Asked) -> Mapping[str, str]:
    """What a form sent, the last value of each name."""
    return MappingProxyType({name: values[-1] for name, values in parse_qs(asked.body.decode()).items()})


def key_of(asked: Asked, wire: Wire) -> str:
    """The key that a request brings; empty when it brings none."""
    given = asked.headers.get(wire.KEY, "").removeprefix("Bearer ")
    return given or {**parameters(asked), **form(asked)}.get(wire.KEY, "")


def limit_of(value: object, *, otherwise: int, most: int) -> int:
    """How many hits are asked for.

    Raises:
        ValueError: it is no number, or more than the provider gives.
    """
    number = otherwise if value is None else int(str(value))
    if not 1 <= number <= most:
        raise ValueError(f"The number of results must lie between 1 and {most}.")
    return number


def words_of(value: object) -> str:
    """What is asked for.

    Raises:
        ValueError: it is no text, or an empty one.
    """
    if not isinstance(value, str) or not value.strip():
        raise ValueError("The query is missing.")
    return value


def xml(text: str) -> str:
    """A text as XML can hold it."""
    return escape(_NO_XML.sub("", text), {'"': "&quot;"})
