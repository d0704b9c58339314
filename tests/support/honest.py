"""What a report may never do, whoever wrote it and whatever it was told: checked from outside, by means of its own."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from fathom.report import VERIFIED, Claim, Report, ReportSection, SourceEntry
from fathom.text.commonmark import inert
from fathom.text.own import REPORT_MARK
from fathom.text.phrases import phrases
from fathom.text.typeset import CONCLUSION

_RENDERER = MarkdownIt("commonmark").enable(["strikethrough", "table"])
_RENDERER.validateLink = lambda url: True  # type: ignore[method-assign] # noqa: ARG005 - none may hide behind a filter
_BARE_ADDRESS = re.compile(r"(?:https?|ftp|file|javascript|data|mailto):[^\s]|www\.", re.IGNORECASE)
_MARK = re.compile(r"\[(S\d+)\]")


def faults_of(report: Report, snapshots: Mapping[str, str]) -> list[str]:
    """What is wrong with a report, one line each. `snapshots` are the texts that were read, by digest."""
    return [
        *_quotations(report, snapshots),
        *_citations(report),
        *_markup(report),
        *_unmarked(report),
        *_uncited(report),
        *faults_of_sources(report),
    ]


def faults_of_sources(report: Report) -> list[str]:
    """What is wrong with what a report says of its sources, one line each."""
    return [*_origins(report), *_disagreements(report), *_worlds(report)]


def _quotations(report: Report, snapshots: Mapping[str, str]) -> Iterator[str]:
    """Every quotation stands where it is said to stand, in a text that was read."""
    sources = {source.id: source for source in report.sources}
    for entry in report.evidence:
        source = sources.get(entry.source_id)
        if source is None:
            yield f"{entry.id} is of {entry.source_id}, which is no source"
            continue
        text = snapshots.get(source.sha256)
        if text is None:
            yield f"{source.id} ({source.uri}) was never read"
        elif text[entry.start : entry.end] != entry.quote:
            yield f"{entry.id} does not stand at {entry.start}-{entry.end} of {source.uri}"
        elif sha256(text.encode()).hexdigest() != source.sha256:
            yield f"the text of {source.uri} is another one"


def _citations(report: Report) -> Iterator[str]:
    """Nothing is cited but sources, evidence and findings of the run."""
    sources, evidence = {source.id for source in report.sources}, {entry.id: entry for entry in report.evidence}
    findings = {finding.id for finding in report.findings}
    for claim in report.claims:
        if unknown := [id for id in claim.evidence if id not in evidence]:
            yield f"{claim.id} rests on {unknown}"
        elif set(claim.citations) != {evidence[id].source_id for id in claim.evidence}:
            yield f"{claim.id} cites {claim.citations} and rests on {claim.evidence}"
    for finding in report.findings:
        if not finding.evidence or not set(finding.evidence) <= evidence.keys():
            yield f"{finding.id} rests on {finding.evidence}"
    for synthesis in report.syntheses:
        if unknown := sorted({*synthesis.findings} - findings):
            yield f"the synthesis of {synthesis.subtask_id} rests on {unknown}"
    for text in _texts(report.markdown):
        if unknown := [id for id in _MARK.findall(text.content) if id not in sources]:
            yield f"the report cites {unknown}"


def _markup(report: Report) -> Iterator[str]:
    """No link but to a source, nothing that loads or runs, no address that a page would turn into a link."""
    targets = {_target(source.uri) for source in report.sources}
    for token in _tokens(report.markdown):
        match token.type:
            case "link_open" if token.attrs["href"] not in targets:
                yield f"a link to {token.attrs['href']}"
            case "image":
                yield f"an image from {token.attrs['src']}"
            case "html_inline" | "html_block" if token.content.strip() != REPORT_MARK:
                yield f"HTML: {token.content.strip()}"
    for text in _texts(report.markdown):
        if _BARE_ADDRESS.search(text.content):
            yield f"a bare address: {text.content}"
        if any(char in text.content for char in "\x1b\u202e\u2066"):
            yield f"characters that steer: {text.content!r}"


def _unmarked(report: Report) -> Iterator[str]:
    """What is not supported says so, and by no rule is supported what holds a number that its evidence lacks.

    Of counts a number may be worked out: a sum, a share, a difference, a ratio of what is cited.
    """
    marks = phrases(report.language).weak_mark
    quotes, facts = {entry.id: entry.quote for entry in report.evidence}, _facts(report)
    counts = {source.id: source for source in report.sources if source.kind == "dataset" and source.records is not None}
    for claim in report.claims:
        if claim.verified != (claim.status in VERIFIED):
            yield f"{claim.id} is {claim.status}, and verified: {claim.verified}"
        held = " ".join(quotes.get(id, "") for id in claim.evidence)
        held += " ".join(
            f" {each.title} {each.published} {each.uri}" for each in report.sources if each.id in claim.citations
        )
        held += " " + re.sub(r"[*_`]", "", held)  # as a reader sees it
        if cited := [counts[id] for id in claim.citations if id in counts]:
            held = " ".join([held, *_worked_out(held, cited, report)])
            held += " ".join(f" {each.title} {each.query}" for each in cited)
        is_fact = claim.text in facts
        if (
            claim.verified
            and claim.judged_by == "rule"
            and not is_fact
            and (missing := _numbers(claim.text) - _numbers(held))
        ):
            yield f"{claim.id} is called supported, and its evidence lacks {sorted(missing)}: {claim.text}"
        if not claim.verified and not _is_marked(claim, report.markdown, marks[claim.status]):
            yield f"{claim.id} is {claim.status} and stands unmarked: {claim.text}"


def _facts(report: Report) -> set[str]:
    """What the run itself has worked out from counts, in its words."""
    data = {source.id for source in report.sources if source.kind == "dataset"}
    rows = {each.id for each in report.evidence if each.source_id in data and not each.locator.startswith("record ")}
    return {finding.claim for finding in report.findings if rows.issuperset(finding.evidence)}


def _worked_out(held: str, cited: Iterable[SourceEntry], report: Report) -> Iterator[str]:
    """What follows from two numbers of the evidence, or from all of them, in every way of rounding."""
    wholes = [each.records or 0 for each in cited]
    wholes += [number for each in report.coverage.datasets for number in (each.matched, each.total) if number]
    ids = {each.id for each in cited}
    wholes += [len(figure.rows) + figure.more_groups for figure in report.figures if figure.source_id in ids]
    known = {float(digits) for digits in re.findall(r"\d+(?:\.\d+)?", held)} | {*map(float, wholes)}
    rows = [float(digits) for digits in re.findall(r"\| (\d+(?:\.\d+)?)", held)]
    tables = [figure.values for figure in report.figures if figure.source_id in ids and figure.values]
    known |= {middle for table in tables for middle in (statistics.median(table), statistics.fmean(table))}
    base = known | {sum(rows[:count]) for count in range(len(rows) + 1)} | {float(len(rows))}
    pairs = [(one, other) for one in base for other in base]
    found = {*base, *(one + other for one, other in pairs), *(abs(one - other) for one, other in pairs)}
    for one, other in pairs:
        if other:
            found |= {one / other, 100 * one / other, 100 * abs(one - other) / other}
    yield from (f"{value:.{digits}f}" for value in found for digits in range(3))


def _uncited(report: Report) -> Iterator[str]:
    """What stands in the report without a citation holds no number that was neither asked for nor read."""
    asked = [report.query, *(entry.description for entry in report.subtasks)]
    read = [text for entry in report.evidence for text in (entry.quote, entry.locator)]
    counted = [str(number) for each in report.coverage.datasets for number in (each.matched, each.total) if number]
    counted += _facts(report)
    held = _numbers(" ".join([*asked, *read, *counted, *(source.title for source in report.sources)]))
    texts = [caveat for synthesis in report.syntheses for caveat in synthesis.caveats]
    for text in [report.title, *_headings(report.sections), *texts]:
        if missing := _numbers(text) - held:
            yield f"{sorted(missing)} stands in the report and in no source: {text}"


def _origins(report: Report) -> Iterator[str]:
    """A copy names what it is a copy of, and no sentence claims more independent origins than there are."""
    sources = {source.id: source for source in report.sources}
    order = list(sources)
    for source in report.sources:
        origin = source.origin or source.id
        if origin not in sources or order.index(origin) > order.index(source.id):
            yield f"{source.id} is called a copy of {origin}"
        elif (sources[origin].origin or origin) != origin:
            yield f"{source.id} is called a copy of {origin}, which is a copy itself"
        if source.kind != "web" and (source.site or source.nature):
            yield f"{source.id} is no page, and has a site or somebody who speaks there"
    most = _independent(report.sources)
    for claim in report.claims:
        least = _independent([sources[id] for id in claim.citations if id in sources])
        if not least <= claim.origins <= most or (claim.origins > 0) != bool(claim.evidence):
            yield f"{claim.id} is said to have {claim.origins} origins; it cites {least}, and there are {most}"


def _independent(sources: Iterable[SourceEntry]) -> int:
    """The most of the sources of which no two share their site or their text."""
    texts: dict[str, set[str]] = {}
    for each in sources:
        site = {"web": each.site, "dataset": each.uri, "file": ""}[each.kind]
        texts.setdefault(site or each.id, set()).add(each.origin or each.id)
    holder: dict[str, str] = {}
    for site in texts:
        came_by: dict[str, str] = {}
        reached = [(text, site) for text in texts[site]]
        while reached:
            text, giver = reached.pop()
            if text in came_by:
                continue
            came_by[text] = giver
            if text in holder:
                reached += [(other, holder[text]) for other in texts[holder[text]]]
                continue
            while giver != site:  # each hands on the text that it held
                held = next(each for each, owner in holder.items() if owner == giver)
                holder[text], text, giver = giver, held, came_by[held]
            holder[text] = site
            break
    return len(holder)


def _disagreements(report: Report) -> Iterator[str]:
    """Both sides of a disagreement are told, as two findings say it, with the source that says so and its date."""
    sources, findings = {source.id: source for source in report.sources}, {each.id: each for each in report.findings}
    quotes = {entry.id: entry for entry in report.evidence}
    claims = {claim.id for claim in report.claims}
    for contradiction in report.contradictions:
        if unknown := sorted({*contradiction.claims} - claims):
            yield f"a disagreement names claims that the report has not: {unknown}"
        if contradiction.claims:
            continue
        sides = contradiction.sides
        if tuple(side.finding for side in sides) != contradiction.findings or not set(contradiction.findings) <= set(
            findings
        ):
            yield f"sides of {[side.finding for side in sides]} in a disagreement of {contradiction.findings}"
            continue
        for side in sides:
            source, finding = sources.get(side.source_id), findings[side.finding]
            if source is None or (side.kind, side.date) != (source.kind, source.published):
                yield f"a disagreement names {side.source_id} of {side.date}, a {side.kind}"
            elif side.source_id not in {quotes[id].source_id for id in finding.evidence}:
                yield f"{side.finding} does not rest on {side.source_id}"
            is_told = finding.claim in side.claim or side.claim in finding.claim  # of a passage, a sentence
            if not is_told or inert(side.claim) not in report.markdown:
                yield f"a side of a disagreement is not told as it was found: {side.claim}"
            if f"[{side.source_id}]" not in contradiction.description:
                yield f"a disagreement does not name {side.source_id}: {contradiction.description}"


def _worlds(report: Report) -> Iterator[str]:
    """The user's documents, the data and the web stand apart, and each page with its site and its dates."""
    words, lines = phrases(report.language), report.markdown.splitlines()
    listed = {source.id: line for source in report.sources for line in lines if line.startswith(f"- [{source.id}] ")}
    kinds = {source.kind for source in report.sources if source.id in listed}
    headings = {"file": words.your_documents, "dataset": words.your_data, "web": words.the_web}
    for kind, heading in headings.items():
        if (f"### {heading}" in lines) != (len(kinds) > 1 and kind in kinds):
            yield f"sources of {len(kinds)} kinds, and the heading {heading!r} does not fit"
    if unlisted := sorted(set(report.cited) - listed.keys()):
        yield f"{unlisted} are cited and not in the list of sources"
    for source in report.sources:
        line = listed.get(source.id)
        if line and source.kind == "web":
            told = (inert(source.site, in_link=True), source.published, source.retrieved_at[:10])
            if missing := [each for each in told if each not in line.rpartition(">)")[2]]:
                yield f"{source.id} stands without {missing}: {line}"


