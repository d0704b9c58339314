"""What a report is worth: each figure on a report small enough to count by hand."""

from __future__ import annotations

import pytest

from fathom.evals.questions import EvalQuestion, ExpectedFact
from fathom.evals.result import EvalResult, rows, summary, table
from fathom.evals.score import Score, is_page, redundant, score, verbatim
from fathom.evidence import text_digest
from fathom.limits import Limits
from fathom.report import Claim, Coverage, Estimate, EvidenceEntry, Report, SourceEntry, SupportStatus, Usage

SNAPSHOT = "Autovacuum starts after 50 updated tuples. The scale factor adds a fraction of the table size."
QUESTION = EvalQuestion(
    id="pg-1",
    corpus="postgresql-doc-15",
    query="How is autovacuum triggered?",
    pages=("runtime-config-autovacuum.html", "routine-vacuuming.html"),
    facts=(
        ExpectedFact(
            name="scale factor", pattern="(?i)fraction of the table size", pages=("runtime-config-autovacuum.html",)
        ),
        ExpectedFact(name="wraparound", pattern="(?i)two billion", pages=("routine-vacuuming.html",)),
    ),
)
UNANSWERABLE = EvalQuestion(
    id="pg-x1", corpus="postgresql-doc-15", query="And on Mars?", unanswerable=True, absent="Mars"
)


def claim(text: str, *citations: str, status: SupportStatus = "supported") -> Claim:
    return Claim(
        id=f"C{text_digest(text)[:6]}",
        text=text,
        citations=citations,
        evidence=(),
        status=status,
        verified=status == "supported",
        confidence=0.5,
    )


def source(id: str, page: str, text: str = SNAPSHOT) -> SourceEntry:
    uri = f"file:///corpora/postgresql-doc-15/{page}"
    return SourceEntry(
        id=id, uri=uri, title=page, sha256=text_digest(text), retrieved_at="2026-01-01T00:00:00Z", kind="file"
    )


def report(*claims: Claim, evidence: tuple[EvidenceEntry, ...] = (), markdown: str = "# Autovacuum") -> Report:
    return Report(
        run_id="run_1",
        query=QUESTION.query,
        language="en",
        mode="simple",
        created_at="2026-01-01T00:00:00Z",
        title="Autovacuum",
        markdown=markdown,
        key_findings=(),
        conclusions=(),
        limitations=(),
        suggestions=(),
        sections=(),
        claims=claims,
        evidence=evidence,
        findings=(),
        syntheses=(),
        sources=(source("S1", "runtime-config-autovacuum.html"), source("S2", "routine-vacuuming.html", "Other.")),
        subtasks=(),
        not_found=(),
        contradictions=(),
        coverage=Coverage(),
        usage=Usage(seconds=0.25),
        limits=Limits(),
        estimate=Estimate(),
        partial=None,
    )


def quoted(quote: str, start: int, *, source_id: str = "S1") -> EvidenceEntry:
    return EvidenceEntry(id="E1", source_id=source_id, quote=quote, start=start, end=start + len(quote), locator="")


def test_a_fact_in_a_sentence_that_cites_its_page_counts() -> None:
    found = score(report(claim("It adds a fraction of\n the table  size.", "S2", "S1")), QUESTION)

    assert found.facts_found == ("scale factor",)
    assert found.facts_missed == ("wraparound",)


@pytest.mark.parametrize("citations", [("S2",), ()], ids=["a wrong page", "no page"])
def test_a_fact_that_cites_a_wrong_page_does_not_count(citations: tuple[str, ...]) -> None:
    found = score(report(claim("It adds a fraction of the table size.", *citations)), QUESTION)

    assert found.facts_found == ()


def test_a_fact_whose_page_is_cited_by_another_sentence_does_not_count() -> None:
    told = report(claim("It adds a fraction of the table size.", "S2"), claim("It starts after 50 tuples.", "S1"))

    assert score(told, QUESTION).facts_found == ()
    assert score(told, QUESTION).pages_missed == ()


def test_a_page_that_no_sentence_cites_does_not_count_though_it_is_a_source() -> None:
    found = score(report(claim("It starts after 50 tuples.", "S1")), QUESTION)

    assert found.pages_found == ("runtime-config-autovacuum.html",)
    assert found.pages_missed == ("routine-vacuuming.html",)


@pytest.mark.parametrize(
    ("uri", "page", "same"),
    [
        ("file:///c/git-doc/git-commit.html", "git-commit.html", True),
        ("file:///c/git-doc/git-commit.html", "commit.html", False),
        ("file:///c/python/library/re.html", "library/re.html", True),
        ("file:///c/python/howto/re.html", "library/re.html", False),
        ("file:///c/ja/%E7%AC%AC1%E7%AB%A0.html", "第1章.html", True),
    ],
)
def test_a_page_is_known_by_its_whole_name(uri: str, page: str, same: bool) -> None:
    assert is_page(uri, page) is same


