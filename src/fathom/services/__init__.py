"""Services behind HTTP, as those who search and those who read pages both ask them: addresses, keys, pace, failures."""

from __future__ import annotations
