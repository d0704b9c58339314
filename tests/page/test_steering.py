"""On the page a person has a say in a session: its plan, where it goes deeper, and what it is told on the way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fathom_testing.model_server import ModelServer
from tests.acceptance.minds import Mind, shallow
from tests.acceptance.minds import part as asked
from tests.page.conftest import LATENCY, SLOWER, SLOWEST, with_model
from tests.page.person import Person, visiting
from tests.page.watching import DONE, allowed, looks_elsewhere, reported, until, watching
from tests.support.apiary import PAPERS
from tests.support.page_material import JAPANESE_QUESTION, QUESTION
from tests.support.page_serving import Service, ask, ended

if TYPE_CHECKING:
    from playwright.async_api import Browser, Locator, Page, Route

pytestmark = pytest.mark.asyncio(loop_scope="session")

PLAN = {"approve": ["plan"]}
HIVE = "What do I have to do before I leave a hive for the winter?"
FOURTH_HIVE = "Should we allow a fourth hive for the club?"
SESSIONS = "/api/research/sessions"


@pytest.fixture(scope="module")
def apiary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server without a model, over notes that lead from one to the other."""
    yield from over(tmp_path_factory.mktemp("apiary"), PAPERS)


def over(place: Path, documents: Mapping[str, str], environment: Mapping[str, str] | None = None) -> Iterator[Service]:
    """A server over documents, without a model unless its environment names one."""
    for name, text in documents.items():
        (place / f"{name}.md").write_text(text, encoding="utf-8")
    served = Service(place / "home", environment=environment)
    served.fathom("ingest", *place.glob("*.md"))
    served.start()
    try:
        yield served
    finally:
        served.stop()


async def waiting(person: Person, question: str, *, reasoner: str | None = "extractive", **limits: Any) -> str:
    """A session that waits with its plan, in view; its id."""
    async with person.api() as client:
        how = {"reasoner": reasoner} if reasoner else {}
        id = await ask(client, question, limits={**PLAN, **limits}, **how)
    await person.opens(f"/s/{id}")
    await person.page.locator(".plan-card").wait_for()
    return id


async def part(page: Page, number: int) -> Locator:
    """A part of the plan, as it can be edited."""
    return page.get_by_role("textbox", name=f"Part {number}")


async def planned(person: Person, id: str) -> list[dict[str, Any]]:
    """The parts of the plan that is carried out."""
    async with person.api() as client:
        [session] = await ended(client, id)
        assert session["status"] == "completed", session
        plan = (await client.get(f"{SESSIONS}/{id}/plan")).json()["plan"]
    parts: list[dict[str, Any]] = plan["subtasks"]
    return parts


async def test_a_plan_is_edited_on_its_card_and_carried_out_so(person: Person) -> None:
    page = person.page
    await person.opens()
    await page.get_by_role("checkbox", name="Let me approve the plan first").check()
    await page.get_by_role("checkbox", name="Before it goes deeper").wait_for(state="hidden")
    await page.get_by_role("textbox", name="What do you want to know?").fill(f"{QUESTION} Ask me before.")
    await page.get_by_role("button", name="Start", exact=True).click()
    await page.wait_for_url("**/s/*")
    id = page.url.rpartition("/")[2]
    card = page.get_by_role("region", name="Is this the right plan?")
    await card.get_by_role("listitem").nth(1).wait_for()
    assert await page.title() == f"Waiting for you · {QUESTION} Ask me before. · Fathom"
    assert "Waiting for you" in await page.locator(".head .status").inner_text()
    await card.get_by_text("it starts with the plan as proposed").wait_for()
    await person.shows("plan-card")

    before = await card.get_by_role("textbox", name="Part ").count()
    await (await part(page, 1)).fill("Who designed the tower?")
    await card.get_by_role("button", name="Drop part 2").click()
    await card.get_by_role("button", name="Add a part").click()
    await until(page, "document.activeElement.value === ''")  # the new part
    await page.keyboard.type("Which storms has the tower seen?")
    await page.keyboard.press("Alt+ArrowUp")
    for _ in range(before - 2):
        await page.keyboard.press("Alt+ArrowUp")
    assert await (await part(page, 1)).input_value() == "Which storms has the tower seen?"
    await card.get_by_role("button", name="Move part 1 down").click()
    assert await page.evaluate("document.activeElement.getAttribute('aria-label')") == "Move part 2 down"
    await card.locator(".editable summary").first.click()
    first = card.get_by_role("listitem").first
    await first.get_by_role("checkbox", name="Which storms has the tower seen?").check()
    await first.get_by_role("slider", name="Importance").fill("0.5")
    await card.get_by_text("waits for part 2 · Importance 50%").wait_for()
    await person.shows("plan-card-edited")
    await card.get_by_role("button", name="Start with these changes").click()
    await card.wait_for(state="detached")
    await reported(page)
    one, two, *_ = await planned(person, id)
    assert (one["description"], two["description"]) == ("Who designed the tower?", "Which storms has the tower seen?")
    assert (one["dependencies"], one["estimated_importance"]) == ([two["subtask_id"]], 0.5)


