"""After a report: it is asked on, a sentence of it is researched further, and it is brought up to date, on its page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from fathom_testing.model_server import ModelServer
from tests.page.conftest import LATENCY, SLOWEST
from tests.page.person import Person, visiting
from tests.support.page_material import QUESTION
from tests.support.page_serving import Service, ask, ended

if TYPE_CHECKING:
    import httpx
    from playwright.async_api import Browser

pytestmark = pytest.mark.asyncio(loop_scope="session")

SESSIONS = "/api/research/sessions"
DONE = 120_000
"""Milliseconds that a session may take."""
FURTHER = "Research this further"
PUMP = """# The heat pump

The heat pump costs 14,300 euros with its fitting. The annual service costs 240 euros and is due every October.

The heat pump is 48 decibels loud at a distance of one metre.
"""
PUMP_QUESTION = "What does the heat pump cost, what does its annual service cost, and how loud is it?"
POMP = """# ヒートポンプ

ヒートポンプの価格は工事費込みで143万円である。ヒートポンプの年間点検の費用は2万4千円で、毎年10月に行う。
"""
POMP_QUESTION = "ヒートポンプの価格と年間点検の費用はいくらですか。"


async def reported(client: httpx.AsyncClient, query: str, **config: Any) -> str:
    """A session without a model that has its report."""
    id = await ask(client, query, reasoner="extractive", **config)
    [session] = await ended(client, id)
    assert session["status"] == "completed", session
    return id


async def kept(client: httpx.AsyncClient, name: str, text: str) -> str:
    """The id of a document of that name, which has this text from now on."""
    answer = await client.post("/api/knowledge/default/documents", files={"files": (name, text.encode())})
    assert answer.status_code in (200, 201), answer.text
    return str(answer.json()["files"][0]["id"])


async def thread(client: httpx.AsyncClient, id: str) -> list[dict[str, Any]]:
    """The sessions of its thread."""
    sessions: list[dict[str, Any]] = (await client.get(f"{SESSIONS}/{id}/thread")).json()["sessions"]
    return sessions


async def test_a_follow_up_is_watched_below_its_report_and_answered_with_footnotes_of_its_own(
    person: Person, service: Service, waiting_model: ModelServer
) -> None:
    page = person.page
    waiting_model.latency = LATENCY
    async with service.client() as client:
        id = await ask(client, f"{QUESTION} In a thread.")
        await ended(client, id)
        await person.opens(f"/s/{id}")
        await page.locator(".claim").first.wait_for()
        assert await page.get_by_role("navigation", name="Questions in this thread").count() == 0
        waiting_model.latency = SLOWEST
        box = page.get_by_role("textbox", name="Ask a follow-up")
        await box.fill("And how many steps does it have?")
        await box.press("Control+Enter")
        below = page.get_by_role("article", name="And how many steps does it have?")
        await below.locator(".stages .is-researching").wait_for()
        assert await page.evaluate("document.activeElement.innerText") == "And how many steps does it have?"
        await page.get_by_text("You can ask a follow-up once").wait_for()
        assert await page.get_by_role("button", name="Ask", exact=True).is_disabled()
        listed = page.get_by_role("navigation", name="Questions in this thread").get_by_role("listitem")
        await listed.nth(1).get_by_text("Researching").wait_for()
        await person.shows("follow-up-live")
        waiting_model.latency = LATENCY
        await below.locator(".claim").first.wait_for(timeout=DONE)
        [first, second] = await thread(client, id)
        report = (await client.get(f"{SESSIONS}/{second['id']}/report.json")).json()
        assert (first["id"], second["follows"]) == (id, id)
        shown = await below.locator(".claim").evaluate_all("all => all.map(each => each.dataset.claim)")
        assert shown == [claim["id"] for claim in report["claims"]]
        ids = await page.locator("[id]").evaluate_all("all => all.map(each => each.id)")
        assert len(ids) == len(set(ids)), "every name on the page is of one thing"
        ref = below.locator(".claim a.ref").first
        quotes = {each["id"]: each["quote"] for each in report["evidence"]}
        quote = quotes[await ref.get_attribute("data-evidence") or ""]
        await page.locator("#report > .reading .claim a.ref").first.click()
        await page.get_by_role("dialog").locator("mark.is-current").first.wait_for()
        await ref.click()
        marked = page.get_by_role("dialog").locator("mark.is-current").first
        await marked.wait_for()
        assert await page.get_by_role("dialog").count() == 1, "one source at a time, of whichever report"
        assert "".join(quote.split())[:12] in "".join((await marked.inner_text()).split())
        await page.keyboard.press("Escape")
        assert await ref.evaluate("each => each === document.activeElement")
        await person.shows("follow-up")
        await below.get_by_role("link", name="Open on its own").click()
        await page.wait_for_url(f"**/s/{second['id']}")
        await listed.nth(1).wait_for()
        assert [await each.get_by_role("link").inner_text() for each in await listed.all()] == [
            first["query"],
            second["query"],
        ]
        assert await listed.nth(1).get_by_role("link").get_attribute("aria-current") == "page"
        await person.shows("follow-up-alone")
        await listed.nth(0).get_by_role("link").click()
        await page.locator(".follow-up .claim").first.wait_for()
        await person.opens("/history")
        row = page.locator(".rows > li", has=page.locator(f'a[href="/s/{second["id"]}"]'))
        assert "follow-up" in await row.inner_text()


async def test_words_of_a_sentence_are_researched_further_by_mouse_and_by_keys(
    person: Person, service: Service
) -> None:
    page = person.page
    async with service.client() as client:
        id = await reported(client, f"{QUESTION} To go on from.")
        await person.opens(f"/s/{id}")
        await page.locator(".claim").first.wait_for()
        report = (await client.get(f"{SESSIONS}/{id}/report.json")).json()
        about = next(claim["id"] for claim in report["claims"] if "212 steps" in claim["text"])
        await person.selects("212 steps")
        button = page.locator("button.further")
        await button.wait_for()
        await person.shows("selected")
        await button.click()
        link = page.get_by_role("link", name="It is being researched, below the report.")
        await link.wait_for()
        further = (await thread(client, id))[-1]
        assert (further["about"], further["follows"]) == (about, id)
        assert further["query"] == "The tower has 212 steps and seven windows.", "the whole sentence, and it alone"
        await link.click()
        await page.get_by_role("article", name=further["query"]).locator(".report").wait_for(timeout=DONE)

        ref = page.locator("#report > .reading .claim a.ref").first
        await ref.focus()
        await page.keyboard.press("Enter")
        await page.get_by_role("dialog").locator("mark.is-current").first.wait_for()
        offered = page.get_by_role("dialog").get_by_role("button", name=FURTHER)
        for _ in range(60):
            await page.keyboard.press("Tab")
            if await offered.first.evaluate("each => each === document.activeElement"):
                break
        await page.keyboard.press("Enter")
        await page.get_by_role("link", name="It is being researched").wait_for()
        assert (await thread(client, id))[-1]["about"] == await ref.evaluate("each => each.closest('.claim').id")


async def test_on_a_phone_a_sentence_is_researched_further_with_a_tap(chromium: Browser, service: Service) -> None:
    phone: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    async with service.client() as client, visiting(chromium, service.url, **phone) as person:
        page = person.page
        id = await reported(client, f"{QUESTION} On a phone.")
        await person.opens(f"/s/{id}")
        await page.locator(".claim").first.wait_for()
        await person.selects("19 nautical miles")
        await page.locator("button.further").tap()
        await page.get_by_role("link", name="It is being researched").tap()
        [_, further] = await thread(client, id)
        assert further["query"] == "The light of the Norvik lighthouse reaches 19 nautical miles."
        assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


async def test_what_cannot_be_followed_says_why(person: Person, service: Service, waiting_model: ModelServer) -> None:
    page = person.page
    async with service.client() as client:
        waiting_model.latency = LATENCY
        id = await ask(client, f"{QUESTION} Too short.", limits={"max_calls": 12})
        [session] = await ended(client, id)
        assert session["status"] == "partial"
        await person.opens(f"/s/{id}")
        box = page.get_by_role("textbox", name="Ask a follow-up")
        await box.fill("And in winter?")
        waiting_model.latency = SLOWEST
        limits = {"max_calls": 40}
        assert (await client.post(f"{SESSIONS}/{id}/resume", json={"limits": limits})).status_code == 202
        person.expects("409")
        person.expects("404")
        send = page.get_by_role("button", name="Ask", exact=True)
        await send.click()
        await page.get_by_text("This research is under way: wait until it has ended").wait_for()
        await person.shows("follow-up-refused")
        assert await box.input_value() == "And in winter?", "nothing that was typed is lost"
        await client.post(f"{SESSIONS}/{id}/cancel")
        waiting_model.latency = LATENCY
        await client.delete(f"{SESSIONS}/{id}")
        await send.click()
        await page.get_by_text("This research has been deleted.").wait_for()
        planned = (await client.post("/api/research/estimate", json={"query": f"{QUESTION} Planned alone."})).json()
        said = await page.evaluate(
            """id => import("/assets/api.js").then(({ askOn, because }) =>
              askOn(id, { query: "Why?" }, "k").catch(error => because(id, error))).then(({ name }) => name)""",
            planned["session"],
        )
        await client.delete(f"{SESSIONS}/{planned['session']}")
        assert said == "has_no_report"


async def test_an_update_says_which_words_have_changed_and_when_none_has(person: Person, service: Service) -> None:
    page = person.page
    async with service.client() as client:
        document = await kept(client, "pump.md", PUMP)
        id = await reported(client, PUMP_QUESTION, documents=[document])
        await person.opens(f"/s/{id}")
        await page.get_by_role("button", name="Update").click()
        await page.wait_for_url(lambda url: url.endswith(tuple("0123456789abcdefghjkmnpqrstvwxyz")) and id not in url)
        await page.get_by_text("Nothing has changed").wait_for(timeout=DONE)
        await person.shows("unchanged")
        await kept(client, "pump.md", PUMP.replace("240 euros", "265 euros").replace("is 48 dec", "is now 51 dec"))
        await page.get_by_role("button", name="Update").click()
        changes = page.locator(".changes", has_text="What has changed")
        await changes.wait_for(timeout=DONE)
        new = page.url.rpartition("/")[2]
        told = (await client.get(f"{SESSIONS}/{new}/comparison")).json()
        pieces = [piece for pair in told["sentences"] if pair["state"] == "changed" for piece in pair["pieces"]]
        for tag, state in (("ins", "new"), ("del", "gone")):
            marked = await changes.locator(tag).evaluate_all(
                "all => all.map(each => [...each.childNodes].filter(node => node.data).map(node => node.data).join(''))"
            )
            assert marked == [piece["text"] for piece in pieces if piece["state"] == state] != []
        assert "added: 265" in " ".join((await changes.text_content() or "").split())
        assert "changed" in await changes.locator("section", has_text="Sources").inner_text()
        await person.shows("changes")
        await changes.get_by_role("link", name="In the report").first.click()
        assert await page.evaluate("document.activeElement.classList.contains('claim')")
        await page.get_by_role("link", name="Open the earlier report").click()
        await page.get_by_text("Nothing has changed").wait_for()
        earlier = page.url.rpartition("/")[2]
        await client.delete(f"{SESSIONS}/{earlier}")
        person.expects("404")
        await person.opens(f"/s/{new}")
        await page.get_by_text("There is no earlier report to compare this one with").wait_for()


@pytest.mark.parametrize(
    ("language", "update", "says"),
    [("en-US", "Update", "The sources of this research no longer exist"), ("ja-JP", "更新", "すでに存在しない")],
)
async def test_what_cannot_be_brought_up_to_date_says_why_in_the_language_of_the_page(
    chromium: Browser, service: Service, language: str, update: str, says: str
) -> None:
    async with service.client() as client, visiting(chromium, service.url, language=language) as person:
        page = person.page
        document = await kept(client, "pump.md", PUMP)
        id = await reported(client, f"{PUMP_QUESTION} {language}", documents=[document])
        assert (await client.delete(f"/api/knowledge/default/documents/{document}")).status_code == 204
        await person.opens(f"/s/{id}")
        person.expects("422")
        await page.get_by_role("button", name=update).click()
        failure = page.locator(".failure", has_text=says)
        await failure.wait_for()
        assert await failure.locator("[lang]").count() == 0, "no line of the service"
        await person.shows(f"past-{language[:2]}")


async def test_a_question_is_edited_and_rerun_with_the_sources_and_settings_that_it_had(
    person: Person, service: Service
) -> None:
    page = person.page
    async with service.client() as client:
        document = await kept(client, "pump.md", PUMP)
        limits = {"max_words": 150, "max_time": 90}
        id = await reported(client, PUMP_QUESTION, documents=[document], mode="simple", limits=limits)
        before = (await client.get(f"{SESSIONS}/{id}")).json()
        for is_again in (True, False):
            await person.opens(f"/s/{id}")
            await page.get_by_role("button", name="Edit and rerun").click()
            await page.get_by_role("textbox", name="What do you want to know?").fill("How loud is the heat pump?")
            if is_again:
                await page.get_by_label("Calls", exact=True).fill("90")
            else:
                await page.get_by_text("Method").click()
                await page.get_by_role("radio", name="As the question asks").check()
            await page.get_by_role("button", name="Start", exact=True).click()
            await page.wait_for_url("**/s/*")
            [new] = await ended(client, page.url.rpartition("/")[2])
            assert new["query"] == "How loud is the heat pump?"
            assert new["earlier"] == (id if is_again else None), "asked in another way it is research of its own"
            assert new["sources"] == before["sources"]
            if is_again:
                assert new["limits"] == {**before["limits"], "max_calls": 90}
                await page.locator(".changes").wait_for(timeout=DONE)


async def test_wishes_are_said_with_the_plan(person: Person) -> None:
    page = person.page
    await person.opens()
    await page.get_by_role("textbox").first.fill(
        "How high is the Norvik lighthouse and who keeps it? In two bullet points, without the survey."
    )
    await page.get_by_text("Method").click()
    await page.get_by_role("checkbox", name="Without a model").check()
    await page.get_by_role("button", name="Estimate").click()
    await page.get_by_text(re.compile("Your wishes: .*at most 2 points.*without survey")).wait_for()
    await person.shows("wishes")


async def test_the_thread_and_what_has_changed_are_told_in_japanese(chromium: Browser, service: Service) -> None:
    async with service.client() as client, visiting(chromium, service.url, language="ja-JP") as person:
        page = person.page
        document = await kept(client, "ポンプ.md", POMP)
        id = await reported(client, POMP_QUESTION, documents=[document])
        await kept(client, "ポンプ.md", POMP.replace("2万4千円", "3万円"))
        await person.opens(f"/s/{id}")
        await page.get_by_role("textbox", name="続けて質問する").fill("では点検は何月ですか。")
        await page.get_by_role("button", name="質問する").click()
        await page.locator(".follow-up .report").wait_for(timeout=DONE)
        await person.selects("工事費込み")
        await page.get_by_role("button", name="さらに調べる").last.wait_for()
        await person.shows("follow-up-ja")
        await page.locator("button.further").click()
        await page.get_by_role("link", name="調査を始めました").wait_for()
        further = (await thread(client, id))[-1]
        assert further["query"] == "ヒートポンプの価格は工事費込みで143万円である。"
        await page.get_by_role("button", name="更新").first.click()
        await page.get_by_text("変わったところ").first.wait_for(timeout=DONE)
        assert await page.locator(".changes ins").count() > 0
        await person.shows("changes-ja")


_UNCITED = """() => import("/assets/article.js").then(({ offer }) => {
  const article = document.createElement("article");
  article.innerHTML = `<p><span class="claim" data-claim="C1"><span class="said">Told.</span>
    <a class="ref" href="#E1">1</a></span>
    <span class="claim" data-claim="C2"><span class="said">Told by nobody.</span></span></p>
    <table><thead><tr class="claim" data-claim="C3"><th class="said">Year</th></tr></thead>
    <tbody><tr class="claim" data-claim="C4"><td class="said">1871</td></tr></tbody></table>`;
  const asked = [];
  offer(article, "Further", (claim) => asked.push(claim));
  for (const button of article.querySelectorAll("button")) button.click();
  return [asked, [...article.querySelectorAll("button")].map((each) => each.parentElement.className)];
})"""


async def test_a_sentence_without_a_note_offers_itself_to_the_keyboard(person: Person) -> None:
    await person.opens()
    assert await person.page.evaluate(_UNCITED) == [["C2", "C4"], ["claim", "said"]]
