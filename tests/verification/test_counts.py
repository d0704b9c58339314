"""Sentences on counts, right and wrong, held against what was worked out from them and against their cells."""

from __future__ import annotations

from fathom.verification.verdicts import Verdict, check_counts
from tests.support.tables import MONTHS, OVERALL, SERIES, SPENT, THEMES, TIED, TOP, YEARS, Counts, cited

RIGHT = {
    "themes": (
        cited(THEMES),
        """
        AI leads with 50 of 165 records (30.3%), ahead of Cloud (40) and Security (30).
        AI leads with 50 of the 165 records (30 %).
        Of the 165 records with country = India, AI has the most: 50 (30.3 %).
        In India, AI is the largest theme with 50 records, followed by Cloud with 40.
        Together the top three make up 72.7 % of the 165 records.
        AI, Cloud and Security together account for 120 of the 165 records (72.7 %).
        AI (50), Cloud (40) and Security (30) together have 120 records.
        Almost a third of the records are about AI.
        About 30 % of the records are about AI.
        AI has 50 records, twice as many as Data.
        AI has 1.25 times as many records as Cloud.
        AI has 10 more records than Cloud.
        Cloud has 10 fewer records than AI.
        AI has 25 % more records than Cloud.
        Cloud ranks second with 40 records (24.2 %).
        Security comes third with 30 records.
        Web 3.0 has the fewest records: 8 (4.8 %).
        Web 3.0 is the smallest group with only 8 events.
        50 records are about AI, 40 about Cloud.
        AI and Cloud have 50 and 40 records respectively.
        The 165 records fall into 6 themes.
        More than half of the 165 records are about AI or Cloud.
        AI accounts for more than 45 records.
        AI is ahead of Cloud by 10 records.
        At least 50 records are about AI.
        The number of records ranges from 8 for Web 3.0 to 50 for AI.
        Of the 2,000 records in the dataset, 165 match.
        AI has more records than Cloud.
        AI, Cloud and Security are the three largest themes.
        AI: 50 records (30.3 %)
        **AI** leads with **50** of 165 records.
        Fifty of the 165 records are about AI.
        165件のうち、AIは50件（30.3％）で最も多い。
        AIが50件（30.3%）で最多、次いでCloudが40件、Securityが30件である。
        AI、Cloud、Securityの合計は120件で、全体の72.7%を占める。
        上位3テーマで165件のうち120件（72.7％）を占める。
        AIは約3割を占める。
        AIは165件中50件です。
        AIはCloudより10件多い。
        AIはDataの2倍である。
        Cloudは40件で2位である。
        最も少ないのはWeb 3.0の8件です。
        50件がAI、40件がCloudに関するものです。
        AIは45件以上ある。
        """,
    ),
    "years": (
        cited(YEARS),
        """
        The number of records rose from 12 in 2023 to 30 in 2024, an increase of 150 %.
        From 2023 to 2024 the number of events rose from 12 to 30.
        Records rose from 12 in 2023 to 30 in 2024 (+150 %).
        In 2024 there were 30 records, 2.5 times as many as in 2023.
        The peak was 2024 with 30 records.
        2023 has the fewest records: 12.
        After 30 records in 2024, the number halved to 15 in 2025.
        Events fell by 50 % from 24 in 2022 to 12 in 2023.
        The number of records fell from 20 in 2021 to 15 in 2025.
        2023年の12件から2024年の30件に増加し、150％増となった。
        記録は、2023年の12件から2024年の30件に増えました（150.0%の変化）。
        ピークは2024年の30件である。
        2025年は15件で、2024年の30件から半減した。
        """,
    ),
    "months": (
        cited(MONTHS),
        """
        March 2024 has the most records: 30 of 50 (60 %).
        There are no records in May 2024.
        2024年3月が30件で最も多い。
        2024-03 stands out with 30 records.
        In 2024 there are 50 records.
        2024年5月には記録がありません。
        """,
    ),
    "tied": (
        cited(TIED),
        """
        Pune and Delhi tie for the most: 20 each (40.0 % each).
        Pune and Delhi both have 20 records.
        Pune and Delhi lead with 20 records each, ahead of Goa with 10.
        PuneとDelhiが同数で最も多く、それぞれ20件です。
        """,
    ),
    "series": (
        cited(SERIES),
        """
        AI rose from 12 in 2023 to 30 in 2024.
        Cloud fell from 18 in 2023 to 9 in 2024, a decline of 50 %.
        AI has 42 records, Cloud 27.
        In 2024, AI has 30 records and Cloud 9.
        AI has the most records: 42.
        """,
    ),
    "spent": (
        cited(SPENT),
        """
        AI has the highest mean attendance: 120.5.
        AI has the highest average attendance (120.5), ahead of Cloud (80.25).
        The sum of attendance is 6,025 for AI and 3,210 for Cloud.
        AIの平均attendanceは120.5で最も高い。
        """,
    ),
    "overall": (
        cited(OVERALL),
        """
        The mean attendance is 74.8 and the median 60.
        Attendance adds up to a total of 12,347.
        The maximum of attendance is 500, its minimum 3.
        attendanceの平均は74.8、中央値は60です。
        """,
    ),
    "top": (
        cited(TOP),
        """
        AI has the most records: 50.
        20 records are in other groups.
        """,
    ),
    "themes, told at length": (
        cited(THEMES),
        """
        AI dominates with 50 events (30.3%), while Cloud accounts for 40 (24.2%) and Security for 30 (18.2%).
        The distribution across themes shows AI at the top with 50 records and Cloud second with 40.
        With 50 records, AI is the most common theme.
        AI (30.3%), Cloud (24.2%) and Security (18.2%) are the top three themes.
        The most frequent theme is AI, with 50 of 165 records, or 30.3%.
        The least frequent theme is Web 3.0 (8 records, 4.8%).
        Cloud and Security combined (70 records) exceed AI (50 records).
        AI accounts for roughly 30% of all events in India.
        Nearly one in three records concerns AI.
        The gap between AI and Cloud is 10 records.
        AI leads Cloud by 10 records.
        Between them, AI and Cloud account for 90 records, or 54.5% of the total.
        The bottom two themes, IoT and Web 3.0, have 20 records together.
        Only 8 records (4.8%) are about Web 3.0.
        In total, 165 records match the filter country = India.
        There are 165 records in total.
        There are six themes.
        AI has over six times as many records as Web 3.0.
        AI is the top theme (50 records), followed by Cloud (40), Security (30), Data (25), IoT (12) and Web 3.0 (8).
        The top 2 themes hold 54.5 % of the records.
        AI is the largest group and Web 3.0 the smallest.
        Three themes have at least 30 records.
        The smallest themes are IoT (12) and Web 3.0 (8).
        The leading theme, AI, accounts for 50 of the 165 events.
        The share of AI is 30.3 %.
        AI's share is 30.3 %, that of Cloud 24.2 %.
        IoT and Web 3.0 have fewer than 15 records each.
        The remaining three themes, Data, IoT and Web 3.0, have 45 records together.
        Cloud follows with 40 records.
        AI comes first with 50 records, then Cloud with 40.
        On average, each theme has 27.5 records.
        インドのイベント165件のうち、最も多いテーマはAIで50件（30.3％）を占める。
        2位はCloud（40件）、3位はSecurity（30件）である。
        テーマは6種類ある。
        AIは165件のうち50件で、約30%を占めている。
        AIとCloudで90件となり、過半数を占める。
        AIの件数はWeb 3.0の6倍以上である。
        AIの件数が最も多く（50件）、Web 3.0が最も少ない（8件）。
        全体の3分の1近くがAIである。
        該当する記録は165件である。
        IoTとWeb 3.0は合わせて20件にとどまる。
        AIとCloudの差は10件である。
        """,
    ),
    "years, told at length": (
        cited(YEARS),
        """
        Records grew from 12 in 2023 to 30 in 2024, but fell to 15 in 2025.
        Between 2023 and 2024 the count rose by 150%.
        The count fell by half between 2024 and 2025.
        The year 2024 saw the highest number of records (30).
        The number fell from 24 in 2022 to 12 in 2023, a drop of 50%.
        2022 had 4 more records than 2021.
        The annual number ranges from 12 (2023) to 30 (2024).
        In 2021, 2022 and 2023 there were 20, 24 and 12 records respectively.
        On average there were 20.2 records per year.
        記録は2023年の12件から2024年には30件へと2.5倍に増えた。
        2022年から2023年にかけて24件から12件に減少した。
        2024年に30件とピークに達し、2025年には15件に減った。
        """,
    ),
}
WRONG = {
    "themes": (
        cited(THEMES),
        """
        AI leads with 40 of 165 records, ahead of Cloud (50).
        AI 40, Cloud 50.
        AI leads with 51 of 165 records.
        AI leads with 50 of 166 records.
        AI leads with 50 of 165 records (31.3 %).
        AI leads with 50 of 165 records (30.4 %).
        Cloud leads with 40 of 165 records.
        Cloud has the most records: 40.
        Together the top three make up 73.7 % of the 165 records.
        Together the top two make up 72.7 % of the 165 records.
        AI, Cloud and Data together account for 120 of the 165 records.
        AI (50), Cloud (40) and Security (30) together have 121 records.
        Almost a quarter of the records are about AI.
        More than a third of the records are about AI.
        About 40 % of the records are about AI.
        AI has three times as many records as Data.
        AI has twice as many records as Cloud.
        AI has 20 more records than Cloud.
        AI has 10 fewer records than Cloud.
        Cloud has 10 more records than AI.
        Cloud has 25 % more records than AI.
        Cloud ranks third with 40 records.
        Security comes second with 30 records.
        AI ranks second.
        IoT has the fewest records: 12.
        AI has the fewest records.
        40 records are about AI, 50 about Cloud.
        AI and Cloud have 40 and 50 records respectively.
        The 165 records fall into 7 themes.
        More than half of the 165 records are about AI.
        AI accounts for more than 50 records.
        Fewer than 50 records are about AI.
        AI, Cloud and Data are the three largest themes.
        Cloud has more records than AI.
        Cloud is ahead of AI.
        AI leads with 50 records, followed by Security with 30.
        Robotics has 50 records.
        AI leads with 50 of 165 records, as Gartner reports.
        Of the 165 records with country = Japan, AI has the most: 50 (30.3 %).
        AI is the only theme with more than 30 records.
        AI rose to 50 records.
        Most of the records are about AI.
        Sixty of the 165 records are about AI.
        AI has 100 % of the records.
        The largest theme has 40 records.
        AI has 50 records in 2022.
        AI is level with Cloud at 50 records each.
        AI and Cloud tie for the most: 50 each.
        Web 3.0 has 3.0 records.
        165件のうち、AIは40件（30.3％）で最も多い。
        165件のうち、Cloudが最も多い。
        AIが40件、Cloudが50件である。
        AI、Cloud、Securityの合計は130件である。
        AIは約5割を占める。
        AIは165件中51件です。
        AIはCloudより20件多い。
        CloudはAIより10件多い。
        AIはDataの3倍である。
        Cloudは40件で3位である。
        最も少ないのはIoTの12件です。
        AIは51件以上ある。
        ロボットは50件である。
        """,
    ),
    "years": (
        cited(YEARS),
        """
        The number of records rose from 30 in 2023 to 12 in 2024.
        The number of records fell from 12 in 2023 to 30 in 2024.
        The number of records rose from 12 in 2023 to 30 in 2024, an increase of 160 %.
        Records rose from 12 in 2023 to 30 in 2024 (-150 %).
        In 2024 there were 30 records, three times as many as in 2023.
        The peak was 2022 with 24 records.
        2025 has the fewest records: 15.
        The number of records doubled to 30 in 2024.
        In 2020 there were 12 records.
        Records rose from 20 in 2021 to 15 in 2025.
        2023年の30件から2024年の12件に増加した。
        2023年の12件から2024年の30件に減少した。
        2023年の12件から2024年の30件に増加し、120％増となった。
        ピークは2023年の30件である。
        The number of records grew over time.
        """,
    ),
    "months": (
        cited(MONTHS),
        """
        April 2024 has the most records: 30.
        There are no records in April 2024.
        There are no records in March 2024.
        2024年3月が5件で最も多い。
        In 2024 there are 45 records.
        2024年4月には記録がありません。
        """,
    ),
    "tied": (
        cited(TIED),
        """
        Pune has the most records: 20.
        Pune leads with 20 records.
        Goa and Delhi tie for the most: 20 each.
        Pune and Goa both have 20 records.
        Puneが最も多い。
        """,
    ),
    "series": (
        cited(SERIES),
        """
        AI rose from 30 in 2023 to 12 in 2024.
        AI rose from 18 in 2023 to 30 in 2024.
        Cloud rose from 18 in 2023 to 9 in 2024.
        AI has 27 records, Cloud 42.
        In 2023, AI has 30 records and Cloud 9.
        Cloud has the most records: 27.
        """,
    ),
    "spent": (
        cited(SPENT),
        """
        Cloud has the highest mean attendance: 80.25.
        AI has the highest mean attendance: 80.25.
        The sum of attendance is 3,210 for AI and 6,025 for Cloud.
        AI has the lowest mean attendance: 120.5.
        """,
    ),
    "overall": (
        cited(OVERALL),
        """
        The mean attendance is 60 and the median 74.8.
        The mean attendance is 75.8.
        The maximum of attendance is 3, its minimum 500.
        Attendance adds up to a total of 12,348.
        """,
    ),
    "top": (
        cited(TOP),
        """
        Data has the fewest records: 25.
        Data is the smallest group.
        There are 4 themes.
        21 records are in other groups.
        """,
    ),
    "themes, told at length": (
        cited(THEMES),
        """
        AI dominates with 50 events (30.3%), while Cloud accounts for 30 (24.2%) and Security for 40 (18.2%).
        Cloud leads, with AI second.
        The most frequent theme is Cloud, with 40 of 165 records.
        The least frequent theme is IoT (12 records).
        Cloud and Security combined (80 records) exceed AI (50 records).
        AI accounts for roughly 40% of all events in India.
        The gap between AI and Cloud is 20 records.
        AI leads Cloud by 20 records.
        Between them, AI and Cloud account for 90 records, or 64.5% of the total.
        The bottom two themes, IoT and Web 3.0, have 30 records together.
        There are 166 records in total.
        There are seven themes.
        AI has over seven times as many records as Web 3.0.
        AI is the top theme (50 records), followed by Cloud (40), Security (25), Data (30), IoT (12) and Web 3.0 (8).
        The top 2 themes hold 64.5 % of the records.
        AI is the smallest group and Web 3.0 the largest.
        Four themes have at least 30 records.
        The smallest themes are Data (25) and Web 3.0 (8).
        The share of AI is 24.2 %.
        AI's share is 24.2 %, that of Cloud 30.3 %.
        IoT and Web 3.0 have fewer than 10 records each.
        The remaining three themes, Data, IoT and Web 3.0, have 55 records together.
        Cloud follows with 30 records.
        AI comes second with 50 records.
        On average, each theme has 37.5 records.
        No theme has more than 40 records.
        AI has 50 records and Robotics 40.
        Cloud has 40 records, the most of all themes.
        Every theme has at least 10 records.
        All themes have more than 8 records.
        Half of the records are about AI.
        AI has 5 records.
        AI has 500 records.
        AI has -50 records.
        AI has 50 thousand records.
        AI has 0.50 records.
        Of 165 records, 50 are about Cloud.
        50 of 165 records are about Cloud and 40 about AI.
        Of the 2,000 records in the dataset, 50 are about Cloud.
        Of the 2,000 records, 165 are about AI.
        AI accounts for 50 % of the records.
        AI accounts for 165 records.
        Cloud is the second smallest theme.
        The largest theme, Cloud, accounts for 40 of the 165 events.
        インドのイベント165件のうち、最も多いテーマはCloudで40件（24.2％）を占める。
        2位はSecurity（30件）、3位はCloud（40件）である。
        テーマは7種類ある。
        AIとCloudで80件となる。
        AIだけで過半数を占める。
        AIの件数はWeb 3.0の7倍以上である。
        AIの件数が最も少なく、Web 3.0が最も多い。
        全体の半分近くがAIである。
        該当する記録は166件である。
        IoTとWeb 3.0は合わせて30件にとどまる。
        AIとCloudの差は20件である。
        """,
    ),
    "years, told at length": (
        cited(YEARS),
        """
        Records grew from 12 in 2023 to 30 in 2024, but fell to 24 in 2025.
        Records grew from 12 in 2023 to 30 in 2024, and rose to 15 in 2025.
        Between 2023 and 2024 the count fell by 150%.
        Between 2023 and 2024 the count rose by 60%.
        The count fell by a third between 2024 and 2025.
        The year 2022 saw the highest number of records (24).
        The number fell from 24 in 2022 to 12 in 2023, a drop of 60%.
        2022 had 5 more records than 2021.
        In 2021, 2022 and 2023 there were 24, 20 and 12 records respectively.
        On average there were 25.2 records per year.
        The number of records increased every year.
        The number of records rose steadily from 20 in 2021 to 30 in 2024.
        記録は2023年の12件から2024年には30件へと3倍に増えた。
        2022年から2023年にかけて24件から12件に増加した。
        2022年から2023年にかけて12件から24件に増加した。
        2024年に30件とピークに達し、2025年には15件に増えた。
        記録は毎年増加している。
        """,
    ),
}


