"""What the sites say of a topic, each in its own way."""

from __future__ import annotations

from random import Random

from fathom_testing.little_web.content import Block, heading, listed, paragraph, table
from fathom_testing.little_web.topics import Topic
from fathom_testing.little_web.words import written

_FILLERS = (
    "Most visitors come in the first weeks of autumn, when the weather is settled.",
    "The archive in the town hall keeps the drawings, which may be seen on request.",
    "Several books have been written about it, and one of them won a prize.",
    "A small exhibition tells its history with models and letters.",
    "The people of the valley speak of it with a mixture of pride and complaint.",
    "Students are shown it in their second year, usually in the rain.",
    "The committee meets twice a year and publishes its minutes.",
    "Plans for a renewal were made more than once and put aside each time.",
    "Photographs from the early years show little of what surrounds it today.",
    "The records are complete but for a fire that took one cupboard of them.",
    "Nobody has ever explained why the first proposal was withdrawn.",
    "Neighbouring districts followed the example with less success.",
    "Its maintenance is paid from a fund that was set up for the purpose.",
    "Reports from that time differ in tone, though hardly in substance.",
    "An anniversary was celebrated with music and a long speech.",
    "Those who work there call it by a name that cannot be printed.",
)


def fillers(chance: Random, count: int) -> list[str]:
    """Sentences that state no fact."""
    return chance.sample(_FILLERS, min(count, len(_FILLERS)))


def encyclopedia(topic: Topic, chance: Random) -> list[Block]:
    """Everything that is true now, in sections, with a table."""
    facts = topic.facts
    return [
        paragraph(topic.intro, facts[0].sentence, *fillers(chance, 2)),
        table([(fact.label, fact.value) for fact in topic.current]),
        heading("History"),
        paragraph(facts[2].sentence, facts[3].sentence, *fillers(chance, 4)),
        heading("Figures"),
        paragraph(facts[1].sentence, facts[4].sentence, *fillers(chance, 3)),
        heading("Rules"),
        paragraph(facts[5].sentence, topic.new.sentence, *fillers(chance, 3)),
    ]


def authority(topic: Topic, chance: Random) -> list[Block]:
    """What an office publishes: the rule in force, and a list of figures."""
    return [
        paragraph(f"This page holds the figures of the {topic.kind} in the register.", topic.intro),
        heading("In force"),
        paragraph(topic.new.sentence, f"The rule applies in all districts of {topic.name}.", *fillers(chance, 2)),
        heading("Register"),
        listed([fact.sentence for fact in topic.facts[:5]]),
        paragraph(*fillers(chance, 5)),
    ]


def authority_before(topic: Topic, chance: Random) -> list[Block]:
    """The same office, before the rule was changed."""
    return [
        paragraph(f"Notice of the office about {topic.name}.", topic.old.sentence, *fillers(chance, 3)),
        paragraph("The notice stays in force until it is replaced.", *fillers(chance, 4)),
    ]


def report(topic: Topic, chance: Random) -> list[Block]:
    """What a newspaper writes on the day of the change."""
    return [
        paragraph(
            f"The rules for {topic.name} have been changed on {written(topic.changed)}.",
            topic.new.sentence,
            f"Until then it was {topic.old.value}.",
        ),
        paragraph(f"The decision was long expected, said {topic.facts[2].value}'s successor.", *fillers(chance, 4)),
        paragraph(topic.facts[4].sentence, *fillers(chance, 4)),
        paragraph(*fillers(chance, 6)),
    ]


def report_before(topic: Topic, chance: Random) -> list[Block]:
    """What a newspaper wrote while the old rule held."""
    return [
        paragraph(topic.old.sentence, f"There is no talk of a change at {topic.name}.", *fillers(chance, 3)),
        paragraph(topic.facts[0].sentence, *fillers(chance, 5)),
        paragraph(*fillers(chance, 6)),
    ]


def study(topic: Topic, chance: Random) -> list[Block]:
    """What a journal prints."""
    return [
        heading("Abstract"),
        paragraph(f"We measured {topic.name} over two years.", topic.facts[1].sentence, topic.facts[4].sentence),
        heading("Methods"),
        paragraph("All instruments were calibrated against a national standard.", *fillers(chance, 5)),
        heading("Results"),
        paragraph(topic.facts[5].sentence, topic.facts[3].sentence, *fillers(chance, 4)),
        heading("Conclusion"),
        paragraph(f"The figures for {topic.name} agree with those of the register.", *fillers(chance, 3)),
    ]


def abstract(topic: Topic) -> list[Block]:
    """What stands on the page in front of a paper."""
    return study(topic, Random(0))[:2]


def thread(topic: Topic, chance: Random, people: list[str]) -> list[Block]:
    """What people write to each other: a wrong value, an objection, small talk."""
    one, two, three = people
    return [
        paragraph(f"{one} wrote: does anybody know the numbers of {topic.name}? I need them for a talk."),
        paragraph(f"{two} wrote: I was told this. {topic.wrong.sentence} But do not quote me.", *fillers(chance, 1)),
        paragraph(f"{three} wrote: that is not what the register says.", topic.facts[1].sentence),
        paragraph(f"{one} wrote: thanks, both of you.", *fillers(chance, 2)),
    ]


def offer(topic: Topic, chance: Random) -> list[Block]:
    """What somebody writes who sells something."""
    return [
        paragraph(f"Discover {topic.name} with our guide, now with a free map!", *fillers(chance, 2)),
        listed(
            [topic.wrong.sentence, topic.facts[0].sentence, "Delivery within three days.", "Money back if you wish."]
        ),
        paragraph("Order before Sunday and save.", *fillers(chance, 2)),
    ]
