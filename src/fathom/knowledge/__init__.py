"""Files on this machine, and pages that were read, as sources: indexed and searched."""

from __future__ import annotations
