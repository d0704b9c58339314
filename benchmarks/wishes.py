"""Questions that say how they want to be answered: what was heard, and whether the report does so.

Run `python benchmarks/wishes.py FILE…`, each a TOML file of `[[question]]` with `id`, `query`, `documents` (a folder),
`topic` (the question without its wishes) and `[question.wishes]`: `max_words`, `max_characters`, `max_sentences`,
`max_items`, `form`, `kind`, `exclude`, `since`, `until` (years), `region`, `answer_language`, `audience`, `tone`; and
none where the words are the topic. `--reports FOLDER` keeps the reports. No model is asked.

A wish is honoured when the report passes the check of its kind; it is told when the report says in a line that it could
not be, as without a model for a reader and a tone. A wish leaks when its words stand in the title, in a heading or in a
search, and the topic does not have them.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import fathom
from fathom.events import Allocated, StoredEvent
from fathom.preferences import BRIEF_WORDS
from fathom.render import markdown
from fathom.report import Report, ReportSection
from fathom.settings import load_settings
from fathom.text.analysis import query_terms, terms
from fathom.text.display import word_count
from fathom.text.phrases import phrases

YEAR = re.compile(r"(?<![\d.,/#-])(?:19|20)\d\d(?![\d%]|[.,]\d)")
MARK = re.compile(r"\[S\d+\]")
FORM_WORDS = {
    "bullets": "bullets bullet points 箇条書き",
    "table": "table 表",
    "timeline": "timeline 年表",
    "brief": "brief one-page A4",
    "comparison table": "comparison table 比較表",
    "executive summary": "executive summary",
    "literature review": "literature review",
    "decision brief": "decision brief",
    "paragraphs": "paragraph",
}
"""What a form is called."""
Check = Callable[[Report, Any], bool]


def told(report: Report) -> str:
    """The report's own text: its title and its sections, without the notes and the sources below."""
    words = phrases(report.language)
    below = (words.sources, words.limitations, words.contradictions, words.not_found)
    text = markdown.render(report)
    return text[: min((at for each in below if (at := text.find(f"\n## {each}\n")) >= 0), default=len(text))]


def lines(report: Report) -> list[str]:
    """Its lines besides headings."""
    words = phrases(report.language)
    own = tuple(each.partition("{")[0] for each in (words.closest, words.unsaid))  # stands above what only comes close
    written = (line for line in told(report).splitlines() if line.strip() and not line.startswith("#"))
    return [line for line in written if not line.startswith(own)]


def headings(report: Report) -> list[str]:
    """Title and headings, in order."""

    def walk(sections: tuple[ReportSection, ...]) -> Iterator[str]:
        for section in sections:
            yield section.heading
            yield from walk(section.sections)

    return [report.title, *walk(report.sections)]


def items(report: Report) -> int:
    """Points, and rows of tables."""
    rows = [line for line in lines(report) if line.startswith("|") and not re.fullmatch(r"[|\s-]+", line)]
    points = sum(bool(re.match(r"(?:-|\d+\.) ", line)) for line in lines(report))
    return points + max(0, len(rows) - 1)


def is_set(report: Report, form: str) -> bool:
    """Whether the report has a form."""
    own = lines(report)
    match form:
        case "bullets":
            return bool(own) and all(re.match(r"(?:-|\d+\.) ", line) for line in own)
        case "table" | "comparison table":
            return any(re.fullmatch(r"[|\s-]+", line) for line in own) and items(report) > 1
        case "timeline":
            dates = [found[1] for line in own if (found := re.match(r"- \*\*(\d{4}[\d-]*)\*\*", line))]
            return bool(dates) and len(dates) == len(own) and dates == sorted(dates)
        case "brief" | "executive summary" | "decision brief":
            return bool(own) and len(report.sections) == 1 and word_count(told(report)) <= 450
        case "paragraphs":
            return bool(own) and not items(report)
        case "literature review":
            titles = [source.title for source in report.sources]
            return bool(own) and all(any(title in each for title in titles) for each in headings(report)[1:])
        case "comprehensive":
            return word_count(told(report)) > BRIEF_WORDS
    return False


def years(text: str) -> list[int]:
    """The years that a text names."""
    return [int(year) for year in YEAR.findall(text)]


def within(report: Report, test: Callable[[int], bool]) -> bool:
    """Whether no sentence is about other years alone."""
    named = [years(claim.text) for claim in report.claims]
    return bool(report.claims) and all(not own or any(map(test, own)) for own in named)


def lacks(report: Report, excluded: list[str]) -> bool:
    """Whether nothing speaks of what is excluded."""
    text = told(report).casefold()
    return bool(report.claims) and not any(each.casefold() in text for each in excluded)


def in_language(report: Report, code: str) -> bool:
    """Whether the report's own headings are in a language."""
    return report.language == code and f"## {phrases(code).sources}" in markdown.render(report)


