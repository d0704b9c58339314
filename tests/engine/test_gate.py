"""The gate under a cap: what is kept for whoever matters more, and that nobody waits for ever."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from fathom.engine.gate import Gate


async def entered(gate: Gate, priority: float) -> None:
    await gate.enter((priority,))
    await asyncio.sleep(0)
    gate.leave()


async def test_what_is_kept_for_another_one_is_free_when_that_has_ended() -> None:
    gate = Gate(4, left=lambda: 6, kept=6)
    with gate.share((1.0,)):
        waits = asyncio.create_task(entered(gate, 2.0))
        await entered(gate, 1.0)
        assert not waits.done()
    await waits


async def test_whoever_waits_for_others_below_it_keeps_nothing_from_them() -> None:
    gate = Gate(4, left=lambda: 6, kept=6)
    with gate.share((1.0,)), gate.share((1.0,), step=-1), gate.share((2.0,)):
        await asyncio.wait_for(entered(gate, 2.0), 5)


@given(
    subtasks=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=1, max_size=12),
    slots=st.integers(1, 6),
    most=st.integers(0, 60),
)
def test_every_call_gets_through_and_none_beside_the_slots(
    subtasks: list[tuple[int, int]], slots: int, most: int
) -> None:
    """Also where a subtask waits for another one's call, which the gate cannot know."""
    made, inside = 0, 0

    async def research(gate: Gate, priority: int, calls: int, before: asyncio.Event | None) -> None:
        nonlocal made, inside
        with gate.share((float(priority),)):
            if before:
                await before.wait()
            for _ in range(calls):
                await gate.enter((float(priority),))
                made, inside = made + 1, inside + 1
                assert inside <= slots
                await asyncio.sleep(0)
                inside -= 1
                gate.leave()

    async def run() -> None:
        gate = Gate(slots, left=lambda: most - made)
        first, *others = subtasks
        is_done = asyncio.Event()

        async def least() -> None:
            await research(gate, 9, 1, None)
            is_done.set()

        others_too = (research(gate, *each, None) for each in others)
        await asyncio.gather(research(gate, *first, is_done), least(), *others_too)

    asyncio.run(asyncio.wait_for(run(), 60))
    assert made == 1 + sum(calls for _, calls in subtasks)
