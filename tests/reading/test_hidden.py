"""What a person does not see is in no snapshot, whatever the format; what writing needs stays."""

from __future__ import annotations

import json

import pytest

from fathom.errors import Unreadable
from fathom.reading.readers import read_bytes
from fathom.text.own import REPORT_MARK
from fathom.text.phrases import phrases
from tests.support.pdfs import lines, pdf

PROSE = "The tide rises and falls twice a day, as the moon pulls at the sea."
TAGS = "".join(chr(0xE0000 + ord(char)) for char in "obey")
SELECTED = "".join(f"{char}{chr(0xE0100 + number)}" for number, char in enumerate("tide"))


@pytest.mark.parametrize("suffix", [".md", ".rst", ".txt", ".html"])
@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (f"tide{TAGS}s", "tides"),
        (SELECTED, "tide"),
        ("t\ufe01i\ufe02d\ufe03e", "tide"),
        ("ti\u200bd\u2060e\u200e\u202e\u2066", "tide"),
        ("ti\u200d\u200c\u200d\u200cde and t\u200cide", "tide and tide"),
        ("潮\u200d\u200c\u200dの\u200c満ち引き", "潮の満ち引き"),
    ],
)
def test_characters_that_show_nothing_are_left_out_of_every_format(written: str, shown: str, suffix: str) -> None:
    assert read_bytes(f"{PROSE} {written}.\n".encode(), suffix).text.strip() == f"{PROSE} {shown}."


@pytest.mark.parametrize("suffix", [".md", ".rst", ".txt", ".html"])
@pytest.mark.parametrize(
    "written", ["👩\u200d🔬 ❤\ufe0f 1\ufe0f⃣", "می\u200cخواهم", "क्\u200dष", "葛\U000e0100城市と辻\ufe00さん"]
)
def test_what_writing_needs_stays(written: str, suffix: str) -> None:
    assert written in read_bytes(f"{PROSE} {written}.\n".encode(), suffix).text


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- OBEY -->",
        "<!--\n\nOBEY\n\n-->",
        "<div hidden>\n\nOBEY **me**.\n\n</div>",
        "<div style='display:none'>OBEY</div>",
        "<p style='font-size:0'>OBEY</p>",
        "Spring <span style='display: none'>OBEY</span>tides.",
        "Spring <!-- OBEY --> tides.",
        "> <!-- OBEY\n> me -->",
        "[//]: # (OBEY)",
        "[comment]: <> (OBEY)",
        '[unused]: https://harbour.org "OBEY\nme"',
        "<style>.x { visibility: hidden }</style>\n\n<div class='x'>\n\nOBEY\n\n</div>",
        "<template>\n\nOBEY\n\n</template>",
        "<div hidden>\n\nOBEY",
    ],
)
def test_hidden_parts_of_markdown_are_not_read(hidden: str) -> None:
    document = read_bytes(f"# Tides\n\n{PROSE}\n\n{hidden}\n".encode(), ".md")
    assert PROSE in document.text and "OBEY" not in document.text
    after = read_bytes(f"# Tides\n\n{hidden}\n\nNeap tides.\n".encode(), ".md").text
    assert "Neap tides." in after or not hidden.endswith((">", ")", "."))


@pytest.mark.parametrize(
    "shown",
    [
        "    <!-- SHOWN -->\n",
        "```html\n<div hidden>SHOWN</div>\n```",
        "Write `<!-- SHOWN -->` there.",
        "Write ``<div hidden>`SHOWN`</div>`` there.",
        "```\n[//]: # (SHOWN)\n```",
        "<details>\n<summary>More</summary>\n\nSHOWN\n\n</details>",
        "See [SHOWN][1].\n\n[1]: https://harbour.org",
        "<p align='center'>SHOWN</p>",
    ],
)
def test_what_markdown_shows_stays(shown: str) -> None:
    document = read_bytes(f"# Tides\n\n{PROSE}\n\n{shown}\n".encode(), ".md")
    assert any("SHOWN" in document.text[block.start : block.end] for block in document.blocks)


@pytest.mark.parametrize(
    "hidden", [".. OBEY\n   me", "..\n   OBEY", ".. raw:: html\n\n   <p>OBEY", ".. meta::\n   :description: OBEY"]
)
def test_comments_of_restructured_text_are_not_read(hidden: str) -> None:
    document = read_bytes(f"Tides\n=====\n\n{PROSE}\n\n{hidden}\n\nNeap tides.\n".encode(), ".rst")
    assert PROSE in document.text and "Neap tides." in document.text and "OBEY" not in document.text


def footer(language: str) -> str:
    words = phrases(language)
    return words.footer.format(claims=12, verdicts=words.counts({"quoted": 9, "partial": 2, "unjudged": 1}))


@pytest.mark.parametrize(
    ("data", "suffix"),
    [
        (f"# Report\n\n{PROSE}\n\n{REPORT_MARK}\n", ".md"),
        (f"# Notes\n\n{PROSE}\n\n{REPORT_MARK}\n\nAnd some more of my own.\n", ".md"),
        (f"{PROSE}\n\n{REPORT_MARK}\n", ".txt"),
        (f'<!doctype html><head><meta name="generator" content="Fathom"></head><p>{PROSE}', ".html"),
        (f"<p>{PROSE}</p><footer-line>{footer('en')}</footer-line><p>{PROSE}", ".html"),
        (f"{PROSE}\n\n{footer('en').replace(', ', ',' + chr(10))}\n\nA word of mine.\n", ".txt"),
        (f"{PROSE}\n\n{footer('ja')}\n", ".rst"),
        (f"{PROSE}\n\n{phrases('en').nothing_found}\n", ".md"),
        (f"<p>{PROSE}</p><p>{phrases('ja').nothing_found}</p>", ".html"),
        (json.dumps({"query": "Why?", "markdown": f"# Report\n\n{PROSE}\n\n{REPORT_MARK}\n"}), ".txt"),
    ],
)
def test_a_report_of_fathom_is_known_in_every_format_and_anywhere(data: str, suffix: str) -> None:
    with pytest.raises(Unreadable, match="it is a report of Fathom"):
        read_bytes(data.encode(), suffix)


@pytest.mark.parametrize(
    "footer_lines",
    [
        ("Sentences checked: 12. Supported: 9, partly", "supported: 2, not supported: 1, without a", "citation: 0."),
        ("Sentences checked: 12 (9 quoted, 2", "partly supported)."),
        ("Documents in reach: 9. Matched:", "0, read: 0, quoted: 0."),
        ("確認した文は12件です。出典の裏付けあり9件、一部のみ裏付けあり2件、", "裏付けなし1件、出典の表示なし0件。"),
        (phrases("en").nothing_found,),
        (phrases("ja").nothing_found,),
    ],
)
def test_a_report_of_fathom_is_known_when_it_has_been_printed(footer_lines: tuple[str, ...]) -> None:
    with pytest.raises(Unreadable, match="it is a report of Fathom"):
        read_bytes(pdf([lines("The tide rises twice a day.", "", *footer_lines)]), ".pdf")


@pytest.mark.parametrize(
    "said",
    ["Nothing in the sources answers this question.", "この質問に答える記述は、資料の中に見つかりませんでした。"],
)
def test_what_anybody_may_say_of_sources_makes_no_report_of_fathom(said: str) -> None:
    read = read_bytes(f"{PROSE}\n\n{said}\n".encode(), ".md")

    assert said in read.text
