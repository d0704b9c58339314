"""The files of the page: whole, small, and of nobody else."""

from __future__ import annotations

import gzip
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import get_args

from fathom.events import Event
from fathom.page import ASSETS

FOLDERS = tuple(Path(str(files(package))) / folder for package, folder in ASSETS)
INDEX = (FOLDERS[0] / "index.html").read_text(encoding="utf-8")
NOT_OF_THE_PAGE = {"docs.css", "export.css", "README.md"}
"""Of the description of the API, and of exported files."""
FIRST = {"index.html", "icon.svg", "theme.js", "app.js", "words/ja.js"}
"""What the first view loads besides its modules and style sheets: of the languages, the longer one."""
FIRST_AT_MOST = 60_000
AT_MOST = 118_500
"""Bytes, compressed."""
NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml", "http://www.w3.org/1998/Math/MathML"}
"""Names that look like addresses; nothing is asked there."""


def assets() -> dict[str, str]:
    """The files of the page by their path below `/assets`; the first folder that has one wins."""
    found: dict[str, str] = {}
    for folder in FOLDERS:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.name not in NOT_OF_THE_PAGE:
                found.setdefault(path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8"))
    return found


FILES = assets()
SCRIPTS = {name: text for name, text in FILES.items() if name.endswith(".js")}


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.within: list[str] = []
        self.feed(INDEX)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        if data.strip() and self.tags[-1][0] in ("script", "style"):
            self.within.append(data)


def imports(name: str) -> set[str]:
    """The modules that one imports before it runs, by their path below `/assets`."""
    found = re.findall(r'^import [^;]*?"([^"]+)";', SCRIPTS[name], re.MULTILINE)
    return {address.removeprefix("/assets/") for address in found}


def reached(name: str) -> set[str]:
    """All modules that are loaded with one."""
    known: set[str] = set()
    ahead = {name}
    while ahead:
        known |= ahead
        ahead = {each for one in ahead for each in imports(one)} - known
    return known


def test_nothing_is_written_into_the_html_that_a_strict_policy_would_refuse() -> None:
    html = _Tags()

    assert html.within == []
    assert [tag for tag, attributes in html.tags if tag == "style" or "style" in attributes] == []
    assert [name for _, attributes in html.tags for name in attributes if name.startswith("on")] == []
    scripts = [attributes["src"] for tag, attributes in html.tags if tag == "script"]
    assert scripts == ["/assets/theme.js", "/assets/words.js", "/assets/app.js"]


def test_no_file_names_another_host() -> None:
    hosts = {
        (name, address)
        for name, text in FILES.items()
        for address in re.findall(r"(?:https?:|(?<=[\"'(=]))//[\w-]+(?:\.[\w-]+)+[^\s\"'`)<>]*", text)
        if address not in NAMESPACES
    }

    assert hosts == set()


def test_every_file_that_is_asked_for_is_there() -> None:
    linked = {
        attributes.get("href", attributes.get("src", ""))
        for tag, attributes in _Tags().tags
        if tag in ("link", "script")
    }
    loaded = {address for text in SCRIPTS.values() for address in re.findall(r"[\"'](/assets/[^\"']+)[\"']", text)}

    assert {address.removeprefix("/assets/") for address in linked | loaded} <= FILES.keys()


def test_every_import_names_a_file_and_what_it_exports() -> None:
    missing = []
    for name, text in SCRIPTS.items():
        for names, address in re.findall(r'import (?:\{([^}]*)\} from )?"([^"]+)"', text):
            assert address.startswith("/assets/"), f"{name} imports {address}"
            told = SCRIPTS[address.removeprefix("/assets/")]
            for each in filter(None, (one.strip().partition(" as ")[0] for one in names.split(","))):
                pattern = rf"export (?:async )?(?:const|function|class|let) {each}\b|export\{{[^}}]*\b{each}\b"
                if not re.search(pattern, told):
                    missing.append(f"{name}: {each} of {address}")

    assert missing == []


def linked(rel: str) -> set[str]:
    """The files that the HTML links so, by their path below `/assets`."""
    return {
        attributes["href"].removeprefix("/assets/")
        for tag, attributes in _Tags().tags
        if tag == "link" and attributes.get("rel") == rel
    }


def test_all_modules_are_asked_for_at_once() -> None:
    """None is found only when another one has come: each would cost a way there and back."""
    assert linked("modulepreload") == reached("app.js") - {"app.js"}


def test_all_modules_of_a_view_that_is_loaded_later_are_asked_for_at_once_too() -> None:
    first, views = reached("app.js"), SCRIPTS["views.js"]
    [session] = re.findall(r"^const SESSION = \[(.*)\];$", views, re.MULTILINE)
    loaded = re.findall(r'import\("/assets/([\w.]+)"\), modules: (?:SESSION|\[(.*?)\])', views)

    assert len(loaded) == views.count("load: () =>") >= 4
    for name, listed in loaded:
        modules = {f"{each}.js" for each in re.findall(r'"(\w+)"', listed or session)}
        assert modules == reached(name) - first, name


def test_the_first_view_is_small_and_loads_nothing_of_the_others() -> None:
    files = FIRST | reached("app.js") | linked("stylesheet")
    sent = {name: len(gzip.compress(FILES[name].encode(), 6)) for name in files}

    assert not {"report.js", "report.css", "library.js"} & files
    assert sum(sent.values()) <= FIRST_AT_MOST, sent


def test_text_becomes_markup_nowhere_but_where_the_report_is_put_in() -> None:
    ways = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|createContextualFragment"
    )
    ours = {name: text for name, text in SCRIPTS.items() if not name.startswith("vendor/")}

    assert [name for name, text in ours.items() if ways.search(text)] in ([], ["report.js"])


def test_every_kind_of_event_is_listened_for() -> None:
    union = get_args(get_args(Event)[0])
    kinds = {each.model_fields["kind"].default for each in union}
    [listed] = re.findall(r"export const KINDS = \[(.*?)\];", SCRIPTS["events.js"], re.DOTALL)

    assert set(re.findall(r'"(\w+)"', listed)) == kinds


def test_all_of_the_page_together_is_small() -> None:
    sent = {name: len(gzip.compress(text.encode(), 6)) for name, text in FILES.items()}

    assert sum(sent.values()) <= AT_MOST, sent
