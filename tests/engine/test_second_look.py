"""What a model may change in the verdicts on a report's sentences, and what it may not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.asks import Ask, CheckSupport, Judgement, OutlineReport, SupportVerdict, WriteSection
from fathom.engine.steps.second_look import BESIDE, around
from fathom.events import Checked
from fathom.evidence import Evidence
from fathom.findings import Finding, Statement
from fathom.frozen import FrozenModel
from fathom.ports import Answered, Calls
from fathom.report import VERIFIED, Outline, OutlineSection, Report, Section, SupportStatus
from fathom.verification.judged import Judged, open_to_a_judge, repaired, settled
from fathom.verification.verdicts import check
from tests.support.doubles.reasoner import SimulatedReasoner
from tests.support.lab import Lab

SPAN = "By default the sea is 3,682 metres deep on average, and waves are no higher than 30 metres there."
FINDING = Finding(
    subtask_id="task_1", claim=SPAN, evidence=(Evidence(document="0" * 64, start=0, end=len(SPAN), quote=SPAN),)
)


def judged(text: str, *, cited: bool = True) -> Judged:
    spans = (SPAN,) if cited else ()
    return Judged(text, "paragraph", (FINDING,) if cited else (), spans, check(text, spans))


PARAPHRASE = judged("Whoever wants to sound the ocean needs 3,682 metres of rope or more of it.")
WRONG_NUMBER = judged("The sea is 4,000 metres deep on average.")
QUOTED = judged("By default the sea is 3,682 metres deep on average.")


def stands(sentence: Judged, judgement: Judgement, again: Judgement | None = None) -> Judged:
    return settled(sentence, judgement, repaired(sentence, judgement), again)


@pytest.mark.parametrize("status", ["supported", "partial", "unsupported", "contradicted"])
@pytest.mark.parametrize("sentence", [PARAPHRASE, WRONG_NUMBER])
def test_a_model_may_overrule_every_doubt_of_the_words(sentence: Judged, status: SupportStatus) -> None:
    after = stands(sentence, Judgement(status=status, why="because"))
    assert (after.text, after.verdict.status) == (sentence.text, status)
    assert (after.verdict.by, after.verdict.why) == ("model", "because")


def test_arithmetic_on_cited_figures_is_beyond_a_model() -> None:
    refuted = replace(WRONG_NUMBER, verdict=replace(WRONG_NUMBER.verdict, is_proved=True))
    assert stands(refuted, Judgement(status="supported", why="it is so")) == refuted


def test_what_a_model_says_nothing_of_stays_the_word_of_the_rule() -> None:
    assert stands(PARAPHRASE, Judgement(status=PARAPHRASE.verdict.status)) == PARAPHRASE


def test_a_repair_that_quotes_takes_the_place_of_what_was_wrong() -> None:
    after = stands(WRONG_NUMBER, Judgement(status="contradicted", repaired="The sea is 3,682 metres\ndeep on average."))
    assert (after.text, after.repaired, after.verdict.status) == (
        "The sea is 3,682 metres deep on average.",
        True,
        "quoted",
    )
    assert after.cited == WRONG_NUMBER.cited


def test_a_repair_in_other_words_stands_only_when_it_is_judged_again() -> None:
    judgement = Judgement(status="contradicted", why="3,682", repaired="3,682 metres of rope would sound it.")
    after = stands(WRONG_NUMBER, judgement, Judgement(status="supported", why="so deep"))
    assert (after.text, after.verdict.status, after.verdict.by) == (judgement.repaired, "supported", "model")
    for again in (None, Judgement(status="partial", why="rope")):
        kept = stands(WRONG_NUMBER, judgement, again)
        assert (kept.text, kept.verdict.status, kept.repaired) == (WRONG_NUMBER.text, "contradicted", False)


def test_a_repair_that_says_nothing_changes_nothing() -> None:
    after = stands(WRONG_NUMBER, Judgement(status="unsupported", why="no", repaired=" . "))
    assert (after.text, after.verdict.status) == (WRONG_NUMBER.text, "unsupported")


def test_every_sentence_is_judged_that_is_no_quotation_and_when_they_are_too_many_those_with_a_doubt() -> None:
    near = judged("The sea there is on average 3,682 metres deep by default.")
    assert near.verdict.status == "supported"
    sentences = [near, QUOTED, WRONG_NUMBER, judged("Who knows?", cited=False), PARAPHRASE]
    assert open_to_a_judge(sentences, most=40) == [0, 2, 4]
    assert open_to_a_judge(sentences, most=2) == [2, 4]
    assert open_to_a_judge(sentences, most=0) == []


@pytest.mark.parametrize(
    ("text", "quote", "beside"),
    [
        ("# Sea\n\nIt is old. It is deep. It is blue.\n\nAnd wide.", "It is deep.", ("It is old.", "It is blue.")),
        ("It is old.\n\nIt is deep.\n\nIt is blue.", "It is deep.", ("", "")),
        ("海は古い。海は深い。海は青い。", "海は深い。", ("海は古い。", "海は青い。")),
        (f"{'so old ' * 100}It is deep. {'so blue ' * 100}", "It is deep.", ("", "")),
    ],
)
def test_a_sentence_stands_between_those_beside_it_in_its_paragraph(
    text: str, quote: str, beside: tuple[str, str]
) -> None:
    assert around(text, text.index(quote), text.index(quote) + len(quote)) == beside


@given(st.text(max_size=900), st.integers(0, 900), st.integers(0, 900))
def test_what_stands_beside_a_span_is_of_the_text_and_short(text: str, start: int, length: int) -> None:
    end = min(len(text), start + length)
    before, after = around(text, min(start, end), end)
    assert before in text[: min(start, end)] and after in text[end:]
    assert max(len(before), len(after)) <= BESIDE


NUMBER = re.compile(r"\d[\d,.]*\d|\d")
TEXTS = st.lists(
    st.sampled_from(
        "the sea is deep 3,682 30 31 metres on average 9,999 7 not never higher Poseidon By default waves".split()
    ),
    min_size=1,
    max_size=14,
).map(lambda words: f"{' '.join(words)}.")
JUDGEMENTS = st.builds(
    Judgement,
    status=st.sampled_from(["supported", "partial", "unsupported", "contradicted", "unjudged"]),
    repaired=TEXTS | st.just(""),
)


@given(TEXTS, JUDGEMENTS)
def test_a_number_that_no_evidence_holds_stands_unmarked_only_by_a_models_word(text: str, judgement: Judgement) -> None:
    after = stands(judged(text), judgement)
    if after.verdict.status in VERIFIED and after.verdict.by == "rule":
        assert set(NUMBER.findall(after.text)) <= {"3,682", "30", "7"}
        assert "Poseidon" not in after.text.split()[1:]


# ── In a run ───────────────────────────────────────────────────────────────────────────────────────────────────────


class Judge(SimulatedReasoner):
    """A reasoner like those with a model: writes a text of its own, and judges what is doubtful in it."""

    metered = True

    def __init__(self, text: str, *judgements: Judgement) -> None:
        super().__init__()
        self.text = text
        self.judgements = judgements

    async def answer(self, ask: Ask[FrozenModel], calls: Calls) -> Answered[FrozenModel]:  # type: ignore[override]
        match ask:
            case OutlineReport():
                first = ask.findings[0].id
                return Answered(Outline(title="Sea", sections=(OutlineSection(heading="Sea", findings=(first,)),)))
            case WriteSection():
                cited = tuple(finding.id for finding in ask.findings)
                self.asks.append(ask)
                return Answered(Section(statements=(Statement(text=self.text, findings=cited),)))
            case CheckSupport():
                self.asks.append(ask)
                return Answered(SupportVerdict(judgements=self.judgements))
            case _:
                return await super().answer(ask, calls)

    @property
    def checks(self) -> list[CheckSupport]:
        return [ask for ask in self.asks if isinstance(ask, CheckSupport)]


async def run(folder: Path, judge: SimulatedReasoner, **limits: Any) -> tuple[Report, Checked]:
    async with Lab(folder) as lab:
        lab.reasoner = judge
        report = await lab.start(**limits)
        assert (await lab.replay()).markdown == report.markdown
        (checked,) = [event for event in await lab.events() if isinstance(event, Checked)]
        return report, checked


async def test_doubtful_sentences_are_asked_about_once_and_repaired_from_their_evidence(tmp_path: Path) -> None:
    async with Lab(tmp_path / "first") as lab:
        quote = (await lab.start()).evidence[0].quote
    judge = Judge(f"{quote}. It holds 99 wrecks.", Judgement(status="unsupported", repaired=quote))

    report, checked = await run(tmp_path / "second", judge)

    (ask,) = judge.checks
    assert [doubt.sentence for doubt in ask.doubts] == ["It holds 99 wrecks."]
    assert ask.beside.keys() == {span.id for doubt in ask.doubts for span in doubt.evidence}
    assert [(claim.text, claim.repaired, claim.judged_by) for claim in report.claims][1:] == [(quote, True, "rule")]
    assert (checked.quoted, checked.unsupported) == (2, 0)


async def test_what_cannot_be_repaired_stays_and_is_marked(tmp_path: Path) -> None:
    report, checked = await run(
        tmp_path, Judge("It holds 99 wrecks.", Judgement(status="unsupported", why="none", repaired="It holds 98."))
    )

    assert [(claim.text, claim.status, claim.repaired) for claim in report.claims] == [
        ("It holds 99 wrecks.", "unsupported", False)
    ]
    assert "It holds 99 wrecks. [S1] (not supported)" in report.markdown
    assert checked.unsupported == 1


@pytest.mark.parametrize("judgements", [(), (Judgement(status="unsupported"),) * 5])
async def test_too_few_and_too_many_judgements_do_no_harm(tmp_path: Path, judgements: tuple[Judgement, ...]) -> None:
    report, _ = await run(tmp_path, Judge("It holds 99 wrecks.", *judgements))
    assert [claim.status for claim in report.claims] == ["unsupported"]


async def test_nobody_is_asked_without_a_model_or_when_no_checks_are_allowed(tmp_path: Path) -> None:
    without, forbidden = Judge("It holds 99 wrecks."), Judge("It holds 99 wrecks.")
    without.metered = False
    await run(tmp_path / "a", without)
    await run(tmp_path / "b", forbidden, max_checks=0)
    assert not without.checks and not forbidden.checks


@settings(max_examples=max(5, settings().max_examples // 20))
@given(text=TEXTS, judgements=st.lists(JUDGEMENTS, max_size=3))
async def test_whatever_is_written_and_judged_no_sentence_is_lost_and_no_number_made_up(
    tmp_path_factory: pytest.TempPathFactory, text: str, judgements: list[Judgement]
) -> None:
    report, _ = await run(tmp_path_factory.mktemp("run"), Judge(text, *judgements))
    held = set(NUMBER.findall(" ".join(entry.quote for entry in report.evidence)))
    assert report.claims
    for claim in report.claims:
        assert claim.text in (text, *(judgement.repaired for judgement in judgements))
        assert not claim.verified or claim.judged_by == "model" or set(NUMBER.findall(claim.text)) <= held
