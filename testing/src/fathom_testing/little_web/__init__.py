"""A web on this machine: hundreds of pages on many sites, with copies, traps and walls, and a search engine."""

from __future__ import annotations

from fathom_testing.little_web.log import Visit, fetched_twice
from fathom_testing.little_web.ranking import Entry, Ranking
from fathom_testing.little_web.server import LittleWeb
from fathom_testing.little_web.topics import Fact, Topic
from fathom_testing.little_web.traps import Trap
from fathom_testing.little_web.world import World

__all__ = ["Entry", "Fact", "LittleWeb", "Ranking", "Topic", "Trap", "Visit", "World", "fetched_twice"]
