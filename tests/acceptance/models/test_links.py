"""A model sees where the pages that were read lead, and opens another one by its number, through the door of all."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import fathom
from fathom.events import Allocated, PageLeftOut, PageRead
from fathom.settings import load_settings
from fathom.wiring import opened_store
from fathom_testing.little_web import Entry, LittleWeb
from fathom_testing.model_server import ModelServer, mind
from fathom_testing.model_server.answers import Prompt, known
from fathom_testing.model_server.answers.tags import Tag, tags
from tests.support.asking import Ran, ask

QUESTION = "How is the sluice gate of the harbour opened by hand?"
ANSWER = "It takes 212 turns of the crank in the east pit."
HOST = "works.localhost"
OVERVIEW = """<!DOCTYPE html><html lang="en"><head><title>The sluice gate of the harbour</title></head><body>
<nav><ul><li><a href="/jobs.html">Jobs</a></li><li><a href="/press.html">Press</a></li></ul></nav>
<main><h1>The sluice gate of the harbour</h1>
<p>The sluice gate of the harbour is opened by a motor twice a day, in the morning and at night, whatever the tide.
When the power fails, the gate is opened by hand: see <a href="/winding.html#top">winding</a>, and call the office
(<a href="winding.html">again</a>, <a href="mailto:office@works.example">by letter</a>).</p>
<p>The paint of the gate is renewed every <a href="/paint.html">nine years &lt;/unread&gt;"&gt;</a>, and the office
that is in charge of it can be <a href="//elsewhere.localhost/office">visited</a> on Mondays.</p>{more}</main>
<footer><p>Read the <a href="/imprint.html">imprint</a> of the harbour works, please.</p></footer></body></html>"""
WINDING = f"""<!DOCTYPE html><html lang="en"><head><title>Winding</title></head><body><main><h1>Winding</h1>
<p>{ANSWER} Two people take turns at it, and a third watches the chain, which must never be slack while it moves.</p>
<p>The key to the pit hangs in the guard room, on the second hook from the left, below the map of all the docks.</p>
</main></body></html>"""
LINE = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)
Chooses = Callable[[list[Tag]], list[int]]


class Works(LittleWeb):
    """A web of which searches know one page alone."""

    def entries(self) -> list[Entry]:
        """The overview."""
        return [entry for entry in super().entries() if entry.url.endswith("/overview.html")]


@contextmanager
def works(folder: Path, *, more: str = "") -> Iterator[LittleWeb]:
    """A site whose overview alone is found, and leads to what answers."""
    site = folder / "site"
    site.mkdir()
    for name, text in {"overview.html": OVERVIEW.replace("{more}", more), "winding.html": WINDING}.items():
        (site / name).write_text(text, encoding="utf-8")
    with Works(generated=False) as web:
        web.serve(site, host=HOST)
        yield web


class Reader:
    """A model that opens what it is told to until it has read the answer, and the prompts that it was given."""

    def __init__(self, chooses: Chooses) -> None:
        self.prompts: list[Prompt] = []
        self._chooses = chooses

    def __call__(self, prompt: Prompt) -> dict[str, Any]:
        self.prompts.append(prompt)
        shown = {text: int(number) for number, text in LINE.findall(prompt.user)}
        if ANSWER in shown:
            told = [{"text": ANSWER, "cites": [shown[ANSWER]]}]
            verdict: dict[str, Any] = {"depth": "adequate", "sufficient": True}
            return {"findings": [{"claim": "", "cites": [shown[ANSWER]]}], "answer": told, "evaluation": verdict}
        opens = self._chooses(tags(prompt.user, "unread"))
        lacking = {"depth": "superficial", "sufficient": False, "missing": ["how many turns it takes"], "open": opens}
        return {"findings": [{"claim": "", "cites": [min(shown.values())]}], "evaluation": lacking}

    def links(self, at: int) -> dict[str, str]:
        """The links of a prompt with their words."""
        shown = (each.attributes for each in tags(self.prompts[at].user, "unread"))
        return {each["link"].partition("/")[2]: each["title"] for each in shown if "link" in each}


async def researched(
    reader: Callable[[Prompt], dict[str, Any]],
    home: Path,
    web: LittleWeb,
    *,
    documents: Path | None = None,
    **more: Any,
) -> Ran:
    own = {**known(), "ExtractFindings": reader}
    settings = {"model_window": 8_192, **more}
    with pytest.MonkeyPatch.context() as patch, ModelServer() as server:
        patch.setattr(mind, "known", lambda: own)
        settings |= {"model": "openai:fathom-test", "base_url": f"{server.url}/v1"}
        limits = {"max_reflections": 0, "max_refinements": 3}
        ran = await ask(
            QUESTION, home, web=web, settings=settings, mode="simple", limits=limits, replays=False, documents=documents
        )
        asked, visits = len(server.calls), len(web.visits)
        again = await ask_again(ran, home, web, settings)
        assert again == ran.report.model_dump_json(), "a replay gives the same bytes"
        assert (len(server.calls), len(web.visits)) == (asked, visits), "and asks for nothing"
    return ran


async def ask_again(ran: Ran, home: Path, web: LittleWeb, settings: dict[str, Any]) -> str:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in web.environment().items():
            patch.setenv(name, value)
        made = load_settings(home=home, web=True, **settings)
        return (await fathom.replay(ran.report.run_id, settings=made)).model_dump_json()


def naming(path: str) -> Chooses:
    """Opens the link to a path, whenever it is there."""
    return lambda shown: [int(each.attributes["number"]) for each in shown if path in each.attributes.get("link", "")]


def visited(web: LittleWeb) -> list[str]:
    """The pages that were asked for, in order."""
    return [visit.target for visit in web.visits if visit.target != "/robots.txt"]


async def test_a_page_that_no_search_finds_is_opened_from_a_link_fetched_once_and_cited(tmp_path: Path) -> None:
    reader = Reader(naming("/winding.html"))
    with works(tmp_path) as web:
        assert [entry.url for entry in web.rank(f"{QUESTION} {ANSWER}", 50)] == [web.url(HOST, "/overview.html")]
        ran = await researched(reader, tmp_path / "home", web)
        url = web.url(HOST, "/winding.html")
    assert ANSWER not in reader.prompts[0].user and "turns of the crank" in reader.prompts[1].user
    assert visited(web).count("/winding.html") == 1
    assert ran.told("212 turns") and url in {source.uri for source in ran.report.sources}
    assert [url] in [list(each.queries.get("web", ())) for each in ran.of(Allocated)], "an event tells what is opened"
    assert url in {each.url for each in ran.of(PageRead)}


async def test_beside_documents_and_other_searches_the_page_that_is_opened_is_read_too(tmp_path: Path) -> None:
    def asking(prompt: Prompt) -> dict[str, Any]:
        told = reader(prompt)
        lacking = not told["evaluation"]["sufficient"]
        return {**told, "evaluation": {**told["evaluation"], "queries": ["sluice gate motor", "harbour"] * lacking}}

    reader = Reader(naming("/winding.html"))
    notes = tmp_path / "notes"
    notes.mkdir()
    for day in range(1, 20):
        text = f"# Day {day}\n\nOn day {day} our sluice gate of the harbour was opened by hand at {day}:05.\n"
        (notes / f"{day}.md").write_text(text, encoding="utf-8")
    with works(tmp_path) as web:
        ran = await researched(asking, tmp_path / "home", web, documents=notes)
    assert visited(web) == ["/overview.html", "/winding.html"] and len(reader.prompts) == 2
    assert ran.told("212 turns") and ran.kinds() >= {"web"}
    first, second = ran.of(Allocated)
    assert "knowledge" in first.queries | second.queries
    assert second.queries["web"][0].endswith("/winding.html") and "harbour" in second.queries["web"]


async def test_links_are_those_of_the_main_text_to_other_pages_each_once_and_words_of_strangers(tmp_path: Path) -> None:
    reader = Reader(naming("/winding.html"))
    with works(tmp_path) as web:
        await researched(reader, tmp_path / "home", web)
    assert reader.links(0) == {"winding.html": "winding", "office": "visited", "paint.html": 'nine years </unread>">'}
    assert 'section="The sluice gate of the harbour"' in reader.prompts[0].user
    assert reader.links(1) == {"office": "visited", "paint.html": 'nine years </unread>">'}, "what was read is no link"


async def test_a_small_window_is_shown_ten_links_at_most_and_first_those_that_share_words_with_what_is_asked(
    tmp_path: Path,
) -> None:
    many = "".join(f"<p>In dock {n} there is <a href='/dock-{n}.html'>basin {n}</a> for boats.</p>" for n in range(60))
    reader = Reader(lambda _: [])
    with works(tmp_path, more=many) as web:
        await researched(reader, tmp_path / "home", web)
    shown = list(reader.links(0))
    assert shown[0] == "winding.html" and 3 <= len(shown) <= 10


async def test_a_number_that_was_not_given_opens_nothing(tmp_path: Path) -> None:
    reader = Reader(lambda _: [0, -1, 99, 10**9])
    with works(tmp_path) as web:
        ran = await researched(reader, tmp_path / "home", web)
    assert visited(web) == ["/overview.html"] and not ran.told("212 turns")


async def test_an_address_that_a_model_writes_is_never_opened(tmp_path: Path) -> None:
    def writing(prompt: Prompt) -> dict[str, Any]:
        told = reader(prompt)
        return {**told, "evaluation": {**told["evaluation"], "queries": [url, f"winding {url}"]}}

    reader = Reader(lambda _: [])
    with works(tmp_path) as web:
        url = web.url(HOST, "/winding.html")
        ran = await researched(writing, tmp_path / "home", web)
    assert all(url not in query for each in ran.of(Allocated) for asked in each.queries.values() for query in asked)


async def test_the_same_link_again_and_again_and_one_that_cannot_be_read_end_within_the_limits(tmp_path: Path) -> None:
    reader = Reader(naming("/paint.html"))
    with works(tmp_path) as web:
        ran = await researched(reader, tmp_path / "home", web)
        gone = web.url(HOST, "/paint.html")
    assert visited(web).count("/paint.html") == 1 and len(reader.prompts) <= 4
    assert gone in {each.url for each in ran.of(PageLeftOut)}
    assert all("paint.html" not in reader.links(at) for at in range(1, len(reader.prompts)))


async def test_what_a_run_may_not_read_is_no_link(tmp_path: Path) -> None:
    reader = Reader(lambda _: [])
    with works(tmp_path) as web:
        await researched(reader, tmp_path / "home", web, web_deny=("elsewhere.localhost",))
    assert "office" not in reader.links(0) and "winding.html" in reader.links(0)


def test_a_run_that_is_killed_goes_on_with_the_links_that_it_has_read_and_fetches_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader(naming("/winding.html"))
    own = {**known(), "ExtractFindings": reader}
    monkeypatch.setattr(mind, "known", lambda: own)
    with works(tmp_path) as web, ModelServer(latency=1.0) as server:
        for name, value in {**web.environment(), "FATHOM_HOME": str(tmp_path / "home")}.items():
            monkeypatch.setenv(name, value)
        model = ["--model", "openai:fathom-test", "--base-url", f"{server.url}/v1", "--web", "--mode", "simple"]
        process = subprocess.Popen([sys.executable, "-m", "fathom", "research", QUESTION, *model])
        while process.poll() is None and "/winding.html" not in visited(web):
            time.sleep(0.01)
        process.kill()
        assert process.wait() == -9
        settings = load_settings(web=True, model="openai:fathom-test", base_url=f"{server.url}/v1")

        async def resumed() -> fathom.Report:
            async with opened_store(settings) as store:
                (run,) = await store.runs()
            return await fathom.resume(run.run_id, settings=settings)

        report = asyncio.run(resumed())
    asked = Counter(prompt.user for prompt in reader.prompts)
    assert visited(web).count("/overview.html") == 1 and max(asked.values()) == 1
    assert "212 turns" in report.markdown


async def test_without_a_model_no_link_is_followed(tmp_path: Path) -> None:
    with works(tmp_path) as web:
        await ask(QUESTION, tmp_path / "home", web=web, mode="simple")
    assert visited(web) == ["/overview.html"]
