"""The outline: which findings are told within the length of the report, and where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from fathom.asks import OutlineReport
from fathom.findings import Finding
from fathom.languages import readers
from fathom.languages.kanji import of_the_common_era
from fathom.plan import Subtask
from fathom.reasoners.extractive.leads import LeadTrail, page_of, place_of
from fathom.reasoners.extractive.order import WHOLE
from fathom.reasoners.extractive.question import read_question
from fathom.report import Outline, OutlineSection
from fathom.text.common import unsaid
from fathom.text.display import word_count
from fathom.text.phrases import phrases
from fathom.text.versions import replaced_documents
from fathom.verification.standing import weaker

MARKS = 12
"""Marks of headings and lines of the frame, which some count as words."""
TITLE_LETTERS = 80
"""Longest topic that is taken for a title, in characters."""
TITLE_WORDS, HEADING_WORDS = 28, 16
"""Longest question that is taken for a title, and longest one that is told as a heading."""
WEAKER = 0.5
"""What is left of the relevance of a value of the web that better pages contradict."""
WORTH = 0.6
"""Share of the relevance of the best from which something is shown: a small folder gets no padding."""
LONGEST = 600
"""Words of what is shown, at most."""
NEARLY = 0.35
"""Share of another passage's score from which one of a newer version goes before it."""


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
    """The nearest passage of each part first, then what else is near, as far as there is room.

    Parts that one passage answers share a heading.
    """
    roots = [each for each in ask.subtasks if each.parent_id is None]
    documents = {document.sha256: document for document in ask.documents}
    found = _by_part(ask.findings, weaker(ask.findings, documents))
    older, asked = replaced_documents(documents), of_the_common_era(ask.query)
    near = [_by_leads(_latest_first(found[root.subtask_id], older, asked=asked), root, ask) for root in roots]
    firsts, further = divided(near, max_words=min(ask.max_words, LONGEST))
    if len(roots) == 1:
        return Outline(title=title_of(ask), summary=_ids(firsts[0]), sections=_further(ask, {"": further[0]}))
    answers, places = list[OutlineSection](), dict[tuple[str, int], int]()
    for root, own in zip(roots, firsts, strict=True):
        if not own:
            continue
        if (at := places.get(place_of(own[0]))) is not None:
            answers[at] = _with_part(answers[at], root, own[0])
        else:
            places |= dict.fromkeys(map(place_of, own), len(answers))
            answers.append(_part(root, own))
    rest = {_heading(root): own for root, own in zip(roots, further, strict=True)}
    return Outline(title=title_of(ask), sections=(*answers, *_further(ask, rest)))


def _by_leads(found: Sequence[Finding], root: Subtask, ask: OutlineReport) -> list[Finding]:
    """Findings that are worth showing, best first, and behind the first what that leads to."""
    if not found:
        return []
    titles = {document.sha256: document.title for document in ask.documents}
    chain = LeadTrail(root.description, found, titles=titles, language=ask.language).followed()
    least = WORTH * max(each.relevance for each in found)
    shown = chain + [each for each in found if each not in chain and each.relevance >= least]
    for each in found:  # what has a word of the part that says much, and that none of these has
        lost = unsaid(root.asked, map(_read, shown), language=ask.language)
        if lost and len(unsaid(" ".join(lost), [_read(each)], language=ask.language)) < len(lost):
            shown.append(each)
    return shown


def _read(finding: Finding) -> str:
    return " \n".join((finding.claim, *(span.locator for span in finding.spans)))


def _heading(root: Subtask) -> str:
    return root.focus_area or root.description


def _part(root: Subtask, findings: Sequence[Finding]) -> OutlineSection:
    return OutlineSection(heading=_heading(root), subtask_id=root.subtask_id, findings=_ids(findings), role="summary")


def _with_part(section: OutlineSection, root: Subtask, finding: Finding) -> OutlineSection:
    """A section that answers another part by the same passage."""
    heading, ids = f"{section.heading} · {_heading(root)}", (finding.id,)
    return section.model_copy(update={"heading": heading, "findings": section.findings + ids})