def _headings(sections: Iterable[ReportSection]) -> Iterator[str]:
    for section in sections:
        yield section.heading
        yield from _headings(section.sections)


def _is_marked(claim: Claim, markdown: str, mark: str) -> bool:
    """Whether the mark follows where the sentence is, behind its citations, which a table may have elsewhere; it may be
    nowhere."""
    shown, cited = inert(claim.text), "".join(f" [{id}]" for id in claim.citations)
    marked = rf"{re.escape(shown)}(?:{re.escape(cited)})?{CONCLUSION}? {re.escape(mark)}"
    return bool(re.search(marked, markdown)) or shown not in markdown


def _numbers(text: str) -> set[str]:
    return {digits.lstrip("0") for digits in re.findall(r"\d+", re.sub(r"(?<=\d),(?=\d{3})", "", text))}


def _target(uri: str) -> str:
    """The address as the renderer writes it."""
    (link,) = [token for token in _tokens(f"[x](<{uri}>)") if token.type == "link_open"]
    return str(link.attrs["href"])


def _tokens(markdown: str) -> Iterator[Token]:
    for token in _RENDERER.parse(markdown):
        yield token
        yield from token.children or ()


def _texts(markdown: str) -> Iterator[Token]:
    """What a reader sees as running text: code is left out."""
    return (token for token in _tokens(markdown) if token.type == "text")


async def snapshots_of(store: Any, report: Report) -> dict[str, str]:
    """The texts that the run has kept, by digest."""
    return {source.sha256: await store.snapshot(source.sha256) for source in report.sources}
