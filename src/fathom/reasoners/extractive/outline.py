"""The outline: which findings are told within the length of the report, and where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from fathom.asks import OutlineReport
from fathom.findings import ANSWERED, Finding, root_of
from fathom.plan import Subtask
from fathom.reasoners.extractive.facets import is_lead
from fathom.reasoners.extractive.leads import Trail, page_of
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.standing import weaker
from fathom.reasoners.extractive.wanted import holds, wanted_of
from fathom.report import Outline, OutlineSection, SectionRole
from fathom.text.analysis import query_terms, terms
from fathom.text.characters import count_cjk
from fathom.text.common import unsaid
from fathom.text.dates import of_the_common_era
from fathom.text.display import word_count
from fathom.text.phrases import phrases
from fathom.text.versions import replaced_documents

MARKS = 12
"""Marks of headings and lines of the frame, which some count as words."""
TITLE_LETTERS = 80
"""Longest topic that is taken for a title, in characters."""
TITLE_WORDS, HEADING_WORDS = 28, 16
"""Longest question that is taken for a title, and longest one that is told as a heading."""
WEAKER = 0.5
"""What is left of the relevance of a value of the web that better pages contradict."""
SIMPLE, THOROUGH = 300, 600
"""Words of the answer to a question of one part, and of the longest answer."""
NEARLY = 0.6
"""Share of another passage's score from which one of a newer version goes before it."""
NEAR = 0.75
"""Share of the score of the best of its part that a passage of another document must have, and any if none answers."""
LEAD, TOPIC = 130, 200
"""Words of what a lead has brought, and of what a topic has that several documents bring up."""
MENTIONED, MENTIONED_IN_PAIRS = 0.33, 0.5
"""Share of the words of its name, or of the pairs of characters, that a document on it must hold."""
CLOSEST = 3
"""Passages of a part that nothing answers."""


