"""Datasets behind MCP servers: our own server over the user's files, and anybody's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fathom.data.servers import DataSource
from fathom.settings import Settings

if TYPE_CHECKING:
    from fathom.ports.data import Dataset


def open_dataset(source: DataSource, settings: Settings) -> Dataset:
    """The data of `source`. Nothing is started or asked before it is described or called.

    Raises:
        ConfigurationError: a variable of a server is not set, its address is none, or nothing may leave this machine.
    """
    from fathom.tools.dataset import ToolDataset

    return ToolDataset(source, settings)
