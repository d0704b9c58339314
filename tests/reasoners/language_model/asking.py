"""What the tests of this folder ask for, and of whom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fathom.asks import Ask
from fathom.errors import ContextTooLong, MalformedReply
from fathom.findings import Statement
from fathom.prompts import Prompts, Rendered
from fathom.reasoners.language_model.exchange import exchange
from fathom.reasoners.language_model.models import Models, models_from
from fathom.reasoners.language_model.policy import Backoff
from fathom.reasoners.language_model.schema import schema_of
from fathom.reasoners.language_model.task import Draft, Read, Stepwise, Task, Wire
from fathom.reasoners.language_model.tasks import TASKS
from fathom.reasoners.language_model.tokens import count_tokens
from fathom.settings import Settings
from fathom.text.language import name_of
from fathom_testing.model_server.answers import Prompt, known
from tests.support.doubles.calls import DirectCalls

QUICK = Backoff(first=0.01)
PROMPT = Rendered("Say how many.", "<material>Two and three are five.</material>")
SECRET = "sk-secret-of-the-operator"
PROMPTS = Prompts()


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
            summary="Summary",
        )
    finally:
        await models.close()
    return answer.answer.text


# ── Tasks without a server ─────────────────────────────────────────────────────────────────────────────────────────


def task_of(kind: type[Ask[Any]]) -> Task[Any, Any]:
    """The task of an ask that takes no answers of its own to be put."""
    task = TASKS[kind]
    assert isinstance(task, Task)
    return task


def rendered(ask: Ask[Any], draft: Draft[Any], prompts: Prompts | None = None) -> Rendered:
    """A prompt of an ask."""
    common = {"today": "2026-11-22", "language": name_of(ask.language), "query": ask.query, "wishes": ask.wishes}
    prompts = prompts or PROMPTS
    return prompts.render(draft.prompt or TASKS[type(ask)].name, {**common, **draft.variables})


def length(ask: Ask[Any], draft: Draft[Any]) -> int:
    """Tokens of a prompt with its schema."""
    prompt = rendered(ask, draft)
    return count_tokens(prompt.system) + count_tokens(prompt.user) + count_tokens(schema_of(draft.schema).text)


Said = Mapping[str, Any] | Exception | Callable[[Prompt], Any]


class Answering:
    """Puts the prompts of an ask to the answerers of the model server; `said` has other answers, or failures, by the
    title of the schema. `put` lists the prompts, `drafts` those with room for their answers."""

    def __init__(
        self, ask: Ask[Any], *, window: int = 64_000, max_output: int = 16_000, model: str = "large", **said: Said
    ) -> None:
        self.ask, self.window, self.max_output, self.model, self.said = ask, window, max_output, model, said
        self.drafts: list[tuple[Draft[Any], int]] = []

    @property
    def put(self) -> list[str]:
        """The titles of the schemas, in order."""
        return [schema_of(draft.schema).name for draft, _ in self.drafts]

    def prompts(self, title: str) -> list[Rendered]:
        """Every prompt of a title."""
        return [rendered(self.ask, draft) for draft, _ in self.drafts if schema_of(draft.schema).name == title]

    def tokens(self, draft: Draft[Any]) -> int:
        return length(self.ask, draft)

    async def __call__(self, draft: Draft[Any], *, answer_tokens: int) -> Read[Any]:
        if self.tokens(draft) + answer_tokens > self.window:
            raise ContextTooLong("the prompt is too long")
        self.drafts.append((draft, answer_tokens))
        prompt, schema = rendered(self.ask, draft), schema_of(draft.schema)
        said: Any = self.said.get(schema.name, known()[schema.name])
        if isinstance(said, Exception):
            raise said
        answer = said(Prompt(prompt.system, prompt.user, schema.body)) if callable(said) else said
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Read):  # as it is read
            return answer
        try:
            return draft.read(draft.schema.model_validate(answer))
        except ValueError as error:
            raise MalformedReply(str(error)) from error

    async def answer(self) -> Read[Any]:
        """What the task of the ask makes of it."""
        task = TASKS[type(self.ask)]
        assert isinstance(task, Stepwise)
        return await task.answer(self.ask, self)
