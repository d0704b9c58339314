"""What a question leaves open, as a person answers it in a terminal: one point after the other."""

from __future__ import annotations

from collections.abc import Iterator

from fathom.cli.planning import by_itself
from fathom.steering import Answer, Approval, check_answer
from fathom.text.harmless import inert


class Clarifying:
    """What is asked, and what has been answered so far."""

    help = "a number, or your own words, answers it · an empty line leaves it open"

    def __init__(self, asked: Approval) -> None:
        self.asked = asked
        self._answers: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """The point that is asked about now, its choices numbered."""
        return told(self.asked, slice(len(self._answers), len(self._answers) + 1))

    def take(self, line: str) -> Answer | None:
        """Take an answer; all of them, once every point has one.

        Raises:
            UsageError, ValidationError: it is none, and nothing has changed.
        """
        answers = (*self._answers, line)
        given = any(map(inert, answers))
        said = Answer(decision="answer", answers=answers) if given else Answer(decision="accept")
        check_answer(self.asked, said, most=0)
        self._answers = answers
        return said if len(answers) == len(self.asked.open_points) else None


def told(asked: Approval, which: slice) -> Iterator[str]:
    """Some of what is asked, the choices numbered, and when it goes on without an answer."""
    of = f" of {len(asked.open_points)})" if asked.open_points[1:] else ""
    for place, point in [*enumerate(asked.open_points, start=1)][which]:
        yield f"{inert(point.question)}{of and f' ({place}{of}'}"
        yield from (f"{number:>3}  {inert(each.label)}" for number, each in enumerate(point.choices, start=1))
    yield from by_itself(asked)
