"""What the runs of a service share: one store, one queue, one view of the graphs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from fathom.outcomes import in_thread
from fathom.settings import Settings
from fathom.wiring.adapters import checkpoints_for, opened_reasoner, opened_store, queue_of, tokens_of
from fathom.wiring.shared import Shared
from fathom.wiring.web import rules_for

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from fathom.ports import RunStore
    from fathom.ports.queue import RunQueue
    from fathom.ports.tokens import TokenStore


class Resources(NamedTuple):
    """Open for as long as the service runs."""

    settings: Settings
    """Those of the service; a run may have its own on top."""
    store: RunStore
    """The runs."""
    queue: RunQueue
    """Those of them that wait for a worker, or have one."""
    saver: BaseCheckpointSaver[Any] | None
    """Where the graphs' states can be looked at."""
    tokens: TokenStore
    """Who is let in."""
    shared: Shared
    """The sources that several of them ask."""


@asynccontextmanager
async def opened_resources(settings: Settings) -> AsyncIterator[Resources]:
    """What the runs of a service share.

    Raises:
        ConfigurationError: no run could begin: there is no such model, reasoner or provider of searches.
        StoreError: a file cannot be used.
    """
    rules_for(settings.model_copy(update={"web": True}))  # a session may ask the web whatever the others do
    await in_thread(_get_ready)
    async with AsyncExitStack() as stack:
        async with opened_reasoner(settings) as reasoner:
            store = await stack.enter_async_context(opened_store(settings))
            saver = await checkpoints_for(stack, reasoner, settings)
        yield Resources(settings, store, queue_of(store), saver, tokens_of(store), Shared(stack))


def _get_ready() -> None:
    """Import what a run takes: done with the first one, it would keep everybody waiting for seconds."""
    for name in (
        "fathom.engine.run",
        "fathom.sources",
        "fathom.knowledge.knowledge_base",
        "fathom.reasoners.extractive",
    ):
        import_module(name)


@asynccontextmanager
async def opened_tokens(settings: Settings) -> AsyncIterator[TokenStore]:
    """The tokens alone.

    Raises:
        StoreError: the file cannot be used.
    """
    async with opened_store(settings) as store:
        yield tokens_of(store)
