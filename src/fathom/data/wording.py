"""The fixed sentences on counts, in the languages that have them; every other language gets the English ones."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Wording:
    """What is said of counts. `{…}` marks what `str.format` fills in; every sentence stands alone.

    `{of_all}` stands for `of_all` or `of_some`; `{where}` for the filters; `{share}` for a share in brackets, if known.
    """

    of_all: str
    """Opens a sentence: of the `{base}` records that match."""
    of_some: str
    """The same when it is not known how many match."""
    where: str
    """The filters, `{conditions}`, behind the word for records."""
    where_short: str
    """The same when there are several: their values alone."""
    share: str
    """A share of `{percent}` in brackets."""
    nothing: str
    none_of: str
    """The same when the dataset has `{total}` records."""
    leader: str
    leader_next: str
    """Who has the most, and behind it `{next}`."""
    next: str
    """A group and its figure, `{key}` and `{value}`, among those that come next."""
    next_count: str
    """The same with a count."""
    next_tied: str
    """Several with the same count."""
    ties: str
    ties_many: str
    only: str
    only_group: str
    top: str
    concentration: str
    even: str
    smallest: str
    smallest_tied: str
    distribution: str
    other: str
    missing: str
    missing_all: str
    scope: str
    whole: str
    """How many records there are, when no condition is stated."""
    outlier: str
    peak: str
    peak_low: str
    """The same with the step `{low_key}` that has the fewest."""
    peaks: str
    peaks_many: str
    rose: str
    fell: str
    by: str
    """How much something has changed: `{percent}`."""
    halves: str
    """The first half of the time, `{first}` to `{until}`, and the second, `{since}` to `{last}`."""
    same: str
    steps: str
    gap: str
    gaps: str
    highest: str
    highest_next: str
    highest_tied: str
    """Several with the same figure."""
    lowest: str
    lowest_next: str
    lowest_tied: str
    measured_ends: str
    """A statistic in the first step of time and in the last one."""
    highest_value: str
    """The same where every group is one record."""
    highest_value_next: str
    highest_value_tied: str
    lowest_value: str
    lowest_value_next: str
    lowest_value_tied: str
    with_value: str
    """In brackets: `{n}` records have a value."""
    all_value: str
    """The same where all records of the group have one."""
    summed: str
    average: str
    mean_only: str
    extremes: str
    comma: str
    """Between the names of fields."""
    kinds: dict[str, str]
    """Names of statistics."""
    intervals: dict[str, str]
    """Steps of a histogram, more than one of them."""


_ENGLISH = Wording(
    of_all="Of the {base} records{where}, ",
    of_some="Among the records{where}, ",
    where=" with {conditions}",
    where_short=" ({conditions})",
    share=" ({percent} %)",
    nothing="No record{where} matches.",
    none_of="Of the {total} records of the dataset, 0 match {conditions}.",
    leader="{of_all}{key} has the most: {count}{share}.",
    leader_next="{of_all}{key} has the most: {count}{share}, followed by {next}.",
    next="{key} ({value})",
    next_count="{key} ({value})",
    next_tied="{keys} ({value} each)",
    ties="{of_all}{keys} tie for the most: {count} each{share}.",
    ties_many="{of_all}{n} groups tie for the most: {count} each{share}.",
    only="All {base} records{where} have {field} = {key}.",
    only_group="{of_all}{count}{share} have {field} = {key}.",
    top="{of_all}the {k} largest groups, {keys}, have {sum} together{share}.",
    concentration="{of_all}more than half are in {k} of the {n} groups, {keys}: {sum} together{share}.",
    even="{of_all}the {n} groups hold similar numbers: from {low} in {low_key} to {high} in {high_key}.",
    smallest="{of_all}{key} has the fewest: {count}{share}.",
    smallest_tied="{of_all}{keys} tie for the fewest: {count} each{share}.",
    distribution="The {base} records{where} have {n} different values of {field}.",
    other="{of_all}{sum}{share} are in groups that are not listed.",
    missing="{of_all}{count}{share} have no {field}.",
    missing_all="All {base} records{where} have no {field}.",
    whole="The dataset has {matched} records.",
    scope="Of the {total} records of the dataset, {matched}{share} match {conditions}.",
    outlier="{of_all}{key} stands out with {count}: the median of the {n} groups is {median}.",
    peak="{of_all}the peak is {key}: {count}{share}.",
    peak_low="{of_all}the peak is {key}: {count}{share}, and the fewest are in {low_key}: {low}.",
    peaks="{of_all}{keys} tie for the peak: {count} each{share}.",
    peaks_many="{of_all}{n} {steps} tie for the peak: {count} each{share}.",
    rose="The number of records{where} rose from {a} in {first} to {b} in {last}{by}.",
    fell="The number of records{where} fell from {a} in {first} to {b} in {last}{by}.",
    by=", by {percent} %",
    halves="{of_all}{a} are in {first} to {until}, and {b} in {since} to {last}.",
    same="The number of records{where} is the same in {first} and {last}: {a} each.",
    steps="The {base} records{where} are in {n} different {steps}, the first {first} ({a}), the last {last} ({b}).",
    gap="Between {first} and {last}, no record{where} is in {keys}.",
    gaps="Between {first} and {last}, {n} {steps} have no record{where}.",
    highest="{of_all}{key} has the highest {kind} of {field}: {value}{with_value}.",
    highest_next="{of_all}{key} has the highest {kind} of {field}: {value}{with_value}, followed by {next}.",
    lowest="{of_all}{key} has the lowest {kind} of {field}: {value}{with_value}.",
    highest_tied="{of_all}{keys} tie for the highest {kind} of {field}: {value} each.",
    lowest_next="{of_all}{key} has the lowest {kind} of {field}: {value}{with_value}, followed by {next}.",
    lowest_tied="{of_all}{keys} tie for the lowest {kind} of {field}: {value} each.",
    measured_ends="{of_all}the {kind} of {field} is {a} in {first} and {b} in {last}.",
    highest_value_tied="{of_all}{keys} tie for the highest {field}: {value} each.",
    lowest_value_next="{of_all}{key} has the lowest {field}: {value}, followed by {next}.",
    lowest_value_tied="{of_all}{keys} tie for the lowest {field}: {value} each.",
    highest_value="{of_all}{key} has the highest {field}: {value}.",
    highest_value_next="{of_all}{key} has the highest {field}: {value}, followed by {next}.",
    lowest_value="{of_all}{key} has the lowest {field}: {value}.",
    with_value=" ({n} records with a value)",
    all_value=" ({n} records)",
    summed="{of_all}the sum of {field} is {value}.",
    average="{of_all}the mean of {field} is {mean} and its median {median}{with_value}.",
    mean_only="{of_all}the mean of {field} is {mean}{with_value}.",
    extremes="{of_all}the minimum of {field} is {low} and its maximum {high}.",
    comma=", ",
    kinds={"mean": "mean", "sum": "sum", "median": "median", "min": "minimum", "max": "maximum"},
    intervals={
        "year": "years",
        "quarter": "quarters",
        "month": "months",
        "week": "weeks",
        "day": "days",
        "hour": "hours",
        "": "steps",
    },
)

_JAPANESE = Wording(
    of_all="記録{base}件{where}のうち、",
    of_some="記録{where}のうち、",
    where="（{conditions}）",
    where_short="（{conditions}）",
    share="（{percent}%）",
    nothing="該当する記録{where}はありません。",
    none_of="データセット全体の{total}件のうち、条件（{conditions}）に該当する記録は0件です。",
    leader="{of_all}{key}が最も多く、{count}件{share}です。",
    leader_next="{of_all}{key}が最も多く{count}件{share}、次いで{next}です。",
    next="{key}（{value}）",
    next_count="{key}（{value}件）",
    next_tied="{keys}（それぞれ{value}件）",
    ties="{of_all}{keys}が同数で最も多く、それぞれ{count}件{share}です。",
    ties_many="{of_all}{n}グループが同数で最も多く、それぞれ{count}件{share}です。",
    only="記録{base}件{where}は、すべて{field}が{key}です。",
    only_group="{of_all}{field}が{key}のものは{count}件{share}です。",
    top="{of_all}上位{k}グループの{keys}は合わせて{sum}件{share}です。",
    concentration="{of_all}半数を超える記録が{n}グループ中{k}グループの{keys}にあり、合わせて{sum}件{share}です。",
    even="{of_all}{n}グループの件数は近く、{low_key}の{low}件から{high_key}の{high}件までです。",
    smallest="{of_all}{key}が最も少なく、{count}件{share}です。",
    smallest_tied="{of_all}{keys}が同数で最も少なく、それぞれ{count}件{share}です。",
    distribution="記録{base}件{where}の{field}は{n}種類です。",
    other="{of_all}{sum}件{share}は一覧にないグループのものです。",
    missing="{of_all}{count}件{share}には{field}の値がありません。",
    missing_all="記録{base}件{where}は、すべて{field}の値がありません。",
    whole="データセットの記録は全部で{matched}件です。",
    scope="データセット全体の{total}件のうち、条件（{conditions}）に該当する記録は{matched}件{share}です。",
    outlier="{of_all}{key}は{count}件で突出しています（{n}グループの中央値は{median}件）。",
    peak="{of_all}ピークは{key}の{count}件{share}です。",
    peak_low="{of_all}ピークは{key}の{count}件{share}、最も少ないのは{low_key}の{low}件です。",
    peaks="{of_all}ピークは{keys}で、同数のそれぞれ{count}件{share}です。",
    peaks_many="{of_all}{n}{steps}が同数でピークとなり、それぞれ{count}件{share}です。",
    rose="記録{where}は、{first}の{a}件から{last}の{b}件に増えました{by}。",
    fell="記録{where}は、{first}の{a}件から{last}の{b}件に減りました{by}。",
    by="（{percent}%の変化）",
    halves="{of_all}{first}から{until}は{a}件、{since}から{last}は{b}件です。",
    same="記録{where}は、{first}と{last}で同数のそれぞれ{a}件です。",
    steps="記録{base}件{where}は{n}{steps}にあり、最初は{first}（{a}件）、最後は{last}（{b}件）です。",
    gap="{first}から{last}までの間、{keys}には記録{where}がありません。",
    gaps="{first}から{last}までの間、{n}{steps}には記録{where}がありません。",
    highest="{of_all}{field}の{kind}が最も高いのは{key}で、{value}です{with_value}。",
    highest_next="{of_all}{field}の{kind}が最も高いのは{key}の{value}{with_value}で、次いで{next}です。",
    lowest="{of_all}{field}の{kind}が最も低いのは{key}で、{value}です{with_value}。",
    highest_tied="{of_all}{field}の{kind}が最も高いのは同率の{keys}で、それぞれ{value}です。",
    lowest_next="{of_all}{field}の{kind}が最も低いのは{key}の{value}{with_value}で、次いで{next}です。",
    lowest_tied="{of_all}{field}の{kind}が最も低いのは同率の{keys}で、それぞれ{value}です。",
    measured_ends="{of_all}{field}の{kind}は{first}が{a}、{last}が{b}です。",
    highest_value_tied="{of_all}{field}が最大なのは同率の{keys}で、それぞれ{value}です。",
    lowest_value_next="{of_all}{field}が最小なのは{key}の{value}で、次いで{next}です。",
    lowest_value_tied="{of_all}{field}が最小なのは同率の{keys}で、それぞれ{value}です。",
    highest_value="{of_all}{field}が最大なのは{key}の{value}です。",
    highest_value_next="{of_all}{field}が最大なのは{key}の{value}で、次いで{next}です。",
    lowest_value="{of_all}{field}が最小なのは{key}の{value}です。",
    with_value="（値のある記録{n}件）",
    all_value="（{n}件）",
    summed="{of_all}{field}の合計は{value}です。",
    average="{of_all}{field}の平均は{mean}、中央値は{median}です{with_value}。",
    mean_only="{of_all}{field}の平均は{mean}です{with_value}。",
    extremes="{of_all}{field}の最小値は{low}、最大値は{high}です。",
    comma="、",
    kinds={"mean": "平均", "sum": "合計", "median": "中央値", "min": "最小値", "max": "最大値"},
    intervals={
        "year": "年分",
        "quarter": "四半期分",
        "month": "か月分",
        "week": "週分",
        "day": "日分",
        "hour": "時間分",
        "": "区間",
    },
)

_BY_LANGUAGE = {"en": _ENGLISH, "ja": _JAPANESE}


def wording(language: str) -> Wording:
    """The sentences of a language, given as an ISO 639-1 code.

    >>> wording("ja").kinds["mean"], wording("fr").kinds["mean"]
    ('平均', 'mean')
    """
    return _BY_LANGUAGE.get(language, _ENGLISH)
