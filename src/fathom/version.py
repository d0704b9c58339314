"""The version of Fathom, in a file that imports nothing, so that every part can name it."""

__version__ = "0.1.0"
