"""Stand-ins for what Fathom reaches out to: servers of models and of searches, a little web, and made-up data."""

from __future__ import annotations

__version__ = "0.1.0"
