"""What the tests of the page ask of: documents in English and Japanese, records, and a document that means harm."""

from __future__ import annotations

from pathlib import Path

from tests.support.corpus import QUESTION as QUESTION
from tests.support.corpus import TEXTS

BEYOND = "🗼👩\u200d🚀"
"""Characters for which a browser needs two units each, and one that is made of several."""

SURVEY = """# The survey of 1998

The Norvik lighthouse is 39 metres high. The tower stands on a rock at the mouth of the fjord.
"""
"""Contradicts the others about the height."""
JAPANESE_QUESTION = "大潮はいつ起こり、小潮とは干満の差がどう違うか。"
JAPANESE = """# 潮の満ち引き

潮の満ち引きは、月の引力によって起こる。太陽の引力は月の約半分の影響を与える。

大潮は新月と満月のときに起こり、干満の差が最も大きくなる。小潮は上弦の月と下弦の月のときに起こり、干満の差は大潮より小さい。
"""

DATA_QUESTION = "How many incidents are there per severity in the incidents?"
SEVERITIES = ("low", "medium", "high", "critical")
RECORDS = 240
"""More than a page of the scan."""

HOSTILE_TITLE = "<img src=x onerror=\"alert('title')\"><script>alert('title')</script>Kestrel"
HOSTILE_QUESTION = "How high is the Kestrel beacon?"
HOSTILE = f"""<html><head><title>{HOSTILE_TITLE.replace("<", "&lt;")}</title></head><body>
<h1>&lt;svg onload=alert(1)&gt; The Kestrel beacon</h1>
<p>{BEYOND}</p>
<p>The Kestrel beacon is 31 metres high &lt;script&gt;alert('quote')&lt;/script&gt; and stands on
&lt;img src=x onerror=alert(2)&gt; a rock. It was built in 1822 [see](javascript:alert(3)) by order of the crown.</p>
<p>The Kestrel beacon has ](javascript:alert(4)) 96 steps &lt;/article&gt;&lt;/main&gt;&lt;style&gt;body{{display:none}}
&lt;/style&gt; and {{{{ constructor.constructor('alert(5)')() }}}} three lamps.</p>
</body></html>
"""


def documents(folder: Path) -> Path:
    """A folder with the documents, English ones and a Japanese one; before what can be quoted stands `BEYOND`."""
    made = folder / "documents"
    made.mkdir(parents=True)
    for name, text in {**TEXTS, "survey.md": SURVEY, "潮.md": JAPANESE}.items():
        heading, _, rest = text.partition("\n")
        (made / name).write_text(f"{heading}\n\n{BEYOND}\n{rest}", encoding="utf-8")
    return made


def records(folder: Path) -> Path:
    """A CSV file of incidents."""
    path = folder / "incidents.csv"
    lines = ["id,reported,severity,title"]
    for n in range(1, RECORDS + 1):
        severity = SEVERITIES[n % 7 % 4]
        day = f"2025-{n % 12 + 1:02}-{n % 28 + 1:02}"
        lines.append(f"INC-{n:04},{day},{severity},Pump {n % 9} of the harbour stopped for {n % 50} minutes")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def hostile(folder: Path) -> Path:
    """A page whose title, headings and sentences are full of markup."""
    path = folder / "kestrel.html"
    path.write_text(HOSTILE, encoding="utf-8")
    return path