async def test_an_edit_that_cannot_be_carried_out_is_told_at_its_part_and_nothing_is_lost(person: Person) -> None:
    page = person.page
    id = await waiting(person, f"{QUESTION} Edit it wrongly.")
    card = page.locator(".plan-card")
    parts = card.get_by_role("listitem")
    words = await (await part(page, 1)).input_value()
    await (await part(page, 2)).fill("  ")
    await card.get_by_role("button", name="Start with these changes").click()
    await parts.nth(1).get_by_text("Say what this part asks, or drop it.").wait_for()
    assert await page.evaluate("document.activeElement.getAttribute('aria-label')") == "Part 2"
    await (await part(page, 2)).fill("What did it cost?")
    for one, other in ((0, 1), (1, 0)):
        await parts.nth(one).locator("summary").click()
        await parts.nth(one).get_by_role("checkbox").nth(min(other, 0)).check()
    await parts.first.get_by_text("Parts 1 and 2 wait for each other").wait_for()
    await parts.nth(1).get_by_text("Parts 1 and 2 wait for each other").wait_for()
    await card.get_by_role("button", name="Start with these changes").click()
    await person.shows("plan-card-wrong")
    assert await (await part(page, 2)).input_value() == "What did it cost?"
    async with person.api() as client:
        assert (await client.get(f"{SESSIONS}/{id}")).json()["waiting_for"] == ["plan"]
    await parts.first.get_by_role("checkbox").first.uncheck()
    await card.get_by_role("button", name="Start with these changes").click()
    described = [each["description"] for each in await planned(person, id)]
    assert described[:2] == [words, "What did it cost?"]


async def test_a_plan_is_made_again_with_a_remark(person: Person) -> None:
    page = person.page
    id = await waiting(person, f"{QUESTION} Plan it twice.")
    await page.get_by_role("textbox", name="Plan again, but …").fill("but what did it cost?")
    await page.get_by_role("button", name="Plan again").click()
    fields = page.locator(".plan-card textarea")
    while "cost" not in " ".join([await each.input_value() for each in await fields.all()]):
        await page.wait_for_timeout(50)
    await page.get_by_role("button", name="Start this plan").click()
    assert any("cost" in each["description"] for each in await planned(person, id))


async def test_whoever_answers_after_somebody_else_is_told_so(person: Person) -> None:
    page = person.page
    id = await waiting(person, f"{QUESTION} Two answers.")
    person.expects("409")

    async def faster(route: Route) -> None:
        async with person.api() as client:
            first = await client.post(f"{SESSIONS}/{id}/approvals/plan_1", json={"decision": "accept"})
            assert first.status_code == 202
        await route.continue_()

    await page.route("**/approvals/plan_1", faster)
    await (await part(page, 1)).fill("What else?")
    await page.get_by_role("button", name="Start with these changes").click()
    await page.get_by_text("Somebody else answered first (plan): accepted as proposed.").wait_for()
    assert "What else?" not in [each["description"] for each in await planned(person, id)]


async def test_a_plan_that_nobody_has_answered_in_time_is_carried_out_and_that_is_told(person: Person) -> None:
    page = person.page
    id = await waiting(person, f"{QUESTION} Nobody is there.", approval_time=6)
    await page.get_by_text("unless you answer").wait_for()
    await page.get_by_text("Nobody answered in time (plan): it continued as proposed.").wait_for()
    await planned(person, id)


