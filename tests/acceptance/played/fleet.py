"""Four papers on batteries for vans, and two runs over them: one in English with a recommendation, one in Japanese."""

from __future__ import annotations

from tests.acceptance.played.play import Part, Play, Says, Verdict

TEXTS = {
    "lfp.md": """# LFP pack L-40

The LFP pack L-40 stores 41 kWh and weighs 312 kg. At minus 20 degrees it gives 55 % of its capacity.

It lasts 6,000 full cycles. Below minus 10 degrees it must be heated before it can be charged.
""",
    "sodium.md": """# Sodium-ion pack N-36

The sodium-ion pack N-36 stores 36 kWh and weighs 338 kg. At minus 20 degrees it gives 88 % of its capacity.

It lasts 4,000 full cycles. It may be charged down to minus 20 degrees if the current is halved.
""",
    "offers.md": """# Offers of September 2026

Halvorsen offers the L-40 at 118 euros per kWh, which is 4,838 euros a pack. Norrcell offers the N-36 at 97 euros per
kWh, which is 3,492 euros a pack.

Both offers hold until 30 November 2026. Norrcell delivers in March 2027, Halvorsen in January.
""",
    "depot.md": """# Umeå depot

On a usual day a van drives 90 km and needs 27 kWh for it. In January 2026 the depot had 19 nights below minus 15
degrees.

The vans stand outside at night, because the hall is let to Nordlast until 2028. They are charged from 20:00 to 05:00.
""",
}

