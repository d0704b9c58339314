"""What a run is expected to take and took, in words."""

from __future__ import annotations

from fathom.cli.spending import expected, leaving, spent
from fathom.report import Estimate, Usage
from fathom.wiring.leaving import TO_EMBEDDERS, TO_MODELS, Destination
from tests.contracts import a_report

HOSTED = Destination(host="api.example", what=TO_MODELS, names=("openai:large", "openai:small"), is_local=False)
LOCAL = Destination(host="localhost:11434", what=TO_MODELS, names=("ollama:llama3.1",), is_local=True)
ESTIMATE = Estimate(
    calls_low=24,
    calls_high=50,
    model_calls_low=17,
    model_calls_high=31,
    tokens_low=40_000,
    tokens_high=95_400,
    cost_usd_low=0.021,
    cost_usd_high=0.0612,
)


def test_an_estimate_tells_calls_tokens_and_dollars_as_far_as_there_are_any() -> None:
    assert expected(Estimate(calls_low=9, calls_high=39)) == "9 to 39 calls"
    assert expected(Estimate(calls_low=9, calls_high=9)) == "9 calls"
    assert expected(ESTIMATE) == (
        "17 to 31 calls to models, 40k to 95k tokens, 0.021 to 0.061 USD; 24 to 50 calls with those to the sources"
    )


def test_whatever_leaves_is_told_with_its_host() -> None:
    embedder = Destination(host="box.example", what=TO_EMBEDDERS, names=("ollama:nomic",), is_local=False)
    assert list(leaving([HOSTED, LOCAL, embedder])) == [
        "What leaves this machine: the question, and passages of the documents that match it, to api.example "
        "(openai:large, openai:small).",
        "What leaves this machine: the question, and the texts of the documents, to box.example (ollama:nomic).",
    ]


def test_that_nothing_leaves_is_told_too() -> None:
    assert list(leaving([])) == ["Nothing leaves this machine."]
    assert list(leaving([LOCAL])) == ["Nothing leaves this machine: asked is ollama:llama3.1 at localhost:11434."]


def test_a_price_that_is_not_known_is_told_before_anything_is_spent() -> None:
    unknown = HOSTED.model_copy(update={"unpriced": ("openai:large",)})
    assert list(leaving([unknown]))[1] == (
        "The price of openai:large is not known, so its tokens are not counted in USD: set it under `prices`."
    )


def test_what_a_run_took_is_held_against_what_was_expected() -> None:
    usage = Usage(
        calls={"PlanResearch": 1, "ExtractFindings": 6, "WriteSection": 11, "search": 9, "read": 4, "web_search": 3},
        prompt_tokens=45_000,
        completion_tokens=7_000,
        cost_usd=0.0312,
        cached_calls=2,
        unpriced_tokens=1_500,
    )
    report = a_report("run_one").model_copy(
        update={"usage": usage, "estimate": ESTIMATE, "stand_ins": {"WriteSection": 1}}
    )
    assert list(spent(report)) == [
        "Models: 18 calls, 52k tokens, 0.031 USD (estimated: 17 to 31 calls, 40k to 95k tokens, 0.021 to 0.061 USD).",
        "2 calls spared by earlier answers.",
        "Not counted in USD: 1.5k tokens of models whose price is not known.",
        "Answered without a model, because it could not: 1 WriteSection. `fathom show run_one` says why.",
    ]
    assert list(spent(report.model_copy(update={"estimate": Estimate()}))) == []
