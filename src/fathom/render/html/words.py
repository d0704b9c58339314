"""The words of a report in HTML that its Markdown has not: its notes, its table of contents, how it was made."""

from __future__ import annotations

from dataclasses import dataclass

from fathom.report import SupportStatus


@dataclass(frozen=True, kw_only=True)
class Words:
    """What stands in the HTML besides the phrases of the report. `{…}` marks what `str.format` fills in."""

    contents: str
    """Heading of the table of contents."""
    skip: str
    """Link past the table of contents."""
    notes: str
    """Heading of the footnotes."""
    made: str
    """Heading of how the report was made."""
    question: str
    """Before the question, when the title is another."""
    note: str
    """Names a footnote, for who cannot see its number: `{number}`."""
    back: str
    """Link back to the sentence: `{number}` is the how-manieth that cites the note."""
    close: str
    """Closes a note that stands over the text."""
    checked: str
    """The sentences that were checked: `{claims}`."""
    status: dict[SupportStatus, str]
    """What the mark behind a sentence means."""
    counted: dict[SupportStatus, str]
    """How many sentences have that status: `{count}`."""
    all_supported: str
    """Instead of the counts, when all are."""
    sources: str
    """How many sources are cited: `{count}`."""
    digest: str
    """Before the digest of a snapshot."""
    picture: str
    """What a picture shows, for who cannot see it: `{title}`."""
    answered_by: str
    """What answered the asks."""
    models: str
    """Models, with the number of their answers."""
    calls: str
    """Calls by kind."""
    tokens: str
    """Tokens sent and received."""
    told_tokens: str
    """`{sent}` and `{received}`."""
    cost: str
    """US dollars."""
    seconds: str
    """Wall time."""
    told_seconds: str
    """`{seconds}`."""
    date: str
    """When the report was written."""
    run: str
    """The run's id."""


_ENGLISH = Words(
    contents="Contents",
    skip="Skip to the report",
    notes="Notes",
    made="How this report was made",
    question="Question",
    note="Note {number}",
    back="Back to sentence {number}",
    close="Close",
    checked="{claims} sentences checked",
    status={
        "supported": "supported by what it cites",
        "partial": "only partly supported by what it cites",
        "unsupported": "not supported by what it cites",
        "uncited": "cites no source",
    },
    counted={
        "supported": "{count} supported",
        "partial": "{count} partly supported",
        "unsupported": "{count} not supported",
        "uncited": "{count} without a source",
    },
    all_supported="all supported",
    sources="sources cited: {count}",
    digest="SHA-256",
    picture="Chart: {title}. The table has the same figures.",
    answered_by="Reasoner",
    models="Models",
    calls="Calls",
    tokens="Tokens",
    told_tokens="{sent:,} sent, {received:,} received",
    cost="Cost",
    seconds="Time",
    told_seconds="{seconds:,.1f} s",
    date="Written",
    run="Run",
)

_JAPANESE = Words(
    contents="目次",
    skip="本文へ移動",
    notes="注",
    made="このレポートの作成方法",
    question="質問",
    note="注{number}",
    back="{number}番目の本文へ戻る",
    close="閉じる",
    checked="確認した文 {claims}件",
    status={
        "supported": "出典の裏付けあり",
        "partial": "出典の裏付けは一部のみ",
        "unsupported": "出典の裏付けなし",
        "uncited": "出典の表示なし",
    },
    counted={
        "supported": "裏付けあり {count}件",
        "partial": "一部のみ裏付けあり {count}件",
        "unsupported": "裏付けなし {count}件",
        "uncited": "出典なし {count}件",
    },
    all_supported="すべて裏付けあり",
    sources="引用した出典 {count}件",
    digest="SHA-256",
    picture="グラフ：{title}。同じ数値を表に示します。",
    answered_by="推論",
    models="モデル",
    calls="呼び出し",
    tokens="トークン",
    told_tokens="送信 {sent:,}、受信 {received:,}",
    cost="費用",
    seconds="時間",
    told_seconds="{seconds:,.1f}秒",
    date="作成日時",
    run="実行",
)

_BY_LANGUAGE = {"en": _ENGLISH, "ja": _JAPANESE}


def words(language: str) -> Words:
    """The words of a language, given as an ISO 639-1 code; of one that has none, the English ones.

    >>> words("ja").notes, words("fr").notes
    ('注', 'Notes')
    """
    return _BY_LANGUAGE.get(language, _ENGLISH)
