"""One language model: what it holds and costs, and one request to it, with every failure in our own words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing

import httpx

from fathom.errors import BudgetSpent, MalformedReply, ProviderError, RateLimited, Unavailable, Unreachable
from fathom.limits import ReasoningEffort, Tier
from fathom.outcomes import Within
from fathom.ports import Calls, CallUsage
from fathom.reasoners.language_model.completion import Completion, Message
from fathom.reasoners.language_model.failures import Asked, ParameterRefused, failure
from fathom.reasoners.language_model.json_text import answer_in
from fathom.reasoners.language_model.pace import ModelPace
from fathom.reasoners.language_model.prices import DEAREST, FREE, cost, size_of
from fathom.reasoners.language_model.providers import Method, Options, Provider, ServerInfo, Trouble
from fathom.reasoners.language_model.reading import read
from fathom.reasoners.language_model.schema import AnswerSchema
from fathom.reasoners.language_model.tokens import count_tokens
from fathom.settings import Price

IN_A_ROW = 4
"""Asks without a usable answer, one after the other, before a model is left alone for a while."""
REST_SECONDS = 60.0
"""How long then; twice as long each further time."""
ROOM_FOR_THOUGHT = 4_000
"""Tokens that a model which thinks before it answers may take more than its answer has."""
LEAST_TOLD = 3
"""A provider that tells fewer tokens than one in so many of those that Fathom counts is not believed."""
FRAME = 200
"""Tokens that a provider may put around a prompt: roles, and the shape of the answer in words of its own."""
PATIENCE = 30.0
"""Seconds that a request waits for a host that has asked us to wait."""
GONE_SECONDS = 600.0
"""How long a server that is gone is waited for at most, over all asks, until it answers again."""
NEVER_SECONDS = 30.0
"""How long one that has answered nothing yet."""
PROBE_SECONDS = 2.0
"""How often it is looked for meanwhile."""
LOOK_SECONDS, LONGEST_LOOK = 5.0, 20.0
"""For asking a server what it has."""
_MISHAPS = (httpx.HTTPError, Trouble, OSError, ValueError, RecursionError)
"""What can come of asking a stranger."""
_HOSTED_SECONDS = 180.0
_LOCAL_SECONDS = 900.0
_HOSTED_WINDOW = 128_000
_LOCAL_WINDOW = 8_192
_SMALLEST_WINDOW = 2_048
_OUTPUT_SHARE = 0.5  # of the window, for models whose bound is not known
_DIFFERENT_FORMS = 2  # answers in a row that were no use in one form, before another form is the usual one


class Model:
    """A model that can be asked. Nothing is opened before it is."""

    def __init__(
        self,
        provider: Provider,
        *,
        pace: ModelPace,
        price: Price | None = None,
        window: int | None = None,
        timeout: float | None = None,
        stall: float = 60.0,
        at_once: int | None = None,
    ) -> None:
        """`window` is in tokens, `timeout` and `stall` are in seconds, `at_once` is a number of calls."""
        self.provider = provider
        self.name = f"{provider.name}:{provider.model}"
        """`provider:model`."""
        self.address = provider.place.address
        """Of its server."""
        self.host = provider.place.host
        """Of its server, as a reader knows it: `api.openai.com`, `localhost:8080`."""
        self.is_local = provider.place.is_loopback and not provider.model.endswith(("-cloud", ":cloud"))
        """Whether what it is sent stays on this machine. A server here may pass a model of the cloud on."""
        self.out_of_order: ProviderError | None = None
        """Why it is not asked any more: the key is wrong, or there is no such model."""
        self._failed: list[ProviderError] = []
        self._rests_until = 0.0  # by the event loop's clock
        self._rest = REST_SECONDS
        self._patience = NEVER_SECONDS
        self._gone_until: float | None = None
        """When nobody waits for its server any more, by the event loop's clock; `None` while it answers."""
        self._pace = pace
        self._timeout = timeout or (_LOCAL_SECONDS if provider.place.is_loopback else _HOSTED_SECONDS)
        self._looks = min(timeout or LOOK_SECONDS, LONGEST_LOOK)
        self._at_once = at_once or provider.at_once
        self._stall = stall
        self._own_window = window
        self._found_window: int | None = None
        self._size = size_of(provider.name, provider.model) if provider.place.public and not self.is_local else None
        self.price = FREE if price is None and self.is_local else price
        """`None` when it is not known."""
        self._thinks = provider.thinks
        self._counts = 1.0  # of its tokens for one of Fathom's, at most
        self._without: frozenset[str] = frozenset()
        self._refused: set[Method] = set()
        self._useless: dict[Method, int] = {}
        self._looking = asyncio.Lock()
        self._asked = Asked(provider)

    @property
    def max_output(self) -> int:
        """Tokens that it writes in one call at most."""
        known = self._own_window or self._found_window or _LOCAL_WINDOW
        return self._size.output if self._size else round(known * _OUTPUT_SHARE)

    async def window(self) -> int:
        """Tokens that it reads and writes in one call: as set, as known, as its server says, or as is usual."""
        if self._own_window is None:
            async with self._looking:
                if self._found_window is None and self._size is None:
                    try:
                        await self.look()
                    except ProviderError:
                        # whoever asks the model itself will be told why, and one that comes back is looked at
                        self._found_window = self.known_window
        return self.known_window

    @property
    def known_window(self) -> int:
        """The same, without asking the server."""
        known = self._own_window or self._found_window or (self._size and self._size.window)
        return known or (_LOCAL_WINDOW if self.is_local else _HOSTED_WINDOW)

    async def look(self) -> ServerInfo:
        """Ask the server what it has; takes no token and a few seconds at most.

        Raises:
            ProviderError: it does not answer, or refuses access.
        """
        try:
            async with asyncio.timeout(self._looks):
                found = await self.provider.look()
        except _MISHAPS as error:
            raise failure(error, self._asked, seconds=self._looks) from error
        if found.window is not None:
            self._found_window = max(found.window, _SMALLEST_WINDOW)
        elif self._size is None:
            self._found_window = _LOCAL_WINDOW if self.is_local else _HOSTED_WINDOW
        return found

    def room(self, answer_tokens: int, *, effort: ReasoningEffort | None = None) -> int:
        """Tokens that an answer of that length may take, thoughts included."""
        thinks = self._thinks if effort is None else effort != "none"
        return min(answer_tokens + thinks * ROOM_FOR_THOUGHT * (2 if effort == "high" else 1), self.max_output)

    def expected(self, tier: Tier, *, sent: int, received: int, room: int) -> CallUsage:
        """What a call will take, and, held against the caps, what it can take: a prompt longer than Fathom counts by
        what this model was seen to count more, and an answer as long as it may be."""
        held = (round(sent * self._counts) + FRAME, room)
        return self.usage(tier, sent=sent, received=received, estimated=True, held=held)

    def taken(self, tier: Tier, completion: Completion, *, sent: int, room: int) -> CallUsage:
        """What a call took that has sent so many tokens, as Fathom counts; an answer that was cut has filled its room.
        A provider that tells less than a third of that is not believed, and the caps are held against no less."""
        received = room if completion.finish == "length" else count_tokens(completion.text)
        told = (completion.prompt_tokens or 0, completion.completion_tokens or 0)
        self._counts = max(self._counts, told[0] / max(1, sent))
        is_likely = None not in completion and LEAST_TOLD * told[0] >= sent and LEAST_TOLD * told[1] >= received
        believed = told if is_likely else (max(told[0], sent), max(told[1], received))
        return self.usage(tier, sent=believed[0], received=believed[1], estimated=not is_likely, held=(sent, received))

    def usage(
        self, tier: Tier, *, sent: int, received: int, estimated: bool = False, held: tuple[int, int] = (0, 0)
    ) -> CallUsage:
        """What a call with so many tokens takes; the caps are held against no fewer than `held`, sent and received."""
        most = (max(sent, held[0]), max(received, held[1]))
        price = self.price or DEAREST
        return CallUsage(
            model=self.name,
            tier=tier,
            prompt_tokens=sent,
            completion_tokens=received,
            cost_usd=cost(price, sent=sent, received=received),
            priced=self.price is not None,
            estimated=estimated,
            held_tokens=sum(most),
            held_usd=cost(price, sent=most[0], received=most[1]),
        )

    @property
    def methods(self) -> list[Method]:
        """Ways of asking for structured answers that are worth a try, the usual one first. Never empty."""
        left = [method for method in self.provider.methods if method not in self._refused]
        usual = [method for method in left if self._useless.get(method, 0) < _DIFFERENT_FORMS]
        return usual or left or ["text"]

    def refuses(self, method: Method) -> None:
        """Remember that the provider does not take `method`."""
        self._refused.add(method)

    def learn(self, method: Method, *, useful: bool) -> None:
        """Remember whether an answer by `method` was of use: what fails twice in a row is no longer usual."""
        self._useless[method] = 0 if useful else self._useless.get(method, 0) + 1

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: AnswerSchema | None = None,
        method: Method = "text",
        max_tokens: int,
        effort: ReasoningEffort | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> Completion:
        """One answer of at most `max_tokens`, thoughts included. `tell` is called with each piece of it as it comes.

        A parameter that the model does not take is left out from then on, at no cost.

        Raises:
            ProviderError: no answer, of the kinds that `failures` tells apart; `MethodRefused` says that another way
                of asking may work.
        """
        window = await self.window()
        while True:
            options = Options(method, schema, max_tokens, window, tell is not None, self._without, effort)
            try:
                completion = await self._once(messages, options, tell)
                # thoughts have eaten the room for the answer: the next one has more
                self._thinks = self._thinks or (completion.finish == "length" and not answer_in(completion.text))
                return completion
            except ParameterRefused as error:
                self._without |= {error.parameter}
            except RateLimited as error:
                if error.retry_after is not None:
                    self._pace.hold(self.host, error.retry_after)
                raise

    def see_whether_in_order(self) -> None:
        """Say again why it is not asked any more, or not for now, if so.

        Raises:
            ProviderError: the reason.
        """
        if self.out_of_order is not None:
            raise type(self.out_of_order)(str(self.out_of_order))
        if self._failed and asyncio.get_running_loop().time() < self._rests_until:
            raise type(self._failed[-1])(str(self._failed[-1]))

    def has_answered(self) -> None:
        """An ask got a usable answer."""
        self._failed.clear()
        self._patience, self._gone_until = GONE_SECONDS, None
        self._rest = REST_SECONDS

    def has_failed(self, error: ProviderError) -> None:
        """An ask got none. A model that fails again and again is left alone: its tries take time, and may cost money.

        What another prompt may not meet does not count: a refusal, a prompt that is too long.
        """
        if not isinstance(error, Unavailable | RateLimited | MalformedReply) or error in self._failed:
            return
        self._failed.append(error)
        now = asyncio.get_running_loop().time()
        if len(self._failed) >= IN_A_ROW and now >= self._rests_until:
            self._rests_until, self._rest = now + self._rest, self._rest * 2

    async def comes_back(self, error: Unavailable, calls: Calls, *, is_first: bool) -> bool:
        """Whether it is worth asking again after `error`: its server was gone, and by now answers when it is looked at.
        For so long the caller waits. A server that answers at once was gone if it could not be reached, the first time.

        Raises:
            LimitReached: as for `Calls.wait`.
            Unavailable: `error`, when the run has no time left to wait.
        """
        time = asyncio.get_running_loop().time
        is_back = is_first and isinstance(error, Unreachable) and not error.charged
        while self._gone_until is None or time() < self._gone_until:
            try:
                await self.look()
                return is_back
            except Unavailable:
                is_back = True
            except ProviderError:  # it answers, though not to this
                return is_back
            told = (
                f"{error} It is waited for, {self._patience:.0f} seconds at most." if self._gone_until is None else ""
            )
            self._gone_until = self._gone_until or time() + self._patience
            try:
                await calls.wait(PROBE_SECONDS, gone=told)
            except BudgetSpent as spent:
                raise error from spent
        return False

    def place_at_host(self) -> AbstractAsyncContextManager[None]:
        """One of the calls that its host gets at once; whoever asks it in a run holds one for as long as that takes."""
        return self._pace.slot(self.host, most=self._at_once)

    async def turn(self, wait: Callable[[float], Awaitable[None]]) -> None:
        """Wait until the host may be asked again; not for long. `wait` is how to wait so many seconds.

        Raises:
            RateLimited: it would take too long.
        """
        while (left := self._pace.left(self.host)) > 0:
            if left > PATIENCE:
                raise RateLimited(
                    f"{self._asked.who} asks us to wait {left:.0f} seconds: try again then, or set fallback_model.",
                    retry_after=left,
                )
            await wait(left)

    async def close(self) -> None:
        """Close its connections; the next request opens new ones."""
        await self.provider.close()

    async def _once(
        self, messages: Sequence[Message], options: Options, tell: Callable[[str], None] | None
    ) -> Completion:
        asked = Asked(self.provider, options, "\n".join(message.text for message in messages))
        try:
            async with (
                Within(self._timeout),  # its own, which this machine's being busy does not use up
                aclosing(self.provider.answer(messages, options)) as pieces,
            ):
                return await read(pieces, asked, tell, stall=self._stall)
        except _MISHAPS as error:
            raise failure(error, asked, seconds=self._timeout) from error