ENGLISH = Play(
    question="Should the vans of our Umeå depot get sodium-ion or LFP batteries? Compare cold, weight and life, price, "
    "and what the vans need, and say what you would choose.",
    parts=[
        Part(
            question="How do the L-40 and the N-36 behave in the cold?",
            focus="Behaviour in the cold",
            queries=["minus 20 degrees capacity", "charged heated minus 10 degrees"],
            claims=[
                Says("In deep cold the L-40 is left with 55 % of its capacity.", ["it gives 55 %"]),
                Says("The N-36 keeps 88 % of its capacity at minus 20 degrees.", ["it gives 88 %"]),
                Says("The L-40 cannot be charged below minus 10 degrees without heating.", ["must be heated"]),
                Says("The N-36 may be charged at half the current down to minus 20 degrees.", ["current is halved"]),
            ],
            section=[
                Says(
                    "On a night of minus 20 degrees the N-36 still holds 31.7 kWh and the L-40 22.6 kWh, so the "
                    "smaller pack is the larger one when it matters.",
                    ["left with 55 %", "keeps 88 %"],
                ),
                Says("At minus 20 degrees the L-40 keeps 88 % of its capacity, the N-36 55 %.", ["55 %", "88 %"]),
                Says("Before it takes a charge in hard frost, the L-40 needs warming up.", ["without heating"]),
                Says("The N-36 can be charged at full current at minus 20 degrees.", ["half the current"]),
            ],
        ),
        Part(
            question="What do the L-40 and the N-36 weigh, and how long do they last?",
            focus="Weight and life",
            queries=["stores kWh and weighs kg", "lasts full cycles"],
            claims=[
                Says("The L-40 stores 41 kWh at 312 kg.", ["weighs 312 kg"]),
                Says("The N-36 stores 36 kWh at 338 kg.", ["weighs 338 kg"]),
                Says("The L-40 is good for 6,000 full cycles.", ["6,000 full cycles"]),
                Says("The N-36 is good for 4,000 full cycles.", ["4,000 full cycles"]),
            ],
            section=[
                Says("The sodium-ion pack is 26 kg heavier and stores 5 kWh less.", ["312 kg", "338 kg"]),
                Says("Halvorsen's pack outlives the other by half as many cycles again.", ["6,000", "4,000"]),
                Says("The L-40 lasts 4,000 cycles, two thirds of what the N-36 lasts.", ["6,000", "4,000"]),
                Says("The N-36 is the lighter of the two.", ["312 kg", "338 kg"]),
            ],
        ),
        Part(
            question="What do the L-40 and the N-36 cost?",
            focus="Price and delivery",
            queries=["euros per kWh a pack", "offers hold until delivers"],
            claims=[
                Says("A pack L-40 costs 4,838 euros at Halvorsen.", ["4,838 euros"]),
                Says("A pack N-36 costs 3,492 euros at Norrcell.", ["3,492 euros"]),
                Says("Norrcell delivers in March 2027 and Halvorsen in January.", ["delivers in March"]),
                Says("Both offers end on 30 November 2026.", ["Both offers hold"]),
            ],
            section=[
                Says("Per pack the sodium-ion battery is cheaper by 1,346 euros.", ["4,838 euros", "3,492 euros"]),
                Says("Norrcell asks 4,838 euros for a pack.", ["4,838 euros", "3,492 euros"]),
                Says("Whoever wants the packs this winter can only have the L-40.", ["delivers in March"], True),
                Says("Halvorsen delivers two months after Norrcell.", ["delivers in March"]),
                Says("The offers can be taken up until the end of 2026.", ["Both offers end"]),
            ],
        ),
        Part(
            question="What do the vans of the Umeå depot need?",
            focus="What the vans need",
            queries=["van drives needs kWh usual day", "vans stand outside at night hall let"],
            claims=[
                Says("A van needs 27 kWh on a usual day of 90 km.", ["needs 27 kWh"]),
                Says("The depot had 19 nights below minus 15 degrees in January 2026.", ["19 nights"]),
                Says("The vans are outside at night because Nordlast has the hall until 2028.", ["let to Nordlast"]),
            ],
            section=[
                Says(
                    "A usual tour takes 27 kWh, and in January the vans met 19 nights of severe frost outdoors.",
                    ["27 kWh", "19 nights"],
                ),
                Says("The depot lets its hall from Nordlast until 2028.", ["Nordlast has the hall"]),
                Says("Every night of January 2026 was colder than minus 15 degrees.", ["19 nights"]),
            ],
        ),
    ],
    summary=[
        Says(
            "In the cold that Umeå has, only the sodium-ion pack carries a van through its usual day.",
            ["left with 55 %", "keeps 88 %", "27 kWh"],
            True,
        ),
        Says(
            "It costs less as well, weighs a little more, and wears out sooner.",
            ["3,492 euros", "4,838 euros", "312 kg", "338 kg"],
        ),
        Says(
            "Both packs carry a van through its usual day at minus 20 degrees.",
            ["left with 55 %", "keeps 88 %", "27 kWh"],
        ),
    ],
    conclusion=[
        Says(
            "We would take the N-36: the vans sleep outside until 2028, and on the coldest nights the L-40 falls short "
            "of the 27 kWh that a tour takes.",
            ["left with 55 %", "27 kWh"],
            True,
        ),
        Says("If the hall were free again, the longer life of the L-40 would weigh more.", ["312 kg", "27 kWh"], True),
    ],
    errors={
        "At minus 20 degrees the L-40 keeps 88 % of its capacity, the N-36 55 %.": Verdict(
            "contradicted", "At minus 20 degrees the L-40 is left with 55 % of its capacity, while the N-36 has 88 %."
        ),
        "The N-36 can be charged at full current at minus 20 degrees.": Verdict("contradicted"),
        "The L-40 lasts 4,000 cycles, two thirds of what the N-36 lasts.": Verdict(
            "contradicted", "The N-36 lasts 4,000 full cycles, two thirds of what the L-40 lasts."
        ),
        "The N-36 is the lighter of the two.": Verdict("contradicted"),
        "Norrcell asks 4,838 euros for a pack.": Verdict("contradicted", "Norrcell asks 3,492 euros for a pack."),
        "Halvorsen delivers two months after Norrcell.": Verdict("contradicted"),
        "The offers can be taken up until the end of 2026.": Verdict(
            "contradicted", "The offers can be taken up until the end of November 2026."
        ),
        "The depot lets its hall from Nordlast until 2028.": Verdict("contradicted"),
        "Every night of January 2026 was colder than minus 15 degrees.": Verdict("partial"),
        "Both packs carry a van through its usual day at minus 20 degrees.": Verdict("contradicted"),
    },
)

