"""The providers of models: one client for each format that their servers speak, over HTTP and nothing else."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import httpx
from pydantic import BaseModel, SecretStr, ValidationError

from fathom.limits import ReasoningEffort
from fathom.reasoners.language_model.completion import Message, Piece
from fathom.reasoners.language_model.schema import AnswerSchema
from fathom.registry import Registry
from fathom.services.addresses import checked_address
from fathom.urls import is_loopback
from fathom.version import __version__

Method = Literal["json_schema", "tool", "json_mode", "text"]
"""A way of asking for an answer of a certain shape, the surest first."""
ABSENT = (404, 405, 501)
"""Statuses of a server that does not know the path."""
TEMPERATURE = 0.1
SEED = 7


@dataclass(frozen=True)
class ServerAddress:
    """Where a model is asked, and with which key."""

    address: str
    """Of the server, without a slash at the end."""
    key: SecretStr | None = None
    """`None` when none is needed: none is sent."""
    key_setting: str = "model_api_key"
    """What holds the key, for whoever has to change it."""
    public: bool = False
    """Whether it is the provider's own public server."""

    @property
    def host(self) -> str:
        """Of the server, with the port when the address names one: what a reader knows it by.

        >>> ServerAddress("http://localhost:8080/v1").host, ServerAddress("https://api.openai.com/v1").host
        ('localhost:8080', 'api.openai.com')
        """
        return httpx.URL(self.address).netloc.decode("ascii")

    @property
    def is_loopback(self) -> bool:
        """Whether the server runs on this machine."""
        return is_loopback(httpx.URL(self.address).host)

    @property
    def http(self) -> dict[str, Any]:
        """What its client of HTTP is made with."""
        return {
            "follow_redirects": False,
            "trust_env": not self.is_loopback,  # a proxy knows nothing of this machine
            "verify": self.address.startswith("https:"),  # certificates take long to load
        }


class Options(NamedTuple):
    """What a request asks for besides its messages."""

    method: Method = "text"
    """How to ask for the schema."""
    schema: AnswerSchema | None = None
    """The shape of the answer; `None` for free text."""
    max_tokens: int = 0
    """Of the answer."""
    window: int = 0
    """Tokens that the model is to hold."""
    streamed: bool = False
    """Whether the answer is to come in pieces."""
    without: frozenset[str] = frozenset()
    """Parameters that the model does not take."""
    effort: ReasoningEffort | None = None
    """How long it may think before it answers; `None` leaves that to it."""

    def thinking(self, parameter: str) -> ReasoningEffort | None:
        """The effort, where one is wanted and the model takes the `parameter` for it."""
        return None if parameter in self.without else self.effort

    @property
    def sampling(self) -> dict[str, Any]:
        """Temperature and seed, as far as the model takes them."""
        wanted = {"temperature": TEMPERATURE, "seed": SEED}
        return {name: value for name, value in wanted.items() if name not in self.without}


class ServerInfo(NamedTuple):
    """What a server says of itself, without a token spent."""

    names: Sequence[str] | None
    """The models that it has; `None` when it does not say."""
    window: int | None = None
    """Tokens that the model holds; `None` when it does not say."""
    any_name: bool = False
    """Whether it takes every name for its one model."""


class Trouble(Exception):
    """A server says within an answer that something went wrong; the text is the JSON that it says so with."""


class Reply(BaseModel):
    """Base of what a server says. What is not expected is ignored; what is needed must be there."""

    error: None = None
    """Only of what is no answer."""

    @classmethod
    def of(cls, data: bytes) -> Self:
        """What a server says, in its shape.

        Raises:
            Trouble: it says that something went wrong.
            ValueError: it has another shape.
        """
        try:
            return cls.model_validate_json(data)
        except ValidationError:
            said = json.loads(data)
            if isinstance(said, dict) and said.get("error"):
                raise Trouble(json.dumps({"error": said["error"]})) from None
            # what JSON can spell and no file takes: halves of characters
            return cls.model_validate_json(json.dumps(said, ensure_ascii=False).encode("utf-8", "replace"))


