"""Made-up changes: sentences before and now, and sentences that only one report has."""

# ruff: noqa: E501 - a pair to a line

from __future__ import annotations

CHANGED = (
    # a number, a day, a name
    ("The annual service costs 240 euros and is due every October.", "The annual service costs 265 euros and is due every October."),
    ("The tank holds 1,500 litres.", "The tank holds 1,800 litres."),
    ("It costs 5 euros.", "It costs 6 euros."),
    ("The office is closed on Mondays.", "The office is closed on Tuesdays."),
    ("Flights are booked through Ines Albrecht.", "Flights are booked through Jonas Keller."),
    ("The contract with Brandt Heating ends on 31 March 2026.", "The contract with Brandt Heating ends on 30 June 2027."),
    ("In 2024 the panels produced 8,900 kilowatt hours.", "In 2025 the panels produced 9,340 kilowatt hours."),
    ("Support answers within 4 hours on working days.", "Support answers within 2 hours on working days."),
    ("Version 3.11 is required.", "Version 3.12 is required."),
    ("The deposit is 10 percent of the price.", "The deposit is 15 percent of the price."),
    # a word, a denial
    ("Dogs are allowed in the garden of the café.", "Dogs are not allowed in the garden of the café."),
    ("The buffer is flushed when the server stops.", "The buffer is kept when the server stops."),
    ("Guests may park behind the building.", "Visitors may park behind the building."),
    ("The lift was repaired in May.", "The lift was replaced in May."),
    ("Backups are encrypted and stored in Frankfurt.", "Backups are encrypted and stored in Dublin."),
    # a clause more, a clause less, another order
    ("The pump runs at night.", "The pump runs at night, but at most at 70 percent of its power."),
    ("Invoices are paid within 30 days unless the customer objects in writing.", "Invoices are paid within 30 days."),
    ("Every October the annual inspection of the boiler is due.", "The annual inspection of the boiler is due every October."),
    ("The library opens at nine and closes at six.", "The library opens at nine, has a break at noon and closes at six."),
    ("Members get a discount of ten percent on all books.", "On all books members get a discount of ten percent."),
    ("The trial period is two weeks.", "The trial period for new customers is two weeks."),
    ("The bridge was built of oak in 1874.", "The bridge was built in 1874."),
    # Japanese
    ("年次点検の費用は240ユーロで、毎年10月に行う。", "年次点検の費用は265ユーロで、毎年10月に行う。"),
    ("タンクの容量は1500リットルである。", "タンクの容量は1800リットルである。"),
    ("締め切りは3月末です。", "締め切りは5月末です。"),
    ("受付は午前九時に始まる。", "受付は午前八時に始まる。"),
    ("担当は営業部の田中さんです。", "担当は営業部の鈴木さんです。"),
    ("図書館は月曜日に休む。", "図書館は火曜日に休む。"),
    ("会議室では飲食ができます。", "会議室では飲食ができません。"),
    ("夜10時から朝6時までは出力が制限される。", "夜11時から朝6時までは出力が70パーセントに制限される。"),
    ("見学には予約が必要である。", "平日の見学には予約が必要である。"),
    ("送料は全国一律500円です。", "送料は全国一律650円です。"),
    ("契約は毎年4月に更新される。", "契約は毎年4月に自動的に更新される。"),
    ("保証期間は2年間です。", "保証期間は3年間です。"),
)  # fmt: skip

GONE = (
    "The chimney sweep comes in November.",
    "Lunch is served in the old hall from noon on.",
    "A spare key hangs in the porter's lodge.",
    "The first edition had 312 pages.",
    "Rain water is collected in a cistern.",
    "暖房は古い灯油ボイラーで行っていた。",
    "祭りは河原で開かれた。",
    "倉庫には予備の部品がある。",
)
NEW = (
    "A battery of 10 kWh has been the reserve since the summer.",
    "Bicycles can be borrowed at the gate.",
    "The choir rehearses on the second floor.",
    "Wi-Fi passwords are changed by the caretaker.",
    "Three beehives stand on the roof.",
    "2025年5月から蓄電池が予備となっている。",
    "屋上に蜂の巣箱が置かれた。",
    "駐輪場は無料で使える。",
)

UNLIKE = (
    ("Clean the panels in April.", "Read the meter in April."),
    ("Ask Ines about flights.", "Ask Jonas about hotels."),
    ("The inverter has a warranty until 2033.", "The battery has a price of 6,200 euros."),
    ("The pool opens at nine.", "The museum opens at ten."),
    ("Rooms are booked at the desk.", "Scooters are rented at the gate."),
    ("The gardener comes in March.", "The window cleaner comes in September."),
    ("パネルは4月に掃除する。", "フィルターは6月に交換する。"),
    ("田中さんは営業部にいる。", "佐藤さんは人事部にいる。"),
    ("体育館は九時に開く。", "プールは十時に開く。"),
    ("費用は240ユーロである。", "深さは3メートルである。"),
)
"""Sentences of one form that say different things: none is the other one changed."""
