"""Research over datasets: a count beside the sub-questions first, then a scan of what was not fetched, then the end."""

from __future__ import annotations

import html
import json
import re
from typing import Any

from fathom.reasoners.language_model.tasks.record_lines import BETWEEN
from fathom.text.analysis import query_terms, terms
from fathom_testing.model_server.answers import ANSWERS, Prompt
from fathom_testing.model_server.answers.tags import Tag, tags, text_of

BATCH = 100
"""Records that a scan reads at a time."""
FOUND = 6
"""Findings of one prompt of records."""
_OVER_TIME = re.compile(
    r"\b(?:over time|trend|per (?:month|year)|by (?:month|year)|monthly|yearly)\b|推移|月別|年別", re.I
)
_NEEDS_ALL = re.compile(r"\b(?:list (?:all|every)|all of them|mention)|一覧|すべて|全て", re.IGNORECASE)
_NUMBERED = re.compile(r"^\[(\d+)\] (.+)$", re.MULTILINE)
_ARGUMENT = re.compile(r"^- (.+) \(([^()]*), must be given\)", re.MULTILINE)
_IDLE: dict[str, Any] = {
    "tools": [],
    "table": "",
    "text": "",
    "filters": [],
    "group_by": [],
    "histogram_field": "",
    "histogram_interval": "none",
    "statistics": [],
    "top_n": 0,
    "samples_per_bucket": 0,
    "batch_size": 0,
    "focus": "",
    "format": "comprehensive_report",
}


def turn(prompt: Prompt) -> dict[str, Any]:
    """What the state asks for; what has failed is left."""
    question = f"{text_of(prompt.user, 'question')} {text_of(prompt.user, 'part')}"
    state, failed = text_of(prompt.user, "state"), tags(prompt.user, "failed")
    tools = tags(prompt.user, "tool")
    agents: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    reasoning = "Everything that matters is known."
    if state.startswith("Turn 1 of"):
        reasoning = "Count first."
        agents.append(_agent("decomposer"))
        count = _count(question, tags(prompt.user, "field"))
        if count and any("counts" in tool.attributes.get("can", "") for tool in tools):
            agents.append(_agent("aggregator", **count))
        elif any("pages" in tool.attributes.get("can", "") for tool in tools):
            agents.append(_agent("scanner", batch_size=BATCH))
        elif tools:
            given = {html.unescape(name): question for name, _ in _ARGUMENT.findall(tools[0].inner)}
            calls.append(
                {"tool": int(tools[0].attributes["number"]), "arguments": json.dumps(given, ensure_ascii=False)}
            )
    elif "UNFETCHED RECORDS" in state and not failed:
        reasoning = "Records are left."
        agents.append(_agent("scanner", batch_size=BATCH, focus=text_of(prompt.user, "part")))
    else:
        agents.append(_agent("synthesizer"))
    promised = bool(_NEEDS_ALL.search(question))
    return {"reasoning": reasoning, "promises_scan": promised, "agents": agents, "tool_calls": calls}


def _agent(name: str, **more: Any) -> dict[str, Any]:
    return {"agent": name, **_IDLE, **more}


def _count(question: str, fields: list[Tag]) -> dict[str, Any]:
    """Filters by the values that the question names; groups by the fields that it names, else by the first category."""
    filters = []
    free = []
    for field in fields:
        if named := field.attributes.get("named_in_question", ""):
            filters.append({"field": field.attributes["name"], "op": "in", "values": named.split(" | ")})
        else:
            free.append(field)
    wanted = set(terms(question))
    categories = [field for field in free if field.attributes["type"] in ("category", "boolean")]
    asked = [field for field in categories if wanted & set(terms(field.attributes["name"].replace("_", " ")))]
    groups = [field.attributes["name"] for field in asked or categories][:1]
    dates = [field.attributes["name"] for field in free if field.attributes["type"] == "date"]
    histogram = dates[:1] if _OVER_TIME.search(question) else []
    if not (filters or groups or histogram):
        return {}
    for each in filters:
        if len(each["values"]) == 1:
            each["op"] = "eq"
    found: dict[str, Any] = {"filters": filters, "group_by": [] if histogram and not asked else groups}
    return found | ({"histogram_field": histogram[0], "histogram_interval": "month"} if histogram else {})


def records(prompt: Prompt) -> dict[str, Any]:
    """The lines that share most words with what is asked, as they stand; sentences before fields."""
    asked = " ".join(text_of(prompt.user, name) for name in ("question", "part", "research_questions", "focus"))
    wanted = set(query_terms(asked))
    most = re.search(r"at most (\d+)", prompt.system)
    shown = [
        (int(number), html.unescape(text))
        for record in tags(prompt.user, "record")
        for number, text in _NUMBERED.findall(record.inner)
    ]
    shared = {number: len(wanted & set(terms(text))) for number, text in shown}
    is_fields = {number: BETWEEN in text for number, text in shown}
    found = [number for number in shared if shared[number]]
    best = sorted(found, key=lambda number: (is_fields[number], -shared[number], number))
    kept = best[: min(FOUND, int(most[1]) if most else FOUND)]
    return {"findings": [{"claim": "", "cites": [number], "confidence": 0.8} for number in kept]}


ANSWERS.update({"DirectDataset": turn})
