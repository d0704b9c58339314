"""Summing up, outlining and writing: what is shown is told in its own words."""

from __future__ import annotations

import re
from typing import Any

from fathom.asks import OutlineReport, WriteSection
from fathom.evidence import Document, Evidence
from fathom.findings import Finding, Statement
from fathom.plan import Subtask
from fathom.reasoners.extractive.outline import outline_report
from fathom.reasoners.extractive.synthesize import TOLD
from fathom.reasoners.extractive.write import write_section
from fathom.report import OutlineSection
from fathom.text.language import detect
from fathom_testing.model_server.answers import ANSWERS, Prompt
from fathom_testing.model_server.answers.tags import Tag, tags, text_of

_PAGE = 100_000
"""Characters between two findings: the prompt does not say where on its page a finding stands."""


def synthesize_subtask(prompt: Prompt) -> dict[str, Any]:
    """The first findings, word for word."""
    shown = [tag for tag, under in _led(prompt.user) if not under][:TOLD] or tags(prompt.user, "finding")[:TOLD]
    return {
        "answer": [{"text": tag.text, "cites": [tag.id]} for tag in shown],
        "confidence": 0.7 if shown else 0.0,
        "contradictions": [],
        "caveats": [],
    }


def outline(prompt: Prompt) -> dict[str, Any]:
    """Every finding in the section of its part, and what the extractive reasoner would tell first as the summary.

    How many of them there is room for is seen by whoever reads the outline, and in the same way.
    """
    parts = tags(prompt.user, "part")
    shown = [(tag.id, _found(tag, under, part=part.id)) for part in parts for tag, under in _led(part.inner)]
    findings = {finding.id: (id, finding) for id, finding in shown}
    query = text_of(prompt.user, "question")
    words = re.search(r"about (\d+) words", prompt.system)
    made = outline_report(
        OutlineReport(
            query=query,
            language=detect(query),
            subtasks=tuple(
                Subtask(subtask_id=f"task_{part.attributes['id']}", description=part.attributes["asks"])
                for part in parts
            ),
            syntheses=(),
            findings=tuple(finding for _, finding in findings.values()),
            documents=_documents(finding for _, finding in findings.values()),
            max_words=int(words[1]) if words else 950,
        )
    )
    return {
        "title": made.title,
        "summary": [findings[id][0] for id in made.summary],
        "sections": [
            {
                "heading": part.attributes["asks"],
                "part": part.id,
                "findings": [tag.id for tag in tags(part.inner, "finding")],
                "sections": [],
            }
            for part in parts
        ],
        "conclusion": [],
    }


def section(prompt: Prompt) -> dict[str, Any]:
    """Every finding, word for word, in the forms that the extractive reasoner gives them."""
    read = [(tag.id, _found(tag, under)) for tag, under in _led(prompt.user)]
    shown = {finding.id: (id, finding) for id, finding in read}
    findings = tuple(finding for _, finding in shown.values())
    query = text_of(prompt.user, "question")
    told = write_section(
        WriteSection(
            query=query,
            language=detect(query),
            role="section",
            section=OutlineSection(heading="-"),
            findings=findings,
            documents=_documents(findings),
        )
    )
    return {"statements": [_stated(statement, shown) for statement in told.statements]}


def _stated(statement: Statement, shown: dict[str, tuple[int, Finding]]) -> dict[str, Any]:
    return {"text": statement.text, "cites": [shown[id][0] for id in statement.findings], "form": statement.form}


def _led(material: str) -> list[tuple[Tag, str]]:
    """The findings that are shown, each with what it stands under."""
    lists = tags(material, "list")
    return [
        (tag, next((each.attributes["under"] for each in lists if each.start < tag.start < each.end), ""))
        for tag in tags(material, "finding")
    ]


def _found(tag: Tag, under: str, *, part: int = 1) -> Finding:
    """A finding of the prompt as ours; those of one source stand on its page in the order of their ids."""
    source = tag.attributes.get("source", "0").rjust(64, "0")
    at = tag.id * _PAGE
    # the same lead-in of a source is the same span
    before = sum(map(ord, under)) % _PAGE
    lead_in = Evidence(document=source, start=before, end=before + len(under), quote=under) if under else None
    return Finding(
        subtask_id=f"task_{part}",
        claim=tag.text,
        evidence=(Evidence(document=source, start=at, end=at + len(tag.text), quote=tag.text),),
        lead_in=lead_in,
        confidence=0.8,
        relevance=float(tag.attributes.get("relevance", "1")),
    )


def _documents(findings: Any) -> tuple[Document, ...]:
    sources = dict.fromkeys(finding.evidence[0].document for finding in findings)
    return tuple(
        Document(sha256=source, uri="file:///", title=source.lstrip("0"), kind="file", language="und", retrieved_at="")
        for source in sources
    )


ANSWERS.update({"SynthesizeSubtask": synthesize_subtask, "OutlineReport": outline, "WriteSection": section})