def names_region(report: Report, region: str) -> bool:
    """Whether the region was heard; what names it then comes first."""
    heard = report.preferences.region if report.preferences else ""
    return bool(heard) and (region.casefold() in heard.casefold() or heard.casefold() in region.casefold())


CHECKS: dict[str, Check] = {
    "max_words": lambda report, most: bool(report.claims) and word_count(told(report)) <= most,
    "max_characters": lambda report, most: (
        bool(report.claims) and len(re.sub(r"[\s#*|-]", "", MARK.sub("", told(report)))) <= most
    ),
    "max_sentences": lambda report, most: 0 < len(report.claims) <= most,
    "max_items": lambda report, most: 0 < items(report) <= most,
    "form": is_set,
    "kind": is_set,
    "exclude": lacks,
    "since": lambda report, year: within(report, lambda each: each >= year),
    "until": lambda report, year: within(report, lambda each: each <= year),
    "region": names_region,
    "answer_language": in_language,
    "audience": lambda *_: False,  # which takes a model
    "tone": lambda *_: False,
}


def is_told(report: Report, kind: str) -> bool:
    """Whether the report says that a wish could not be honoured."""
    heard, says = report.preferences, phrases(report.language).wishes
    if heard is None:
        return False
    match kind:
        case "audience" | "tone":
            return bool(getattr(heard, kind)) and any(getattr(heard, kind) in line for line in report.limitations)
        case "form" | "kind":
            return says["no_dates"] in report.limitations
        case _:
            return says["too_short"] in report.limitations
    return False


def leaked(report: Report, queries: list[str], question: Mapping[str, Any]) -> list[str]:
    """The words of wishes in headings and searches, which the topic does not have."""
    wished = [
        FORM_WORDS.get(str(each), str(each))
        for kind, value in question["wishes"].items()
        for each in (value if isinstance(value, list) else [value])
        if kind not in ("answer_language", "max_words", "max_characters", "max_sentences", "max_items")
    ]
    heard = report.preferences.wishes if report.preferences else ()
    own = {term for each in (*wished, *heard) for term in query_terms(each)} - set(terms(question["topic"]))
    shown = {term for each in (*headings(report)[:1], *queries) for term in terms(each)}
    return sorted(own & shown)


async def main(files: list[Path], reports: Path | None, only: str) -> None:
    """Print a line for each wish, and the totals."""
    questions = [each for file in files for each in tomllib.loads(file.read_text(encoding="utf-8"))["question"]]
    counts = dict.fromkeys(("honoured", "told", "missed"), 0)
    plain = {"right": 0, "false": 0}
    leaks = 0
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(home=Path(folder))
        async with fathom.Fathom(settings) as engine:
            for question in questions:
                if only and question["id"] not in only.split(","):
                    continue
                queries: list[str] = []

                def note(stored: StoredEvent, queries: list[str] = queries) -> None:
                    if isinstance(stored.event, Allocated):
                        queries += [text for of in stored.event.queries.values() for text in of]

                asked = fathom.Question(question["query"], documents=[question["documents"]])
                report = await engine.research(asked, on_event=note)
                if reports:
                    reports.mkdir(parents=True, exist_ok=True)
                    (reports / f"{question['id']}.md").write_text(markdown.render(report), encoding="utf-8")
                heard = report.preferences
                shown = heard.model_dump(exclude_defaults=True, exclude={"wishes"}) if heard else "nothing"
                print(f"{question['id']}  {question['query']}\n    heard: {shown}")
                if not question["wishes"]:
                    plain["false" if heard else "right"] += 1
                    print(f"    no wish: {'a false one was heard' if heard else 'right'}")
                for kind, value in question["wishes"].items():
                    outcome = (
                        "honoured" if CHECKS[kind](report, value) else "told" if is_told(report, kind) else "missed"
                    )
                    counts[outcome] += 1
                    print(f"    {kind} = {value}: {outcome}")
                if found := leaked(report, queries, question):
                    leaks += 1
                    print(f"    leaks: {', '.join(found)}  (title: {report.title}; searches: {' | '.join(queries)})")
    total = sum(counts.values())
    print(f"\n{total} wishes: {', '.join(f'{count} {name}' for name, count in counts.items())}")
    able = total - counts["told"]
    if able:
        print(f"honoured of all: {counts['honoured'] / total:.0%}")
        print(f"honoured of those that need no model: {counts['honoured'] / able:.0%}")
    print(f"questions without a wish: {plain['right']} right, {plain['false']} with a false one; leaks: {leaks}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--reports", type=Path, help="keep the reports in this folder")
    parser.add_argument("--only", default="", help="ids, with commas between them")
    given = parser.parse_args()
    asyncio.run(main(given.files, given.reports, given.only))
