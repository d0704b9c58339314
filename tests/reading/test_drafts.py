"""The sentences of a text that claim something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.errors import ConfigurationError
from fathom.reading.drafts import claims_here, claims_in

DRAFT = """---
title: A draft
---
# The limit is in the heading

The **limit** is 64 pages [S1, S2]. It was [raised](https://example.org) last year.[^1] Who asked for it?

> Quoted: it holds for all.

- One point
- Two points:

| name | value |
|------|-------|
| limit | 64 |

```
x = 1
```

第一に、上限は64です[3]。次に進みます。

## References

- [1] The manual says 65.

### Of the second part

Nothing here either.

## After them

The end.
"""


def test_headings_code_questions_and_lists_of_sources_claim_nothing() -> None:
    assert claims_in(DRAFT.encode(), ".md") == [
        "The limit is 64 pages.",
        "It was raised last year.",
        "Quoted: it holds for all.",
        "One point",
        "limit | 64",
        "第一に、上限は64です。",
        "次に進みます。",
        "The end.",
    ]


def test_a_report_of_fathom_can_be_checked_though_it_is_no_source() -> None:
    assert claims_in(b"The limit is 64.\n\n<!-- written by Fathom -->\n", ".md") == ["The limit is 64."]


def test_the_sign_of_a_conclusion_joins_no_sentences_and_degrees_stay() -> None:
    draft = b"It costs nothing [S1], so it pays. [S1] [S2]\xc2\xb0 Keep it. [S3]\xc2\xb0 It is 5 \xc2\xb0C warm [S1]."
    assert claims_here(draft, ".md") == ["It costs nothing, so it pays.", "Keep it.", "It is 5 °C warm."]


def test_a_type_that_nothing_reads_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"\.xyz"):
        claims_in(b"x", ".xyz")


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_any_text_has_claims_without_ends_or_none(text: str) -> None:
    for claim in claims_here(text.encode(), ".txt"):
        assert claim == claim.strip() and claim
