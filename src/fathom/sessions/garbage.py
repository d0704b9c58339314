"""How often a service looks for garbage: nothing else goes on while it does."""

from __future__ import annotations

import gc

SELDOM = (2_000, 10, 100)
"""Thresholds of the three generations. The last one decides: a look at everything takes up to a second with many
sessions under way, and what a session leaves to it is little, so that once in two million new objects will do."""


def collect_seldom() -> None:
    """Have the collector of this process pass over what is there by now, and look at all the rest less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SELDOM)
