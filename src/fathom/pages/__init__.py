"""Turns addresses into pages: guarded fetching and reading."""
