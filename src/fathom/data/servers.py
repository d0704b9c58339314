"""Where data comes from, as a run's record pins it: files of the user's, an MCP server, or a connector."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlsplit

from pydantic import Field, model_validator

from fathom.data.fields import FieldMapping
from fathom.frozen import FrozenModel, later

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_SECRET = re.compile(r"auth|cookie|key|token|secret|password|credential", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_FLAG = re.compile(r"(?:--?(?:.*[-_])?|.*_)?(?:api[-_]?key|token|secret|password|passwd)", re.IGNORECASE)
"""A word of a command that says of the next, or of what follows a `=`, that it is a secret."""
_PASSWORD = re.compile(r"\w+://[^\s/@:]*:[^\s/@]+@")


class Server(FrozenModel):
    """An MCP server and what it may be asked."""

    url: str = ""
    """Address of a server that speaks streamable HTTP. In the value of a key or token, `$NAME` stands for a variable of
    the environment: so a secret must be written."""
    command: tuple[str, ...] = ()
    """What starts a server that speaks over its standard input and output."""
    headers: dict[str, str] = {}
    """Sent with each request to `url`. `$NAME` stands for a variable of the environment: so a secret must be written.
    """
    env: dict[str, str] = {}
    """Variables that `command` gets besides the few harmless ones; written like `headers`."""
    tools: tuple[str, ...] = ()
    """Names of the tools that may be called, `*` standing for anything. The default is all that declare that they only
    read, or declare nothing and are named so."""
    deny: tuple[str, ...] = ()
    """Names of the tools that may not, written in the same way."""
    timeout: float | None = Field(default=None, gt=0)
    """Seconds that a call may take. The default is the setting `mcp_timeout`."""

    @model_validator(mode="after")
    def _names_its_secrets(self) -> Server:
        if bool(self.url) == bool(self.command):
            raise ValueError("a server has either a url or a command")
        for name, value in (*self.headers.items(), *self.env.items()):
            if _SECRET.search(name) and not _VARIABLE.search(value):
                raise ValueError(f"{name} holds a secret: write $NAME there, and put the secret into that variable")
        for name, value in self.headers.items():
            if not _NAME.fullmatch(name) or not (value.isascii() and value.isprintable()):
                raise ValueError("a header is a name of letters, digits and hyphens, and a value of ASCII on one line")
        for name, value in _queried(self.url):
            if _SECRET.search(name) and value and not _VARIABLE.fullmatch(value):
                raise ValueError(f"its {name} is a secret: write $NAME there, and put the secret into that variable")
        if word := _told_by(self.command):
            raise ValueError(f"{word} tells a secret: give it as a variable under env in the settings, [mcp.NAME]")
        return self


class DataSource(FrozenModel):
    """Data that a run asks."""

    name: str = Field(min_length=1)
    """Its name in allocations, in the report and in a mapping."""
    paths: tuple[str, ...] = ()
    """Files and folders of the user's; empty for a server of somebody else's."""
    server: Server | None = None
    """That server."""
    connector: str = later("")
    """What makes a source of the user's own: `module:attribute`, or the name of an entry point."""
    mapping: dict[str, FieldMapping] = {}
    """Corrections of which field plays which part, by the name of the table, or of the dataset."""

    @property
    def address(self) -> str:
        """Where it is, for a person."""
        if self.server is None:
            return self.connector or ", ".join(self.paths)
        return self.server.url or " ".join(self.server.command)


def _queried(url: str) -> list[tuple[str, str]]:
    """The parts of an address's query, as they are written."""
    try:
        query = urlsplit(url).query
    except ValueError:  # it is refused where it is used
        return []
    return [(name, value) for name, _, value in (part.partition("=") for part in query.split("&"))]


def _told_by(command: Sequence[str]) -> str:
    """The word of a command by which it holds a secret in plain; empty when there is none."""
    for word, after in zip(command, (*command[1:], ""), strict=False):
        name, _, value = word.partition("=")
        if _FLAG.fullmatch(name) and (value or (name.startswith("-") and after and not after.startswith("-"))):
            return name
        if _PASSWORD.search(word):
            return "an address with a password"
    return ""


def filled_url(url: str, environment: Mapping[str, str]) -> str:
    """The address with each `$NAME` that stands for a key or a token replaced by that variable.

    >>> filled_url("https://a.example/mcp?api_key=$KEY&$top=5", {"KEY": "a b"})
    'https://a.example/mcp?api_key=a%20b&$top=5'

    Raises:
        KeyError: a variable is not set; its name.
    """
    for name, value in _queried(url):
        if _SECRET.search(name) and (found := _VARIABLE.fullmatch(value)):
            secret = quote(environment[found[1] or found[2]], safe="")
            url = url.replace(f"{name}={value}", f"{name}={secret}")
    return url


def filled_in(values: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """The values with every `$NAME` replaced by that variable.

    >>> filled_in({"Authorization": "Bearer $TOKEN"}, {"TOKEN": "abc"})
    {'Authorization': 'Bearer abc'}

    Raises:
        KeyError: a variable is not set; its name.
    """
    return {
        name: _VARIABLE.sub(lambda found: environment[found[1] or found[2]], value) for name, value in values.items()
    }
