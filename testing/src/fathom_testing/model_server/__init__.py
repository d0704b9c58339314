"""A server that speaks the protocols of language models and answers without one, slowly and wrongly if told to."""

from __future__ import annotations

from fathom_testing.model_server.log import Entry
from fathom_testing.model_server.server import ModelServer

__all__ = ["Entry", "ModelServer"]
