"""The fixed phrases of a report, in the languages that have them; every other language gets the English ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fathom.data.results import Statistic
    from fathom.errors import StopReason
    from fathom.evidence import Lack
    from fathom.findings import Check


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """What a report says in words of its own. `{…}` marks what `str.format` fills in; counts are integers.

    Headings carry no markup and no final punctuation; sentences end as sentences do.
    """

    summary: str
    """Heading of the part that answers first."""
    key_findings: str
    """Heading of the list of claims that answer first."""
    conclusion: str
    """Heading."""
    answer: str
    """Heading of the passages that answer first."""
    further: str
    """Heading of what else bears on the question."""
    not_found: str
    """Heading of the list of what was asked for and not found."""
    not_found_intro: str
    """Sentence before that list."""
    nothing_found: str
    """The whole answer when no source holds one."""
    closest: str
    """Stands above passages that do not answer the question."""
    nothing_yet: str
    """The whole answer of a partial report that has found nothing."""
    sources: str
    """Heading of the numbered list."""
    limitations: str
    """Heading."""
    suggestions: str
    """Heading of what to research further."""
    contradictions: str
    """Heading of the claims that cannot all be true."""
    says: dict[str, str]
    """What a source says against another one, by kind: `{source}` names it, with its date, and `{claim}` is quoted."""
    dated: str
    """Behind the name of a source: its `{date}`."""
    undated_mark: str
    """Behind the name of a page whose date is not known."""
    your_documents: str
    """Heading of the sources that are the user's."""
    your_data: str
    """Heading of the sources that are datasets."""
    the_web: str
    """Heading of the sources that are pages."""
    natures: dict[str, str]
    """Who speaks on a page, as a word behind its site."""
    published: str
    """When a page was published: `{date}`."""
    read: str
    """When a page was read: `{date}`."""
    copy_of: str
    """A page says almost word for word what the source `{source}` says."""
    counted: str
    """Behind a count of a dataset: it was made of `{records}` records."""
    asked: str
    """When a dataset was asked: `{date}`."""
    more: dict[str, str]
    """Below a table that is cut: what it leaves out, `{groups}` and `{records}`, as far as known; of a histogram the
    groups are steps."""
    records: str
    """Heading of the column that counts."""
    measures: dict[Statistic, str]
    """Heading of a column with a measure of the field `{field}`."""
    data_read: dict[str, str]
    """Of the dataset `{name}`, `{scanned}` of `{matched}` matching records were read; the same when it is not known how
    many match, and when none does."""
    data_part: str
    """Names a dataset `{name}` and the part of the question that it was asked for, `{part}`."""
    data_total: str
    """Behind that: the records of the dataset, `{total}`."""
    data_capped: str
    """Behind that: why the rest was not read, `{why}`."""
    data_capped_by: str
    """Why: the option `{limit}` allows no more."""
    data_counted: dict[str, str]
    """Behind that: `{counted}` counts were made of all that match."""
    data_capped_note: dict[str, str]
    """Limitation: `{why}` kept records of `{name}` from being read; `known` when it is known how many match."""
    data_listed: str
    """Limitation: of `{found}` records that match, the report lists `{listed}`."""
    data_left_out: dict[str, str]
    """Limitation: `{words}` of the question were not understood; `one` word or `many`."""
    data_no_day: str
    """Limitation: the question names `{day}`, which no calendar has."""
    data_nothing: str
    """Limitation: no record of `{name}` matches what was asked for, `{what}`."""
    data_tables: dict[str, str]
    """Limitation: of the `{tables}` tables of `{name}` only `{asked}` was asked, `one` of them or `many`."""
    partial: dict[StopReason, str]
    """Why the report is partial, by reason."""
    partial_other: str
    """The same for any other `{reason}`."""
    footer: str
    """Counts of the sentences checked: `{claims}`, `{supported}`, `{partial}`, `{unsupported}`, `{uncited}`."""
    coverage: str
    """How much of `{what}` was looked at: `{total}`, `{matched}`, `{scanned}`, `{extracted}`."""
    looked_at: dict[str, str]
    """What was looked at: `documents`, `web`, or `both`."""
    run: str
    """Names the run: `{run_id}`, `{seconds}`, `{calls}`."""
    weak_mark: dict[str, str]
    """Mark behind a sentence whose status is not `supported`, by status."""
    weak_note: str
    """Says in the limitations that `{count}` sentences carry such a mark."""
    invented: str
    """Says in the limitations that `{count}` citations were dropped because they name nothing that was read."""
    passed_by: str
    stand_ins: str
    """Says in the limitations that `{count}` tasks were answered by rules and not by the model, and why."""
    written_with: str
    """Names the models that research and report were made with: `{models}`."""
    source_failed: str
    """Says in the limitations that the source `{name}` did not answer, and why: `{error}`."""
    lacks: dict[Lack, str]
    """Limitation: what was left out of searches for want of time."""
    single_source: str
    """Limitation: the whole report rests on one source."""
    single_origin: str
    """Limitation: `{count}` of `{claims}` sentences rest on pages of one site, or on copies of one page."""
    stale: str
    """Limitation: `{count}` sentences rest on old pages only, where it is asked what is current: `{sources}`."""
    undated: str
    """Limitation: pages without a date, though it is asked what is current: `{sources}`."""
    doubts: dict[Check, str]
    """Limitations by what was checked of the findings: `{what}` names parts of the question, `{count}` findings."""
    search_again: str
    """Suggestion: add documents about `{what}`."""
    look_deeper: str
    """Suggestion: research `{what}` in a run of its own."""
    resume: str
    """Suggestion of a partial report: go on with the run `{run_id}`."""
    full_stop: str
    """Ends a sentence."""
    colon: str
    """Ends a lead-in, the space behind it included."""
    comma: str
    """Stands between the parts of a list, the space behind it included."""

    def notice(self, reason: StopReason | str | None) -> str:
        """Why the report is partial; empty when it is not."""
        if reason is None:
            return ""
        known: dict[str, str] = {**self.partial}
        return known.get(reason) or self.partial_other.format(reason=reason)

    def says_of(self, kind: str, source: str, date: str, claim: str) -> str:
        """What a source says against another one, its mark `[S1]` and its date behind its name."""
        when = self.dated.format(date=date) if date else self.undated_mark if kind == "web" else ""
        return self.says[kind].format(source=f"[{source}]{when}", claim=claim)