def _further(ask: OutlineReport, rest: Mapping[str, Sequence[Finding]]) -> tuple[OutlineSection, ...]:
    """What else bears on the parts, each under its heading where there are several."""
    left = {heading: findings for heading, findings in rest.items() if findings}
    if not left:
        return ()
    whole = OutlineSection(heading=phrases(ask.language).further)
    if len(rest) == 1:
        return (whole.model_copy(update={"findings": _ids(next(iter(left.values())))}),)
    parts = (OutlineSection(heading=heading, findings=_ids(findings)) for heading, findings in left.items())
    return (whole.model_copy(update={"sections": tuple(parts)}),)


def divided(parts: Sequence[Sequence[Finding]], *, max_words: int) -> tuple[list[list[Finding]], list[list[Finding]]]:
    """Of the findings of each part, best first, what answers it, and what else there is room for, each place once.

    Each passage has with it what goes with it of its document. All that is left for a part may be what answers another.
    """
    told: set[tuple[str, int]] = set()
    firsts: list[int | None] = []
    for found in parts:
        at = next((at for at, each in enumerate(found) if place_of(each) not in told), None)
        firsts.append(at)
        told.update(map(place_of, found[at : at + 1] if at is not None else ()))
    answers, most = list[list[Finding]](), min(WHOLE, max_words // max(1, len(parts)))
    for at, found in zip(firsts, parts, strict=True):
        own = list(found[:1]) if at is None else _with_its_own(found[at:], told, most)
        told.update(map(place_of, own))
        answers.append(own)
    words = sum(_words(each) for own in answers for each in own)
    further: list[list[Finding]] = [[] for _ in parts]
    left = [iter(found) for found in parts]
    turns = list(range(len(parts)))
    while turns:
        for part in tuple(turns):
            new = next((each for each in left[part] if place_of(each) not in told), None)
            if new is None or words + _words(new) > max_words:
                turns.remove(part)
                continue
            further[part].append(new)
            told.add(place_of(new))
            words += _words(new)
    return answers, further


def _with_its_own(found: Sequence[Finding], told: Collection[tuple[str, int]], most: int) -> list[Finding]:
    """The first finding and those right behind it of the same document, up to so many words, in its order."""
    own, words = [found[0]], _words(found[0])
    for each in found[1:]:
        words += _words(each)
        if page_of(each) != page_of(own[0]) or words > most:
            break
        if place_of(each) not in told:
            own.append(each)
    return sorted(own, key=lambda each: each.evidence[0].start)


def _words(finding: Finding) -> int:
    return word_count(finding.claim) + (word_count(finding.lead_in.quote) if finding.lead_in else 0)


def _by_part(findings: Iterable[Finding], weak: Collection[str]) -> defaultdict[str, list[Finding]]:
    """The findings of each root subtask, its children's included, best first; of `weak` ones better pages say the
    contrary."""
    found: defaultdict[str, list[Finding]] = defaultdict(list)
    for each in sorted(findings, key=lambda each: -each.relevance * (WEAKER if each.id in weak else 1.0)):
        found[each.root].append(each)
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
    opens = question.text.endswith(("?", "？")) and question.text.startswith(clause.topic)
    opens |= clause.topic == readers.heading(question.text.partition(":")[0])  # the question that it follows
    if clause.topic and len(clause.topic) < TITLE_LETTERS and not opens:
        title = clause.topic
    elif (
        len(question.clauses) == 1
        and not question.background + question.left_out
        and word_count(question.text) <= HEADING_WORDS
    ):
        title = clause.heading
    else:
        title = " ".join(ask.query.split())
        if word_count(title) > TITLE_WORDS:
            asked = title[max(title.find(clause.text), 0) :]  # without what sets the scene before it
            title = asked if word_count(asked) <= TITLE_WORDS else f"{clause.heading} …"
    title = title.strip(" 、。,.") or question.text[:TITLE_LETTERS]
    return title[:1].upper() + title[1:]
