"""Asking on: a question that follows others, made whole as the extractive reasoner would."""

from __future__ import annotations

from typing import Any

from fathom.asks import ResolveFollowUp
from fathom.reasoners.extractive.follow_up import resolve
from fathom.text.language import detect
from fathom.thread import Exchange
from fathom_testing.model_server.answers import ANSWERS, Prompt
from fathom_testing.model_server.answers.tags import tags, text_of


def question(prompt: Prompt) -> dict[str, Any]:
    """The question in words that stand by themselves."""
    query, before = text_of(prompt.user, "question"), [tag.text for tag in tags(prompt.user, "asked")]
    exchanges = tuple(Exchange(run_id="", asked=each, question=each, answer="", parts=()) for each in before)
    language = detect(query, likely=detect(before[-1]) if before else "und")
    ask = ResolveFollowUp(query=query, language=language, exchanges=exchanges, topic=text_of(prompt.user, "about"))
    return {"question": resolve(ask).question}


ANSWERS.update({"ResolveFollowUp": question})
