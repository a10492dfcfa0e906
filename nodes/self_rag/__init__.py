"""Nodes of the Self-RAG graph: propose, retrieve, write candidates, keep the best."""

from nodes.self_rag.beam import select
from nodes.self_rag.decision import decide
from nodes.self_rag.ending import finish, start
from nodes.self_rag.lanes import lanes
from nodes.self_rag.proposer import propose
from nodes.self_rag.retriever import places_that_retrieve, places_with_passages, retrieve
from nodes.self_rag.writer import write

__all__ = [
    "decide",
    "finish",
    "lanes",
    "places_that_retrieve",
    "places_with_passages",
    "propose",
    "retrieve",
    "select",
    "start",
    "write",
]
