"""`python -m fathom`."""

from __future__ import annotations

from fathom.cli import main

if __name__ == "__main__":
    main()
