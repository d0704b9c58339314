"""Fathom as an MCP server: any agent or editor may have it research, and read what it has found."""
