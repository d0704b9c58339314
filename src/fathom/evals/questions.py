"""Sets of questions with gold answers, as TOML; `evals/README.md` describes the format."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator, model_validator

from fathom.errors import UsageError
from fathom.frozen import FrozenModel


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from error
    return pattern


class ExpectedFact(FrozenModel):
    """Something that a good answer tells, and where it may be cited from."""

    name: str = Field(min_length=1)
    """What the fact is, for a person."""
    pattern: str = Field(min_length=1)
    """Regular expression that a single sentence with the fact matches, whitespace collapsed."""
    pages: tuple[str, ...] = Field(min_length=1)
    """Pages of the corpus that hold it; a sentence must cite one of them."""

    _pattern = field_validator("pattern")(_compiles)


class EvalQuestion(FrozenModel):
    """A question on one corpus, with its gold pages and facts, or one that the corpus cannot answer."""

    id: str = Field(min_length=1)
    """Its name, once in a set."""
    corpus: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
    """Folder of the corpus below the folder of all."""
    language: str = Field(default="en", pattern=r"^[a-z]{2}$")
    """ISO 639-1 code."""
    query: str = Field(min_length=1)
    """The question as a person asks it."""
    pages: tuple[str, ...] = ()
    """The pages that a good answer cites, relative to the corpus."""
    facts: tuple[ExpectedFact, ...] = ()
    """What a good answer tells."""
    unanswerable: bool = False
    """The corpus holds no answer; the right report makes no claim."""
    kind: str | None = None
    """Why it is unanswerable: `near-miss`, `wrong-corpus`, `uncovered`."""
    absent: str | None = None
    """Regular expression that matches nowhere in the corpus: what makes the question unanswerable."""

    @field_validator("absent")
    @classmethod
    def _absent_compiles(cls, pattern: str | None) -> str | None:
        return None if pattern is None else _compiles(pattern)

    @model_validator(mode="after")
    def _is_one_or_the_other(self) -> EvalQuestion:
        if self.unanswerable and (self.facts or self.pages):
            raise ValueError("an unanswerable question has no facts and no pages")
        if not self.unanswerable and not (self.facts and self.pages):
            raise ValueError("an answerable question needs facts and pages")
        return self


def load_questions(file: Path) -> tuple[EvalQuestion, ...]:
    """The questions of a set, in the order of the file.

    Raises:
        UsageError: the file cannot be read, or a question is wrong; names the line and the question.
    """
    try:
        text = file.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The question set {file} cannot be read: {error}.") from error
    except tomllib.TOMLDecodeError as error:  # says the line itself
        raise UsageError(f"The question set {file} is not valid TOML: {error}.") from error
    entries = content.get("question")
    if not isinstance(entries, list) or not entries:
        raise UsageError(f"The question set {file} holds no [[question]].")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.strip() == "[[question]]"]
    places = lines if len(lines) == len(entries) else [None] * len(entries)  # other spellings: no line, still the id
    questions = tuple(_question(entry, file, line) for entry, line in zip(entries, places, strict=True))
    seen: set[str] = set()
    for question, line in zip(questions, places, strict=True):
        if question.id in seen:
            raise UsageError(f"{_place(file, line)}: the question '{question.id}' is there twice.")
        seen.add(question.id)
    return questions


def _question(entry: Any, file: Path, line: int | None) -> EvalQuestion:
    try:
        return EvalQuestion.model_validate(entry)
    except ValidationError as error:
        first = error.errors()[0]
        name = entry.get("id", "without an id") if isinstance(entry, dict) else "without an id"
        field = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        fault = f"{field}: {message}" if field else message
        raise UsageError(f"{_place(file, line)}: the question '{name}' is wrong: {fault}.") from error


def _place(file: Path, line: int | None) -> str:
    return f"{file}, line {line}" if line else str(file)
