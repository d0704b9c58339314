"""How often a service looks for garbage: nothing else goes on while it does."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = (2_000, 10, 100)
"""Thresholds of the three generations. The last one decides: a look at everything takes up to a second with many
sessions under way, and what a session leaves to it is little, so that once in two million new objects will do."""


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Have the collector of this process pass over what is there by now, and look at all the rest less often, until the
    end of the block: what is still passed over when the process ends, some libraries take for leaked, and say so."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
