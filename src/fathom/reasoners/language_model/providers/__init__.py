"""The providers of models: what differs between them in names, addresses, requests and answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import httpx
from pydantic import SecretStr

from fathom.limits import ReasoningEffort
from fathom.reasoners.language_model.addresses import host_of
from fathom.reasoners.language_model.schema import AnswerSchema
from fathom.registry import Registry
from fathom.urls import is_loopback

Method = Literal["json_schema", "tool", "json_mode", "text"]
"""A way of asking for an answer of a certain shape, the surest first."""

TEMPERATURE = 0.1
SEED = 7


@dataclass(frozen=True)
class ServerAddress:
    """Where a model is asked, and with which key."""

    address: str
    """Of the server, without a slash at the end."""
    key: SecretStr | None = None
    """`None` when none is needed: a placeholder is sent where a library insists on one."""
    key_setting: str = "model_api_key"
    """What holds the key, for whoever has to change it."""
    public: bool = False
    """Whether it is the provider's own public server."""

    @property
    def host(self) -> str:
        """Of the server, with the port when the address names one."""
        return host_of(self.address)

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

    @property
    def secret(self) -> str:
        """The key as it is sent; a placeholder when there is none, so that no library looks for one itself."""
        return self.key.get_secret_value() if self.key else "none"


class Options(NamedTuple):
    """What a request asks for besides its messages."""

    method: Method
    """How to ask for the schema."""
    schema: AnswerSchema | None
    """The shape of the answer; `None` for free text."""
    max_tokens: int
    """Of the answer."""
    window: int
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


class Chat(NamedTuple):
    """A chat model of LangChain, and what it holds open."""

    model: Any
    """A `BaseChatModel`."""
    errors: tuple[type[Exception], ...]
    """What its library raises."""
    close: Any
    """Awaited to let go of the connections."""


class Provider(ABC):
    """One model in its place, and how it is talked to."""

    name: ClassVar[str]
    """Before the colon in the settings."""
    extra: ClassVar[str]
    """What to install with Fathom for it."""
    package: ClassVar[str]
    """The package that the extra brings."""
    public: ClassVar[str]
    """Address of its own server."""
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

    @staticmethod
    @abstractmethod
    def address(url: str, *, setting: str) -> str:
        """An address as the operator writes it, in the form that is used here.

        Raises:
            ConfigurationError: it is none.
        """

    @abstractmethod
    def chat(self, *, timeout: float) -> Chat:
        """The chat model; imports its library, which takes a second. Never retries, never looks for a key itself.

        Raises:
            ImportError: the extra is missing.
        """

    @abstractmethod
    def arguments(self, options: Options) -> dict[str, Any]:
        """What a call of the chat model is given besides its messages."""

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
        return "check the network" if self.place.public else "start the server, or check its address"

    @abstractmethod
    async def look(self, client: httpx.AsyncClient) -> ServerInfo:
        """Ask the server what it has.

        Raises:
            httpx.HTTPError: it does not answer, or with an error.
            ValueError: the answer has another shape.
        """


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


def tool(schema: AnswerSchema) -> dict[str, Any]:
    """The one tool whose arguments are the answer, in the form that most libraries take."""
    function = {"name": schema.name, "description": "Give the answer.", "parameters": schema.body}
    return {"type": "function", "function": function}