def test_only_supported_sentences_count_as_supported() -> None:
    found = score(
        report(claim("One.", "S1"), claim("Two.", "S1", status="partial"), claim("3.", status="unsupported")), QUESTION
    )

    assert (found.supported, found.claims) == (1, 3)


def test_a_sentence_that_says_what_an_earlier_one_said_is_redundant() -> None:
    told = report(
        claim("The scale factor adds a fraction of the table size.", "S1"),
        claim("A fraction of the table size is added by the scale factor.", "S2"),
        claim("The daemon wakes up every minute in each database.", "S1"),
    )

    assert redundant(told) == 1


def test_a_report_without_claims_abstains() -> None:
    assert score(report(), UNANSWERABLE).abstained
    told = report(claim("On Mars too.", "S1"))
    assert not score(told, UNANSWERABLE).abstained
    assert score(told.model_copy(update={"outcome": "closest"}), UNANSWERABLE).abstained


def test_words_are_counted_in_the_whole_markdown() -> None:
    found = score(report(markdown="# Autovacuum\n\nIt starts after 50 tuples."), QUESTION)

    assert found.words == 6
    assert found.tokens == 7


def test_seconds_are_those_measured_and_else_those_of_the_report() -> None:
    assert score(report(), QUESTION, seconds=2.0).seconds == 2.0
    assert score(report(), QUESTION).seconds == 0.25


@pytest.mark.parametrize(
    ("entry", "same"),
    [
        (quoted("The scale factor", 43), True),
        (quoted("The scale factor", 42), False),
        (quoted("the scale factor", 43), False),
        (quoted("The scale factor", 43, source_id="S2"), False),
    ],
    ids=["to the letter", "wrong offset", "wrong letter", "wrong source"],
)
def test_a_quotation_is_verbatim_only_to_the_letter_at_its_place(entry: EvidenceEntry, same: bool) -> None:
    snapshots = {text_digest(text): text for text in (SNAPSHOT, "Other.")}

    assert verbatim(report(evidence=(entry,)), snapshots) is same


def test_a_quotation_from_a_snapshot_that_is_gone_is_not_verbatim() -> None:
    assert not verbatim(report(evidence=(quoted("The scale factor", 43),)), {})


# ── Many questions ─────────────────────────────────────────────────────────────────────────────────────────────────

GOOD = Score(
    question="a", corpus="git-doc", language="en", answerable=True, facts_found=("1", "2", "3"), facts_missed=("4",),
    claims=4, supported=4, redundant=1, words=900, seconds=0.5, abstained=False,
)  # fmt: skip
SILENT = Score(question="b", corpus="debian-reference-ja", language="ja", answerable=True, facts_missed=("5", "6"))
TALKATIVE = Score(
    question="c", corpus="git-doc", language="en", answerable=False, claims=2, supported=2, words=50, abstained=False
)
BROKEN = Score(question="d", corpus="git-doc", language="en", answerable=True, facts_missed=("7",), error="disk full")


def test_shares_are_pooled_over_the_questions() -> None:
    figures = summary([GOOD, SILENT, TALKATIVE])

    assert figures["fact_recall"] == 3 / 6
    assert figures["redundancy"] == 1 / 6
    assert figures["words"] == 450  # of the answerable ones


def test_abstaining_and_answering_wrongly_are_counted_apart() -> None:
    figures = summary([GOOD, SILENT, TALKATIVE])

    assert (figures["false_abstentions"], figures["false_answers"]) == (1, 1)


def test_a_share_of_nothing_is_not_a_number() -> None:
    assert summary([SILENT])["supported"] is None


def test_the_table_has_a_row_per_corpus_per_language_and_for_all() -> None:
    drawn = table(EvalResult(file="set.toml", scores=(GOOD, SILENT, TALKATIVE))).splitlines()

    assert [line.split()[:2] for line in drawn[1:6]] == [
        ["en", "git-doc"],
        ["en", "all"],
        ["ja", "debian-reference-ja"],
        ["ja", "all"],
        ["all", "all"],
    ]


def test_the_table_names_every_question_that_went_wrong() -> None:
    drawn = table(EvalResult(file="set.toml", scores=(GOOD, SILENT, TALKATIVE, BROKEN)))

    assert "b: abstained" in drawn
    assert "c: answered" in drawn
    assert "d: failed: disk full" in drawn
    assert "\na:" not in drawn


def test_a_row_is_an_object_per_question() -> None:
    assert [row["question"] for row in rows(EvalResult(file="set.toml", scores=(GOOD, SILENT)))] == ["a", "b"]
