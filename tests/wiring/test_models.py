"""What a run keeps of its language models, and what is refused before it begins."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import pytest

from fathom import wiring
from fathom.engine.estimate import prices_of
from fathom.errors import ConfigurationError
from fathom.limits import Tier
from fathom.reasoners.extractive import ExtractiveReasoner
from fathom.settings import Price, Settings
from fathom.wiring.models import PINNED, can_answer, pinned_models, reasoner_name, refuse_secrets, settings_of
from tests.contracts import a_run


class Metered(ExtractiveReasoner):
    """The extractive reasoner, in the place of one that asks models."""

    name = "language_model"
    metered = True
    looks_beside = False


@dataclass
class Stands:
    """How a model stands."""

    status: Literal["ok", "warning", "error"]
    found: str
    cure: str = ""
    model: str = "openai:small"


@dataclass
class OneModel:
    """A model whose state and price are as it is told."""

    stand: Sequence[Stands] = ()
    price: Price | None = None
    name: str = "openai:small"
    host: str = "api.example"
    is_local: bool = False
    known_window: int = 8_192

    @property
    def all(self) -> Sequence[OneModel]:
        return [self]

    @property
    def tiers(self) -> dict[Tier, OneModel]:
        return dict.fromkeys(get_args(Tier), self)

    async def check(self) -> Sequence[Stands]:
        return self.stand


class WithModels(Metered):
    """A reasoner whose models stand as it is told."""

    def __init__(self, *stand: Stands, price: Price | None = None) -> None:
        super().__init__()
        self.models = OneModel(stand, price)


def settings(**fields: object) -> Settings:
    return wiring.load_settings(**fields)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({}, "extractive"),
        ({"model": "ollama:llama3.1"}, "language_model"),
        ({"model_fast": "ollama:llama3.2", "model_strong": "anthropic:x"}, "language_model"),
        ({"model": "ollama:llama3.1", "reasoner": "extractive"}, "extractive"),
        ({"model_check": "ollama:llama3.1"}, "language_model"),
    ],
)
def test_a_named_model_is_asked_unless_another_reasoner_is_named(fields: dict[str, str], name: str) -> None:
    assert reasoner_name(settings(**fields)) == name


@pytest.mark.parametrize("fields", [{}, {"fallback_model": "openai:large"}, {"model_check": "openai:large"}])
def test_a_language_model_that_is_not_named_cannot_answer(fields: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="needs a model that researches and writes: set `model`"):
        wiring.open_reasoner(settings(reasoner="language_model", **fields))


@pytest.mark.parametrize(
    "url", ["https://user:s3cret@host/v1", "https://s3cret@host/v1", "https://host/v1?api_key=s3cret", "//host#s3cret"]
)
def test_an_address_with_a_key_in_it_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ConfigurationError, match="FATHOM_MODEL_API_KEY") as refused:
        refuse_secrets(settings(base_url=url))
    assert "s3cret" not in str(refused.value)


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="is no address"):
        refuse_secrets(settings(base_url="http://[half"))


def test_what_is_pinned_is_every_setting_that_answers_depend_on_and_no_key(tmp_path: Path) -> None:
    given = settings(model="openai:small", model_api_key="s3cret", prompts=tmp_path, cache=False, model_window=4096)

    pinned = pinned_models(given, Metered())

    assert set(pinned) == {*PINNED, "reasoner"}
    assert pinned["model"] == "openai:small" and pinned["cache"] is False and pinned["prompts"] == str(tmp_path)
    assert "s3cret" not in str(pinned)
    assert pinned_models(given, ExtractiveReasoner()) == {}


def test_the_prices_and_windows_that_an_estimate_is_made_with_are_pinned() -> None:
    pinned = pinned_models(settings(model="openai:small"), WithModels(price=Price(input=1, output=2)))
    run = a_run(models=json.loads(json.dumps(pinned)))
    assert prices_of(run) == dict.fromkeys(get_args(Tier), Price(input=1, output=2))
    assert run.models["windows"] == dict.fromkeys(get_args(Tier), 8_192)
    unknown = pinned_models(settings(model="openai:small"), WithModels())
    assert prices_of(a_run(models=unknown)) == dict.fromkeys(get_args(Tier))


def test_a_run_goes_on_with_its_own_models_whatever_is_set_by_now(tmp_path: Path) -> None:
    given = settings(model="openai:small", base_url="http://localhost:1/v1", prompts=tmp_path)
    run = a_run(reasoner="language_model 1", models=pinned_models(given, Metered()), sources={"kb": "notes"})

    now = settings(model="anthropic:other", fallback_model="openai:large", cache=False, kb="other")
    again = settings_of(run, now)

    assert {name: getattr(again, name) for name in PINNED} == {name: getattr(given, name) for name in PINNED}
    assert (again.reasoner, again.kb) == ("language_model", "notes")


def test_a_run_goes_on_without_the_web_when_that_is_wanted_by_now() -> None:
    run = a_run(reasoner="language_model 1", models=pinned_models(settings(model="openai:small"), Metered()))
    run = run.model_copy(update={"sources": {"kb": "notes"}})
    assert settings_of(run, settings(no_web=True)).no_web
    assert not settings_of(run, settings()).no_web


def test_flags_replace_the_models_of_a_run_one_by_one() -> None:
    given = settings(model="openai:small", fallback_model="openai:large")
    run = a_run(reasoner="language_model 1", models=pinned_models(given, Metered()), sources={"kb": "notes"})

    again = settings_of(run, settings(), {"model": "ollama:llama3.1"})

    assert (again.model, again.fallback_model) == ("ollama:llama3.1", "openai:large")
    with pytest.raises(ConfigurationError, match="Did you mean 'model_fast'"):
        settings_of(run, settings(), {"model_fst": "openai:small"})


def test_a_run_without_models_keeps_its_reasoner_until_a_model_is_named() -> None:
    run = a_run(reasoner="extractive 1", models={}, sources={"kb": "notes"})
    now = settings(model="openai:small")

    assert settings_of(run, now).reasoner == "extractive"
    assert settings_of(run, now, {"no_web": True}).reasoner == "extractive"
    assert settings_of(run, settings(), {"model": "openai:small"}).reasoner == "language_model"


async def test_a_run_that_has_ended_needs_no_model_no_key_and_no_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, notes = settings(home=tmp_path / "home", model="anthropic:gone"), tmp_path / "notes"
    notes.mkdir()
    (notes / "sea.md").write_text("# Sea\n\nThe sea is 3,682 metres deep on average.\n")
    monkeypatch.setattr("fathom.wiring.opening.opened_reasoner", lambda _: nullcontext(Metered()))
    report = await wiring.research("How deep is the sea?", documents=[notes], settings=here)
    async with wiring.opened_store(here) as store:
        run = await store.run(report.run_id)
    monkeypatch.undo()
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)

    nowhere = settings(home=here.home, no_web=True, embedder="openai:needs-a-key")
    with pytest.raises(ConfigurationError):
        wiring.open_reasoner(settings_of(run, nowhere))

    assert (await wiring.replay(report.run_id, settings=nowhere)).markdown == report.markdown
    assert await wiring.resume(report.run_id, settings=nowhere) == report


async def test_a_model_that_cannot_be_asked_is_named_with_its_cure() -> None:
    wrong = Stands("error", "The key of openai:small is wrong.", "Set OPENAI_API_KEY.")
    with pytest.raises(ConfigurationError) as refused:
        await can_answer(WithModels(Stands("ok", "openai:large answers"), wrong))
    assert str(refused.value) == "The key of openai:small is wrong. Set OPENAI_API_KEY."
    with pytest.raises(ConfigurationError) as refused:
        await can_answer(WithModels(Stands("error", "The key is wrong: set OPENAI_API_KEY.", "Set openai_api_key")))
    assert str(refused.value) == "The key is wrong: set OPENAI_API_KEY."
    await can_answer(WithModels(Stands("warning", "its price is not known")))
    await can_answer(ExtractiveReasoner())
