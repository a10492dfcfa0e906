"""The four nodes of the ARSC graph (document 001, section 2)."""

from nodes.arsc.generator import generator
from nodes.arsc.grader import grader
from nodes.arsc.retriever import retriever
from nodes.arsc.rewriter import is_new_query, rewriter

__all__ = ["generator", "grader", "is_new_query", "retriever", "rewriter"]
