"""Two statements disagree only when both cannot be true: every near miss here was written to look like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.text.analysis import identifiers
from fathom.verification.disagreement import ReadStatement, disagreeing, disagreement, said


def about(one: str, other: str) -> str:
    a, b = said(one), said(other)
    assert a and b
    assert disagreement(a, b) == disagreement(b, a)
    return disagreement(a, b)


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Audit logs are kept for 90 days.", "Audit logs are retained for 180 days.", "number"),
        ("The retention period for audit logs is 90 days.", "Audit logs are kept for six months.", "number"),
        ("The free tier holds 5 GB of storage.", "The free tier offers 500 MB of storage.", "number"),
        ("The API accepts up to 64 requests per second.", "The API allows at most 100 requests per second.", "number"),
        ("The default port of the server is 8080.", "By default the server uses port 9090.", "number"),
        ("The Gulf Stream moves 30 million cubic metres a second.", "The Gulf Stream moves 55 million cubic metres a"
         " second.", "number"),
        ("The licence costs $20 a month for each seat.", "The licence has a price of $35 a month for each seat.",
         "number"),
        ("The bridge over the strait was completed in 1932.", "The bridge over the strait was built in 1935.", "date"),
        ("The Clyde museum opened in 1995.", "The Clyde museum opened in 1997.", "date"),
        ("The Clyde museum opened on 3 May 1995.", "The Clyde museum opened on June 7, 1995.", "date"),
        # what held before, and what holds since
        ("The toll on the bridge is 60 crowns per car since 26 September 2024.", "The toll on the bridge is 14 crowns"
         " per car.", "number"),
        ("Since 2019 audit logs are kept for 30 days.", "Audit logs are kept for 90 days.", "number"),
        ("霧ヶ原大橋の通行料は2024年9月26日から60円です。", "霧ヶ原大橋の通行料は14円です。", "number"),
        # a number that is no year
        ("The span of the bridge is 1686 metres long.", "The span of the bridge is 1041 metres long.", "number"),
        ("霧ヶ原大橋の全長は1686メートルである。", "霧ヶ原大橋の全長は1575メートルである。", "number"),
        # a decimal number that is no version
        ("Aspirin melts at 135.1 degrees Celsius.", "Aspirin melts at 129.4 degrees Celsius.", "version"),
        ("The steepest gradient of the line is 21.1 per mille.", "The steepest gradient of the line is 41.1 per mille.",
         "version"),
        ("The price of a ride is 8.50 crowns.", "The price of a ride is 9.20 crowns.", "version"),
        ("Fathom requires Python 3.9 or later.", "Fathom requires Python 3.11 or later.", "version"),
        ("The latest stable release of Solrun is 4.2.", "The latest stable release of Solrun is 4.5.1.", "version"),
        ("Solrun supports nested transactions.", "Solrun does not support nested transactions.", "negation"),
        ("Autovacuum is enabled on replicas by default.", "Autovacuum is disabled on replicas by default.", "negation"),
        ("監査ログの保存期間は90日です。", "監査ログの保存期間は180日です。", "number"),
        ("無料プランの容量は5GBです。", "無料プランの容量は500MBです。", "number"),
        ("この橋梁は1932年に完成した吊橋です。", "この橋梁は1935年に完成した吊橋です。", "date"),
        ("自動更新機能は既定で有効です。", "自動更新機能は既定で無効です。", "negation"),
        ("入れ子のトランザクションに対応しています。", "入れ子のトランザクションに対応していません。", "negation"),
    ],
)  # fmt: skip
def test_another_number_date_or_version_of_the_same_thing_is_a_disagreement(one: str, other: str, kind: str) -> None:
    assert about(one, other) == kind


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # different years of a series
        ("In 2019 the city of Ancona had 100,000 inhabitants.", "In 2023 the city of Ancona had 98,000 inhabitants."),
        ("Revenue of Solrun was 5 million dollars in 2021.", "Revenue of Solrun was 9 million dollars in 2022."),
        ("The population of Ancona was 100,000 in 2019.", "The population of Ancona is 98,000."),
        ("The conference was held in Lisbon in 2019.", "The conference was held in Lisbon in 2021."),
        ("The company opened another store in Berlin in 2019.", "The company opened another store in Berlin in 2021."),
        ("The company has sold 5 million cars since 2019.", "The company has sold 9 million cars since 2010."),
        ("The Clyde museum opened on 3 May 1995.", "The Clyde museum opened in 1995."),
        ("Audit logs are reviewed on 3 May 2024.", "Audit logs are reviewed on 4 May 2024."),
        ("The price of Solrun is 3.9 alone.", "The price of Solrun version is 3.10 alone."),
        ("霧ヶ原大橋は2019年から2021年まで60日間閉鎖された。", "霧ヶ原大橋は2024年に30日間閉鎖された。"),
        # different subjects
        ("The basic plan of Solrun costs $10 a month.", "The team plan of Solrun costs $20 a month."),
        ("The monthly price of the basic plan is 10 euros.", "The monthly price of the pro plan is 20 euros."),
        ("The depth of the Atlantic is 3,646 metres.", "The depth of the Pacific is 4,280 metres."),
        ("The timeout of a request is 30 seconds.", "The timeout of a session is 60 seconds."),
        ("Audit logs are kept for 90 days.", "Access logs are kept for 30 days."),
        ("The plan costs $10 a month.", "The enterprise plan costs $20 a month."),
        ("Python 3.9 supports dictionary unions.", "Python 3.10 supports pattern matching."),
        ("Version 3.2 of Solrun was released in 2019.", "Version 3.4 of Solrun was released in 2021."),
        ("The parameter was added in version 3.2.", "The parameter was changed in version 3.4."),
        # a number that names something
        ("The details of locking stand in chapter 51.", "The details of locking stand in chapter 12."),
        ("The syntax is described by PEP 623 in detail.", "The syntax is described by PEP 572 in detail."),
        ("The interface of SQLite Version 2 is in C.", "The interface of SQLite Version 3 is in C."),
        ("The server of the office runs Debian 11.", "The server of the office runs Debian 12."),
        # another measure of the same subject
        ("The timeout of a request is 30 seconds.", "The maximum timeout of a request is 60 seconds."),
        ("The average latency of a request is 20 ms.", "The peak latency of a request is 90 ms."),
        ("The default number of workers is 4.", "The maximum number of workers is 64."),
        ("Audit logs are reviewed every 90 days.", "Audit logs are kept for 180 days."),
        ("The server handles 500 requests per second.", "The server handles 9000 requests per minute."),
        ("The tower is 300 metres high.", "The tower is 300 years old."),
        ("The job runs after 5 minutes if the queue is full.", "The job runs after 10 minutes."),
        # ranges, bounds
        ("The latency of a request is between 10 and 50 ms.", "The latency of a request is 20 ms."),
        ("The latency of a request is 10-50 ms.", "The latency of a request is 20-30 ms."),
        ("The latency of a request is 10-50 ms.", "The latency of a request is 40-60 ms."),
        ("The cluster serves more than 1,000 users.", "The cluster serves 1,500 users."),
        ("The cluster serves over 1,000 users.", "The cluster serves 1,500 users."),
        ("The cluster serves up to 2,000 users.", "The cluster serves 1,500 users."),
        ("Solrun requires Python 3.11.", "Solrun requires Python 3.11.2."),
        # rounding and hedging
        ("The mountain Everest is 8,849 metres high.", "The mountain Everest has a height of 8.8 km."),
        ("The Gulf Stream moves 30 million cubic metres a second.", "The Gulf Stream moves 29.8 million cubic metres a"
         " second."),
        ("The river Elbe is about 1,100 km long.", "The river Elbe is 1,094 km long."),
        ("The ratio of the circle is 3.14.", "The ratio of the circle is 3.1416."),
        ("The city of Ancona has roughly 100,000 inhabitants.", "The city of Ancona has 98,402 inhabitants."),
        # conversion of units
        ("The route of the race is 5 miles long.", "The route of the race is 8 km long."),
        ("Audit logs are kept for 3 months.", "Audit logs are kept for 90 days."),
        ("The session of a user ends after 2 hours.", "The session of a user ends after 120 minutes."),
        ("The free tier holds 5 GB of storage.", "The free tier holds 5000 MB of storage."),
        ("The trial of Solrun takes thirty days.", "The trial of Solrun takes 30 days."),
        # negation that is none
        ("Solrun supports nested transactions.", "Solrun does not only support nested transactions."),
        ("Not all indexes of Solrun are scanned.", "All indexes of Solrun are scanned."),
        ("Solrun supports nested transactions.", "Solrun does not support distributed transactions."),
        ("Solrun locks the table when it is not empty.", "Solrun locks the table when it is empty."),
        ("The index of Solrun is unsafe.", "The index of Solrun is fast."),
        # the same
        ("Audit logs are kept for 90 days.", "Audit logs are kept for 90 days."),
        ("Audit logs are kept for 90 days.", "The retention of audit logs is 90 days."),
        # Japanese
        ("2019年の売上高は500万円でした。", "2020年の売上高は800万円でした。"),
        ("監査ログの保存期間は90日です。", "アクセスログの保存期間は30日です。"),
        ("監査ログの保存期間は3か月です。", "監査ログの保存期間は90日です。"),
        ("監査ログの保存期間は最大180日です。", "監査ログの保存期間は90日です。"),
        ("利用者数は約1万人です。", "利用者数は9,800人です。"),
        ("自動更新機能は既定で有効です。", "自動更新機能が有効とは限りません。"),
    ],
)  # fmt: skip
def test_what_only_looks_like_a_disagreement_is_none(one: str, other: str) -> None:
    assert about(one, other) == ""


def test_a_source_that_disagrees_with_itself_speaks_of_different_things_under_its_headings() -> None:
    def price(name: str, origin: str, euros: int, heading: str) -> tuple[str, str, ReadStatement | None]:
        return name, origin, said(f"The monthly price of a seat is {euros} euros.", heading=heading)

    basic, team = price("a", "x", 10, "Basic tariff"), price("b", "x", 20, "Team tariff for groups")
    elsewhere, like = price("c", "y", 30, "Pricing"), price("d", "z", 40, "For groups")

    assert disagreeing([basic, elsewhere]) == [("a", "c", "number")]
    assert disagreeing([basic, team, elsewhere]) == []
    assert disagreeing([basic, team, like]) == [("b", "d", "number")]


def test_a_text_that_says_too_much_at_once_is_not_compared() -> None:
    assert said("Audit logs are kept for 90 days. " * 30) is None
    assert said("CharField(max_length=50)") is None


def test_only_different_origins_disagree_and_every_pair_is_told_once() -> None:
    logs = [(name, origin, said(f"Audit logs are kept for {days} days.")) for name, origin, days in (
        ("a", "x", 90), ("b", "x", 90), ("c", "y", 180), ("d", "z", 90)
    )]  # fmt: skip

    assert [(one, other) for one, other, _ in disagreeing(logs)] == [("a", "c"), ("b", "c"), ("c", "d")]


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read_and_none_disagrees_with_itself(one: str, other: str) -> None:
    a, b = said(one), said(other)
    if a and b:
        assert disagreement(a, a) == "" and disagreement(a, b) == disagreement(b, a)


def test_a_statement_is_read_once_however_often_it_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def heard(text: str) -> list[str]:
        read.append(text)
        return identifiers(text)

    monkeypatch.setattr("fathom.verification.disagreement.identifiers", heard)

    for _ in range(3):
        said("The Kobold archive keeps audit logs for 90 days.", heading="Retention in the Kobold archive")

    assert len(read) == 1
