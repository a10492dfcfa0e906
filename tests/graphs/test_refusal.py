"""The refusal graph: answers from what survives grading, and both of its refusals."""

from typing import Any

import pytest

from backends import Backends, Settings
from graphs import refusal
from state.errors import ModelError
from state.refusal import PassageVerdict
from tests.stubs import StubIndex, chat, document, documents, field, in_turn

QUESTION = "How long may a guest telescope be borrowed?"
PASSAGES = (
    document("loans", "A guest telescope may be borrowed for five nights."),
    document("loan-desk", "The loan desk has a telescope-shaped clock; it opens at nine."),
    document("domes", "The east dome is borrowed from the university."),
)


def verdict(relevant: bool, why: str = "It says so.") -> dict[str, Any]:
    return {"verdict": "relevant" if relevant else "irrelevant", "why": why}


def only(*kept: str) -> Any:
    """Grade the passages with one of these texts relevant."""
    return lambda prompt: verdict(any(text in field(prompt, "passage") for text in kept))


class Parts:
    def __init__(self, grader: Any, generator: Any = "Five nights [loans].") -> None:
        self.grader = chat(grader)
        self.generator = chat(generator)
        self.index = StubIndex(PASSAGES)

    def graph(self) -> Any:
        return refusal.build(
            Backends(
                grader=self.grader,
                generator=self.generator,
                index=self.index,
                settings=Settings(_env_file=None),
            )
        ).compile()


