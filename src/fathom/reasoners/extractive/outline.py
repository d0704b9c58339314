"""The outline: which findings are told within the length of the report, and where."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from fathom.asks import OutlineReport
from fathom.evidence import Document
from fathom.findings import ANSWERED, Finding
from fathom.plan import Subtask
from fathom.reasoners.extractive.holdings import clean_heading
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.selection import Option, choose
from fathom.reasoners.extractive.standing import weaker
from fathom.reasoners.extractive.summary import lead_key, place_of, summary_of
from fathom.report import Outline, OutlineSection
from fathom.text.analysis import query_terms, terms
from fathom.text.display import display, word_count
from fathom.text.phrases import phrases
from fathom.text.versions import replaced

MARKS = 12
"""Marks of headings and lines of the frame, which some count as words."""
FINDINGS_WITH_HEADINGS = 6
"""Findings from which a section is divided by headings."""
SOURCE_MARKS = 3
"""Words of an entry in the list of sources besides the title."""
PAGE_WORDS = 7
"""Words of the entry of a web page besides: site, who speaks, dates."""
FLOOR = 0.02
"""Share of the best relevance that anything told must have: a short answer is not filled up."""
TITLE_LETTERS = 80
"""Longest topic that is taken for a title, in characters."""
TITLE_WORDS = 28
"""Longest question that is taken for a title."""
LONE_SHARE = 0.6
"""Share of the relevance of the section's best that a finding must have to stand alone before the sub-sections."""
WEAKER = 0.5
"""What is left of the score of a value of the web that better pages contradict."""


def outline_report(ask: OutlineReport) -> Outline:
    """Choose by score and length, tell the best of each subtask first, and group the rest by page and heading.

    What data say is chosen and laid out by rules of its own; what is written stands behind it. Passages are told whole
    and few, sentences as many as there is room for.
    """
    kinds = {document.sha256: document.kind for document in ask.documents}
    of_data = [finding for finding in ask.findings if kinds[finding.evidence[0].document] == "dataset"]
    if not of_data:
        return _of_texts(ask)
    from fathom.reasoners.extractive.data.outlining import SHARE, data_part, joined

    of_texts = ask.model_copy(update={"findings": tuple(finding for finding in ask.findings if finding not in of_data)})
    room = ask.max_words - frame_words(ask)
    data = data_part(ask, of_data, max_words=round(room * SHARE) if of_texts.findings else room)
    return joined(ask, data, _of_texts(of_texts.model_copy(update={"max_words": max(50, ask.max_words - data.words)})))


def _of_texts(ask: OutlineReport) -> Outline:
    """The outline of what documents and pages say."""
    roots = [subtask for subtask in ask.subtasks if subtask.parent_id is None]
    if ask.findings and all(finding.is_passage for finding in ask.findings):
        return _of_passages(ask, roots)
    if max((finding.confidence for finding in ask.findings), default=0.0) < ANSWERED:
        return Outline(title=title_of(ask))
    documents = {document.sha256: document for document in ask.documents}
    findings = {finding.id: finding for finding in ask.findings}
    weak = weaker(ask.findings, documents)
    found = options(ask.findings, documents, weak=weak, own_terms=_own_terms(roots))
    told = choose(found, max_words=ask.max_words, frame_words=frame_words(ask))
    chosen = [findings[option.key] for option in told.options]
    homes = _homes(chosen)
    strong = [finding for finding in chosen if finding.id not in weak] or chosen
    summary = summary_of(strong, homes, roots, documents)
    sections = []
    for subtask in roots:
        own = [f for f in chosen if homes[f.id] == subtask.subtask_id and f.id not in summary]
        if own:
            sections.append(_section(subtask, own, documents, language=ask.language))
    return Outline(title=title_of(ask), summary=summary, sections=tuple(sections))


SIMPLE, THOROUGH = 300, 600
"""Words of the answer to a question of one part, and of the longest answer."""
NEARLY = 0.6
"""Share of another passage's score from which one of a newer version goes before it."""
NEAR = 0.5
"""Share of the score of the best of its part that a passage must have."""


