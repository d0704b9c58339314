"""What a model hears in a question, and what is made of its answer."""

from __future__ import annotations

from typing import Any

import pytest

from fathom.asks import HearWishes, SynthesizeSubtask, WriteReport
from fathom.languages.wishes import hear
from fathom.preferences import Length
from fathom.prompts import Prompts
from fathom.reasoners.language_model.schema import schema_of
from fathom.reasoners.language_model.task import Read
from fathom_testing.model_server.answers import Prompt, known
from tests.reasoners.language_model.asking import task_of

QUERY = "Which pump keeps <running> in the cold, in at most 80 words, for our drivers, without the prices?"
ASK = HearWishes(query=QUERY, language="en", today="2026-01-01")


def read(**answer: Any) -> Read[Any]:
    (draft,) = task_of(HearWishes).drafts(ASK, room=2_000)
    return draft.read(draft.schema.model_validate(answer))


def test_a_model_is_shown_the_question_and_nothing_else() -> None:
    (draft,) = task_of(HearWishes).drafts(ASK, room=2_000)
    prompt = Prompts().render(
        "hear_wishes", {**draft.variables, "today": "2026-01-01", "language": "English", "query": QUERY}
    )

    assert draft.left_out == 0
    assert prompt.user == f"<question>{QUERY.replace('<', '&lt;').replace('>', '&gt;')}</question>"


def test_what_the_model_server_hears_is_what_the_rules_hear() -> None:
    (draft,) = task_of(HearWishes).drafts(ASK, room=2_000)
    rendered = Prompts().render(
        "hear_wishes", {**draft.variables, "today": "2026-01-01", "language": "English", "query": QUERY}
    )
    answer = known()["HearWishes"](Prompt(rendered.system, rendered.user, schema_of(draft.schema).body))

    heard = draft.read(draft.schema.model_validate(answer)).answer
    assert heard == hear(QUERY, today="2026-01-01") and heard.exclusions == ("prices",)


def test_a_wish_that_the_question_does_not_say_was_invented() -> None:
    heard = read(topic="Which pump keeps running?", wishes=["for our drivers", "as a poem"], audience="our drivers")
    nothing = read(topic="Something else?", wishes=["as a poem"], form="table", words=3)

    assert (heard.answer.wishes, heard.invented) == (("for our drivers",), 1)
    assert (nothing.answer.topic, nothing.answer.form, nothing.invented) == (QUERY, None, 1)


def test_what_makes_no_sense_is_not_wished_for() -> None:
    heard = read(
        topic="Which pump?", wishes=["For our  drivers"], words=-3, items=4, language="German", since="last year"
    ).answer

    assert heard.lengths == (Length(most=4, unit="items"),)
    assert (heard.language, heard.since) == ("", "")


def test_a_question_without_a_topic_is_asked_for_again() -> None:
    with pytest.raises(ValueError, match="topic"):
        read(topic="  ", wishes=["for our drivers"])


@pytest.mark.parametrize("name", ["plan_research", "write_report", "plan_report", "write_sections", "frame_report"])
def test_whoever_plans_and_writes_is_told_the_wishes(name: str) -> None:
    assert "<wishes>{{ wishes }}</wishes>" in Prompts().source(name)


def test_an_ask_without_wishes_is_what_it_always_was() -> None:
    assert WriteReport.writes and SynthesizeSubtask.writes and not HearWishes.writes
    assert "wishes" not in ASK.model_dump()
