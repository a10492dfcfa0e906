"""Citations through the whole graph: by id, valid, mapped to their sources."""

import pytest

from tests.graphs.corrective_kit import Kit, rejecting
from tests.stubs import document, documents, grade

FACTS = [
    document("a1", "Acme Ltd runs payroll.", source="hr/payroll.md", title="Payroll"),
    document("a2", "Salaries are paid on the 25th.", source="hr/pay.md"),
    document("a3", "The audit takes place in May.", source="finance/audit.md"),
]


def cited(generator: str, **parts):
    out = Kit(generator=generator, found=FACTS, grader=grade(True), **parts).ask()
    return (
        out["answer"],
        [citation["id"] for citation in out["citations"]],
        out["invalid_citations"],
    )


def test_a_citation_is_mapped_to_its_source_and_title():
    out = Kit(generator="Acme Ltd runs payroll [a1].", found=FACTS, grader=grade(True)).ask()
    assert out["citations"] == [{"id": "a1", "source": "hr/payroll.md", "title": "Payroll"}]


@pytest.mark.parametrize("mark", ["[7]", "[a9]", "[web-0123]", "[7, 9]"])
def test_a_citation_of_a_document_that_was_not_given_is_removed_and_counted(mark):
    answer, ids, invalid = cited(f"Acme Ltd runs payroll [a1] {mark}.")
    assert (answer, ids) == ("Acme Ltd runs payroll [a1].", ["a1"])
    assert invalid == mark.count(",") + 1


def test_a_number_is_not_the_position_of_a_document():
    answer, ids, invalid = cited("Salaries are paid on the 25th [1].")
    assert (answer, ids, invalid) == ("Salaries are paid on the 25th.", ["a2"], 1)


def test_case_and_several_ids_in_one_mark_are_read():
    answer, ids, invalid = cited("Acme Ltd runs payroll and pays on the 25th [A1; a2].")
    assert answer == "Acme Ltd runs payroll and pays on the 25th [a1] [a2]."
    assert (ids, invalid) == (["a1", "a2"], 0)


def test_a_right_claim_with_the_wrong_citation_is_attributed_to_the_document_that_states_it():
    answer, ids, _ = cited("The audit takes place in May [a1].")
    assert (answer, ids) == ("The audit takes place in May [a3].", ["a3"])


def test_a_citation_names_its_document_after_others_were_filtered_out():
    out = Kit(
        generator="The audit takes place in May [a3].",
        found=FACTS,
        grader=lambda prompt: grade("audit" in prompt),
    ).ask()
    assert out["answer"] == "The audit takes place in May [a3]."
    assert [citation["source"] for citation in out["citations"]] == ["finance/audit.md"]


def test_a_rejected_document_cannot_be_cited():
    out = Kit(
        generator="The audit takes place in May [a3] [a1].",
        found=FACTS,
        grader=lambda prompt: grade("audit" in prompt),
    ).ask()
    assert out["answer"] == "The audit takes place in May [a3]."
    assert out["invalid_citations"] == 1


def test_the_id_that_the_prompt_shows_is_the_one_that_the_output_cites():
    odd = document('doc "7" & <8>', "Acme Ltd runs payroll.")
    kit = Kit(
        found=[odd], grader=grade(True), generator='Acme runs payroll [doc "7" &amp; &lt;8&gt;].'
    )
    out = kit.ask()
    assert "id='doc \"7\" &amp; &lt;8&gt;'" in kit.generator.prompts[0]
    assert [citation["id"] for citation in out["citations"]] == ['doc "7" & <8>']


def test_an_answer_without_marks_cites_what_states_its_sentences():
    _, ids, _ = cited("Salaries are paid on the 25th. Acme Ltd runs payroll.")
    assert ids == ["a2", "a1"]


def test_invalid_citations_of_all_drafts_are_counted():
    unsupported = {"supported": False, "unsupported_claims": ["x"]}
    _, _, invalid = cited("Acme Ltd runs payroll [7].", checker=unsupported)
    assert invalid == 3


def test_web_results_are_cited_by_their_url():
    page = {"url": "https://x.example/p", "title": "The page", "content": "Acme Ltd runs payroll."}
    out = rejecting(web=[page], generator="Acme Ltd runs payroll.").ask()
    (citation,) = out["citations"]
    assert citation["source"] == "https://x.example/p"
    assert citation["title"] == "The page"
    assert citation["id"] == out["documents"][0]["id"]


def test_a_document_without_metadata_is_cited_by_its_id():
    found = [{"id": "bare", "content": "Acme Ltd runs payroll.", "metadata": {}}]
    out = Kit(found=found, grader=grade(True), generator="Acme Ltd runs payroll [bare].").ask()
    assert out["citations"] == [{"id": "bare", "source": "bare", "title": "bare"}]


def test_citations_stand_in_the_order_of_first_mention_and_once_each():
    found = documents("b1", "b2", "b3")
    kit = Kit(found=found, grader=grade(True), generator="X [b3]. Y [b1] [b3]. Z [b2] [b1].")
    assert [citation["id"] for citation in kit.ask()["citations"]] == ["b3", "b1", "b2"]
