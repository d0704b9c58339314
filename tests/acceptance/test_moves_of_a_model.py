"""The seeds' examples with a model that makes their moves, over the wire: each is carried out, bounded and replayed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fathom.events import PlanRevised
from tests.acceptance.minds import Mind, part, settings_of, shallow
from tests.support.asking import AUTH, CORPORA, PERIODS, TOPIC, WALK, Ran, ask, web_of


async def with_model(mind: Mind, question: str, home: Path, **options: Any) -> Ran:
    with mind.at_work() as server:
        ran = await ask(question, home, settings=settings_of(server), **options)
    assert ran.report.stand_ins == {}, "the model has answered every ask"
    return ran


async def test_an_overview_is_found_insufficient_and_refined_once(tmp_path: Path) -> None:
    """S0.55."""
    question = "How does photosynthesis work?"
    wanting = shallow(
        missing=("the light-dependent reactions", "the light-independent reactions"),
        queries=("light reactions thylakoid", "Calvin cycle RuBisCO"),
    )
    mind = Mind(
        [part(question, "photosynthesis process")],
        {question: [wanting]},
        looks_for={question: ("chemical energy", "two stages", "thylakoid membranes", "RuBisCO fixes")},
    )
    with web_of(CORPORA / "plants" / "web") as web:
        ran = await with_model(mind, question, tmp_path, web=web)
    assert ran.plan.execution_mode == "simple"
    assert ran.rounds == 2 and [route for route in ran.routes if route == "allocate"] == ["allocate"]
    assert ran.told("chemical energy") and ran.told("thylakoid") and ran.told("RuBisCO")
    assert "Glycolysis" not in ran.report.markdown


async def test_own_matters_best_practice_gaps_and_migration_are_four_parts(
    tmp_path: Path,
) -> None:
    """S0.56."""
    mind = Mind(
        [
            part("How does our authentication system work?", "our authentication system JWT", focus="Current State"),
            part("What do OAuth2 best practices ask for?", "OAuth 2.0 best practices PKCE", focus="Industry Standards"),
            part(
                "Where does our authentication system fall short of industry best practices?",
                "known weaknesses PKCE redirect addresses",
                focus="Gap Analysis",
                after=(1, 2),
            ),
            part("How is a migration to OAuth2 done?", "migrating to OAuth 2.0 phases", focus="Migration", after=(3,)),
        ],
        looks_for={
            "How does our authentication system work?": ("HS256", "Sessions are custom", "valid for 24 hours"),
            "What do OAuth2 best practices ask for?": ("RFC 9700", "exactly.", "short time", "with PKCE; the"),
            "Where does our authentication system fall short of industry best practices?": ("No PKCE", "by prefix"),
            "How is a migration to OAuth2 done?": ("in phases", "beside the existing login", "switch off"),
        },
    )
    with web_of(CORPORA / "auth" / "web") as web:
        ran = await with_model(mind, AUTH, tmp_path, documents=CORPORA / "auth" / "own", web=web)
    assert ran.started == ["task_1", "task_2", "task_3", "task_4"] or ran.started[2:] == ["task_3", "task_4"]
    assert ran.asked["task_1"] == {"knowledge"} and "web" in ran.asked["task_2"]
    assert ran.asked["task_3"] == {"knowledge", "web"} and "web" in ran.asked["task_4"]
    assert ran.told("HS256") and ran.told("exactly") and ran.told("phases")
    assert ran.kinds() == {"file", "web"} and "coffee" not in ran.report.markdown


async def test_the_shallow_one_of_two_is_drilled_into_two_children_below_it(tmp_path: Path) -> None:
    """S1.54."""
    python = "What characterises Python?"
    mind = Mind(
        [
            part(python, "Python programming language", focus="Python"),
            part("What characterises Ruby?", "Ruby programming language", focus="Ruby"),
            part("How do Python and Ruby differ?", "Python Ruby", focus="Differences", after=(1, 2)),
        ],
        {python: [shallow("the GIL", "PyPI")] * 2},
    )
    ran = await with_model(mind, "Compare Python and Ruby", tmp_path, documents=CORPORA / "languages")
    assert ran.opened == ["the GIL", "PyPI"]
    children = [task for task in ran.report.subtasks if task.parent_id]
    assert [(task.subtask_id, task.parent_id, task.depth) for task in children] == [
        ("task_1.1", "task_1", 1),
        ("task_1.2", "task_1", 1),
    ]
    assert all(task.reason.startswith("task_1 ") for task in children), "what it is that lacks them"
    assert ran.told("one thread at a time") and ran.told("500,000")
    order = [id for id in ran.ended if id.startswith("task_1")]
    assert order.index("task_1") == 2, "a parent ends behind its children"


async def test_always_deeper_ends_at_the_depth_limit_in_japanese(tmp_path: Path) -> None:
    """S1.55: a model that finds every part shallow for ever."""
    questions = ("日本のAI研究の歴史は何か", "日本のAI研究の現状は何か", "日本のAI研究の今後の展望は何か")
    mind = Mind([part(each, each, focus=each[7:-3]) for each in questions])
    mind.read = always_shallow(mind.read)  # type: ignore[method-assign]
    ran = await with_model(mind, PERIODS, tmp_path, documents=CORPORA / "ai_ja", limits={"max_reflections": 0})
    depths = [task.depth for task in ran.report.subtasks]
    assert max(depths) == 2 and len(depths) <= 20
    assert [task.description for task in ran.plan.subtasks] == [*questions]
    assert ran.of(PlanRevised) == [], "the plan stands; it is only deepened"
    assert ran.told("1959年") and ran.told("2030年")


def always_shallow(read: Any) -> Any:
    def judged(prompt: Any) -> dict[str, Any]:
        told = read(prompt)
        areas = [] if "Name no areas" in prompt.system else ["研究機関", "政府の支援"]
        return {**told, "evaluation": shallow(*areas, missing=("詳細",), queries=("研究機関の詳細",))}

    return judged


async def test_a_discovery_in_the_history_adds_two_parts_that_are_researched(tmp_path: Path) -> None:
    """S1.58."""
    history = "日本のAI研究の歴史は何か"
    found = {
        "reasoning": "第五世代コンピュータプロジェクトの国際的影響が大きい",
        "revise": True,
        "trigger": "new_topic",
        "impact": 0.9,
        "add": [
            part("第五世代コンピュータプロジェクトに各国はどう対抗したか", "国際的影響 MCC ESPRIT", focus="国際的反応"),
            part("欧州のAI研究計画と日本の計画はどう違うか", "アルヴェイ計画 欧州共同体", focus="欧米との比較"),
        ],
    }
    mind = Mind(
        [
            part(history, "日本のAI研究の歴史", focus="歴史"),
            part("日本のAI研究の現状は何か", "日本のAI研究の現状", focus="現状", after=(1,)),
            part("日本のAI研究の今後の展望は何か", "日本のAI研究の今後の展望", focus="未来", after=(2,)),
        ],
        discoveries={history: found},
    )
    ran = await with_model(mind, TOPIC, tmp_path, documents=CORPORA / "ai_ja")
    (revised,) = [each for each in ran.of(PlanRevised) if each.accepted]
    assert ran.added == ["国際的反応", "欧米との比較"] and "国際的影響" in revised.reason
    assert [task.reason for task in ran.report.subtasks[3:]] == [revised.reason] * 2
    assert [task.focus_area for task in ran.report.subtasks] == ["歴史", "現状", "未来", "国際的反応", "欧米との比較"]
    assert ran.told("ESPRIT") and set(ran.ended.values()) == {"completed"}


CHAPTERS = [
    part("日本のAI研究の歴史的背景（1950-1990年代）は何か", "日本のAI研究の歴史", focus="歴史"),
    part(
        "第五世代コンピュータプロジェクトの影響は何か",
        "第五世代コンピュータプロジェクト",
        focus="第五世代コンピュータ",
        after=(1,),
        importance=1.0,
    ),
    part("日本のAI研究の現状は何か", "日本のAI研究の現状", focus="現代の研究動向", after=(1,)),
    part(
        "日本のディープラーニングブームは第五世代とどう関連するか",
        "ディープラーニングブーム 第五世代",
        focus="ディープラーニング",
        after=(3,),
        importance=1.0,
    ),
    part("AIの社会的影響は何か", "AIの社会的影響", focus="社会的影響", after=(1, 3), importance=0.8),
    part("日本のAI研究の今後の展望は何か", "日本のAI研究の今後の展望", focus="今後の展望", after=(3, 4, 5)),
]


async def test_the_long_report_has_its_chapters_with_what_lies_below_them(tmp_path: Path) -> None:
    """S1.75."""
    mind = Mind(
        CHAPTERS,
        {
            CHAPTERS[0]["question"]: [shallow("新世代コンピュータ技術開発機構（ICOT）", "機械翻訳専用機「やまと」")],
            CHAPTERS[1]["question"]: [shallow("並列推論マシンPIM", "国際的影響")],
        },
        looks_for={
            CHAPTERS[0]["question"]: ("1950年代", "冬の時代"),
            CHAPTERS[1]["question"]: ("540億円", "述語論理"),
            CHAPTERS[2]["question"]: ("約2パーセント", "現在のAI研究の中心"),
            CHAPTERS[3]["question"]: ("連続性は乏しい", "Chainer", "ネオコグニトロン"),
            CHAPTERS[4]["question"]: ("49パーセント", "介護"),
            CHAPTERS[5]["question"]: ("2030年", "課題は電力"),
            "歴史: 新世代コンピュータ技術開発機構（ICOT）": ("推進母体",),
            "歴史: 機械翻訳専用機「やまと」": ("やまと",),
            "第五世代コンピュータ: 並列推論マシンPIM": ("PIM",),
            "第五世代コンピュータ: 国際的影響": ("ESPRIT",),
        },
    )
    limits = {"max_words": 5_000, "max_reflections": 0}
    ran = await with_model(mind, WALK, tmp_path, documents=CORPORA / "ai_ja", limits=limits)
    assert ran.opened[:2] == ["新世代コンピュータ技術開発機構（ICOT）", "機械翻訳専用機「やまと」"]
    assert len(ran.opened) == 4 and len(ran.report.subtasks) == 10
    done = [*ran.ended]
    for task in ran.report.subtasks:
        assert all(done.index(needed) < done.index(task.subtask_id) for needed in task.dependencies)
    for words in ("1959年", "ESPRIT", "PIM", "約2パーセント", "連続性は乏しい", "49パーセント", "2030年"):
        assert ran.told(words), words
    chapters = [section.subtask_id for section in ran.report.sections if section.role == "section"]
    assert [*dict.fromkeys(filter(None, chapters))] == [f"task_{number}" for number in range(1, 7)]
    assert any(section.role == "summary" for section in ran.report.sections)
    assert ran.report.not_found == ()