_ENGLISH = Phrases(
    summary="Summary",
    key_findings="Key findings",
    conclusion="Conclusion",
    answer="Answer",
    further="More on this",
    not_found="What the sources do not hold",
    not_found_intro="The sources that were searched do not answer this:",
    nothing_found="Fathom has found nothing in the sources that answers this question.",
    closest="No passage answers this; these come closest.",
    nothing_yet="Nothing that answers this question was found before the run ended.",
    sources="Sources",
    limitations="Limitations",
    suggestions="Suggestions",
    contradictions="Contradictions",
    says={
        "file": "Your document {source} says: “{claim}”",
        "dataset": "Your data {source} say: “{claim}”",
        "web": "The page {source} says: “{claim}”",
    },
    dated=" ({date})",
    undated_mark=" (no date)",
    your_documents="Your documents",
    your_data="Your data",
    the_web="The web",
    natures={
        "official": "official",
        "academic": "academic",
        "reference": "reference",
        "news": "news",
        "forum": "forum",
        "vendor": "vendor",
        "other": "",
    },
    published="published {date}",
    read="read {date}",
    copy_of="says the same as {source}",
    counted="records counted: {records:,}",
    asked="asked {date}",
    more={
        "both": "… and {groups:,} more groups with {records:,} records",
        "steps": "… and {groups:,} more steps with {records:,} records",
        "groups": "… and {groups:,} more groups",
        "records": "… and {records:,} more records in other groups",
    },
    records="records",
    measures={
        "count": "values of {field}",
        "min": "minimum of {field}",
        "max": "maximum of {field}",
        "mean": "mean of {field}",
        "median": "median of {field}",
        "sum": "sum of {field}",
    },
    data_read={
        "known": "{name}: {scanned:,} of {matched:,} matching records read",
        "unknown": "{name}: {scanned:,} records read",
        "none": "{name}: no record matches",
    },
    data_part="{name} (“{part}”)",
    data_total=" (of {total:,})",
    data_capped=", {why}",
    data_capped_by="capped by {limit}",
    data_counted={
        "one": "; {counted:,} count over all that match",
        "many": "; {counted:,} counts over all that match",
    },
    data_capped_note={
        "known": "Only {scanned:,} of {matched:,} matching records of “{name}” were read ({why}).",
        "unknown": "Not every record of “{name}” was read, only {scanned:,} ({why}).",
    },
    data_listed="Records listed: {listed:,} of the {found:,} of “{name}” that match.",
    data_left_out={
        "one": "{words} was not understood and is left out.",
        "many": "{words} were not understood and are left out.",
    },
    data_no_day="There is no such day as {day}: nothing was counted.",
    data_nothing="No record of “{name}” matches what was asked of it for “{what}”.",
    data_tables={
        "one": "Of the {tables:,} tables of “{name}” only {asked} was asked.",
        "many": "Of the {tables:,} tables of “{name}” only {asked} were asked.",
    },
    partial={
        "max_calls": "This report is partial: the limit on calls was reached before all of the research was done.",
        "max_tokens": "This report is partial: the limit on tokens was reached, the rest was done without the model.",
        "max_cost": "This report is partial: the limit on cost was reached, the rest was done without the model.",
        "max_time": "This report is partial: the time limit was reached before all of the research was done.",
        "max_subtasks": "This report is partial: the limit on subtasks left parts of the question without research.",
        "unavailable": "This report is partial: a model or a source could not be reached, a part was done without it.",
        "cancelled": "This report is partial: the run was stopped before all of the research was done.",
    },
    partial_other="This report is partial: the run ended early ({reason}).",
    footer=(
        "Sentences checked: {claims}. Supported: {supported}, partly supported: {partial}, "
        "not supported: {unsupported}, without a citation: {uncited}."
    ),
    coverage="{what} in reach: {total}. Matched: {matched}, read: {scanned}, quoted: {extracted}.",
    looked_at={"documents": "Documents", "web": "Web pages", "both": "Documents and web pages"},
    run="Run {run_id}, {calls} calls, {seconds} s.",
    weak_mark={"partial": "(partly supported)", "unsupported": "(not supported)", "uncited": "(no source)"},
    weak_note="Marked sentences, which their sources support only in part or not at all: {count}.",
    invented="{count} citations were dropped because they name nothing that was read.",
    passed_by=(
        "The provider took more than it was asked for: the limits are passed by {tokens:,} tokens and {cost:.4f} USD."
    ),
    stand_ins=(
        "Tasks that Fathom's own rules answered, because the model gave no usable answer "
        "or no budget was left: {count}."
    ),
    written_with="Written with {models}; every sentence was compared with its sources by Fathom.",
    source_failed="The source “{name}” did not answer: {error}",
    lacks={
        "files": "Not all files were read, for the time was up: what the others hold is missing here.",
        "vectors": "The embedder gave no answer in time: the documents were searched by their words alone.",
    },
    single_source="Everything here rests on a single source.",
    single_origin="Sentences that rest on a single website (copies count as one): {count} of {claims}.",
    stale="Sentences that rest only on pages older than three years: {count} ({sources}).",
    undated="Pages without a date of publication, though the question asks for what is current: {sources}.",
    doubts={
        "contradiction": "Findings that contradict each other: {count}.",
        "coverage": "Parts of the question that the findings answer only in part: {what}.",
        "evidence_strength": "Parts of the question that rest on fewer than three independent sources: {what}.",
        "relevance": "Sentences that share nothing with the question: {count}.",
    },
    search_again="Add documents about {what}.",
    look_deeper="Research {what} in a run of its own.",
    resume="Resume {run_id} to go on.",
    full_stop=".",
    colon=": ",
    comma=", ",
)

