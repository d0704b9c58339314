"""A report on the page: each footnote opens its source where it is quoted, and everything that was read is listed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from fathom.text.harmless import file_name
from tests.page.person import ALL, Person, visiting
from tests.support.page_material import (
    BEYOND,
    DATA_QUESTION,
    HOSTILE_QUESTION,
    JAPANESE_QUESTION,
    QUESTION,
    RECORDS,
    SEVERITIES,
)
from tests.support.page_serving import Service, ask, ended

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def reader(chromium: Browser, service: Service) -> AsyncIterator[Person]:
    """One who reads all reports: to open a browser of their own for each takes longer than to read it."""
    async with visiting(chromium, service.url) as reader:
        yield reader


@pytest_asyncio.fixture(loop_scope="session")
async def person(reader: Person) -> AsyncIterator[Person]:
    """The reader, who has left the page of the test before."""
    await reader.page.goto("about:blank")
    yield reader
    assert reader.faults == [], "\n".join(reader.faults)


class Told:
    """A session without a model that has ended: what the API tells of it."""

    def __init__(self, id: str, report: dict[str, Any], sources: list[dict[str, Any]]) -> None:
        self.id = id
        self.report = report
        self.sources = sources


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def told(service: Service, place: Path) -> dict[str, Told]:
    """Reports over documents, over records, in Japanese, and over what means harm."""
    async with service.client() as client:
        for kind, path in (("knowledge/default/documents", "kestrel.html"), ("datasets", "incidents.csv")):
            content = (place / path).read_bytes()
            answer = await client.post(f"/api/{kind}", files={"files": (path, content)})
            assert answer.status_code in (200, 201), answer.text  # another test may have sent the same file
        (dataset,) = [each["id"] or each["name"] for each in answer.json()["files"]]
        asked = {
            "documents": await ask(client, QUESTION, reasoner="extractive"),
            "data": await ask(client, DATA_QUESTION, reasoner="extractive", datasets=[dataset]),
            "japanese": await ask(client, JAPANESE_QUESTION, reasoner="extractive"),
            "hostile": await ask(client, HOSTILE_QUESTION, reasoner="extractive"),
        }
        made = {}
        for name, id in asked.items():
            (session,) = await ended(client, id)
            assert session["status"] == "completed", session
            base = f"/api/research/sessions/{id}"
            sources = (await client.get(f"{base}/sources")).json()["sources"]
            made[name] = Told(id, (await client.get(f"{base}/report.json")).json(), sources)
    return made


MARKED = """drawer => [...drawer.querySelectorAll("mark.is-current")].map(each => {
  const mark = each.cloneNode(true);
  for (const number of mark.querySelectorAll(".mark-number")) number.remove();
  return mark.textContent;
}).join("")"""
"""What is marked of a source, without the numbers of the footnotes."""


async def test_every_footnote_opens_its_source_at_exactly_what_is_quoted(person: Person, told: dict[str, Told]) -> None:
    """One of each source; all of them where every state is looked at."""
    page, report = person.page, told["documents"].report
    await person.opens(f"/s/{told['documents'].id}")
    refs = page.locator(".claim a.ref")
    await refs.first.wait_for()
    await person.shows("report")
    assert await refs.count() > 3
    quotes = {each["id"]: each["quote"] for each in report["evidence"]}
    names = {await ref.get_attribute("data-evidence") for ref in await refs.all()}
    assert names == {id for claim in report["claims"] for id in claim["evidence"]}
    drawer = page.get_by_role("dialog")
    of_source = {each["source_id"]: each["id"] for each in report["evidence"] if each["id"] in names}
    for number, name in enumerate(sorted(filter(None, names if ALL else of_source.values()))):
        await page.locator(f'.claim a.ref[data-evidence="{name}"]').first.click()
        await drawer.locator("mark.is-current").first.wait_for()
        assert BEYOND in await drawer.get_by_role("region").inner_text()
        assert _plain(await drawer.evaluate(MARKED)) == _plain(quotes[name]), name
        if number == 0:
            await person.shows("source")
    await page.keyboard.press("Escape")
    await drawer.wait_for(state="detached")


def _plain(text: str) -> str:
    return "".join(text.split())  # where a mark goes over paragraphs, the page has none


async def test_the_status_of_every_sentence_is_told_and_a_report_that_only_quotes_says_so_instead_of_a_verdict(
    person: Person, told: dict[str, Told]
) -> None:
    page, report = person.page, told["documents"].report
    await person.opens(f"/s/{told['documents'].id}")
    await page.locator(".claim").first.wait_for()
    shown = await page.locator(".claim").evaluate_all("all => all.map(each => [each.id, each.dataset.status])")
    assert dict(shown) == {claim["id"]: claim["status"] for claim in report["claims"]}
    assert f"{report['quoted']} passages quoted word for word" in await page.locator(".summary-line").inner_text()
    assert await page.locator(".verdicts").count() == 0
    assert report["contradictions"]
    for side in report["contradictions"][0]["sides"]:
        assert await page.locator(".contradiction .side", has_text=side["claim"].rstrip(".")).first.is_visible()
    counted = told["data"].report
    await person.opens(f"/s/{told['data'].id}")
    assert f"{len(counted['claims'])} sentence" in await page.locator(".verdicts").inner_text()


async def test_a_report_can_be_taken_away_in_every_form_that_can_be_made(
    person: Person, service: Service, told: dict[str, Told]
) -> None:
    page, id = person.page, told["documents"].id
    async with service.client() as client:
        exports = (await client.get("/api/offer")).json()["exports"]
    await person.opens(f"/s/{id}")
    menu = page.locator("details.menu", has=page.locator("a[download]"))
    await menu.locator("summary").click()
    await menu.get_by_role("link", name="BibTeX").wait_for()

    links = await menu.locator("a[download]").evaluate_all("all => all.map(each => each.getAttribute('href'))")

    assert sorted(links) == sorted(f"/api/research/sessions/{id}/report.{each}?download=1" for each in exports)
    async with page.expect_download() as kept:
        await menu.get_by_role("link", name="Markdown with footnotes").click()
    title = told["documents"].report["title"]
    assert (await kept.value).suggested_filename == f"{file_name(title)}.footnotes.md"
    await person.shows("download")


@pytest.mark.usefixtures("told")
async def test_a_question_stands_once_on_the_page_also_where_the_report_has_a_title_of_its_own(
    person: Person, service: Service
) -> None:
    page = person.page
    async with service.client() as client:
        id = await ask(client, "Compare the kestrel and the incidents", reasoner="extractive")
        await ended(client, id)
    await person.opens(f"/s/{id}")
    await page.locator(".report-head h1").wait_for()
    assert await page.locator(".report-head .question").count() == 1, "a title of its own, and the question below it"
    assert await page.locator(".report-head .question").is_hidden()


@pytest.mark.usefixtures("told")
async def test_a_long_question_leaves_its_report_in_sight(person: Person, service: Service) -> None:
    page = person.page
    async with service.client() as client:
        id = await ask(client, "We want to understand how a kestrel hunts and lives. " * 12, reasoner="extractive")
        await ended(client, id)
    await person.opens(f"/s/{id}")
    report = page.locator("#report")
    await report.wait_for()
    place = await report.bounding_box()
    height = await page.evaluate("innerHeight")
    assert place is not None
    assert place["y"] < height * 0.6


async def test_sizes_are_written_as_people_write_them(person: Person) -> None:
    await person.opens()
    written = "import('/assets/format.js').then(({ bytes }) => [1, 8, 20_000].map(bytes))"
    assert await person.page.evaluate(written) == ["1 byte", "8 bytes", "20 kB"]


async def test_a_link_to_a_footnote_opens_it_and_the_keyboard_is_enough(person: Person, told: dict[str, Told]) -> None:
    page = person.page
    await person.opens(f"/s/{told['documents'].id}#E1")
    drawer = page.get_by_role("dialog")
    await drawer.locator("mark.is-current").first.wait_for()
    await page.keyboard.press("Escape")
    await drawer.wait_for(state="detached")
    ref = page.locator(".claim a.ref").nth(1)
    await ref.focus()
    await page.keyboard.press("Enter")
    await drawer.locator("mark.is-current").first.wait_for()
    await page.keyboard.press("Escape")
    await drawer.wait_for(state="detached")
    assert await ref.evaluate("each => each === document.activeElement"), "the focus comes back to where it was"


async def test_everything_that_was_read_is_listed_and_of_a_dataset_every_record(
    person: Person, told: dict[str, Told]
) -> None:
    page, data = person.page, told["data"]
    await person.opens(f"/s/{data.id}")
    listed = page.get_by_role("complementary", name="Sources").get_by_role("listitem")
    await listed.first.wait_for()
    await person.shows("data")
    for more in await page.get_by_role("button", name="Show all").all():
        await more.click()
    assert await listed.count() == len(data.sources)
    figures = page.locator("figure.exhibit")
    assert await figures.count() == len(data.report["figures"]) > 0
    await figures.first.get_by_role("button", name="Table").click()
    assert await figures.first.get_by_role("row").count() == len(SEVERITIES) + 1
    seen: list[str] = []
    async with person.api() as client:
        for source in data.sources:
            answer = await client.get(f"/api/research/sessions/{data.id}/sources/{source['id'] or source['sha256']}")
            seen += [record["id"] for record in answer.json().get("records") or []]
    assert len(seen) == len(set(seen)) == RECORDS
    await listed.get_by_role("button").first.click()
    await page.get_by_role("dialog").wait_for()
    await person.shows("records")


async def test_what_means_harm_is_only_text(person: Person, told: dict[str, Told]) -> None:
    page = person.page
    await person.opens(f"/s/{told['hostile'].id}")
    ref = page.locator(".claim a.ref").first
    await ref.click()
    await page.get_by_role("dialog").locator("mark.is-current").first.wait_for()
    await person.shows("hostile")
    assert await page.get_by_text("<script>").count() > 0
    targets = await page.locator("main a[href]").evaluate_all("all => all.map(each => each.protocol)")
    assert set(targets) <= {"http:", "https:"}
    assert await page.locator("main script, main img:not([src^='data:']), main style, main svg[onload]").count() == 0


async def test_a_japanese_report_says_that_it_is_japanese_and_the_page_may_be_too(
    chromium: Browser, service: Service, told: dict[str, Told]
) -> None:
    async with visiting(chromium, service.url, language="ja-JP") as person:
        page = person.page
        await person.opens(f"/s/{told['japanese'].id}")
        await page.locator(".claim").first.wait_for()
        assert await page.locator("article.report").get_attribute("lang") == "ja"
        assert await page.locator("html").get_attribute("lang") == "ja"
        await person.shows("report-ja")
        await page.get_by_role("button", name="English").click()
        await page.get_by_role("link", name="History").wait_for()
        assert await page.locator("article.report").get_attribute("lang") == "ja"


async def test_a_phone_is_enough(chromium: Browser, service: Service, told: dict[str, Told]) -> None:
    phone: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    async with visiting(chromium, service.url, **phone) as person:
        page = person.page
        await person.opens(f"/s/{told['documents'].id}")
        await page.locator(".claim a.ref").first.tap()
        await page.get_by_role("dialog").locator("mark.is-current").first.wait_for()
        assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        await page.get_by_role("button", name="Close").tap()
        await page.get_by_role("dialog").wait_for(state="detached")
