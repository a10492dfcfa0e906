"""No node of the corrective graph changes the state that it is given."""

import copy
from collections.abc import Generator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.calls import Packed, Reading, Text
from nodes.checker import check
from nodes.generator import generate
from nodes.grader import grade, select
from nodes.intake import start_clean
from nodes.replies import accept, not_found, trim
from nodes.retriever import retrieve
from nodes.rewriter import rewrite_for_web
from nodes.web import approve_search, search_the_web
from state.corrective import CorrectiveContext
from state.errors import CragError, ModelUnavailable, WebSearchFailed
from state.verdicts import AnswerCheck, DocumentGrade
from tests.nodes.by_hand import DOCUMENTS, state, verdict

FAILED = {"supported": False, "unsupported_claims": ["It is big"], "problem": ""}
NODES = {
    start_clean: [],
    retrieve: [DOCUMENTS],
    grade: [Packed(DOCUMENTS[:1], []), Reading(DocumentGrade(relevant=True), "", "m")],
    select: [],
    rewrite_for_web: [Text("query", "m")],
    approve_search: ["nonsense", "approve"],
    search_the_web: [DOCUMENTS[:1]],
    generate: [Packed(DOCUMENTS, []), Text("Acme [d1] [9].", "m")],
    check: [Reading(None, "", "m"), Reading(AnswerCheck(supported=False), "", "m")],
    accept: [],
    trim: [],
    not_found: [],
}
"""Every node, with replies that take it to its end."""

states = st.builds(
    state,
    question=st.text(min_size=1).filter(str.strip),
    draft=st.sampled_from(["", "It is big. Acme [d1].", "NOT FOUND"]),
    grades=st.just([verdict("d1", True), verdict("d2", False)]),
    checks=st.lists(st.just(FAILED), min_size=1, max_size=3),
    unsupported_claims=st.lists(st.text(max_size=20), max_size=3),
    web_query=st.text(max_size=20),
    regenerations=st.integers(0, 3),
    stop_reason=st.text(max_size=20),
)


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.__name__)
@given(given_state=states)
def test_the_state_is_left_as_it_was_and_running_again_gives_the_same(node, given_state):
    whole = {**given_state, "document": DOCUMENTS[0]}
    before, replies = copy.deepcopy(whole), copy.deepcopy(NODES[node])
    first = finish(node(whole, CorrectiveContext()), NODES[node])
    assert whole == before
    assert NODES[node] == replies
    assert finish(node(whole, CorrectiveContext()), NODES[node]) == first
    assert whole == before


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.__name__)
@pytest.mark.parametrize("error", [ModelUnavailable("down"), WebSearchFailed("down")])
def test_a_node_that_fails_leaves_the_state_as_it_was_so_that_it_can_be_run_again(node, error):
    whole = state(document=DOCUMENTS[0], grades=[verdict("d1", True), verdict("d2", False)])
    whole["checks"] = [FAILED]
    before = copy.deepcopy(whole)
    produced = node(whole, CorrectiveContext())
    if isinstance(produced, Generator):
        try:
            next(produced)
            produced.throw(error)
        except (CragError, StopIteration):
            pass
    assert whole == before


def finish(produced, replies):
    if not isinstance(produced, Generator):
        return produced
    waiting = iter(replies)
    try:
        next(produced)
        while True:
            produced.send(next(waiting))
    except StopIteration as done:
        return done.value
