"""What a set of questions must look like, and how a wrong one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.errors import UsageError
from fathom.evals.questions import load_questions

GOOD = """
[[question]]
id = "pg-1"
corpus = "postgresql-doc-15"
query = "How is autovacuum triggered?"
pages = ["vacuum.html"]
[[question.facts]]
name = "scale factor"
pattern = '(?i)scale factor'
pages = ["vacuum.html"]

[[question]]
id = "pg-x1"
corpus = "postgresql-doc-15"
language = "ja"
query = "料金は？"
unanswerable = true
absent = '料金'
"""

ROOT = Path(__file__).parents[2]


def written(folder: Path, text: str) -> Path:
    file = folder / "set.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_set_is_read_in_its_order_with_english_as_the_default(tmp_path: Path) -> None:
    first, second = load_questions(written(tmp_path, GOOD))

    assert (first.id, first.language, first.facts[0].pages) == ("pg-1", "en", ("vacuum.html",))
    assert (second.id, second.language, second.unanswerable) == ("pg-x1", "ja", True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("'(?i)scale factor'", "'(?i)scale (factor'"), "line 2: the question 'pg-1' .*not a regular expression"),
        (('id = "pg-x1"', 'id = "pg-1"'), "line 12: the question 'pg-1' is there twice"),
        (('query = "How is autovacuum triggered?"', ""), "line 2: the question 'pg-1' is wrong: query: Field required"),
        (("unanswerable = true", ""), "line 12: the question 'pg-x1' is wrong: an answerable question needs facts"),
        (('language = "ja"', 'langauge = "ja"'), "line 12: the question 'pg-x1' is wrong: langauge"),
        (('corpus = "postgresql-doc-15"', 'corpus = "../secrets"'), "line 2: the question 'pg-1' is wrong: corpus"),
        (("pages = [", "pages = "), r"not valid TOML: .*line 6"),
        ((GOOD, ""), r"holds no \[\[question\]\]"),
    ],
)
def test_a_wrong_set_is_refused_by_line_and_question(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_questions(written(tmp_path, GOOD.replace(*change)))


def test_a_set_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.toml cannot be read"):
        load_questions(tmp_path / "nowhere.toml")


@pytest.mark.parametrize("file", sorted((ROOT / "evals").glob("*.toml")), ids=lambda file: file.name)
def test_every_set_of_the_repository_loads(file: Path) -> None:
    assert load_questions(file)
