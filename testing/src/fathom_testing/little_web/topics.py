"""What the little web writes about: things of six kinds, each with facts that no other thing shares."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

from fathom_testing.little_web.words import Words, written


@dataclass(frozen=True)
class Fact:
    """Something that pages of the little web state, and where."""

    name: str
    """`topic: what it is about`."""
    value: str
    """The value alone, as every page writes it; no other fact has it."""
    sentence: str
    """A sentence that states it."""
    label: str
    """What a table calls it."""
    pages: tuple[str, ...] = ()
    """Addresses of the pages that hold it."""

    @property
    def pattern(self) -> str:
        """Regular expression that a sentence or a row with the fact matches."""
        return r"(?<![\w,.])" + re.escape(self.value).replace(r"\ ", r"\s+")

    def states(self, text: str) -> bool:
        """Whether a text holds it."""
        return self.value in text and re.search(self.pattern, text) is not None


@dataclass(frozen=True)
class Topic:
    """A thing that is written about."""

    slug: str
    name: str
    kind: str
    intro: str
    """What it is, without a value."""
    facts: tuple[Fact, ...]
    """What is true of it and stays so."""
    old: Fact
    """What held until `changed`."""
    new: Fact
    """What has held since."""
    wrong: Fact
    """What some say against `facts[1]`, and nobody who should know."""
    changed: date

    @property
    def current(self) -> tuple[Fact, ...]:
        """What is true of it now."""
        return (*self.facts, self.new)


@dataclass(frozen=True)
class _Kind:
    name: str
    title: str
    """With `{}` for the name."""
    intro: str
    facts: tuple[tuple[str, str, str], ...]
    """Label, spec of the value, sentence with `{}` for the thing and `{value}`."""
    change: tuple[str, str, str]


_KINDS = (
    _Kind(
        "bridge",
        "{} Bridge",
        "The {} is a suspension bridge that carries a road and a footpath across the strait.",
        (
            ("Opened", "date 1931 1989", "The {} was opened to traffic on {value}."),
            ("Main span", "800 1900 metres", "The main span of the {} is {value} long."),
            ("Chief engineer", "person", "The chief engineer of the {} was {value}."),
            ("Construction cost", "40 990 million crowns", "Building the {} cost {value}."),
            ("Daily traffic", "9000 88000 vehicles a day", "The {} carries {value} on average."),
            ("Wind limit", "60 140 kilometres per hour", "The {} is closed to lorries when gusts exceed {value}."),
        ),
        ("Toll", "11 99 crowns per car", "The toll on the {} is {value}."),
    ),
    _Kind(
        "reservoir",
        "{} Reservoir",
        "The {} stores the snow melt of the northern range for the dry months.",
        (
            ("Completed", "date 1951 1999", "The dam of the {} was completed on {value}."),
            ("Capacity", "120 980 million cubic metres", "The {} holds {value} of water when it is full."),
            ("Designer", "person", "The dam of the {} was designed by {value}."),
            ("Dam height", "40 210 metres high", "The dam of the {} is {value}."),
            ("Households supplied", "20000 900000 households", "The {} supplies {value} with drinking water."),
            ("Evaporation", "1.1 9.9 millimetres a day", "In August the {} loses {value} to evaporation."),
        ),
        ("Lowest permitted level", "301 499 metres above the sea", "The lowest permitted level of the {} is {value}."),
    ),
    _Kind(
        "medicine",
        "{}in",
        "{} is a medicine against seasonal migraine that is taken as a tablet.",
        (
            ("Approved", "date 1998 2019", "{} was approved on {value}."),
            ("Half-life", "3.1 60.9 hours", "The half-life of {} in the blood is {value}."),
            ("Discoverer", "person", "{} was first made by {value}."),
            ("Trial size", "400 9800 patients", "The largest trial of {} followed {value} for two years."),
            ("Response", "31.0 89.9 percent of patients", "{} shortened attacks in {value}."),
            ("Melting point", "101.1 298.9 degrees Celsius", "{} melts at {value}."),
        ),
        ("Recommended dose", "15 240 milligrams a day", "The recommended dose of {} is {value}."),
    ),
    _Kind(
        "railway",
        "{} Line",
        "The {} is a mountain railway that runs all year round.",
        (
            ("Opened", "date 1881 1929", "The {} was opened on {value}."),
            ("Length", "41.1 299.9 kilometres", "The {} is {value} long."),
            ("Builder", "person", "The {} was built under {value}."),
            ("Tunnels", "12 190 tunnels", "The {} passes through {value}."),
            ("Passengers", "100000 990000 passengers a year", "The {} carries {value}."),
            ("Steepest gradient", "21.1 79.9 per mille", "The steepest gradient of the {} is {value}."),
        ),
        ("Top speed", "41 140 kilometres an hour", "Trains on the {} may run at {value}."),
    ),
    _Kind(
        "observatory",
        "{} Observatory",
        "The {} watches the southern sky for objects that change within a night.",
        (
            ("First light", "date 1971 2012", "The {} saw first light on {value}."),
            ("Mirror", "101 890 centimetres across", "The main mirror of the {} is {value}."),
            ("Director", "person", "The first director of the {} was {value}."),
            ("Altitude", "2100 5400 metres above sea level", "The {} stands {value}."),
            ("Clear nights", "180 340 clear nights a year", "The {} counts {value}."),
            ("Catalogue", "10000 990000 variable stars", "The catalogue of the {} lists {value}."),
        ),
        ("Guided tour", "21 99 crowns a person", "A guided tour of the {} costs {value}."),
    ),
    _Kind(
        "protocol",
        "{} Protocol",
        "The {} is a protocol by which sensors report their readings over slow links.",
        (
            ("First published", "date 1994 2015", "The {} was first published on {value}."),
            ("Frame size", "512 9900 bytes per frame", "The {} allows at most {value}."),
            ("Author", "person", "The {} was designed by {value}."),
            ("Default port", "110 990 over UDP", "The {} uses port {value}."),
            (
                "Retry interval",
                "101 990 milliseconds",
                "A sender that speaks the {} repeats a lost frame after {value}.",
            ),
            ("Field tests", "20 400 weather stations", "The {} was tested at {value}."),
        ),
        ("Keep-alive interval", "11 240 seconds", "The keep-alive interval of the {} is {value}."),
    ),
)


def topics(words: Words, *, count: int) -> list[Topic]:
    """So many things, the kinds in turn."""
    return [_topic(_KINDS[number % len(_KINDS)], words) for number in range(count)]


def _topic(kind: _Kind, words: Words) -> Topic:
    name = kind.title.format(words.name())

    def fact(label: str, spec: str, sentence: str) -> Fact:
        value = words.value(spec)
        return Fact(f"{name}: {label.lower()}", value, sentence.format(name, value=value), label)

    facts = tuple(fact(*each) for each in kind.facts)
    changed = words.day(2022, 2024)
    old, new, wrong = fact(*kind.change), fact(*kind.change), fact(*kind.facts[1])
    since = new.sentence.rstrip(".") + f" since {written(changed)}."
    return Topic(
        slug=name.lower().replace(" ", "-"),
        name=name,
        kind=kind.name,
        intro=kind.intro.format(name),
        facts=facts,
        old=replace(old, name=f"{old.name} (until {changed})"),
        new=replace(new, sentence=since),
        wrong=replace(wrong, name=f"{wrong.name} (wrong)"),
        changed=changed,
    )