_JAPANESE = Phrases(
    summary="要約",
    key_findings="主な知見",
    conclusion="結論",
    answer="回答",
    further="関連する記述",
    not_found="資料に見つからなかったこと",
    not_found_intro="次の点については、調べた資料に答えがありませんでした。",
    nothing_found="Fathomは、この質問に答える記述を資料の中に見つけられませんでした。",
    closest="この質問に直接答える記述は見つかりませんでした。最も近い記述を示します。",
    nothing_yet="この質問に答える記述が見つかる前に、実行が終了しました。",
    sources="出典",
    limitations="注意点",
    suggestions="今後の調査に向けて",
    contradictions="食い違う記述",
    says={
        "file": "お手元の文書{source}には「{claim}」とあります。",
        "dataset": "お手元のデータ{source}には「{claim}」とあります。",
        "web": "ウェブページ{source}には「{claim}」とあります。",
    },
    dated="（{date}）",
    undated_mark="（日付不明）",
    your_documents="お手元の文書",
    your_data="お手元のデータ",
    the_web="ウェブ",
    natures={
        "official": "公的機関",
        "academic": "学術",
        "reference": "事典・辞書",
        "news": "報道",
        "forum": "掲示板・投稿",
        "vendor": "販売元",
        "other": "",
    },
    published="公開日 {date}",
    read="閲覧日 {date}",
    copy_of="{source}とほぼ同文",
    counted="集計レコード{records:,}件",
    asked="照会日 {date}",
    more={
        "both": "… ほか{groups:,}グループ、{records:,}件",
        "steps": "… ほか{groups:,}期間、{records:,}件",
        "groups": "… ほか{groups:,}グループ",
        "records": "… ほかのグループに{records:,}件",
    },
    records="件数",
    measures={
        "count": "{field}の値の数",
        "min": "{field}の最小値",
        "max": "{field}の最大値",
        "mean": "{field}の平均",
        "median": "{field}の中央値",
        "sum": "{field}の合計",
    },
    data_read={
        "known": "{name}：該当レコード{matched:,}件のうち{scanned:,}件を読解",
        "unknown": "{name}：レコード{scanned:,}件を読解",
        "none": "{name}：該当レコードなし",
    },
    data_part="{name}（「{part}」）",
    data_total="（全{total:,}件）",
    data_capped="（{why}）",
    data_capped_by="{limit}による上限",
    data_counted={
        "one": "、該当レコード全体の集計{counted:,}件",
        "many": "、該当レコード全体の集計{counted:,}件",
    },
    data_capped_note={
        "known": "「{name}」の該当レコード{matched:,}件のうち、読んだのは{scanned:,}件だけです（{why}）。",
        "unknown": "「{name}」のレコードをすべては読んでおらず、読んだのは{scanned:,}件です（{why}）。",
    },
    data_listed="「{name}」の該当レコード{found:,}件のうち、挙げたのは{listed:,}件です。",
    data_left_out={
        "one": "{words}は解釈できなかったため、条件に含めていません。",
        "many": "{words}は解釈できなかったため、条件に含めていません。",
    },
    data_no_day="「{day}」という日は存在しないため、集計していません。",
    data_nothing="「{name}」には、「{what}」について照会した条件に該当するレコードがありませんでした。",
    data_tables={
        "one": "「{name}」の{tables:,}個のテーブルのうち、照会したのは{asked}のみです。",
        "many": "「{name}」の{tables:,}個のテーブルのうち、照会したのは{asked}のみです。",
    },
    partial={
        "max_calls": "このレポートは途中経過です。呼び出し回数の上限に達したため、調査を最後まで行っていません。",
        "max_tokens": "このレポートは途中経過です。トークン数の上限に達したため、残りはモデルを使わずに調べました。",
        "max_cost": "このレポートは途中経過です。費用の上限に達したため、残りはモデルを使わずに調べました。",
        "max_time": "このレポートは途中経過です。制限時間に達したため、調査を最後まで行っていません。",
        "max_subtasks": "このレポートは途中経過です。サブタスク数の上限に達したため、質問の一部を調査していません。",
        "unavailable": "このレポートは途中経過です。モデルか情報源に接続できず、一部をそれなしで行いました。",
        "cancelled": "このレポートは途中経過です。調査の途中で実行が中止されました。",
    },
    partial_other="このレポートは途中経過です。実行が予定より早く終了しました（{reason}）。",
    footer=(
        "確認した文は{claims}件です。出典の裏付けあり{supported}件、一部のみ裏付けあり{partial}件、"
        "裏付けなし{unsupported}件、出典の表示なし{uncited}件。"
    ),
    coverage="対象の{what}{total}件のうち、該当{matched}件、読解{scanned}件、引用{extracted}件。",
    looked_at={"documents": "文書", "web": "ウェブページ", "both": "文書とウェブページ"},
    run="実行 {run_id}、呼び出し{calls}回、{seconds}秒。",
    weak_mark={"partial": "（一部のみ裏付けあり）", "unsupported": "（裏付けなし）", "uncited": "（出典なし）"},
    weak_note="出典による裏付けが一部しかない、またはまったくない文が{count}件あり、その旨を文末に示しています。",
    invented="読んでいない資料を指す引用{count}件を取り除きました。",
    passed_by="提供元が指定した量を超えて使ったため、上限を{tokens:,}トークン、{cost:.4f}米ドル超えました。",
    stand_ins=(
        "モデルから使用できる回答が得られなかったか、予算が残っていなかったため、"
        "Fathomの規則で処理した作業が{count}件あります。"
    ),
    written_with="作成に用いたモデル：{models}。すべての文を、Fathomが出典と照合しました。",
    source_failed="情報源「{name}」から回答が得られませんでした（{error}）。",
    lacks={
        "files": "制限時間のため、読めなかったファイルがあります。その内容は含まれていません。",
        "vectors": "埋め込みモデルから時間内に応答がなかったため、文書は語句だけで検索しました。",
    },
    single_source="このレポートの内容は、ただ一つの出典に基づいています。",
    single_origin="{claims}文のうち{count}文は、一つのウェブサイトだけに基づいています（転載は同じ出典とみなします）。",
    stale="3年以上前のページだけに基づく文が{count}件あります（{sources}）。",
    undated="最新の情報を問う質問ですが、公開日の分からないページがあります（{sources}）。",
    doubts={
        "contradiction": "互いに食い違う知見が{count}組あります。",
        "coverage": "質問のうち、次の点については一部しか答えが得られませんでした（{what}）。",
        "evidence_strength": "質問のうち、次の点は独立した出典が3件に満たないものです（{what}）。",
        "relevance": "質問と関わりの見られない文が{count}件あります。",
    },
    search_again="{what}に関する文書を追加してください。",
    look_deeper="{what}については、別の実行で詳しく調べることをお勧めします。",
    resume="{run_id} を再開すると、続きを実行できます。",
    full_stop="。",
    colon="：",
    comma="、",
)

_BY_LANGUAGE = {"en": _ENGLISH, "ja": _JAPANESE}


def phrases(language: str) -> Phrases:
    """The phrases of a language, given as an ISO 639-1 code.

    >>> phrases("ja").conclusion, phrases("fr").conclusion
    ('結論', 'Conclusion')
    """
    return _BY_LANGUAGE.get(language, _ENGLISH)
