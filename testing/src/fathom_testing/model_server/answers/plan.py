"""Planning: what the extractive reasoner would plan by the words of the question."""

from __future__ import annotations

import re
from typing import Any, cast

from fathom.asks import ClarifyQuestion, HearWishes, PlanResearch
from fathom.evidence import Document, DocumentKind, Passage, Retrieval, SourceDescription
from fathom.plan import Mode
from fathom.reasoners.extractive.clarify import clarify_question
from fathom.reasoners.extractive.plan import plan_research
from fathom.reasoners.extractive.wishes import hear_wishes
from fathom.text.language import detect
from fathom_testing.model_server.answers import ANSWERS, Prompt
from fathom_testing.model_server.answers.tags import Tag, tags, text_of


def wishes(prompt: Prompt) -> dict[str, Any]:
    """What a question asks and how it wishes to be answered, by its words."""
    query, today = text_of(prompt.user, "question"), re.search(r"Today is ([\d-]+)", prompt.system)
    follows = "It follows another question" in prompt.system
    heard = hear_wishes(
        HearWishes(query=query, language=detect(query), today=today[1] if today else "", follows=follows)
    )
    told = heard.model_dump(exclude={"lengths"}) | {length.unit: length.most for length in heard.lengths}
    return {**told, "form": heard.form or ""}


def open_points(prompt: Prompt) -> dict[str, Any]:
    """What a question leaves open, by the titles of what was found for it."""
    query, today = text_of(prompt.user, "question"), re.search(r"Today is ([\d-]+)", prompt.system)
    titles = [tag.text for tag in tags(prompt.user, "found")]
    documents = tuple(
        Document(sha256=f"{at:064}", uri="", title=title, kind="file", language="und", retrieved_at="")
        for at, title in enumerate(titles)
    )
    passages = tuple(Passage(document=each.sha256, start=0, end=1, text="?") for each in documents)
    ask = ClarifyQuestion(
        query=query,
        language=detect(query),
        sources=(),
        preview=Retrieval(documents=documents, passages=passages),
        today=today[1] if today else "",
    )
    return clarify_question(ask).model_dump()


def plan(prompt: Prompt) -> dict[str, Any]:
    """One part for a simple question; else one for each thing that it asks."""
    query = text_of(prompt.user, "question")
    most = re.search(r"two to (\d+) parts", prompt.system)
    mode = "simple" if not most else "hierarchical" if "wants it divided" in prompt.system else "auto"
    made = plan_research(
        PlanResearch(
            query=query,
            language=detect(query),
            mode=cast(Mode, mode),
            sources=tuple(map(source_of, tags(prompt.user, "source"))),
            preview=_preview(prompt),
            max_questions=int(most[1]) if most else 1,
            remark=text_of(prompt.user, "remark"),
        )
    ).with_reasons(query)
    numbers = {subtask.subtask_id: number for number, subtask in enumerate(made.subtasks, start=1)}
    return {
        "reasoning": made.complexity_reasoning,
        "is_complex": made.is_complex,
        "strategy": made.strategy or "none",
        "parts": [
            {
                "question": subtask.description,
                "focus": subtask.focus_area,
                "reason": subtask.reason,
                "importance": subtask.estimated_importance,
                "after": [numbers[id] for id in subtask.dependencies],
                "queries": [query.text for query in subtask.queries],
            }
            for subtask in made.subtasks
        ],
        "overall": made.overall_strategy,
    }


def source_of(tag: Tag) -> SourceDescription:
    """A source as far as a prompt tells of it; fields and values of a dataset stand for titles and headings."""
    fields, values = (tuple(filter(None, text_of(tag.inner, name).split(" | "))) for name in ("fields", "values"))
    return SourceDescription(
        name=tag.attributes["name"],
        kind=cast(DocumentKind, tag.attributes["kind"]),
        documents=int(tag.attributes.get("documents", tag.attributes.get("records", 0))),
        cover=float(tag.attributes.get("cover", 0)),
        titles=fields or tuple(title.text for title in tags(tag.inner, "title")),
        headings=values or tuple(heading.text for heading in tags(tag.inner, "heading")),
    )


def _preview(prompt: Prompt) -> Retrieval:
    """The headings that are shown, as passages under them."""
    shown = [tag.text for tag in tags(prompt.user, "heading")]
    passages = [
        Passage(document="0" * 64, start=at, end=at + len(text), text=text, headings=(text,))
        for at, text in enumerate(shown)
    ]
    return Retrieval(passages=tuple(passages))


def revision(_: Prompt) -> dict[str, Any]:
    """No change: what the question asks is in the plan from the beginning."""
    told = {"reasoning": "The plan holds all that the question asks.", "revise": False, "trigger": "none", "impact": 0}
    return told | {"add": [], "remove": [], "priorities": []}


ANSWERS.update(
    {
        "HearWishes": wishes,
        "ClarifyQuestion": open_points,
        "PlanResearch": plan,
        "RevisePlan": revision,
    }
)
