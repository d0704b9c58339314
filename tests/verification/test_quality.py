"""How far a report trusts its sources, and how it tells that they disagree."""

from __future__ import annotations

import re
from typing import Any

import pytest
from markdown_it import MarkdownIt

from fathom.composing.numbering import Numbering, contradictions_of
from fathom.composing.research import ReportMaterial
from fathom.evidence import Document, Evidence, text_digest
from fathom.findings import Finding, Synthesis
from fathom.plan import Subtask
from fathom.report import SourceEntry
from fathom.text.phrases import phrases
from fathom.verification.contradictions import disagreements, outdated
from fathom.verification.disagreement import Pair, Side
from fathom.verification.quality import Quality
from tests.support.figures import naming
from tests.support.researched import material

ROOT = Subtask(subtask_id="task_1", description="How long are audit logs kept?")
TODAY = "2026-11-22"


def document(name: str, **fields: Any) -> Document:
    known = {"uri": f"file:///{name}.md", "title": name, "kind": "file", "language": "en", "retrieved_at": TODAY}
    return Document(**{"sha256": text_digest(name), **known, **fields})


def web(name: str, *, site: str = "", published: str = "", **fields: Any) -> Document:
    uri = f"https://{site or name}.example/{name}"
    return document(name, uri=uri, kind="web", site=f"{site or name}.example", published=published, **fields)


OURS, NEW, OLD = (
    document("policy"),
    web("new", published="2026-01-02", nature="news"),
    web("old", published="2019-05-06"),
)
COPY, SAME_SITE, UNDATED = web("copy"), web("same", site="new"), web("undated", nature="forum")
ALL = (OURS, NEW, OLD, COPY, SAME_SITE, UNDATED)


def found(claim: str, source: Document, *, relevance: float = 1.0, confidence: float = 0.8) -> Finding:
    evidence = Evidence(document=source.sha256, start=0, end=len(claim), quote=claim)
    return Finding(subtask_id="task_1", claim=claim, evidence=(evidence,), relevance=relevance, confidence=confidence)


def quality(*findings: Finding, **fields: Any) -> Quality:
    copies = {COPY.sha256: NEW.sha256, NEW.sha256: NEW.sha256}
    documents = {each.sha256: each for each in ALL}
    return Quality(**{"documents": documents, "findings": findings, "copies": copies, "today": TODAY, **fields})


def research(*findings: Finding, pairs: tuple[tuple[str, str], ...] = ()) -> ReportMaterial:
    synthesis = Synthesis(subtask_id="task_1", text="x", findings=(findings[0].id,), contradictions=pairs)
    return material(findings, ALL, parts=(ROOT,), syntheses=(synthesis,))


def ids(*documents: Document) -> list[str]:
    return [each.sha256 for each in documents]


# ── Origins and confidence ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("documents", "origins"),
    [((), 0), ((OURS,), 1), ((NEW, COPY), 1), ((NEW, SAME_SITE), 1), ((NEW, OLD), 2), ((OURS, NEW, COPY, OLD), 3),
     ((COPY, SAME_SITE), 2), ((COPY, SAME_SITE, NEW), 2)],
)  # fmt: skip
def test_copies_and_pages_of_one_site_count_once(documents: tuple[Document, ...], origins: int) -> None:
    assert quality().origins(ids(*documents)) == origins


def test_what_others_state_too_counts_though_it_is_not_cited() -> None:
    said = "Audit logs of the service are kept for 90 days."
    same = found("The audit logs of the service are kept for 90 days", OLD)
    other, negated = found(said.replace("90", "30"), UNDATED), found(said.replace("are", "are not"), UNDATED)
    known = quality(same, other, negated)

    assert known.behind(said, ids(OURS)) == {OURS.sha256, OLD.sha256}
    assert known.behind("It is 90.", ids(OURS)) == {OURS.sha256} and known.behind(said, []) == frozenset()


def test_confidence_rises_with_origins_and_falls_with_who_speaks_and_with_age() -> None:
    plain, current = quality(), quality(is_current=True)

    assert plain.confidence(0.8, ids(OURS)) == 0.8
    assert 0.8 < plain.confidence(0.8, ids(OURS, NEW)) < plain.confidence(0.8, ids(OURS, NEW, OLD)) < 1
    assert plain.confidence(0.8, ids(UNDATED)) < plain.confidence(0.8, ids(NEW)) < 0.8
    assert plain.confidence(0.8, ids(NEW, COPY)) == plain.confidence(0.8, ids(NEW))
    assert current.confidence(0.8, ids(OLD)) < plain.confidence(0.8, ids(OLD)) < plain.confidence(0.8, ids(COPY))


def test_age_matters_only_when_what_is_current_is_asked_or_a_newer_source_differs() -> None:
    assert quality().is_stale(OLD.sha256) and not quality().is_stale(NEW.sha256)
    assert not quality().is_stale(UNDATED.sha256) and not quality().is_stale(OURS.sha256)
    assert not quality().rests_on_stale(ids(OLD))
    assert quality(is_current=True).rests_on_stale(ids(OLD))
    assert quality(outdated=frozenset(ids(OLD))).rests_on_stale(ids(OLD))
    assert not quality(is_current=True).rests_on_stale(ids(OLD, NEW))


def test_one_weak_source_is_a_page_that_nobody_vouches_for_or_that_is_out_of_date() -> None:
    known = quality()
    assert known.is_weak(ids(UNDATED)) and known.is_weak(ids(COPY))
    assert not known.is_weak(ids(NEW)) and not known.is_weak(ids(OURS)) and not known.is_weak([])
    assert not known.is_weak(ids(UNDATED, OLD)), "two that know nothing of each other"
    law = web("law", published="2019-05-06", nature="official")
    at_home, asked = ({"documents": {law.sha256: law}, "is_current": each} for each in (False, True))
    assert not quality(**at_home).is_weak(ids(law)) and quality(**asked).is_weak(ids(law))