@pytest.fixture(params=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Any:
    """Run a graph in either colour."""

    async def go(graph: Any, question: str = QUESTION, **options: Any) -> dict[str, Any]:
        if request.param == "sync":
            return graph.invoke({"question": question}, **options)
        return await graph.ainvoke({"question": question}, **options)

    return go


async def test_the_answer_is_written_from_the_survivors_alone(run: Any) -> None:
    parts = Parts(only("five nights"))
    out = await run(parts.graph())
    assert (out["status"], out["answer"]) == ("answered", "Five nights [loans].")
    assert [d["id"] for d in out["documents"]] == ["loans"]
    assert [c["id"] for c in out["citations"]] == ["loans"]
    assert len(parts.grader.prompts) == len(PASSAGES)
    assert "clock" not in parts.generator.prompts[0]
    assert "1 of 3" in out["stop_reason"]


async def test_when_nothing_survives_it_refuses_with_each_reason(run: Any) -> None:
    parts = Parts(lambda p: verdict(False, f"About {field(p, 'passage').split()[1]} only."))
    out = await run(parts.graph())
    assert out["status"] == "refused"
    assert "All 3 retrieved passages" in out["answer"]
    assert "- loan-desk.md: About loan only." in out["answer"]
    assert "- domes.md: About east only." in out["answer"]
    assert parts.generator.prompts == []
    assert (out["documents"], out["citations"]) == ([], [])


async def test_when_nothing_is_retrieved_it_refuses_and_says_so(run: Any) -> None:
    parts = Parts(AssertionError("nothing to grade"))
    parts.index = StubIndex(())
    out = await run(parts.graph())
    assert (out["status"], out["verdicts"]) == ("refused", [])
    assert (
        out["answer"] == "No passage matches the question, so there is nothing to answer it from."
    )
    assert parts.grader.prompts == parts.generator.prompts == []


def test_a_citation_outside_the_survivors_never_reaches_the_user() -> None:
    parts = Parts(
        only("five nights"), "Five nights [loans]. The desk opens at nine [loan-desk]. [9]"
    )
    out = parts.graph().invoke({"question": QUESTION})
    assert "[loan-desk]" not in out["answer"]
    assert "[9]" not in out["answer"]
    assert out["invalid_citations"] == 2
    assert [c["id"] for c in out["citations"]] == ["loans"]


def test_survivors_that_do_not_say_it_are_refused_plainly() -> None:
    out = Parts(only("five nights"), "NOT FOUND").graph().invoke({"question": QUESTION})
    assert (out["status"], out["citations"]) == ("refused", [])
    assert out["answer"] == "The passages that were kept do not contain the answer."


@pytest.mark.parametrize(
    ("reply", "relevant"),
    [
        ({"verdict": "relevant", "why": "w"}, True),
        ({"verdict": "Relevant.", "why": "w"}, True),
        ({"verdict": "not relevant", "why": "w"}, False),
        ({"grade": {"verdict": "relevant", "why": "w", "score": 3}}, True),
        ({"relevant": True, "reason": "w"}, True),
        ("No.", False),
        ("no - off topic", False),
        ("YES", True),
        ("Yes, it is about loans", True),
        ("**no**", False),
        ('"no"', False),
        ("はい", True),
        ("<think>perhaps relevant</think>\nIrrelevant: another topic.", False),
        ("Well, who can say?", False),
        ('{"verdict": "rele', False),
        ("", False),
        ('{"verdict": "relevant"} {"verdict": "irrelevant"}', False),
    ],
)
def test_only_a_plain_verdict_keeps_a_passage(reply: Any, relevant: bool) -> None:
    parts = Parts(reply)
    parts.index = StubIndex((PASSAGES[0],))
    out = parts.graph().invoke({"question": QUESTION})
    assert (out["status"] == "answered") is relevant


def test_bare_words_give_their_reason() -> None:
    said = PassageVerdict.from_words("no - off topic")
    assert said is not None
    assert (said.verdict, said.why) == ("irrelevant", "off topic")


def test_a_verdict_that_cannot_be_read_is_logged_as_it_came(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "crag")
    out = Parts("hm … {").graph().invoke({"question": QUESTION})
    logged = [r for r in caplog.records if r.message == "passage_verdict"]
    assert [r.__dict__["raw"] for r in logged] == ["hm … {"] * 3
    assert {v["problem"] for v in out["verdicts"]} == {"unreadable"}


def test_a_passage_whose_grading_fails_is_dropped_and_the_others_count() -> None:
    def fails_once(prompt: str) -> Any:
        return ValueError("broken") if "clock" in prompt else verdict(True)

    out = Parts(fails_once).graph().invoke({"question": QUESTION})
    assert [d["id"] for d in out["documents"]] == ["loans", "domes"]
    assert [v["problem"] for v in out["verdicts"]] == ["", "failed", ""]


def test_a_grader_that_always_fails_is_an_error_and_not_a_refusal() -> None:
    with pytest.raises(ModelError, match="No document could be graded"):
        Parts(ValueError("broken")).graph().invoke({"question": QUESTION})


def test_each_grading_is_announced_before_its_call() -> None:
    parts = Parts(only("five nights"))
    parts.index = StubIndex((PASSAGES[0],))
    events = []
    for kind, event in parts.graph().stream(
        {"question": QUESTION}, stream_mode=["custom", "updates"]
    ):
        if kind == "custom" and event["role"] == "grader":
            events.append((event["type"], event["subject"]))
        elif kind == "updates" and "grade" in event:
            events.append(("update", event["grade"]["verdicts"][0]["document_id"]))
    assert events == [("call", "loans"), ("receipt", "loans"), ("update", "loans")]


def test_passages_are_graded_at_the_same_time_and_kept_in_order() -> None:
    parts = Parts(lambda _: verdict(True))
    parts.index = StubIndex(tuple(documents("a", "b", "c", "d")))
    parts.grader.delay = lambda prompt: 0.2 if "of a." in prompt else 0.05
    out = parts.graph().invoke({"question": QUESTION})
    assert [v["document_id"] for v in out["verdicts"]] == ["a", "b", "c", "d"]
    assert parts.grader.most_at_once == 4


def test_top_k_is_what_is_retrieved() -> None:
    parts = Parts(only("five nights"))
    parts.graph().invoke({"question": QUESTION}, context={"top_k": 2})
    assert parts.index.heard == [(QUESTION, 2)]


def test_a_second_run_on_one_thread_starts_clean() -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    parts = Parts(in_turn(*[verdict(True)] * 3, *[verdict(False)] * 3))
    graph = refusal.build(
        Backends(grader=parts.grader, generator=parts.generator, index=parts.index)
    ).compile(checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    graph.invoke({"question": QUESTION}, thread)
    out = graph.invoke({"question": "And a dome?"}, thread)
    assert (out["status"], len(out["verdicts"]), out["citations"]) == ("refused", 3, [])