class Provider(ABC):
    """One model in its place, and how it is talked to."""

    name: ClassVar[str]
    """Before the colon in the settings."""
    public: ClassVar[str]
    """Address of its own server."""
    added: ClassVar[str] = ""
    """A pattern of what its paths begin with: it is taken off an address that ends in it."""
    headers: ClassVar[Mapping[str, str]] = {"Authorization": "Bearer {key}"}
    """Of every request; those that name the key are left out when there is none."""
    address_variables: ClassVar[Sequence[str]]
    """Environment variables that name another address."""
    key_variables: ClassVar[Sequence[str]]
    """Environment variables that hold the key."""
    needs_key: ClassVar[bool] = True
    """Whether its public server refuses whoever has no key."""
    own_server: ClassVar[bool] = False
    """Whether people run servers of their own that speak its format: what `base_url` is meant for first."""
    at_once: ClassVar[int | None] = None
    """Calls that its server works on side by side, when these are few."""
    methods: ClassVar[Sequence[Method]] = ("json_schema", "tool", "json_mode", "text")
    """How it may be asked for structured answers, best first."""
    parameters: ClassVar[frozenset[str]]
    """Names of what can be left out when the model does not take it."""

    def __init__(self, model: str, place: ServerAddress) -> None:
        """`model` is the name as the provider knows it."""
        self.model = model
        self.place = place
        self._http: httpx.AsyncClient | None = None

    @classmethod
    def address(cls, url: str, *, setting: str) -> str:
        """An address as the operator writes it, in the form that is used here.

        Raises:
            ConfigurationError: it is none.
        """
        return re.sub(f"{cls.added}$", "", checked_address(url, setting=setting, key_setting="model_api_key"))

    @abstractmethod
    def request(self, messages: Sequence[Message], options: Options) -> tuple[str, dict[str, Any]]:
        """The path behind the address, and what is posted there as JSON."""

    @abstractmethod
    def read(self, data: bytes) -> Piece:
        """What a message of the server brings: a whole answer, or a piece of one.

        Raises:
            Trouble: it says that something went wrong.
            ValueError: it has another shape.
        """

    @abstractmethod
    async def look(self) -> ServerInfo:
        """Ask the server what it has.

        Raises:
            httpx.HTTPError: it does not answer, or with an error.
            ValueError: the answer has another shape.
        """

    async def answer(self, messages: Sequence[Message], options: Options) -> AsyncGenerator[Piece, None]:
        """The answer, in pieces when that is asked for. Never tried again.

        Raises:
            httpx.HTTPError: it does not answer, or with an error.
            Trouble, ValueError: as for `read`.
        """
        path, body = self.request(messages, options)
        async with self.http.stream("POST", path, json=body) as reply:
            if not reply.is_success:
                await reply.aread()
                reply.raise_for_status()
            if not options.streamed:
                yield self.read(await reply.aread())
                return
            async for line in _lines(reply):  # events of which each has one line of data, or JSON line by line
                data = line.removeprefix(b"data:").strip()
                if data.startswith(b"{"):
                    yield self.read(data)

    @property
    def http(self) -> httpx.AsyncClient:
        """What its server is asked by, in one event loop."""
        if self._http is None:
            key = self.place.key.get_secret_value() if self.place.key else ""
            headers = {name: text.format(key=key) for name, text in self.headers.items() if key or "{key}" not in text}
            self._http = httpx.AsyncClient(
                base_url=self.place.address,
                headers={"User-Agent": f"Fathom/{__version__}", **headers},
                timeout=None,  # Fathom's own limits do not count while this machine is busy
                **self.place.http,
            )
        return self._http

    async def close(self) -> None:
        """Close its connections; the next request opens new ones."""
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()

    def tells_schema(self, method: Method) -> bool:
        """Whether the model gets to read the schema without finding it in the prompt."""
        return method in ("json_schema", "tool")

    @property
    def thinks(self) -> bool:
        """Whether tokens of thought count as tokens of the answer."""
        return False

    @property
    def missing(self) -> str:
        """What to do when there is no such model."""
        return f"set model to one that it has, not '{self.model}'"

    @property
    def unreachable(self) -> str:
        """What to do when nothing answers."""
        return "check the network" if self.place.public else "start the server, or check base_url"


known_providers: Registry[type[Provider]] = Registry(
    "provider",
    group="",  # no package adds one
    builtin={
        "anthropic": "fathom.reasoners.language_model.providers.anthropic:Anthropic",
        "google_genai": "fathom.reasoners.language_model.providers.google:Google",
        "ollama": "fathom.reasoners.language_model.providers.ollama:Ollama",
        "openai": "fathom.reasoners.language_model.providers.openai:OpenAI",
    },
)


async def _lines(reply: httpx.Response) -> AsyncIterator[bytes]:
    """The lines of a stream. Those of `httpx` end at characters, too, that may stand in a text."""
    rest = b""
    async for chunk in reply.aiter_bytes():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line
    yield rest
