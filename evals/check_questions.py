#!/usr/bin/env python3
"""Check question sets against their corpora.

    check_questions.py CORPORA SET.toml [SET.toml ...]

A fact is sound if its pattern matches a sentence on each of its pages and on at
most three pages beside them.  An unanswerable question is sound if nothing in its
corpus matches its `absent` pattern.  Prints one line per fault and a table of
counts; exits with 1 if there was a fault.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from lxml import html

MOST_OTHER_PAGES = 3
INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span "
    "strike strong sub sup time tt u var wbr".split()
)
SKIPPED = frozenset("head script style nav noscript template svg".split())
CJK = r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uff60]"
SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9])|(?<=[。！？])")
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|cf|vs|Mr|Dr|No|Fig|Sec|approx)|\b[A-Z])\.$")


def blocks(page: Path) -> list[str]:
    """The texts of a page's blocks, joined across inline tags, and of its table rows; of a text file its lines too."""
    if page.suffix != ".html":
        text_file = page.read_text("utf-8")
        paragraphs = [" ".join(each.split()) for each in re.split(r"\n\s*\n", text_file)]
        return [*paragraphs, *(re.sub(r"[*_`]+", "", " ".join(line.split())) for line in text_file.splitlines())]
    found: list[str] = []
    text: list[str] = []

    def flush() -> None:
        collapsed = re.sub(r"\s+", " ", "".join(text)).strip()
        if collapsed:
            found.append(collapsed)
        text.clear()

    def walk(node: html.HtmlElement) -> None:
        if isinstance(node.tag, str) and node.tag not in SKIPPED:
            block = node.tag not in INLINE
            if block:
                flush()
            text.append(node.text or "")
            for child in node:
                walk(child)
                text.append(child.tail or "")
            if block:
                flush()
            if node.tag == "tr":
                cells = (re.sub(r"\s+", " ", cell.text_content()).strip() for cell in node)
                found.append(" | ".join(cells))

    walk(
        html.fromstring(
            page.read_bytes().decode("utf-8", "replace").encode("utf-8"), parser=html.HTMLParser(encoding="utf-8")
        )
    )
    return found


def split_sentences(text: str) -> list[str]:
    sentences: list[str] = []
    for part in SENTENCE_END.split(text):
        if sentences and ABBREVIATION.search(sentences[-1]):
            sentences[-1] += " " + part
        elif part.strip():
            sentences.append(part.strip())
    return sentences


@cache
def sentences(page: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sentence for block in blocks(page) for sentence in split_sentences(block)))


@cache
def closed_up(page: Path) -> tuple[str, ...]:
    """The sentences without the spaces beside CJK characters, which are line breaks of the source."""
    return tuple(re.sub(rf"(?<={CJK}) | (?={CJK})", "", sentence) for sentence in sentences(page))


@cache
def pages(corpus: Path) -> tuple[Path, ...]:
    return tuple(sorted(each for each in corpus.rglob("*") if each.suffix in (".html", ".md", ".txt", ".csv", ".eml")))


def matches(pattern: re.Pattern[str], page: Path) -> bool:
    return any(map(pattern.search, sentences(page))) and any(map(pattern.search, closed_up(page)))


def faults(question: dict[str, Any], corpus: Path) -> list[str]:
    if not corpus.is_dir():
        return [f"there is no corpus {corpus.name}"]
    if question.get("unanswerable"):
        if "absent" not in question:
            return ["`absent` is missing"]
        absent = re.compile(question["absent"])
        return [
            f"{page.relative_to(corpus)} holds {absent.pattern}"
            for page in pages(corpus)
            if any(map(absent.search, sentences(page) + closed_up(page)))
        ]
    found = []
    gold = set(question["pages"])
    if not question.get("facts"):
        found.append("no facts")
    for fact in question.get("facts", []):
        pattern, own = re.compile(fact["pattern"]), set(fact["pages"])
        hit = {page.relative_to(corpus).as_posix() for page in pages(corpus) if matches(pattern, page)}
        found += [f"{fact['name']}: not on {page}" for page in sorted(own - hit)]
        if not own & gold:
            found.append(f"{fact['name']}: not on a gold page")
        if len(hit - own) > MOST_OTHER_PAGES:
            found.append(f"{fact['name']}: also on {len(hit - own)} other pages: {' '.join(sorted(hit - own)[:8])}")
    return found


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    corpora, faulty = Path(arguments[0]), 0
    count: Counter[tuple[str, str, str, str]] = Counter()
    ids: Counter[str] = Counter()
    for name in arguments[1:]:
        for question in tomllib.loads(Path(name).read_text("utf-8"))["question"]:
            key = (Path(name).stem, question["corpus"], question.get("language", "en"))
            count[(*key, "unanswerable" if question.get("unanswerable") else "answerable")] += 1
            count[(*key, "facts")] += len(question.get("facts", []))
            ids[question["id"]] += 1
            problems = faults(question, corpora / question["corpus"])
            problems += ["the id occurs twice"] if ids[question["id"]] == 2 else []
            for problem in problems:
                faulty += 1
                print(f"{Path(name).stem} {question['id']}: {problem}")
    columns = ("answerable", "unanswerable", "facts")
    print(f"{'set':12} {'corpus':26} {'language':8} " + " ".join(f"{column:>12}" for column in columns))
    for key in sorted({key[:3] for key in count}):
        print(f"{key[0]:12} {key[1]:26} {key[2]:8} " + " ".join(f"{count[(*key, column)]:12}" for column in columns))
    print(f"{sum(ids.values())} questions, {faulty} faults")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
