"""Generated questions over the made-up events, each with the condition that its records meet, in DuckDB's words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random

_THEMES = {"AI": "人工知能", "Cloud": "クラウド", "Security": "セキュリティ", "Energy": "エネルギー", "Finance": "金融"}
_COUNTRIES = {"India": "インド", "Japan": "日本", "Germany": "ドイツ", "Kenya": "ケニア", "Norway": "ノルウェー"}
_YEARS = (2021, 2022, 2023, 2024, 2025)


@dataclass(frozen=True)
class Asked:
    """A question and what its answer must show."""

    query: str
    language: str
    key: str
    """Name of the field that the records are counted by."""
    where: str
    """The condition, in SQL."""
    parameters: tuple[object, ...] = ()
    mean_of: str = ""
    """Name of the field whose mean is asked for, by group; empty when none is."""


def _in(field: str) -> str:
    return f'CAST("{field}" AS DATE) >= make_date(?, 1, 1) AND CAST("{field}" AS DATE) < make_date(? + 1, 1, 1)'


def _english(rng: Random) -> Asked:
    country, other = rng.sample(list(_COUNTRIES), 2)
    theme, year = rng.choice(list(_THEMES)), rng.choice(_YEARS)
    in_country, in_year, on_theme = '"country" = ?', _in("event_date"), '"event_theme" = ?'
    return rng.choice(
        (
            Asked(f"{country} events by theme", "en", "event_theme", in_country, (country,)),
            Asked(
                f"How are the events in {country} distributed by theme?", "en", "event_theme", in_country, (country,)
            ),
            Asked(f"Which theme has the most events in {country}?", "en", "event_theme", in_country, (country,)),
            Asked(f"Events per country in {year}", "en", "country", in_year, (year, year)),
            Asked(f"How many {theme} events are there by country?", "en", "country", on_theme, (theme,)),
            Asked(f"Average attendees of {theme} events by country", "en", "country", on_theme, (theme,), "attendees"),
            Asked(
                f"How many events are there in {country} and in {other}, by country?",
                "en",
                "country",
                '"country" IN (?, ?)',
                (country, other),
            ),
            Asked(f"How many events were there per month in {year}?", "en", "event_date", in_year, (year, year)),
            Asked(
                f"Events in {country} by month in {year}",
                "en",
                "event_date",
                f"{in_country} AND {in_year}",
                (country, year, year),
            ),
        )
    )


def _japanese(rng: Random) -> Asked:
    country, theme = rng.choice(list(_COUNTRIES.values())), rng.choice(list(_THEMES.values()))
    year = rng.choice(_YEARS)
    in_country, in_year, on_theme = '"国" = ?', _in("開催日"), '"テーマ" = ?'
    return rng.choice(
        (
            Asked(f"{country}のイベントのテーマ別の件数は？", "ja", "テーマ", in_country, (country,)),
            Asked(f"{theme}のイベントは国別に何件ありますか。", "ja", "国", on_theme, (theme,)),
            Asked(f"{year}年のイベントの国別の件数", "ja", "国", in_year, (year, year)),
            Asked(f"{country}で最も多いテーマは何ですか。", "ja", "テーマ", in_country, (country,)),
            Asked(f"{theme}のイベントの国別の平均参加者数は？", "ja", "国", on_theme, (theme,), "参加者数"),
            Asked(f"{year}年のイベントの月別の推移", "ja", "開催日", in_year, (year, year)),
        )
    )


def questions(count: int, *, seed: int = 5) -> Iterator[Asked]:
    """`count` different questions, two thirds of them English."""
    rng, told = Random(seed), set[str]()

    def all_of_them() -> Iterator[Asked]:
        for make in cycle((_english, _english, _japanese)):
            asked = make(rng)
            if asked.query not in told:
                told.add(asked.query)
                yield asked

    return islice(all_of_them(), count)
