"""What the extractive reasoner makes of a question."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fathom.asks import PlanResearch
from fathom.evidence import Retrieval, SourceDescription
from fathom.plan import MasterPlan, Mode
from fathom.reasoners.extractive.plan import plan_research
from fathom.reasoners.extractive.question import read_question
from tests.support.reasoner_pages import page


def plan(
    query: str,
    *,
    language: str = "en",
    most: int = 6,
    preview: Retrieval | None = None,
    mode: Mode = "auto",
    sources: tuple[SourceDescription, ...] = (),
) -> MasterPlan:
    return plan_research(
        PlanResearch(
            query=query,
            language=language,
            sources=sources,
            max_questions=most,
            preview=preview or Retrieval(),
            mode=mode,
        )
    )


def asked(query: str) -> list[str]:
    return [subtask.description for subtask in plan(query).subtasks]


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("Who is Guido van Rossum?", "en"),
        ("What is LangGraph?", "en"),
        ("How does one read and write files?", "en"),
        ("What do I have to do when replication stops because of a conflict?", "en"),
        ("rsync には他のコピー方法と比べてどんな利点がありますか。", "ja"),
    ],
)
def test_a_question_that_asks_one_thing_stays_one_subtask(query: str, language: str) -> None:
    found = plan(query, language=language)
    assert len(found.subtasks) == 1 and found.execution_mode == "simple" and found.strategy is None


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        (
            "Why are keys not enforced, and which indexes do columns need?",
            ["Why are keys not enforced", "Which indexes do columns need"],
        ),
        (
            "Why does a tide rise? Where do whirlpools come from?",
            ["Why does a tide rise", "Where do whirlpools come from"],
        ),
        ("Explain tides and currents and compare waves with swell", None),
        (
            "In which order are middleware called, is the order fixed, and who sets it?",
            ["In which order are middleware called", "Is the order fixed", "Who sets it"],
        ),
    ],
)
def test_a_question_divides_at_its_own_clauses(query: str, parts: list[str] | None) -> None:
    clauses = [clause.text for clause in read_question(query, language="en").clauses]
    if parts is None:
        assert clauses == ["Explain tides and currents", "compare waves with swell"]
    else:
        assert [clause.lower() for clause in clauses] == [part.lower() for part in parts]


@pytest.mark.parametrize(
    ("query", "clauses"),
    [
        ("設定ファイルはどこに置かれ、ログはどこにありますか。", 2),
        ("名前を変えたいときの手順と、二つの形式の違いを教えてください。", 2),
        ("起動の仕組みと段階を教えてください。また、ログはどこにありますか。", 2),
        ("設定ファイルはどこに置かれ、いくつありますか。", 2),
        ("テストを行うべきですか。", 1),
    ],
)
def test_a_japanese_question_divides_at_its_own_clauses(query: str, clauses: int) -> None:
    assert len(read_question(query, language="ja").clauses) == clauses


def test_a_relative_clause_does_not_divide() -> None:
    assert (
        len(read_question("How do I set a limit, which is in bytes, when the file is open?", language="en").clauses)
        == 1
    )


def test_a_comparison_depends_on_the_things_that_it_compares() -> None:
    found = plan("Compare React and Vue frameworks")

    assert [subtask.focus_area for subtask in found.subtasks[:2]] == ["React", "Vue"]
    assert found.subtasks[2].dependencies == ("task_1", "task_2")
    assert found.strategy == "comparative" and found.execution_mode == "hierarchical"
    assert all(subtask.estimated_importance == 1.0 for subtask in found.subtasks)


def test_a_japanese_comparison_names_its_sides() -> None:
    found = plan("PostgreSQLとMySQLの違いは何ですか。", language="ja")
    assert [subtask.focus_area for subtask in found.subtasks[:2]] == ["PostgreSQL", "MySQL"]


def test_what_is_asked_of_a_list_is_asked_of_each() -> None:
    assert asked("min_size, max_size and fill_rate: what do they do and how are they set?") == [
        "min_size: what does it do, how is it set",
        "max_size: what does it do, how is it set",
        "fill_rate: what does it do, how is it set",
    ]


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("Our washing machine leaks. Who do I call?", ["Our washing machine leaks. Who do I call"]),
        ("集会所を借りたい。いくらかかりますか。", ["集会所を借りたい いくらかかりますか"]),
        ("Ich will ein Regal aufhängen. Ist das erlaubt, und wer bohrt?", ["Ist das erlaubt, und wer bohrt"]),
    ],
)  # fmt: skip
def test_what_says_little_by_itself_is_asked_with_what_stands_before_it(query: str, parts: list[str]) -> None:
    language = "ja" if "。" in query else "de" if query.startswith("Ich") else "en"
    assert [clause.text for clause in read_question(query, language=language).clauses] == parts


@pytest.mark.parametrize(
    ("query", "second"),
    [
        ("Can we celebrate in the village hall, and what does that cost?",
         "Can we celebrate in the village hall what does that cost"),
        ("How many swans came in 1998 and how many in 2022?", "How many swans came in 1998 how many in 2022"),
        ("What did the choir decide about the tour, and who orders the scores for it?",
         "What did the choir decide about the tour who orders the scores for it"),
        ("I'd like to know how to cancel a booking, who has to be told, and whether the deposit comes back.",
         "how to cancel a booking who has to be told"),
        ("井戸は誰が管理していて、点検はいつですか。", "井戸 点検はいつですか"),
    ],
)  # fmt: skip
def test_what_says_little_by_itself_is_looked_for_with_what_the_part_before_is_about(query: str, second: str) -> None:
    assert plan(query, language="ja" if "。" in query else "en").subtasks[1].queries[0].text == second


@pytest.mark.parametrize(
    ("query", "searched"),
    [
        ("Background, current state and risks of partial clone",
         ["Background of partial clone", "current state of partial clone", "risks of partial clone"]),
        ("Can you give me an overview of the purpose, the rules and the deadlines of the hardship fund?",
         ["purpose of the hardship fund", "rules of the hardship fund", "deadlines of the hardship fund"]),
        ("Tell me about the origin, symptoms and treatment of foulbrood, I'm new to this so plain words please",
         ["origin of foulbrood", "symptoms of foulbrood", "treatment of foulbrood"]),
        ("町内会の倉庫の目的と管理者と点検の頻度",
         ["町内会の倉庫の目的", "町内会の倉庫 管理者", "町内会の倉庫 点検の頻度"]),
        ("免許制度について、対象者、手続き、費用を教えてください。",
         ["免許制度について 対象者", "免許制度について 手続き", "免許制度について 費用"]),
    ],
)  # fmt: skip
def test_each_aspect_of_a_topic_is_looked_for_with_the_topic(query: str, searched: list[str]) -> None:
    found = plan(query, language="ja" if not query.isascii() else "en").subtasks
    assert [each.queries[0].text for each in found] == searched


@pytest.mark.parametrize(
    ("query", "sides"),
    [
        ("How does our login system compare with OAuth2 best practices?",
         ["our login system", "OAuth2 best practices login system"]),
        ("Is our sick pay more generous than what other employers offer?",
         ["our sick pay", "other employers offer sick pay"]),
        ("Compare gas and wood with regard to running costs, as a table",
         ["gas with regard to running costs", "wood with regard to running costs"]),
        ("当社の残業手当は、同業他社と比べてどうですか。", ["当社の残業手当", "同業他社 残業手当"]),
        ("うちの会社の休暇と、法律で決まっていることとを比べて",
         ["うちの会社の休暇", "法律で決まっていること 会社の休暇"]),
    ],
)  # fmt: skip
def test_each_side_of_a_comparison_is_looked_for_with_what_is_compared(query: str, sides: list[str]) -> None:
    found = plan(query, language="ja" if not query.isascii() else "en").subtasks
    assert [each.queries[0].text for each in found[:2]] == sides


def test_what_only_frames_a_question_or_wishes_for_a_form_is_no_part() -> None:
    framed = "We moved in May and the roof leaks. What I need is who repairs the roof, who pays and when it is dry."
    assert [each.queries[0].text for each in plan(framed).subtasks] == [
        "who repairs the roof",
        "who repairs the roof who pays",
        "who repairs the roof when it is dry",
    ]
    leaving = "I'm moving out in May, so I need to know who I have to tell and how early, and where the cardboard goes."
    assert [each.queries[0].text for each in plan(leaving).subtasks] == [
        "I'm moving out in May who I have to tell",
        "I'm moving out in May who I have to tell how early",
        "I'm moving out in May who I have to tell where the cardboard goes",
    ]
    assert asked("Explain strings, lists and tuples. Keep it brief, thanks.") == ["Strings", "Lists", "Tuples"]


def test_a_part_that_speaks_of_it_is_looked_for_with_the_part_before() -> None:
    parts = plan("Who discovered Orlethfordin and what is its half-life?").subtasks
    assert parts[1].description == "Who discovered Orlethfordin: what is its half-life?"
    assert parts[1].queries[0].text == "Who discovered Orlethfordin what is its half-life"


def test_the_topic_before_a_colon_holds_for_every_clause() -> None:
    found = plan("WITHOUT ROWID tables: what are the restrictions and when do they pay off?")
    assert all("WITHOUT ROWID tables" in subtask.description for subtask in found.subtasks)


def test_what_stands_before_what_is_asked_is_what_that_is_about_and_no_part() -> None:
    found = plan("Waste carrier licence, when does it run out and who renews it?").subtasks
    assert [each.queries[0].text for each in found] == [
        "Waste carrier licence when does it run out",
        "Waste carrier licence who renews it",
    ]
    assert len(plan("boiler service, when is it due?").subtasks) == 1


def test_what_the_user_stresses_is_more_important_than_the_rest() -> None:
    found = plan("Explain checkpoints in detail, and how does replication work?")
    assert [subtask.estimated_importance for subtask in found.subtasks] == [1.0, 0.8]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (
            "日本のAI研究の歴史、現状、将来について詳しく説明してください。特に第五世代コンピュータと深層学習について",
            {
                "日本のAI研究の歴史": 0.8,
                "日本のAI研究の現状": 0.8,
                "日本のAI研究の将来": 0.8,
                "第五世代コンピュータ": 1.0,
                "深層学習": 1.0,
            },
        ),
        (
            "ネットワーク設定について、特に DNS と無線 LAN を詳しく教えていただけますか？",
            {"ネットワーク設定": 0.8, "DNS": 1.0, "無線 LAN": 1.0},
        ),
        (
            "Explain the history and future of tides, especially spring tides and the tidal bore",
            {"History of tides": 0.8, "Future of tides": 0.8, "Spring tides": 1.0, "Tidal bore": 1.0},
        ),
        (
            "How are exceptions handled? In particular, cover exception groups.",
            {"How are exceptions handled?": 0.8, "Exception groups": 1.0},
        ),
        ("Describe import in detail, with a focus on loaders", {"Import": 0.8, "Loaders": 1.0}),
        ("Explain in detail about loaders", {"Loaders": 1.0}),
        (
            "Hello! I'd like an in-depth report about vacuum, with special attention to freezing. Thanks.",
            {"Vacuum": 0.8, "Freezing": 1.0},
        ),
        (
            "深層学習に焦点を当てて日本のAIの概要を説明してください。",
            {"日本のAIの概要": 0.8, "深層学習": 1.0},
        ),
    ],
)
def test_what_is_asked_for_by_name_is_a_subtask_of_its_own(query: str, wanted: dict[str, float]) -> None:
    found = plan(query, language="ja" if "。" in query or "？" in query else "en", most=10)
    if len(wanted) > 1:
        assert {each.description: each.estimated_importance for each in found.subtasks} == wanted
    assert {each.focus_area for each in found.subtasks} == set(wanted)


def test_a_stressed_circumstance_is_not_a_thing_asked_for_by_name() -> None:
    assert len(plan("How do locks behave, especially when a table is large?").subtasks) == 1


def test_what_is_asked_for_by_name_is_kept_apart_when_the_plan_is_short() -> None:
    found = plan("How are indexes built, why do locks wait, who owns tables, especially invalidation?", most=3)
    assert [each.focus_area for each in found.subtasks if each.estimated_importance == 1.0] == ["Invalidation"]
    assert len(found.subtasks) == 3 and "owns" in found.subtasks[1].description


@pytest.mark.parametrize(
    ("query", "descriptions"),
    [
        (
            "Explain how name scoping works and how exceptions are handled",
            ["How name scoping works", "How exceptions are handled"],
        ),
        (
            "How are values bound, and can one connection be shared between threads?",
            ["How are values bound?", "Can one connection be shared between threads?"],
        ),
        (
            "Compare generators and coroutines",
            [
                "Generators (compared with coroutines)",
                "Coroutines (compared with generators)",
                "Generators and coroutines compared",
            ],
        ),
        (
            "What does 'yield from' do, and when should I use it?",
            ["What does 'yield from' do?", "What does 'yield from' do: when should I use it?"],
        ),
        (
            "Why do my messages appear twice, and how does a logger find out its effective level?",
            ["Why do my messages appear twice?", "How does a logger find out its effective level?"],
        ),
        ("Tell me about strings, lists and dictionaries", ["Strings", "Lists", "Dictionaries"]),
        ("strings, lists and dictionaries", ["Strings", "Lists", "Dictionaries"]),
        (
            "First explain how to install PostgreSQL, then how to configure it, and finally how to monitor it.",
            [
                "How to install PostgreSQL",
                "How to install PostgreSQL: how to configure it",
                "How to install PostgreSQL: how to monitor it",
            ],
        ),
        (
            "Give me a guide to backup: base backups, WAL archiving and point-in-time recovery",
            ["Backup: base backups", "Backup: WAL archiving", "Backup: point-in-time recovery"],
        ),
        (
            "Which is better, GIN or GiST?",
            ["GIN (compared with GiST)", "GiST (compared with GIN)", "Which is better, GIN or GiST?"],
        ),
        (
            "How does the json module treat repeated names, and is it safe to parse untrusted input?",
            [
                "How does the json module treat repeated names?",
                "How does the json module treat repeated names: is it safe to parse untrusted input?",
            ],
        ),
        (
            "What changed before and after version 9.6 in parallel query?",
            ["What changed before version 9.6 in parallel query?", "What changed after version 9.6 in parallel query?"],
        ),
        ("文字コードとロケールと入力メソッドについて説明してください。", ["文字コード", "ロケール", "入力メソッド"]),
        (
            "暗号化の背景、現状、課題、対策を徹底的に調べてください。",
            ["暗号化の背景", "暗号化の現状", "暗号化の課題", "暗号化の対策"],
        ),
        (
            "まずインストール方法、次に設定方法、最後に削除方法を説明してください。",
            ["インストール方法", "設定方法", "削除方法"],
        ),
        (
            "1990年代と2000年代の音楽の違いを教えてください。",
            [
                "1990年代の音楽（2000年代の音楽との比較）",
                "2000年代の音楽（1990年代の音楽との比較）",
                "1990年代と2000年代の音楽の違い",
            ],
        ),
        (
            "apt、dpkg、rpm はそれぞれ何をするものですか。",
            [f"{it} は何をするものですか" for it in ("apt", "dpkg", "rpm")],
        ),
        ("Explain max_size, min_size and fill_rate", ["max_size", "min_size", "fill_rate"]),
    ],
)
def test_a_description_reads_as_a_person_would_write_it(query: str, descriptions: list[str]) -> None:
    assert [each.description for each in plan(query, language="ja" if "。" in query else "en").subtasks] == descriptions


@pytest.mark.parametrize(
    ("query", "focus"),
    [
        ("What are the limitations of partitioned tables?", "Limitations of partitioned tables"),
        ("What is a replication slot?", "Replication slot"),
        ("What is git rerere good for?", "What is git rerere good for?"),
        ("Tides in the North Sea: benefits and dangers", "Tides in the North Sea: benefits and dangers"),
        ("How does Python resolve names in nested scopes?", "How does Python resolve names in nested scopes?"),
        ("起動の仕組みは？", "起動の仕組み"),
        ("rsync とは何ですか。", "rsync とは何か"),
        ("二つの方法を比較してください。", "二つの方法の比較"),
    ],
)
def test_a_simple_question_is_headed_by_what_it_asks(query: str, focus: str) -> None:
    assert plan(query, language="ja" if "。" in query or "？" in query else "en").subtasks[0].focus_area == focus


@pytest.mark.parametrize(
    ("query", "language", "chained"),
    [
        ("History, current state and future of tides", "en", True),
        ("潮の歴史、現状、将来をまとめてください。", "ja", True),
        ("What did sailors eat in 1800 and 1900?", "en", False),
        ("1990年代と2000年代の主な出来事を挙げてください。", "ja", False),
    ],
)
def test_a_period_needs_the_one_before_it_only_when_the_question_asks_for_change(
    query: str, language: str, *, chained: bool
) -> None:
    found = plan(query, language=language)
    assert found.strategy == "temporal" and len(found.subtasks) > 1
    assert all(bool(subtask.dependencies) == chained for subtask in found.subtasks[1:])


def test_periods_make_a_temporal_plan_whose_steps_follow_each_other() -> None:
    found = plan("How did vacuuming change from 2005 to 2020?")
    assert found.strategy == "temporal" and found.subtasks[1].dependencies == ("task_1",)


def test_a_comprehensive_question_on_one_thing_stays_one() -> None:
    pages = [
        page("Vacuuming", ("paragraph", "Vacuuming removes dead rows."), headings=("Vacuuming", "Updating statistics")),
        page("Vacuum", ("paragraph", "Vacuuming needs workers."), headings=("Vacuuming", "The daemon")),
    ]
    preview = Retrieval(documents=tuple(d for d, _ in pages), passages=tuple(p for _, p in pages))

    found = plan("Give me a comprehensive overview of vacuuming", preview=preview)

    assert [subtask.focus_area for subtask in found.subtasks] == ["Vacuuming"]
    assert "nothing to divide it by" in found.complexity_reasoning


def test_simple_mode_asks_every_clause_in_one_subtask() -> None:
    found = plan("What is a tide, and why do whirlpools turn?", mode="simple")
    assert len(found.subtasks) == 1 and len(found.subtasks[0].queries) == 2


@pytest.mark.parametrize("most", [1, 2, 3])
def test_nothing_that_was_asked_is_lost_when_the_plan_is_short(most: int) -> None:
    found = plan("What is a cache, how does it fill, when is it emptied, and who owns it?", most=most)
    texts = " ".join(query.text for subtask in found.subtasks for query in subtask.queries)
    assert len(found.subtasks) <= most
    assert all(word in texts for word in ("fill", "emptied", "owns"))


@settings(deadline=None, max_examples=max(20, settings().max_examples // 5))
@given(st.text(min_size=1, max_size=300).filter(str.strip), st.sampled_from(["en", "ja"]), st.integers(1, 10))
def test_every_text_becomes_a_sound_plan(query: str, language: str, most: int) -> None:
    found = plan(query, language=language, most=most)
    assert 1 <= len(found.subtasks) <= most
    assert (found.execution_mode == "simple") == (len(found.subtasks) == 1)


@settings(deadline=None, max_examples=max(20, settings().max_examples // 5))
@given(
    st.lists(
        st.sampled_from(
            "how does it and , what is a tide ? compare x with y 、 と 違い は 何 ですか 。 : in 2020".split()
        ),
        min_size=1,
        max_size=40,
    )
)
@example(["?", "違い", "?"])
def test_words_of_asking_in_any_order_become_a_sound_plan(words: list[str]) -> None:
    assert 1 <= len(plan(" ".join(words)).subtasks) <= 6


def test_a_difference_behind_a_list_is_a_part_of_its_own() -> None:
    parts = asked("Explain BEFORE and AFTER triggers, and the difference between row-level and statement-level firing.")
    assert parts[0] == "BEFORE and AFTER triggers"
    assert parts[-1] == "Difference between row-level and statement-level firing"
