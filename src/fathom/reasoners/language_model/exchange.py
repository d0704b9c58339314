"""One structured exchange with a model: asked in the best form that it knows, repaired once, tried again, handed on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import ValidationError

from fathom.asks import Ask
from fathom.errors import ContextTooLong, MalformedReply, ProviderError, Unavailable
from fathom.frozen import FrozenModel
from fathom.limits import ReasoningEffort
from fathom.ports import Calls, ModelCall, ModelReply
from fathom.prompts import Rendered
from fathom.reasoners.language_model.completion import Message
from fathom.reasoners.language_model.failures import MethodRefused
from fathom.reasoners.language_model.json_text import WrittenBlocks, finished_part, json_object
from fathom.reasoners.language_model.model import Model
from fathom.reasoners.language_model.models import Models
from fathom.reasoners.language_model.policy import Backoff, policy_for
from fathom.reasoners.language_model.providers import SEED, TEMPERATURE, Method
from fathom.reasoners.language_model.schema import AnswerSchema, schema_of
from fathom.reasoners.language_model.task import Draft, Read, Wire
from fathom.reasoners.language_model.tokens import count_tokens
from fathom.text.harmless import inert
from fathom.text.phrases import phrases

A = TypeVar("A", bound=FrozenModel)

USUAL_ANSWER = 800
"""Tokens that an answer is expected to take, unless it has less room."""
ONLY_THOUGHTS = "the answer is empty: all that was written are thoughts, in a field of their own"
_SHOWN_AGAIN = 6_000  # characters of its own answer that a model is shown
_SHOWN_LEAST = 200
_FAULTS = 5  # wrong fields that a model is told of at once
_SCHEMA = "\n\nAnswer with one JSON object and nothing else. Its JSON schema:\n```json\n{schema}\n```"
_SHAPE = "\n\nAnswer with one JSON object and nothing else, of this shape:\n{shape}"
_REPAIR = "Your answer cannot be used: {error}. Give the whole answer again, as one JSON object."


async def exchange(
    models: Models, draft: Draft[A], rendered: Rendered, *, ask: Ask[Any], calls: Calls, answer_tokens: int
) -> Read[A]:
    """What a draft, rendered for an ask, makes of the model's answer.

    The model of the ask's tier is asked, and when it gives no usable answer, the fallback model. What the draft finds
    wrong with an answer is shown to the model once. `answer_tokens` is the room for the answer.

    Raises:
        LimitReached: the run has stopped.
        ContextTooLong: the prompt has to be shorter.
        ProviderError: no usable answer: the last failure, of the fallback model when there is one.
    """
    teller = _Teller(calls, phrases(ask.language).summary) if draft.streamed else None
    candidates = [models.for_tier(ask.tier)]
    if models.fallback is not None and models.fallback is not candidates[0]:
        candidates.append(models.fallback)
    for model in candidates:
        if model is not candidates[0]:
            await _see_whether_it_fits(rendered, draft.schema, model, answer_tokens=answer_tokens)
        is_last = model is candidates[-1]
        asking = _Asking(model, models.backoff, draft, ask, calls, answer_tokens, teller, is_last)
        asking.effort = models.efforts.get(ask.tier)
        try:
            answer = await asking.answer(rendered)
            model.has_answered()
            return answer
        except ProviderError as error:
            policy = policy_for(error)
            if policy.out_of_order:
                model.out_of_order = error
            model.has_failed(error)
            if not policy.another_model or is_last:
                raise
    raise AssertionError("the last candidate returns or raises")


async def _see_whether_it_fits(rendered: Rendered, schema: type[Wire], model: Model, *, answer_tokens: int) -> None:
    """A prompt was made for another model, and some servers cut what is too long without a word.

    Raises:
        ContextTooLong: the model does not hold it with its answer.
    """
    taken = count_tokens(rendered.system) + count_tokens(rendered.user) + count_tokens(schema_of(schema).text)
    if taken + answer_tokens > await model.window():
        raise ContextTooLong(
            f"The model '{inert(model.name, width=100)}' at {model.host} holds less than the prompt and its answer: "
            "name a fallback_model with a larger window."
        )


class _Useless(Exception):
    """An answer that cannot be used."""

    def __init__(self, message: str, *, unshaped: bool = False, no_json: bool = False) -> None:
        super().__init__(message)
        self.unshaped = unshaped
        """Whether another form may help: it has not the shape that was asked for."""
        self.no_json = no_json
        """Whether it holds no object at all."""


class _Given(NamedTuple):
    """An answer, and the form in which it was asked for."""

    reply: ModelReply
    method: Method


@dataclass
class _Asking(Generic[A]):
    """One model, asked for one answer."""

    model: Model
    backoff: Backoff
    draft: Draft[A]
    ask: Ask[Any]
    calls: Calls
    answer_tokens: int
    teller: _Teller | None
    is_last: bool
    """Whether no other model is asked then: a server that is gone is waited for."""
    effort: ReasoningEffort | None = None
    """How long it may think."""
    has_come_back: bool = False
    waited: float = 0.0
    refused: list[Method] = field(default_factory=list)

    async def answer(self, rendered: Rendered) -> Read[A]:
        """The answer, after one repair at most."""
        start = (Message("system", rendered.system), Message("user", rendered.user))
        forms: Sequence[Method] = self.model.methods
        first = await self._asked(start, forms)
        try:
            return self._used(first)
        except _Useless as error:
            wrong = error
        forms = self._forms_after(first, wrong, forms)
        try:
            repair = (*start, *await self._repair(start, first.reply, wrong))
            # what was no use twice in an earlier run must not be so for ever
            second = await self._asked(repair, forms, usable=self._is_usable)
            return self._used(second)
        except (_Useless, ContextTooLong) as error:
            told = error if isinstance(error, _Useless) else wrong
            raise MalformedReply(
                f"The model '{inert(self.model.name, width=100)}' at {self.model.host} gave no usable answer twice: "
                f"{inert(str(told), width=200)}."
            ) from error

    def _is_usable(self, reply: ModelReply) -> bool:
        try:
            self.draft.read(self.draft.schema.model_validate(json_object(reply.text)))
        except ValueError:
            return False
        return True

    def _used(self, given: _Given) -> Read[A]:
        """What the answer means; of a cut one, what of it is whole.

        Raises:
            _Useless: nothing that can be used.
        """
        cut = given.reply.finish == "length"
        try:
            wire = self.draft.schema.model_validate(json_object(given.reply.text))
        except ValueError as error:
            if cut:
                return self._finished(given, error)
            self.model.learn(given.method, useful=False)
            wrong = ONLY_THOUGHTS if given.reply.only_thoughts else _told(error)
            raise _Useless(wrong, unshaped=True, no_json=not isinstance(error, ValidationError)) from error
        self.model.learn(given.method, useful=True)
        try:
            return self.draft.read(wire)
        except ValueError as error:
            raise _Useless(_told(error)) from error

    def _finished(self, given: _Given, wrong: ValueError) -> Read[A]:
        """What those items of a cut answer mean that came whole: they are paid for.

        Raises:
            _Useless: there are none, or they mean nothing.
        """
        try:
            return replace(
                self.draft.read(self.draft.schema.model_validate(finished_part(given.reply.text))), is_cut=True
            )
        except ValueError:
            thought = " of thoughts" if given.reply.only_thoughts else ""
            raise _Useless(f"it was cut after {self.answer_tokens} tokens{thought}: write less") from wrong

    def _forms_after(self, given: _Given, wrong: _Useless, forms: Sequence[Method]) -> Sequence[Method]:
        """The forms to ask in again: a lower one when the answer had not the shape, the lowest when it had none."""
        left = [method for method in forms if method not in self.refused]
        lower = left[left.index(given.method) + 1 :]
        if not wrong.unshaped or not lower:
            return [given.method, *lower]
        return lower[-1:] if wrong.no_json else lower

    async def _repair(self, start: Sequence[Message], reply: ModelReply, wrong: _Useless) -> tuple[Message, Message]:
        """The model's own answer, as much as fits, and what is wrong with it."""
        taken = sum(count_tokens(message.text) for message in start) + count_tokens(schema_of(self.draft.schema).text)
        room = await self.model.window() - taken - self.answer_tokens - USUAL_ANSWER // 4
        shown = reply.text[: max(_SHOWN_LEAST, min(_SHOWN_AGAIN, room))].strip() or "(nothing)"
        return Message("assistant", shown), Message("user", _REPAIR.format(error=wrong))

    async def _asked(
        self,
        messages: Sequence[Message],
        forms: Sequence[Method],
        *,
        usable: Callable[[ModelReply], bool] | None = None,
    ) -> _Given:
        """The reply in the first of the forms that the provider takes."""
        refused: list[Method] = []
        for method in forms:
            try:
                reply = await self._sent(messages, method, usable=usable)
            except MethodRefused:
                if method == forms[-1]:
                    raise
                refused.append(method)
                continue
            for each in refused:  # not before another one works: the request itself may have been at fault
                self.model.refuses(each)
            self.refused += refused
            return _Given(reply, method)
        raise AssertionError("the last form returns or raises")

    async def _sent(
        self, messages: Sequence[Message], method: Method, *, usable: Callable[[ModelReply], bool] | None
    ) -> ModelReply:
        """The reply, after as many tries as the policy allows."""
        schema = schema_of(self.draft.schema)
        is_held_to_it = method in ("json_schema", "tool")
        if not self.model.provider.tells_schema(method):
            told = _SHAPE.format(shape=schema.notation) if is_held_to_it else _SCHEMA.format(schema=schema.text)
            first, asked, *rest = messages  # behind the material, so that prompts with the same one begin alike
            messages = (first, Message("user", asked.text + told), *rest)
            schema = schema._replace(body=schema.bare)
        told = json.dumps(schema.body, ensure_ascii=False) if is_held_to_it else ""
        sent = count_tokens("\n".join((*(message.text for message in messages), told)))
        room = self.model.room(self.answer_tokens, effort=self.effort)
        usual = min(self.answer_tokens, USUAL_ANSWER)
        expected = self.model.expected(self.ask.tier, sent=sent, received=usual, room=room)
        request = self._digest(messages, method, schema)

        async def perform() -> ModelReply:
            completion = await self.model.complete(
                messages,
                schema=schema,
                method=method,
                max_tokens=room,
                effort=self.effort,
                tell=self.teller.turn() if self.teller else None,
            )
            usage = self.model.taken(self.ask.tier, completion, sent=sent, room=room)
            return ModelReply(
                text=completion.text,
                usage=usage,
                finish=completion.finish,
                only_thoughts=completion.only_thoughts,
            )

        tries = before = 0
        while True:
            tries += 1
            call = ModelCall(
                ask=self.ask.kind(), request=request, attempt=tries, expected=expected, prompt=tuple(messages)
            )
            try:
                # a wait is no call: when it is over, there may be neither time nor money left for one
                async with self.model.place_at_host():
                    self.model.see_whether_in_order()
                    await self.model.turn(self.calls.wait)
                    return await self.calls.make(call, perform, usable=usable)
            except MethodRefused:
                raise
            except ProviderError as error:
                wait = self.backoff.wait(error, tries=tries - before, waited=self.waited)
                if wait is None:
                    if not (self.is_last and isinstance(error, Unavailable)):
                        raise
                    if not await self.model.comes_back(error, self.calls, is_first=not self.has_come_back):
                        raise
                    self.has_come_back, wait, before = True, 0.0, tries
            self.waited += wait
            await self.calls.wait(wait)

    def _digest(self, messages: Sequence[Message], method: Method, schema: AnswerSchema) -> str:
        """Of all that the answer depends on."""
        whole = {
            "model": self.model.name,
            "address": self.model.address,  # servers of one's own often have the same name for other models
            "method": method,
            "messages": [list(message) for message in messages],
            "schema": schema.body,
            "parameters": {
                "temperature": TEMPERATURE,
                "seed": SEED,
                "max_tokens": self.answer_tokens,
                **({"effort": self.effort} if self.effort else {}),
            },
        }
        canonical = json.dumps(whole, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


class _Teller:
    """Shows one attempt at an answer: the first that has anything to show."""

    def __init__(self, calls: Calls, summary: str) -> None:
        self._calls = calls
        self._summary = summary
        self._taken = False

    def turn(self) -> Callable[[str], None] | None:
        """What to call with each piece of a new attempt; `None` when an earlier one was shown."""
        if self._taken:
            return None
        blocks = WrittenBlocks(self._summary)

        def tell(piece: str) -> None:
            for heading, text in blocks.read(piece):
                self._taken = True
                self._calls.tell(heading, text)

        return tell


def _told(error: ValueError) -> str:
    """What is wrong, for a model: the fields and what they should be."""
    if not isinstance(error, ValidationError):
        return inert(str(error)).rstrip(".")
    faults = error.errors(include_url=False, include_input=False)
    told = [f"{'.'.join(str(part) for part in fault['loc']) or 'the answer'}: {fault['msg']}" for fault in faults]
    more = f"; and {len(told) - _FAULTS} more" if len(told) > _FAULTS else ""
    return inert("; ".join(told[:_FAULTS])) + more
