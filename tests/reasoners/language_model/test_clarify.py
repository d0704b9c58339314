"""What a model says that a question leaves open, and what is made of it: only what makes another plan is asked."""

from __future__ import annotations

from typing import Any

from fathom.asks import ClarifyQuestion
from fathom.evidence import Document, Passage, Retrieval
from fathom.prompts import Prompts
from fathom.reasoners.extractive.clarify import clarify_question
from fathom.reasoners.language_model.schema import schema_of
from fathom_testing.model_server.answers import Prompt, known
from tests.reasoners.language_model.asking import task_of

QUERY = "What does a <family> pay per year?"
TITLES = ("Fees 2026", "Fees 2022", "Minutes of the spring meeting")
FOUND = tuple(
    Document(sha256=f"{at:064}", uri="", title=title, kind="file", language="en", retrieved_at="")
    for at, title in enumerate(TITLES)
)
ASK = ClarifyQuestion(
    query=QUERY,
    language="en",
    sources=(),
    preview=Retrieval(
        documents=FOUND, passages=tuple(Passage(document=each.sha256, start=0, end=1, text="?") for each in FOUND)
    ),
    today="2026-11-22",
)


def point(*readings: str, question: str = "Which?") -> dict[str, Any]:
    return {"question": question, "choices": [{"label": f"No. {n}", "question": q} for n, q in enumerate(readings)]}


def read(*points: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """What is asked, each with how the question would read."""
    (draft,) = task_of(ClarifyQuestion).drafts(ASK, room=2_000)
    answer = draft.read(draft.schema.model_validate({"points": list(points)})).answer
    return [(each.question, [choice.question for choice in each.choices]) for each in answer.points]


def rendered() -> tuple[Prompt, Any]:
    (draft,) = task_of(ClarifyQuestion).drafts(ASK, room=2_000)
    variables = {**draft.variables, "today": "2026-11-22", "language": "English", "query": QUERY}
    prompt = Prompts().render("clarify_question", variables)
    return Prompt(prompt.system, prompt.user, schema_of(draft.schema).body), draft


def test_a_model_is_shown_the_question_and_the_titles_that_were_found() -> None:
    prompt, _ = rendered()
    assert prompt.user.startswith("<question>What does a &lt;family&gt; pay per year?</question>")
    assert prompt.user.endswith("\n".join(f"<found>{title}</found>" for title in TITLES))


def test_what_the_model_server_leaves_open_is_what_the_rule_does() -> None:
    prompt, draft = rendered()
    answer = known()["ClarifyQuestion"](prompt)
    points = draft.read(draft.schema.model_validate(answer)).answer
    assert points == clarify_question(ASK) and [each.label for each in points.points[0].choices] == [*TITLES[:2]]


def test_readings_that_make_the_same_plan_are_no_choices() -> None:
    same = "And what does a family pay per year, please?"
    assert read(point(QUERY, same)) == []
    fees = "What does a family pay per year by the fees of 2022?"
    assert read(point(fees, same, "By the fees of 2022, what does a family pay per year?")) == [("Which?", [fees])]
    assert read(point(fees), point(fees, question="And which?")) == [("Which?", [fees])]


def test_at_most_three_are_asked_with_four_choices() -> None:
    points = [point(*(f"What does family {at}{n} pay?" for n in range(6)), question=f"Which {at}?") for at in "abcd"]
    asked = read(*points)
    assert [question for question, _ in asked] == ["Which a?", "Which b?", "Which c?"]
    assert {len(readings) for _, readings in asked} == {4}


def test_what_makes_no_sense_is_not_asked() -> None:
    assert read(point(), point("What of 2022?", question=" "), point("", "x" * 2_000)) == []
    marked = "**What** does a [family](https://evil.example/) pay by the fees of 2022?"
    assert read(point(marked)) == [("Which?", ["What does a family pay by the fees of 2022?"])]