async def test_a_plan_that_is_not_wanted_is_not_researched(person: Person) -> None:
    page = person.page
    await waiting(person, f"{QUESTION} Never mind.")
    await page.get_by_role("button", name="Don't research this").click()
    await page.locator(".head .status.is-declined").wait_for()
    await page.get_by_text("The plan was declined, so nothing was researched.").wait_for()
    assert not {"failed", "resume"} & set((await page.locator(".head").inner_text()).lower().split())
    await person.shows("declined")
    await page.get_by_role("button", name="Propose the plan again").click()
    await page.locator(".plan-card").wait_for()


async def test_a_session_that_waits_says_so_in_the_history_and_one_gets_there(
    chromium: Browser, service: Service
) -> None:
    async with visiting(chromium, service.url) as person:
        page = person.page
        async with person.api() as client:
            id = await ask(client, f"{QUESTION} Come back.", reasoner="extractive", limits={"approve": ["plan"]})
        await person.opens("/history")
        row = page.locator(".rows > li", has=page.locator(f'a[href="/s/{id}"]'))
        await row.get_by_text("Waiting for you").wait_for()
        await person.shows("history-waits")
        await row.get_by_role("link", name="Answer").click()
        card = page.locator(".plan-card")
        await card.wait_for()
        await page.get_by_role("button", name="Start this plan").click()
        await reported(page)


async def test_whoever_looks_elsewhere_is_notified_that_a_session_waits(
    chromium: Browser, service: Service, waiting_model: ModelServer
) -> None:
    async with watching(chromium, service.url) as person:
        page = person.page
        await allowed(person)
        waiting_model.latency = SLOWEST
        async with person.api() as client:
            id = await ask(client, f"{QUESTION} Tell me.", limits={"approve": ["plan"]})
            await person.opens(f"/s/{id}")
            await page.get_by_role("checkbox", name="needs me").check()
            await looks_elsewhere(person)
            waiting_model.latency = LATENCY
            await until(page, "seen.notes.length > 0")
            notes = await page.evaluate("seen.notes")
            assert notes == [["Your research is waiting for you", f"{QUESTION} Tell me."]]
            assert (await page.title()).startswith("Waiting for you · ")
            await client.post(f"{SESSIONS}/{id}/cancel")


DEEPER = Mind(
    [asked(HIVE, "before you leave a hive for the winter")],
    {HIVE: [shallow("the Bramley strap")] * 4},
)
"""What it finds for the winter names a strap that it does not go into: in two sessions, each time in both rounds."""
OTHERWISE = Mind(
    [asked(FOURTH_HIVE, "a fourth hive for the club"), asked("Who is the swarm officer?", "swarm officer", after=(1,))],
    discoveries={
        FOURTH_HIVE: {
            "reasoning": "A hornet notice bears on it.",
            "revise": True,
            "trigger": "new_topic",
            "impact": 0.9,
            "add": [asked("What does the hornet notice forbid?", "hornet notice", focus="The notice")],
        }
    },
)
"""What it finds for the fourth hive names a notice that the plan does not know of."""


@pytest.mark.parametrize(
    ("about", "mind", "question", "yes", "no"),
    [
        ("drilldown", DEEPER, HIVE, "Go deeper", "No, this will do"),
        ("revision", OTHERWISE, FOURTH_HIVE, "Change it", "No, keep it"),
    ],
    ids=["drilldown", "revision"],
)
async def test_what_it_would_do_on_the_way_is_approved_at_the_part_it_concerns(
    chromium: Browser, tmp_path: Path, about: str, mind: Mind, question: str, yes: str, no: str
) -> None:
    with mind.at_work() as model, contextmanager(over)(tmp_path, PAPERS, with_model(model)) as clubs:
        async with visiting(chromium, clubs.url) as person, person.api() as client:
            page = person.page
            changed = []
            for word in (yes, no):
                id = await ask(client, question, limits={"approve": ["drilldown", "revision"]})
                await person.opens(f"/s/{id}")
                card = page.locator(f".tree .proposal[id^=approval-{about}]")
                await card.first.wait_for()
                await page.locator(".head").get_by_role("button", name="Show").click()
                assert await page.evaluate("document.activeElement.className") == "proposal"
                assert (await page.title()).startswith("Waiting for you")
                if word == yes:
                    await person.shows(about)
                while (await client.get(f"{SESSIONS}/{id}")).json()["status"] == "running":
                    buttons = page.locator(".proposal button:enabled", has_text=word)
                    others = page.locator(".proposal button:enabled", has_text="No, ")
                    for button in (buttons, others):
                        if await button.count():
                            await button.first.click()
                            break
                    await page.wait_for_timeout(50)
                await reported(page)
                changed.append(len((await client.get(f"{SESSIONS}/{id}")).json()["subtasks"]))
            assert changed == [len(mind.parts) + 1, len(mind.parts)]


