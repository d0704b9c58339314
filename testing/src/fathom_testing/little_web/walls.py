"""Pages that hold nothing to quote, whatever their status says, and those that hold it only for a browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from fathom_testing.little_web.chrome import Style, dressed
from fathom_testing.little_web.page import LittlePage
from fathom_testing.little_web.topics import Topic

HOST = "walls.localhost"
SCRIPTED = "scripted.localhost"
_STYLE = Style("Walls", ("Home", "Help"), dated="")
_WALLS: dict[str, tuple[int, str, str]] = {
    "consent": (
        200,
        "Before you continue",
        "<div class='consent'><p>We and our 842 partners store and access information on your device.</p>"
        "<p>Choose Accept all to continue, or Manage options for your choices.</p>"
        "<button>Accept all</button><button>Manage options</button></div>",
    ),
    "soft-404": (
        200,
        "Page not found",
        "<p>Sorry, the page that you are looking for does not exist or has been moved.</p>"
        "<p>Try the search, or go back to the home page.</p>",
    ),
    "hard-404": (404, "Not found", "<p>The page that you are looking for does not exist.</p>"),
    "gone": (410, "Gone", "<p>This page has been removed.</p>"),
    "broken": (500, "Internal server error", "<p>Something went wrong on our side.</p>"),
    "captcha": (
        200,
        "Just a moment...",
        "<p>Checking your browser before you proceed. Verify that you are human by completing the action below.</p>"
        "<div class='g-recaptcha' data-sitekey='none'></div>",
    ),
    "login": (
        200,
        "Log in to continue",
        "<p>You must log in to continue reading. Do not have an account? Sign up for free.</p>"
        "<form method='post'><input name='user'><input type='password' name='secret'><button>Log in</button></form>",
    ),
    "paywall": (
        200,
        "Subscribe to read on",
        "<p>This article is for subscribers only. Subscribe now to read the full story, from 1 crown a month.</p>",
    ),
    "parked": (
        200,
        "This domain is for sale",
        "<p>The domain walls.localhost may be for sale. Inquire about this domain.</p>"
        "<ul><li>Cheap flights</li><li>Car insurance</li><li>Online degrees</li></ul>",
    ),
    "empty": (200, "", ""),
    "forbidden": (403, "Access denied", "<p>You do not have permission to access this page on this server.</p>"),
}


def walls(topics: Sequence[Topic]) -> Iterator[tuple[str, LittlePage]]:
    """The name of each wall and its page; what searches are told of it promises the facts of a topic."""
    for number, (name, (status, title, content)) in enumerate(_WALLS.items()):
        topic = topics[number % len(topics)]
        page = dressed(_STYLE, title=title, content=content)
        promise = f"{topic.intro} {' '.join(fact.sentence for fact in topic.current)}"
        yield name, LittlePage(HOST, f"/{name}", f"{topic.name} explained", page.encode(), promise, status=status)


def scripted(topics: Sequence[Topic]) -> Iterator[LittlePage]:
    """Pages whose content a script puts in."""
    for topic in topics:
        said = f"{topic.intro} {' '.join(fact.sentence for fact in topic.current)}"
        letters = ",".join(str(ord(char)) for char in said)
        script = (
            "<div id='root'></div><noscript>You need to enable JavaScript to run this app.</noscript><script>"
            f"const said = String.fromCharCode({letters});"
            "const place = document.getElementById('root'), line = document.createElement('p');"
            "line.textContent = said; place.appendChild(line);</script>"
        )
        page = f"<!DOCTYPE html><html><head><title>{escape(topic.name)}</title></head><body>{script}</body></html>"
        yield LittlePage(SCRIPTED, f"/app/{topic.slug}", topic.name, page.encode(), said)
