"""A plan as a person edits it in a terminal: numbered lines, and what is typed below them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from fathom.cli.spending import expected
from fathom.errors import UsageError
from fathom.plan import Subtask
from fathom.steering import Answer, Approval, EditedPart, edited
from fathom.text.harmless import inert

OF_A_PLAN = (
    "a accepts it · r 2 NEW WORDS rewords · d 3 drops · + A FURTHER PART adds · m 3 1 moves · 2 after 1 lets it wait · "
    "i 2 0.5 weighs · again BUT … plans anew · q rejects"
)
OF_ALL_ELSE = "a accepts it · q rejects it"


class Proposal:
    """What is to be approved, as it has been edited so far."""

    def __init__(self, asked: Approval) -> None:
        self.asked = asked
        self.estimate = asked.estimate
        """What the run takes by the plan as it has been edited so far; `None` as long as that is not known."""
        self._subtasks = asked.proposed
        editable = asked.proposed if asked.about == "plan" else ()
        self._parts = [EditedPart.like(each, estimated_importance=None) for each in editable]
        self._last = max((int(each.subtask_id.removeprefix("task_")) for each in editable), default=0)

    def lines(self) -> Iterator[str]:
        """What is proposed, numbered."""
        yield f"{_TITLES[self.asked.about].format(id=self.asked.subtask_id)}{_because(self.asked.reason)}"
        yield from numbered(self._subtasks)
        if self.asked.removed:
            yield f"It would leave out {', '.join(self.asked.removed)}."
        if self.estimate:
            yield f"It takes {expected(self.estimate)}."
        yield from by_itself(self.asked)

    @property
    def help(self) -> str:
        """What may be typed."""
        return OF_A_PLAN if self.asked.about == "plan" else OF_ALL_ELSE

    @property
    def said(self) -> Answer:
        """The plan as it has been edited so far, as an answer."""
        if self._subtasks == self.asked.proposed:
            return Answer(decision="accept")
        return Answer(decision="edit", parts=tuple(self._parts))

    def take(self, line: str) -> Answer | None:
        """Do what was typed; the answer, once that is one.

        Raises:
            UsageError: it cannot be done, and nothing has changed.
        """
        word, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if word in ("a", "accept") and not rest:
            return self.said
        if word in ("q", "reject") and not rest:
            return Answer(decision="reject")
        if self.asked.about != "plan":
            raise UsageError("That is not understood.")
        if word == "again" and rest:
            return Answer(decision="again", remark=rest)
        parts = self._changed(word, rest, line.strip())
        self._subtasks = edited(self.asked.proposed, parts)
        self._parts, self.estimate = parts, None
        return None

    def _changed(self, word: str, rest: str, line: str) -> list[EditedPart]:
        parts, said = list(self._parts), re.split(r"\s+", rest, maxsplit=1)
        if (word == "+" and rest) or (word.startswith("+") and word[1:]):
            self._last += 1
            return [*parts, EditedPart(subtask_id=f"task_{self._last}", description=line[1:].strip(), dependencies=())]
        if waits := re.fullmatch(r"(\d+) after\s*([\d ,]*)", line):
            at, needed = self._place(waits[1]), [self._place(each) for each in re.findall(r"\d+", waits[2])]
            parts[at] = _but(parts[at], dependencies=tuple(parts[each].subtask_id for each in needed))
            return parts
        match word, said:
            case "r", [number, words]:
                at = self._place(number)
                parts[at] = _but(parts[at], description=words)
            case "d", [number] if number:
                gone = parts.pop(self._place(number)).subtask_id
                left = ((each, tuple(id for id in each.dependencies or () if id != gone)) for each in parts)
                return [_but(each, dependencies=needed) for each, needed in left]
            case "m", [number, place]:
                at, to = self._place(number), self._place(place)
                parts.insert(to, parts.pop(at))
            case "i", [number, share]:
                at = self._place(number)
                if not re.fullmatch(r"0?\.\d+|[01](\.0*)?", share):
                    raise UsageError(f"'{share}' is no importance: it goes from 0 to 1.")
                parts[at] = _but(parts[at], estimated_importance=float(share))
            case _:
                raise UsageError("That is not understood.")
        return parts

    def _place(self, number: str) -> int:
        if not number.isdecimal() or not 1 <= int(number) <= len(self._parts):
            raise UsageError(f"There is no part '{number}': they go from 1 to {len(self._parts)}.")
        return int(number) - 1


_TITLES = {
    "plan": "The plan",
    "drilldown": "{id} would be drilled into",
    "revision": "What {id} has found would change the plan",
}


def by_itself(asked: Approval) -> Iterator[str]:
    """When it goes on if nobody answers, if it does."""
    if asked.until:
        until = datetime.fromisoformat(asked.until).astimezone()
        how = "with the question as it stands" if asked.open_points else "as proposed"
        yield f"Without an answer, it continues {how} at {until:%H:%M}."


def numbered(subtasks: Sequence[Subtask]) -> Iterator[str]:
    """Subtasks by their places, each with those that it waits for."""
    places = {each.subtask_id: str(place) for place, each in enumerate(subtasks, start=1)}
    for place, subtask in enumerate(subtasks, start=1):
        needed = ", ".join(places.get(each, each) for each in subtask.dependencies)
        yield f"{place:>3}  {inert(subtask.description)}{f'  (after {needed})' if needed else ''}"


def _but(part: EditedPart, **changes: object) -> EditedPart:
    return EditedPart.like(part, **changes)


def _because(reason: str) -> str:
    return f": {inert(reason)}" if reason else ":"
