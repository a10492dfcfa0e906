"""The reranker cascade: an API, a local cross-encoder, the embedded score; a tier a module."""

from backends.rerankers.cascade import Cascade, check_reranker

__all__ = ["Cascade", "check_reranker"]
