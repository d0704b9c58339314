"""Paragraphs in the order of their meaning, with the model that comes with Fathom."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fathom
from fathom.asks import ExtractFindings
from fathom.errors import ConfigurationError
from fathom.findings import ANSWERED
from fathom.knowledge import sentence_encoder
from fathom.knowledge.kept_vectors import KeptVectors
from fathom.knowledge.sentence_encoder import SentenceEncoder
from fathom.reasoners.extractive.order import by_words, nearest
from fathom.settings import load_settings
from tests.contracts.embedders import EmbedderContract
from tests.support.doubles.embedder import SimulatedEmbedder
from tests.support.reasoner_pages import extract, page

LENT = {
    "en": ("Who may borrow the ladder?", "Members can take the stepladder home for a weekend if they sign the book."),
    "de": ("Wer darf sich die Leiter ausleihen?", "Mitglieder nehmen die Steighilfe mit, wenn sie im Buch zeichnen."),
    "fr": ("Qui peut emprunter l'échelle ?", "Les membres peuvent prendre l'escabeau chez eux après avoir signé."),
    "ja": ("はしごは誰が借りられますか？", "会員は、名簿に署名すれば脚立を持ち帰ることができます。"),
}
BESIDE = {
    "en": ("The soup is ready at noon.", "The weir was mended in May."),
    "de": ("Die Suppe ist um zwölf fertig.", "Das Wehr wurde im Mai repariert."),
    "fr": ("La soupe est prête à midi.", "Le barrage a été réparé en mai."),
    "ja": ("スープは正午にできます。", "堰は五月に修理されました。"),
}


class NoModel:
    """Its vectors have no direction."""

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.zeros((len(texts), 512), dtype=np.float32)


class TestSentenceEncoder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> SentenceEncoder:
        return SentenceEncoder()

    @pytest.fixture
    def unreachable(self, monkeypatch: pytest.MonkeyPatch) -> SentenceEncoder:
        embedder = SentenceEncoder()
        monkeypatch.setattr(embedder, "_model", NoModel())
        return embedder


@pytest.mark.parametrize("language", LENT)
async def test_what_answers_in_other_words_comes_first(language: str) -> None:
    question, answer = LENT[language]
    pages = [page(f"{at}", ("paragraph", text)) for at, text in enumerate((*BESIDE[language], answer))]
    ask = extract(question, *pages).model_copy(update={"language": language})

    assert (await nearest(ask, SentenceEncoder()))[0].stretch.text == answer


async def test_no_passage_is_said_to_answer_and_the_nearest_is_quoted_whole(tmp_path: Path) -> None:
    text = "# Kit\n\nOn loan:\n\n- the ladder, for a weekend\n- the saw, for a day\n\nAsk Ida, who has the book.\n"
    (tmp_path / "kit.md").write_text(text, encoding="utf-8")
    settings = load_settings(home=tmp_path / "home", ranker="use-m3")
    report = await fathom.research("How long may I keep the stepladder?", documents=[tmp_path], settings=settings)

    assert report.outcome == "closest" and all(each.confidence < ANSWERED for each in report.findings)
    assert "## The passages that come nearest\n" in report.markdown and "Answer" not in report.markdown
    assert "the ladder, for a weekend" in report.markdown and "the saw, for a day" in report.markdown


async def test_far_passages_are_no_padding(tmp_path: Path) -> None:
    for at, text in enumerate((*BESIDE["en"], LENT["en"][1], "Ida signs for the ladder if you are no member.")):
        (tmp_path / f"{at}.md").write_text(f"# Note {at}\n\n{text}\n", encoding="utf-8")
    settings = load_settings(home=tmp_path / "home", ranker="use-m3")
    report = await fathom.research(LENT["en"][0], documents=[tmp_path], settings=settings)

    assert "stepladder home" in report.markdown and "soup" not in report.markdown


def test_without_a_model_words_decide() -> None:
    pages = [page(f"{at}", ("paragraph", text)) for at, text in enumerate(BESIDE["en"])]
    assert "weir" in by_words(extract("When was the weir mended?", *pages))[0].stretch.text


async def test_a_vector_is_made_once_and_kept_in_few_bits(tmp_path: Path) -> None:
    inner = SimulatedEmbedder()
    kept = KeptVectors(inner, tmp_path / "vectors.sqlite3")
    texts = ["the tide rises", "the tide falls", "the tide rises"]
    first = await kept.embed(texts)
    assert inner.embedded == texts[:2]
    again = await KeptVectors(inner, tmp_path / "vectors.sqlite3").embed(texts)

    assert first == again and first[0] == first[2]
    assert inner.embedded == texts[:2]
    exact = await inner.embed(texts)
    assert all(
        abs(one - other) < 0.02
        for vector, other_vector in zip(first, exact, strict=True)
        for one, other in zip(vector, other_vector, strict=True)
    )
    (tmp_path / "vectors.sqlite3").write_bytes(b"no database")
    for _ in range(2):  # it is set aside, and the vectors are made once more and kept
        assert await KeptVectors(inner, tmp_path / "vectors.sqlite3").embed(texts) == first
    assert inner.embedded.count(texts[0]) == 4


async def test_weights_of_somebody_else_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sentence_encoder.DIGESTS, "sp.model", "0" * 64)
    with pytest.raises(ConfigurationError, match="is not the one that Fathom knows"):
        await SentenceEncoder().embed(["x"])


async def test_a_second_model_looks_again_only_in_a_language_that_it_knows() -> None:
    question, answer = LENT["de"]
    pages = [page(f"{at}", ("paragraph", text)) for at, text in enumerate((*BESIDE["de"], answer))]
    ask: ExtractFindings = extract(question, *pages).model_copy(update={"language": "de"})
    english = SimulatedEmbedder(multilingual=False)

    assert (await nearest(ask, SentenceEncoder(), english))[0].stretch.text == answer
    assert english.embedded == []
