"""Without a model, what was found leads on: over small folders and many short documents, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import fathom
from fathom.events import Allocated, DrilledDown, PlanRevised, StoredEvent
from fathom.report import Report
from tests.support.apiary import PAPERS


async def run(folder: Path, papers: dict[str, str], question: str) -> tuple[Report, list[StoredEvent]]:
    """The report, which a replay writes again, and what happened."""
    documents = folder / "documents"
    documents.mkdir()
    for name, text in papers.items():
        (documents / f"{name}.md").write_text(text, encoding="utf-8")
    events: list[StoredEvent] = []
    settings = fathom.Settings(home=folder / "home")
    report = await fathom.research(question, documents=[documents], settings=settings, on_event=events.append)
    replayed = await fathom.replay(report.run_id, settings=settings)
    assert replayed.markdown == report.markdown
    return report, events


async def researched(folder: Path, papers: dict[str, str], question: str) -> tuple[Report, list[str]]:
    """The report, and what the run went after."""
    report, events = await run(folder, papers, question)
    after: list[str] = []
    for stored in events:
        match stored.event:
            case DrilledDown(children=found) | PlanRevised(added=found):
                after += [each.focus_area for each in found]
            case _:
                continue
    return report, after


async def test_a_question_that_one_look_answers_is_left_alone(tmp_path: Path) -> None:
    report, after = await researched(tmp_path, PAPERS, "When is the gate shut?")
    assert after == [] and "19:30" in report.markdown


CLUB = "The president of the hill club was in office when a state joined its union"
MANY = {f"club {at}": f"# Hill club {at}\n\n{CLUB} {at} times.\n" for at in range(320)}
FARM = "# Brenn Wind Farm\n\nThe Brenn Wind Farm has forty turbines on the west coast of Talland.\n"
STATE = "# Talland\n\nTalland is flat. Under President Orrin Vale it became one of twelve, in March 1846.\n"
ASKED = "Who was president when the state with the Brenn Wind Farm joined the union?"


async def searched(folder: Path, papers: dict[str, str], question: str) -> tuple[Report, list[str]]:
    """The report, and what was searched for in all rounds."""
    report, events = await run(folder, papers, question)
    asked = (each.event.queries for each in events if isinstance(each.event, Allocated))
    return report, [text for queries in asked for texts in queries.values() for text in texts]


async def test_in_many_short_documents_a_name_that_was_found_is_searched_for_with_what_is_not_told(
    tmp_path: Path,
) -> None:
    report, asked = await searched(tmp_path, {**MANY, "farm": FARM, "state": STATE}, ASKED)

    assert asked[0] == ASKED
    assert any("Talland" in text and "president" in text and "Brenn" not in text for text in asked[1:])
    assert len(asked) <= 1 + 2 * 4
    told = [claim.text for claim in report.claims]
    assert told[0].startswith("The Brenn Wind Farm")
    assert any("Orrin Vale" in text for text in told[1:])


async def test_what_one_document_tells_is_searched_for_once(tmp_path: Path) -> None:
    question = "How many turbines has the Brenn Wind Farm?"
    report, asked = await searched(tmp_path, {**MANY, "farm": FARM, "state": STATE}, question)

    assert asked == [question]
    assert "forty turbines" in report.claims[0].text


async def test_each_document_called_as_the_question_has_it_is_told(tmp_path: Path) -> None:
    pages = {
        "white": "# E. B. White\n\nHe was an American writer of essays, and of three books for children.\n",
        "masterson": "# Dan Masterson (poet)\n\nDan Masterson is an American poet, born in Buffalo.\n",
    }
    others = {
        f"poet {at}": f"# Poet {at}\n\nWhat has this poet in common with others? Poem {at}.\n" for at in range(40)
    }
    report, _ = await searched(tmp_path, {**others, **pages}, "What do E. B. White and Dan Masterson have in common?")

    told = " ".join(claim.text for claim in report.claims)
    assert "born in Buffalo" in told
    assert "three books for children" in told
