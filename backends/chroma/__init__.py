"""The document index in an embedded, persistent Chroma."""

from backends.chroma.index import ChromaIndex

__all__ = ["ChromaIndex"]
