"""JSON in what models write."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fathom.reasoners.language_model.json_text import WrittenBlocks, answer_in, finished_part, json_object

texts = st.text(st.sampled_from('{}[]":,\\ntu0 \n`ab<think>/é😀1.-') | st.characters(), max_size=200)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=10,
)
objects = st.dictionaries(st.text(max_size=6) | st.just("text"), values | st.text(), max_size=4)


@given(texts)
def test_any_text_holds_an_object_or_is_a_value_error(text: str) -> None:
    try:
        value = json_object(text)
    except ValueError:
        return
    assert isinstance(value, dict)


@given(objects, st.sampled_from(["", "Here it is:\n", "```json\n", "<think>{ }</think>\n"]), st.booleans())
def test_an_object_is_found_behind_what_models_put_before_it(value: dict[str, Any], before: str, indent: bool) -> None:
    assert json_object(before + json.dumps(value, indent=2 if indent else None)) == value


@pytest.mark.parametrize(
    "thoughts",
    [
        "Two and three … </think>",
        "<think>Two {and} three</think>",
        "<think>Is it <think>four</think>? No.</think>\n",
        "[THINK]Two and three[/THINK]",
        "<reasoning>two</reasoning>",
        '<thinking>{"total": 4}</thinking>',
        "<|channel|>analysis<|message|>Two and three<|end|><|start|>assistant<|channel|>final<|message|>",
        "<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>",
    ],
)
@pytest.mark.parametrize("answer", ['{"total": 5}', '{"total": 5, "text": "It ends in </think>, or [/THINK]."}'])
def test_thoughts_are_no_answer_however_they_are_marked(thoughts: str, answer: str) -> None:
    assert json_object(thoughts + answer) == json.loads(answer)


@pytest.mark.parametrize("text", ["<think>Two", "[THINK]Two", "<|channel|>analysis<|message|>Two", "<reasoning>"])
def test_thoughts_without_an_end_are_no_answer(text: str) -> None:
    assert answer_in(text) == ""


@given(st.lists(objects, min_size=1, max_size=4), st.integers(min_value=0))
def test_of_a_cut_answer_the_items_are_kept_that_came_whole(items: list[dict[str, Any]], cut: int) -> None:
    whole = json.dumps({"items": items, "more": True}, ensure_ascii=False)
    try:
        kept = finished_part(whole[: cut % (len(whole) + 1)])
    except ValueError:
        return
    *before, last = kept["items"]
    assert before == items[: len(before)]
    assert last.keys() <= items[len(before)].keys()  # it may be cut within a list of its own


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "{" * 500_000])
def test_an_endless_answer_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="the answer"):
        json_object(text)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_what_is_no_number_is_a_value_error(number: str) -> None:
    with pytest.raises(ValueError, match="the answer holds"):
        json_object(f'{{"share": {number}}}')


def test_a_line_break_within_a_string_is_no_mistake() -> None:
    assert json_object('{"text": "one\ntwo"}') == {"text": "one\ntwo"}


TEXTS = st.text(st.sampled_from('ab "\\\n[]{}é海') | st.characters(exclude_categories=["Cs"]), max_size=12).map(
    "x".__add__
)
BLOCKS = st.fixed_dictionaries({"kind": st.just("list"), "text": TEXTS, "items": st.lists(TEXTS, max_size=3)})
SECTIONS = st.tuples(TEXTS, st.lists(BLOCKS, min_size=1, max_size=3)).map(
    lambda each: {"heading": each[0], "blocks": each[1]}
)
REPORTS = st.fixed_dictionaries({"lead": st.lists(TEXTS, min_size=1, max_size=3), "sections": st.lists(SECTIONS)})


@given(REPORTS, st.booleans(), st.booleans(), st.lists(st.integers(0, 300), max_size=8))
def test_what_is_shown_on_the_way_is_every_block_but_the_last_each_once(
    report: dict[str, Any], ascii_only: bool, turned: bool, cuts: list[int]
) -> None:
    names = ("sections", "lead") if turned else ("lead", "sections")
    whole = json.dumps({name: report[name] for name in names}, ensure_ascii=ascii_only)
    ends = [*sorted({min(cut, len(whole)) for cut in cuts}), len(whole)]
    blocks = WrittenBlocks("Summary", step=1)

    shown = [each for start, end in zip([0, *ends], ends, strict=False) for each in blocks.read(whole[start:end])]

    lead = ("Summary", " ".join(report["lead"]))
    sections = [(section["heading"], _said(block)) for section in report["sections"] for block in section["blocks"]]
    every = [*sections, lead] if turned else [lead, *sections]
    assert [_letters(*each) for each in shown] == [_letters(*each) for each in every[:-1]]


@given(texts)
@example("{\ud800")
@example('{"lead": ["one \ud83d')
def test_no_piece_of_text_is_too_odd_to_be_read_on_the_way(text: str) -> None:
    blocks = WrittenBlocks("Summary", step=1)
    for char in text:
        blocks.read(char)


def _said(block: dict[str, Any]) -> str:
    """Its texts in their order."""
    return " ".join(
        " ".join(each) if isinstance(each, list) else each for name, each in block.items() if name != "kind"
    )


def _letters(*texts: str) -> list[str]:
    return ["".join(filter(str.isalnum, text)) for text in texts]
