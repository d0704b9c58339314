"""What the tests of this folder ask for, and of whom."""

from __future__ import annotations

from typing import Any

from fathom.findings import Statement
from fathom.prompts import Rendered
from fathom.reasoners.language_model.exchange import exchange
from fathom.reasoners.language_model.models import Models, models_from
from fathom.reasoners.language_model.policy import Backoff
from fathom.reasoners.language_model.task import Read, Wire
from fathom.settings import Settings
from tests.support.doubles.calls import DirectCalls

QUICK = Backoff(first=0.01)
PROMPT = Rendered("Say how many.", "<material>Two and three are five.</material>")
SECRET = "sk-secret-of-the-operator"


class Total(Wire):
    """Of a sum."""

    total: int
    """The number."""
    text: str = ""
    """In words."""


def read(answer: Total) -> Read[Statement]:
    """The total as a statement; a negative one makes no sense."""
    if answer.total < 0:
        raise ValueError("total is below zero: give it as it stands in the material")
    return Read(Statement(text=f"{answer.total} {answer.text}".strip()))


def models(url: str, provider: str = "openai", *, quick: bool = True, **settings: Any) -> Models:
    """One model on a test's server."""
    model = settings.pop("model", f"{provider}:tiny")
    return models_from(Settings(model=model, base_url=url, **settings), backoff=QUICK if quick else None)


async def asked(
    models: Models, *, calls: DirectCalls | None = None, streamed: bool = False, answer_tokens: int = 300
) -> str:
    """The text of the statement that comes of one exchange."""
    try:
        answer = await exchange(
            models,
            "balanced",
            PROMPT,
            Total,
            read=read,
            ask="Sum",
            calls=calls or DirectCalls(),
            answer_tokens=answer_tokens,
            streamed=streamed,
        )
    finally:
        await models.close()
    return answer.answer.text