async def test_a_part_is_skipped_and_another_gone_into_further_by_keyboard(
    person: Person, waiting_model: ModelServer
) -> None:
    page = person.page
    id = await waiting(person, f"{QUESTION} By keyboard alone.", reasoner=None)
    waiting_model.latency = SLOWEST
    await page.locator(".editable summary").nth(1).click()
    await page.get_by_role("checkbox", name="1. How high").nth(0).check()
    await page.get_by_role("button", name="Start with these changes").click()
    plan = page.get_by_role("region", name=re.compile("^Plan"))
    await plan.get_by_text("Researching").first.wait_for()
    menus = plan.get_by_role("button", name="What to do with")
    await menus.first.focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("menuitem", name="Skip this part").wait_for()
    await page.keyboard.press("ArrowDown")
    assert await page.evaluate("document.activeElement.innerText") == "Go deeper here"
    await page.keyboard.press("Escape")
    assert await page.get_by_role("menu").count() == 0
    assert "What to do" in str(await page.evaluate("document.activeElement.getAttribute('aria-label')"))
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    await plan.get_by_text("will go deeper, as asked").wait_for()
    await menus.nth(1).click()
    await page.get_by_role("menuitem", name="Skip this part").click()
    await plan.get_by_text("will be skipped, as asked").wait_for()
    await person.shows("steered")
    async with person.api() as client:
        while "is left out, as was asked" not in (await client.get(f"{SESSIONS}/{id}")).text:
            await page.wait_for_timeout(50)
    waiting_model.latency = LATENCY
    await reported(page)
    await page.locator(".story > summary").click()
    await plan.get_by_text("Skipped", exact=True).wait_for()
    assert await plan.get_by_text("as asked").count() == 0


async def test_what_comes_too_late_is_told_where_it_was_asked(person: Person, waiting_model: ModelServer) -> None:
    page = person.page
    waiting_model.latency = SLOWER
    id = await person.starts(f"{QUESTION} Too late for that.")
    plan = page.get_by_role("region", name=re.compile("^Plan"))
    await plan.get_by_role("listitem").nth(1).wait_for()
    waiting_model.latency = SLOWEST
    person.expects("409")

    async def faster(route: Route) -> None:
        async with person.api() as client:
            assert (await client.post(f"{SESSIONS}/{id}/steer", json=route.request.post_data_json)).status_code == 202
        await route.continue_()

    await page.route("**/steer", faster)
    await plan.get_by_role("button", name="What to do with").first.click()
    await page.get_by_role("menuitem", name="Skip this part").click()
    await plan.get_by_text("Too late: this has already ended or been settled.").wait_for()
    await page.get_by_role("button", name="Stop looking, write now").click()
    await page.get_by_role("dialog").get_by_role("button", name="Stop looking, write now").click()
    await page.locator(".head").get_by_text("Too late").wait_for()
    await person.shows("too-late")
    waiting_model.latency = LATENCY
    await reported(page)


