"""Everything an operator can set: flag over environment (`FATHOM_…`) over `fathom.toml` over default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from fathom.errors import ConfigurationError
from fathom.limits import Effort


class Settings(BaseSettings):
    """One field per setting; the sentence under it is its row in the docs."""

    model_config = SettingsConfigDict(
        env_prefix="FATHOM_",
        env_nested_delimiter="__",
        toml_file="fathom.toml",
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
    )

    home: Path = Field(default_factory=lambda: user_data_path("fathom", appauthor=False))
    """Folder of the runs and knowledge bases. The default is the platform's folder for user data."""

    kb: str = Field(default="default", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
    """Name of the knowledge base."""

    reasoner: str = "extractive"
    """What answers the asks. `extractive` needs no model, no key and no network."""

    embedder: str | None = None
    """What turns text into vectors for the search, as `provider:model`; none is needed.
    `ollama:nomic-embed-text`, or `openai:text-embedding-3-small` for OpenAI and every server that speaks its format."""

    embedder_base_url: str | None = None
    """Address of the embedder's server. The default is `http://127.0.0.1:11434` for `ollama`, and
    `https://api.openai.com/v1` for `openai`."""

    embedder_api_key: SecretStr | None = None
    """The embedder's key. OpenAI needs one, a server of your own may not."""

    embedder_multilingual: bool = False
    """Whether the embedder's model knows Chinese, Japanese and Korean. If not, a query in these is searched by words
    alone, for such vectors would spoil it."""

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
        raise ConfigurationError(f"Setting '{name}' is wrong: {first['msg']}.") from error
    except ValueError as error:  # TOML that does not parse
        raise ConfigurationError(f"fathom.toml cannot be read: {error}.") from error
