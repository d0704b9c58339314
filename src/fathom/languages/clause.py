"""One thing that a question asks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One thing that a question asks, in its own words."""

    text: str
    """The words of the question, without the punctuation around them."""
    heading: str
    """The same in the form of a heading."""
    topic: str = ""
    """What stands before it and holds for it: the words before a colon, a condition."""
    items: tuple[str, ...] = ()
    """What it names side by side and asks about one by one."""
    respect: str = ""
    """In which respect it compares them."""
    compares: bool = False
    """Whether it sets things against each other."""
    refers: bool = False
    """Whether a pronoun in it needs what stands before."""
    leans: bool = False
    """Whether it says too little to be asked alone, or stands in a list of what is asked of one matter."""
    named: bool = False
    """Whether the user asked for it by name: in detail, especially, as an item of a list."""
    stressed: bool = False
    """Whether it is a thing that the question names besides: especially this, with a focus on that."""
    periods: tuple[str, ...] = ()
    """Its text narrowed to each of the periods that it lists; empty unless there are several."""

    @property
    def is_plain(self) -> bool:
        """Whether it asks one thing, and not by name."""
        return not (self.items or self.compares or self.named or self.periods)
