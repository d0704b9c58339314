"""A server that speaks the formats of the providers of searches, from one corpus, and fails as they do if told to."""

from __future__ import annotations

from fathom_testing.little_web.ranking import Entry
from fathom_testing.search_server.faults import Fault
from fathom_testing.search_server.server import SearchServer, Seen

__all__ = ["Entry", "Fault", "SearchServer", "Seen"]