async def test_a_report_that_is_wanted_now_is_written_from_what_was_found(
    person: Person, waiting_model: ModelServer
) -> None:
    page = person.page
    waiting_model.latency = SLOWER
    await person.starts(f"{QUESTION} That is enough.")
    await page.get_by_role("region", name="Sources read").get_by_role("listitem").first.wait_for()
    waiting_model.latency = SLOWEST
    await page.get_by_role("button", name="Stop looking, write now").click()
    await person.shows("write-now")
    await page.get_by_role("dialog").get_by_role("button", name="Stop looking, write now").click()
    await page.locator(".head").get_by_text("Writing up…").first.wait_for()
    await page.get_by_text("Writing up what was found").wait_for()
    waiting_model.latency = LATENCY
    await page.locator(".head .status", has_text="Incomplete").wait_for(timeout=DONE)
    await reported(page)


async def test_the_estimate_tells_one_typical_figure_and_the_most(chromium: Browser, apiary: Service) -> None:
    async with visiting(chromium, apiary.url) as person, person.api() as client:
        page = person.page
        await person.opens()
        await page.get_by_role("textbox", name="What do you want to know?").fill(HIVE)
        await page.get_by_role("button", name="Estimate").click()
        told = (await client.post("/api/research/estimate", json={"query": HIVE})).json()["estimate"]
        typical, most = told["calls_typical"], told["calls_high"]
        await page.get_by_text(f"About {typical} calls,").wait_for()
        assert f"; at most {most:,}" in await page.locator(".typical").inner_text()


async def test_the_plan_is_approved_in_japanese(chromium: Browser, service: Service) -> None:
    async with visiting(chromium, service.url, language="ja-JP") as person:
        page = person.page
        await person.opens()
        await page.get_by_text("途中でも確認する").click()
        await page.get_by_role("checkbox", name="計画を確認してから始める").check()
        await page.get_by_role("checkbox", name="掘り下げる前に").check()
        await page.get_by_role("textbox", name="何を知りたいですか？").fill(JAPANESE_QUESTION)
        await person.shows("approve-ja")
        await page.get_by_role("button", name="調査を開始", exact=True).click()
        card = page.get_by_role("region", name="この計画でよろしいですか？")
        await card.get_by_role("button", name="問いを追加").click()
        await until(page, "document.activeElement.value === ''")  # the new part
        await page.keyboard.type("潮の満ち引きの原因は何か。")
        await card.get_by_text("ほかの問いを待たない").first.click()
        await person.shows("plan-card-ja")
        await card.get_by_role("button", name="この変更で調査を開始").click()
        await card.wait_for(state="detached")
        await reported(page)
        added = await planned(person, page.url.rpartition("/")[2])
        assert added[-1]["description"] == "潮の満ち引きの原因は何か。"


