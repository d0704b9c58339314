"""Sales of a shop as a table, and a run over it: what is told of counts is the data's own, and errors in words of the
model's stand out."""

from __future__ import annotations

from tests.acceptance.played.play import Part, Play, Says, Verdict

ROWS = (
    (2024, "Kettles", "North", 120),
    (2024, "Kettles", "South", 80),
    (2024, "Toasters", "North", 60),
    (2024, "Toasters", "South", 40),
    (2024, "Lamps", "North", 50),
    (2025, "Kettles", "North", 150),
    (2025, "Kettles", "South", 90),
    (2025, "Toasters", "North", 30),
    (2025, "Toasters", "South", 30),
    (2025, "Lamps", "North", 100),
)
CSV = "year,product,region,revenue\n" + "".join(f"{','.join(map(str, row))}\n" for row in ROWS)

SALES = Play(
    question="How did revenue by product develop from 2024 to 2025, and how does it divide by region?",
    parts=[
        Part(
            question="How did revenue by product develop from 2024 to 2025?",
            focus="Revenue by product",
            queries=["revenue by product and year"],
            groups=("year", "product"),
            claims=[
                Says("Kettles went up from 200 to 240, and lamps doubled from 50 to 100.", ["revenue"]),
                Says("Toasters fell from 100 to 60.", ["revenue"]),
            ],
            section=[
                Says("Kettles brought in 200 in 2024 and 240 in 2025, a fifth more.", ["revenue"]),
                Says("Lamps doubled, from 50 to 100.", ["revenue"]),
                Says("Toasters lost two fifths of their revenue.", ["revenue"]),
                Says("Kettles brought in 260 in 2025.", ["revenue"]),
                Says("Toasters grew from 60 to 100.", ["revenue"]),
                Says("Lamps brought in more than kettles in 2025.", ["revenue"]),
                Says("In 2024 toasters were ahead of kettles.", ["revenue"]),
                Says("Revenue as a whole went down from 400 to 350.", ["revenue"]),
            ],
        ),
        Part(
            question="How does revenue divide by region?",
            focus="Revenue by region",
            queries=["revenue by region"],
            groups=("region",),
            claims=[Says("The North brought in 510 and the South 240.", ["revenue"])],
            section=[
                Says("The North brings in a little more than two thirds of all revenue, 510 of 750.", ["revenue"]),
                Says("The South brings in 510 and the North 240.", ["revenue"]),
                Says("The South brings in 48 % of the revenue.", ["revenue"]),
            ],
        ),
    ],
    summary=[
        Says("Kettles and lamps grew while toasters shrank, and the North carries the shop.", ["Kettles", "North"]),
        Says("All three products grew.", ["Kettles"]),
    ],
    conclusion=[
        Says("What toasters lost, kettles alone made up for.", ["Kettles", "Toasters"], True),
        Says("The shop could close the South without losing a tenth of its revenue.", ["North"], True),
        Says("Lamps have become the most important product.", ["Kettles"], True),
    ],
    errors={
        "Kettles brought in 260 in 2025.": Verdict("contradicted"),
        "Toasters grew from 60 to 100.": Verdict("contradicted", "Toasters fell from 100 to 60 in revenue."),
        "Lamps brought in more than kettles in 2025.": Verdict("contradicted"),
        "In 2024 toasters were ahead of kettles.": Verdict("contradicted", "In 2024 kettles were ahead of toasters."),
        "Revenue as a whole went down from 400 to 350.": Verdict("contradicted"),
        "The South brings in 510 and the North 240.": Verdict(
            "contradicted", "The North brings in 510 and the South 240."
        ),
        "The South brings in 48 % of the revenue.": Verdict("contradicted"),
        "All three products grew.": Verdict("contradicted"),
        "The shop could close the South without losing a tenth of its revenue.": Verdict("contradicted"),
        "Lamps have become the most important product.": Verdict("unsupported"),
    },
)
