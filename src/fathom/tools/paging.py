"""How the next page is asked for, as far as an answer tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from fathom.data.fields import ToolProfile
from fathom.data.requests import PAGE_SIZE, Scalar
from fathom.tools.counts import count

_MORE = ("has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage", "more")
_CURSORS = (
    "search_after",
    "next_cursor",
    "nextCursor",
    "next_page_token",
    "nextPageToken",
    "continuation_token",
    "end_cursor",
    "endCursor",
    "next_page",
    "nextPage",
    "next_offset",
    "next",
)
_ABOUT = ("page", "pagination", "paging", "page_info", "pageInfo", "meta", "_meta", "links")
_LONGEST = 4_000
"""Characters of a cursor."""


@dataclass(frozen=True)
class PageInfo:
    """What follows a page."""

    has_more: bool
    search_after: tuple[Scalar, ...] = ()


def next_page(
    value: Any,
    *,
    profile: ToolProfile,
    arguments: Mapping[str, Any],
    records: int,
    matched: int | None,
    sorted_by: Any = None,
) -> PageInfo:
    """Whether there is another page, and what asks for it.

    A page without records is the last one, and so is one that leads to itself: a server must not keep anybody busy.

    Args:
        value: The whole answer.
        records: Records of this page.
        matched: Records of all pages, when that is known.
        sorted_by: Where the last record stands, in search engines.
    """
    if not records:
        return PageInfo(has_more=False)
    places = _places(value)
    said = next((place[name] for place in places for name in _MORE if isinstance(place.get(name), bool)), None)
    cursor = next((found for place in places for name in _CURSORS if (found := _cursor(place.get(name), profile))), ())
    asked = arguments.get(profile.cursor) if profile.cursor else None
    if profile.cursor_as in ("offset", "page") and profile.cursor:
        return _counted(places, profile, arguments, records=records, matched=matched, said=said, cursor=bool(cursor))
    if not cursor and isinstance(sorted_by, list) and profile.cursor:
        cursor = _scalars(sorted_by)
        said = said if said is not None else records >= _size(profile, arguments)
    if said is False or (asked is not None and cursor and cursor == _asked(asked)):
        return PageInfo(has_more=False)
    if profile.cursor and not cursor:
        return PageInfo(has_more=False)
    more = bool(said) or bool(cursor)
    if not profile.cursor:
        more = bool(said) or (matched is not None and matched > records)
    return PageInfo(has_more=more, search_after=cursor if profile.cursor and more else ())


def _counted(
    places: list[Mapping[Any, Any]],
    profile: ToolProfile,
    arguments: Mapping[str, Any],
    *,
    records: int,
    matched: int | None,
    said: bool | None,
    cursor: bool,
) -> PageInfo:
    """The next page where what came before is counted, in records or in pages."""
    size = count(arguments.get(profile.page_size)) if profile.page_size else None
    may_be_capped = size is None or (records < size and records % 5 == 0)  # a server's own cap is a round number
    asked = count(arguments.get(profile.cursor))
    if profile.cursor_as == "page":
        echoed = next((at for place in places if (at := count(place.get(profile.cursor))) is not None), 1)
        at = asked if asked is not None else echoed
        done, following = max(at - 1, 0) * (records if may_be_capped or size is None else size) + records, at + 1
    else:
        done = following = (asked or 0) + records
    if said is not None:
        more = said
    elif matched is not None:
        more = done < matched
    else:
        more = cursor or may_be_capped or records >= (size or 0)
    return PageInfo(has_more=more, search_after=(following,) if more else ())


def _places(value: Any) -> list[Mapping[Any, Any]]:
    """Where an answer tells of its pages."""
    if not isinstance(value, Mapping):
        return []
    inner = [value[name] for name in ("data", "result", "results") if isinstance(value.get(name), Mapping)]
    found = [value, *inner]
    return [*(each[name] for each in found for name in _ABOUT if isinstance(each.get(name), Mapping)), *found]


def _cursor(value: Any, profile: ToolProfile) -> tuple[Scalar, ...]:
    if isinstance(value, Mapping):
        value = value.get("cursor", value.get("href"))
    if isinstance(value, list):
        return _scalars(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ()
    if isinstance(value, str):
        if value.startswith(("http://", "https://", "/", "?")):
            value = _in_address(value, profile.cursor)
        if not value or len(value) > _LONGEST:
            return ()
    return (value,) if value == value else ()


def _in_address(address: str, name: str) -> str:
    """The cursor that an address of the next page holds."""
    try:
        return next(iter(parse_qs(urlsplit(address[:_LONGEST]).query).get(name, [])), "")
    except ValueError:
        return ""


def _scalars(values: list[Any]) -> tuple[Scalar, ...]:
    kept = tuple(each for each in values if each is None or isinstance(each, str | int | float | bool))
    whole = len(kept) == len(values) and len(kept) <= 20 and all(each == each for each in kept)
    return kept if whole and sum(len(str(each)) if isinstance(each, str) else 8 for each in kept) <= _LONGEST else ()


def _asked(value: Any) -> tuple[Scalar, ...]:
    return _scalars(value) if isinstance(value, list) else (value,)


def _size(profile: ToolProfile, arguments: Mapping[str, Any]) -> int:
    return count(arguments.get(profile.page_size)) or PAGE_SIZE if profile.page_size else PAGE_SIZE