JAPANESE = Play(
    question="ウメオ営業所のバンにはナトリウムイオン電池とLFP電池のどちらがよいですか。寒さ、寿命、価格を比べて、勧めるほうを教えてください。",
    parts=[
        Part(
            question="寒さの中で二つの電池はどうなりますか",
            focus="寒さへの強さ",
            queries=["minus 20 degrees capacity", "charged heated minus 10 degrees"],
            claims=[
                Says("L-40は氷点下20度で容量の55％しか出せない。", ["it gives 55 %"]),
                Says("N-36は氷点下20度でも容量の88％を出せる。", ["it gives 88 %"]),
                Says("L-40は氷点下10度を下回ると、充電の前に温める必要がある。", ["must be heated"]),
                Says("N-36は電流を半分にすれば氷点下20度まで充電できる。", ["current is halved"]),
            ],
            section=[
                Says("氷点下20度で使える電気は、N-36が約31.7 kWh、L-40が約22.6 kWhである。", ["55％", "88％"]),
                Says("氷点下20度では、L-40のほうがN-36より多くの容量を保つ。", ["55％", "88％"]),
                Says("厳しい冷え込みの中でL-40に充電するには、まず温めなければならない。", ["温める必要"]),
                Says("N-36は氷点下20度でも、ふだんと同じ電流で充電できる。", ["電流を半分"]),
            ],
        ),
        Part(
            question="二つの電池の重さと寿命はどれほどですか",
            focus="重さと寿命",
            queries=["stores kWh and weighs kg", "lasts full cycles"],
            claims=[
                Says("L-40は41 kWhを蓄え、重さは312 kgである。", ["weighs 312 kg"]),
                Says("N-36は36 kWhを蓄え、重さは338 kgである。", ["weighs 338 kg"]),
                Says("L-40は6,000回の充放電に耐える。", ["6,000 full cycles"]),
                Says("N-36は4,000回の充放電に耐える。", ["4,000 full cycles"]),
            ],
            section=[
                Says("N-36はL-40より26 kg重く、蓄えられる電気は5 kWh少ない。", ["312 kg", "338 kg"]),
                Says("長く使えるのはL-40で、N-36の1.5倍の回数に耐える。", ["6,000回", "4,000回"]),
                Says("N-36はL-40より2,000回多く使える。", ["6,000回", "4,000回"]),
                Says("二つの電池の重さは同じである。", ["312 kg", "338 kg"]),
                Says("L-40は60,000回の充放電に耐える。", ["6,000回"]),
            ],
        ),
        Part(
            question="二つの電池の価格と納期はどうですか",
            focus="価格と納期",
            queries=["euros per kWh a pack", "offers hold until delivers"],
            claims=[
                Says("L-40は1基4,838ユーロである。", ["4,838 euros"]),
                Says("N-36は1基3,492ユーロである。", ["3,492 euros"]),
                Says("ノルセルの納品は2027年3月、ハルヴォルセンは1月である。", ["delivers in March"]),
            ],
            section=[
                Says("1基あたりN-36のほうが1,346ユーロ安い。", ["4,838ユーロ", "3,492ユーロ"]),
                Says("N-36は1基4,838ユーロする。", ["4,838ユーロ", "3,492ユーロ"]),
                Says("先に届くのはノルセルの電池である。", ["2027年3月"]),
                Says("ハルヴォルセンの納品は2027年3月である。", ["2027年3月"]),
            ],
        ),
    ],
    summary=[
        Says(
            "寒さに強く安いのはナトリウムイオン電池のN-36で、長持ちするのはLFP電池のL-40である。",
            ["55％", "88％", "4,838ユーロ", "3,492ユーロ", "41 kWh"],
        ),
        Says("氷点下20度で容量が半分近くに落ちるのはN-36である。", ["55％", "88％"]),
    ],
    conclusion=[
        Says("冬の夜も外に置くバンには、価格も安いN-36を勧める。", ["88％", "3,492ユーロ"], True),
        Says("寒さの心配がない場所なら、寿命の長いL-40が有利になる。", ["55％", "41 kWh"], True),
        Says("どちらを選んでも価格の差はない。", ["4,838ユーロ", "3,492ユーロ"], True),
    ],
    errors={
        "氷点下20度では、L-40のほうがN-36より多くの容量を保つ。": Verdict(
            "contradicted", "氷点下20度では、N-36のほうがL-40より多くの容量を保つ。"
        ),
        "N-36は氷点下20度でも、ふだんと同じ電流で充電できる。": Verdict("contradicted"),
        "N-36はL-40より2,000回多く使える。": Verdict("contradicted", "L-40はN-36より2,000回多く使える。"),
        "二つの電池の重さは同じである。": Verdict("contradicted"),
        "L-40は60,000回の充放電に耐える。": Verdict("contradicted", "L-40は6,000回までの充放電に耐える。"),
        "N-36は1基4,838ユーロする。": Verdict("contradicted"),
        "先に届くのはノルセルの電池である。": Verdict("contradicted", "先に届くのはハルヴォルセンの電池である。"),
        "氷点下20度で容量が半分近くに落ちるのはN-36である。": Verdict("contradicted"),
        "どちらを選んでも価格の差はない。": Verdict("contradicted"),
        "ハルヴォルセンの納品は2027年3月である。": Verdict("contradicted", "2027年3月に納品するのはノルセルである。"),
    },
)
