"""Whole passages of documents: how they are cut, which are told, and in which order."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import fathom
from fathom.asks import OutlineReport, WriteSection
from fathom.evidence import Evidence, Passage
from fathom.findings import Finding, Piece, passage_of
from fathom.plan import Subtask
from fathom.reading.chunking import chunks
from fathom.reading.readers import read_here
from fathom.reasoners.extractive.extract import extract_findings
from fathom.reasoners.extractive.outline import LONGEST, outline_report
from fathom.reasoners.extractive.ranking import locator_of
from fathom.reasoners.extractive.stretches import WHOLE, stretches
from fathom.reasoners.extractive.write import write_section
from fathom.render import formats, html
from fathom.report import Outline, OutlineSection
from fathom.settings import load_settings
from fathom.text.columns import in_columns
from fathom.text.commonmark import fenced
from fathom.text.display import word_count
from tests.support.reasoner_pages import CURRENTS, TIDES, extract, page

PARTS = (
    Subtask(subtask_id="task_1", description="What causes tides", focus_area="Tides"),
    Subtask(subtask_id="task_2", description="What drives an ocean current", focus_area="Currents"),
)


@settings(deadline=None, max_examples=max(16, settings().max_examples // 5))
@given(
    st.lists(
        st.tuples(
            st.sampled_from(("paragraph", "list_item", "table_row", "definition", "code", "quote")),
            st.text(min_size=1, max_size=200).filter(str.strip),
        ),
        min_size=1,
        max_size=8,
        unique_by=lambda piece: piece[1],
    )
)
def test_passages_are_cut_in_order_without_overlap_and_quote_to_the_letter(pieces: list[tuple[str, str]]) -> None:
    document, passage = page("Any", *pieces)  # type: ignore[arg-type]
    last = 0
    for each in stretches(passage, markup=document.markup):
        assert last <= each.start < each.end <= passage.end
        assert passage.quote(each.start, each.end) == passage.text[each.start : each.end]
        assert each.text and each.words > 0
        last = each.end


def test_a_long_text_is_cut_between_sentences_and_short_paragraphs_stay_together() -> None:
    long = " ".join(f"Sentence number {at} of this text says something of its own." for at in range(40))
    document, passage = page("Long", ("paragraph", long), ("paragraph", "One."), ("paragraph", "Two words here."))
    found = stretches(passage, markup=document.markup)

    assert all(each.words <= WHOLE for each in found)
    assert all(each.text.endswith(".") for each in found)
    assert "One." not in [each.text for each in found]


def test_a_list_is_told_with_what_leads_it() -> None:
    claims = [finding.claim for finding in extract_findings(extract("What does a spring tide need?", TIDES)).findings]
    assert "A spring tide needs the following:\n- the sun and the moon in line with the earth;" in claims[0]


def told(text: str, *, suffix: str = ".md") -> list[str]:
    """The passages of a file."""
    document = read_here(text.encode(), suffix)
    passages = [
        Passage(document="0" * 64, start=each.start, end=each.end, text=document.text[each.start : each.end],
                headings=each.headings, blocks=each.blocks)
        for each in chunks(document)
    ]  # fmt: skip
    return [each.text for passage in passages for each in stretches(passage, markup=document.markup)]


def test_a_rule_keeps_its_number() -> None:
    assert told("# Lease\n\n1. **Pets** one cat.\n2. **Keys** three sets of them.\n") == [
        "- 1. Pets one cat.\n- 2. Keys three sets of them."
    ]
    assert told("# Statutes\n\n## § 7\n(1) The board has five members.\n(2) Two of them sign.\n") == [
        "- (1) The board has five members.\n- (2) Two of them sign."
    ]
    steps = "<ol start=3><li>Open the red file.</li><li><p>Close it.</p><ul><li>gently and at once</li></ul></li></ol>"
    assert told(steps, suffix=".html") == ["- 3. Open the red file.\n- 4. Close it.\n- gently and at once"]
    assert told("# Steps\n\nBring:\n\n- a warm tent\n- water\n") == ["Bring:\n- a warm tent\n- water"]


def test_a_table_is_told_under_its_head_with_its_empty_cells() -> None:
    table = "| In | € | Out | €\n|---|---|---|---|\n| Fees | 40 | Energy | 7 |\n| | | Postage of all letters | 3 |\n"
    assert told(f"# Accounts\n\nOf the year 2025.\n\n{table}") == [
        "Of the year 2025.\n|= In | € | Out | €\n| Fees | 40 | Energy | 7\n| | | Postage of all letters | 3"
    ]
    assert told("item       stock    price\nred lamp   many     12\n", suffix=".txt") == [
        "| item | stock | price\n| red lamp | many | 12"
    ]


def test_the_cells_of_a_table_in_columns_of_spaces_are_those_that_stand_below_each_other() -> None:
    cover = "Contents of it  GBP  75,000\nExcess, general   GBP 200\nBicycle           GBP 1,200 (each)\n"
    told_of = "Contents of it | GBP 75,000\n| Excess, general | GBP 200\n| Bicycle | GBP 1,200 (each)"
    last = "never more than twice, whatever happens"
    assert told(f"Cover:\n\n{cover.replace('it  ', 'it    ')}{last}\n", suffix=".txt") == [
        f"Cover:\n| {told_of}\n{last}"
    ]
    border = "====  ==========  ====="
    rows = "1     a bed and\n      a chair     12\n2                 20"
    assert told(f"{border}\nRoom  What is in  Price\n{border}\n{rows}\n{border}\n", suffix=".rst") == [
        "|= Room | What is in | Price\n| 1 | a bed and a chair | 12\n| 2 | | 20"
    ]


def test_a_table_that_cannot_be_read_for_certain_stands_as_it_is_and_is_found_by_its_words() -> None:
    table = "Room          Price   Bed\nSmall  12 EUR     one\nBig and bright   20 EUR  two"
    found = told(f"Of this year:\n\n{table}\n", suffix=".txt")
    assert found == ["Of this year:\n" + "\n".join(f"    {line}" for line in table.split("\n"))]
    document = read_here(f"{table}\n".encode(), ".txt")
    (part,) = chunks(document)
    passage = Passage(document="0" * 64, start=part.start, end=part.end, text=document.text, blocks=part.blocks)
    (stretch,) = stretches(passage, markup="plain")
    assert stretch.terms["bright"] == 1


@given(st.lists(st.text("ab \t表", max_size=30), min_size=1))
def test_no_word_of_a_table_in_columns_is_lost(rows: list[str]) -> None:
    for row, cells in zip(rows, in_columns(rows), strict=True):
        assert not cells or "".join(cells.replace("|", "").split()) == "".join(row.split())


async def test_of_a_table_all_rows_are_quoted_under_its_head(tmp_path: Path) -> None:
    costs = ("gas", "water", "cleaning", "roof", "waste", "garden")
    rows = "".join(f"| {at} | {name} repair | {at}00 |\n" for at, name in enumerate(costs, 1))
    (tmp_path / "plan.md").write_text(f"# Plan\n\n| No | Cost | 2025 |\n|---|---|---|\n{rows}", encoding="utf-8")
    settings = load_settings(home=tmp_path / "home")

    report = await fathom.research("What does the roof repair cost?", documents=[tmp_path], settings=settings)
    assert "| No | Cost | 2025 |\n| --- | --- | --- |\n" + rows in report.markdown


async def test_a_table_of_several_passages_is_one_table(tmp_path: Path) -> None:
    told_of = "on its north side, by those who have the key to it and a day of dry weather before them"
    rows = "".join(f"| {at} | roof repair {at} | {told_of} |\n" for at in range(7))
    (tmp_path / "plan.md").write_text(
        f"# Plan\n\n## Roof\n\n| No | Work | Where |\n|---|---|---|\n{rows}", encoding="utf-8"
    )
    settings = load_settings(home=tmp_path / "home")

    report = await fathom.research("Where is roof repair 5?", documents=[tmp_path], settings=settings)
    assert len(report.findings) > 1
    assert "| No | Work | Where |\n| --- | --- | --- |\n" + rows in report.markdown


def test_emphasis_of_several_sentences_leaves_no_mark() -> None:
    text = (
        "# Fees\n\nThey are due in May. *Ida may defer them. Nobody asks why.* **Paid on 1. June. By bank.** Thanks.\n"
    )
    assert told(text) == ["They are due in May. Ida may defer them. Nobody asks why. Paid on 1. June. By bank. Thanks."]


def test_the_lead_of_a_long_list_stays_with_its_first_item() -> None:
    items = "\n".join(f"- item {at} says something of about ten words here, no more" for at in range(9))
    text = f"# Tour\n\n{'Of this text every sentence says the same. ' * 12}Bring:\n\n{items}\n"
    assert [part.partition("\n")[0] for part in told(text)][1:] == ["Bring:"]


def test_a_heading_keeps_the_sign_of_its_paragraph_and_loses_that_of_its_link() -> None:
    _, passage = page("Statutes", ("paragraph", "Two people audit it."), headings=("§ 8 Audit", "Terms#", "Fees ¶"))
    assert locator_of(passage) == "§ 8 Audit › Terms › Fees"


def test_each_term_stands_before_what_it_means() -> None:
    page = "<dl><dt>ebb</dt><dd>The water goes out.</dd><dt>flood</dt><dd>The water comes in.</dd></dl>"
    assert told(page, suffix=".html") == ["- ebb: The water goes out.\n- flood: The water comes in."]


def test_a_short_list_is_told_whole_and_a_long_one_in_even_parts_without_a_lead_that_announces_nothing() -> None:
    def items(count: int) -> str:
        return "\n".join(f"- Item number {at} of them says something of eleven words here." for at in range(count))

    assert len(told(f"# Duty\n\nThis replaces the old sheet.\n\n{items(9)}\n")) == 1
    short = "Water the ferns on Mondays and on Thursdays."
    assert (
        len(told(f"# Plants\n\n{short}\n\nOf the cactus take no care at all, {'really ' * 40}none.\n\n{short}\n")) == 1
    )
    document, passage = page("Duty", ("paragraph", "It replaces the old."), *(
        ("list_item", f"Item number {at} of them says something of eleven words here.", "It replaces the old.")
        for at in range(20)
    ))  # fmt: skip
    parts = stretches(passage, markup=document.markup)
    assert len(parts) > 1 and max(part.words for part in parts) - min(part.words for part in parts) < 25
    assert parts[1].lead == ""


def test_code_is_told_as_it_stands_behind_what_announces_it_and_is_not_what_a_passage_is_found_by() -> None:
    code = "def wait(moon):\n    return tide"
    document, passage = page("Tides", ("paragraph", "The simplest way to see a tide is this:"), ("code", code))
    (found,) = stretches(passage, markup=document.markup)
    assert found.text == "The simplest way to see a tide is this:\n    def wait(moon):\n        return tide"
    assert not found.terms["moon"]


def test_a_list_stays_whole_with_the_sentence_that_leads_it_where_its_paragraph_is_cut() -> None:
    lead = "A tide must be all of this:"
    text = f"{'Tides are old, and so is the moon. ' * 15}{lead}"
    document, passage = page("Tides", ("paragraph", text), *(
        ("list_item", f"item {at} of the list, which says a little more than that.", text) for at in range(5)
    ))  # fmt: skip
    last = stretches(passage, markup=document.markup)[-1]
    assert last.text.startswith(lead) and last.text.count("- item") == 5


def test_of_a_long_paragraph_what_a_sentence_announces_is_told_with_it() -> None:
    announcing = "To rename a harbour, the port authority asks for the following two steps."
    first = f"First the new name is entered in the register of harbours{', or in that of the county' * 14}."
    ((claim, _), *_) = answers(
        "How do I rename a harbour?", f"{announcing} {first} {'Boats stay where they are. ' * 9}"
    )

    assert claim == f"{announcing} {first}"


def answers(query: str, *pieces: str) -> list[tuple[str, float]]:
    """What is found in documents of one paragraph each, with how sure it is that they answer."""
    pages = [page(f"Note {at}", ("paragraph", piece)) for at, piece in enumerate(pieces)]
    return [(finding.claim, finding.confidence) for finding in extract_findings(extract(query, *pages)).findings]


def test_words_that_stand_together_in_the_question_count_more_where_they_do_so_in_a_passage() -> None:
    together = "After the power cut of Tuesday the scanners had to be paired with the desk again."
    apart = "The saw needs full power before each board of the desk is cut, says the manual of Tuesday."
    ((first, _), *_) = answers("What happened after the power cut?", apart, together)
    assert first == together


def passage(part: int, number: int, *, relevance: float, confidence: float = 0.9, words: int = 40) -> Finding:
    claim = " ".join(f"word{part}x{number}x{at}" for at in range(words))
    quote = Evidence(document=TIDES[0].sha256, start=1000 * part + 100 * number, end=1000 * part + 100 * number + 9,
                     quote=claim)  # fmt: skip
    return Finding(subtask_id=f"task_{part}", claim=claim, evidence=(quote,), confidence=confidence,
                   relevance=relevance, is_passage=True)  # fmt: skip


def outline(*findings: Finding, parts: tuple[Subtask, ...] = PARTS, max_words: int = 1_000) -> Outline:
    query = " and ".join(part.description for part in parts) + "?"
    return outline_report(
        OutlineReport(
            query=query,
            language="en",
            subtasks=parts,
            syntheses=(),
            findings=findings,
            documents=(TIDES[0], CURRENTS[0]),
            max_words=max_words,
        )
    )


def test_the_best_passage_of_each_part_stands_first_with_what_goes_with_it_in_its_order() -> None:
    first, more, low = (passage(1, at, relevance=relevance) for at, relevance in enumerate((3.0, 2.0, 0.1)))
    other, far = passage(2, 1, relevance=1.0), passage(1, 3, relevance=0.1)
    (span,) = far.evidence
    far = far.model_copy(update={"evidence": (span.model_copy(update={"document": CURRENTS[0].sha256}),)})
    made = outline(more, far, low, first, other)

    assert [(each.heading, each.role, each.findings) for each in made.sections] == [
        ("Tides", "summary", (first.id, more.id)),
        ("Currents", "summary", (other.id,)),
    ]


def test_of_two_versions_of_a_document_the_newer_one_stands_first_unless_the_other_is_asked_for() -> None:
    old, new = (page(f"Travel policy {year}", ("paragraph", f"Nobody flies in {year}.")) for year in (2023, 2026))
    found = {
        document.title: passage(1, at, relevance=relevance).model_copy(
            update={"evidence": (Evidence(document=document.sha256, start=0, end=5, quote="Nobod"),)}
        )
        for at, (document, relevance) in enumerate(((old[0], 1.0), (new[0], 0.9)))
    }

    def first(query: str) -> str:
        ask = OutlineReport(query=query, language="en", subtasks=PARTS[:1], syntheses=(),
                            findings=tuple(found.values()), documents=(old[0], new[0]), max_words=500)  # fmt: skip
        return next(title for title, finding in found.items() if finding.id == outline_report(ask).summary[0])

    assert first("Who flies?") == "Travel policy 2026"
    assert first("Who flew in 2023?") == "Travel policy 2023"


def test_a_simple_question_is_not_filled_up_and_a_cap_is_kept() -> None:
    many = [passage(1, at, relevance=1.0) for at in range(1, 30)]

    def words(made: Outline) -> int:
        return 40 * sum(map(len, (made.summary, *(section.findings for section in made.sections))))

    assert 0 < words(outline(*many, parts=PARTS[:1])) <= LONGEST
    assert words(outline(*many, parts=PARTS[:1], max_words=90)) <= 90


def test_code_is_set_in_the_report_line_by_line_and_ends_where_it_ends() -> None:
    code = "git reset HEAD^\n    ```\n# Not a heading"
    finding = Finding(
        subtask_id="task_1",
        claim=passage_of([Piece("paragraph", "Undo it so:"), Piece("code", code), Piece("item", "Done.")]),
        evidence=passage(1, 1, relevance=1.0).evidence,
        is_passage=True,
    )
    assert [piece.text for piece in finding.pieces] == ["Undo it so:", code, "Done."]
    assert fenced(code) == f"````\n{code}\n````"


async def test_code_of_a_document_is_code_in_the_report(tmp_path: Path) -> None:
    note = "# Deploying\n\nTo undo a deployment, run:\n\n```sh\ndeploy --undo <release>\n  # [S9] *and* wait\n```\n"
    (tmp_path / "note.md").write_text(note, encoding="utf-8")
    settings = load_settings(home=tmp_path / "home")
    report = await fathom.research("How do I undo a deployment?", documents=[tmp_path / "note.md"], settings=settings)

    code = "deploy --undo <release>\n  # [S9] *and* wait"
    assert f"To undo a deployment, run:\n\n```\n{code}\n```\n" in report.markdown
    assert report.claims[1].text == code and report.claims[1].verified
    shown = html.render(report)
    assert '<code class="said">deploy --undo &lt;release&gt;\n  # [S9] *and* wait</code>' in shown


def test_a_passage_is_set_as_its_document_sets_it() -> None:
    found = extract_findings(extract("What does a spring tide need?", TIDES)).findings
    section = OutlineSection(heading="Tides", findings=(found[0].id,))
    told = write_section(
        WriteSection(
            query="What does a spring tide need?", language="en", role="section", section=section, findings=found[:1],
            documents=(TIDES[0],),
        )
    ).statements  # fmt: skip

    assert [each.form for each in told][:4] == ["paragraph", "lead_in", "item", "item"]
    assert all(word_count(each.text) for each in told)


def test_passages_that_follow_each_other_are_told_in_the_order_of_their_document() -> None:
    first, second = (
        passage(1, at, relevance=at).model_copy(
            update={"evidence": (Evidence(document=TIDES[0].sha256, start=9 * at, end=9 * at + 7, quote="Tides."),)}
        )
        for at in (1, 2)
    )
    other = passage(1, 8, relevance=1.5)
    section = OutlineSection(heading="Tides", findings=(second.id, other.id, first.id))
    ask = WriteSection(query="Why?", language="en", role="section", section=section, findings=(second, other, first),
                       documents=(TIDES[0],))  # fmt: skip

    assert [each.findings[0] for each in write_section(ask).statements] == [first.id, second.id, other.id]


def test_what_a_colon_or_a_caption_announces_is_told_with_it() -> None:
    words = "Of this page every sentence says just the same as the one before it did say. " * 2
    said = "<blockquote><p>Come in and sit down.</p></blockquote>"
    leads = f"<h1>Mail</h1><h2>Keys</h2><p>{words}It is this:</p>{said}<p>{words}</p>"
    assert "It is this:\nCome in and sit down." in told(leads, suffix=".html")[0]
    table = "<table><caption>Table 2. Keys</caption><tr><td>copy<td>C</tr><tr><td>delete all<td>D</tr></table>"
    page = f"<h1>Mail</h1><h2>Keys</h2><p>{words}</p>{table}"
    assert "\nTable 2. Keys\n| copy | C\n" in told(page, suffix=".html")[0]


def test_an_example_is_told_with_the_text_beside_it_that_names_it() -> None:
    code = "".join(f"mailboxes imap://user@host{at}/INBOX\n" for at in range(10))
    example = f"<p class='title'>Example 6.2. Two accounts</p><pre>{code}{code}{code}</pre>"
    text = (
        "<p>In Example 6.2 the folders are polled for new mail. "
        + "Each hook triggers when it is opened. " * 5
        + "</p>"
    )
    assert len(told(f"<h1>Mail</h1><h2>Accounts</h2>{example}{text}", suffix=".html")) == 1
    assert len(told(f"<h1>Mail</h1><h2>Accounts</h2>{example}{text.replace('6.2', '6.21')}", suffix=".html")) == 2


def test_sentences_of_japanese_stand_beside_each_other_as_their_page_has_them() -> None:
    assert told("# 会費\n\n年間の会費は三千円です。班長が集めます。\n") == ["年間の会費は三千円です。班長が集めます。"]


def test_a_term_stands_before_the_first_of_what_it_means_alone() -> None:
    page = "<h1>Tides</h1><dl><dt>ebb</dt><dd><p>Water goes out.</p><p>Slowly it does.</p></dd><dd>It is low.</dd></dl>"
    assert "".join(told(page, suffix=".html")).count("ebb") == 1


def test_a_table_or_a_list_that_goes_on_behind_a_passage_says_so() -> None:
    rows = "\n".join(f"| item {at} | {'says something of it ' * 2} |" for at in range(18))
    first, last = told(f"# Keys\n\n## All\n\n| Key | What |\n|---|---|\n{rows}\n")
    assert first.endswith("of it …") and "…" not in last and first.count("…") == 1


def test_the_rest_of_a_table_is_told_behind_it_without_a_sign_that_it_is_cut() -> None:
    first, second = (
        Finding(
            subtask_id="task_1",
            claim=claim,
            evidence=(Evidence(document="0" * 64, start=at, end=at + 9, quote="see above"),),
            is_passage=True,
        )
        for at, claim in ((0, "| copy | C …"), (10, "| move | M …"))
    )
    document = page("Keys", ("paragraph", "x"))[0].model_copy(update={"sha256": "0" * 64})
    section = OutlineSection(heading="Keys", findings=(first.id, second.id))
    ask = WriteSection(
        query="keys", language="en", role="section", section=section, findings=(first, second), documents=(document,)
    )
    assert [each.text for each in write_section(ask).statements] == ["copy | C", "move | M …"]


def test_steps_are_told_from_the_first_on_and_no_item_of_a_list_is_taken_for_a_sign_of_the_page() -> None:
    steps = "\n".join(f"{at}. Then do what has to be done in this step of {'very ' * 10}many." for at in range(1, 9))
    (found,) = told(f"# Work\n\n## Order\n\n{steps}\n")
    assert found.startswith("- 1. ") and "\n- 8. " in found
    assert "- Source: HU" in told("# Goods\n\nEach has:\n\n- Source: HU to take from.\n- Number of its shelf\n")[0]


async def test_of_a_short_page_all_is_told_its_title_once_and_of_other_pages_what_bears_on_the_question(
    tmp_path: Path,
) -> None:
    (tmp_path / "outage.md").write_text(
        "# Outage in May\n\n## Seen\n\nThe shop showed no prices on Monday.\n\n## Reason\n\n"
        "A certificate had run out, and nobody was told by mail.\n\n## Mended\n\nThere is a reminder now.\n",
        encoding="utf-8",
    )
    for at in range(40):
        (tmp_path / f"{at}.md").write_text(
            f"# Meeting {at}\n\n## Reason\n\nThe {at}. plan is late.\n", encoding="utf-8"
        )
    settings = load_settings(home=tmp_path / "home")
    report = await fathom.research("Why did the shop show no prices in May?", documents=[tmp_path], settings=settings)

    order = ("**Outage in May › Seen** [S1]", "**Reason** [S1]", "**Mended** [S1]")
    places = [report.markdown.index(each) for each in order]
    assert places == sorted(places) and "Meeting" not in report.markdown.partition("## Sources")[0]


async def test_a_name_in_a_question_that_no_passage_has_is_said_to_be_missing(tmp_path: Path) -> None:
    (tmp_path / "policy.md").write_text(
        "# Travel insurance\n\nThe policy pays 3000 euros a person.\n", encoding="utf-8"
    )
    (tmp_path / "boat.md").write_text("# Boat\n\nFor the boat our policy has 500 in all.\n", encoding="utf-8")
    settings = load_settings(home=tmp_path / "home")
    report = await fathom.research("Would our policy be cheaper with Aviva?", documents=[tmp_path], settings=settings)
    note = "None of these passages mentions “Aviva”."

    assert report.outcome == "closest" and report.subtasks[0].unsaid == ("Aviva",)
    assert "## More on this" in report.markdown
    assert report.markdown.count(note) == html.render(report).count(note) == 1
    assert all(note in formats.get(name)(report) for name in ("summary", "bullets"))


async def test_words_that_two_passages_hold_by_chance_answer_nothing(tmp_path: Path) -> None:
    (tmp_path / "shed.md").write_text("# Shed\n\nThe glass greenhouse is swept on Fridays.\n", encoding="utf-8")
    (tmp_path / "club.md").write_text("# Club\n\nInsurance against hail is dear, said Jo.\n", encoding="utf-8")
    settings = load_settings(home=tmp_path / "home")
    asked = "Is the glass of the greenhouse covered by our insurance against hail damage?"
    report = await fathom.research(asked, documents=[tmp_path], settings=settings)

    assert report.outcome == "closest"


async def test_a_comparison_of_what_one_text_tells_together_is_one_thing(tmp_path: Path) -> None:
    (tmp_path / "suites.md").write_text("# Suites\n\nTesting is calmer than unstable.\n", encoding="utf-8")
    settings = load_settings(home=tmp_path / "home")
    asked = "What is the difference between testing and unstable?"
    report = await fathom.research(asked, documents=[tmp_path], settings=settings)

    assert len(report.subtasks) == 1


async def test_a_word_that_what_comes_closest_lacks_brings_the_passage_that_has_it(tmp_path: Path) -> None:
    (tmp_path / "saturdays.md").write_text(
        "# Saturdays\n\nOn a Saturday three people have to be in, and on a Saturday in May all people.\n",
        encoding="utf-8",
    )
    (tmp_path / "rota.md").write_text("# Rota\n\nA swap counts once the app has it.\n", encoding="utf-8")
    settings = load_settings(home=tmp_path / "home")
    asked = "How many people have to be in on a Saturday after a swap with somebody from Grimsby?"
    report = await fathom.research(asked, documents=[tmp_path], settings=settings)

    assert report.outcome == "closest" and report.subtasks[0].unsaid == ("Grimsby",)
    assert {claim.text for claim in report.claims} >= {"A swap counts once the app has it."}


async def test_a_version_is_known_by_the_number_or_the_month_in_the_name_of_its_file(tmp_path: Path) -> None:
    for name, days in (("2024-03", 20), ("2024-11", 25)):
        text = f"# Leave at the mill\n\nStaff of the mill get {days} days of leave.\n"
        (tmp_path / f"leave rules {name}.md").write_text(text, encoding="utf-8")
    settings = load_settings(home=tmp_path / "home")
    report = await fathom.research("How much leave do staff of the mill get?", documents=[tmp_path], settings=settings)

    assert report.markdown.index("25 days") < report.markdown.index("(older)") < report.markdown.index("20 days")


async def test_a_table_of_few_words_is_told_and_its_empty_first_cell_kept(tmp_path: Path) -> None:
    table = "| | 2023 | 2024 |\n|---|---|---|\n| Income | 38 412 € | 44 905 € |\n| Costs | 37 960 € | 46 288 € |\n"
    (tmp_path / "accounts.md").write_text(f"# Accounts of the club\n\n{table}", encoding="utf-8")
    settings = load_settings(home=tmp_path / "home")
    report = await fathom.research("What was the income of the club?", documents=[tmp_path], settings=settings)

    assert "|  | 2023 | 2024 |\n| --- | --- | --- |\n| Income | 38 412 € | 44 905 € |" in report.markdown
