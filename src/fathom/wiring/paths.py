"""Paths that the user names, checked before any work."""

from __future__ import annotations

from pathlib import Path

from fathom.errors import UsageError


def checked_path(path: Path | str) -> Path:
    """The absolute path.

    Raises:
        UsageError: nothing is there.
    """
    try:
        absolute = Path(path).expanduser().resolve()
        there = absolute.exists()
    except OSError as error:
        raise UsageError(f"{path} cannot be used: {error.strerror}.") from error
    except RuntimeError as error:  # a link that leads to itself, or a home that nobody has
        raise UsageError(f"{path} cannot be used: {error}.") from error
    except ValueError as error:  # a zero byte
        raise UsageError(f"{str(path)!r} cannot be used: {error}.") from error
    if not there:
        raise UsageError(f"There is no file or folder {path}.")
    return absolute
