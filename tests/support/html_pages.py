"""Shared by tests: `PROSE`, `HEAD`, `ADDRESS`, `page`, `links`, `teasers`, `FOOTER`, `CONSENT`, `LETTER`, `FRAMES`."""

from __future__ import annotations

from fathom.pages.evidence import PageReading
from fathom.pages.html import read

PROSE = "The tide rises and falls twice a day because the moon pulls at the sea more than the sun does. "


HEAD = "<meta charset=utf-8><title>Tides | The Harbour</title>"


ADDRESS = "https://harbour.org/sea/tides"


def page(body: str, *, head: str = HEAD, address: str = ADDRESS, last_modified: str = "") -> PageReading:
    html = f"<!DOCTYPE html><html lang=en><head>{head}</head><body>{body}</body></html>"
    return read(html.encode("utf-8", "surrogatepass"), address=address, last_modified=last_modified)


def links(count: int) -> str:
    return "".join(f'<li><a href="/{number}">Another matter {number}</a></li>' for number in range(count))


def teasers(count: int, *, outside: bool = False) -> str:
    one = '<a href="/n{0}"><h4>A story {0}</h4></a>' if outside else '<h4><a href="/n{0}">A story {0}</a></h4>'
    return "".join(f"<div>{one.format(number)}<p>It began at sea, says a witness.</p></div>" for number in range(count))


FOOTER = f"<ul>{links(9)}</ul><p>© 2025 Harbour. All rights reserved.</p>"


CONSENT = "<p>We use cookies to improve your visit. By continuing you accept our cookie policy.</p>"


LETTER = "<h3>Stay informed</h3><p>Sign up for our newsletter and get it in your inbox.</p>"


FRAMES = {
    "semantic": f"""<header><nav><ul>{links(9)}</ul></nav></header><main>%s</main>
        <aside>{teasers(4)}</aside><footer>{FOOTER}</footer>""",
    "named": f"""<div class=top-bar><ul>{links(9)}</ul></div>
        <div class=cols><div class=content>%s</div><div class=sidebar><h3>Popular stories</h3>{teasers(4)}</div></div>
        <div class='cookie-consent'>{CONSENT}</div>
        <div class=newsletter>{LETTER}</div><div class=footer>{FOOTER}</div>""",
    "nameless": f"""<div class=a1><ul>{links(9)}</ul></div>
        <div class=b2><div class=c3>%s</div><div class=d4><h3>Related articles</h3>{teasers(4, outside=True)}</div>
        <div class=e5>{LETTER}</div></div><div class=f6><h3>2 comments</h3><p>First!</p><p>Nice read.</p></div>
        <div>{FOOTER}</div><div>{CONSENT}</div>""",
}