FEES = "What does a family pay per year?"


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server without a model, over two versions of the same rules, in English and in Japanese."""
    rules = {}
    for year, amount in (("2022", 96), ("2026", 120)):
        rules[f"fees-{year}"] = (
            f"# Fees of the club {year}\n\nA family pays {amount} euros per year, a child {amount // 4} euros.\n"
        )
        rules[f"会費規程_{year}"] = f"# 会費規程（{year}年版）\n\n会費は年間{amount}00円です。\n"
    yield from over(tmp_path_factory.mktemp("club"), rules)


async def test_what_a_question_leaves_open_is_asked_on_a_card(chromium: Browser, club: Service) -> None:
    async with visiting(chromium, club.url) as person, person.api() as client:
        page = person.page
        await person.opens()
        await page.get_by_role("checkbox", name="Ask me first what I mean").check()
        await person.shows("clarify-chosen")
        await page.get_by_role("textbox", name="What do you want to know?").fill(FEES)
        await page.get_by_role("button", name="Start", exact=True).click()
        card = page.get_by_role("region", name="Which do you mean?")
        group = card.get_by_role("group", name="Which of these do you mean?")
        await group.get_by_role("radio", name="Fees of the club 2026").wait_for()
        assert await group.get_by_role("radio", name="Take the question as it stands").is_checked()
        assert (await page.title()).startswith("Waiting for you")
        await card.get_by_text("the question is taken as it stands").wait_for()
        await person.shows("clarify-card")
        await group.get_by_role("radio", name="Fees of the club 2026").check()
        await card.get_by_role("button", name="Continue").click()
        await card.wait_for(state="detached")
        await reported(page)
        await page.locator(".story > summary").click()
        plan = page.get_by_role("region", name=re.compile("^Plan"))
        await plan.get_by_text("Fees of the club 2026: What does a family pay").wait_for()
        made = page.get_by_role("region", name="How this report was made")
        await made.get_by_text("Understood as").wait_for()
        await person.shows("clarified")
        id = page.url.rpartition("/")[2]
        report = (await client.get(f"{SESSIONS}/{id}/report.json")).json()
        assert report["clarified"]["answers"] == ["Fees of the club 2026"] and "120 euros" in report["markdown"]


async def test_a_follow_up_asks_on_a_card_where_it_stands(chromium: Browser, club: Service) -> None:
    async with visiting(chromium, club.url) as person, person.api() as client:
        page = person.page
        id = await ask(client, FEES, limits={"clarify": True})
        await person.opens(f"/s/{id}")
        await page.get_by_role("button", name="Continue").click()
        await reported(page)
        await page.get_by_role("textbox", name="Ask a follow-up").fill("And what does a child pay?")
        await page.get_by_role("button", name="Ask", exact=True).click()
        card = page.locator(".follow-up").get_by_role("region", name="Which do you mean?")
        await card.get_by_role("radio", name="Fees of the club 2026").check()
        await person.shows("clarify-card-follow-up")
        await card.get_by_role("button", name="Continue").click()
        await page.locator(".follow-up").get_by_text("30 euros").first.wait_for()
        sessions = (await client.get(f"{SESSIONS}/{id}/thread")).json()["sessions"]
        report = (await client.get(f"{SESSIONS}/{sessions[-1]['id']}/report.json")).json()
        assert report["clarified"]["answers"] == ["Fees of the club 2026"]


async def test_own_words_and_a_question_left_open(chromium: Browser, club: Service) -> None:
    async with visiting(chromium, club.url) as person, person.api() as client:
        page = person.page
        understood = []
        for words in ("the year 2022", ""):
            id = await ask(client, FEES, limits={"clarify": True})
            await person.opens(f"/s/{id}")
            await page.get_by_role("textbox", name="Or in my own words").fill(words)
            await person.shows("clarify-card-own-words")
            await page.get_by_role("button", name="Continue").click()
            await reported(page)
            report = (await client.get(f"{SESSIONS}/{id}/report.json")).json()
            understood.append(report["clarified"]["question"])
        assert understood == [f"the year 2022: {FEES}", FEES]
        assert "left open" in report["markdown"]


async def test_whoever_says_too_late_what_they_mean_is_told_so(chromium: Browser, club: Service) -> None:
    async with visiting(chromium, club.url) as person, person.api() as client:
        page = person.page
        id = await ask(client, FEES, limits={"clarify": True})
        await person.opens(f"/s/{id}")
        person.expects("409")

        async def faster(route: Route) -> None:
            first = await client.post(f"{SESSIONS}/{id}/approvals/question_1", json={"decision": "accept"})
            assert first.status_code == 202
            await route.continue_()

        await page.route("**/approvals/question_1", faster)
        await page.get_by_role("radio", name="Fees of the club 2022").check()
        await page.get_by_role("button", name="Continue").click()
        await page.get_by_text("Somebody else answered first (what the question means): accepted").wait_for()
        await reported(page)


async def test_what_a_question_means_is_asked_in_japanese(chromium: Browser, club: Service) -> None:
    async with visiting(chromium, club.url, language="ja-JP") as person, person.api() as client:
        page = person.page
        await person.opens()
        await page.get_by_role("checkbox", name="曖昧な点を先に尋ねる").check()
        await page.get_by_role("textbox", name="何を知りたいですか？").fill("会費は年間いくらですか")
        await page.get_by_role("button", name="調査を開始", exact=True).click()
        card = page.get_by_role("region", name="質問の意味を教えてください")
        await card.get_by_role("radio", name="会費規程（2022年版）").check()
        await person.shows("clarify-card-ja")
        await card.get_by_role("button", name="続ける").click()
        await card.wait_for(state="detached")
        await reported(page)
        id = page.url.rpartition("/")[2]
        report = (await client.get(f"{SESSIONS}/{id}/report.json")).json()
        assert report["clarified"]["question"].startswith("会費規程（2022年版）") and "9600円" in report["markdown"]
