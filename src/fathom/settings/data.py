"""The settings of research over structured data: which servers there are, and what they may take."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from fathom.data.servers import Server
from fathom.frozen import Described


class DataSettings(Described, BaseSettings):
    """One field per setting; the sentence under it is its row in the docs."""

    model_config = SettingsConfigDict(defer_build=True)

    mcp: dict[str, Server] = {}
    """MCP servers by name, so that `--mcp NAME` can ask them: each has a `url` or a `command`, and may have `headers`,
    `env`, `tools`, `deny` and `timeout`."""

    sources: dict[str, str] = {}
    """Sources of your own by name, so that `--source NAME` can ask them: each the `module:attribute` of a connector, or
    the name that a package has installed one by."""

    mcp_timeout: float = Field(default=60.0, gt=0)
    """Seconds that a call of a tool, or of a source of your own, may take."""

    mcp_max_bytes: int = Field(default=5_000_000, ge=10_000)
    """Bytes that one result of a tool may have."""

    data_mapping: Path | None = None
    """A TOML file that corrects which field of a dataset plays which part; `fathom dataset describe` writes one."""

    data_memory_mb: int = Field(default=1_024, ge=64)
    """Megabytes of memory that the server over your own files may take; what needs more goes to the disk."""

    data_max_reading: float = Field(default=120.0, gt=0)
    """Seconds that reading your own files in may take, before the first question to them."""

    data_timeout: float = Field(default=30.0, gt=0)
    """Seconds that one question to your own files may take."""

    data_max_disk_mb: int = Field(default=20_000, ge=100)
    """Megabytes of disk that the server over your own files may take for what it has read of them."""
