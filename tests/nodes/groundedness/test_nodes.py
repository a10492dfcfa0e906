"""Nodes of the groundedness graph, driven by hand."""

import copy

import pytest

from nodes.calls import Ask, Pack, Packed, Reading, SearchIndex, Text
from nodes.groundedness import generate, grade_answer, retrieve, rewrite, start
from state.errors import IndexFailed
from state.groundedness import AnswerGrade, GroundednessContext
from tests.stubs import document, documents

CONTEXT = GroundednessContext()
QUESTION = "Who runs payroll?"


def state(**fields):
    return {**start({"question": QUESTION}, CONTEXT), "searches": [], "answer_grades": [], **fields}


def searched(*identifiers, query=QUESTION, nothing_new=False):
    return {"query": query, "document_ids": list(identifiers), "nothing_new": nothing_new}


def graded(answer, loop):
    return {"answer": answer, "loop": loop}


def finish(steps, reply):
    """Send the last reply and return the update."""
    with pytest.raises(StopIteration) as end:
        steps.send(reply)
    return end.value.value


def verdict(**fields):
    value = AnswerGrade(**{"grounded": True, "answers_question": True, **fields})
    return Reading(value, "raw", "stub")


def graded_by(reply, **fields):
    given = {"documents": documents("d1"), "draft": "Acme [d1].", "searches": [searched("d1")]}
    before = state(**{**given, **fields})
    kept = copy.deepcopy(before)
    steps = grade_answer(before, CONTEXT)
    asked = next(steps)
    update = finish(steps, reply)
    assert before == kept
    return asked, update["answer_grades"][0], update


def test_the_grader_is_asked_with_question_documents_and_the_answer_without_marks():
    asked, _, _ = graded_by(verdict())
    assert isinstance(asked, Ask)
    assert (asked.role, asked.schema) == ("grader", AnswerGrade)
    assert asked.fields["question"] == QUESTION
    assert asked.fields["docs"] == documents("d1")
    assert asked.fields["answer"] == "Acme."


@pytest.mark.parametrize(
    ("fields", "counters", "loop"),
    [
        ({}, {}, "none"),
        ({"grounded": False}, {}, "regenerate"),
        ({"answers_question": False}, {}, "retrieve"),
        ({"grounded": False, "answers_question": False}, {}, "regenerate"),
        ({"grounded": False}, {"loops": 3}, "stop"),
        ({"answers_question": False}, {"loops": 2, "reretrievals": 2}, "stop"),
        ({"grounded": False}, {"loops": 2, "reretrievals": 2}, "regenerate"),
        ({}, {"loops": 3, "reretrievals": 2}, "none"),
    ],
)
def test_a_grade_triggers_the_loop_of_the_document_within_the_caps(fields, counters, loop):
    _, grade, update = graded_by(verdict(**fields), **counters)
    assert grade["loop"] == loop
    assert bool(update["stop_reason"]) is (loop == "stop")


def test_a_grade_says_why_in_one_sentence():
    assert "2 claim" in graded_by(verdict(unsupported_claims=["a", "b"]))[1]["reason"]
    assert "does not answer" in graded_by(verdict(answers_question=False))[1]["reason"]


@pytest.mark.parametrize(
    "fields",
    [{"documents": []}, {"draft": ""}, {"draft": "  [d1] "}, {"documents": [], "draft": ""}],
)
def test_without_documents_or_text_nothing_is_grounded_and_no_call_is_made(fields):
    given = {"documents": documents("d1"), "draft": "Acme.", "searches": [searched("d1")]}
    with pytest.raises(StopIteration) as end:
        next(grade_answer(state(**{**given, **fields}), CONTEXT))
    assert end.value.value["answer_grades"][0]["grounded"] is False


def test_documents_that_an_earlier_search_had_found_are_nothing_new():
    steps = retrieve(state(searches=[searched("d1", "d2", "d3")], query="again"), CONTEXT)
    assert next(steps) == SearchIndex("again", 4)
    update = finish(steps, documents("d3", "d1"))
    assert update["searches"] == [searched("d3", "d1", query="again", nothing_new=True)]
    assert (update["loops"], update["reretrievals"]) == (1, 1)


def test_the_first_search_is_no_loop():
    steps = retrieve(state(), CONTEXT)
    next(steps)
    update = finish(steps, documents("d1"))
    assert (update["loops"], update["reretrievals"]) == (0, 0)


def test_a_failed_search_keeps_the_documents_of_the_one_before():
    steps = retrieve(state(searches=[searched("d1")], query="again"), CONTEXT)
    next(steps)
    with pytest.raises(StopIteration) as end:
        steps.throw(IndexFailed("The disk is gone."))
    assert "documents" not in end.value.value
    assert "The disk is gone." in end.value.value["stop_reason"]


def written(text, **fields):
    given = {"documents": documents("d1"), "searches": [searched("d1")]}
    steps = generate(state(**{**given, **fields}), CONTEXT)
    wanted = next(steps)
    assert isinstance(wanted, Pack)
    assert wanted.roles == ("generator", "grader")
    steps.send(Packed(documents("d1"), []))
    return finish(steps, Text(text, "stub"))


def test_documents_of_which_none_fits_end_the_run_without_an_answer():
    steps = generate(state(documents=documents("d1"), searches=[searched("d1")]), CONTEXT)
    next(steps)
    wanted = steps.send(Packed([], []))
    assert (type(wanted), wanted.share) == (Pack, 0.5)
    update = finish(steps, Packed([], []))
    assert "do not fit" in update["stop_reason"]
    assert "draft" not in update


def test_an_answer_that_repeats_a_failed_one_of_the_same_documents_is_no_progress():
    grades = [graded("One.", "regenerate"), graded("Two.", "regenerate")]
    assert "same answer" in written("ONE.", answer_grades=grades)["stop_reason"]
    assert written("Three.", answer_grades=grades)["stop_reason"] == ""


def test_an_answer_that_repeats_one_of_other_documents_is_progress():
    grades = [graded("One.", "retrieve")]
    assert written("One.", answer_grades=grades)["stop_reason"] == ""
    grades = [graded("One.", "retrieve"), graded("Two.", "regenerate")]
    assert written("One.", answer_grades=grades)["stop_reason"] == ""


def test_only_a_regeneration_counts_as_one():
    assert written("x", answer_grades=[graded("One.", "regenerate")])["regenerations"] == 1
    assert written("x", answer_grades=[graded("One.", "retrieve")])["regenerations"] == 0


@pytest.mark.parametrize(
    ("said", "tried"),
    [
        ("Acme payroll contract", False),
        ("who runs Payroll", True),
        ("Payroll: who runs?", True),
        ("", True),
        ("Query:", True),
    ],
)
def test_a_query_is_compared_by_its_words(said, tried):
    given = {"documents": [document("d1")], "draft": "Payroll exists [d1]."}
    steps = rewrite(state(searches=[searched("d1")], **given), CONTEXT)
    asked = next(steps)
    assert asked.fields == {"question": QUESTION, "answer": "Payroll exists."}
    assert bool(finish(steps, Text(said, "stub"))["stop_reason"]) is tried