def verdicts(cases: dict[str, tuple[Counts, str]]) -> list[tuple[str, Verdict]]:
    """What is said of each sentence, one to a line."""
    lines = [(counts, line.strip()) for counts, text in cases.values() for line in text.splitlines() if line.strip()]
    assert len(lines) > 100
    return [(line, check_counts(line, counts.facts, counts.cells)) for counts, line in lines]


def test_what_the_counts_say_in_other_words_is_never_called_wrong() -> None:
    assert [(line, each.why) for line, each in verdicts(RIGHT) if each.status != "unjudged"] == []


def test_what_the_counts_do_not_say_is_never_called_right() -> None:
    found = verdicts(WRONG)
    assert [(line, each.why) for line, each in found if each.status not in ("unjudged", "unsupported")] == []
    assert sum(each.is_proved for _, each in found) >= 15


def test_what_was_worked_out_is_supported_as_it_was_worded_and_cannot_be_overruled() -> None:
    for counts, _ in RIGHT.values():
        for fact in counts.facts:
            verdict = check_counts(fact, counts.facts, counts.cells)
            assert (verdict.status, verdict.is_proved) == ("supported", True)


def test_a_quotation_of_a_text_beside_counts_is_one() -> None:
    counts, text = cited(THEMES), "The first conference about AI was held in Kyoto."
    assert check_counts(text, counts.facts, counts.cells, [text]).status == "quoted"
    assert check_counts(text.replace("Kyoto", "Osaka"), counts.facts, counts.cells, [text]).status == "unjudged"


def test_of_many_cells_no_figure_is_proved_wrong() -> None:
    cells = [f"theme {chr(97 + number)} | {number * 37}" for number in range(60)]
    assert check_counts("They have 10,003 records.", [], cells).status == "unjudged"
    assert check_counts("They have 10,003 records.", [], cells[:10]).status == "unsupported"
