"""Nodes of the groundedness graph: grade the answer, repair it or the search."""

from nodes.groundedness.ending import accept, give_up, start
from nodes.groundedness.generator import generate
from nodes.groundedness.grader import grade_answer
from nodes.groundedness.retriever import retrieve
from nodes.groundedness.rewriter import rewrite

__all__ = ["accept", "generate", "give_up", "grade_answer", "retrieve", "rewrite", "start"]