def outline_report(ask: OutlineReport) -> Outline:
    """The best of each part first, then what else bears on it.

    What data say is chosen and laid out by rules of its own; what is written stands behind it.
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
    """The best passage of each part first, then what else bears on it, as far as there is room.

    A part that nothing answers stands behind them, with what comes closest; alone it stands where the answer would.
    """
    roots = [subtask for subtask in ask.subtasks if subtask.parent_id is None]
    question = read_question(ask.query, language=ask.language)
    most = min(ask.max_words, SIMPLE if question.is_simple and len(roots) == 1 else THOROUGH)
    documents = {document.sha256: document for document in ask.documents}
    weak = weaker(ask.findings, documents)
    older = replaced_documents(documents)
    asked = of_the_common_era(ask.query)
    followed = {each.subtask_id: each for each in ask.subtasks if is_lead(each, ask.query)}
    by_part = _by_part(ask.findings, followed, weak)
    own = {root.subtask_id: _latest_first(by_part[root.subtask_id], older, asked=asked) for root in roots}
    leads = {root.subtask_id: _leads(by_part, root, followed.values(), ask) for root in roots}
    answered = {id for id, found in own.items() if any(each.confidence >= ANSWERED for each in found)}
    bearing: dict[str, list[Finding]] = {}
    pages: set[str] = set()
    for root in sorted(roots, key=lambda root: root.subtask_id in followed):  # topics tell what nothing else does
        id = root.subtask_id
        found = _bearing(own[id], root, ask, sure=id in answered)
        bearing[id] = [*found[:1], *leads[id], *(each for each in found[1:] if each not in leads[id])]
        if id in followed:
            bearing[id] = _of_a_lead(own[id], root, ask, pages, max_words=TOPIC) or bearing[id]
        else:
            pages.update(map(page_of, bearing[id]))
    led = len({each.subtask_id for found in leads.values() for each in found})
    most = max(most, min(ask.max_words, THOROUGH, most + LEAD * led))
    turns = sorted(
        (bearing[root.subtask_id] for root in roots), key=lambda found: not found or found[0].root not in answered
    )
    told = in_turns(turns, max_words=most)
    if len(roots) == 1:
        first = told[: 1 + len(leads[roots[0].subtask_id])] if answered else told
        return Outline(title=title_of(ask), summary=_ids(first), sections=_further(ask, {"": told[len(first) :]}))
    chosen = {root: [finding for finding in told if finding.root == root.subtask_id] for root in roots}
    sure = {root: findings for root, findings in chosen.items() if findings and root.subtask_id in answered}
    whole, again = followed.keys(), _again(told)
    leading = {root.subtask_id: None if root.subtask_id in whole else 1 for root in sure}
    leading |= {root.subtask_id: 2 for root, findings in sure.items() if findings[0].id in again}
    firsts = [
        _part(root, findings[: leading[root.subtask_id]], again, role="summary") for root, findings in sure.items()
    ]
    closest = [_part(root, findings, again) for root, findings in chosen.items() if findings and root not in sure]
    rest = {
        root.focus_area or root.description: findings[leading[root.subtask_id] :]
        for root, findings in sure.items()
        if root.subtask_id not in whole
    }
    return Outline(title=title_of(ask), sections=(*firsts, *closest, *_further(ask, rest)))


def _bearing(found: Sequence[Finding], root: Subtask, ask: OutlineReport, *, sure: bool) -> list[Finding]:
    """What bears on a part: where it is answered what is worth nearly as much as the best, else what comes closest; and
    behind the first what that leads to."""
    if not found:
        return []
    told = _closest(found, root, ask)
    if sure:
        least, first = NEAR * found[0].relevance, page_of(found[0])
        told = [each for each in found if each.relevance >= least or page_of(each) == first]
    titles = {document.sha256: document.title for document in ask.documents}
    chain = Trail(root.description, titles=titles, language=ask.language).followed(told, found)
    return chain + [each for each in told if each not in chain]


def _leads(
    found: Mapping[str, Sequence[Finding]], root: Subtask, followed: Iterable[Subtask], ask: OutlineReport
) -> list[Finding]:
    """What the leads of a part have brought (see `_of_a_lead`)."""
    told = {page_of(each) for each in found[root.subtask_id][:1]}
    chosen: list[Finding] = []
    for lead in followed:
        if lead.parent_id is not None and root_of(lead.subtask_id) == root.subtask_id:
            chosen += _of_a_lead(found[lead.subtask_id], lead, ask, told, max_words=LEAD)
    return chosen


def _of_a_lead(
    found: Sequence[Finding], lead: Subtask, ask: OutlineReport, told: set[str], *, max_words: int
) -> list[Finding]:
    """Of the documents that hold the words of a lead, and were not `told`, the one that is called so, or has what is
    asked for beside it: as much of it as there may be, in place."""
    titles = {document.sha256: document.title for document in ask.documents}
    texts: dict[str, str] = {}
    for each in found:
        texts[page_of(each)] = f"{texts.get(page_of(each), titles[page_of(each)])}\n{_read(each)}"
    name, wanted = set(query_terms(lead.focus_area)), wanted_of(ask.query)
    least = len(name) * (MENTIONED_IN_PAIRS if count_cjk(lead.focus_area) else MENTIONED)
    pages = {page for page, text in texts.items() if len(name & set(terms(text))) >= least} - told
    own = [each for each in found if page_of(each) in pages]

    def worth(each: Finding) -> tuple[bool, bool, float]:
        is_called = len(name & set(terms(titles[page_of(each)]))) >= least
        return any(holds(kind, each.claim) for kind in wanted), is_called, each.relevance

    best = sorted(own, key=worth, reverse=True)
    if best:
        told.add(page_of(best[0]))
    return _in_place(in_turns([[each for each in best if page_of(each) == page_of(best[0])]], max_words=max_words))


def _closest(found: Sequence[Finding], root: Subtask, ask: OutlineReport) -> list[Finding]:
    """What comes closest where nothing answers: the best, what comes nearly as close, and what mentions a telling word
    of the part that none of these does."""
    told = [each for each in found[:CLOSEST] if each.relevance >= NEAR * found[0].relevance]
    for each in found:
        lost = unsaid(root.description, map(_read, told), language=ask.language)
        if len(unsaid(" ".join(lost), [_read(each)], language=ask.language)) < len(lost):
            told.append(each)
    return told


def _read(finding: Finding) -> str:
    return " \n".join((finding.claim, *(span.locator for span in finding.spans)))


def _part(
    root: Subtask, findings: Sequence[Finding], again: Collection[str], *, role: SectionRole = "section"
) -> OutlineSection:
    ids = _ids(findings)
    return OutlineSection(
        heading=root.focus_area or root.description,
        subtask_id=root.subtask_id,
        findings=ids,
        role=role,
        again=tuple(id for id in ids if id in again),
    )


def _further(ask: OutlineReport, rest: Mapping[str, Sequence[Finding]]) -> tuple[OutlineSection, ...]:
    """What else bears on the parts, each under its heading where there are several."""
    left = {heading: _in_place(findings) for heading, findings in rest.items() if findings}
    if not left:
        return ()
    whole = OutlineSection(heading=phrases(ask.language).further)
    if len(rest) == 1:
        return (whole.model_copy(update={"findings": _ids(next(iter(left.values())))}),)
    parts = (OutlineSection(heading=heading, findings=_ids(findings)) for heading, findings in left.items())
    return (whole.model_copy(update={"sections": tuple(parts)}),)


def _in_place(findings: Sequence[Finding]) -> list[Finding]:
    """Findings, best first, those of one document together and as they stand there."""
    order = list(dict.fromkeys(page_of(each) for each in findings))
    return sorted(findings, key=lambda each: (order.index(page_of(each)), _start(each)[1]))


def in_turns(parts: Iterable[Sequence[Finding]], *, max_words: int) -> list[Finding]:
    """Of each part its findings, best first, one part after the other until there is no room, each place once; one at
    least of each, and before it the best, told already, where a sentence of that stands out (see `_again`)."""
    told: list[Finding] = []
    places: set[tuple[str, int]] = set()
    words, turn = 0, 0
    left = [found for found in parts if found]
    while left:
        going_on = []
        for found in left:
            new = next((each for each in found if _start(each) not in places), None)
            if turn == 0 and new is not found[0] and found[0].telling:
                told.append(found[0])
                words += word_count(found[0].telling)
            if new is None:
                continue
            length = word_count(new.claim) + (word_count(new.lead_in.quote) if new.lead_in else 0)
            if turn == 0 or words + length <= max_words:
                told.append(new)
                places.add(_start(new))
                words += length
                going_on.append(found)
        left, turn = going_on, turn + 1
    return told


def _again(told: Iterable[Finding]) -> tuple[str, ...]:
    """Ids of those whose place another one before them has told: the same passage answers two parts."""
    first: dict[tuple[str, int], str] = {}
    return tuple(each.id for each in told if first.setdefault(_start(each), each.id) != each.id)


def _by_part(
    findings: Iterable[Finding], followed: Collection[str], weak: Collection[str]
) -> defaultdict[str, list[Finding]]:
    """The findings of each root subtask, its children's included, and of each lead by themselves, best first; of `weak`
    ones better pages say the contrary."""
    found: defaultdict[str, list[Finding]] = defaultdict(list)
    for each in sorted(findings, key=lambda each: -each.relevance * (WEAKER if each.id in weak else 1.0)):
        found[each.subtask_id if each.subtask_id in followed else each.root].append(each)
    return found


def _latest_first(found: Sequence[Finding], older: Mapping[str, Mapping[str, str]], *, asked: str) -> list[Finding]:
    """Findings, best first, each of an older version behind those of a newer one that match as well or nearly so,
    unless the older one is asked for by its year."""
    placed: list[Finding] = []
    for each in found:
        at = len(placed)
        for place, other in reversed(list(enumerate(placed))):
            day = older.get(page_of(other), {}).get(page_of(each))
            if day and day[:4] not in asked and each.relevance >= NEARLY * other.relevance:
                at = place
        placed.insert(at, each)
    return placed


def _start(finding: Finding) -> tuple[str, int]:
    return finding.evidence[0].document, finding.evidence[0].start


def frame_words(ask: OutlineReport) -> int:
    """Words of what the report says besides the findings: title, fixed headings, limitations, footer."""
    fixed = phrases(ask.language)
    lines = (fixed.summary, fixed.sources, fixed.limitations, fixed.single_source, fixed.footer, fixed.coverage)
    return sum(map(word_count, (title_of(ask), *lines))) + MARKS


def _ids(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(finding.id for finding in findings)


def title_of(ask: OutlineReport) -> str:
    """The topic of the question; of one with several parts or sentences, the question itself, cut between its parts."""
    question = read_question(ask.query, language=ask.language)
    clause = question.clauses[0]
    if clause.topic and len(clause.topic) < TITLE_LETTERS:
        title = clause.topic
    elif len(question.clauses) == 1 and not question.background and word_count(question.text) <= HEADING_WORDS:
        title = clause.heading
    else:
        title = " ".join(ask.query.split())
        if word_count(title) > TITLE_WORDS:
            asked = title[max(title.find(clause.text), 0) :]  # without what sets the scene before it
            title = asked if word_count(asked) <= TITLE_WORDS else f"{clause.heading} …"
    title = title.strip(" 、。,.") or question.text[:TITLE_LETTERS]
    return title[:1].upper() + title[1:]
