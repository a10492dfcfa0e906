"""Which continuations are kept."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.self_rag.beam import select
from nodes.self_rag.ending import start
from nodes.self_rag.lanes import lanes
from state.errors import ModelUnavailable
from state.self_rag import SelfRagContext

PASSAGES = ["d1", "d2", "d3"]


def path(place, text="", score=0.0, end=""):
    segments = [{"text": text, "score": score}] if text else []
    return {
        **start({"question": "q"}, None)["paths"][0],
        "place": place,
        "text": text,
        "segments": segments,
        "passages": PASSAGES,
        "score": score,
        "end": end,
    }


def candidate(place, text, score, rank=0, **fields):
    return {
        "step": 1,
        "path": place,
        "rank": rank,
        "passage": f"d{rank + 1}",
        "text": text,
        "is_rel": "Relevant",
        "is_sup": "Fully",
        "is_use": 5,
        "score": score,
        "scored_by": "tokens",
        "problem": "",
        "end": "",
        "left_out": [],
        **fields,
    }


def selected(paths, candidates, width=2):
    decided = {"step": 1, "retrieve": "Yes", "p_retrieve": None, "decided_by": "token"}
    state = {
        "step": 1,
        "paths": paths,
        "candidates": candidates,
        "decisions": [{**decided, "path": p["place"]} for p in paths],
    }
    before = copy.deepcopy(state)
    update = select(state, SelfRagContext(beam_width=width))
    assert state == before
    assert update["step"] == 2
    return update["paths"]


def test_the_best_of_all_paths_are_kept_by_the_mean_of_their_segments():
    kept = selected(
        [path(0, "A.", 2.0), path(1, "B.", 1.0)],
        [candidate(0, "a", 1.0), candidate(0, "b", 0.0, 1), candidate(1, "c", 2.5, 2)],
    )
    assert [(p["text"], p["score"]) for p in kept] == [("B. c", 1.75), ("A. a", 1.5)]
    assert [p["place"] for p in kept] == [0, 1]
    assert [p["used"] for p in kept] == [["d3"], ["d1"]]


def test_candidates_of_other_steps_and_paths_are_not_mixed_in():
    old = candidate(0, "old", 9.0, step=0)
    kept = selected(
        [path(0, "A."), path(1, "B.")], [old, candidate(0, "a", 1), candidate(1, "b", 1)]
    )
    assert [p["text"] for p in kept] == ["A. a", "B. b"]


def test_a_path_without_a_usable_candidate_ends_and_keeps_its_place():
    ended = candidate(0, "", 1.0, end="The model ended its answer.")
    kept = selected([path(0, "A.", 2.0), path(1, "B.", 1.0)], [ended, candidate(1, "b", 0.0)])
    assert [(p["text"], p["end"]) for p in kept] == [
        ("A.", "The model ended its answer."),
        ("B. b", ""),
    ]


def test_a_better_ended_path_gives_way_to_none_that_is_worse():
    kept = selected([path(0, "A.", 2.0, end="Done."), path(1, "B.", 1.0)], [candidate(1, "b", 2.5)])
    assert [p["text"] for p in kept] == ["A.", "B. b"]


def test_nothing_unreadable_is_appended():
    garbled = candidate(0, "x", -1.0, problem="unreadable")
    [kept] = selected([path(0, "A.", 2.0)], [garbled])
    assert kept["text"] == "A."
    assert "tokens could be read" in kept["end"]


def test_an_outage_of_every_candidate_is_raised():
    failed = [candidate(0, "", -1.0, n, problem="failed") for n in range(2)]
    with pytest.raises(ModelUnavailable):
        selected([path(0, "A.")], failed)


SCORES = st.lists(st.floats(0, 2.5), min_size=1, max_size=8)


@given(SCORES, st.integers(1, 8))
def test_a_beam_is_never_wider_than_asked_and_never_misses_the_best(scores, width):
    candidates = [candidate(0, f"text {i}", score, i) for i, score in enumerate(scores)]
    kept = selected([path(0)], candidates, width)
    assert len(kept) == min(width, len(scores))
    assert [p["score"] for p in kept] == pytest.approx(
        sorted(scores, reverse=True)[: len(kept)], abs=1e-5
    )


@given(st.lists(st.integers()), st.integers(1, 10))
def test_lanes_hold_every_task_once_and_are_no_more_than_allowed(tasks, limit):
    dealt = lanes(tasks, limit)
    assert len(dealt) == min(limit, len(tasks))
    assert sorted(task for lane in dealt for task in lane) == sorted(tasks)
