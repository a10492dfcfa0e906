"""The test that document 000 asks for."""

import pytest

from tests.graphs.corrective_kit import COLOURS, INDEXED, QUERY, QUESTION, rejecting, run
from tests.stubs import field


@pytest.mark.parametrize("colour", COLOURS)
async def test_when_all_4_documents_are_rejected_the_answer_comes_from_the_web_alone(colour):
    kit = rejecting()
    _, out = await run(kit, colour)
    assert kit.heard() == {
        "grader": 4,
        "rewriter": 1,
        "generator": 1,
        "checker": 1,
        "index": 1,
        "web": 1,
    }
    shown = field(kit.generator.prompts[0], "documents")
    assert all(document["content"] not in shown for document in INDEXED)
    assert shown.count("<document ") == 2
    assert "Acme Ltd is a payroll bureau." in shown
    assert "Acme Ltd serves offices abroad." in shown
    assert [document["id"] for document in out["documents"]] == ["w1", "w2"]
    assert out["status"] == "answered"


def test_the_rewriter_is_given_the_question_and_every_reason_for_rejection():
    kit = rejecting(
        grader=lambda prompt: {"relevant": False, "reason": f"Because {field(prompt, 'document')}"}
    )
    kit.ask()
    (prompt,) = kit.rewriter.prompts
    assert field(prompt, "question") == QUESTION
    reasons = field(prompt, "rejected_reasons").split("\n")
    assert [line for line in reasons if line] == [f"- Because {d['content']}" for d in INDEXED]
    assert kit.web.queries == [QUERY]
