"""Files on this machine as a source: read, cut into passages, indexed and searched."""

from __future__ import annotations
