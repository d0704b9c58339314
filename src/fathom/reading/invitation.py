"""Invitations as mails carry them (RFC 5545): what, when, where, and who."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta

from pydantic import TypeAdapter, ValidationError

_FOLD = re.compile(r"\r?\n[ \t]")
_PROPERTY = re.compile(r"([\w-]+)((?:;[\w-]+=(?:\"[^\"]*\"|[^\":;]*))*):(.*)")
_PARAMETER = re.compile(r";([\w-]+)=(?:\"([^\"]*)\"|([^\":;]*))")
_ESCAPED = re.compile(r"\\(.)")
_DURATION = TypeAdapter(timedelta)
_Property = tuple[str, dict[str, str], str]


def invitation(text: str) -> str:
    """What each event of a calendar says, a line to each answer; empty if it has no event."""
    events: list[list[_Property]] = []
    inside: list[str] = []
    is_cancelled = False
    for name, given, value in _properties(text):
        if name == "BEGIN":
            inside.append(value.upper())
            events += [[]] if value.upper() == "VEVENT" else []
        elif name == "END":
            del inside[-1:]
        elif inside[-1:] == ["VEVENT"]:
            events[-1].append((name, given, value))
        is_cancelled |= (name, value.upper()) in {("METHOD", "CANCEL"), ("STATUS", "CANCELLED")}
    return "\n\n".join("\n\n".join(_event(event, is_cancelled=is_cancelled)) for event in events)


def _properties(text: str) -> Iterator[_Property]:
    for line in _FOLD.sub("", text).splitlines():
        if found := _PROPERTY.fullmatch(line.strip()):
            given = {each[1].upper(): each[2] or each[3] or "" for each in _PARAMETER.finditer(found[2])}
            said = _ESCAPED.sub(lambda sign: "\n" if sign[1] in "nN" else sign[1], found[3])
            yield found[1].upper(), given, said.strip()


def _event(event: list[_Property], *, is_cancelled: bool) -> Iterator[str]:
    """The answers of an event."""
    said = {name: (given, value) for name, given, value in event if value}
    what = said.get("SUMMARY", ({}, ""))[1]
    yield f"{'Cancelled' if is_cancelled else 'Invitation'}: {what}".removesuffix(": ")
    if when := _span(said):
        yield f"When: {when}"
    if "RRULE" in said:
        yield f"Repeated: {said['RRULE'][1]}"
    if "LOCATION" in said:
        yield f"Where: {said['LOCATION'][1]}"
    for name, answer in (("ORGANIZER", "Organizer"), ("ATTENDEE", "Invited")):
        who = [given.get("CN") or value.partition(":")[2] or value for each, given, value in event if each == name]
        if who:
            yield f"{answer}: {', '.join(who)}"
    if "DESCRIPTION" in said:
        yield said["DESCRIPTION"][1]


def _span(said: dict[str, tuple[dict[str, str], str]]) -> str:
    """When an event begins and ends, with its time zone: "18 June 2026, 19:00 to 21:00 (Europe/Berlin)"."""
    given, value = said.get("DTSTART", ({}, ""))
    _, until = said.get("DTEND", ({}, ""))
    has_hour = "T" in value
    try:
        begin = end = _moment(value)
        if until:
            end = _moment(until)
        elif "DURATION" in said:
            with suppress(ValidationError):
                end += _DURATION.validate_python(said["DURATION"][1])
        if not has_hour and end > begin:
            end -= timedelta(days=1)  # which is the day after the last one
    except (ValueError, OverflowError):
        return value
    days = f"{begin.day} {begin:%B} {begin.year}", f"{end.day} {end:%B} {end.year}"
    when = f"{days[0]}, {begin:%H:%M}" if has_hour else days[0]
    if end > begin:
        hour = f"{end:%H:%M}" if has_hour else ""
        when += f" to {', '.join(filter(None, (days[1] if days[0] != days[1] else '', hour)))}"
    zone = "UTC" if value.endswith("Z") else given.get("TZID", "")
    return f"{when} ({zone})" if zone and has_hour else when


def _moment(value: str) -> datetime:
    return datetime.strptime(value[:13], "%Y%m%dT%H%M" if "T" in value else "%Y%m%d")  # noqa: DTZ007 - the zone is said
