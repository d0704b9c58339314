"""Fathom: deep research whose every claim is cited and every citation checked."""

__version__ = "0.1.0"
