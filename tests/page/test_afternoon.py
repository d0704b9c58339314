"""A stranger's afternoon on the page: from two files that are dropped to what has changed since."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fathom_testing.model_server.answers import Prompt
from tests.acceptance.minds import Mind, known_answer, shallow
from tests.page.conftest import with_model
from tests.page.person import Person, visiting
from tests.page.watching import DONE, until
from tests.support.apiary import PAPERS
from tests.support.page_serving import Service

if TYPE_CHECKING:
    from playwright.async_api import Browser, Locator

pytestmark = pytest.mark.asyncio(loop_scope="session")

WINTER = "What do I have to do before I leave a hive for the winter?"
QUESTION = f"{WINTER[:-1]}, who is the swarm officer, and what does a hive cost?"
NAMED = "What was found mentions the Bramley strap, and does not go into it."
GATE = "When is the gate of the apiary shut?"
DROPPED = ("rules", "strap")
_PLACE = "each => each.getBoundingClientRect().top + scrollY"


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the papers."""
    place = tmp_path_factory.mktemp("afternoon")
    for name, text in PAPERS.items():
        (place / f"{name}.md").write_text(text, encoding="utf-8")
    return place


class Keeper(Mind):
    """A model that divides a question as the server does, and goes deeper where what is found names no more than a
    strap."""

    def plan(self, prompt: Prompt) -> dict[str, Any]:
        return known_answer("PlanResearch", prompt)


@pytest.fixture(scope="module")
def shelf(papers: Path) -> Iterator[Service]:
    """A server that has all papers but those that are dropped, and a model that goes deeper."""
    with Keeper([], {WINTER: [{**shallow("the Bramley strap"), "reasoning": NAMED}] * 4}).at_work() as model:
        served = Service(papers / "home", environment=with_model(model))
        served.fathom("ingest", *(path for path in papers.glob("*.md") if path.stem not in DROPPED))
        served.start()
        yield served
        served.stop()


async def approved(person: Person, below: Locator, *, state: str = "") -> None:
    """Start the plan that a question on its page waits with."""
    await below.locator(".plan-card").wait_for()
    if state:
        await person.shows(state)
    await below.get_by_role("button", name="Start this plan").click()


async def goes_deeper(person: Person) -> None:
    """Have the report, and whatever it would go deeper into for it."""
    page = person.page
    either = page.locator("article.report .claim, .tree .proposal button.primary:enabled").first
    await either.wait_for(timeout=DONE)
    while await page.locator("article.report .claim").count() == 0:
        button = page.locator(".tree .proposal button.primary:enabled")
        if await button.count():
            await button.first.click()
        await page.wait_for_timeout(50)


