"""Spans of a run, by the conventions of OpenTelemetry for generative AI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from fathom import telemetry
from tests.acceptance.tracing.chatting import SECRET, ChattingReasoner
from tests.contracts import a_run
from tests.support.doubles.reasoner import Shape
from tests.support.lab import Lab

SHAPE = Shape(subtasks=3, dependencies={3: (1,)}, children={1: 2}, weak=("task_2",))


class Spans:
    """The spans of a process, by name, and what stands above each."""

    def __init__(self, spans: Sequence[ReadableSpan]) -> None:
        self.all = spans
        self._by_id = {span.context.span_id: span for span in spans if span.context}

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.all if span.name == name]

    def above(self, span: ReadableSpan) -> list[str]:
        names = []
        while span.parent:
            span = self._by_id[span.parent.span_id]
            names.append(span.name)
        return names


async def spans_of(folder: Path, reasoner: ChattingReasoner, *, again: bool = False) -> Spans:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    async with Lab(folder) as lab:
        lab.reasoner = reasoner
        await lab.create()
        with telemetry.exporting(provider.get_tracer("test")):
            await lab.resume()
        if again:
            exporter.clear()
            with telemetry.exporting(provider.get_tracer("test")):
                await lab.replay()
    return Spans(exporter.get_finished_spans())


async def test_a_run_is_one_trace_of_spans(tmp_path: Path) -> None:
    spans = await spans_of(tmp_path, ChattingReasoner(SHAPE))

    (root,) = spans.named("invoke_agent fathom")
    assert root.parent is None
    assert {span.context.trace_id for span in spans.all if span.context} == {
        root.context.trace_id if root.context else 0
    }
    assert {spans.above(span)[-1] for span in spans.all if span is not root} == {"invoke_agent fathom"}
    assert root.attributes is not None
    assert root.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert root.attributes["gen_ai.conversation.id"] == "run_one"
    assert root.attributes["fathom.partial"] is False


async def test_calls_and_searches_stand_below_their_subtask(tmp_path: Path) -> None:
    spans = await spans_of(tmp_path, ChattingReasoner(SHAPE))

    for name in ("chat gpt-small", "execute_tool knowledge"):
        above = [spans.above(span) for span in spans.named(name)]
        assert ["invoke_agent fathom"] in above  # the plan, the preview
        assert ["subtask task_2", "invoke_agent fathom"] in above
        assert ["subtask task_1.1", "subtask task_1", "invoke_agent fathom"] in above


async def test_a_call_to_a_model_tells_its_model_and_its_tokens(tmp_path: Path) -> None:
    (chat, *_) = (await spans_of(tmp_path, ChattingReasoner(SHAPE))).named("chat gpt-small")

    assert chat.attributes is not None
    assert dict(chat.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-small",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 1,
        "fathom.ask": "PlanResearch",
        "fathom.tier": "fast",
        "fathom.attempt": 1,
        "fathom.cost_usd": 0.0,
    }


async def test_a_call_that_fails_tells_the_type_of_its_error_and_not_its_text(tmp_path: Path) -> None:
    reasoner = ChattingReasoner(SHAPE)
    reasoner.unreachable = ("AssessDepth",)
    spans = await spans_of(tmp_path, reasoner)

    failed = [span for span in spans.named("chat gpt-small") if not span.status.is_ok and span.status.is_unset is False]
    assert failed
    for span in failed:
        assert span.attributes is not None
        assert span.attributes["error.type"] == "Unavailable"
        assert not span.events
        assert span.status.description is None


async def test_no_span_holds_text_of_the_question_a_prompt_or_a_document(tmp_path: Path) -> None:
    reasoner = ChattingReasoner(SHAPE)
    reasoner.unreachable = ("AssessDepth",)
    spans = await spans_of(tmp_path, reasoner)

    told = "\n".join(span.to_json() for span in spans.all)
    assert SECRET not in told
    assert a_run().query not in told
    assert "holds" not in told  # as every sentence of the simulated documents does


async def test_what_is_known_already_makes_no_span_of_a_call(tmp_path: Path) -> None:
    spans = await spans_of(tmp_path, ChattingReasoner(SHAPE), again=True)

    assert {span.name.split()[0] for span in spans.all} == {"invoke_agent", "subtask"}


def test_a_span_is_nothing_while_nobody_looks() -> None:
    with telemetry.span("chat") as span:
        span.set_attributes({"tokens": 1})
    assert not hasattr(span, "get_span_context")


@pytest.mark.parametrize(
    ("variables", "address"),
    [
        ({}, None),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1"}, "http://c:1"),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t:2"},
            "http://t:2",
        ),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, "http://localhost:4318"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_TRACES_EXPORTER": "none"}, None),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_SDK_DISABLED": "true"}, None),
    ],
)
def test_the_variables_of_opentelemetry_say_where_spans_go(
    variables: dict[str, str], address: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert telemetry.endpoint() == address