# ── Disagreements ──────────────────────────────────────────────────────────────────────────────────────────────────

ASKED = "For how long are audit logs kept?"
NINETY, HALF = found("Audit logs are kept for 90 days.", OURS), found("Audit logs are kept for 180 days.", NEW)
THIRTY, AGAIN = found("Audit logs are kept for 30 days.", OLD), found("Audit logs are kept for 180 days.", COPY)


def apart(given: ReportMaterial, told: list[str]) -> list[Pair]:
    return disagreements(quality(*given.findings), given.syntheses, told, query=ASKED)


def test_the_users_document_against_the_web_comes_first_and_each_side_says_its_date() -> None:
    pairs = apart(research(THIRTY, HALF, AGAIN, NINETY), [NINETY.id])
    numbering = Numbering(quality())
    told = list(contradictions_of(pairs, numbering, phrases("en")))

    first = told[0]
    assert [side.kind for side in first.sides] == ["file", "web"] and first.findings[0] == NINETY.id
    assert first.description.startswith("Your document [S1] says: “Audit logs are kept for 90 days.” The page [S2] (20")
    assert len(told) == 2, "the same said twice is told once, and so is what copies say"


def side(finding: Finding) -> Side:
    return Side(finding, finding.claim)


def test_sentences_of_whole_passages_are_held_against_each_other() -> None:
    lines = f"Who keeps what.\n- {NINETY.claim}\n- Backups are kept elsewhere."
    whole = NINETY.model_copy(update={"claim": lines, "is_passage": True})
    ((one, other),) = apart(research(whole, HALF), [whole.id])
    assert (one.finding, one.text, other.text) == (whole, NINETY.claim, HALF.claim)


def test_among_pages_the_newer_one_comes_first_and_the_older_one_is_outdated() -> None:
    pairs = apart(research(THIRTY, HALF), [THIRTY.id])

    assert [(one.finding.id, other.finding.id) for one, other in pairs] == [(HALF.id, THIRTY.id)]
    assert outdated(pairs, quality()) == {OLD.sha256}


def test_copies_and_pages_of_one_site_do_not_disagree_with_each_other() -> None:
    beside = found("Audit logs are kept for 30 days.", SAME_SITE)

    assert apart(research(HALF, beside), [HALF.id]) == []
    assert apart(research(HALF, beside, pairs=((HALF.id, beside.id),)), []) == []


def test_what_the_report_does_not_tell_disagrees_with_nothing_unless_a_synthesis_says_so() -> None:
    assert apart(research(NINETY, HALF), []) == []
    named = research(NINETY, HALF, pairs=((HALF.id, NINETY.id), ("finding_unknown", HALF.id)))
    assert [one.finding.id for one, _ in apart(named, [])] == [NINETY.id]


def test_a_page_without_a_date_says_so_in_both_languages() -> None:
    pairs = [(side(NINETY), side(found("Audit logs are kept for 30 days.", UNDATED)))]

    (english,) = contradictions_of(pairs, Numbering(quality()), phrases("en"))
    (japanese,) = contradictions_of(pairs, Numbering(quality()), phrases("ja"))
    assert "The page [S2] (no date) says" in english.description
    assert "お手元の文書[S1]には「Audit" in japanese.description and "[S2]（日付不明）" in japanese.description


# ── As the report shows it ─────────────────────────────────────────────────────────────────────────────────────────


def entry(id: str, source: Document, **fields: Any) -> SourceEntry:
    known = source.model_dump(include={"uri", "title", "sha256", "retrieved_at", "kind", "published", "nature", "site"})
    return SourceEntry(id=id, **{**known, "origin": id, **fields})


def test_documents_and_web_stand_in_two_groups_each_page_with_who_speaks_and_when() -> None:
    markdown = naming(entry("S1", NEW), entry("S2", OURS), entry("S3", COPY, origin="S1"))

    own, pages = markdown.index("### Your documents"), markdown.index("### The web")
    assert own < markdown.index("- [S2] policy\n") < pages < markdown.index("- [S1]")
    assert "new.example, news, published 2026-01-02, read 2026-11-22\n" in markdown
    assert "copy.example, read 2026-11-22, says the same as [S1]" in markdown
    japanese = naming(entry("S1", NEW), entry("S2", OURS), language="ja")
    assert "### お手元の文書" in japanese and "### ウェブ" in japanese and "報道、公開日 2026-01-02" in japanese


def test_sources_of_one_kind_stand_in_one_list() -> None:
    assert "###" not in naming(entry("S1", OURS)) and "###" not in naming(entry("S1", NEW))
    assert "- [S1] policy\n" in naming(entry("S1", OURS))


@pytest.mark.parametrize(
    "hostile", ["[x](https://evil.example)", "<b>x</b>", "www.evil.example", "![i](https://e.example)"]
)
def test_neither_a_site_nor_a_side_of_a_disagreement_can_add_markup(hostile: str) -> None:
    pairs = [(side(found(f"Logs {hostile} last 9 days.", OURS)), side(found(f"Logs {hostile} last 8 days.", NEW)))]
    told = tuple(contradictions_of(pairs, Numbering(quality()), phrases("en")))
    markdown = naming(entry("S1", OURS), entry("S2", NEW, site=hostile), contradictions=told)
    page = MarkdownIt("commonmark").render(markdown.replace("<file:///", "<"))  # it makes no link of `file:`

    assert {*re.findall('href="([^"]*)"', page)} == {"policy.md", NEW.uri} and "<b>" not in page and "<img" not in page
