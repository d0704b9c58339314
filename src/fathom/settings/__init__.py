"""Everything an operator can set: flag over environment (`FATHOM_…`) over `fathom.toml` over default."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from fathom.errors import ConfigurationError
from fathom.frozen import FrozenModel
from fathom.limits import Effort, ReasoningEffort
from fathom.settings.data import DataSettings
from fathom.settings.flags import Flag
from fathom.settings.service import ServiceSettings
from fathom.settings.web import WebSettings


class Price(FrozenModel):
    """What a model costs, in US dollars per million tokens."""

    input: float = Field(ge=0)
    """Of tokens sent."""
    output: float = Field(ge=0)
    """Of tokens received."""


KB_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
"""What a knowledge base may be called."""


class Settings(WebSettings, DataSettings, ServiceSettings):
    """One field per setting; the sentence under it is its row in the docs."""

    model_config = SettingsConfigDict(
        env_prefix="FATHOM_",
        env_nested_delimiter="__",
        toml_file="fathom.toml",
        extra="forbid",
        frozen=True,
        defer_build=True,
    )

    home: Path = Field(default_factory=lambda: user_data_path("fathom", appauthor=False))
    """Folder of the runs and knowledge bases. The default is the platform's folder for user data."""

    kb: str = Field(default="default", pattern=KB_NAME)
    """Name of the knowledge base."""

    reasoner: str | None = None
    """What answers the asks: `extractive`, which needs no model, no key and no network, or `language_model`. The
    default is `language_model` when a model is named, else `extractive`."""

    model: Annotated[str | None, Flag("models", "PROVIDER:MODEL")] = None
    """The language model, as `provider:model`: `ollama:llama3.1`, `anthropic:claude-sonnet-4-5`,
    `google_genai:gemini-2.5-flash`, or `openai:NAME` for OpenAI and every server that speaks its format."""

    model_fast: Annotated[str | None, Flag("models", "PROVIDER:MODEL")] = None
    """The model for asks that take little judgement. The default is `model`."""

    model_strong: Annotated[str | None, Flag("models", "PROVIDER:MODEL")] = None
    """The model for planning and writing. The default is `model`."""

    model_check: Annotated[str | None, Flag("models", "PROVIDER:MODEL")] = None
    """The model that checks what was written, which may be another one than has written it. The default is `model`."""

    model_effort: Annotated[ReasoningEffort | None, Flag("models", "none|low|medium|high")] = None
    """How long models that think may do so before they answer: `none`, `low`, `medium` or `high`. The default is the
    least that each provider knows; models that do not think ignore it."""

    model_fast_effort: ReasoningEffort | None = None
    """The same for asks that take little judgement. The default is `model_effort`."""

    model_strong_effort: ReasoningEffort | None = None
    """The same for planning and writing. The default is `model_effort`."""

    model_check_effort: ReasoningEffort | None = None
    """The same for checking. The default is `model_effort`."""

    prefer_local: Annotated[
        bool, Flag("models", told="Ask a model on this machine whatever does not need the strong one.")
    ] = False
    """Whether every ask but those for the strong model goes to a model on this machine."""

    fallback_model: Annotated[str | None, Flag("models", "PROVIDER:MODEL")] = None
    """The model to ask when another one gives no usable answer."""

    base_url: Annotated[str | None, Flag("models", "URL")] = None
    """Address of a server of your own that speaks OpenAI's or Ollama's format, such as `http://localhost:8080/v1`. A
    key that belongs to OpenAI is not sent there; `model_api_key` is."""

    model_api_key: SecretStr | None = None
    """The key of the model's server. Without it, the provider's own variable counts: `OPENAI_API_KEY`,
    `ANTHROPIC_API_KEY`, `GOOGLE_API_KEY`."""

    model_window: int | None = Field(default=None, ge=2_048)
    """Tokens that the model can read and write in one call. The default is what the provider says of the model."""

    model_timeout: float | None = Field(default=None, gt=0)
    """Seconds to wait for a model's answer. The default is 180, and 900 for a model on this machine, which may be slow.
    """

    model_concurrency: int | None = Field(default=None, ge=1)
    """Calls that one server of models gets at once; further ones wait without their time running. The default is 2 for
    Ollama, which works on few at a time, and no limit but `max_concurrency` for others."""

    model_stall: float = Field(default=60, gt=0)
    """Seconds without a word after which a streamed answer counts as stalled."""

    cache: Annotated[
        bool,
        Flag("models", name="no-cache", told="Ask a model again even what it has answered before.", value=False),
    ] = True
    """Whether a model is spared a request that it has answered before, in this run or an earlier one."""

    prompts: Annotated[Path | None, Flag("models", "DIR")] = None
    """Folder of prompts of your own: a file named like one of Fathom's replaces it."""

    prices: dict[str, Price] = {}
    """Prices of models, by `provider:model`, that Fathom does not know or knows wrong."""

    no_web: Annotated[
        bool, Flag("models", told="Let nothing leave this machine: no page, no hosted model, no socket.")
    ] = False
    """Whether nothing may leave this machine: a hosted model is then refused, and so is tracing to another host."""

    embedder: str | None = None
    """What turns text into vectors for the search, as `provider:model`; none is needed.
    `ollama:nomic-embed-text`, `openai:text-embedding-3-small` for OpenAI and every server that speaks its format, or
    `fastembed:FOLDER` for a model of your own that needs no server (extra `embeddings`)."""

    ranker: Annotated[str | None, Flag("models", "PROVIDER:MODEL")] = None
    """What compares paragraphs with a question in meaning where no language model answers, named like an `embedder`.
    The default is `use-m3`, a multilingual model that comes with Fathom and runs in its process; for English the model
    in `share/fathom/all-MiniLM-L6-v2` of Fathom's environment, where `make demo` puts one, looks at the best ones
    again, if the extra `embeddings` is there. Vectors are kept in `vectors.sqlite3`, which can be deleted. With `none`,
    words alone decide."""

    embedder_base_url: str | None = None
    """Address of the embedder's server. The default is `http://127.0.0.1:11434` for `ollama`, and
    `https://api.openai.com/v1` for `openai`."""

    embedder_api_key: SecretStr | None = None
    """The embedder's key. OpenAI needs one, a server of your own may not."""

    embedder_multilingual: bool = False
    """Whether the model of the embedder and the ranker knows other languages than English. If not, a query in Chinese,
    Japanese or Korean is searched by words alone, for such vectors would spoil it, and only questions in English are
    ranked by meaning. Of a `fastembed` model with a vocabulary of 100,000 tokens or more it is known."""

    effort: Effort = "standard"
    """How far a run goes when no limit says otherwise."""

    limits: dict[str, Any] = {}
    """Limits that differ from those of the effort, by name (`FATHOM_LIMITS__MAX_DEPTH=2`)."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags arrive as arguments; then the environment, then `fathom.toml` in the current folder."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings(**flags: Any) -> Settings:
    """The settings in force; a flag that is `None` was not given.

    Raises:
        ConfigurationError: names the setting that is wrong and why.
    """
    try:
        return Settings(**{name: value for name, value in flags.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(f"Setting '{name}' is wrong: {first['msg'].removeprefix('Value error, ')}.") from error
    except SettingsError as error:
        raise ConfigurationError(
            f'A setting cannot be read: {error}. In a variable, a table is written as JSON: {{"wikipedia": 1}}.'
        ) from error
    except ValueError as error:  # TOML that does not parse
        raise ConfigurationError(f"fathom.toml cannot be read: {error}.") from error
