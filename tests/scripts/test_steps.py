"""How the events of a run are told."""

import pytest

from scripts.memory import Memory, Step
from scripts.progress import Teller, View, saying
from scripts.steps import steps_of

USED = {"search": {}}


def doc(identifier, title, content="Text."):
    return {"id": identifier, "content": content, "metadata": {"title": title, "source": title}}


class Recorder(View):
    def __init__(self):
        self.told = []

    def began(self, call, said):
        self.told.append(f"… {said}")

    def step(self, step):
        self.told.append(f"{step.mark} {step.text}" + (f" — {step.more}" if step.more else ""))


@pytest.fixture
def memory():
    found = Memory()
    found.take([doc("a", "Alpha"), doc("b", "Beta")])
    return found


@pytest.mark.parametrize(
    ("field", "item", "step"),
    [
        ("grades", {"relevant": True, "reason": "Good."}, Step("✓", "Relevant: Alpha", "Good.")),
        ("grades", {"relevant": False, "reason": "No."}, Step("✗", "Rejected: Alpha", "No.")),
        (
            "grades",
            {"relevant": False, "reason": "It broke.", "problem": "failed"},
            Step("?", "No verdict on Alpha", "It broke."),
        ),
        ("verdicts", {"verdict": "relevant", "why": "So."}, Step("✓", "Relevant: Alpha", "So.")),
        ("verdicts", {"verdict": "irrelevant", "why": ""}, Step("✗", "Rejected: Alpha")),
        (
            "gradings",
            {"binary_score": "yes", "confidence": 0.9},
            Step("✓", "Relevant: Alpha", "confidence 0.90"),
        ),
        (
            "gradings",
            {"binary_score": "no", "confidence": 1},
            Step("✗", "Rejected: Alpha", "confidence 1.00"),
        ),
    ],
)
def test_every_graph_s_verdicts_are_told_alike(memory, field, item, step):
    assert steps_of("grade", {field: [{"document_id": "a", **item}]}, memory) == [step]


def test_a_search_tells_what_it_found(memory):
    update = {"documents": [doc("c", "Gamma")], "usage": USED}

    assert steps_of("x", update, memory) == [Step("•", "Found 1 document in the index", "Gamma")]


def test_a_search_that_finds_nothing_says_so(memory):
    found = steps_of("x", {"documents": [], "usage": {"web": {}}}, memory)

    assert found == [Step("✗", "Found no documents on the web")]


def test_documents_that_are_only_passed_on_are_not_told(memory):
    again = [doc("a", "Alpha"), doc("b", "Beta")]

    assert steps_of("generate", {"documents": again, "usage": {"generator": {}}}, memory) == []


def test_documents_of_one_title_are_told_apart_by_their_first_words():
    memory = Memory()
    memory.take([doc("a", "Manual", "Boil the water."), doc("b", "Manual", "Descale it.")])

    assert memory.name("a") == "Manual “Boil the water.”"
    assert memory.name("b") == "Manual “Descale it.”"


def test_titles_and_headings_are_not_taken_for_first_words():
    memory = Memory()
    first = doc("a", "Manual", "# Manual\n\n## Use\n\nBoil the water.")
    memory.take([first, doc("b", "Manual", "Descale it.")])

    assert memory.name("a") == "Manual “Use Boil the water.”"


def test_pages_tell_documents_apart():
    memory = Memory()
    pages = [doc(str(page), "Manual") for page in (1, 2)]
    for page in pages:
        page["metadata"]["page"] = int(page["id"])
    memory.take(pages)

    assert [memory.name("1"), memory.name("2")] == ["Manual, page 1", "Manual, page 2"]


def test_the_reset_at_the_start_is_not_told(memory):
    reset = {"question": "q", "grades": None, "checks": None, "usage": None, "web_query": "",
             "documents": [], "regenerations": 0, "draft": ""}  # fmt: skip

    assert steps_of("start", reset, memory) == []
    assert steps_of("nothing", None, memory) == []


@pytest.mark.parametrize(
    ("check", "step"),
    [
        ({"supported": True}, Step("✓", "Every claim is supported")),
        ({"problem": "unreadable"}, Step("?", "The check could not be read")),
        ({"unsupported_claims": ["A.", "B."]}, Step("✗", "2 unsupported claims", "A.; B.")),
    ],
)
def test_checks_are_told(memory, check, step):
    whole = {"supported": False, "unsupported_claims": [], "problem": "", **check}

    assert steps_of("check", {"checks": [whole]}, memory) == [step]


def test_a_loop_s_new_query_is_told(memory):
    update = {"question": "better words", "iteration_count": 1, "context_history": ["…"]}

    assert steps_of("rewriter", update, memory) == [Step("•", "New query: “better words”")]


def test_fields_of_unknown_graphs_are_told_by_their_names(memory):
    update = {"mood": "simple", "top_score": 0.51, "strict": True, "hops": [{}, {}],
              "places": ["web", "arxiv"], "extra": {"k": 1}, "empty": []}  # fmt: skip

    told = steps_of("triage", update, memory)

    assert told == [
        Step(
            "•",
            "triage: mood simple, top score 0.51, strict yes, hops (2), "
            'places web, arxiv, extra {"k": 1}',
        )
    ]


@pytest.mark.parametrize(
    ("role", "subject", "said"),
    [
        ("search", "long " * 50, "Searching the index for “" + ("long " * 12)[:59] + "…”"),
        ("web", "query", "Searching the web for “query”"),
        ("grader", "a", "Grading Alpha"),
        ("grader", "question?", "Grading the documents"),
        ("rewriter", "question?", "Rewriting the query"),
        ("evaluator", "question?", "Judging the evidence"),
        ("arxiv", "bread", "Searching arXiv for “bread”"),
        ("critic", "question?", "Asking the critic"),
        ("critic", "b", "Asking the critic: Beta"),
    ],
)
def test_calls_are_worded_by_role(memory, role, subject, said):
    assert saying({"role": role, "subject": subject, "attempt": 1}, memory) == said


def test_a_failed_try_is_told_with_its_reason_and_the_next_one_as_such():
    view = Recorder()
    teller = Teller(view)
    call = {"node": "rewrite", "role": "rewriter", "subject": "q", "model": "m", "attempt": 1}
    teller.hear("custom", {"type": "call", **call})
    failed = {"outcome": "ModelUnavailable", "error": "Slow\ndown."}
    teller.hear("custom", {"type": "receipt", **call, **failed})
    teller.hear("custom", {"type": "call", **call, "attempt": 2})
    teller.hear("custom", {"type": "something new"})

    assert view.told == [
        "… Rewriting the query",
        "✗ Rewriting the query failed — Slow down.",
        "… Rewriting the query (try 2)",
    ]
    assert [receipt["outcome"] for receipt in teller.receipts] == ["ModelUnavailable"]