def _of_passages(ask: OutlineReport, roots: Sequence[Subtask]) -> Outline:
    """The best passage of each part first, then what else bears on it, as far as there is room.

    A part that nothing answers is told behind them, with what comes closest; alone it stands where the answer would.
    """
    question = read_question(ask.query, language=ask.language)
    most = min(ask.max_words, THOROUGH if len(roots) > 1 or question.thorough else SIMPLE)
    older = replaced({each.sha256: each.title for each in ask.documents})
    own = {root.subtask_id: _latest_first(_best_first(ask.findings, root), older, asked=ask.query) for root in roots}
    if len(question.clauses) == 1:  # its parts are headings of the documents, and no reader's order
        own = dict(sorted(own.items(), key=lambda each: -max((finding.relevance for finding in each[1]), default=0.0)))
    answered = {id for id, found in own.items() if any(each.confidence >= ANSWERED for each in found)}
    chosen: dict[str, list[Finding]] = {id: [] for id in own}
    told: set[tuple[str, int]] = set()
    words = 0
    for _ in ask.findings:
        for id, found in own.items():
            new = next((each for each in found if _start(each) not in told), None)
            if new is None or new.relevance < NEAR * found[0].relevance:
                continue
            length = word_count(new.claim) + (word_count(new.lead_in.quote) if new.lead_in else 0)
            if chosen[id] and words + length > most:
                continue
            told.add(_start(new))
            chosen[id].append(new)
            words += length
    if len(roots) == 1 and not answered:
        return Outline(title=title_of(ask), summary=_ids(chosen[roots[0].subtask_id]))
    rest = {id: findings[id in answered :] for id, findings in chosen.items()}
    sections = tuple(
        OutlineSection(
            heading=phrases(ask.language).further if len(roots) == 1 else root.focus_area or root.description,
            subtask_id=root.subtask_id,
            findings=_ids(rest[root.subtask_id]),
        )
        for root in sorted(roots, key=lambda root: (root.subtask_id not in answered, list(own).index(root.subtask_id)))
        if rest[root.subtask_id]
    )
    first = [findings[0] for id, findings in chosen.items() if id in answered and findings]
    return Outline(title=title_of(ask), summary=_ids(first), sections=sections)


def _best_first(findings: Sequence[Finding], root: Subtask) -> list[Finding]:
    return sorted((each for each in findings if each.root == root.subtask_id), key=lambda each: -each.relevance)


def _latest_first(found: Sequence[Finding], older: Mapping[str, Mapping[str, str]], *, asked: str) -> list[Finding]:
    """Findings, best first, each of an older version behind those of a newer one that match as well or nearly so,
    unless the older one is asked for by its year."""
    placed: list[Finding] = []
    for each in found:
        at = len(placed)
        for place, other in enumerate(placed):
            newer = older.get(other.evidence[0].document, {})
            day = newer.get(each.evidence[0].document)
            if day and day[:4] not in asked and each.relevance >= NEARLY * other.relevance:
                at = place
                break
        placed.insert(at, each)
    return placed


def _start(finding: Finding) -> tuple[str, int]:
    return finding.evidence[0].document, finding.evidence[0].start


def frame_words(ask: OutlineReport) -> int:
    """Words of what the report says besides the findings: title, fixed headings, limitations, footer."""
    fixed = phrases(ask.language)
    lines = (
        title_of(ask),
        fixed.summary,
        fixed.sources,
        fixed.limitations,
        fixed.single_source,
        fixed.footer,
        fixed.coverage,
    )
    return sum(map(word_count, lines)) + MARKS


def _own_terms(roots: Sequence[Subtask]) -> dict[str, frozenset[str]]:
    """The terms of each part that no other part of the question has."""
    asked = {root.subtask_id: frozenset(query_terms(root.description)) for root in roots}
    return {
        id: own.difference(*(other for other_id, other in asked.items() if other_id != id)) for id, own in asked.items()
    }


