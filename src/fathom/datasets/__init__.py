"""Fathom's own MCP server over the user's files: tables on DuckDB, described and asked with two tools."""

from __future__ import annotations
