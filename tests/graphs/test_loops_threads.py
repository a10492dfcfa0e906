"""Checkpoints of the groundedness and Self-RAG graphs: plain, resumable, no text stored over."""

import json

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from backends import Backends, Settings
from graphs import groundedness, self_rag
from state.errors import ModelError
from state.groundedness import GroundednessState
from state.self_rag import SelfRagState
from tests.graphs.test_self_rag import counting, model
from tests.stubs import StubIndex, chat, document, in_turn

THREAD = {"configurable": {"thread_id": "t"}}
QUESTION = {"question": "Who runs payroll?"}
LONG = tuple(document(f"d{n}", f"{n} " + "word " * 20_000) for n in range(4))
UNGROUNDED = {"grounded": False, "answers_question": True, "unsupported_claims": ["x"]}


class Outage(Exception):
    status_code = 503


def settings(**fields):
    return Settings(_env_file=None, context_window=1_000_000, max_attempts=1, **fields)


def loop(saver, grader=None, **roles):
    answers = in_turn(*[f"Answer {n}." for n in range(20)])
    given = {"grader": chat(grader or (lambda _: UNGROUNDED)), "generator": chat(answers), **roles}
    backends = Backends(index=StubIndex(LONG), settings=settings(), **given)
    return groundedness.build(backends).compile(checkpointer=saver)


def reflective(saver, llm=None):
    llm = llm or model("[Retrieve=Yes]", lambda passage, prompt: counting(passage[:1], prompt))
    backends = Backends(model=llm, index=StubIndex(LONG), settings=settings())
    return self_rag.build(backends).compile(checkpointer=saver)


def stored(saver):
    return sum(len(blob) for _, blob in saver.blobs.values())


TEXTS = sum(len(d["content"]) for d in LONG)


def test_regenerations_do_not_store_the_documents_again():
    saver = InMemorySaver()
    loop(saver).invoke(QUESTION, THREAD, context={"max_loops": 10})
    assert stored(saver) < 1.5 * TEXTS


def test_segments_store_a_passage_as_retrieved_and_as_sent_and_no_more():
    saver = InMemorySaver()
    out = reflective(saver).invoke(QUESTION, THREAD, context={"max_segments": 5})
    assert len(out["segments"]) == 5
    # Retrieved once, kept once at the end, and sent to the candidates of each segment.
    assert stored(saver) < (2 + 5 + 0.5) * TEXTS


@pytest.mark.parametrize(("make", "state"), [(loop, GroundednessState), (reflective, SelfRagState)])
def test_every_checkpoint_holds_plain_json_and_the_output_the_states_fields(make, state):
    saver = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=[]))
    graph = make(saver)
    out = graph.invoke(QUESTION, THREAD)
    snapshots = list(graph.get_state_history(THREAD))
    assert len(snapshots) > 5
    for snapshot in snapshots:
        assert json.loads(json.dumps(snapshot.values)) == snapshot.values
    assert set(out) == set(state.__annotations__)


def test_a_loop_that_crashed_resumes_there_and_repays_nothing():
    grades = in_turn(UNGROUNDED, Outage("down"), {"grounded": True, "answers_question": True})
    graph = loop(InMemorySaver(), grades)
    with pytest.raises(ModelError, match="503"):
        graph.invoke(QUESTION, THREAD)
    out = graph.invoke(None, THREAD)
    assert (out["answer"], out["status"], out["regenerations"]) == ("Answer 1.", "answered", 1)
    assert out["usage"]["generator"]["calls"] == 2


def test_a_segment_that_crashed_is_written_again_and_those_before_it_are_not():
    failures = [Outage("down")]

    def propose(answer):
        if answer and failures:
            return failures.pop()
        return "[Retrieve=No]" if answer else "[Retrieve=Yes]"

    llm = model(propose, lambda passage, prompt: counting(passage[:1], prompt))
    graph = reflective(InMemorySaver(), llm)
    with pytest.raises(ModelError, match="503"):
        graph.invoke(QUESTION, THREAD)
    heard = len(llm.prompts)
    out = graph.invoke(None, THREAD)
    assert len(out["segments"]) == 1
    assert len(llm.prompts) == heard + 1


def test_a_question_after_a_crashed_run_starts_clean():
    grades = in_turn(UNGROUNDED, Outage("down"), {"grounded": True, "answers_question": True})
    graph = loop(InMemorySaver(), grades)
    with pytest.raises(ModelError):
        graph.invoke(QUESTION, THREAD)
    out = graph.invoke({"question": "And now?"}, THREAD)
    assert (out["question"], out["status"]) == ("And now?", "answered")
    assert (len(out["answer_grades"]), out["loops"]) == (1, 0)
