"""One run, one trace: the spans of a run, and what carries them across tasks that begin in a clean context.

A task of the engine must not inherit the context of the step that starts it: there it would find the configuration of
a graph's node that may have finished long ago. Of all that it takes over what a trace needs and nothing else: the
callbacks of LangChain, by which LangSmith and its like follow a run; whether LangSmith may follow it; and the current
span of OpenTelemetry. When nobody follows, the context is empty.
"""

from __future__ import annotations

import contextvars
import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any

from fathom import telemetry
from fathom.plan import Subtask
from fathom.ports import ModelCall, ModelReply, RunRecord
from fathom.report import Report
from fathom.version import __version__

PROVIDERS = {"google_genai": "gcp.gemini"}
"""Names that the conventions of OpenTelemetry have for a provider, where they differ from Fathom's."""


def clean_context() -> contextvars.Context:
    """A context for a new task: empty, but for the trace that it belongs to."""
    context = contextvars.Context()
    telemetry.carry_to(context)
    if not langchain_may_follow():
        return context
    from langchain_core.runnables.config import var_child_runnable_config
    from langsmith.run_helpers import _set_tracing_context, get_tracing_context

    if callbacks := _callbacks():
        context.run(var_child_runnable_config.set, {"callbacks": callbacks})
    if (enabled := get_tracing_context()["enabled"]) is not None:
        context.run(_set_tracing_context, {"enabled": enabled})
    return context


def langchain_may_follow() -> bool:
    """Whether a run might be followed by way of LangChain: it is imported already, or the environment sets it up.

    Importing it to find out would take longer than many a run.
    """
    return "langchain_core" in sys.modules or any(name.startswith(("LANGSMITH_", "LANGCHAIN_")) for name in os.environ)


def is_followed() -> bool:
    """Whether anybody follows what is done here by way of LangChain."""
    return langchain_may_follow() and _callbacks() is not None


def _callbacks() -> Any:
    """LangChain's callbacks in force; `None` without any."""
    from langchain_core.callbacks import BaseCallbackManager
    from langchain_core.runnables.config import var_child_runnable_config

    callbacks = (var_child_runnable_config.get() or {}).get("callbacks")
    found = callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks
    return callbacks if found else None


@asynccontextmanager
async def traced(name: str, run: RunRecord) -> AsyncGenerator[dict[str, Any], None]:
    """The root of a run's trace: what is done in the block stands below it, what is put into the dict is its outcome.

    LangChain's handlers are given all of the outcome, OpenTelemetry its figures.
    """
    outcome: dict[str, Any] = {}
    attributes: dict[str, telemetry.Value] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "fathom",
        "gen_ai.agent.name": "fathom",
        "gen_ai.agent.version": __version__,
        "gen_ai.conversation.id": run.run_id,
        "fathom.task": name,
        "fathom.attempt": run.attempt,
        "fathom.reasoner": run.reasoner,
    }
    with telemetry.span("invoke_agent fathom", attributes) as span:
        async with _chain(f"fathom {name}", run, outcome):
            yield outcome
        span.set_attributes({f"fathom.{key}": figure for key, figure in outcome.items() if isinstance(figure, int)})


def outcome_of(report: Report) -> dict[str, Any]:
    """What a trace tells of a report."""
    return {
        "report": report.markdown,
        "partial": report.partial is not None,
        "words": report.words,
        "sources": len(report.sources),
        "claims": len(report.claims),
    }


@asynccontextmanager
async def _chain(name: str, run: RunRecord, outcome: dict[str, Any]) -> AsyncGenerator[None, None]:
    """A run in the sense of LangChain, for whatever handlers the environment or the caller has put in force."""
    if not langchain_may_follow():
        yield
        return
    from langchain_core.runnables.config import (
        ensure_config,
        get_async_callback_manager_for_config,
        var_child_runnable_config,
    )

    # the session makes one thread of all traces of a run: those of its attempts, and of taking it up again
    metadata = {"fathom_run": run.run_id, "fathom_attempt": run.attempt, "session_id": run.run_id}
    manager = get_async_callback_manager_for_config(ensure_config({"metadata": metadata}))
    if not manager.handlers:
        yield
        return
    chain = await manager.on_chain_start(None, {"question": run.query}, name=name)
    token = var_child_runnable_config.set({"callbacks": chain.get_child()})
    try:
        yield
    except BaseException as error:
        await chain.on_chain_error(error)
        raise
    finally:
        var_child_runnable_config.reset(token)
    await chain.on_chain_end(outcome)


def subtask_span(subtask: Subtask) -> AbstractContextManager[telemetry.TraceSpan]:
    """One pass over a subtask."""
    id, depth = subtask.subtask_id, subtask.depth
    return telemetry.span(f"subtask {id}", {"fathom.subtask.id": id, "fathom.subtask.depth": depth})


async def model_call(call: ModelCall, perform: Callable[[], Awaitable[ModelReply]]) -> ModelReply:
    """The reply of a model that is asked now; one that is known already makes no span."""
    provider, _, model = call.expected.model.partition(":")
    attributes: dict[str, telemetry.Value] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDERS.get(provider, provider),
        "gen_ai.request.model": model or provider,
        "fathom.ask": call.ask,
        "fathom.tier": call.expected.tier,
        "fathom.attempt": call.attempt,
    }
    with telemetry.span(f"chat {model or provider}", attributes, kind="client") as span:
        reply = await (_followed(call, perform) if is_followed() else perform())
        span.set_attributes(
            {
                "gen_ai.response.finish_reasons": (reply.finish,),
                "gen_ai.usage.input_tokens": reply.usage.prompt_tokens,
                "gen_ai.usage.output_tokens": reply.usage.completion_tokens,
                "fathom.cost_usd": reply.usage.cost_usd,
            }
        )
    return reply


async def _followed(call: ModelCall, perform: Callable[[], Awaitable[ModelReply]]) -> ModelReply:
    """The reply; LangChain's handlers see a call to a chat model, with all of its prompt and its answer."""
    from langchain_core.messages import AIMessage, convert_to_messages
    from langchain_core.messages.ai import UsageMetadata
    from langchain_core.outputs import ChatGeneration, LLMResult
    from langchain_core.runnables.config import ensure_config, get_async_callback_manager_for_config

    provider, _, model = call.expected.model.partition(":")
    known = {"ls_provider": provider, "ls_model_name": model, "ls_model_type": "chat", "fathom_ask": call.ask}
    manager = get_async_callback_manager_for_config(ensure_config({"metadata": known}))
    (chat,) = await manager.on_chat_model_start({}, [convert_to_messages([*call.prompt])], name=call.expected.model)
    try:
        reply = await perform()
    except BaseException as error:
        await chat.on_llm_error(error)
        raise
    sent, received = reply.usage.prompt_tokens, reply.usage.completion_tokens
    usage = UsageMetadata(input_tokens=sent, output_tokens=received, total_tokens=sent + received)
    message = AIMessage(reply.text, usage_metadata=usage)
    await chat.on_llm_end(LLMResult(generations=[[ChatGeneration(message=message)]]))
    return reply