async def test_a_strangers_afternoon(chromium: Browser, shelf: Service, papers: Path) -> None:
    async with visiting(chromium, shelf.url) as person:
        page = person.page

        # two files are dropped, and the plan is edited
        await person.opens()
        await page.get_by_role("button", name="Add files").wait_for()
        await person.drops(*(papers / f"{name}.md" for name in DROPPED))
        await page.get_by_role("list", name="Added files").get_by_text("added").nth(1).wait_for()
        await page.get_by_role("checkbox", name="Use only these 2 documents").uncheck()
        await page.get_by_role("textbox", name="What do you want to know?").fill(QUESTION)
        await page.get_by_role("checkbox", name="Let me approve the plan first").check()
        await page.get_by_text("Ask me along the way, too").click()
        await page.get_by_role("checkbox", name="Before it goes deeper").check()
        await page.get_by_role("button", name="Start", exact=True).click()
        card = page.get_by_role("region", name="Is this the right plan?")
        proposed = await card.locator(".typical").inner_text()
        await card.get_by_role("textbox", name="Part 3").fill(GATE)
        await card.get_by_role("button", name="Add a part").click()
        await until(page, "document.activeElement.value === ''")  # the new part
        await page.keyboard.type("Should we allow a fourth hive for the club?")
        third = card.get_by_role("listitem").nth(2)
        await third.locator("summary").click()
        await third.get_by_role("checkbox", name="1. What do I have to do").check()
        start = card.get_by_role("button", name="Start with these changes")
        place = await start.evaluate(_PLACE)
        await person.shows("afternoon-edited")
        await card.get_by_role("button", name="Estimate again").click()
        await card.get_by_role("heading", name="What it would take", exact=True).wait_for()
        assert await card.locator(".typical").inner_text() != proposed
        assert await page.evaluate("document.activeElement.innerText") == "What it would take"
        assert await start.evaluate(_PLACE) == place, "nothing jumps"
        await start.click()

        # it is watched, a part is skipped, and what it asks on the way is answered
        proposal = page.get_by_role("region", name="Go deeper here?").first
        await proposal.get_by_text(NAMED).wait_for()
        await page.get_by_role("region", name="Sources read").get_by_text("Rules of the apiary").first.wait_for()
        await person.shows("afternoon-asks")
        part = page.locator(".tree .branch > li", has_text=GATE)
        await part.get_by_role("button", name="What to do with").click()
        await page.get_by_role("menuitem", name="Skip this part").click()
        await part.get_by_text("will be skipped, as asked").wait_for()
        await page.locator("#question:focus").wait_for()
        async with person.api() as client:
            path = f"/api/research/sessions/{page.url.rpartition('/')[2]}"
            while "is left out, as was asked" not in (await client.get(path)).text:
                await page.wait_for_timeout(50)
        await goes_deeper(person)
        first = page.url
        report = page.locator("#report > .reading")
        assert "third click" in await report.inner_text(), "it has gone deeper"
        assert re.search(f"Left out.*: {GATE[:-1]}", await report.inner_text())

        # it is asked on, twice, and a sentence is researched further
        box = page.get_by_role("textbox", name="Ask a follow-up")
        for query, says in (("And who is the swarm officer?", "Ida"), ("And when is the gate shut?", "19:30")):
            await box.fill(query)
            await box.press("Control+Enter")
            below = page.get_by_role("article", name=query)
            await below.get_by_text("Waiting for you", exact=True).wait_for()
            await until(page, "document.title.startsWith('Waiting for you ·')")
            await approved(person, below, state="afternoon-follows" if says == "Ida" else "")
            await below.locator(".claim", has_text=says).first.wait_for(timeout=DONE)
        await person.selects("third click")
        await page.locator("button.further").click()
        await page.get_by_role("link", name="It is being researched").click()
        below = page.locator("article.follow-up").nth(2)
        await approved(person, below)
        await below.locator(".report").wait_for(timeout=DONE)
        assert (
            await page.get_by_role("navigation", name="Questions in this thread").get_by_role("listitem").count() == 4
        )
        await person.shows("afternoon-thread")

        # one document is changed, and the question asked again
        rules = papers / "rules.md"
        rules.write_text(PAPERS["rules"].replace("at 19:30", "at 20:15"), encoding="utf-8")
        await person.opens()
        await page.get_by_role("button", name="Add files").wait_for()
        await person.drops(rules)
        await page.get_by_role("list", name="Added files").get_by_text("added").wait_for()
        await person.opens(first.removeprefix(person.base))
        await page.get_by_role("button", name="Update").first.click()
        await page.wait_for_url(lambda url: url != first and "/s/" in url)
        again = page.get_by_role("textbox", name="Part 3")
        await again.wait_for()
        assert await again.input_value() == GATE, "the plan as it was edited"
        await approved(person, page.locator(".session"))
        await goes_deeper(person)
        changes = page.locator(".changes", has_text="What has changed")
        await changes.wait_for()
        told = " ".join((await changes.text_content() or "").split())
        assert "removed: 19:30" in told and "added: 20:15" in told
        await person.shows("afternoon-changed")
        await changes.get_by_role("link", name="In the report").first.click()
        assert await page.evaluate("document.activeElement.classList.contains('claim')")
