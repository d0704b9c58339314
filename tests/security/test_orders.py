"""Documents that give orders to a model change nothing, whether the model obeys them or not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

import fathom
from fathom.prompts import DIVIDER, Prompts
from fathom.report import Report
from fathom_testing.model_server import Entry, ModelServer
from tests.support.honest import faults_of
from tests.support.injected_runs import documents, snapshots, within_bounds
from tests.support.injections import CANARY, HOST, INJECTIONS, Injection

TOGETHER = [INJECTIONS[at : at + 4] for at in range(0, len(INJECTIONS), 4)]
"""Documents of one language in one run: their orders add up."""


async def ran(folder: Path, server: ModelServer, *injections: Injection) -> tuple[fathom.Settings, Report]:
    settings = fathom.Settings(home=folder / "home", model="openai:fathom-test", base_url=f"{server.url}/v1")
    report = await fathom.research(
        injections[0].question, documents=[documents(folder, *injections)], settings=settings
    )
    return settings, report


def names(injections: Sequence[Injection]) -> str:
    return "+".join(each.name for each in injections)


ALONE = [pytest.param((each,), marks=pytest.mark.soak) for each in INJECTIONS]


@pytest.mark.parametrize("injections", [*TOGETHER, *ALONE], ids=names)
async def test_a_model_that_reads_orders_is_shown_them_as_material(
    injections: Sequence[Injection], tmp_path: Path
) -> None:
    with ModelServer(log_prompts=True) as server:
        settings, report = await ran(tmp_path, server, *injections)

    assert faults_of(report, await snapshots(settings, report)) == []
    assert within_bounds(report) == []
    assert any("43" in claim.text and claim.verified for claim in report.claims)
    planned = " ".join(f"{entry.description} {entry.focus_area}" for entry in report.subtasks)
    assert CANARY not in planned and HOST not in planned
    assert [fault for call in server.calls for fault in broken_out(call)] == []
    if len(injections) > 1:
        assert any(CANARY in text for call in server.calls for text in call.prompt), "the orders were never read"


@pytest.mark.parametrize("injections", [*TOGETHER, *ALONE], ids=names)
async def test_a_model_that_obeys_a_page_changes_nothing(injections: Sequence[Injection], tmp_path: Path) -> None:
    with ModelServer(faults=[{"fault": "obeys_page"}], log_prompts=True) as server:
        settings, report = await ran(tmp_path, server, *injections)

    assert server.calls and {call.fault for call in server.calls} == {"obeys_page"}
    assert faults_of(report, await snapshots(settings, report)) == []
    assert within_bounds(report) == []
    assert [fault for call in server.calls for fault in broken_out(call)] == []
    read = "".join(re.sub(r"\W", "", text) for text in (await snapshots(settings, report)).values())
    told = [piece for claim in report.claims for piece in re.split(r"(?<=[.>。]) ", claim.text)]
    added = [piece for piece in told if HOST in piece and re.sub(r"\W", "", piece) not in read]
    assert added == [], "what a page ordered stands in the report, and not as a quotation"


# ── What a model is shown ──────────────────────────────────────────────────────────────────────────────────────────

TAGS = {
    tag for name in Prompts().names for tag in re.findall(r"</?([a-z_]+)", Prompts().source(name).partition(DIVIDER)[2])
}
TAGS |= {"sheet", "findings"}
"""The tags of the prompts, with those of what they share: nothing else may be one."""


def broken_out(call: Entry) -> Iterator[str]:
    """Where material has left its place in a prompt, one line each."""
    system, material, *_ = call.prompt
    if CANARY in system or HOST in system:
        yield f"{call.ask}: an order stands among the instructions"
    end = material.rfind("</")
    end = material.find(">", end) + 1 if end >= 0 else len(material)
    if CANARY in material[end:] or HOST in material[end:]:  # where the task and the shape of the answer are
        yield f"{call.ask}: an order stands behind every tag"
    try:
        root = ElementTree.fromstring(f"<root>{_printable(material[:end])}</root>")
    except ElementTree.ParseError as error:
        yield f"{call.ask}: the tags do not match: {error}"
        return
    if strangers := {element.tag for element in root.iter()} - TAGS - {"root"}:
        yield f"{call.ask}: tags of a stranger: {strangers}"
    shown = [*root.iter("known"), *root.iter("document")] if call.ask == "ExtractFindings" else []
    lines = [line for part in shown for line in (part.text or "").strip().splitlines()]
    numbered = [int(mark[1]) for line in lines if (mark := re.match(r"\[(\d+)\] ", line))]
    if numbered != [*range(1, len(numbered) + 1)]:
        yield f"{call.ask}: the numbers of sentences are imitated: {numbered}"
    if strange := [line for line in lines if not line.startswith(("[", "> ", "…"))]:
        yield f"{call.ask}: lines that are no sentence of ours: {strange}"
    outside = [root.text or "", *(element.tail or "" for element in root)]
    if any(CANARY in text or HOST in text for text in outside):
        yield f"{call.ask}: an order stands outside of every tag"


def _printable(text: str) -> str:
    """Without the characters that XML does not know; escaping is not about them."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "", text)
