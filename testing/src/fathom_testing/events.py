"""A table of made-up events whose counts are known: 165 of them are in India, whatever its size.

Nothing in it is true. The same size and language give the same bytes on every machine.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

INDIA = {"AI": 50, "Cloud": 40, "Security": 30, "Data": 20, "Robotics": 15, "Health": 10}
"""Events in India by theme: 165 in all."""
QUANTUM_IN_INDIA = 12
"""Of them, those whose summary mentions quantum computing."""
LEAST = 2_000
"""Events that there are at least."""

_THEMES = {
    "AI": ("machine learning", "language models", "computer vision", "recommender systems"),
    "Cloud": ("container platforms", "serverless functions", "cost control", "multi-cloud networks"),
    "Security": ("zero trust", "incident response", "supply chains", "identity management"),
    "Data": ("data lakes", "stream processing", "data quality", "catalogues"),
    "Robotics": ("warehouse robots", "drones", "surgical arms", "field machines"),
    "Health": ("digital records", "telemedicine", "clinical trials", "wearable sensors"),
    "Energy": ("grid storage", "offshore wind", "heat pumps", "solar parks"),
    "Finance": ("instant payments", "credit scoring", "open banking", "audit"),
    "Education": ("remote teaching", "learning analytics", "open courses", "assessment"),
    "Mobility": ("electric buses", "traffic models", "charging networks", "rail freight"),
}
_PLACES = {
    "India": ("Bengaluru", "Pune", "Delhi", "Mumbai", "Hyderabad"),
    "Japan": ("Tokyo", "Osaka", "Fukuoka", "Sapporo"),
    "Germany": ("Berlin", "Munich", "Hamburg"),
    "France": ("Paris", "Lyon", "Toulouse"),
    "Brazil": ("São Paulo", "Recife", "Curitiba"),
    "Kenya": ("Nairobi", "Mombasa"),
    "Canada": ("Toronto", "Montréal", "Vancouver"),
    "Spain": ("Madrid", "Valencia"),
    "Poland": ("Warsaw", "Kraków"),
    "Chile": ("Santiago", "Valparaíso"),
    "Vietnam": ("Hanoi", "Da Nang"),
    "Norway": ("Oslo", "Bergen"),
}
_KINDS = ("Summit", "Workshop", "Conference", "Meetup", "Forum", "Hackathon")
_ORGANIZERS = ("Northwind Institute", "Open Circuit", "Lantern Foundation", "Harbour Labs", "Meridian Society")
_OUTCOMES = (
    "Speakers agreed that training staff matters more than new tools",
    "A panel warned that costs are still hard to predict",
    "Organizers announced a shared test bed that opens to small companies",
    "Participants asked regulators for clearer rules on audits",
    "Two teams showed prototypes that halve the time of a routine check",
    "The closing talk compared five years of field results",
)
_QUANTUM = "One session dealt with quantum computing and what it means for {topic}"

_JAPANESE_THEMES = {
    "AI": "人工知能",
    "Cloud": "クラウド",
    "Security": "セキュリティ",
    "Data": "データ",
    "Robotics": "ロボット",
    "Health": "医療",
    "Energy": "エネルギー",
    "Finance": "金融",
    "Education": "教育",
    "Mobility": "交通",
}
_JAPANESE_PLACES = {
    "India": "インド",
    "Japan": "日本",
    "Germany": "ドイツ",
    "France": "フランス",
    "Brazil": "ブラジル",
    "Kenya": "ケニア",
    "Canada": "カナダ",
    "Spain": "スペイン",
    "Poland": "ポーランド",
    "Chile": "チリ",
    "Vietnam": "ベトナム",
    "Norway": "ノルウェー",
}
_JAPANESE_OUTCOMES = (
    "参加者は新しい道具より人材の育成が大切だという点で一致した。",
    "討論では費用の予測が今も難しいという指摘があった。",
    "主催者は中小企業も使える共同の試験環境を発表した。",
    "登壇者は監査の規則を明確にするよう求めた。",
)
_JAPANESE_QUANTUM = "量子計算が{theme}に何をもたらすかも議論された。"


@dataclass(frozen=True)
class Event:
    """One event, before it is put into words of a language."""

    number: int
    theme: str
    country: str
    city: str
    day: date
    attendees: int | None
    kind: str
    topic: str
    organizer: str
    outcome: int
    mentions_quantum: bool


def events(count: int) -> Iterator[Event]:
    """`count` events in the order of their numbers, 165 of them in India, spread evenly.

    Raises:
        ValueError: fewer than `LEAST` are asked for.
    """
    if count < LEAST:
        raise ValueError(f"{count} events are too few: the known counts need {LEAST}.")
    rng = random.Random(165)
    in_india = [theme for theme, own in INDIA.items() for _ in range(own)]
    rng.shuffle(in_india)
    step = count // len(in_india)
    elsewhere = [country for country in _PLACES if country != "India"]
    weights = [len(elsewhere) - at for at in range(len(elsewhere))]
    first, days = date(2020, 1, 1), 6 * 365
    for number in range(1, count + 1):
        at, remainder = divmod(number, step)
        is_in_india = remainder == 0 and 1 <= at <= len(in_india)
        country = "India" if is_in_india else rng.choices(elsewhere, weights)[0]
        theme = in_india[at - 1] if is_in_india else rng.choice(list(_THEMES))
        day = first + timedelta(days=int(days * rng.random() ** 0.7))  # more of them in later years
        yield Event(
            number=number,
            theme=theme,
            country=country,
            city=rng.choice(_PLACES[country]),
            day=day,
            attendees=None if rng.random() < 0.02 else 20 + int(rng.expovariate(1 / 180)),
            kind=rng.choice(_KINDS),
            topic=rng.choice(_THEMES[theme]),
            organizer=rng.choice(_ORGANIZERS),
            outcome=rng.randrange(len(_OUTCOMES)),
            mentions_quantum=at <= QUANTUM_IN_INDIA if is_in_india else rng.random() < 0.01,
        )


def row(event: Event, *, language: str = "en") -> dict[str, Any]:
    """The event as a record in English (10 fields) or Japanese (7 fields)."""
    if language == "ja":
        return _japanese(event)
    kind, outcome = event.kind.lower(), _OUTCOMES[event.outcome]
    also = f" {_QUANTUM.format(topic=event.topic)}." if event.mentions_quantum else ""
    return {
        "event_id": f"EV{event.number:07}",
        "event_title": f"{event.theme} {event.kind} {event.city} {event.day.year}",
        "summary": f"The {kind} in {event.city} was about {event.topic}. {outcome}.{also}",
        "event_theme": event.theme,
        "country": event.country,
        "city": event.city,
        "event_date": event.day.isoformat(),
        "attendees": event.attendees,
        "organizer": event.organizer,
        "url": f"https://events.example/{event.number}",
    }


def _japanese(event: Event) -> dict[str, Any]:
    theme, country = _JAPANESE_THEMES[event.theme], _JAPANESE_PLACES[event.country]
    also = _JAPANESE_QUANTUM.format(theme=theme) if event.mentions_quantum else ""
    outcome = _JAPANESE_OUTCOMES[event.outcome % len(_JAPANESE_OUTCOMES)]
    return {
        "イベントID": f"EV{event.number:07}",
        "タイトル": f"{country}{theme}会議{event.day.year}",
        "概要": f"{country}で{theme}についての会議が開かれた。{outcome}{also}",
        "テーマ": theme,
        "国": country,
        "開催日": event.day.isoformat(),
        "参加者数": event.attendees,
    }


def write_events(path: Path, count: int, *, language: str = "en") -> Path:
    """Write events as CSV, JSON lines or Parquet, as the ending of `path` says.

    Raises:
        ValueError: there are too few of them, or the ending is another one.
    """
    rows = (row(event, language=language) for event in events(count))
    match path.suffix:
        case ".csv":
            _write_csv(path, rows)
        case ".jsonl":
            with path.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(each, ensure_ascii=False) + "\n" for each in rows)
        case ".parquet":
            _write_parquet(path, rows)
        case other:
            raise ValueError(f"Events are written as .csv, .jsonl or .parquet, not as '{other}'.")
    return path


def _write_csv(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    first = next(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(first))
        writer.writeheader()
        writer.writerow(first)
        writer.writerows(rows)


def _write_parquet(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    import duckdb

    table = path.with_suffix(".csv.tmp")
    _write_csv(table, rows)
    try:
        with duckdb.connect() as connection:
            connection.read_csv(str(table)).write_parquet(str(path))
    finally:
        table.unlink()
