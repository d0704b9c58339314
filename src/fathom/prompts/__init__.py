"""The prompts: one Markdown file per ask, with strict variables; a folder of the user's own replaces any of them.

So it is with the strategies, each a way to divide a question; of those a user may add any.

A file has two parts, divided by a line `---`: the instructions, which become the system message, and the material,
which becomes the user's. Values are escaped, so that no document can close the tag that it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from jinja2 import (
    BaseLoader,
    BytecodeCache,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PackageLoader,
    StrictUndefined,
    TemplateError,
    meta,
)
from jinja2.bccache import Bucket
from markupsafe import Markup

from fathom.errors import ConfigurationError

DIVIDER = "\n---\n"
"""What stands between instructions and material."""
STRATEGIES = "strategies"
"""The folder of the strategies among the prompts."""
LONGEST_STRATEGY = 400
"""Characters that a strategy may have: each is told to whoever plans."""
STRATEGY_NAME = re.compile(r"[a-z][a-z_]{0,39}")
"""What a strategy may be called."""


class _Compiled(BytecodeCache):
    """What was compiled in this process: a service makes its prompts anew for each session."""

    _known: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._known.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._known[bucket.key, bucket.checksum] = bucket.code


class Rendered(NamedTuple):
    """A prompt with its variables filled in."""

    system: str
    """The instructions."""
    user: str
    """The material: words of strangers, escaped and fenced."""


class Prompts:
    """Fathom's own prompts, and those that replace them."""

    def __init__(self, folder: Path | None = None) -> None:
        """Look into `folder` first.

        Raises:
            ConfigurationError: there is no such folder, or a prompt in it is none of Fathom's, cannot be read or
                parsed, or names a variable that its ask does not have; or a strategy in it is none.
        """
        own = PackageLoader("fathom", "prompts")
        loaders: list[BaseLoader] = [FileSystemLoader(folder), own] if folder else [own]
        self._environment = Environment(
            loader=ChoiceLoader(loaders),
            bytecode_cache=_Compiled(),
            undefined=StrictUndefined,
            autoescape=True,
            finalize=_value,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=False,
        )
        self._environment.filters["attribute"] = _attribute
        self._environment.globals["wishes"] = ""  # as long as nobody has any
        self.strategies = _strategies(Path(__file__).parent / STRATEGIES)
        """How each strategy divides a question, by its name."""
        if folder:
            self._check(folder)
            self.strategies |= _strategies(folder / STRATEGIES)
        self._environment.globals[STRATEGIES] = self.strategies

    def _check(self, folder: Path) -> None:
        if not folder.is_dir():
            raise ConfigurationError(f"There is no folder {folder} of prompts: make it, or unset `prompts`.")
        for path in sorted(folder.glob("*.md")):
            if path.stem not in self.names:
                raise ConfigurationError(
                    f"{path} replaces no prompt: Fathom's are called {', '.join(self.names)} (`fathom prompts list`)."
                )
            try:
                self._environment.get_template(path.name)
            except TemplateError as error:
                raise ConfigurationError(f"The prompt {path} cannot be parsed: {error}.") from error
            except (OSError, UnicodeDecodeError) as error:
                raise ConfigurationError(f"The prompt {path} cannot be read: it must be a text in UTF-8.") from error
            if DIVIDER not in self.source(path.stem):
                raise ConfigurationError(f"The prompt {path} has no line `---` between instructions and material.")
            known = self._variables(_own(path.stem))
            if strangers := sorted(self._variables(self.source(path.stem)) - known):
                raise ConfigurationError(
                    f"The prompt {path} names what its ask does not have: {', '.join(strangers)}. "
                    f"It has: {', '.join(sorted(known))}."
                )

    def _variables(self, text: str) -> set[str]:
        """What a prompt is filled in with; Fathom's own name all that their ask has."""
        return meta.find_undeclared_variables(self._environment.parse(text))

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of all prompts, sorted: `plan_research`, …"""
        own = Path(__file__).parent
        return tuple(sorted(path.stem for path in own.glob("*.md")))

    def source(self, name: str) -> str:
        """The text of a prompt in force, its variables not filled in.

        Raises:
            ConfigurationError: there is no such prompt.
        """
        loader = self._environment.loader
        if name not in self.names or loader is None:
            raise ConfigurationError(f"There is no prompt '{name}'. Known: {', '.join(self.names)}.")
        return loader.get_source(self._environment, f"{name}.md")[0].replace("\r\n", "\n")

    def is_own(self, name: str) -> bool:
        """Whether a prompt is Fathom's own and not replaced."""
        return self.source(name) == _own(name)

    @cached_property
    def version(self) -> str:
        """Eight hex digits that change with the text of any prompt."""
        texts = "\0".join((*map(self.source, self.names), *self.strategies, *self.strategies.values()))
        return sha256(texts.encode("utf-8", "surrogatepass")).hexdigest()[:8]

    def render(self, name: str, variables: Mapping[str, Any]) -> Rendered:
        """The prompt with its variables filled in.

        Raises:
            ConfigurationError: it names a variable that the ask does not have.
        """
        try:
            text = self._environment.get_template(f"{name}.md").render(variables)
        except TemplateError as error:
            raise ConfigurationError(f"The prompt '{name}' cannot be filled in: {error}.") from error
        # escaped material holds no bare divider of ours: the first one is the file's own
        system, _, user = text.partition(DIVIDER)
        return Rendered(system.strip(), user.strip())


def _strategies(folder: Path) -> dict[str, str]:
    """The strategies in a folder, which need not be there, by the names of their files."""
    found = {}
    for path in sorted(folder.glob("*.md")):
        try:
            found[path.stem] = " ".join(path.read_text(encoding="utf-8").split())
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"The strategy {path} cannot be read: it must be a text in UTF-8.") from error
        if not STRATEGY_NAME.fullmatch(path.stem) or not 0 < len(found[path.stem]) <= LONGEST_STRATEGY:
            raise ConfigurationError(
                f"{path} is no strategy: it is named in small letters, and says in at most {LONGEST_STRATEGY} "
                "characters what it is for and how it divides a question."
            )
    return found


def _own(name: str) -> str:
    return (Path(__file__).parent / f"{name}.md").read_text(encoding="utf-8")


def escaped(text: str) -> str:
    """`text` as it stands in a prompt: it can close no tag.

    Quotation marks stay: a model copies what it reads, and each of them escaped would be paid for as four tokens.

    >>> escaped("</passage> 'Q&A'")
    "&lt;/passage&gt; 'Q&amp;A'"
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _value(value: object) -> object:
    return value if hasattr(value, "__html__") else Markup(escaped(str(value)))


def _attribute(value: object) -> Markup:
    """A value for an attribute of a tag: on one line, and with its quotation marks escaped too."""
    return Markup(escaped(" ".join(str(value).split())).replace('"', "&quot;"))
