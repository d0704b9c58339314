"""Writes a table of made-up events to try research over structured data on.

    python examples/write_events.py events.parquet --count 100000
    fathom research "India events by theme" --data events.parquet

The ending of the file says how it is written: .csv, .jsonl or .parquet. `--language ja` writes it in Japanese.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from fathom_testing.events import write_events


def main() -> None:
    """Write the file that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--language", choices=("en", "ja"), default="en")
    arguments = parser.parse_args()
    try:
        path = write_events(arguments.file, arguments.count, language=arguments.language)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    print(f"{arguments.count:,} events: {path}")


if __name__ == "__main__":
    main()