def options(
    findings: Sequence[Finding],
    documents: Mapping[str, Document],
    *,
    weak: Collection[str] = (),
    own_terms: Mapping[str, frozenset[str]] | None = None,
) -> list[Option]:
    """Every span once, for the subtask that it answers best.

    What a page says goes first to the subtask whose own terms it has: pages about a thing answer every part about it.
    `weak` are findings that better pages contradict.
    """
    best: dict[tuple[str, int, int], Finding] = {}

    def fit(finding: Finding) -> tuple[int, float]:
        own = (own_terms or {}).get(finding.root, frozenset())
        is_page = documents[finding.evidence[0].document].kind == "web"
        return len(own.intersection(terms(finding.claim))) if is_page else 0, finding.relevance

    for finding in findings:
        key = (finding.evidence[0].document, *place_of(finding))
        if key not in best or fit(finding) > fit(best[key]):
            best[key] = finding
    made = []
    least = FLOOR * max((finding.relevance for finding in best.values()), default=0.0)
    for finding in best.values():
        if finding.relevance < least:
            continue
        lead, document = finding.lead_in, documents[finding.evidence[0].document]
        made.append(
            Option(
                key=finding.id,
                score=finding.relevance * (WEAKER if finding.id in weak else 1.0),
                subtask=finding.root,
                terms=frozenset(terms(finding.claim)),
                words=word_count(finding.claim),
                document=document.sha256,
                span=place_of(finding),
                lead=(lead.start, lead.end) if lead else None,
                lead_words=word_count(display(lead.quote, document.markup)) if lead else 0,
                section=finding.evidence[0].locator,
                source_words=word_count(document.title) + SOURCE_MARKS + (PAGE_WORDS if document.kind == "web" else 0),
            )
        )
    return made


def _homes(chosen: Sequence[Finding]) -> dict[str, str]:
    """The root subtask that tells each finding: what shares a lead-in, or is one, is told together."""
    best: dict[tuple[str, int, int], Finding] = {}
    for finding in chosen:
        key = lead_key(finding)
        if key not in best or finding.relevance > best[key].relevance:
            best[key] = finding
    return {finding.id: best[lead_key(finding)].root for finding in chosen}


def _section(
    subtask: Subtask, own: Sequence[Finding], documents: Mapping[str, Document], *, language: str
) -> OutlineSection:
    """Pages in the order of their first choice, each by its headings in document order.

    A heading with a single finding is left out: the finding stands at the beginning of the section if it is strong
    enough to be read first, else at its end.
    """
    pages: dict[str, list[Finding]] = {}
    for finding in own:
        pages.setdefault(finding.evidence[0].document, []).append(finding)
    groups: dict[tuple[str, str], list[Finding]] = {}
    for group in pages.values():
        for finding in sorted(group, key=place_of):
            groups.setdefault((finding.evidence[0].document, finding.evidence[0].locator), []).append(finding)
    heading, id = subtask.focus_area or subtask.description, subtask.subtask_id
    large = {key: group for key, group in groups.items() if len(group) > 1 and len(own) >= FINDINGS_WITH_HEADINGS}
    if len(groups) == 1 or not large:
        return OutlineSection(
            heading=heading, subtask_id=id, findings=_ids([f for group in groups.values() for f in group])
        )
    strong = LONE_SHARE * max(finding.relevance for finding in own)
    lone = [group[0] for key, group in groups.items() if key not in large]
    first = sorted((finding for finding in lone if finding.relevance >= strong), key=lambda each: -each.relevance)
    last = [finding for finding in lone if finding.relevance < strong]
    parts = [(_name(key, documents), group) for key, group in large.items()]
    parts += [(phrases(language).further, last)] if last else []
    return OutlineSection(
        heading=heading,
        subtask_id=id,
        findings=_ids(first),
        sections=tuple(OutlineSection(heading=name, subtask_id=id, findings=_ids(group)) for name, group in parts),
    )


def _name(group: tuple[str, str], documents: Mapping[str, Document]) -> str:
    """The last heading above the findings, else the title of their page."""
    document, locator = group
    return clean_heading(locator.split(" › ")[-1]) or clean_heading(documents[document].title)


def _ids(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(finding.id for finding in findings)


def title_of(ask: OutlineReport) -> str:
    """The topic of the question; of one with several parts or sentences, the question itself, cut between its parts."""
    question = read_question(ask.query, language=ask.language)
    clause = question.clauses[0]
    if clause.topic and len(clause.topic) < TITLE_LETTERS:
        title = clause.topic
    elif len(question.clauses) == 1 and not question.background:
        title = clause.heading
    else:
        title = " ".join(ask.query.split())
        if word_count(title) > TITLE_WORDS:
            title = f"{clause.heading} …"
    title = title.strip(" 、。,.") or question.text[:TITLE_LETTERS]
    return title[:1].upper() + title[1:]
