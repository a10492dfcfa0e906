"""The graphs as they are drawn: a change of topology is a change of these."""

from pathlib import Path

import pytest

from graphs import NAMES, corrective
from scripts.drawing import mermaid

DRAWINGS = Path(__file__).parents[2] / "docs" / "graphs"
CORRECTIVE = """
__start__ -> start
start -> retrieve
retrieve ? grade | select
grade -> select
select ? generate | not_found | rewrite
rewrite ? approve_search | search_web
approve_search ? not_found | search_web
search_web ? generate | not_found
generate ? check | not_found
check ? accept | generate | trim
accept -> __end__
trim -> __end__
not_found -> __end__
"""


@pytest.mark.parametrize("name", NAMES)
def test_the_drawing_in_the_docs_is_the_graphs(name):
    drawn = (DRAWINGS / f"{name}.mmd").read_text(encoding="utf-8")
    assert drawn.strip() == mermaid(name).strip()


def test_the_corrective_graph_is_the_one_of_the_document():
    edges: dict[tuple[str, str], list[str]] = {}
    for edge in corrective.graph.get_graph().edges:
        edges.setdefault((edge.source, "?" if edge.conditional else "->"), []).append(edge.target)
    lines = {f"{s} {kind} {' | '.join(sorted(targets))}" for (s, kind), targets in edges.items()}
    assert lines == set(CORRECTIVE.strip().splitlines())
