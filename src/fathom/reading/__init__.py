"""How content becomes text: the structure of each format, its blocks with their offsets, and the chunks of these."""

from __future__ import annotations
