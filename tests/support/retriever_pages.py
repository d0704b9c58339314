"""Shared by tests: `PAGES`."""

from __future__ import annotations

PAGES = {
    "sea.md": (
        "# The sea\n\nThe **sea** is salt.\n\n## Depth\n\nThe deep sea has three parts:\n\n- the shelf, which is "
        "shallow\n- the plain, which is deep\n  and wide\n- the trenches\n\n| part | depth |\n| --- | --- |\n"
        "| shelf | 200 m |\n| plain | 6,000 m |\n\n```\nsound(sea)\n```\n\n## Light\n\nIn the deep sea there is none.\n"
    ),
    "tides.rst": "Tides\n=====\n\nThe sea rises and falls.\n\nSpring tide\n  The sea is high at new moon.\n",
    "old.html": (
        "<html><head><title>Sea &amp; land</title></head><body><nav><a href=a>sea</a></nav><h1>Sea &amp; land</h1>"
        "<p>The sea \ud83c\udf0a covers most of the Earth.<dl><dt>Coast<dd>where the sea ends</dl><p>&#xD800;&#0;&#x1b;"
        "</body></html>"
    )
    .encode("utf-16", "surrogatepass")
    .decode("utf-16"),
    "umi.txt": "深い海\n\n海は深い。sea の意味である。\n\n" + "海の底には光が届かない。" * 400,
    "copy.txt": "The sea is told of twice.\n",
    "copy of it.txt": "The sea is told of twice.\n",
}
