"""An evaluation end to end: a small corpus, the real research, the real scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.errors import UsageError
from fathom.evals.run import evaluate
from fathom.settings import Settings

SET = """
[[question]]
id = "kiln-1"
corpus = "pottery"
query = "How is the kiln fired, and how long does the glaze firing take?"
pages = ["kiln.md"]
[[question.facts]]
name = "duration"
pattern = 'glaze firing takes 14 hours'
pages = ["kiln.md"]

[[question]]
id = "kiln-x1"
corpus = "pottery"
query = "How does Kubernetes schedule a StatefulSet?"
unanswerable = true
absent = '(?i)kubernetes'
"""
KILN = """# The kiln

## Firing

The kiln is fired twice: a bisque firing hardens the clay, and a glaze firing melts the glaze.
The bisque firing takes 9 hours at 1000 degrees. The glaze firing takes 14 hours at 1240 degrees.

If the kiln is opened above 100 degrees, the glaze cracks.
"""
CLAY = """# Clay

Clay is kneaded before it is thrown, so that no air remains in it. It dries for a week on a shelf.
"""


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    folder = tmp_path / "corpora" / "pottery"
    folder.mkdir(parents=True)
    (folder / "kiln.md").write_text(KILN, encoding="utf-8")
    (folder / "clay.md").write_text(CLAY, encoding="utf-8")
    return folder.parent


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "set.toml"
    file.write_text(SET, encoding="utf-8")
    return file


async def test_every_question_is_asked_of_its_corpus_and_scored(corpora: Path, questions: Path, tmp_path: Path) -> None:
    told: list[str] = []

    result = await evaluate(questions, corpora=corpora, settings=Settings(home=tmp_path / "own"), progress=told.append)

    answered, silent = result.scores
    assert (answered.facts_found, answered.pages_found) == (("duration",), ("kiln.md",))
    assert answered.supported == answered.claims > 0
    assert answered.verbatim
    assert silent.abstained
    assert told == ["ingesting pottery", "1/2 kiln-1", "2/2 kiln-x1"]
    assert not (tmp_path / "own").exists(), "the user's own documents and runs are left alone"


async def test_a_limit_asks_only_the_first_questions(corpora: Path, questions: Path, tmp_path: Path) -> None:
    result = await evaluate(questions, corpora=corpora, settings=Settings(home=tmp_path), limit=1)

    assert [one.question for one in result.scores] == ["kiln-1"]


async def test_a_corpus_that_is_not_there_is_named_with_its_cure(questions: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no corpus pottery in .*fetch_corpora\.py"):
        await evaluate(questions, corpora=tmp_path, settings=Settings(home=tmp_path))
